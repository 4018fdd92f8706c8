// ops.h - a handful of tensor operations, enough for the model workloads: each is one
// program over the grid, checked against the host's own computation.
#ifndef TTP_WORKLOADS_OPS_H
#define TTP_WORKLOADS_OPS_H

#include "ttprof/engine_ops.h"
#include "workloads/workloads.h"

// What an op took, for the summary.
struct op_record {
    const char *code, *name;
    uint64_t cycles; // from the first kernel entry to the last exit
    uint64_t math;   // engine cycles, all cores
    double error;    // worst, relative
};

struct ops {
    struct run *r;
    VEC(struct op_record) done;
};

void ops_open(struct ops *o, struct run *r);
void ops_close(struct ops *o);
// Figures: time of all ops, share of the matmuls, worst error.
void ops_report(struct ops *o);

// Results are new tensors, named as given; their values are those of the device.
struct tensor op_matmul(struct ops *o, const char *name, const struct tensor *a,
                        const struct tensor *b);
// `heads` products in one op. Scores: the result's rows of head h are a's columns of h x
// b's rows of h.
struct tensor op_matmul_scores(struct ops *o, const char *name, const struct tensor *a,
                               const struct tensor *b, int heads);
// Context: columns of h in the result are a's rows of h x b's columns of h.
struct tensor op_matmul_context(struct ops *o, const char *name, const struct tensor *a,
                                const struct tensor *b, int heads);
// opcode: TT_MATH_ADD, SUB, MUL; broadcast: TT_BROADCAST_NONE or _COLUMN (b has one tile
// column, of which column 0 counts).
struct tensor op_binary(struct ops *o, const char *name, uint32_t opcode,
                        uint32_t broadcast, const struct tensor *a, const struct tensor *b);
// Two functions behind each other (TT_SFPU_FUNCTIONS: none), each with a parameter.
struct sfpu_step {
    uint32_t function;
    float parameter;
};
struct tensor op_unary(struct ops *o, const char *name, const struct tensor *a,
                       struct sfpu_step first, struct sfpu_step second);
// Along the rows into column 0 of one tile column; pool: 0 sum (times scale), 1 max.
struct tensor op_reduce_rows(struct ops *o, const char *name, const struct tensor *a,
                             uint32_t pool, float scale);
struct tensor op_transpose(struct ops *o, const char *name, const struct tensor *a);

#endif
