// host_step.c - training on the host.
#include "workloads/training_step/host_step.h"

#include <math.h>
#include <string.h>

#include "ttprof/runtime.h"
#include "workloads/reference.h"
#include "workloads/workloads.h"

static const struct {
    const char *name;
    uint32_t rows, columns;
    float scale;
} weights[WEIGHTS] = {
    [TABLE] = {"table", TOKENS, WIDTH, 1}, [W1] = {"w1", WIDTH, HIDDEN, 0.2F},
    [B1] = {"b1", 1, HIDDEN, 0.125F},      [W2] = {"w2", HIDDEN, CLASSES, 0.125F},
    [B2] = {"b2", 1, CLASSES, 0.125F},
};

uint32_t host_rows(int weight)
{
    return weights[weight].rows;
}

uint32_t host_columns(int weight)
{
    return weights[weight].columns;
}

const char *host_name(int weight)
{
    return weights[weight].name;
}

static size_t volume(int weight)
{
    return (size_t)weights[weight].rows * weights[weight].columns;
}

static float *room(struct host_step *h, size_t n)
{
    return push_many(h->a, float, n);
}

void host_step_open(struct host_step *h, struct arena *a, uint32_t n)
{
    *h = (struct host_step){.a = a, .n = n};
    for (int i = 0; i < WEIGHTS; i++) {
        h->weight[i] = room(h, volume(i));
        h->start[i] = room(h, volume(i));
        for (size_t k = 0; k < volume(i); k++)
            h->weight[i][k] = data_real(50 + (uint32_t)i, (uint32_t)k) * weights[i].scale;
        memcpy(h->start[i], h->weight[i], volume(i) * sizeof(float));
    }
    h->ids = push_many(a, uint32_t, n);
    h->chosen = room(h, (size_t)TOKENS * n);
    h->target = room(h, (size_t)n * CLASSES);
}

// Every token has its own class, which is what is to be learned.
void host_step_load(struct host_step *h, uint32_t step)
{
    memset(h->chosen, 0, (size_t)TOKENS * h->n * sizeof(float));
    memset(h->target, 0, (size_t)h->n * CLASSES * sizeof(float));
    for (uint32_t i = 0; i < h->n; i++) {
        uint32_t id = data_word(60 + step, i) % TOKENS;
        h->ids[i] = id;
        h->chosen[(size_t)id * h->n + i] = 1;
        h->target[(size_t)i * CLASSES + id * 7 % CLASSES] = 1;
    }
}

double host_step_loss(const struct host_step *h, const float *share)
{
    double loss = 0;
    for (size_t i = 0; i < (size_t)h->n * CLASSES; i++)
        if (h->target[i] > 0)
            loss -= log(fmax((double)share[i], 1e-30)) / h->n;
    return loss;
}

static float *product(struct host_step *h, const float *a, const float *b,
                      const float *bias, uint32_t rows, uint32_t inner, uint32_t columns)
{
    float *out = room(h, (size_t)rows * columns);
    reference_matmul(out, a, b, bias,
                     (struct reference_matmul){1, rows, inner, columns, 1});
    return out;
}

static float *turned(struct host_step *h, const float *a, uint32_t rows, uint32_t columns)
{
    float *out = room(h, (size_t)rows * columns);
    reference_transpose(out, a, (struct shape4){{1, 1, rows, columns}});
    return out;
}

static void move(struct host_step *h, int weight, const float *gradient)
{
    for (size_t i = 0; i < volume(weight); i++)
        h->weight[weight][i] -= RATE * gradient[i];
}

struct faults {
    float *weight, *bias, *input;
};

static struct faults layer_backward(struct host_step *h, const float *input, int weight,
                                    const float *fault)
{
    uint32_t rows = weights[weight].rows, columns = weights[weight].columns;
    struct faults f = {.bias = room(h, columns)};
    f.weight = product(h, turned(h, input, h->n, rows), fault, NULL, rows, h->n, columns);
    reference_reduce(f.bias, fault, (struct shape4){{1, 1, h->n, columns}}, TTRT_SUM,
                     TTRT_DIM_Y);
    f.input = product(h, fault, turned(h, h->weight[weight], rows, columns), NULL, h->n,
                      columns, rows);
    return f;
}

void host_step_train(struct host_step *h)
{
    size_t n = h->n;
    float *x = room(h, n * WIDTH), *normal = room(h, n * WIDTH), *act, *share, *fault;
    reference_embedding(x, h->ids, n, h->weight[TABLE], TOKENS, WIDTH);
    reference_layernorm(normal, x, n, WIDTH, NULL, NULL, (double)EPSILON);
    float *hidden = product(h, normal, h->weight[W1], h->weight[B1], h->n, WIDTH, HIDDEN);
    act = room(h, n * HIDDEN);
    for (size_t i = 0; i < n * HIDDEN; i++)
        act[i] = reference_unary(TTRT_GELU, hidden[i]);
    float *logits = product(h, act, h->weight[W2], h->weight[B2], h->n, HIDDEN, CLASSES);
    share = room(h, n * CLASSES);
    fault = room(h, n * CLASSES);
    reference_softmax(share, logits, n, CLASSES, 1);
    for (size_t i = 0; i < n * CLASSES; i++)
        fault[i] = (share[i] - h->target[i]) / (float)n;

    struct faults second = layer_backward(h, act, W2, fault);
    float *of_hidden = room(h, n * HIDDEN), *of_x = room(h, n * WIDTH);
    reference_gelu_backward(of_hidden, second.input, hidden, n * HIDDEN);
    struct faults first = layer_backward(h, normal, W1, of_hidden);
    reference_layernorm_backward(of_x, first.input, x, n, WIDTH, (double)EPSILON);
    float *of_table = product(h, h->chosen, of_x, NULL, TOKENS, h->n, WIDTH);
    move(h, TABLE, of_table);
    move(h, W1, first.weight);
    move(h, B1, first.bias);
    move(h, W2, second.weight);
    move(h, B2, second.bias);
}

double host_step_error(const struct host_step *h, int weight, const float *got)
{
    double change = 0, off = 0;
    for (size_t i = 0; i < volume(weight); i++) {
        double now = (double)h->weight[weight][i];
        change = fmax(change, fabs(now - (double)h->start[weight][i]));
        double error = fabs((double)got[i] - now);
        off = isnan(error) ? INFINITY : fmax(off, error);
    }
    return change > 0 ? off / change : INFINITY;
}
