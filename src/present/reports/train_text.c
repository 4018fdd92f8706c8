// train_text.c - tables, bars, the tree of zones and the grid of cores as text.
#include "present/reports/train_text.h"

#include <math.h>

#include "base/text/num.h"

enum { BAR_WIDTH = 40, NAME_WIDTH = 44 };

static void put_name(struct buf *b, str name)
{
    str shown = str_clip(name, NAME_WIDTH);
    buf_str(b, shown);
    size_t points = str_points(shown);
    buf_fill(b, ' ', points < NAME_WIDTH ? NAME_WIDTH - points : 0);
}

// A bar in eighths of a character.
static void put_bar(struct buf *b, double share)
{
    static const char *const eighths[] = {"",       "\u258f", "\u258e", "\u258d",
                                          "\u258c", "\u258b", "\u258a", "\u2589"};
    int n = (int)lround(fmin(1, fmax(0, share)) * BAR_WIDTH * 8);
    for (int i = 0; i < n / 8; i++)
        buf_z(b, "\u2588");
    buf_z(b, eighths[n % 8]);
}

// Device times of the slowest ops, as bars.
static void put_bars(const struct train_view *v, struct buf *b)
{
    const struct train_ops *o = v->ops;
    uint32_t *order = mem_alloc(mem_bytes(sizeof *order, o->v.n + 1));
    train_ops_order(o, TRAIN_DEVICE, TRAIN_SUM, order);
    double most = o->v.n ? o->v.v[order[0]].sum[TRAIN_DEVICE] : 0;
    if (most > 0)
        buf_z(b, "\nDevice time, total per training step\n");
    for (size_t i = 0; most > 0 && i < o->v.n && i < v->top; i++) {
        const struct train_op *op = &o->v.v[order[i]];
        put_name(b, train_name(v->train, op->code));
        buf_printf(b, " %10.3f ms ",
                   op->sum[TRAIN_DEVICE] / 1e6 / (double)v->train->n_steps);
        put_bar(b, op->sum[TRAIN_DEVICE] / most);
        buf_char(b, '\n');
    }
    mem_free(order);
}

static void put_phase_bars(const struct train_view *v, struct buf *b)
{
    if (!v->phases || !v->phases->average.n)
        return;
    const struct train_iteration *it = &v->phases->average.v[0];
    buf_z(b, "\nKernel time of a step");
    if (it->device != TRAIN_NO_DEVICE)
        buf_printf(b, ", device %d", it->device);
    buf_printf(b, ", average of %lld iteration%s\n", (long long)it->number,
               it->number == 1 ? "" : "s");
    for (int p = 0; p < PHASES; p++) {
        if (it->ms[p] == 0)
            continue;
        buf_printf(b, "%-20s %10.3f ms %5.1f %% ", train_phase_column((enum train_phase)p),
                   it->ms[p], it->total > 0 ? 100 * it->ms[p] / it->total : 0);
        put_bar(b, it->total > 0 ? it->ms[p] / it->total : 0);
        buf_char(b, '\n');
    }
    buf_printf(b, "%-20s %10.3f ms\n", "total_ms", it->total);
    if (!isnan(it->step))
        buf_printf(b, "%-20s %10.3f ms from marker to marker\n", "step_ms", it->step);
}

static void put_tree(const struct train_view *v, struct buf *b)
{
    const struct grid *g = &v->grid[TRAIN_TABLE_TREE];
    if (g->table.n_rows < 2)
        return;
    buf_printf(b, "\n%s\n", g->table.title);
    for (size_t i = 0; i < g->table.n_rows; i++) {
        for (int64_t d = 0; d <= grid_at(g, i, 0)->i; d++)
            buf_z(b, "- ");
        buf_str(b, grid_at(g, i, 1)->s);
        if (grid_at(g, i, 2)->i > 1)
            buf_printf(b, " (\u00d7%lld)", (long long)grid_at(g, i, 2)->i);
        buf_printf(b, "  [%.2f ms] [%.1f%%]\n", grid_at(g, i, 3)->d,
                   grid_at(g, i, 4)->kind == CELL_REAL ? grid_at(g, i, 4)->d : 0);
    }
}

// --- cores ---

struct extent {
    int32_t x0, y0, x1, y1;
    size_t from, to; // in heat.v
};

static struct extent extent_of(const struct train_heat *h, size_t from)
{
    struct extent e = {INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN, from, from};
    for (; e.to < h->v.n && h->v.v[e.to].device == h->v.v[from].device; e.to++) {
        const struct train_core *c = &h->v.v[e.to];
        e.x0 = c->x < e.x0 ? c->x : e.x0;
        e.x1 = c->x > e.x1 ? c->x : e.x1;
        e.y0 = c->y < e.y0 ? c->y : e.y0;
        e.y1 = c->y > e.y1 ? c->y : e.y1;
    }
    return e;
}

static const struct train_core *core_at(const struct train_heat *h, struct extent e,
                                        int32_t x, int32_t y)
{
    for (size_t i = e.from; i < e.to; i++)
        if (h->v.v[i].x == x && h->v.v[i].y == y)
            return &h->v.v[i];
    return NULL;
}

