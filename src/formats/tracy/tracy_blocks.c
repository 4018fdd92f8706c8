// tracy_blocks.c - the container of .tracy files: its first bytes, and reading the blocks.
//
// Large files are decoded by threads of their own, each with its part of the streams, while
// the caller reads what is decoded.
#include "formats/tracy/tracy_blocks.h"

#include <lz4.h>
#include <pthread.h>
#include <zstd.h>

#include "base/data/mem.h"
#include "base/data/threads.h"
#include "base/file/file.h"

enum {
    WINDOW_LOG_MOST = 27,   // of a zstd stream
    WINDOWS_LOG_MOST = 30,  // of all
    AHEAD_BLOCKS = 16,      // decoded before they are asked for
    KEPT_BLOCKS = 2,        // the one that is read, and the one before it
    LEAST_BLOCK = 5,        // bytes of a block in the file: its size, and one more
    FORGET_BYTES = 1 << 22, // of the file, at a time
    PACKED_MOST = 1 << 17,  // a compressed block is never much longer than its text
    DECODERS_MOST = 8,
    WORTH_DECODERS = 1 << 20, // bytes of a file
};

struct decoder {
    struct tracy_blocks *b;
    unsigned index;
    pthread_t thread;
};

struct tracy_blocks {
    str file;
    struct tracy_container c;
    bool is_mapped;
    size_t at;        // of the next block in the file
    size_t forgotten; // the file before this is out of memory again
    uint64_t n;       // blocks handed out
    size_t last;      // bytes of the last of them
    bool is_ended;
    const char *damage;
    char *ring; // slots, after room for bytes that are carried over
    size_t n_slots;
    ZSTD_DCtx *zstd[TRACY_STREAMS_MOST];

