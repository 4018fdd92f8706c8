// stream.c - batches that come from the host, go through two layers and return to it: first
// with one command queue, then with a second one for the transfers.
#include <string.h>

#include "ttprof/dispatch_words.h"
#include "ttprof/host.h"
#include "workloads/model.h"

enum { DIM = 256, BUFFERS = 2 };

static const struct workload_setting settings[] = {
    {SETTING_SIZE, DIM, 64, 1024, "rows and columns of a batch"},
    {SETTING_LOOPS, 8, 1, 1000, "batches"},
    {SETTING_GRID_X, 8, 1, 14, "cores across"},
    {SETTING_GRID_Y, 8, 1, 10, "cores down"},
};

// Two of everything, so that one batch can be moved while another one is computed.
struct stage {
    ttrt_tensor *x, *up, *act, *down;
    int trace;
    ttrt_event is_computed, is_read;
};

struct stream {
    struct model w;
    uint32_t dim, n;
    ttrt_tensor *w1, *w2;
    struct stage stages[BUFFERS];
    float **in, **out; // by batch
};

static void capture(struct stream *s, struct stage *stage)
{
    ttrt *m = s->w.m;
    struct ttrt_how up = model_named("up"), act = model_named("gelu");
    struct ttrt_how down = model_named("down");
    stage->x = ttrt_empty(m, ttrt_spec2(s->dim, s->dim), "x");
    stage->trace = ttrt_trace_begin(m);
    stage->up = ttrt_matmul(m, stage->x, s->w1, &up);
    stage->act = ttrt_unary(m, TTRT_GELU, stage->up, &act);
    stage->down = ttrt_matmul(m, stage->act, s->w2, &down);
    ttrt_trace_end(m, stage->trace);
}

static void make(struct stream *s)
{
    size_t n = (size_t)s->dim * s->dim;
    struct arena *a = &s->w.r->a;
    s->w1 = model_made(&s->w, "w1", s->dim, s->dim, 31, 0.125F);
    s->w2 = model_made(&s->w, "w2", s->dim, s->dim, 32, 0.125F);
    for (int i = 0; i < BUFFERS; i++)
        capture(s, &s->stages[i]);
    s->in = push_many(a, float *, s->n);
    s->out = push_many(a, float *, s->n);
    for (uint32_t k = 0; k < s->n; k++) {
        s->in[k] = push_many(a, float, n);
        s->out[k] = push_many(a, float, n);
        for (size_t i = 0; i < n; i++)
            s->in[k][i] = data_real(40 + k, (uint32_t)i);
    }
}

// `queue` moves the batches. Where it is queue 0 the events change nothing.
static void put_batch(struct stream *s, int queue, uint32_t k)
{
    ttrt *m = s->w.m;
    struct stage *stage = &s->stages[k % BUFFERS];
    ttrt_wait_event(m, queue, stage->is_computed);
    ttrt_write(m, queue, stage->x, s->in[k]);
    ttrt_wait_event(m, 0, ttrt_record_event(m, queue));
    ttrt_wait_event(m, 0, stage->is_read);
    ttrt_trace_replay(m, stage->trace);
    stage->is_computed = ttrt_record_event(m, 0);
}

static void get_batch(struct stream *s, int queue, uint32_t k)
{
    ttrt *m = s->w.m;
    struct stage *stage = &s->stages[k % BUFFERS];
    ttrt_wait_event(m, queue, stage->is_computed);
    ttrt_read(m, queue, 0, stage->down, s->out[k]);
    stage->is_read = ttrt_record_event(m, queue);
}

// Returns how long the host took, in ns.
static double run_batches(struct stream *s, int queue)
{
    uint64_t start = ttdev_host_ns(s->w.r->t);
    for (uint32_t k = 0; k < s->n; k++) {
        put_batch(s, queue, k);
        if (k) // while the next one is computed
            get_batch(s, queue, k - 1);
    }
    get_batch(s, queue, s->n - 1);
    ttrt_synchronise(s->w.m);
    return (double)(ttdev_host_ns(s->w.r->t) - start);
}

// The last batches are still on the device.
static void check_stages(struct stream *s)
{
    for (uint32_t i = 0; i < BUFFERS && i < s->n; i++) {
        struct stage *stage = &s->stages[i];
        model_check_linear(&s->w, stage->up, stage->x, s->w1, NULL, TTRT_UNARIES);
        model_check_unary(&s->w, stage->act, TTRT_GELU, stage->up);
        model_check_linear(&s->w, stage->down, stage->act, s->w2, NULL, TTRT_UNARIES);
    }
}

static void check_same(struct stream *s, float *const *before)
{
    size_t bytes = (size_t)s->dim * s->dim * sizeof(float), wrong = 0;
    for (uint32_t k = 0; k < s->n; k++)
        wrong += memcmp(s->out[k], before[k], bytes) != 0;
    run_check(s->w.r, wrong == 0, "%zu batches differ with two queues", wrong);
}

static double run_with_two(struct stream *s)
{
    float **before = s->out;
    s->out = push_many(&s->w.r->a, float *, s->n);
    for (uint32_t k = 0; k < s->n; k++)
        s->out[k] = push_many(&s->w.r->a, float, (size_t)s->dim * s->dim);
    ttprof_signpost("two queues", NULL);
    double ns = run_batches(s, 1);
    check_same(s, before);
    return ns;
}

static void run_stream(struct run *r)
{
    struct stream s = {.dim = (uint32_t)r->setting[SETTING_SIZE] / TILE_SIDE * TILE_SIDE,
                       .n = (uint32_t)r->setting[SETTING_LOOPS]};
    model_open(&s.w, r);
    make(&s);
    ttprof_signpost("one queue", NULL);
    double one = run_batches(&s, 0), two = 0;
    if (ttrt_n_queues(s.w.m) > 1)
        two = run_with_two(&s);
    ttprof_signpost("stop", NULL);
    model_finish(&s.w);
    check_stages(&s);
    run_figure(r, "batches", s.n, 0, "");
    run_figure(r, "one queue, per batch", one / s.n / 1e3, 1, "us");
    if (two > 0) {
        run_figure(r, "two queues, per batch", two / s.n / 1e3, 1, "us");
        run_figure(r, "two queues / one", two / one, 2, "");
    }
    model_close(&s.w);
}

static void configure(ttdev_cfg *cfg)
{
    if (cfg->dispatch == TTDEV_DISPATCH_SLOW)
        return;
    cfg->dispatch = TTDEV_DISPATCH_FAST;
    cfg->cqs = TT_QUEUES;
}

const struct workload workload_stream = {
    .name = "stream",
    .what = "batches in, two layers, batches out; with one command queue and with two",
    .shows =
        "with two queues transfers run while ops do: dispatch cores write pages in the middle of kernels",
    .settings = settings,
    .n_settings = sizeof settings / sizeof *settings,
    .configure = configure,
    .run = run_stream,
};
