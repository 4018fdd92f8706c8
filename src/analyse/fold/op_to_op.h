// op_to_op.h - times between ops, core by core, side by side.
//
// The analysis `op2op` gives pairs for each core: the end of one op's kernels and the start
// of the next one's. Pairs are taken by start time. A pending one opens a row, and every
// core whose next pending pair is between the same two ops adds it there. Pairs within one
// firmware run, or outside any, are not between ops.
#ifndef TTP_ANALYSE_FOLD_OP_TO_OP_H
#define TTP_ANALYSE_FOLD_OP_TO_OP_H

#include "base/data/sort.h"
#include "base/data/units.h"

#include "analyse/device/device_analysis.h"

struct op_pair {
    cycles start, gap;
    int64_t from, to; // run ids
};

struct op_to_op {
    const struct device_analysis *analysis;
    struct core_place {
        int32_t x, y;
    } * columns; // by x, then y; cores of several devices at one position share it
    size_t n_columns;
    // the current row
    uint32_t device;
    const struct op_pair *pair;   // the one that opened it
    const struct op_pair **cells; // by column; NULL: none

    // internal
    uint32_t *column_of; // by core
    struct op_pair *pairs;
    struct keyed *starts; // of the current device: time, core, index in its queue
    size_t n_starts, at;
    struct core_queue {
        const struct op_pair *v;
        size_t n, head;
    } * queues; // by core
    uint32_t next_device;
};

// There are no pairs if the setup lacks this analysis, or for 2023 logs, which do not tell
// ops apart; columns exist all the same.
void op_to_op_start(struct op_to_op *o, const struct device_analysis *d);
// The next row, by device; false after the last one.
bool op_to_op_next(struct op_to_op *o);
void op_to_op_end(struct op_to_op *o);

#endif
