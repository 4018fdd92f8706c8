// host_run.h - what processes recorded: a run folder, opened. Processes, their threads and
// fibers as tracks; cursor.h goes through the events of each track.
//
// A run may still go on, its processes may have been killed: what is in the files is what
// there is. Zones without an end are closed at the last time that their process is known to
// have lived, and marked. All times are ns on one axis: since the run began
// (CLOCK_MONOTONIC of the manifest, else of the first process).
#ifndef TTP_TRACE_HOST_RUN_H
#define TTP_TRACE_HOST_RUN_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"

#include "trace/process_log.h"
#include "ttprof/recording.h"

struct host_location {
    uint32_t name;           // string: what it is called (function where it has no name)
    uint32_t function, file; // strings
    uint32_t line, colour;
};

enum host_track_kind { HOST_THREAD, HOST_FIBER };
struct host_track {
    uint32_t process; // index
    uint32_t kind;
    uint32_t tid, serial;
    uint32_t name;             // string; 0: none was given
    uint64_t start_ns, end_ns; // first and last event
    uint64_t n_events;         // in the files
    uint64_t lost[TT_LOSSES];
};

struct host_process {
    uint32_t pid, parent_pid;
    uint64_t birth;
    uint32_t log;                // index in the process log; HOST_NONE: not there
    uint32_t program, arguments; // strings
    uint64_t start_ns, end_ns;
    bool has_ended;   // regularly: nothing is missing
    int stream_error; // errno, 0: none
    int ring_error;   // of threads that got no ring; `lost` events were theirs
    uint64_t lost;
    VEC(uint32_t) tracks;
    double clock_error_ns; // of the conversion to the axis
};
#define HOST_NONE UINT32_MAX

struct host_run {
    struct arena arena;
    char *path;
    struct map strings;                  // id 0: empty
    VEC(struct host_location) locations; // of all processes; equal ones are one; 0: unknown
    VEC(struct host_process) processes;  // in order of their start
    VEC(struct host_track) tracks;       // by process, then by serial
    struct process_log log;
    uint64_t origin_ns; // CLOCK_MONOTONIC at axis 0
    uint64_t end_ns;    // last time on the axis
    struct diag diag;
    struct host_run_inner *inner; // mapped files and tables
};

// Is there a run, or a profiler folder with runs in it?
bool host_run_is_at(const char *path);
bool host_run_open(struct host_run *r, const char *path, struct err *e);
void host_run_close(struct host_run *r);
// r->diag, with what the walks so far have found on top of what the files tell.
const struct diag *host_run_findings(struct host_run *r);

// ns of a process's own clock (the one given to ttprof_use_clock) on the axis: for devices
// whose clock models speak of it. False: the process has no such clock.
bool host_run_program_time(const struct host_run *r, uint32_t process, uint64_t ns,
                           int64_t *axis_ns);

#endif
