// sample_ops.c - see sample_ops.h.
#include "sample_ops.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "workloads/workloads.h"

// Runs the body; what it has seen is to be freed.
static struct buf run(const char *config, const char *dispatch, const char *chip,
                      void (*body)(struct bench *b))
{
    char all[128], err[256] = "";
    (void)snprintf(all, sizeof all, "%s dispatch=%s", config, dispatch);
    struct bench b = {.m = ttrt_open(all, err), .chip = chip, .seed = 1};
    if (!b.m)
        fail_msg("%s: %s", all, err);
    ttrt_use_grid(b.m, 3, 2);
    body(&b);
    if (ttrt_error(b.m)[0])
        fail_msg("%s: %s", all, ttrt_error(b.m));
    assert_int_equal(ttrt_close(b.m), 0);
    arena_free(&b.a);
    return b.seen;
}

// Whoever launches the programs, they give the same bits.
static void on_chip(const char *config, const char *chip, void (*body)(struct bench *b))
{
    struct buf slow = run(config, "slow", chip, body);
    struct buf fast = run(config, "fast", chip, body);
    assert_int_equal(slow.n, fast.n);
    if (slow.n && memcmp(slow.p, fast.p, slow.n) != 0)
        fail_msg("%s: results differ with fast dispatch", config);
    buf_free(&slow);
    buf_free(&fast);
}

void on_both_chips(void (*body)(struct bench *b))
{
    on_chip("arch=wormhole", "wormhole", body);
    on_chip("arch=blackhole", "blackhole", body);
}

void on_two_chips(void (*body)(struct bench *b))
{
    on_chip("board=n300", "wormhole", body);
    on_chip("arch=blackhole devices=2 links=line", "blackhole", body);
}

float *values_new(struct bench *b, size_t n)
{
    return push_many(&b->a, float, n);
}

struct ttrt_spec spec_of(struct shape4 s, int dtype)
{
    struct ttrt_spec spec = ttrt_spec4(s.n[0], s.n[1], s.n[2], s.n[3]);
    spec.dtype = dtype;
    return spec;
}

struct pair pair_of(struct bench *b, struct ttrt_spec spec, const float *values)
{
    struct pair p;
    memcpy(p.shape.n, spec.shape, sizeof p.shape.n);
    p.v = values_new(b, shape4_volume(p.shape));
    p.t = ttrt_from_host(b->m, values, spec, "operand");
    ttrt_to_host(b->m, 0, p.t, p.v);
    return p;
}

struct pair pair_make(struct bench *b, struct ttrt_spec spec, float scale)
{
    struct shape4 shape;
    memcpy(shape.n, spec.shape, sizeof shape.n);
    size_t n = shape4_volume(shape);
    float *v = values_new(b, n);
    b->seed++;
    for (size_t i = 0; i < n; i++)
        v[i] = data_real(b->seed, (uint32_t)i) * scale;
    return pair_of(b, spec, v);
}

static double allowed(struct within within, double want, double largest)
{
    return within.error * fmax(fabs(want), within.floor * largest);
}

void check_on(struct bench *b, int device, ttrt_tensor *t, const float *want,
              struct within within, const char *what)
{
    if (!t)
        fail_msg("%s: %s: %s", b->chip, what, ttrt_error(b->m));
    size_t n = ttrt_volume(t);
    bool is_bf16 = ttrt_spec_of(t).dtype == TTRT_BFLOAT16;
    double largest = 0;
    float *got = values_new(b, n);
    ttrt_to_host(b->m, device, t, got);
    buf_str(&b->seen, (str){(const char *)got, n * sizeof *got});
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs((double)want[i]));
    for (size_t i = 0; i < n; i++) {
        float w = is_bf16 ? bf16_round(want[i]) : want[i];
        double off = fabs((double)got[i] - (double)w);
        if (got[i] != w && !(off <= allowed(within, (double)w, largest)))
            fail_msg("%s: %s: value %zu of %zu is %.9g, should be %.9g (off by %g)",
                     b->chip, what, i, n, (double)got[i], (double)w, off);
    }
    ttrt_free(b->m, t);
}

void check(struct bench *b, ttrt_tensor *t, const float *want, struct within within,
           const char *what)
{
    check_on(b, 0, t, want, within, what);
}
