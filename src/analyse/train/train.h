// train.h - where the time of a training run went, from its table of ops
// (docs/train.md).
//
// The training program marks the end of each part of a step with a few no-op operations
// (`ProfilerNoopOperation`) whose attributes carry a name. Rows up to the marker
// `compilation_finished` are dropped; the steps follow. Rows are processed in table order,
// one device at a time.
#ifndef TTP_ANALYSE_TRAIN_TRAIN_H
#define TTP_ANALYSE_TRAIN_TRAIN_H

#include "base/data/map.h"
#include "base/data/sort.h"

#include "analyse/notes.h"
#include "formats/ops_table/ops_sheet.h"

enum train_metric {
    TRAIN_DEVICE,  // DEVICE FW DURATION [ns]
    TRAIN_HOST,    // HOST DURATION [ns]
    TRAIN_BETWEEN, // OP TO OP LATENCY [ns]
    TRAIN_KERNEL,  // DEVICE KERNEL DURATION [ns]
    TRAIN_METRICS,
    TRAIN_SHOWN = TRAIN_KERNEL, // pies, bars, series and anomalies cover the metrics before
};
const char *train_metric_name(enum train_metric m);   // "Device Time"
const char *train_metric_column(enum train_metric m); // of the table

#define TRAIN_NO_MARKER UINT32_MAX
#define TRAIN_NO_DEVICE INT32_MIN

struct train_row {
    uint32_t row;    // in the table, from 0: the index that pandas shows
    uint32_t code;   // in names
    uint32_t marker; // in names; TRAIN_NO_MARKER: an op
    int32_t device;
    double ns[TRAIN_METRICS]; // NaN: missing
    double start, end;        // cycles of the firmware; NaN: missing
};

struct train_options {
    int64_t device;    // -1: all if that makes sense, else the first one of the table
    int64_t iteration; // of the single step, default 2
    int64_t steps;     // 0: count the markers
};

struct train {
    struct ops_sheet table;
    struct map names;
    VEC(struct train_row) rows;  // after compilation, of the selected devices
    VEC(int32_t) devices;        // of the rows, ascending
    VEC(struct keyed) by_device; // rows (a) by device (key), in their order
    size_t n_steps;
    bool has_markers, has_compilation;
    struct train_options options;
    struct notes notes;
    struct diag diag;
    struct arena arena;
};

// On false, only train_free may be called.
bool train_load(struct train *t, const char *path, const struct train_options *options,
                struct err *e);
void train_free(struct train *t);
static inline str train_name(const struct train *t, uint32_t id)
{
    return t->names.keys.v[id];
}
// The device used by analyses of a single device.
int32_t train_first_device(const struct train *t);

// --- time per op ---

struct train_op {
    uint32_t code;
    size_t n_calls;              // rows
    size_t count[TRAIN_METRICS]; // cells that hold a number
    double sum[TRAIN_METRICS];   // ns
    double mean[TRAIN_METRICS];  // NaN: no cell
};
struct train_ops {
    VEC(struct train_op) v; // in order of first appearance
    double total[TRAIN_METRICS];
    size_t n_rows;
};
void train_ops_make(struct train_ops *o, const struct train *t);
void train_ops_free(struct train_ops *o);
enum train_value { TRAIN_SUM, TRAIN_MEAN };
double train_op_value(const struct train_op *o, enum train_metric m, enum train_value v);
// Indexes of all ops, largest first, missing last; stable.
void train_ops_order(const struct train_ops *o, enum train_metric m, enum train_value v,
                     uint32_t *order);

enum { TRAIN_PIE_SLICES = 15 };
struct train_slice {
    str label; // "Others" beyond the fifteenth
    double value, percent;
};
// At most TRAIN_PIE_SLICES + 1; returns the number of slices.
size_t train_pie(const struct train *t, const struct train_ops *o, enum train_metric m,
                 enum train_value v, struct train_slice *out);

// Dispatch overhead of an op or, with NULL, of the whole step: ms per step, rounded.
struct train_overhead {
    int64_t calls;
    double host, between, device, percent; // percent is NaN if there is no time
};
struct train_overhead train_overhead_of(const struct train *t, const struct train_ops *o,
                                        const struct train_op *op);

