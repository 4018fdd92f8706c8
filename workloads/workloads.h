// workloads.h - example programs for the software device: host code, kernels, and what
// their results and profiles must show.
//
// A workload gets an open device and its settings, runs kernels, checks its results against
// a plain host computation and reports figures. After the first failed call all later ones
// do nothing, so a workload reads from top to bottom.
#ifndef TTP_WORKLOADS_H
#define TTP_WORKLOADS_H

#include "base/data/arena.h"
#include "base/data/vec.h"
#include "base/text/buf.h"
#include "base/text/err.h"

#include "sim/ttdev.h"

enum workload_setting_id {
    SETTING_SIZE,
    SETTING_TILES,
    SETTING_PAGES,
    SETTING_OPS,
    SETTING_RUNS,
    SETTING_LOOPS,
    SETTING_CORES,
    SETTING_SLOW_STAGE,
    SETTING_FIDELITY, // phases: 1 LoFi .. 4 HiFi4
    SETTING_FORMAT,   // of tiles: 0 bf16, 1 bfp8
    SETTING_GRID_X,   // 0: the normal one, or what the device has of it
    SETTING_GRID_Y,
    SETTINGS,
};

// A setting of a workload and its range.
struct workload_setting {
    enum workload_setting_id id;
    int64_t normal, least, most;
    const char *what;
};

struct run;
struct rt_op; // runtime/runtime.h

struct workload {
    const char *name;
    const char *what;  // one line
    const char *shows; // what a profile of it must show
    const struct workload_setting *settings;
    size_t n_settings;
    bool splits_evenly; // its grid divides the normal one, which divides the work
    bool ends_in_fault; // success is a fault or deadlock report
    // Changes the device configuration before opening; NULL: no change.
    void (*configure)(ttdev_cfg *cfg);
    void (*run)(struct run *r);
};

extern const struct workload workload_loopback, workload_eltwise_add, workload_matmul_tiled,
    workload_reduce, workload_mcast, workload_pipeline, workload_full_buffer,
    workload_cycle_count, workload_imbalance, workload_multi_op, workload_allgather2,
    workload_matmul_peak, workload_mlp, workload_stream, workload_transformer_block,
    workload_training_step, workload_rollover, workload_deadlock;

extern const struct workload *const workloads[];
extern const size_t n_workloads;
const struct workload *workload_find(str name);
const char *workload_suggest(str name); // NULL if no name is close
const struct workload_setting *workload_setting(const struct workload *w, int id);

// --- a run -----------------------------------------------------------------------------
// A figure of the summary; whole numbers print without a fraction. Texts must be permanent.
struct figure {
    const char *name, *unit;
    double value;
    int decimals;
};

// A kernel's run according to the device's ground truth: see run_watch.
struct span {
    uint64_t entry, exit; // wall clock cycles; exit 0: still running
    uint64_t entry_fs, exit_fs;
    int16_t dev, x, y; // NOC0
    uint8_t risc;
    uint32_t id; // of the run; 0: replayed from a trace
};

// What a tile runs. Ids grow, but repeat in trace replays.
struct tile_run {
    int16_t dev, x, y;
    uint32_t id, highest;
};

struct run {
    const struct workload *workload;
    ttdev *t;
    ttdev_cfg cfg;
    ttdev_info info; // of device 0
    int64_t setting[SETTINGS];
    uint64_t timeout_ns; // device time of one program
    uint32_t dram_next;  // first free byte in every bank
    uint32_t next_id;    // run id of the next launch
    bool has_failed;
    struct buf failures; // one line each
    size_t n_checks, n_failures;
    VEC(struct figure) figures;
    VEC(struct span) spans;
    VEC(struct tile_run) tiles;
    VEC(ttdev_program *) programs; // freed with the run
    uint64_t math_busy;            // engine cycles since run_watch, all cores
    void (*read)(void *context);   // reads the profiler; NULL: not profiled
    void *read_context;
    bool counters_are_taken; // the profiler uses the performance counters
    ttdev_truth_cb hear;     // also receives what run_watch receives; may be NULL
    void *hear_context;
    bool hears_all; // also of dispatch cores, and after run_unwatch
    // Called for every op of a model; may be NULL.
    void (*hear_op)(void *context, const struct rt_op *op, int device, uint32_t id,
                    bool is_hit);
    struct arena a;
};

void run_open(struct run *r, const struct workload *w, const ttdev_cfg *cfg);
void run_close(struct run *r);

