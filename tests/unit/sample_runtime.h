// sample_runtime.h - a small device with the runtime over it, and one op whose kernels the
// product brings: the sum of two tensors of bf16 tiles in DRAM.
#ifndef TTP_TESTS_SAMPLE_RUNTIME_H
#define TTP_TESTS_SAMPLE_RUNTIME_H

#include "runtime/parts.h"
#include "test.h"

struct sample_seen { // what rt_on_op told last
    uint32_t id;
    int device;
    bool is_hit;
    size_t n;
};

struct sample_runtime {
    ttdev *t;
    ttrt *m;
    struct sample_seen seen;
    char name[16]; // of the attribute `scheme`, for other hashes
};

// config as in TTPROF_DEVICE.
void sample_runtime_open(struct sample_runtime *s, const char *config);
void sample_runtime_close(struct sample_runtime *s); // nothing went wrong until here

// n values, small whole numbers from `first` on.
ttrt_tensor *sample_tensor(ttrt *m, struct ttrt_spec spec, float first, const char *name);
// The op's description; attributes are in the arena of the op.
struct rt_op sample_add_op(ttrt *m, const char *scheme, const ttrt_tensor *a,
                           const ttrt_tensor *b, ttrt_tensor *c);
// Makes the result and runs it.
ttrt_tensor *sample_add(ttrt *m, const char *scheme, const ttrt_tensor *a,
                        const ttrt_tensor *b);

#endif
