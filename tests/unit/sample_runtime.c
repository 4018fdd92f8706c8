#include "sample_runtime.h"

#include <stdlib.h>

static void see(void *context, const struct rt_op *op, int device, uint32_t id, bool is_hit)
{
    struct sample_seen *seen = context;
    assert_non_null(op);
    *seen = (struct sample_seen){id, device, is_hit, seen->n + 1};
}

void sample_runtime_open(struct sample_runtime *s, const char *config)
{
    struct err e = {0};
    ttdev_cfg cfg;
    *s = (struct sample_runtime){0};
    ttdev_cfg_default(&cfg);
    assert_true(ttdev_cfg_parse(&cfg, config, &e) >= 0);
    assert_int_equal(ttdev_open(&cfg, &s->t, &e), 0);
    s->m = ttrt_over(s->t);
    rt_on_op(s->m, see, &s->seen);
}

void sample_runtime_close(struct sample_runtime *s)
{
    assert_string_equal(ttrt_error(s->m), "");
    assert_int_equal(ttrt_close(s->m), 0);
    ttdev_close(s->t);
}

ttrt_tensor *sample_tensor(ttrt *m, struct ttrt_spec spec, float first, const char *name)
{
    size_t n = (size_t)spec.shape[0] * spec.shape[1] * spec.shape[2] * spec.shape[3];
    float *values = malloc(n * sizeof *values);
    assert_non_null(values);
    for (size_t i = 0; i < n; i++)
        values[i] = first + (float)(i % 64);
    ttrt_tensor *t = ttrt_from_host(m, values, spec, name);
    free(values);
    return t;
}

static void add_program(struct rt_program *p)
{
    const struct rt_op *op = p->op;
    uint32_t tiles = op->outputs[0]->n_pages;
    ttdev_range all = rt_cores_for(p->m, tiles);
    uint32_t across = (uint32_t)all.to.x + 1, cores = across * ((uint32_t)all.to.y + 1);
    for (int cb = 0; cb < 3; cb++)
        rt_make_cb(p, all, cb == 2 ? 16 : cb, 2, 2048);
    int reader = rt_make_kernel(p, all, TT_NCRISC, "eltwise_add/read", 0);
    int writer = rt_make_kernel(p, all, TT_BRISC, "eltwise_add/write", 1);
    int compute = rt_make_compute(p, all, "eltwise_add/add");
    for (uint32_t i = 0; i < cores; i++) {
        uint32_t first = tiles * i / cores, n = tiles * (i + 1) / cores - first;
        ttdev_xy at = {(int)(i % across), (int)(i / across)};
        ttdev_range one = {at, at};
        rt_set_args(p, reader, one,
                    (uint32_t[]){op->inputs[0]->address, op->inputs[1]->address, first, n},
                    4);
        rt_set_args(p, writer, one, (uint32_t[]){op->outputs[0]->address, first, n}, 3);
        rt_set_args(p, compute, one, &n, 1);
    }
}

static void add_model(const ttrt *m, const struct rt_op *op, struct rt_model *model)
{
    rt_model_cycles(m, op, rt_model_vector_cycles(m, ttrt_volume(op->outputs[0])), model);
}

struct rt_op sample_add_op(ttrt *m, const char *scheme, const ttrt_tensor *a,
                           const ttrt_tensor *b, ttrt_tensor *c)
{
    static const struct rt_kernel kernels[] = {
        {"eltwise_add/read", "workloads/eltwise_add/read.ncrisc.c", TT_NCRISC, false, 0},
        {"eltwise_add/write", "workloads/eltwise_add/write.brisc.c", TT_BRISC, false, 0},
        {"eltwise_add/add", "workloads/eltwise_add/add.compute.c", TT_TRISC0, true,
         TTRT_HIFI4},
    };
    return (struct rt_op){
        .code = "SampleAdd",
        .attributes = {rt_attribute_text(m, "scheme", scheme),
                       rt_attribute_number(m, "depth", 2)},
        .n_attributes = 2,
        .inputs = {a, b},
        .n_inputs = 2,
        .outputs = {c},
        .n_outputs = 1,
        .kernels = kernels,
        .n_kernels = sizeof kernels / sizeof *kernels,
        .program = add_program,
        .model = add_model,
    };
}

ttrt_tensor *sample_add(ttrt *m, const char *scheme, const ttrt_tensor *a,
                        const ttrt_tensor *b)
{
    ttrt_tensor *c = ttrt_empty(m, ttrt_spec_of(a), "c");
    struct rt_op op = sample_add_op(m, scheme, a, b, c);
    rt_run(m, &op);
    return c;
}
