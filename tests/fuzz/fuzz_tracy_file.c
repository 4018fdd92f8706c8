// fuzz_tracy_file.c - any bytes as a .tracy file. The first byte says how: 0 a whole file,
// 1 and 2 the payload of a file of 0.10 and 0.14 after its version, which is packed here,
// so that the fuzzer need not learn to compress.
#include <lz4.h>
#include <string.h>

#include "../support/memory_file.h"
#include "../support/tracy_dump.h"
#include "../support/tracy_laws.h"
#include "formats/diags.h"
#include "formats/tracy/tracy_file.h"
#include "fuzz.h"

enum { PAYLOAD_MOST = 1 << 20, MEMORY_PER_BYTE = 64 };

static void pack(struct buf *file, str payload)
{
    buf_str(file, S("tlZ\x04"));
    while (payload.n) {
        size_t n = payload.n < TRACY_BLOCK_BYTES ? payload.n : TRACY_BLOCK_BYTES;
        int most = LZ4_compressBound((int)n);
        char *to = buf_room(file, sizeof(uint32_t) + (size_t)most);
        int packed = LZ4_compress_default(payload.p, to + sizeof(uint32_t), (int)n, most);
        memcpy(to, &packed, sizeof packed);
        file->n += sizeof(uint32_t) + (size_t)packed;
        payload = str_from(payload, n);
    }
}

static void show(const struct tracy *t, struct buf *b)
{
    tracy_dump(b, t);
    tracy_dump_rest(b, t);
}

// Writes and reads it again: such a file is whole.
static void rewrite(struct tracy *to, const struct tracy *from)
{
    struct memory_file m = memory_file_make((str){0});
    struct out o = memory_out(&m);
    struct err e = {0};
    tracy_write_to(from, &o, tracy_write_usual(from->generation));
    struct file f = memory_out_end(&o, &m);
    must(tracy_read_text(to, f.text, "again", (struct tracy_read_how){.is_strict = true},
                         &e));
    must(diag_total(&to->diag) == 0);
    file_close(&f);
    memory_file_free(&m);
}

static bool has_same_zones(const struct tracy *a, const struct tracy *b)
{
    bool is_same = a->threads.n == b->threads.n;
    for (size_t i = 0; i < a->threads.n && is_same; i++) {
        const struct pile *x = &a->threads.v[i].zones, *y = &b->threads.v[i].zones;
        is_same &= x->n == y->n;
        for (size_t k = 0; k < x->n && is_same; k++)
            is_same &= memcmp(pile_at(x, k), pile_at(y, k), sizeof(struct tracy_zone)) == 0;
    }
    return is_same;
}

// Writing makes contents legal; once they are, they stay as they are.
static void check_rewritten(const struct tracy *t)
{
    struct tracy once, twice;
    struct buf a = {0}, b = {0};
    rewrite(&once, t);
    must(has_same_zones(t, &once));
    rewrite(&twice, &once);
    show(&once, &a);
    show(&twice, &b);
    must(str_eq(buf_view(&a), buf_view(&b)));
    buf_free(&a);
    buf_free(&b);
    tracy_free(&once);
    tracy_free(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > PAYLOAD_MOST)
        return 0;
    str bytes = {(const char *)data + 1, size - 1};
    struct buf file = {0};
    if (data[0]) {
        struct buf payload = {0};
        buf_str(&payload, data[0] == 1 ? S("tracy\0\x0a\0") : S("tracy\0\x0e\0"));
        buf_str(&payload, bytes);
        pack(&file, buf_view(&payload));
        buf_free(&payload);
    } else
        buf_str(&file, bytes);
    struct tracy t;
    struct err e = {0};
    if (tracy_read_text(&t, buf_view(&file), "fuzz", (struct tracy_read_how){0}, &e)) {
        must(!tracy_loose_end(&t));
        must(data[0] == 0 ||
             t.arena.used + t.store.held <= MEMORY_PER_BYTE * (size + TRACY_BLOCK_BYTES));
        check_rewritten(&t);
    } else
        must(e.code == ERR_FORMAT);
    tracy_free(&t);
    buf_free(&file);
    return 0;
}
