// tracy_stream.h - what a Tracy client sends, made item by item: for tests of the capture.
#ifndef TTP_TESTS_SUPPORT_TRACY_STREAM_H
#define TTP_TESTS_SUPPORT_TRACY_STREAM_H

#include "base/text/buf.h"

#include "record/format/tracy_items.h"

struct tracy_stream {
    struct tracy_layouts layouts;
    struct buf items; // of the block that is being made
    struct buf bytes; // the stream so far, from the welcome on
    void *lz4;        // its history
    struct buf history;
};

// The welcome of program "demo": ticks are ns, time 0 is tick 1000, start-up ends at 2000.
void stream_start(struct tracy_stream *s, enum tracy_generation g, uint8_t flags);
void stream_free(struct tracy_stream *s);
// An item and its fields: enum tracy_field and uint64_t in turn, STREAM_END.
void stream_item(struct tracy_stream *s, enum tracy_item item, ...);
#define STREAM_END TRACY_FIELD_KINDS
// An item with a text behind its key; items without a key ignore it.
void stream_text(struct tracy_stream *s, enum tracy_item item, uint64_t key, str text);
// A text for the next item that takes one.
void stream_single(struct tracy_stream *s, str text);
// Begin and end of a zone, in the narrowest form; the times are differences.
void stream_begin(struct tracy_stream *s, uint64_t delta, uint64_t place);
void stream_end(struct tracy_stream *s, uint64_t delta);
// Ends the block.
void stream_block(struct tracy_stream *s);

#endif
