// sample_ops.h - small tables of ops, written down field by field.
#ifndef TTP_TESTS_SAMPLE_OPS_H
#define TTP_TESTS_SAMPLE_OPS_H

#include "../support/memory_file.h"
#include "analyse/perf/perf.h"

// NULL: the usual value, which is an empty cell unless said otherwise.
struct sample_op {
    const char *code;
    const char *type;   // tt_dnn_device
    const char *device; // 0
    const char *attributes, *fidelity;
    const char *cores; // 64
    const char *start, *gap;
    const char *ns;        // 1000
    const char *sizes[12]; // W, Z, Y, X of input 0, input 1, output 0
    const char *datatypes[3], *memories[3];
};

// Runs the report over the samples. Must be freed whatever comes out.
struct sample_run {
    struct memory_file file;
    struct perf perf;
    enum perf_status status;
    struct err e;
};

void sample_run(struct sample_run *r, const struct sample_op *ops, size_t n,
                const struct perf_options *options);
void sample_free(struct sample_run *r);

// Is there a note of exactly this text?
bool sample_has_note(const struct sample_run *r, const char *text);

#endif
