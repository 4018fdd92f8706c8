// out.h - what goes to a server: items, gathered into blocks, compressed, sent.
//
// Items refer to the time of the item before them on the same clock; all times given here
// are nanoseconds of CLOCK_MONOTONIC.
#ifndef TTP_RECORD_TRACY_OUT_H
#define TTP_RECORD_TRACY_OUT_H

#include <lz4.h>

#include "record/format/tracy_items.h"
#include "record/record.h"

#pragma GCC visibility push(hidden)

enum { OUT_TEXT_MOST = 65534 }; // bytes of a text in an item
// Blocks are compressed with the ones before them as dictionary, so those stay in memory.
enum { OUT_BYTES = 3 * TRACY_BLOCK_MOST };

struct recorder_out {
    struct tracy_layouts layouts;
    // Sends all bytes, or returns false: then everything after is dropped.
    bool (*send)(void *context, const void *bytes, size_t n);
    void *context;
    bool is_broken;
    uint32_t thread; // of the last THREAD_CONTEXT; 0: none yet
    int64_t times[TRACY_CLOCKS];
    uint8_t begin_numbers[3], end_numbers[3]; // of items with times of 2, 4 and 8 bytes
    uint32_t start, at;                       // of the block that is being filled
    uint64_t sent;                            // bytes
    LZ4_stream_t lz4;
    uint8_t plain[OUT_BYTES];
    uint8_t packed[sizeof(uint32_t) + TRACY_PACKED_MOST];
};

void recorder_out_start(struct recorder_out *o, enum tracy_generation generation);
// An item with all fields 0 and room for `tail` bytes after its fields, which may include
// the length.
uint8_t *recorder_out_item(struct recorder_out *o, enum tracy_item item, size_t tail);
void recorder_out_set(const struct recorder_out *o, uint8_t *item, enum tracy_field field,
                      uint64_t value);
void recorder_out_time(struct recorder_out *o, uint8_t *item, int64_t ns);
bool recorder_out_has(const struct recorder_out *o, enum tracy_item item);
// What follows belongs to this thread.
void recorder_out_thread(struct recorder_out *o, uint32_t tid);
void recorder_out_zone_begin(struct recorder_out *o, int64_t ns, uint64_t place);
void recorder_out_zone_end(struct recorder_out *o, int64_t ns);
// The text of the item that follows. Cut to OUT_TEXT_MOST.
void recorder_out_string(struct recorder_out *o, struct recorder_piece text);
void recorder_out_second_string(struct recorder_out *o, struct recorder_piece text);
// An answer: a key and a text.
void recorder_out_text(struct recorder_out *o, enum tracy_item item, uint64_t key,
                       struct recorder_piece text);
void recorder_out_flush(struct recorder_out *o);

#pragma GCC visibility pop
#endif
