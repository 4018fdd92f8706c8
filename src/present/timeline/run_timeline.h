// run_timeline.h - the page of a run: what its processes recorded above what its chips did,
// on one axis.
#ifndef TTP_PRESENT_TIMELINE_RUN_TIMELINE_H
#define TTP_PRESENT_TIMELINE_RUN_TIMELINE_H

#include "analyse/fold/device_ops.h"
#include "analyse/notes.h"
#include "collect/sync/device_clocks.h"
#include "trace/host_run.h"

struct run_timeline {
    const char *path;                   // what the page is about, for its head
    struct trace *host;                 // NULL: nothing of the host is known
    const struct trace *log;            // of the chips, with zones; NULL: there is none
    const struct device_ops *ops;       // of the log
    const struct device_clocks *clocks; // NULL: chips are not aligned
    const uint32_t *pids;               // only these processes; n_pids 0: all
    size_t n_pids;
    uint64_t max_zones; // in full detail; 0: as many as usual
};

// notes: what the reader of the page must know; they stand in the page and are for the
// terminal as well.
bool run_timeline_write(const struct run_timeline *t, const char *path, struct notes *notes,
                        struct err *e);

#endif
