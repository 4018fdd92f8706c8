// train_tables.c - tables of the run: phases, the program's output, the result.
#include "present/reports/train_tables.h"

#include <math.h>

#include "base/data/array.h"

// --- phases ---

// Column names of existing files: they include the unit.
#define PHASE_COLUMNS                                                                      \
    GRID_REAL("forward_ms", 3), GRID_REAL("backward_ms", 3),                               \
        GRID_REAL("gradient_sync_ms", 3), GRID_REAL("optimizer_ms", 3),                    \
        GRID_REAL("other_ms", 3), GRID_REAL("total_ms", 3)
#define CCL_COLUMNS                                                                        \
    GRID_REAL("fwd_rs_ms", 3), GRID_REAL("fwd_ag_ms", 3), GRID_REAL("bwd_rs_ms", 3),       \
        GRID_REAL("bwd_ag_ms", 3), GRID_REAL("sync_rs_ms", 3), GRID_REAL("sync_ag_ms", 3), \
        GRID_REAL("opt_rs_ms", 3), GRID_REAL("opt_ag_ms", 3)
enum { CCL_COLUMNS_N = PHASES_CCL * CCLS };

static void put_device_row(struct grid *g, int32_t device)
{
    if (device == TRAIN_HOST_DEVICE)
        grid_put_text(g, S("device_host"));
    else if (device == TRAIN_NO_DEVICE)
        grid_put_text(g, S("device"));
    else
        grid_put_text(g, arena_printf(&g->arena, "device_%d", device));
}

static void put_times(struct grid *g, const struct train_iteration *it)
{
    for (int p = 0; p < PHASES; p++)
        grid_put_real(g, it->ms[p]);
    grid_put_real(g, it->total);
}

static void put_iterations(struct grid *g, const struct train_iteration *v, size_t n,
                           bool with_ccl)
{
    for (size_t i = 0; i < n; i++) {
        put_device_row(g, v[i].device);
        grid_put(g, cell_int(v[i].number));
        put_times(g, &v[i]);
        grid_put_real(g, v[i].step);
        for (int p = 0; with_ccl && p < PHASES_CCL; p++)
            for (int c = 0; c < CCLS; c++)
                grid_put_real(g, v[i].ccl[p][c]);
    }
}

static void put_phases(struct train_view *v)
{
    static const struct column columns[] = {GRID_TEXT("Device"), GRID_WHOLE("Iteration"),
                                            PHASE_COLUMNS, GRID_REAL("step_ms", 3),
                                            CCL_COLUMNS};
    static const struct column averages[] = {GRID_TEXT("Device"),
                                             GRID_WHOLE("Steady Iterations"), PHASE_COLUMNS,
                                             GRID_REAL("step_ms", 3), CCL_COLUMNS};
    bool with_ccl = v->phases && v->phases->has_ccl;
    size_t n = COUNT_OF(columns) - (with_ccl ? 0 : CCL_COLUMNS_N);
    struct grid *all = &v->grid[TRAIN_TABLE_PHASES], *mean = &v->grid[TRAIN_TABLE_AVERAGE];
    grid_open(all, "phases", "Phases of each iteration: kernel time", columns, n);
    grid_open(mean, "average",
              "Kernel time of the phases, average of the steady iterations", averages, n);
    if (v->phases) {
        put_iterations(all, v->phases->v.v, v->phases->v.n, with_ccl);
        put_iterations(mean, v->phases->average.v, v->phases->average.n, with_ccl);
    }
    if (v->log) {
        struct train_phases const *naive = &v->log->naive;
        put_iterations(all, naive->v.v, naive->v.n, with_ccl);
        put_iterations(mean, naive->average.v, naive->average.n, with_ccl);
    }
}

static void put_naive(struct train_view *v)
{
    static const struct column columns[] = {GRID_TEXT("step"), PHASE_COLUMNS};
    struct grid *g = &v->grid[TRAIN_TABLE_NAIVE];
    grid_open(g, "naive", "Host times of the naive profiler", columns, COUNT_OF(columns));
    if (!v->log || !v->log->steps.n)
        return;
    for (size_t i = 0; i < v->log->steps.n; i++) {
        grid_put_text(g, arena_printf(&g->arena, "iteration_%lld",
                                      (long long)v->log->steps.v[i].number));
        put_times(g, &v->log->steps.v[i]);
    }
    bool is_skipped = (size_t)v->log->average.number < v->log->steps.n;
    grid_put_text(g, is_skipped ? S("avg (skip 2)") : S("avg"));
    put_times(g, &v->log->average);
}

static void put_memory(struct train_view *v)
{
    static const struct column columns[] = {
        GRID_TEXT("Segment"),
        GRID_REAL("segment_peak_mb", 2),
        GRID_REAL("allocations_mb", 2),
        GRID_REAL("deallocations_mb", 2),
        GRID_REAL("segment_change_mb", 2),
        GRID_REAL("cumulative_peak_mb", 2),
        GRID_REAL("cumulative_current_mb", 2),
    };
    struct grid *g = &v->grid[TRAIN_TABLE_MEMORY];
    grid_open(g, "memory", "DRAM", columns, COUNT_OF(columns));
    for (size_t i = 0; v->log && i < v->log->memory.n; i++) {
        const struct train_memory *m = &v->log->memory.v[i];
        grid_put_text(g, m->name);
        grid_put_real(g, m->peak);
        grid_put_real(g, m->allocations);
        grid_put_real(g, m->deallocations);
        grid_put_real(g, m->change);
        grid_put_real(g, m->cumulative_peak);
        grid_put_real(g, m->cumulative);
    }
}

