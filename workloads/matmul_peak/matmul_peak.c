// matmul_peak.c - one large matmul of the op library, with the program config that gets
// most out of the chip: each operand is read once and multicast.
#include "workloads/model.h"

static const struct workload_setting settings[] = {
    {SETTING_SIZE, 2048, 32, 4096, "rows and columns of the square matrices"},
    {SETTING_FIDELITY, 1, 1, 4, "LoFi: math phases; HiFi2, HiFi3 and HiFi4 have more"},
    {SETTING_FORMAT, 1, 0, 1, "bfp8: of operands and result; or bf16"},
    {SETTING_GRID_X, 8, 1, 14, "cores across"},
    {SETTING_GRID_Y, 8, 1, 10, "cores down"},
};

// Multiples of 1/64 in [-1, 1] are exact in bfp8.
static ttrt_tensor *matrix(struct model *w, const char *name, uint32_t seed)
{
    uint32_t n = (uint32_t)w->r->setting[SETTING_SIZE];
    struct ttrt_spec spec = ttrt_spec2(n, n);
    float *v = push_many(&w->r->a, float, (size_t)n *n);
    for (size_t i = 0; i < (size_t)n * n; i++)
        v[i] = data_real(seed, (uint32_t)i);
    spec.dtype = w->r->setting[SETTING_FORMAT] ? TTRT_BFLOAT8_B : TTRT_BFLOAT16;
    return ttrt_from_host(w->m, v, spec, name);
}

// A matrix unit takes 16 cycles for a product of tiles and phase.
static void report(struct run *r, const struct model *w)
{
    double n = (double)r->setting[SETTING_SIZE], tiles = n / TILE_SIDE;
    double phases = (double)r->setting[SETTING_FIDELITY];
    double cores = (double)(r->setting[SETTING_GRID_X] * r->setting[SETTING_GRID_Y]);
    double cycles = w->ops.n ? (double)run_cycles(r, w->ops.v[0].id >> 10) : 0;
    run_check(r, cycles > 0, "no kernel ran");
    run_figure(r, "size", n, 0, "");
    run_figure(r, "phases", phases, 0, "");
    run_figure(r, "cores", cores, 0, "");
    run_figure(r, "op", cycles, 0, "cycles");
    if (cycles <= 0)
        return;
    run_figure(r, "rate", 2 * n * n * n / cycles * r->info.hz / 1e12, 3, "TFLOP/s");
    run_figure(r, "of the matrix units' peak",
               100 * tiles * tiles * tiles * 16 * phases / (cores * cycles), 1, "%");
    run_figure(r, "error, worst", w->worst, 5, "");
}

static void run_peak(struct run *r)
{
    struct model w;
    struct ttrt_how how = {.fidelity = (int)r->setting[SETTING_FIDELITY],
                           .config = TTRT_MATMUL_MULTICAST,
                           .name = "product"};
    model_open(&w, r);
    ttrt_tensor *a = matrix(&w, "a", 31), *b = matrix(&w, "b", 32);
    ttrt_tensor *product = ttrt_matmul(w.m, a, b, &how);
    model_finish(&w);
    if (r->cfg.numerics)
        model_check_linear(&w, product, a, b, NULL, TTRT_UNARIES);
    report(r, &w);
    model_close(&w);
}

const struct workload workload_matmul_peak = {
    .name = "matmul_peak",
    .what = "one matmul of the op library at more than half of the chip's peak",
    .shows = "what multicast operands and reuse in L1 are worth; how time falls with cores",
    .settings = settings,
    .n_settings = sizeof settings / sizeof *settings,
    .run = run_peak,
};
