// profiler.h - the device profiler for host programs: attach to a device, read, dump,
// detach. A C API that follows tt-metal's names.
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
// Other kinds of devices are described by a table of functions (ttprof/device.h) and
// attached with ttprof_profiler_attach. Link with -lttprof-runtime.
//
// Every call is a no-op (and succeeds) if profiling is off. Calls return 0 or a negative
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

// What the options in the environment require of a device before it is opened.
struct ttprof_device_needs {
    bool is_enabled;                       // false: no requirements
    int variant;                           // of images: 1 with markers, 2 with NoC events
    uint32_t region_bytes, region_buffers; // the profiler's part of every DRAM bank
};
int ttprof_profiler_needs(struct ttprof_device_needs *out, char err[256]);

// Takes options from the environment. Writes the control vectors; syncs if enabled.
int ttprof_profiler_attach(const struct tt_access *access, ttprof_profiler **out,
                           char err[256]);
// Reads, syncs, dumps everything, frees. The device stays open.
int ttprof_profiler_detach(ttprof_profiler *p);
const char *ttprof_profiler_error(const ttprof_profiler *p);

// ReadMeshDeviceProfilerResults / ttnn.ReadDeviceProfiler: all chips.
int ttprof_read_mesh_profiler_results(ttprof_profiler *p, int state);
int ttprof_read_device_profiler(ttprof_profiler *p); // same, NORMAL
// ReadDeviceProfilerResults: one chip.
int ttprof_read_device_profiler_results(ttprof_profiler *p, int chip, int state);
// Writes what was read but not yet written.
int ttprof_dump_results(ttprof_profiler *p);
// For training: marker op, read if requested, marker op. `marker_op` launches one.
int ttprof_read_results(ttprof_profiler *p, int chip, const char *name, bool dump_results,
                        int n_noops, int state, int (*marker_op)(void *context, int chip),
                        void *context);
// A buffer on a chip was allocated or freed; `pool` is DRAM, L1, SYSTEM_MEMORY, L1_SMALL or
// TRACE. Recorded with TT_METAL_MEM_PROFILER=1, also without profiling; in
// memory_records.csv.
int ttprof_memory_record(ttprof_profiler *p, int chip, const char *pool, const char *name,
                         uint64_t address, uint64_t bytes, bool is_alloc);
int ttprof_fresh_device_log(ttprof_profiler *p); // deletes the CSV files
int ttprof_set_profiler_dir(ttprof_profiler *p, const char *folder);

// --- perf data: available only with MID_RUN_DUMP and CPP_POST_PROCESS --------------------
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
// Sorted by firmware span; valid until the next read or dump.
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
