// legacy.h - an op on the stack of the 2023 profiler, and how it is written.
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
    uint32_t global_count, count, depth; // depth: open ops, including itself
    VEC(struct legacy_call) calls;
};

// Appends the op's row to those of its other calls, and writes the files of this call into
// the folder `path`, which ends in '/'. `m`: the profiled device, or NULL.
void legacy_write(struct legacy_op *op, struct buf *path, ttrt *m);
void legacy_free(struct legacy_op *op);
void legacy_put_logs(struct buf *b); // the device log folder, ending in '/'
// Errors are reported once.
void legacy_append(const char *path, const char *head, str text);
void legacy_join(struct buf *list, str text, char separator);
struct legacy_op *rt_legacy_top(void);

#endif
