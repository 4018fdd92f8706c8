// mlp.c - two layers with a gelu between them.
#include "ttprof/host.h"
#include "workloads/ops/ops.h"

enum { DIM = 256 };

static const struct workload_setting settings[] = {
    {SETTING_SIZE, DIM, 64, DIM, "width of the layer; hidden ones are four times as wide"},
    {SETTING_GRID_X, 8, 1, 14, "cores across"},
    {SETTING_GRID_Y, 8, 1, 10, "cores down"},
};

static struct tensor made(struct run *r, const char *name, int rows, int columns,
                          uint32_t seed, float scale)
{
    struct tensor t = tensor_new(r, name, rows, columns);
    tensor_fill(&t, seed, scale);
    tensor_write(r, &t);
    return t;
}

static void run_mlp(struct run *r)
{
    struct ops o;
    int dim = (int)r->setting[SETTING_SIZE] / TILE_SIDE * TILE_SIDE;
    ops_open(&o, r);
    struct tensor x = made(r, "x", dim, dim, 21, 1);
    struct tensor w1 = made(r, "w1", dim, 4 * dim, 22, 0.125F);
    struct tensor w2 = made(r, "w2", 4 * dim, dim, 23, 0.0625F);
    ttprof_signpost("start", NULL);
    struct tensor up = op_matmul(&o, "up", &x, &w1);
    struct tensor act = op_unary(&o, "gelu", &up, (struct sfpu_step){TT_SFPU_GELU, 0},
                                 (struct sfpu_step){TT_SFPU_FUNCTIONS, 0});
    struct tensor down = op_matmul(&o, "down", &act, &w2);
    (void)down;
    ttprof_signpost("stop", NULL);
    run_figure(r, "rows", dim, 0, "");
    run_figure(r, "hidden", 4 * dim, 0, "");
    ops_report(&o);
    ops_close(&o);
}

const struct workload workload_mlp = {
    .name = "mlp",
    .what = "matmul, gelu, matmul",
    .shows = "a short op report: the two products dominate",
    .settings = settings,
    .n_settings = sizeof settings / sizeof *settings,
    .run = run_mlp,
};
