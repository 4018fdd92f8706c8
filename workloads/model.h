// model.h - workloads that are models: runtime ops on the run's device, one after the
// other; then every result is compared with the host's computation on the same operands.
#ifndef TTP_WORKLOADS_MODEL_H
#define TTP_WORKLOADS_MODEL_H

#include "ttprof/runtime.h"
#include "workloads/reference.h"
#include "workloads/workloads.h"

struct model_op {
    const char *code, *name; // name: of its first result
    uint32_t id;
    bool is_hit; // in the program cache
};

struct model {
    struct run *r;
    ttrt *m;
    VEC(struct model_op) ops; // on device 0, in order
    VEC(float *) values;      // of tensors already read, parallel to `tensors`
    VEC(const ttrt_tensor *) tensors;
    double worst; // largest relative error of a result
};

void model_open(struct model *w, struct run *r);
// All ops have run: turns a failure of the runtime into one of the run.
void model_finish(struct model *w);
void model_close(struct model *w);
// Figures: cycles per op and in total, share of matmuls, worst error.
void model_report(struct model *w);
void model_report_sums(struct model *w); // without individual ops

// A tensor of generated values; a matrix if only two sizes are given.
ttrt_tensor *model_made(struct model *w, const char *name, uint32_t rows, uint32_t columns,
                        uint32_t seed, float scale);
ttrt_tensor *model_from(struct model *w, const char *name, uint32_t rows, uint32_t columns,
                        const float *values);
struct ttrt_how model_named(const char *name);

// --- checks, after model_finish ---
const float *model_values(struct model *w, const ttrt_tensor *t);
// Off by at most `tolerance` of a value's size, or of the largest one's for small values;
// 0: identical after rounding to the tensor's format.
void model_check(struct model *w, const ttrt_tensor *t, const float *want,
                 double tolerance);
void model_check_linear(struct model *w, const ttrt_tensor *t, const ttrt_tensor *a,
                        const ttrt_tensor *b, const ttrt_tensor *bias, int activation);
void model_check_unary(struct model *w, const ttrt_tensor *t, int function,
                       const ttrt_tensor *a);
void model_check_scale(struct model *w, const ttrt_tensor *t, const ttrt_tensor *a,
                       float scale);
void model_check_binary(struct model *w, const ttrt_tensor *t, int function,
                        const ttrt_tensor *a, const ttrt_tensor *b);
void model_check_softmax(struct model *w, const ttrt_tensor *t, const ttrt_tensor *a,
                         float scale);
void model_check_layernorm(struct model *w, const ttrt_tensor *t, const ttrt_tensor *a,
                           const ttrt_tensor *gamma, const ttrt_tensor *beta,
                           float epsilon);
void model_check_transpose(struct model *w, const ttrt_tensor *t, const ttrt_tensor *a);
void model_check_split(struct model *w, ttrt_tensor *const out[3], const ttrt_tensor *qkv);
void model_check_concat(struct model *w, const ttrt_tensor *t, const ttrt_tensor *a);

#endif
