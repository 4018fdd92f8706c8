// model.c - models on the runtime: their ops, figures, and checks of every result.
#include "workloads/model.h"

#include <math.h>
#include <string.h>

#include "runtime/runtime.h"

// --- lifetime ---

static void note_op(void *context, const struct rt_op *op, int device, uint32_t id,
                    bool is_hit)
{
    struct model *w = context;
    if (w->r->hear_op)
        w->r->hear_op(w->r->hear_context, op, device, id, is_hit);
    if (device != 0 || !op->n_outputs) // markers have none
        return;
    // The tensor may be freed before the run is reported.
    str name = arena_str(&w->r->a, str_of(op->outputs[0]->name));
    vec_push(&w->ops, (struct model_op){
                          .code = op->code, .name = name.p, .id = id, .is_hit = is_hit});
}

void model_open(struct model *w, struct run *r)
{
    *w = (struct model){.r = r};
    if (r->has_failed)
        return;
    w->m = ttrt_over(r->t);
    rt_set_timeout(w->m, r->timeout_ns);
    ttrt_use_grid(w->m, (int)r->setting[SETTING_GRID_X], (int)r->setting[SETTING_GRID_Y]);
    if (run_is_profiled(r)) // whoever started the run owns the profiler
        rt_use_reader(w->m, r->read, r->read_context);
    rt_on_op(w->m, note_op, w);
    run_watch(r);
}

void model_finish(struct model *w)
{
    if (!w->m)
        return;
    ttrt_synchronise(w->m);
    if (ttrt_error(w->m)[0])
        run_fail(w->r, "%s", ttrt_error(w->m));
    run_unwatch(w->r);
}

void model_close(struct model *w)
{
    if (w->m && ttrt_close(w->m) < 0)
        run_fail(w->r, "the runtime does not close");
    vec_free(&w->ops);
    vec_free(&w->values);
    vec_free(&w->tensors);
}

// --- tensors ---

struct ttrt_how model_named(const char *name)
{
    return (struct ttrt_how){.name = name};
}

ttrt_tensor *model_from(struct model *w, const char *name, uint32_t rows, uint32_t columns,
                        const float *values)
{
    return ttrt_from_host(w->m, values, ttrt_spec2(rows, columns), name);
}

ttrt_tensor *model_made(struct model *w, const char *name, uint32_t rows, uint32_t columns,
                        uint32_t seed, float scale)
{
    size_t n = (size_t)rows * columns;
    float *v = push_many(&w->r->a, float, n);
    for (size_t i = 0; i < n; i++)
        v[i] = data_real(seed, (uint32_t)i) * scale;
    return model_from(w, name, rows, columns, v);
}

// --- checks ---

// Each tensor is read once. After a failure there may be none; then the values do not
// matter.
const float *model_values(struct model *w, const ttrt_tensor *t)
{
    if (!t || w->r->has_failed)
        return NULL;
    for (size_t i = 0; i < w->tensors.n; i++)
        if (w->tensors.v[i] == t)
            return w->values.v[i];
    float *v = push_many(&w->r->a, float, ttrt_volume(t));
    ttrt_to_host(w->m, 0, t, v);
    if (ttrt_error(w->m)[0])
        run_fail(w->r, "%s", ttrt_error(w->m));
    vec_push(&w->tensors, t);
    vec_push(&w->values, v);
    return v;
}

static struct shape4 shape_of(const ttrt_tensor *t)
{
    struct ttrt_spec spec = ttrt_spec_of(t);
    struct shape4 shape;
    memcpy(shape.n, spec.shape, sizeof shape.n);
    return shape;
}

// As the tensor has them: other formats than bf16 by way of a tensor.
static void round_to(struct model *w, const ttrt_tensor *t, const float *want,
                     float *rounded)
{
    if (t->spec.dtype == TTRT_BFLOAT16) {
        for (size_t i = 0; i < ttrt_volume(t); i++)
            rounded[i] = bf16_round(want[i]);
        return;
    }
    struct ttrt_spec spec = t->spec;
    spec.memory = (struct ttrt_memory){.buffer = TTRT_DRAM};
    ttrt_tensor *same = ttrt_from_host(w->m, want, spec, "expected");
    ttrt_to_host(w->m, 0, same, rounded);
    ttrt_free(w->m, same);
}

void model_check(struct model *w, const ttrt_tensor *t, const float *want, double tolerance)
{
    const float *got = model_values(w, t);
    if (!got || !w->r->cfg.numerics)
        return;
    size_t n = ttrt_volume(t);
    float *rounded = push_many(&w->r->a, float, n);
    double largest = 0;
    round_to(w, t, want, rounded);
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs((double)want[i]));
    // Small results of large terms are compared relative to the large ones.
    double error = worst_error(got, rounded, n, largest / 16);
    w->worst = fmax(w->worst, error);
    run_check(w->r, error <= tolerance, "%s: off by %.4f of its size; %.4f is allowed",
              t->name, error, tolerance);
}

// Room for the expected values; NULL if the op cannot be checked.
static float *want_new(struct model *w, const ttrt_tensor *t)
{
    return t && !w->r->has_failed ? push_many(&w->r->a, float, ttrt_volume(t)) : NULL;
}

enum { ONE_STEP = 128 }; // a step of bf16 is 1 / this of a value's size

