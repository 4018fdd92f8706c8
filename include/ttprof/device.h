// device.h - access to a cluster of chips, as a table of functions.
//
// This is all the profiler's read-out knows about a device. The table is implemented by the
// software device (ttdev_access) and by a folder of dumps; a driver for real chips could,
// too. Functions return 0 or a negative errno; -ENOSYS: not supported by this device.
// `chip` is an index in 0 .. n_chips - 1. Returned pointers live as long as the device.
#ifndef TTPROF_DEVICE_H
#define TTPROF_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ttprof/layout.h"

enum tt_core_kind { TT_CORE_WORKER, TT_CORE_ETH, TT_CORE_DISPATCH };

// A core that the profiler reads.
struct tt_core {
    int16_t x, y;   // NOC 0
    int16_t vx, vy; // virtual
    int16_t lx, ly; // logical; for an Ethernet core: channel, 0
    int16_t flat;   // profiler flat id
    uint8_t kind;   // enum tt_core_kind
    uint8_t n_riscs;
    uint32_t control, buffers; // L1 addresses of the control vector and the L1 vectors
};

struct tt_chip {
    int id;                // as printed: "PCIe slot"
    int arch;              // TT_WORMHOLE, TT_BLACKHOLE
    const char *arch_name; // "wormhole_b0"
    double hz;             // nominal, as a driver reports it
    int grid_x, grid_y;    // logical worker grid
    const char
        *dispatch;    // "slow" or "fast", which decides how large it is; NULL: not known
    int noc_x, noc_y; // size of the NoC grid
    // Workers in order of the logical grid (row by row), then linked Ethernet cores by
    // channel, then the dispatch cores that run kernels.
    const struct tt_core *cores;
    size_t n_cores;
    int n_banks, cores_per_bank, processors; // processors: regions per core
    uint64_t dram_base, dram_bytes;          // the profiler's part of every bank
    bool is_remote;                          // reached through another chip
    uint32_t counter_groups; // bit per enum tt_perf_group with counters; 0: not known
};

struct tt_link { // one direction of an Ethernet link
    int chip, channel, peer_chip, peer_channel;
};

// A marker location and the id that the loader gave it.
struct tt_zone {
    uint32_t id, line;
    const char *name, *file;
};

// --- device events, reported as they happen --------------------------------------------
enum tt_event_kind {
    TT_EVENT_LAUNCH,      // before the first access of a launch; also inside a replay
    TT_EVENT_TRACE_BEGIN, // recording of a trace begins
    TT_EVENT_TRACE_END,
    TT_EVENT_TRACE_REPLAY,  // before REPLAY_TRACE is signalled
    TT_EVENT_ALLOC,         // a buffer was allocated ...
    TT_EVENT_FREE,          // ... or freed
    TT_EVENT_TRACE_RELEASE, // the trace will not be replayed again
};
struct tt_event {
    int kind, chip;
    int trace;           // -1: none. For a launch: the trace being recorded or replayed
    bool is_replay;      // a launch inside a replay
    uint32_t program;    // run id
    uint32_t n_programs; // of a trace that is replayed without launches; 0: they follow
    const char *name;    // of the program or buffer
    const char *pool;    // of a buffer: "DRAM", "L1", ...
    uint64_t address, bytes;
    int sub_device, sub_device_manager; // -1: none
};
typedef void (*tt_event_hook)(void *context, const struct tt_event *event);

// A kernel launched by the profiler itself: image name, one core, arguments.
struct tt_kernel {
    const char *image;
    int risc;    // TT_BRISC .. TT_TRISC2; TT_RISCS for an Ethernet core
    size_t core; // index in tt_chip.cores
    const uint32_t *args;
    size_t n_args;
};

struct tt_access {
    void *device;
    int n_chips;
    int (*get_chip)(void *device, int chip, struct tt_chip *out);
    size_t (*n_links)(void *device);
    int (*get_link)(void *device, size_t i, struct tt_link *out);
    size_t (*n_zones)(void *device); // grows as images are loaded
    int (*get_zone)(void *device, size_t i, struct tt_zone *out);
    // From NOC 0, NOC 1 or virtual coordinates (0, 1, 2) to NOC 0.
    int (*to_noc0)(void *device, int chip, int from, int x, int y, int *out_x, int *out_y);

    int (*l1_read)(void *device, int chip, const struct tt_core *core, uint32_t address,
                   void *data, size_t bytes);
    int (*l1_write)(void *device, int chip, const struct tt_core *core, uint32_t address,
                    const void *data, size_t bytes);
    int (*dram_read)(void *device, int chip, int bank, uint64_t address, void *data,
                     size_t bytes);
    int (*register_read)(void *device, int chip, const struct tt_core *core,
                         uint32_t address, uint32_t *value);
    int (*register_write)(void *device, int chip, const struct tt_core *core,
                          uint32_t address, uint32_t value);

    // Waits until all programs are done: 0, -ETIMEDOUT, -EDEADLK, -EFAULT.
    int (*wait)(void *device, int chip, uint64_t timeout_ns);
    // True until the core answers DONE.
    bool (*is_busy)(void *device, int chip, const struct tt_core *core);
    // Called inside waits when only a host write can let a chip continue, and every ms of
    // device time; returns 1 if it wrote something. NULL: no hook.
    int (*on_quiet)(void *device, int (*hook)(void *context, int chip), void *context);
    int (*on_event)(void *device, tt_event_hook hook, void *context);
    // Starts kernels without calling the event hook; `wait` waits for them.
    int (*launch)(void *device, int chip, const struct tt_kernel *kernels, size_t n,
                  uint32_t run_id);

    // Ends the kernels of dispatch cores, whose last markers come with their end; programs
    // cannot be launched any more. -ENOSYS, or NULL: there are none.
    int (*end_dispatch)(void *device, int chip);
    // After a wait that failed: programs queued behind the one that did not end. NULL: the
    // device has no queues.
    size_t (*n_not_started)(void *device, int chip);

    uint64_t (*host_ns)(void *device); // the clock of host times
    int (*sleep_ns)(void *device, uint64_t ns);
    const char *(*error)(void *device); // why the last call failed; "" if unknown
};

#endif