// Records a failure; later calls do nothing.
void run_fail(struct run *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
// Counts a check; a failed one is recorded but does not stop the run.
bool run_check(struct run *r, bool passed, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
// Whether the kernels carry markers; they then take longer than the workload's model says.
bool run_is_profiled(const struct run *r);
// Between two parts of a workload: reads the profiler's data of the first one.
void run_read(struct run *r);
void run_figure(struct run *r, const char *name, double value, int decimals,
                const char *unit);

// --- programs (support.c) --------------------------------------------------------------
ttdev_range range_all(const struct run *r); // the grid of the settings
ttdev_range range_one(int x, int y);
ttdev_range range_eth(int channel);
int grid_cores(const struct run *r);
ttdev_xy grid_at(const struct run *r, int index); // row by row
ttdev_xy virtual_at(struct run *r, int dev, ttdev_xy logical);

ttdev_program *work_program(struct run *r, const char *name);
// The kernel's number; -1 after a failure.
int work_kernel(struct run *r, ttdev_program *p, ttdev_range cores, int risc,
                const char *image, int noc);
// The same image on TRISC0, 1 and 2.
struct compute_kernel {
    int k[3];
};
struct compute_kernel work_compute(struct run *r, ttdev_program *p, ttdev_range cores,
                                   const char *image);
void work_args(struct run *r, ttdev_program *p, int kernel, ttdev_range cores,
               const uint32_t *args, size_t n);
void work_common(struct run *r, ttdev_program *p, int kernel, const uint32_t *args,
                 size_t n);
void work_compute_args(struct run *r, ttdev_program *p, struct compute_kernel c,
                       ttdev_range cores, const uint32_t *args, size_t n);
#define ARGS(...) (const uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 4
uint32_t work_cb(struct run *r, ttdev_program *p, ttdev_range cores, int cb, uint32_t pages,
                 uint32_t page_bytes);
uint32_t work_semaphore(struct run *r, ttdev_program *p, ttdev_range cores);
// L1 after the circular buffers, for results; same address on every core.
uint32_t work_scratch(struct run *r, ttdev_program *p);
// Launches on device 0 with the next run id and waits.
void work_run(struct run *r, ttdev_program *p);
void work_launch(struct run *r, int dev, ttdev_program *p, uint32_t id);
void work_wait(struct run *r, int dev);

void work_l1_write(struct run *r, ttdev_xy core, uint32_t address, const void *data,
                   size_t n);
void work_l1_read(struct run *r, ttdev_xy core, uint32_t address, void *data, size_t n);
void work_l1_clear(struct run *r, uint32_t address, size_t bytes); // on the whole grid

// Starts collecting kernel entries and exits from the ground truth.
void run_watch(struct run *r);
void run_unwatch(struct run *r);
// From first entry to last exit since run_watch.
uint64_t spans_cycles(const struct run *r);
size_t spans_of(const struct run *r, int risc);
// Same, for the first run with this id on device 0.
uint64_t run_cycles(const struct run *r, uint32_t id);

// --- data (tensor.c) -------------------------------------------------------------------
enum { TILE_SIDE = 32, TILE_VALUES = 1024, TILE_BYTES = 2048, TILE_BYTES_BFP8 = 1088 };

uint16_t bf16_of(float v); // nearest, ties to even
float bf16_value(uint16_t bits);
float bf16_round(float v);

// A number for (seed, index), the same on every machine; small ones are integers.
uint32_t data_word(uint32_t seed, uint32_t index);
float data_real(uint32_t seed, uint32_t index); // multiples of 1/64 in [-1, 1]

// Pages over all banks: page i is in bank i % banks.
uint32_t dram_place(struct run *r, const char *name, uint32_t pages, uint32_t page_bytes);
void dram_write_pages(struct run *r, int dev, uint32_t address, uint32_t pages,
                      uint32_t page_bytes, const void *data);
void dram_read_pages(struct run *r, int dev, uint32_t address, uint32_t pages,
                     uint32_t page_bytes, void *data);

// A matrix: values on the host (row by row), bf16 tiles in DRAM (tile row by tile row).
struct tensor {
    const char *name;
    uint32_t address;
    int rows, columns; // multiples of 32
    float *v;
};
struct tensor tensor_new(struct run *r, const char *name, int rows, int columns);
uint32_t tensor_tiles(const struct tensor *t);
static inline float *tensor_at(const struct tensor *t, int row, int column)
{
    return t->v + (size_t)row * (size_t)t->columns + (size_t)column;
}
void tensor_fill(struct tensor *t, uint32_t seed, float scale); // rounded to bf16
void tensor_write(struct run *r, const struct tensor *t);
// Same as bfp8, for multiples of 1/64 in [-1, 1], which are exact.
void tensor_write_bfp8(struct run *r, const struct tensor *t);
void tensor_read(struct run *r, struct tensor *t); // from the device into v

// Converts rows of values to and from a tile of four 16 x 16 faces.
void faces_pack(const float *v, int stride, uint16_t *tile);
void faces_unpack(const uint16_t *tile, int stride, float *v);

// The engine's a x b: sums in fp32, in order of k, rounded to bf16 after each product of
// tiles is added to Dst. Row lengths are separate, so that parts of matrices can be
// multiplied.
struct matrix {
    const float *v;
    int row; // values from one row to the next
};
void want_matmul(float *want, int want_row, struct matrix a, struct matrix b, int rows,
                 int inner, int columns);

// Largest |got - want| / max(|want|, floor); a NaN counts as infinite.
double worst_error(const float *got, const float *want, size_t n, double floor);

#endif
