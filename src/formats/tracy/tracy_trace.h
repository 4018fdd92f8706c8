// tracy_trace.h - the contents of a Tracy trace as a process of a trace: its threads,
// fibers and device lanes are tracks. Zones are not copied: the trace keeps the contents.
//
// Frames and plots, which belong to no thread, are events of the first one. What a trace
// has no place for is counted: callstacks, images, context switches, samples and symbols.
#ifndef TTP_FORMATS_TRACY_TRACY_TRACE_H
#define TTP_FORMATS_TRACY_TRACY_TRACE_H

#include "base/text/err.h"

#include "formats/tracy/tracy.h"
#include "trace/trace.h"

// The place of a captured process in a run.
struct tracy_in_run {
    uint64_t begin_ns; // on the axis: time 0 of the capture
    double error_ns;
    enum process_clock clock;
    uint32_t log;  // index in the process log; TRACE_NONE: not there
    bool is_alone; // no other process recorded: its threads keep their numbers
};
// Adds a process to a trace; in_run NULL: it is alone. Takes the contents over; the
// caller's struct is empty then.
void tracy_trace(struct trace *t, struct tracy *contents, const char *path,
                 const struct tracy_in_run *in_run);

// Is the file a .tracy file, by its first bytes? And of which generation?
bool tracy_is_at(const char *path);
bool tracy_generation_at(const char *path, enum tracy_generation *generation);
// The same from a file. False: the trace is unchanged.
bool tracy_trace_add(struct trace *t, const char *path, const struct tracy_in_run *in_run,
                     struct err *e);

// Where long lists go that do not fit in memory, and how many bytes are held there first:
// about 36 million zones.
const char *tracy_spill_folder(void);
#define TRACY_HELD_MOST (UINT64_C(1) << 30)

// The contents behind the host tracks of a file; NULL: they come from elsewhere, or the
// file is a part of a run.
const struct tracy *tracy_of_trace(const struct trace *t);
// The contents behind these trees of a trace; NULL: they come from elsewhere.
const struct tracy *tracy_of_trees(const struct trace_trees *trees);

#endif
