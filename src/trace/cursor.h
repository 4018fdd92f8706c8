// cursor.h - a track in batches of columns.
//
// Of a device track a batch is a slice of its zones, which come as they start. Of a host
// track it is about what a decoded block holds, so that a track of any length takes little
// memory: a batch, and the zones that are open. There zones come as they end, inner ones
// before outer ones: what lies inside of a zone are the zones before it that are deeper, up
// to the first one that is not.
#ifndef TTP_TRACE_CURSOR_H
#define TTP_TRACE_CURSOR_H

#include "trace/trace.h"

// What few zones have: said while they were open.
struct zone_said {
    str text, name; // as given; empty: none
    bool has_value;
    uint64_t value;
    uint32_t colour; // 0: none
};

struct trace_event {         // everything that is not a zone
    enum tt_host_event kind; // ttprof/recording.h
    uint64_t time;
    uint32_t n_zones; // of the batch that ended before it
    uint32_t attribute;
    str text;         // MESSAGE, SIGNPOST, OP
    uint64_t a, b, c; // the event's words: strings and sites are those of the trace
};

enum { ZONE_OPEN = 1 }; // flags: had no end

// Everything in it is valid until the cursor goes on.
struct trace_batch {
    size_t n_zones;
    const uint64_t *start, *end; // cycles on a device, ns on the host
    const uint32_t *site;
    const uint16_t *depth;
    const uint8_t *flags;
    // on a device
    const uint32_t *run;
    // on the host
    const uint64_t *children; // ns in zones directly inside
    const uint32_t *said;     // index + 1 in `saids`; 0: nothing
    const struct zone_said *saids;
    size_t n_events;
    const struct trace_event *events;
};

// Tracks may be walked by several lanes at a time, each track by one with its own cursor.
struct trace_cursor;
struct trace_cursor *trace_cursor_new(const struct trace *t);
void trace_cursor_start(struct trace_cursor *c, uint32_t track);
const struct trace_batch *trace_cursor_next(struct trace_cursor *c); // NULL: that was all
void trace_cursor_free(struct trace_cursor *c);

// What was said of a zone; empty where nothing was.
static inline struct zone_said trace_said(const struct trace_batch *b, size_t zone)
{
    return b->said[zone] ? b->saids[b->said[zone] - 1] : (struct zone_said){0};
}

#endif
