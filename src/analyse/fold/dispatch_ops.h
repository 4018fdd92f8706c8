// dispatch_ops.h - what dispatch cores did for each op.
//
// BRISC (the dispatcher) and NCRISC (its subordinate) of a dispatch core handle commands,
// zone by zone; data markers tell the command of a zone and its program. The dispatcher's
// k-th notice belongs to the k-th go signal of its subordinate, whatever it is for.
#ifndef TTP_ANALYSE_FOLD_DISPATCH_OPS_H
#define TTP_ANALYSE_FOLD_DISPATCH_OPS_H

#include "analyse/fold/analysis.h"

struct dispatch_op {
    uint32_t core;
    int64_t id;
    uint32_t nth;      // execution of the program; 0 only if the log has no replays
    uint32_t first, n; // in elements
};

// A marker and its other site, which is not in use now.
struct renamed {
    uint32_t marker, site;
};

struct dispatch_ops {
    VEC(struct dispatch_op) v; // by device and first time
    VEC(uint32_t) elements;    // markers
    VEC(struct renamed) renamed;
};

// Also renames the first and last marker of each zone to the command, as in reports.
void dispatch_ops_find(struct dispatch_ops *ops, struct trace *t);
// Swaps the renamed markers' own names and the commands: only analyses see commands.
void dispatch_ops_swap_names(struct dispatch_ops *ops, struct trace *t);
void dispatch_ops_free(struct dispatch_ops *ops);
// From the first marker that matches the start of the analysis to the last that matches the
// end; false if there are no two.
bool dispatch_op_span(const struct dispatch_ops *ops, const struct trace *t, size_t i,
                      const struct analysis *a, uint32_t *first, uint32_t *last);

#endif
