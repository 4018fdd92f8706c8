// block_read.h - reads the blocks of a stream: finds the whole ones, also after damage and
// at the cut end of a stream still being written, and restores the ring words of a block.
#ifndef TTP_TRACE_BLOCK_READ_H
#define TTP_TRACE_BLOCK_READ_H

#include "base/text/str.h"

#include "record/format/block.h"
#include "ttprof/recording.h"

enum block_step {
    BLOCK_WHOLE,   // found a block
    BLOCK_DAMAGED, // bytes before the next block are not a block
    BLOCK_LAST     // no further block
};
struct block_cursor {
    str stream;            // the whole file, header included
    size_t at;             // start with 0
    struct tt_block block; // BLOCK_WHOLE: the block, and its payload in the stream
    str payload;
    uint64_t skipped; // bytes skipped by this step (DAMAGED and LAST)
};
enum block_step block_next(struct block_cursor *c);

// True if the file has a stream header. A shorter file may still get one.
bool block_stream_is_one(str stream);

// One per thread: room for a block and its codes.
struct block_reader *block_reader_new(void);
void block_reader_free(struct block_reader *r);

// The to - from words of a block found by block_next; valid until the next call. Times are
// as in the ring except for the low bits that blocks do not keep. Words that are not an
// event are returned too: see block_event_words. NULL: the payload is damaged.
const uint64_t *block_read(struct block_reader *r, const struct tt_block *b, str payload);

#endif
