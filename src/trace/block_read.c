// block_read.c - finds the whole blocks of a stream. Nothing in it is trusted.
#include "trace/block_read.h"

#include "base/data/mem.h"

// --- finding blocks ---
bool block_stream_is_one(str stream)
{
    struct tt_stream head;
    if (stream.n < sizeof head)
        return false;
    memcpy(&head, stream.p, sizeof head);
    return head.magic == TT_STREAM_MAGIC && head.version == TT_RECORDING_VERSION;
}

// True if there is a whole block at this position of the stream.
static bool block_at(const struct block_cursor *c, size_t at, struct tt_block *b)
{
    size_t rest = c->stream.n - at;
    if (rest < sizeof *b)
        return false;
    memcpy(b, c->stream.p + at, sizeof *b);
    return block_is_sound(b) && b->packed <= rest - sizeof *b &&
           b->sum == block_sum(b, c->stream.p + at + sizeof *b);
}

// The position of the next block, or the end of the stream.
static size_t block_search(const struct block_cursor *c, size_t at)
{
    static const uint32_t magic = TT_BLOCK_MAGIC;
    struct tt_block b;
    while (at < c->stream.n) {
        const char *found =
            memmem(c->stream.p + at, c->stream.n - at, &magic, sizeof magic);
        if (!found)
            break;
        at = (size_t)(found - c->stream.p);
        if (block_at(c, at, &b))
            return at;
        at++;
    }
    return c->stream.n;
}

enum block_step block_next(struct block_cursor *c)
{
    c->skipped = 0;
    if (c->at == 0 && block_stream_is_one(c->stream))
        c->at = sizeof(struct tt_stream);
    if (c->at < c->stream.n && block_at(c, c->at, &c->block)) {
        c->payload = (str){c->stream.p + c->at + sizeof c->block, c->block.packed};
        c->at += sizeof c->block + c->block.packed;
        return BLOCK_WHOLE;
    }
    size_t next = block_search(c, c->at);
    c->skipped = next - c->at;
    c->at = next;
    return next < c->stream.n ? BLOCK_DAMAGED : BLOCK_LAST;
}

// --- reading one ---
struct block_reader *block_reader_new(void)
{
    return mem_alloc(recorder_block_reader_bytes());
}

void block_reader_free(struct block_reader *r)
{
    mem_free(r);
}

const uint64_t *block_read(struct block_reader *r, const struct tt_block *b, str payload)
{
    return payload.n == b->packed ? recorder_block_unpack(r, b, payload.p) : NULL;
}