// Each core's percentage of the busiest core; '.' where no kernel ran.
static void put_cores(const struct train_view *v, struct buf *b)
{
    enum { GRID_MOST = 64 };
    const struct train_heat *h = v->heat;
    for (size_t from = 0; h && from < h->v.n;) {
        struct extent e = extent_of(h, from);
        buf_printf(b, "\nCores of device %lld: time in kernels, %% of the busiest core\n",
                   (long long)h->v.v[from].device);
        from = e.to;
        if (e.x1 - e.x0 > GRID_MOST || e.y1 - e.y0 > GRID_MOST) {
            buf_z(b, "(grid too large to show)\n");
            continue;
        }
        buf_z(b, " y\\x");
        for (int32_t x = e.x0; x <= e.x1; x++)
            buf_printf(b, "%4d", x);
        buf_char(b, '\n');
        for (int32_t y = e.y0; y <= e.y1; y++) {
            buf_printf(b, "%4d", y);
            for (int32_t x = e.x0; x <= e.x1; x++) {
                const struct train_core *c = core_at(h, e, x, y);
                if (c)
                    buf_printf(b, "%4.0f", 100 * c->share);
                else
                    buf_z(b, "   .");
            }
            buf_char(b, '\n');
        }
    }
}

// --- all ---

static void put_result(const struct train_view *v, struct buf *b)
{
    const struct grid *g = &v->grid[TRAIN_TABLE_RESULT];
    if (!g->table.n_rows)
        return;
    buf_z(b, "\nResult\n");
    for (size_t c = 0; c < g->table.n_columns; c++) {
        const struct cell *cell = grid_at(g, 0, c);
        if (cell->kind == CELL_NONE || (cell->kind == CELL_TEXT && !cell->s.n))
            continue;
        buf_printf(b, "%-22s ", g->columns[c].name);
        if (cell->kind == CELL_TEXT)
            buf_str(b, cell->s);
        else
            num_put_fixed(b, cell->kind == CELL_INT ? (double)cell->i : cell->d,
                          g->columns[c].decimals, true);
        buf_char(b, '\n');
    }
}

static void put_head(const struct train_view *v, struct buf *b)
{
    const struct train *t = v->train;
    buf_printf(b, "%s: %zu ops in %zu step%s on %zu device%s\n", t->table.file.path,
               v->ops->n_rows, t->n_steps, t->n_steps == 1 ? "" : "s", t->devices.n,
               t->devices.n == 1 ? "" : "s");
    if (v->step) {
        buf_printf(b, "one step: device %d, iteration %lld, %zu ops, %.3f ms in kernels",
                   v->step->device == TRAIN_NO_DEVICE ? 0 : v->step->device,
                   (long long)v->step->iteration, v->step->ops.n, v->step->total_ms);
        if (!isnan(v->step->step_ms))
            buf_printf(b, ", %.3f ms from marker to marker", v->step->step_ms);
        buf_char(b, '\n');
    }
    if (v->log && v->log->n_parameters >= 0)
        buf_printf(b, "parameters: %lld\n", (long long)v->log->n_parameters);
    if (v->log && !isnan(v->log->wall_ms))
        buf_printf(b, "step time (wall clock): %.3f ms\n", v->log->wall_ms);
    if (v->log && !isnan(v->log->overall_peak))
        buf_printf(b, "DRAM: peak %.2f MB, at the end %.2f MB\n", v->log->overall_peak,
                   v->log->final_usage);
}

void train_text(const struct train_view *v, struct text_look look, struct buf *b)
{
    put_head(v, b);
    const enum train_table order[] = {
        TRAIN_TABLE_OPS,       TRAIN_TABLE_OVERHEAD, TRAIN_TABLE_PHASES,
        TRAIN_TABLE_AVERAGE,   TRAIN_TABLE_SEGMENTS, TRAIN_TABLE_SLOWEST,
        TRAIN_TABLE_ZONES,     TRAIN_TABLE_TREE,     TRAIN_TABLE_CORES,
        TRAIN_TABLE_ANOMALIES, TRAIN_TABLE_NAIVE,    TRAIN_TABLE_MEMORY,
        TRAIN_TABLE_RESULT,
    };
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        const struct grid *g = &v->grid[order[i]];
        if (!g->table.n_rows)
            continue;
        bool is_long = order[i] == TRAIN_TABLE_OPS || order[i] == TRAIN_TABLE_ANOMALIES;
        if (order[i] == TRAIN_TABLE_TREE) {
            put_tree(v, b);
        } else if (order[i] == TRAIN_TABLE_CORES) {
            put_cores(v, b);
        } else if (order[i] == TRAIN_TABLE_RESULT) {
            put_result(v, b);
        } else {
            buf_char(b, '\n');
            grid_text(g, is_long ? v->top : 0, look, b);
        }
        if (order[i] == TRAIN_TABLE_OPS)
            put_bars(v, b);
        else if (order[i] == TRAIN_TABLE_AVERAGE)
            put_phase_bars(v, b);
    }
}
