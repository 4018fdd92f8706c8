// host_step.h - the data of training_step, and the same training in plain C.
#ifndef TTP_WORKLOADS_HOST_STEP_H
#define TTP_WORKLOADS_HOST_STEP_H

#include "base/data/arena.h"

enum { TOKENS = 64, WIDTH = 64, HIDDEN = 128, CLASSES = 64 };
enum { TABLE, W1, B1, W2, B2, WEIGHTS };
#define EPSILON 1e-5F
#define RATE    2.0F

uint32_t host_rows(int weight);
uint32_t host_columns(int weight);
const char *host_name(int weight);

struct host_step {
    struct arena *a;
    uint32_t n;                              // tokens per step
    float *weight[WEIGHTS], *start[WEIGHTS]; // current and initial
    uint32_t *ids;
    float *chosen, *target; // one-hot: [TOKENS, n], [n, CLASSES]
};

void host_step_open(struct host_step *h, struct arena *a, uint32_t n);
void host_step_load(struct host_step *h, uint32_t step); // the data of a step
void host_step_train(struct host_step *h);
double host_step_loss(const struct host_step *h, const float *share);
// The error of a weight's change, relative to the largest change.
double host_step_error(const struct host_step *h, int weight, const float *got);

#endif
