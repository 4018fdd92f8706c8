// cursor.h - a track in batches of columns.
//
// For a device track a batch is a slice of its zones in order of start. For a host track it
// is about one decoded block, so that a track of any length needs little memory: a batch
// and the open zones. There zones come in order of end, inner before outer ones: the zones
// inside a zone are the deeper ones before it, back to the first that is not deeper.
#ifndef TTP_TRACE_CURSOR_H
#define TTP_TRACE_CURSOR_H

#include "trace/trace.h"

// Attributes set while a zone was open; few zones have them.
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

// Valid until the cursor moves on.
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

// Several lanes may walk different tracks at a time, each with its own cursor.
struct trace_cursor;
struct trace_cursor *trace_cursor_new(const struct trace *t);
void trace_cursor_start(struct trace_cursor *c, uint32_t track);
const struct trace_batch *trace_cursor_next(struct trace_cursor *c); // NULL: end
void trace_cursor_free(struct trace_cursor *c);

// The attributes of a zone; empty if there are none.
static inline struct zone_said trace_said(const struct trace_batch *b, size_t zone)
{
    return b->said[zone] ? b->saids[b->said[zone] - 1] : (struct zone_said){0};
}

#endif
