// tracy_blocks.c - the container of .tracy files: its first bytes, and reading the blocks.
#include "formats/tracy/tracy_blocks.h"

#include <lz4.h>
#include <zstd.h>

#include "base/data/mem.h"
#include "base/file/file.h"

enum {
    WINDOW_LOG_MOST = 27,   // of a zstd stream
    WINDOWS_LOG_MOST = 30,  // of all
    AHEAD_BLOCKS = 4,       // beside the histories
    LEAST_BLOCK = 5,        // bytes of a block in the file: its size, and one more
    FORGET_BYTES = 1 << 22, // of the file, at a time
    PACKED_MOST = 1 << 17,  // a compressed block is never much longer than its text
};

struct tracy_blocks {
    str file;
    struct tracy_container c;
    bool is_mapped;
    size_t at;        // of the next block in the file
    size_t forgotten; // the file before this is out of memory again
    uint64_t n;       // blocks decoded
    bool is_ended;
    const char *damage;
    char *ring; // slots, after room for bytes that are carried over
    size_t n_slots;
    size_t last; // bytes of the block decoded last
    ZSTD_DCtx *zstd[TRACY_STREAMS_MOST];
};

bool tracy_container_of(str file, struct tracy_container *c)
{
    *c = (struct tracy_container){.n_streams = 1, .bytes = 4};
    if (str_starts(file, S("tlZ\x04")))
        return true;
    c->packing = TRACY_ZSTD;
    if (str_starts(file, S("tZst")))
        return true;
    if (!str_starts(file, S("tr\xfdP")) || file.n < 6)
        return false;
    c->is_new = true;
    c->packing = file.p[4] ? TRACY_ZSTD : TRACY_LZ4;
    c->n_streams = (unsigned char)file.p[5];
    c->bytes = 6;
    return (unsigned char)file.p[4] < TRACY_PACKINGS && c->n_streams > 0;
}

struct tracy_blocks *tracy_blocks_open(str file, struct tracy_container c, bool is_mapped)
{
    struct tracy_blocks *b = mem_alloc(sizeof *b);
    *b = (struct tracy_blocks){.file = file, .c = c, .is_mapped = is_mapped, .at = c.bytes};
    b->n_slots = c.n_streams + AHEAD_BLOCKS;
    b->ring = mem_resize(NULL, TRACY_CARRY_MOST + b->n_slots * TRACY_BLOCK_BYTES);
    return b;
}

void tracy_blocks_close(struct tracy_blocks *b)
{
    for (unsigned i = 0; i < TRACY_STREAMS_MOST; i++)
        (void)ZSTD_freeDCtx(b->zstd[i]);
    mem_free(b->ring);
    mem_free(b);
}

static char *slot(const struct tracy_blocks *b, uint64_t block)
{
    return b->ring + TRACY_CARRY_MOST + block % b->n_slots * TRACY_BLOCK_BYTES;
}

static bool damaged(struct tracy_blocks *b, const char *why)
{
    b->is_ended = true;
    b->damage = why;
    return false;
}

// Every block but the last is full, so that is how long a history is.
static size_t decode_lz4(struct tracy_blocks *b, str packed)
{
    unsigned streams = b->c.n_streams;
    const char *before = b->n < streams ? NULL : slot(b, b->n - streams);
    int n = LZ4_decompress_safe_usingDict(packed.p, slot(b, b->n), (int)packed.n,
                                          TRACY_BLOCK_BYTES, before,
                                          before ? TRACY_BLOCK_BYTES : 0);
    return n < 0 ? 0 : (size_t)n;
}

// A stream takes memory once it has a block, and windows of all together have a limit.
static void start_zstd(struct tracy_blocks *b, unsigned stream)
{
    int window = WINDOW_LOG_MOST;
    while (b->c.n_streams > 1u << (WINDOWS_LOG_MOST - window))
        window--;
    b->zstd[stream] = ZSTD_createDCtx();
    (void)ZSTD_DCtx_setParameter(b->zstd[stream], ZSTD_d_windowLogMax, window);
}

static size_t decode_zstd(struct tracy_blocks *b, str packed)
{
    unsigned stream = (unsigned)(b->n % b->c.n_streams);
    if (!b->zstd[stream])
        start_zstd(b, stream);
    ZSTD_DCtx *z = b->zstd[stream];
    ZSTD_inBuffer in = {packed.p, packed.n, 0};
    ZSTD_outBuffer out = {slot(b, b->n), TRACY_BLOCK_BYTES, 0};
    size_t before;
    do {
        before = in.pos + out.pos;
        if (!z || ZSTD_isError(ZSTD_decompressStream(z, &out, &in)))
            return 0;
    } while (in.pos < in.size && in.pos + out.pos > before);
    return in.pos < in.size ? 0 : out.pos;
}

static void forget(struct tracy_blocks *b)
{
    if (!b->is_mapped || b->at - b->forgotten < FORGET_BYTES)
        return;
    file_forget((str){b->file.p + b->forgotten, b->at - b->forgotten});
    b->forgotten = b->at;
}

static bool decode(struct tracy_blocks *b)
{
    uint32_t n;
    size_t left = b->file.n - b->at;
    if (b->is_ended || left == 0) {
        b->is_ended = true;
        return false;
    }
    if (b->n && b->last < TRACY_BLOCK_BYTES)
        return damaged(b, "a block that is not full is not the last one");
    if (left < sizeof n)
        return damaged(b, "the file is cut off");
    memcpy(&n, b->file.p + b->at, sizeof n);
    if (n == 0 || n > PACKED_MOST)
        return damaged(b, "the size of a block is wrong");
    if (n > left - sizeof n)
        return damaged(b, "the file is cut off");
    str packed = {b->file.p + b->at + sizeof n, n};
    b->last = b->c.packing == TRACY_LZ4 ? decode_lz4(b, packed) : decode_zstd(b, packed);
    if (b->last == 0)
        return damaged(b, "a block cannot be decompressed");
    b->at += sizeof n + n;
    b->n++;
    forget(b);
    return true;
}

bool tracy_blocks_next(struct tracy_blocks *b, str *text)
{
    if (!decode(b))
        return false;
    char *at = slot(b, b->n - 1);
    // In the ring the next block usually follows what is left of this one.
    if (text->n && text->p + text->n != at)
        memcpy(at - text->n, text->p, text->n);
    *text = (str){at - text->n, text->n + b->last};
    return true;
}

const char *tracy_blocks_damage(const struct tracy_blocks *b, uint64_t *at)
{
    *at = b->at;
    return b->damage;
}

uint64_t tracy_blocks_most(const struct tracy_blocks *b)
{
    return ((uint64_t)b->file.n / LEAST_BLOCK + 1) * TRACY_BLOCK_BYTES;
}
