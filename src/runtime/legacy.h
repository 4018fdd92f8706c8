// legacy.h - an op of the profiler of 2023 on its stack, and how it is written.
#ifndef TTP_RUNTIME_LEGACY_H
#define TTP_RUNTIME_LEGACY_H

#include "base/file/file.h"
#include "base/file/folder.h"

#include "runtime/parts.h"

struct legacy_call {
    const char *name;
    uint64_t start, stop;
};

struct legacy_op {
    struct buf name, preferred, meta, inputs, outputs;
    struct buf fidelity, compute_paths, compute_hashes, movement_paths, movement_hashes;
    struct buf input_rates, output_rates;
    int64_t ideal_ns, compute_ns, bandwidth_ns;
    bool has_model;
    const char *type;
    uint64_t start, stop;
    uint32_t global_count, count, depth; // depth: ops open, itself too
    VEC(struct legacy_call) calls;
};

// The row of the op behind those of its other calls, and the files of this call in the
// folder `path`, which ends in '/'. `m`: whose device is profiled; NULL: none.
void legacy_write(struct legacy_op *op, struct buf *path, ttrt *m);
void legacy_free(struct legacy_op *op);
void legacy_put_logs(struct buf *b); // the folder of device logs, ends in '/'
// Errors are told once.
void legacy_append(const char *path, const char *head, str text);
void legacy_join(struct buf *list, str text, char separator);
struct legacy_op *rt_legacy_top(void);

#endif
