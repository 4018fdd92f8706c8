// host_words.h - words of host events as a ring holds them, and streams of their blocks.
#ifndef TTP_TESTS_HOST_WORDS_H
#define TTP_TESTS_HOST_WORDS_H

#include "base/data/vec.h"
#include "base/text/buf.h"

#include "record/format/block.h"
#include "trace/block_read.h"

struct host_words {
    VEC(uint64_t) v;
};

static inline void host_word(struct host_words *w, uint64_t word)
{
    vec_push(&w->v, word);
}

// The first word of an event; those that follow are put by host_word.
static inline void host_event(struct host_words *w, enum tt_host_event kind, uint64_t time)
{
    host_word(w, (uint64_t)kind << TT_TIME_BITS | (time & BLOCK_TIME_MASK));
}

static inline void host_begin(struct host_words *w, uint64_t time, uint64_t location)
{
    host_event(w, TT_ZONE_BEGIN, time);
    host_word(w, location);
}

static inline void host_end(struct host_words *w, uint64_t time)
{
    host_event(w, TT_ZONE_END, time);
}

static inline void host_text(struct host_words *w, enum tt_host_event kind, uint64_t time,
                             uint32_t attribute, str text)
{
    host_event(w, kind, time);
    host_word(w, (uint64_t)attribute << 32 | (uint32_t)text.n);
    for (size_t i = 0; i < text.n; i += 8) {
        uint64_t word = 0;
        memcpy(&word, text.p + i, text.n - i < 8 ? text.n - i : 8);
        host_word(w, word);
    }
}

// --- streams ---
static inline struct block_coder *host_coder(void)
{
    return mem_alloc(recorder_block_coder_bytes());
}

// Appends the blocks of words [from, to) of a ring.
static inline uint32_t host_pack(struct block_coder *c, struct block_source s,
                                 struct buf *out)
{
    uint32_t n_blocks = 0;
    for (; s.from < s.to; n_blocks++) {
        struct packed_block b = recorder_block_pack(c, &s);
        buf_str(out, (str){b.bytes, b.n});
        s.from = b.to;
        s.clock = b.clock;
    }
    return n_blocks;
}

static inline void host_stream_head(struct buf *out)
{
    struct tt_stream head = {.magic = TT_STREAM_MAGIC, .version = TT_RECORDING_VERSION};
    buf_str(out, (str){(const char *)&head, sizeof head});
}

#endif