// --- anomalies ---

struct train_anomaly {
    uint32_t row; // in train.rows
    enum train_metric metric;
    double mean, std; // of the op, ns
};
struct train_anomalies {
    VEC(struct train_anomaly) v; // by op, metric, row
};
void train_anomalies_find(struct train_anomalies *a, const struct train *t,
                          const struct train_ops *o);
void train_anomalies_free(struct train_anomalies *a);

// --- markers ---

// Adjacent marker rows of one name; the rows of a device are numbered from 0.
struct train_group {
    uint32_t name;
    size_t first, last; // in the device's rows
};
struct train_lane { // one device
    int32_t device;
    VEC(uint32_t) rows; // indexes in train.rows
    VEC(struct train_group) groups;
    double ns_per_cycle; // NaN: unknown
};
// Keys of devices are in the order of their numbers.
static inline uint64_t train_device_key(int32_t device)
{
    return (uint64_t)((int64_t)device - INT32_MIN);
}
void train_lane_make(struct train_lane *l, const struct train *t, int32_t device);
void train_lane_free(struct train_lane *l);
// Time on the device's clock from one marker to a later one; NaN: the table has no cycles.
double train_between_ms(const struct train *t, const struct train_lane *l,
                        const struct train_group *a, const struct train_group *b);
// The number of `iteration_<n>`; false for any other marker.
bool train_iteration_of(str marker, int64_t *number);

// --- phases ---

enum train_phase {
    PHASE_FORWARD,
    PHASE_BACKWARD,
    PHASE_SYNC,
    PHASE_OPTIMIZER,
    PHASE_OTHER,
    PHASES,
    PHASES_CCL = PHASE_OTHER, // phases before this have collective times
};
const char *train_phase_column(enum train_phase p); // "forward_ms"
const char *train_phase_short(enum train_phase p);  // "fwd"
// The phase between two markers; PHASES: none.
enum train_phase train_phase_between(str before, str after);
enum train_ccl { CCL_REDUCE_SCATTER, CCL_ALL_GATHER, CCLS };
extern const char *const train_ccl_short[CCLS]; // "rs", "ag"

#define TRAIN_HOST_DEVICE (-1) // for the naive profiler's times: `device_host`

struct train_iteration {
    int32_t device;
    int64_t number;
    double ms[PHASES], ccl[PHASES_CCL][CCLS], total; // rounded to three decimals
    double step;    // from the marker of the previous iteration to its own; NaN: unknown
    bool is_steady; // counts for the average
};
struct train_phases {
    VEC(struct train_iteration) v;       // by device, then number
    VEC(struct train_iteration) average; // a row for each device, number = steady ones
    bool has_ccl;
};
void train_phases_make(struct train_phases *p, struct train *t);
// Finds or adds the iteration of that device and number.
struct train_iteration *train_phases_at(struct train_phases *p, int32_t device,
                                        int64_t number);
// Call when all are added: rounds them and averages all but the first of each device.
void train_phases_average(struct train_phases *p);
double train_round3(double v); // to three decimals
void train_phases_free(struct train_phases *p);
const struct train_iteration *train_phases_average_of(const struct train_phases *p,
                                                      int32_t device);

// --- one step of one device ---

struct train_segment {
    str label;           // "Forward", "gradient_sync_done -> iteration", "Remaining"
    size_t first, n_ops; // in step.ops
    double ms;
    uint32_t marker; // the one it starts at
};
struct train_span { // one pass through a zone, as positions in the lane
    uint32_t name;
    uint32_t zone; // in tree_spans: index into `tree`
    int64_t start, end;
    double ms;
    size_t n_ops;
};
struct train_zone { // all spans of a name
    uint32_t name;
    size_t count, n_ops;
    double ms, min, max;
    int64_t first; // position of its first span
    uint32_t parent;
};
#define TRAIN_NO_ZONE UINT32_MAX

