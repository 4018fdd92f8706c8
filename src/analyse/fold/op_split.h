// op_split.h - separates the executions of one program by the firmware zones.
#ifndef TTP_ANALYSE_FOLD_OP_SPLIT_H
#define TTP_ANALYSE_FOLD_OP_SPLIT_H

#include "trace/trace.h"

// Gives each execution after the first its own run, for the marked runs. `master` is that
// of master_riscs.
void op_split(struct trace *t, const uint32_t *master, const bool *is_repeated);

#endif
