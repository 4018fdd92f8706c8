// mlp.c - two layers with a gelu in between; optionally also as a trace.
#include "ttprof/host.h"
#include "workloads/model.h"

enum { DIM = 256 };

static const struct workload_setting settings[] = {
    {SETTING_SIZE, DIM, 64, DIM,
     "width of the layer; the hidden width is four times as large"},
    {SETTING_RUNS, 0, 0, 1000, "replays of the ops as a trace"},
    {SETTING_GRID_X, 8, 1, 14, "cores across"},
    {SETTING_GRID_Y, 8, 1, 10, "cores down"},
};

struct layers {
    const ttrt_tensor *x, *w1, *w2;
    ttrt_tensor *up, *act, *down;
};

static void forward(struct model *w, struct layers *l)
{
    struct ttrt_how up = model_named("up"), act = model_named("gelu");
    struct ttrt_how down = model_named("down");
    l->up = ttrt_matmul(w->m, l->x, l->w1, &up);
    l->act = ttrt_unary(w->m, TTRT_GELU, l->up, &act);
    l->down = ttrt_matmul(w->m, l->act, l->w2, &down);
}

static void check(struct model *w, const struct layers *l)
{
    model_check_linear(w, l->up, l->x, l->w1, NULL, TTRT_UNARIES);
    model_check_unary(w, l->act, TTRT_GELU, l->up);
    model_check_linear(w, l->down, l->act, l->w2, NULL, TTRT_UNARIES);
}

// Capturing runs nothing; results are available after the first replay.
static void replay(struct model *w, struct layers *l, int64_t runs)
{
    int trace = ttrt_trace_begin(w->m);
    forward(w, l);
    ttrt_trace_end(w->m, trace);
    for (int64_t i = 0; i < runs; i++)
        ttrt_trace_replay(w->m, trace);
    ttrt_trace_release(w->m, trace);
}

static void run_mlp(struct run *r)
{
    struct model w;
    uint32_t dim = (uint32_t)r->setting[SETTING_SIZE] / TILE_SIDE * TILE_SIDE;
    int64_t runs = r->setting[SETTING_RUNS];
    model_open(&w, r);
    struct layers l = {.x = model_made(&w, "x", dim, dim, 21, 1),
                       .w1 = model_made(&w, "w1", dim, 4 * dim, 22, 0.125F),
                       .w2 = model_made(&w, "w2", 4 * dim, dim, 23, 0.0625F)};
    struct layers replayed = l;
    ttprof_signpost("start", NULL);
    forward(&w, &l);
    if (runs)
        replay(&w, &replayed, runs);
    ttprof_signpost("stop", NULL);
    model_finish(&w);
    check(&w, &l);
    if (runs)
        check(&w, &replayed);
    run_figure(r, "rows", dim, 0, "");
    run_figure(r, "hidden", 4 * dim, 0, "");
    if (runs)
        run_figure(r, "replays", (double)runs, 0, "");
    model_report(&w);
    model_close(&w);
}

const struct workload workload_mlp = {
    .name = "mlp",
    .what = "matmul, gelu, matmul",
    .shows = "a short op report: the two products dominate",
    .settings = settings,
    .n_settings = sizeof settings / sizeof *settings,
    .run = run_mlp,
};
