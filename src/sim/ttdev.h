// ttdev.h - the software device: a cluster of 1..32 chips that run real RV32IM machine
// code with exact and reproducible cycle counts.
//
// Functions return 0 or a negative errno. They never exit the process, install signal
// handlers or keep state outside the cluster, and start threads only if threads > 1.
// Every call checks device, core (harvested or missing: -ENODEV), range and alignment
// (-EINVAL); a length of zero succeeds. Device time moves only inside these calls.
#ifndef TTP_SIM_TTDEV_H
#define TTP_SIM_TTDEV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text/err.h"

#include "ttprof/device.h"
#include "ttprof/layout.h"

typedef struct ttdev ttdev;
typedef struct ttdev_image ttdev_image;     // an ELF image, decoded once, shared by cores
typedef struct ttdev_program ttdev_program; // kernels, circular buffers, semaphores, args

typedef struct ttdev_xy {
    int x, y;
} ttdev_xy;

enum { TTDEV_MAX_CHIPS = 32 };
enum ttdev_space { TTDEV_LOGICAL, TTDEV_NOC0, TTDEV_NOC1, TTDEV_VIRTUAL };
enum ttdev_board { TTDEV_N150, TTDEV_N300, TTDEV_GALAXY, TTDEV_P100, TTDEV_P150 };
enum ttdev_links {
    TTDEV_LINKS_DEFAULT,
    TTDEV_LINKS_RING,
    TTDEV_LINKS_LINE,
    TTDEV_LINKS_NONE,
    TTDEV_LINKS_FILE
};
enum ttdev_variant { TTDEV_OFF, TTDEV_PROF, TTDEV_FULL }; // of firmware and kernels
enum ttdev_clock_mode { TTDEV_DET, TTDEV_WARP };
enum ttdev_dispatch { TTDEV_DISPATCH_AUTO, TTDEV_DISPATCH_FAST, TTDEV_DISPATCH_SLOW };

// --- configuration ---------------------------------------------------------------------
typedef struct ttdev_cfg {
    int arch;  // TT_WORMHOLE, TT_BLACKHOLE
    int board; // enum ttdev_board
    int n_devices;
    // Chips that are opened, by their number on the board, ascending; they are devices 0,
    // 1,
    // ... then. n_visible 0: all.
    int visible[TTDEV_MAX_CHIPS], n_visible;
    int links; // enum ttdev_links
    char links_file[256];
    uint32_t harvest[TTDEV_MAX_CHIPS]; // WH: bit per Tensix row; BH: bit per Tensix column
    double hz;                         // 0: the chip's nominal clock
    double ppm[TTDEV_MAX_CHIPS];
    double drift_ppm_s;
    uint64_t boot_cycles[TTDEV_MAX_CHIPS];
    uint64_t clock_after[TTDEV_MAX_CHIPS]; // by device: seeded clocks start after this
    bool harvest_is_set, ppm_is_set, boot_is_set; // else board default / seeded
    uint32_t tile_skew;
    unsigned quantum; // cycles per window: 8, 16 or 32; does not change results
    unsigned threads;
    int clock_mode; // enum ttdev_clock_mode
    uint32_t host_read_ns, host_write_ns, host_jitter_ns;
    double host_bytes_per_ns;
    int dispatch;        // enum ttdev_dispatch
    uint32_t cqs;        // command queues of fast dispatch
    uint32_t ring_bytes; // of worker L1, for the programs of fast dispatch
    uint32_t host_enqueue_ns, host_poll_ns;
    double host_copy_bytes_per_ns; // into the command queues
    uint64_t seed;
    char costs_file[256]; // empty: the table of costs.h
    int variant;          // enum ttdev_variant
    bool numerics, strict, icache, l0, poison, park;
    uint64_t dram_cap; // DRAM bytes that may be touched; 0: no limit
    // The profiler's part of every bank: bytes per RISC, and how many copies of them all.
    uint32_t region_bytes, region_buffers;
} ttdev_cfg;

void ttdev_cfg_default(ttdev_cfg *cfg);
// "key=value key=value ...", separated by blanks, commas or newlines. A list with one value
// per device is separated by ':'. The error for an unknown key suggests the nearest one.
int ttdev_cfg_parse(ttdev_cfg *cfg, const char *text, struct err *e);

// The value of TT_VISIBLE_DEVICES, "0,2": which chips of the board are opened. NULL or
// empty: all. A chip that the board does not have is an error of ttdev_open.
int ttdev_cfg_visible(ttdev_cfg *cfg, const char *list, struct err *e);

// Turns dispatch=auto into fast where the device can, which is what users get; ttdev_open
// alone takes auto as slow. `slow_mode` is the value of TT_METAL_SLOW_DISPATCH_MODE: any
// value means slow.
void ttdev_cfg_choose_dispatch(ttdev_cfg *cfg, const char *slow_mode);

