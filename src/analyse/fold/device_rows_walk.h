// device_rows_walk.h - one pass over the tracks of a trace: what each op left, as far as an
// ops report asks for it.
//
// Analyses come from the default setup, so that a report and the device's statistics say
// the same. A marker fits several analyses at once, but there are few different sets of
// analyses to fit: such a set is a kind, and a marker touches one cell, that of its op and
// kind. Lanes take ranges of cores; what they found is merged in their order.
#ifndef TTP_ANALYSE_FOLD_DEVICE_ROWS_WALK_H
#define TTP_ANALYSE_FOLD_DEVICE_ROWS_WALK_H

#include "analyse/fold/device_rows_log.h"

// Analyses from the first to the last marker of an op.
enum measure {
    MEASURE_FW,
    MEASURE_KERNEL,
    MEASURE_DM,
    MEASURE_FIRST_TO_LAST,
    MEASURE_BRISC,
    MEASURE_NCRISC,
    MEASURE_TRISC0,
    MEASURE_TRISC1,
    MEASURE_TRISC2,
    MEASURE_ERISC,
    MEASURE_PER_CORE, // the same of each core
    MEASURES,
    SUM_CB_WAIT = 0, // sums of data
    SUM_CB_RESERVE,
    SUMS,
};

// The first and last marker of a kind, or none.
struct extent {
    uint64_t first_time, last_time;
    uint32_t first, last; // markers, + 1
};

struct op_found {
    uint32_t n_cores;   // with firmware
    uint32_t fw_core;   // seen last, + 1
    uint32_t core;      // whose kernels are being looked at, + 1
    uint32_t n_on_core; // markers of kernels on it
    uint64_t first_on_core, last_on_core;
    bool has_first, has_last;
    uint64_t core_min, core_max, core_sum; // cycles
    uint32_t core_count;
    uint32_t broken; // a bit for each measure: a start or an end is missing on some core
    uint64_t sum[SUMS];
    int64_t sub_device; // DEVICE_NONE; of the last line that says it
    uint32_t sub_line;
    bool is_sub_odd; // another line says something else
};

// The profiler itself at work, before this op.
struct push {
    uint32_t op, core;
    uint64_t start, end;
};

struct walk_kind {
    uint32_t start, end; // a bit for each measure
    bool is_fw;          // counts a core
    // Its markers can be the first of a span, the last of one: starts cannot be the last.
    bool can_begin, can_end;
};

struct device_walk {
    const struct trace *trace;
    const struct device_ops *ops;
    struct setup setup;
    struct arena arena;
    const struct analysis *measure[MEASURES]; // NULL: not asked for
    const struct analysis *sum[SUMS];
    const struct analysis *dispatch[2];
    VEC(struct walk_kind) kinds;
    struct extent *extent; // by op and kind
    struct op_found *op;   // by op
    VEC(struct push) pushes;
    bool has_pushes;          // the log has any
    uint64_t n_sub_conflicts; // ops
};

void device_walk_run(struct device_walk *w, const struct trace *t,
                     const struct device_ops *ops, struct device_rows_choice choice);
void device_walk_free(struct device_walk *w);
// From the first to the last marker that fits, where some are missing from the first start
// to the last end; 2 when both are there, 1 when there is only
// one, 0 when there is none.
int device_walk_span(const struct device_walk *w, uint32_t op, enum measure m,
                     uint64_t *first, uint64_t *last);

#endif
