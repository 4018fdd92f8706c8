// tracy_from.h - a trace as the contents of a Tracy trace: host threads and fibers with
// everything they recorded, and the zones of devices, if they were paired. Threads of
// several processes share one list; then their names begin with that of the process.
#ifndef TTP_FORMATS_TRACY_TRACY_FROM_H
#define TTP_FORMATS_TRACY_TRACY_FROM_H

#include "formats/tracy/tracy.h"
#include "trace/trace.h"

struct tracy_from_how {
    enum tracy_generation generation;
    // Gives op messages and texts of op zones ids that are unique in the run; the result is
    // valid until the next call. NULL: they are unique.
    str (*unique)(void *context, uint32_t process, uint64_t time, bool is_zone, str text);
    void *context;
};
// *to was started and is empty.
void tracy_from_trace(struct tracy *to, const struct trace *from,
                      struct tracy_from_how how);

// A message as tt-metal's readers expect it: signposts and op records in backticks, with
// inner ones doubled. Records may already be wrapped.
void tracy_put_message(struct buf *b, enum tt_host_event kind, str text);

#endif
