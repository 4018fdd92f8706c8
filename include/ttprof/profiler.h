// profiler.h - the device profiler as a host program uses it: attach it to a device, read,
// dump, detach. C API with the meanings of the names that tt-metal users know.
//
//     #include <stdio.h>
//     #include <ttprof/profiler.h>
//     #include <ttprof/runtime.h>
//
//     int main(void) // with TT_METAL_DEVICE_PROFILER=1
//     {
//         static float values[64 * 64];
//         char why[256];
//         ttrt *m = ttrt_open("arch=wormhole", why); // attaches the profiler
//         if (!m)
//             return puts(why);
//         ttrt_tensor *a = ttrt_from_host(m, values, ttrt_spec2(64, 64), "a");
//         ttrt_unary(m, TTRT_RELU, a, NULL);
//         ttrt_synchronise(m);
//         if (ttprof_read_device_profiler(ttrt_profiler(m)) < 0)
//             puts(ttprof_profiler_error(ttrt_profiler(m)));
//         return ttrt_close(m) < 0; // reads the rest, writes all files
//     }
//
// A device of another kind is described by a table of functions (ttprof/device.h) and
// attached with ttprof_profiler_attach. Link with -lttprof-runtime.
//
// Every call is a no-op (and succeeds) when profiling is off. Calls return 0 or a negative
// errno; ttprof_profiler_error says why.
#ifndef TTPROF_PROFILER_H
#define TTPROF_PROFILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ttprof/device.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ttprof_profiler ttprof_profiler;

enum ttprof_read_state { TTPROF_READ_NORMAL, TTPROF_READ_LAST, TTPROF_READ_ONLY_DISPATCH };

// What the environment's options need of a device before it is opened.
struct ttprof_device_needs {
    bool is_enabled;                       // false: nothing
    int variant;                           // of images: 1 with markers, 2 with NoC events
    uint32_t region_bytes, region_buffers; // the profiler's part of every DRAM bank
};
int ttprof_profiler_needs(struct ttprof_device_needs *out, char err[256]);

// Options come from the environment. Writes the control vectors; with sync on, syncs.
int ttprof_profiler_attach(const struct tt_access *access, ttprof_profiler **out,
                           char err[256]);
// Reads, syncs, dumps everything, frees. The device stays open.
int ttprof_profiler_detach(ttprof_profiler *p);
const char *ttprof_profiler_error(const ttprof_profiler *p);

// ReadMeshDeviceProfilerResults / ttnn.ReadDeviceProfiler: all chips.
int ttprof_read_mesh_profiler_results(ttprof_profiler *p, int state);
int ttprof_read_device_profiler(ttprof_profiler *p); // the same, NORMAL
// ReadDeviceProfilerResults: one chip.
int ttprof_read_device_profiler_results(ttprof_profiler *p, int chip, int state);
// Writes what was read and not written yet.
int ttprof_dump_results(ttprof_profiler *p);
// The training helper: marker op, read when asked to, marker op. `marker_op` launches it.
int ttprof_read_results(ttprof_profiler *p, int chip, const char *name, bool dump_results,
                        int n_noops, int state, int (*marker_op)(void *context, int chip),
                        void *context);
// A buffer on a chip was made or given back; `pool` is DRAM, L1, SYSTEM_MEMORY, L1_SMALL or
// TRACE. Kept with TT_METAL_MEM_PROFILER=1, also without profiling; in memory_records.csv.
int ttprof_memory_record(ttprof_profiler *p, int chip, const char *pool, const char *name,
                         uint64_t address, uint64_t bytes, bool is_alloc);
int ttprof_fresh_device_log(ttprof_profiler *p); // deletes the CSV files
int ttprof_set_profiler_dir(ttprof_profiler *p, const char *folder);

// --- perf data: needs MID_RUN_DUMP and CPP_POST_PROCESS, else there is none --------------
#define TTPROF_NONE (UINT64_C(1) << 63)
struct ttprof_analysis {
    const char *name;                 // "DEVICE FW DURATION [ns]", ...
    uint64_t start, end, duration_ns; // UINT64_MAX, 0, 0: not measured
};
struct ttprof_program_perf {
    uint64_t runtime_id, trace_id, trace_counter; // TTPROF_NONE: none
    const struct ttprof_analysis *analyses;
    size_t n_analyses;
    uint32_t n_cores, n_available_cores;
};
// Ordered by the firmware span; valid until the next read or dump.
int ttprof_latest_programs_perf_data(ttprof_profiler *p, int chip,
                                     const struct ttprof_program_perf **out, size_t *n);
int ttprof_all_programs_perf_data(ttprof_profiler *p, int chip,
                                  const struct ttprof_program_perf **out, size_t *n);
struct ttprof_duration_summary {
    uint64_t count, min_ns, max_ns;
    double avg_ns;
    uint64_t bucket_start, bucket_width, underflow, overflow;
    const uint64_t *buckets;
    size_t n_buckets;
};
int ttprof_kernel_duration_summary(ttprof_profiler *p, int chip, bool latest, uint64_t min,
                                   uint64_t max, size_t buckets,
                                   struct ttprof_duration_summary *out);

#ifdef __cplusplus
}
#endif
#endif
