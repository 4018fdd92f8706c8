// op_stitch.h - one report from two runs of the same program: host times from a run without
// device profiling, device times from a run with it.
//
// The n-th op of a name with the same tensors on a device in one run is the n-th such op in
// the other. Programs that do not repeat exactly are detected by their counts.
#ifndef TTP_ANALYSE_OPS_OP_STITCH_H
#define TTP_ANALYSE_OPS_OP_STITCH_H

#include "analyse/host/host_ops.h"

struct op_stitch {
    uint64_t n_matched;   // ops in both runs
    uint64_t n_host_only; // only in the run without device profiling
    uint64_t n_lost;      // only in the run with it
    uint64_t n_rows_out;  // measurements of these and of unknown ops, dropped
    uint64_t n_names;     // names, tensors and devices with different counts
    char first[200];      // the first of them, in words
};

// Gives the rows the op ids of `host`. `measured` is the host's half of the run in which
// they were measured.
void op_stitch(struct device_rows *rows, const struct host_ops *measured,
               const struct host_ops *host, struct op_stitch *s);

#endif
