// health.h - profiler_health.json: losses, findings and unfinished zones by chip, core and
// RISC.
//
// The format is the same for a device and a log. Values the source cannot know are null: a
// log does not say what a device lost, a device has no lines.
#ifndef TTP_PROFILER_HEALTH_H
#define TTP_PROFILER_HEALTH_H

#include "base/text/err.h"

#include "analyse/fold/device_ops.h"
#include "collect/readout/collection.h"

enum health_source { HEALTH_OF_LOG = 1, HEALTH_OF_DEVICE = 2 };

// A kind of finding on a RISC.
struct health_odd {
    int kind;
    uint64_t count;
    uint64_t line; // of the first; 0: not known
};

// A RISC with findings.
struct health_track {
    uint32_t pid, attachment; // whose log it is from; 0: there is only one log
    int64_t chip, x, y;
    str risc;
    struct risc_health counts; // of a log: markers, orphans and duplicates
    uint64_t zones;
    struct health_odd *odd; // each kind once
    size_t n_odd;
};

// A core that pushed markers to DRAM, or that has findings.
struct health_core {
    int64_t chip, x, y;
    struct core_health health;
};

struct health {
    enum health_source source;
    struct arena arena; // owns what tracks point to
    const char *log;
    const struct diag *diag;
    uint64_t queue_drains; // waits of the profiler for all programs of a chip
    uint64_t readouts, rows, markers, zones, ops, incomplete_ops;
    uint64_t programs_not_started; // queued behind one that did not end
    uint64_t l1_dropped, dram_dropped;
    bool is_counted; // false: some core does not count losses, so there may be more
    bool is_lossy;   // the device reports losses
    uint64_t unknown_replays;
    bool is_aligned;                           // all chips are synced with the host
    uint64_t flushes, flush_cycles, flush_max; // the profiler's own work
    VEC(struct health_track) tracks;
    struct {
        uint64_t tracks, markers, zones;
    } clean; // RISCs without findings
    VEC(struct health_core) cores;
};

bool health_write(const struct health *h, const char *path, struct err *e);
void health_free(struct health *h);

// The health of a log.
bool health_write_log(const struct trace *t, const struct device_ops *ops, const char *path,
                      struct err *e);
// The health of everything read from devices so far (collection_health.c); the caller sets
// log, rows and ops.
void health_of_collection(struct health *h, const struct collection *c);

#endif