int ttdev_open(const ttdev_cfg *cfg, ttdev **out, struct err *e); // boots all chips
void ttdev_close(ttdev *t);

// --- what there is ---------------------------------------------------------------------
typedef struct ttdev_info {
    int arch, board, n_devices;
    const char *arch_name, *board_name; // "wormhole_b0", "n150"
    ttdev_xy grid;                      // logical workers that programs may use
    const char *dispatch_name; // "slow": the host launches programs; "fast": cores do
    // Command queues of a chip. 0: a launch waits until the host has written it to all
    // cores; else it returns at once, and programs run in order.
    int n_queues;
    int n_workers, n_eth; // n_workers: of the grid; n_eth: tiles with a link
    int n_banks;
    uint64_t bank_bytes;           // without those that fast dispatch keeps at the end
    uint64_t dram_buffers;         // first byte for programs in every bank
    uint64_t profiler_bytes;       // in every bank, before the program buffers
    uint32_t l1_bytes, l1_buffers; // l1_buffers: first byte for programs
    double hz;                     // nominal
    uint32_t harvest;
    int n_flat, cores_per_bank; // profiler flat ids and their distribution over the banks
} ttdev_info;
int ttdev_get_info(ttdev *t, int dev, ttdev_info *info);
// Whether the device models a performance counter, by its number in
// ttprof/perf_counters.h.
bool ttdev_has_counter(int arch, int counter);
int ttdev_xlat(ttdev *t, int dev, ttdev_xy in, int from, int to, ttdev_xy *out);
int ttdev_flat_id(ttdev *t, int dev, ttdev_xy noc0); // profiler flat id or -ENODEV
int ttdev_eth_tile(ttdev *t, int dev, int channel, ttdev_xy *noc0);
// The other end of a link; -ENOLINK if there is none.
int ttdev_eth_peer(ttdev *t, int dev, int channel, int *peer_dev, int *peer_channel);

// --- memory and registers --------------------------------------------------------------
// `core` is logical for workers; ttdev_l1_* with TTDEV_NOC0 reach Ethernet tiles as well.
typedef struct ttdev_core {
    int space; // enum ttdev_space
    ttdev_xy at;
} ttdev_core;
int ttdev_l1_write(ttdev *t, int dev, ttdev_core core, uint32_t addr, const void *data,
                   size_t bytes);
int ttdev_l1_read(ttdev *t, int dev, ttdev_core core, uint32_t addr, void *data,
                  size_t bytes);
int ttdev_dram_write(ttdev *t, int dev, int bank, uint64_t addr, const void *data,
                     size_t bytes);
int ttdev_dram_read(ttdev *t, int dev, int bank, uint64_t addr, void *data, size_t bytes);
int ttdev_reg_write32(ttdev *t, int dev, ttdev_core core, uint32_t addr, uint32_t value);
int ttdev_reg_read32(ttdev *t, int dev, ttdev_core core, uint32_t addr, uint32_t *value);

// --- debug delays ----------------------------------------------------------------------
enum ttdev_delay_kind {
    TTDEV_DELAY_READ = 1,
    TTDEV_DELAY_WRITE = 2,
    TTDEV_DELAY_ATOMIC = 4
};
// Makes these RISCs (bit per RISC; on an Ethernet tile bit 0 or TTDEV_ERISC) wait this
// many cycles before issuing NoC commands of these kinds (or-ed); 0 removes the delay.
int ttdev_delay(ttdev *t, int dev, ttdev_core core, unsigned risc_mask, unsigned kinds,
                uint32_t cycles);
// Applies the TT_METAL_*_DEBUG_DELAY_* variables of an environment ("NAME=value", NULL at
// the end). Lines about what was set or ignored go to `log`, truncated to n bytes; an
// invalid value gives -EINVAL, and nothing is set.
int ttdev_delays_from_environment(ttdev *t, const char *const *environment, char *log,
                                  size_t n, struct err *e);

// --- images and programs ---------------------------------------------------------------
// Loaded images belong to the cluster and live as long as it does.
int ttdev_elf_load(ttdev *t, const char *name, const void *elf, size_t bytes,
                   ttdev_image **out, struct err *e);
// A bundled image, e.g. "loopback/copy", for a RISC of the cluster's arch and variant.
int ttdev_image_find(ttdev *t, const char *name, int risc, ttdev_image **out,
                     struct err *e);

// Bytes copied to a core, and a hash of the file the image was loaded from.
uint32_t ttdev_image_bytes(const ttdev_image *image);
uint64_t ttdev_image_hash(const ttdev_image *image);