    unsigned n_decoders; // 0: blocks are decoded when they are asked for
    struct decoder decoders[DECODERS_MOST];
    pthread_mutex_t lock; // of what follows, and of `n` for the decoders
    pthread_cond_t changed;
    bool is_started, is_stopped;
    uint64_t awaited; // the block + 1 that the reader waits for
    struct {
        uint64_t block; // + 1; 0: none yet
        size_t bytes;   // 0: it cannot be decompressed
    } * decoded;        // by slot
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

static char *slot(const struct tracy_blocks *b, uint64_t block)
{
    return b->ring + TRACY_CARRY_MOST + block % b->n_slots * TRACY_BLOCK_BYTES;
}

// --- one block -----------------------------------------------------------------------

// The block at an offset of the file, which is not its end. NULL, or what is wrong with it.
static const char *find_block(const struct tracy_blocks *b, size_t at, str *packed)
{
    uint32_t n;
    size_t left = b->file.n - at;
    if (left < sizeof n)
        return "the file is cut off";
    memcpy(&n, b->file.p + at, sizeof n);
    if (n == 0 || n > PACKED_MOST)
        return "the size of a block is wrong";
    if (n > left - sizeof n)
        return "the file is cut off";
    *packed = (str){b->file.p + at + sizeof n, n};
    return NULL;
}

// Every block but the last is full, so that is how long a history is.
static size_t decode_lz4(struct tracy_blocks *b, uint64_t block, str packed)
{
    unsigned streams = b->c.n_streams;
    const char *before = block < streams ? NULL : slot(b, block - streams);
    int n = LZ4_decompress_safe_usingDict(packed.p, slot(b, block), (int)packed.n,
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

static size_t decode_zstd(struct tracy_blocks *b, uint64_t block, str packed)
{
    unsigned stream = (unsigned)(block % b->c.n_streams);
    if (!b->zstd[stream])
        start_zstd(b, stream);
    ZSTD_DCtx *z = b->zstd[stream];
    ZSTD_inBuffer in = {packed.p, packed.n, 0};
    ZSTD_outBuffer out = {slot(b, block), TRACY_BLOCK_BYTES, 0};
    size_t before;
    do {
        before = in.pos + out.pos;
        if (!z || ZSTD_isError(ZSTD_decompressStream(z, &out, &in)))
            return 0;
    } while (in.pos < in.size && in.pos + out.pos > before);
    return in.pos < in.size ? 0 : out.pos;
}

static size_t decode(struct tracy_blocks *b, uint64_t block, str packed)
{
    return b->c.packing == TRACY_LZ4 ? decode_lz4(b, block, packed)
                                     : decode_zstd(b, block, packed);
}

// --- decoders: a ring of blocks between them and the reader --------------------------

// Waits until the slot of a block is free: neither read nor the history of another block.
static bool wait_for_slot(struct tracy_blocks *b, uint64_t block)
{
    (void)pthread_mutex_lock(&b->lock);
    while (!b->is_stopped &&
           (!b->is_started || block + b->c.n_streams + KEPT_BLOCKS > b->n + b->n_slots))
        (void)pthread_cond_wait(&b->changed, &b->lock);
    bool goes_on = !b->is_stopped;
    (void)pthread_mutex_unlock(&b->lock);
    return goes_on;
}

static void tell_decoded(struct tracy_blocks *b, uint64_t block, size_t bytes)
{
    (void)pthread_mutex_lock(&b->lock);
    b->decoded[block % b->n_slots].block = block + 1;
    b->decoded[block % b->n_slots].bytes = bytes;
    if (b->awaited == block + 1)
        (void)pthread_cond_broadcast(&b->changed);
    (void)pthread_mutex_unlock(&b->lock);
}

// Ends where the reader will: at damage, and after a block that is not full.
static void *decode_streams(void *context)
{
    const struct decoder *d = context;
    struct tracy_blocks *b = d->b;
    str packed;
    size_t bytes = TRACY_BLOCK_BYTES, at = b->c.bytes;
    if (!wait_for_slot(b, 0)) // until the number of decoders is known
        return NULL;
    for (uint64_t block = 0; bytes == TRACY_BLOCK_BYTES && at < b->file.n; block++) {
        if (find_block(b, at, &packed))
            return NULL;
        at += sizeof(uint32_t) + packed.n;
        if (block % b->c.n_streams % b->n_decoders != d->index)
            continue;
        if (!wait_for_slot(b, block))
            return NULL;
        bytes = decode(b, block, packed);
        tell_decoded(b, block, bytes);
    }
    return NULL;
}

static size_t wait_for_block(struct tracy_blocks *b, uint64_t block)
{
    (void)pthread_mutex_lock(&b->lock);
    b->awaited = block + 1;
    while (b->decoded[block % b->n_slots].block != block + 1)
        (void)pthread_cond_wait(&b->changed, &b->lock);
    b->awaited = 0;
    size_t bytes = b->decoded[block % b->n_slots].bytes;
    (void)pthread_mutex_unlock(&b->lock);
    return bytes;
}

// The reader's thread is one of the lanes, but it waits for much of the time.
static unsigned decoders_for(const struct tracy_blocks *b)
{
    unsigned n = threads_for(b->file.n, WORTH_DECODERS);
    if (n < 2)
        return 0;
    n = n < DECODERS_MOST ? n : DECODERS_MOST;
    return n < b->c.n_streams ? n : b->c.n_streams;
}

static void start_decoders(struct tracy_blocks *b)
{
    (void)pthread_mutex_init(&b->lock, NULL);
    (void)pthread_cond_init(&b->changed, NULL);
    unsigned wanted = decoders_for(b);
    unsigned started = 0;
    while (started < wanted) {
        struct decoder *d = &b->decoders[started];
        *d = (struct decoder){.b = b, .index = started};
        if (pthread_create(&d->thread, NULL, decode_streams, d) != 0)
            break;
        started++;
    }
    (void)pthread_mutex_lock(&b->lock);
    b->n_decoders = started;
    b->is_started = true;
    (void)pthread_cond_broadcast(&b->changed);
    (void)pthread_mutex_unlock(&b->lock);
}

static void stop_decoders(struct tracy_blocks *b)
{
    (void)pthread_mutex_lock(&b->lock);
    b->is_stopped = true;
    (void)pthread_cond_broadcast(&b->changed);
    (void)pthread_mutex_unlock(&b->lock);
    for (unsigned i = 0; i < b->n_decoders; i++)
        (void)pthread_join(b->decoders[i].thread, NULL);
    (void)pthread_cond_destroy(&b->changed);
    (void)pthread_mutex_destroy(&b->lock);
}

// --- reading ---------------------------------------------------------------------------

struct tracy_blocks *tracy_blocks_open(str file, struct tracy_container c, bool is_mapped)
{
    struct tracy_blocks *b = mem_alloc(sizeof *b);
    b->file = file;
    b->c = c;
    b->is_mapped = is_mapped;
    b->at = c.bytes;
    b->n_slots = c.n_streams + KEPT_BLOCKS + AHEAD_BLOCKS;
    b->ring = mem_resize(NULL, TRACY_CARRY_MOST + b->n_slots * TRACY_BLOCK_BYTES);
    b->decoded = mem_alloc(mem_bytes(sizeof *b->decoded, b->n_slots));
    start_decoders(b);
    return b;
}

void tracy_blocks_close(struct tracy_blocks *b)
{
    stop_decoders(b);
    for (unsigned i = 0; i < TRACY_STREAMS_MOST; i++)
        (void)ZSTD_freeDCtx(b->zstd[i]);
    mem_free(b->decoded);
    mem_free(b->ring);
    mem_free(b);
}

static void forget(struct tracy_blocks *b)
{
    if (!b->is_mapped || b->at - b->forgotten < FORGET_BYTES)
        return;
    file_forget((str){b->file.p + b->forgotten, b->at - b->forgotten});
    b->forgotten = b->at;
}

// Decoders are woken when several slots are free: one that waits is at least AHEAD_BLOCKS
// ahead, so it is woken before its block is asked for.
static void hand_out(struct tracy_blocks *b)
{
    (void)pthread_mutex_lock(&b->lock);
    b->n++;
    if (b->n_decoders && b->n % (AHEAD_BLOCKS / 2) == 0)
        (void)pthread_cond_broadcast(&b->changed);
    (void)pthread_mutex_unlock(&b->lock);
}

static bool damaged(struct tracy_blocks *b, const char *why)
{
    b->is_ended = true;
    b->damage = why;
    return false;
}

static bool next_block(struct tracy_blocks *b)
{
    str packed;
    b->is_ended |= b->at == b->file.n;
    if (b->is_ended)
        return false;
    if (b->n && b->last < TRACY_BLOCK_BYTES)
        return damaged(b, "a block that is not full is not the last one");
    const char *wrong = find_block(b, b->at, &packed);
    if (wrong)
        return damaged(b, wrong);
    b->last = b->n_decoders ? wait_for_block(b, b->n) : decode(b, b->n, packed);
    if (b->last == 0)
        return damaged(b, "a block cannot be decompressed");
    b->at += sizeof(uint32_t) + packed.n;
    hand_out(b);
    forget(b);
    return true;
}

bool tracy_blocks_next(struct tracy_blocks *b, str *text)
{
    if (!next_block(b))
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
