// op_measures.h - measurements of each op that an ops report needs: the durations of
// durations.h by a fold, and what depends on the order of markers.
#ifndef TTP_ANALYSE_OPS_OP_MEASURES_H
#define TTP_ANALYSE_OPS_OP_MEASURES_H

#include "analyse/fold/durations.h"
#include "analyse/fold/fold.h"
#include "analyse/ops/rows_of_log.h"

struct op_found {
    uint64_t core_min, core_max, core_sum; // cycles of its kernels per core
    uint32_t core_count;
    uint32_t sub_line;
    int64_t sub_device; // from the last line that has one; DEVICE_NONE
    bool is_sub_odd;    // lines disagree
    uint64_t broken;    // a bit per duration: a start or an end is missing somewhere
};

// A push of the profiler's own data before this op.
struct push {
    uint32_t op, core;
    uint64_t start, end;
};

struct op_measures {
    const struct device_ops *ops;
    struct arena arena;
    struct analysis durations[DURATIONS];
    bool is_chosen[DURATIONS];
    struct fold fold;    // by op, a line for each duration
    struct op_found *op; // by op
    VEC(struct push) pushes;
    bool has_pushes;          // the log has any
    uint64_t n_sub_conflicts; // ops
};

void op_measures_make(struct op_measures *m, const struct trace *t,
                      const struct device_ops *ops, struct device_rows_choice choice);
void op_measures_free(struct op_measures *m);
// From the first to the last matching marker; if some are missing, from the first start to
// the last end. 2 if both are there, 1 if only one is, 0 if none is.
int op_measures_span(const struct op_measures *m, uint32_t op, enum duration d,
                     uint64_t *first, uint64_t *last);

#endif