enum { TTDEV_ERISC = TT_RISCS }; // RISC number of an Ethernet tile's processor

typedef struct ttdev_range {
    ttdev_xy from, to; // inclusive, logical; for ERISC kernels {channel, 0}
} ttdev_range;

// Non-fatal problems found while loading images, one per line; "" if none.
const char *ttdev_warnings(ttdev *t);

ttdev_program *ttdev_program_new(ttdev *t, const char *name);
void ttdev_program_free(ttdev_program *p);
const char *ttdev_program_name(const ttdev_program *p);
// Returns the kernel's number (>= 0). `noc` is the NoC the RISC uses by default.
int ttdev_program_kernel(ttdev_program *p, ttdev_range cores, int risc, ttdev_image *image,
                         int noc);
// Arguments: own ones of the cores, then those that all cores share. What a kernel reads
// past the last one given is undefined, as on hardware.
int ttdev_program_args(ttdev_program *p, int kernel, ttdev_range cores,
                       const uint32_t *args, size_t n);
int ttdev_program_common_args(ttdev_program *p, int kernel, const uint32_t *args, size_t n);
void ttdev_program_clear_args(ttdev_program *p); // of all kernels
// Places the buffer after the previous ones; address (out) may be NULL.
int ttdev_program_cb(ttdev_program *p, ttdev_range cores, int cb, uint32_t pages,
                     uint32_t page_bytes, uint32_t *address);
// First L1 byte after the program's circular buffers.
uint32_t ttdev_program_l1_end(const ttdev_program *p);
// Returns the semaphore's number (>= 0).
int ttdev_program_sem(ttdev_program *p, ttdev_range cores, uint32_t initial);
// The part of the chip the program is reported to run on, for the event hook.
void ttdev_program_sub_device(ttdev_program *p, int sub_device, int manager);

// Writes configuration and kernels, then GO. A program may be launched again.
int ttdev_launch(ttdev *t, int dev, ttdev_program *p, uint32_t run_id);
int ttdev_poll(ttdev *t, int dev, uint64_t budget_ns);  // advances time; 1: all done
int ttdev_wait(ttdev *t, int dev, uint64_t timeout_ns); // 0, -ETIMEDOUT, -EDEADLK, -EFAULT

// --- command queues --------------------------------------------------------------------
// With fast dispatch a chip has one or two queues (info.n_queues). Each executes its
// commands in order; the queues do not wait for each other, except for events. Programs and
// traces use queue 0. Calls return when the commands are in the queue, or fail: -ENODEV, no
// such queue; -EBUSY, a trace is being captured.
//
// Pages of a buffer. Interleaved over all DRAM banks: page i is at
// address + i / n_banks * page_bytes of bank i % n_banks. In L1: it is at
// address + index * page_bytes of its core.
typedef struct ttdev_place {
    ttdev_xy core; // logical
    uint32_t index;
} ttdev_place;
typedef struct ttdev_pages {
    uint64_t address;             // multiple of 64
    uint32_t page_bytes, n_pages; // page_bytes: multiple of 64
    const ttdev_place *places;    // by page; NULL: in DRAM
} ttdev_pages;
// The data are copied.
int ttdev_write_pages(ttdev *t, int dev, int queue, const ttdev_pages *to,
                      const void *data);
// The data are complete after a wait, for the chip or for an event recorded later.
int ttdev_read_pages(ttdev *t, int dev, int queue, const ttdev_pages *from, void *data);
// An event happens when everything enqueued before it is done. Zero: one that has happened.
typedef struct ttdev_event {
    int queue;
    uint32_t number;
} ttdev_event;
int ttdev_record_event(ttdev *t, int dev, int queue, ttdev_event *out);
// What is enqueued later waits for the event.
int ttdev_wait_event(ttdev *t, int dev, int queue, ttdev_event event);
// The host waits for it; returns like ttdev_wait.
int ttdev_wait_for_event(ttdev *t, int dev, ttdev_event event, uint64_t timeout_ns);

// Called inside wait when only a host write can let a chip continue, and every ms of
// device time; returns 1 if it wrote something.
int ttdev_on_quiet(ttdev *t, int (*hook)(void *context, int dev), void *context);

// Called for launches and traces before the host's first access for them; NULL: no hook.
// The hook may read, wait and launch.
int ttdev_on_event(ttdev *t, tt_event_hook hook, void *context);

// Reports a buffer to the event hook; the device itself does not track memory use.
// `pool`: "DRAM", "L1", "SYSTEM_MEMORY", "L1_SMALL" or "TRACE".
int ttdev_tell_buffer(ttdev *t, int dev, bool is_made, const char *pool, const char *name,
                      uint64_t address, uint64_t bytes);

