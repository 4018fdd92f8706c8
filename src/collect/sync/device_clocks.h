// device_clocks.h - .logs/device_clocks.json: the chips' clocks relative to the
// host's, so that later readers of the device log can put both on one axis.
//
// {"pid": 4711, "attachment": 1, "attached_ns": ..., "programs": [1, 12], "traces": [0, 1],
// "host_clock": "program" or "monotonic", "chips": [{"id": 0, "synced": true,
// "nominal_ghz": 1.0, "error_ns": 12.5, "epochs": [{"cycle": ..., "cycle_fraction": ...,
// "host": ..., "host_fraction": ..., "cycles_per_ns": ..., "rate_error": ..., "error_ns":
// ..., "reach_ns": ..., "residual_ns": ...}, ...], "cores": [[1, 2, 0, 1], ...]}, ...]}
//
// cores: position on NoC 0, then in the logical grid.
//
// host_clock: the clock of the epochs' nanoseconds. "program" is the one that the process
// passed to ttprof_use_clock, "monotonic" is CLOCK_MONOTONIC. An unknown error is null.
#ifndef TTP_COLLECT_SYNC_DEVICE_CLOCKS_H
#define TTP_COLLECT_SYNC_DEVICE_CLOCKS_H

#include "base/text/err.h"

#include "trace/clock_model.h"
#include "trace/trace.h"

struct clock_core {
    int32_t x, y, logical_x, logical_y;
};
struct device_clock {
    int64_t chip; // id
    struct clock_model model;
    VEC(struct clock_core) cores; // what logs do not say
};
struct device_clocks {
    uint32_t pid;         // process that used the chips; 0: not recorded
    uint32_t attachment;  // of that process, from 1
    uint64_t attached_ns; // CLOCK_MONOTONIC
    // Numbers of its programs and traces, from the first to before the end; 0, 0: none.
    struct clocks_numbers {
        uint32_t first, end;
    } programs, traces;
    bool is_program_clock;
    VEC(struct device_clock) chips;
};

// On false there is nothing to free; e says what and where.
bool device_clocks_read(struct device_clocks *c, const char *path, struct err *e);
bool device_clocks_write(const struct device_clocks *c, const char *path, struct err *e);
void device_clocks_free(struct device_clocks *c); // frees the models, too
// The clock of a chip; NULL: not in the file.
const struct clock_model *device_clocks_find(const struct device_clocks *c, int64_t chip);
// The devices of one log of the trace get their clocks, which stay those of `c`, their
// process, and the logical positions of their cores.
void device_clocks_attach(const struct device_clocks *c, struct trace *t, uint32_t log);

#endif