void model_check_linear(struct model *w, const ttrt_tensor *t, const ttrt_tensor *a,
                        const ttrt_tensor *b, const ttrt_tensor *bias, int activation)
{
    float *want = want_new(w, t);
    const float *x = model_values(w, a), *y = model_values(w, b);
    const float *row = model_values(w, bias);
    if (!want || !x || !y || w->r->has_failed)
        return;
    struct shape4 s = shape_of(a), u = shape_of(b);
    reference_matmul(want, x, y, row,
                     (struct reference_matmul){s.n[0] * s.n[1], s.n[2], s.n[3], u.n[3],
                                               u.n[0] * u.n[1] == 1});
    for (size_t i = 0; i < ttrt_volume(t) && activation != TTRT_UNARIES; i++)
        want[i] = reference_unary(activation, want[i]);
    model_check(w, t, want, activation == TTRT_UNARIES ? 0 : 1.0 / ONE_STEP);
}

void model_check_unary(struct model *w, const ttrt_tensor *t, int function,
                       const ttrt_tensor *a)
{
    float *want = want_new(w, t);
    const float *x = model_values(w, a);
    for (size_t i = 0; want && x && i < ttrt_volume(t); i++)
        want[i] = reference_unary(function, x[i]);
    if (x)
        model_check(w, t, want, 1.0 / ONE_STEP);
}

void model_check_scale(struct model *w, const ttrt_tensor *t, const ttrt_tensor *a,
                       float scale)
{
    float *want = want_new(w, t);
    const float *x = model_values(w, a);
    for (size_t i = 0; want && x && i < ttrt_volume(t); i++)
        want[i] = x[i] * scale;
    if (x)
        model_check(w, t, want, 0);
}

void model_check_binary(struct model *w, const ttrt_tensor *t, int function,
                        const ttrt_tensor *a, const ttrt_tensor *b)
{
    float *want = want_new(w, t);
    const float *x = model_values(w, a), *y = model_values(w, b);
    if (!want || !x || !y)
        return;
    reference_binary(want, function, x, shape_of(a), y, shape_of(b));
    model_check(w, t, want, 0);
}

// Intermediate values of softmax and layer norm are rounded to bf16 several times.
#define FEW_STEPS (5.0 / 256)

void model_check_softmax(struct model *w, const ttrt_tensor *t, const ttrt_tensor *a,
                         float scale)
{
    float *want = want_new(w, t);
    const float *x = model_values(w, a);
    if (!want || !x)
        return;
    size_t columns = shape_of(a).n[3];
    reference_softmax(want, x, ttrt_volume(a) / columns, columns, (double)scale);
    model_check(w, t, want, FEW_STEPS);
}

void model_check_layernorm(struct model *w, const ttrt_tensor *t, const ttrt_tensor *a,
                           const ttrt_tensor *gamma, const ttrt_tensor *beta, float epsilon)
{
    float *want = want_new(w, t);
    const float *x = model_values(w, a);
    if (!want || !x)
        return;
    size_t columns = shape_of(a).n[3];
    reference_layernorm(want, x, ttrt_volume(a) / columns, columns, model_values(w, gamma),
                        model_values(w, beta), (double)epsilon);
    // Includes the mean: values near it are compared relative to the largest.
    model_check(w, t, want, 4 * FEW_STEPS);
}

void model_check_transpose(struct model *w, const ttrt_tensor *t, const ttrt_tensor *a)
{
    float *want = want_new(w, t);
    const float *x = model_values(w, a);
    if (!want || !x)
        return;
    reference_transpose(want, x, shape_of(a));
    model_check(w, t, want, 0);
}

void model_check_split(struct model *w, ttrt_tensor *const out[3], const ttrt_tensor *qkv)
{
    const float *x = model_values(w, qkv);
    for (int i = 0; x && i < 3; i++) {
        float *want = want_new(w, out[i]);
        if (!want)
            return;
        struct shape4 s = shape_of(out[i]);
        reference_split_heads(want, x, i, s.n[2], s.n[1], s.n[3]);
        model_check(w, out[i], want, 0);
    }
}

void model_check_concat(struct model *w, const ttrt_tensor *t, const ttrt_tensor *a)
{
    float *want = want_new(w, t);
    const float *x = model_values(w, a);
    if (!want || !x)
        return;
    reference_concat_heads(want, x, shape_of(a));
    model_check(w, t, want, 0);
}

// --- summary ---

static void report(struct model *w, bool has_single)
{
    double all = 0, matmul = 0;
    size_t n_matmul = 0;
    for (size_t i = 0; i < w->ops.n; i++) {
        const struct model_op *op = &w->ops.v[i];
        bool is_matmul = strstr(op->code, "Matmul") != NULL;
        double cycles = (double)run_cycles(w->r, op->id >> 10);
        run_check(w->r, cycles > 0, "%s: no kernel ran", op->name);
        all += cycles;
        matmul += is_matmul ? cycles : 0;
        n_matmul += is_matmul;
        if (has_single)
            run_figure(w->r, op->name, cycles, 0, "cycles");
    }
    run_figure(w->r, "ops", (double)w->ops.n, 0, "");
    run_figure(w->r, "ops, all", all, 0, "cycles");
    run_figure(w->r, "matmuls", (double)n_matmul, 0, "");
    run_figure(w->r, "matmuls, share", all > 0 ? 100 * matmul / all : 0, 1, "%");
    run_figure(w->r, "error of an op, worst", w->worst, 5, "");
}

void model_report(struct model *w)
{
    report(w, true);
}

void model_report_sums(struct model *w)
{
    report(w, false);
}
