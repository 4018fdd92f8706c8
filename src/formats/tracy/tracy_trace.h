// tracy_trace.h - the contents of a Tracy trace as a trace: one process whose threads,
// fibers and device lanes are tracks. Zones are not copied: the trace keeps the contents.
//
// Frames and plots, which belong to no thread, are events of the first one. What a trace
// has no place for is counted: callstacks, images, context switches, samples and symbols.
#ifndef TTP_FORMATS_TRACY_TRACY_TRACE_H
#define TTP_FORMATS_TRACY_TRACY_TRACE_H

#include "base/text/err.h"

#include "formats/tracy/tracy.h"
#include "trace/trace.h"

// Adds host tracks to a trace that has none. Takes the contents over; the caller's struct
// is empty then.
void tracy_trace(struct trace *t, struct tracy *contents, const char *path);

// Is the file a .tracy file, by its first bytes? And of which generation?
bool tracy_is_at(const char *path);
bool tracy_generation_at(const char *path, enum tracy_generation *generation);
// The same from a file. False: the trace is unchanged.
bool tracy_trace_add(struct trace *t, const char *path, struct err *e);

// Where long lists go that do not fit in memory, and how many bytes are held there first:
// about 36 million zones.
const char *tracy_spill_folder(void);
#define TRACY_HELD_MOST (UINT64_C(1) << 30)

// The contents behind the host tracks; NULL: they come from elsewhere.
const struct tracy *tracy_of_trace(const struct trace *t);

#endif
