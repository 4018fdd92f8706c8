// block_read.h - reads the blocks of a stream: finds the whole ones, also behind damage and
// at the cut end of a stream that is still written, and gives back the words of the ring
// that a block stands for.
#ifndef TTP_TRACE_BLOCK_READ_H
#define TTP_TRACE_BLOCK_READ_H

#include "base/text/str.h"

#include "record/format/block.h"
#include "ttprof/recording.h"

enum block_step {
    BLOCK_WHOLE,   // here is one
    BLOCK_DAMAGED, // bytes before the next block are none
    BLOCK_LAST     // there is no further one
};
struct block_cursor {
    str stream;            // all of the file, header included
    size_t at;             // begin with 0
    struct tt_block block; // BLOCK_WHOLE: it, and its payload in the stream
    str payload;
    uint64_t skipped; // bytes that are no block: DAMAGED and LAST, of this step
};
enum block_step block_next(struct block_cursor *c);

// Has the file the header of a stream? A shorter one may still get it.
bool block_stream_is_one(str stream);

// One per thread: room for a block and its codes.
struct block_reader;
struct block_reader *block_reader_new(void);
void block_reader_free(struct block_reader *r);

// The words of a block that block_next found, to - from of them; valid until the next call.
// Times are as in the ring but for the low bits that the block does not keep. Words that
// are no event are given back as well: see block_event_words. NULL: the payload is damaged.
const uint64_t *block_read(struct block_reader *r, const struct tt_block *b, str payload);

#endif
