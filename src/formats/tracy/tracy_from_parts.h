// tracy_from_parts.h - contents of a Tracy trace that are being made from a trace.
#ifndef TTP_FORMATS_TRACY_TRACY_FROM_PARTS_H
#define TTP_FORMATS_TRACY_TRACY_FROM_PARTS_H

#include "base/text/buf.h"

#include "formats/tracy/tracy_from.h"
#include "trace/cursor.h"

struct from_event {
    uint64_t time;
    enum tt_host_event kind;
    uint32_t thread, process; // indexes
    uint32_t attribute;
    uint32_t text; // of the contents, of a message
    uint64_t a, b, c;
};
struct from_making {
    struct tracy *to;
    const struct trace *from;
    struct tracy_from_how how;
    VEC(struct from_event) events; // of all threads
    struct buf text;
};

// The key of a text of the trace; 0: the empty one.
uint64_t from_key(struct from_making *m, uint32_t string);
// tracy_from_zones.c
void from_thread(struct from_making *m, struct trace_cursor *c, uint32_t track);
// tracy_from_events.c
void from_take_event(struct from_making *m, const struct trace_event *ev, uint32_t track);
void from_put_events(struct from_making *m);
// tracy_from_devices.c
void from_put_devices(struct from_making *m);
uint16_t from_use_thread(struct tracy *to, uint64_t lane); // its number; 0: no room
// tracy_from_lanes.c
void from_put_lanes(struct from_making *m);
// tracy_from_memory.c: events from..to, all of memory or of locks, by time.
void from_put_memory(struct from_making *m, const struct from_event *v, size_t n);
void from_put_locks(struct from_making *m, const struct from_event *v, size_t n);

#endif