static void put_cores(struct train_view *v)
{
    static const struct column columns[] = {
        GRID_WHOLE("Device"), GRID_WHOLE("x"),       GRID_WHOLE("y"),
        GRID_NANOS("Busy"),   GRID_REAL("Share", 3), GRID_WHOLE("Kernels"),
    };
    struct grid *g = &v->grid[TRAIN_TABLE_CORES];
    grid_open(g, "cores", "Kernel time of each core", columns, COUNT_OF(columns));
    for (size_t i = 0; v->heat && i < v->heat->v.n; i++) {
        const struct train_core *c = &v->heat->v.v[i];
        grid_put(g, cell_int(c->device));
        grid_put(g, cell_int(c->x));
        grid_put(g, cell_int(c->y));
        grid_put_real(g, c->busy_ns);
        grid_put_real(g, c->share);
        grid_put(g, cell_int((int64_t)c->n_kernels));
    }
}

// --- the result: one row, to be collected over many runs ---

static void put_given(struct grid *g, int64_t v)
{
    grid_put(g, v > 0 ? cell_int(v) : cell_none());
}

// Two decimals, as in existing result files.
static void put_rounded(struct grid *g, const double *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        grid_put_real(g, nearbyint(v[i] * 100) / 100);
}

static void put_result(struct train_view *v)
{
    static const struct column columns[] = {
        // clang-format off
        GRID_TEXT("name"), GRID_WHOLE("batch_size"), GRID_WHOLE("n_blocks"), GRID_WHOLE("tp"), GRID_WHOLE("dp"), GRID_WHOLE("grad_acc"),
        GRID_REAL("dram_peak_mb", 2), GRID_TEXT("runner_type"),
        GRID_REAL("fwd_ms", 2), GRID_REAL("bwd_ms", 2), GRID_REAL("opt_ms", 2), GRID_REAL("grad_sync_ms", 2), GRID_REAL("step_time_ms", 2),
        GRID_TEXT("profiler"),
        GRID_REAL("fwd_roofline_ms", 2), GRID_REAL("bwd_roofline_ms", 2), GRID_REAL("opt_roofline_ms", 2), GRID_REAL("total_roofline_ms", 2),
        GRID_REAL("fwd_roofline_perc", 2), GRID_REAL("bwd_roofline_perc", 2), GRID_REAL("opt_roofline_perc", 2), GRID_REAL("total_roofline_perc", 2),
        GRID_REAL("fwd_mfu_perc", 2), GRID_REAL("bwd_mfu_perc", 2), GRID_REAL("opt_mfu_perc", 2), GRID_REAL("total_mfu_perc", 2),
        GRID_REAL("grad_sync_bw_GBs", 2), GRID_REAL("grad_sync_util_perc", 2),
        GRID_REAL("fwd_ccl_util_perc", 2), GRID_REAL("bwd_ccl_util_perc", 2), GRID_REAL("total_ccl_util_perc", 2),
        GRID_REAL("t/s", 2), GRID_REAL("t/s/d", 2),
        GRID_REAL("fwd_ccl_ms", 2), GRID_REAL("bwd_ccl_ms", 2), GRID_REAL("opt_ccl_ms", 2), GRID_REAL("total_ccl_ms", 2),
        GRID_REAL("kernel_ms", 2),
        // clang-format on
    };
    struct grid *g = &v->grid[TRAIN_TABLE_RESULT];
    grid_open(g, "result", "Result", columns, COUNT_OF(columns));
    const struct train_result *r = v->result;
    const struct train_model *m = v->model;
    if (!r || !m)
        return;
    grid_put_text(g, str_of(m->name));
    put_given(g, m->batch);
    put_given(g, m->blocks);
    put_given(g, m->tp);
    put_given(g, m->ddp);
    put_given(g, m->grad_accum);
    put_rounded(g, &r->dram_peak_mb, 1);
    grid_put_text(g, str_of(m->runner));
    put_rounded(g, r->ms, PART_TOTAL);
    put_rounded(g, &r->grad_sync_ms, 1);
    put_rounded(g, &r->step_ms, 1);
    grid_put_text(g, str_of(r->profiler));
    put_rounded(g, r->roofline_ms, PARTS);
    put_rounded(g, r->roofline, PARTS);
    put_rounded(g, r->mfu, PARTS);
    put_rounded(g, &r->sync_gb_s, 1);
    put_rounded(g, &r->sync_util, 1);
    put_rounded(g, r->ccl_util, COUNT_OF(r->ccl_util));
    put_rounded(g, &r->tokens_s, 1);
    put_rounded(g, &r->tokens_s_device, 1);
    put_rounded(g, r->ccl_ms, PARTS);
    put_rounded(g, &r->kernel_ms, 1);
}

void train_tables_run(struct train_view *v)
{
    put_phases(v);
    put_naive(v);
    put_memory(v);
    put_cores(v);
    put_result(v);
}

void train_view_make(struct train_view *v)
{
    train_tables_ops(v);
    train_tables_step(v);
    train_tables_run(v);
}

void train_view_free(struct train_view *v)
{
    for (int i = 0; i < TRAIN_TABLES; i++)
        grid_free(&v->grid[i]);
}
