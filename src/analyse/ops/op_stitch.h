// op_stitch.h - one report from two runs of the same program: host times from a run without
// device profiling, device times from a run with it.
//
// The n-th op of a name with the same tensors on a device in one run is the n-th of these
// on it in the other. Programs that do not do the same twice are noticed by their counts.
#ifndef TTP_ANALYSE_OPS_OP_STITCH_H
#define TTP_ANALYSE_OPS_OP_STITCH_H

#include "analyse/host/host_ops.h"

struct op_stitch {
    uint64_t n_matched;   // ops that both runs have
    uint64_t n_host_only; // that only the run without device profiling has
    uint64_t n_lost;      // that only the run with it has
    uint64_t n_rows_out;  // measurements of these, and of ops no host told of: left out
    uint64_t n_names;     // names, tensors and devices with other counts
    char first[200];      // of them, in words
};

// Gives the rows the ids of the ops of `host`. `measured` is the host's half of the run in
// which they were measured.
void op_stitch(struct device_rows *rows, const struct host_ops *measured,
               const struct host_ops *host, struct op_stitch *s);

#endif