struct train_step {
    int32_t device;
    int64_t iteration;
    struct train_lane lane;
    size_t from, to;         // in the lane's rows
    VEC(uint32_t) ops;       // indexes in lane.rows
    double total_ms, p95_ms; // of kernels
    double step_ms;          // from marker to marker; NaN: unknown
    VEC(struct train_segment) segments;
    VEC(struct train_span) spans, tree_spans; // tree: recomputed forward zones are separate
    VEC(struct train_zone) zones;             // largest first
    VEC(struct train_zone) tree;              // [0] is the whole step
    size_t n_unpaired;
};
// False: there is no such step; a note says so.
bool train_step_make(struct train_step *s, struct train *t);
void train_step_free(struct train_step *s);
double train_step_ms(const struct train *t, const struct train_step *s, size_t op);
// Indexes in ops of the slowest, slowest first; returns their number.
size_t train_step_slowest(const struct train *t, const struct train_step *s, size_t most,
                          uint32_t *out);
void train_zones_make(struct train_step *s, struct train *t);
// Children of a tree zone by position; returns their number. TRAIN_NO_ZONE: the roots.
size_t train_zone_children(const struct train_step *s, uint32_t zone, uint32_t *out);

struct train_frame { // a box of the flame graph
    str name;
    unsigned depth;
    double x, width; // share of the whole step, 0 to 1
    double ms;
    uint32_t colour; // 0xRRGGBB
};
struct train_flame {
    VEC(struct train_frame) v;
};
void train_flame_make(struct train_flame *f, struct train *t, const struct train_step *s);
void train_flame_free(struct train_flame *f);

// --- the program's output ---

struct train_memory {
    str name;
    double peak, allocations, deallocations, change, cumulative_peak, cumulative; // MB
};
struct train_log {
    struct file file;
    struct arena arena;
    VEC(struct train_memory) memory;
    double overall_peak, final_usage;  // MB; NaN: not printed
    int64_t n_parameters;              // -1: not printed
    VEC(double) step_ms;               // `Full step time`
    double wall_ms;                    // mean without the first two; NaN: none
    struct train_phases naive;         // device TRAIN_HOST_DEVICE
    VEC(struct train_iteration) steps; // as printed; NaN: not printed
    struct train_iteration average;    // without two steps of warm-up
};
bool train_log_read(struct train_log *l, const char *path, struct err *e);
// The same for a text that outlives the log.
void train_log_parse(struct train_log *l, str text);
void train_log_free(struct train_log *l);

// --- throughput, roofline ---

struct train_model {
    const char *name, *runner;
    int64_t batch, seq_len, blocks, tp, ddp, grad_accum;
    double tflop[4];       // of a step, by train_part; NaN: not given
    double peak_tflops;    // of all devices sharing the work
    double roofline_ms[4]; // NaN: not given
    bool is_checkpointed;  // backward recomputes forward
    double ccl_ms[4];      // theoretical, forward, backward, grad sync, total
    double link_gb_s;
};
enum train_part { PART_FWD, PART_BWD, PART_OPT, PART_TOTAL, PARTS };
enum { CCL_FWD, CCL_BWD, CCL_SYNC, CCL_TOTAL };

struct train_result {
    const char *profiler; // "device", "naive" or "wall"
    double ms[PARTS];     // measured: of kernels, in total the step
    double grad_sync_ms, step_ms, kernel_ms;
    double roofline_ms[PARTS], roofline[PARTS], mfu[PARTS]; // ms and percent
    double sync_gb_s, sync_util, ccl_util[3];               // fwd, bwd, total
    double tokens_s, tokens_s_device;
    double ccl_ms[PARTS];
    double dram_peak_mb;
    int64_t n_devices;
};
// Unknown values are NaN.
void train_result_make(struct train_result *r, const struct train_phases *device,
                       const struct train_log *log, const struct train_model *m,
                       size_t n_devices);
double train_tokens(const struct train_model *m); // of a step

// --- cores ---

struct train_core {
    int64_t device;
    int32_t x, y;
    double busy_ns; // sum of its kernels; the longest of several processors
    double share;   // relative to the busiest core of its device
    uint64_t n_kernels;
};
struct train_heat {
    VEC(struct train_core) v; // by device, y, x
    bool is_cycles;           // unknown clock: busy_ns is in cycles
};
bool train_heat_read(struct train_heat *h, const char *path, struct notes *n,
                     struct diag *d, struct err *e);
void train_heat_free(struct train_heat *h);

#endif
