// fuzz_unpack.c - any bytes as a compressed file. The first byte says how many are cut off
// at the end; it also keeps the replay, which opens seeds as files, from unpacking them.
#include <string.h>

#include "base/file/unpack.h"

#include "../support/memory_file.h"
#include "fuzz.h"

// A few bytes may become gigabytes, which would be all that the fuzzer does.
enum { MOST = 1 << 20 };
enum { BLOCK = 128 << 10 }; // of zstd, at most

// What a file makes of the bytes is what unpack does.
static void check_file(str packed, const char *damage, const struct buf *text)
{
    struct memory_file m = memory_file_make(packed);
    struct file f;
    struct err e = {0};
    bool ok = file_open(m.path, &f, &e);
    must(ok == (!damage || (text->n > 0 && damage != unpack_over)));
    must(ok || e.code == (damage == unpack_over ? ERR_LIMIT : ERR_FORMAT));
    must(!ok || f.damage == damage);
    must(!ok || str_eq(f.text, buf_view(text)));
    if (ok)
        file_close(&f);
    memory_file_free(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    str packed = {(const char *)data + 1, size - 1};
    if (!unpack_ending(packed))
        return 0;
    struct buf whole = {0}, part = {0};
    file_limit(MOST);
    const char *damage = unpack(packed, MOST, &whole);
    check_file(packed, damage, &whole);
    // Less data give less of the same text, never another. Only of a block that fails as a
    // whole, such as a raw one that is larger than its frame, may a part give more.
    str cut = {packed.p, packed.n - (data[0] < packed.n ? data[0] : packed.n)};
    if (unpack_ending(cut) && damage != unpack_over) {
        (void)unpack(cut, MOST, &part);
        size_t both = part.n < whole.n ? part.n : whole.n;
        must(part.n <= whole.n + (damage ? BLOCK : 0));
        must(both == 0 || memcmp(part.p, whole.p, both) == 0);
    }
    buf_free(&whole);
    buf_free(&part);
    return 0;
}