// Launches between begin and end are recorded (and run); a replay sends REPLAY_TRACE to
// all cores, then launches the recorded programs in order with their recorded ids.
int ttdev_trace_begin(ttdev *t, int dev);
int ttdev_trace_begin_only(ttdev *t, int dev); // records launches without running them
int ttdev_trace_end(ttdev *t, int dev);        // returns the trace's number (>= 0)
int ttdev_trace_replay(ttdev *t, int dev, int trace, uint64_t timeout_ns);
// Replays one trace per chip at the same time, so programs may wait for another chip.
int ttdev_trace_replay_all(ttdev *t, const int *traces, uint64_t timeout_ns);
int ttdev_trace_release(ttdev *t, int dev, int trace); // it can no longer be replayed

// The cluster as seen by a profiler; valid until ttdev_close.
void ttdev_access(ttdev *t, struct tt_access *out);

// --- time ------------------------------------------------------------------------------
uint64_t ttdev_clock(ttdev *t, int dev); // the chip's wall clock now
double ttdev_hz(ttdev *t, int dev);      // nominal, as a driver reports it
uint64_t ttdev_host_ns(ttdev *t);        // the host clock that profilers must use
// Same, for time stamps: does not advance time and may be called from a hook.
uint64_t ttdev_host_peek(const ttdev *t);
int ttdev_clock_mode(const ttdev *t); // enum ttdev_clock_mode
// Real time spent in calls so far, which the host clock of TTDEV_WARP leaves out; 0 with
// TTDEV_DET.
uint64_t ttdev_simulation_ns(const ttdev *t);
int ttdev_sleep_ns(ttdev *t, uint64_t ns);

// --- faults and ground truth -----------------------------------------------------------
const char *ttdev_fault(ttdev *t,
                        int dev);  // text of the last fault or deadlock, "" if none
const char *ttdev_error(ttdev *t); // why the last failed call failed

enum ttdev_truth_kind {
    TTDEV_TRUTH_LAUNCH,       // argument: run id
    TTDEV_TRUTH_KERNEL_ENTRY, // argument: instructions of the RISC so far << 32 | pc
    TTDEV_TRUTH_KERNEL_EXIT,  // same
    TTDEV_TRUTH_CLOCK_READ,   // argument: the 64-bit value, pc
    TTDEV_TRUTH_MARKER_STORE, // argument: address << 32 | value, pc
    TTDEV_TRUTH_NOC_ISSUE,    // argument: packet number, bytes
    TTDEV_TRUTH_NOC_COMPLETE, // argument: packet number
    TTDEV_TRUTH_ENGINE_START, // argument: opcode; risc: 2 unpack, 3 math, 4 pack
    TTDEV_TRUTH_ENGINE_END,
    TTDEV_TRUTH_HOST_ACCESS, // argument: address
    TTDEV_TRUTH_DRAM_READ,   // by x, y; argument: address in the bank, pc: bytes
    TTDEV_TRUTH_DRAM_WRITE,  // same
    // Put into a queue, at its prefetcher; argument: first word of the command, then that
    // of its payload << 32; pc: bytes in the entry.
    TTDEV_TRUTH_COMMAND,
    TTDEV_TRUTH_COMMAND_DONE, // by a prefetcher or dispatcher; argument: how many so far
};
typedef struct ttdev_truth_event {
    uint64_t true_fs, cycle; // cycle: wall clock
    uint64_t argument;
    uint32_t pc;
    int16_t dev, x, y; // NOC0
    uint8_t risc, kind;
    bool is_dispatch; // of a core that launches programs, not of a program
} ttdev_truth_event;
typedef void (*ttdev_truth_cb)(void *context, const ttdev_truth_event *event);
int ttdev_truth(ttdev *t, ttdev_truth_cb cb, void *context); // NULL: off

typedef struct ttdev_counts {
    uint64_t instructions, windows, packets, parked; // since open, all chips
    uint64_t barrier_ns;                             // host time spent waiting for threads
} ttdev_counts;
int ttdev_get_counts(ttdev *t, ttdev_counts *counts);
// A hash over all memory, registers and clocks of a chip, for comparing runs.
uint64_t ttdev_state_hash(ttdev *t, int dev);

// Called before every instruction of one RISC with wall clock cycles in [from, to).
typedef struct ttdev_step {
    uint64_t cycle;
    uint32_t pc, word;
    const char *symbol; // function, "" if unknown
    uint32_t offset;
    bool is_kernel;    // not firmware
    const uint32_t *x; // registers before the instruction
} ttdev_step;
int ttdev_trace_risc(ttdev *t, int dev, ttdev_core core, int risc, uint64_t from,
                     uint64_t to, void (*step)(void *context, const ttdev_step *step),
                     void *context);

#endif
