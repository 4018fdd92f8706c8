// train_tables_step.c - tables of one step: its segments, its slowest ops, its zones.
#include <math.h>

#include "base/data/array.h"

#include "present/reports/train_tables.h"

static str op_name(const struct train_view *v, size_t op)
{
    const struct train_step *s = v->step;
    return train_name(v->train, v->train->rows.v[s->lane.rows.v[s->ops.v[op]]].code);
}

static void put_segments(struct train_view *v)
{
    static const struct column columns[] = {
        GRID_TEXT("Phase"), GRID_MILLIS("Device Time", 3), GRID_WHOLE("Ops")};
    struct grid *g = &v->grid[TRAIN_TABLE_SEGMENTS];
    grid_open(g, "segments", "One step: phases between markers", columns,
              COUNT_OF(columns));
    if (!v->step)
        return;
    double ms = 0;
    int64_t n = 0;
    for (size_t i = 0; i < v->step->segments.n; i++) {
        const struct train_segment *s = &v->step->segments.v[i];
        grid_put_text(g, s->label);
        grid_put_real(g, s->ms);
        grid_put(g, cell_int((int64_t)s->n_ops));
        ms += s->ms;
        n += (int64_t)s->n_ops;
    }
    grid_put_text(g, S("Total"));
    grid_put_real(g, ms);
    grid_put(g, cell_int(n));
}

static void put_slowest(struct train_view *v)
{
    static const struct column columns[] = {GRID_WHOLE("Rank"), GRID_TEXT("Op"),
                                            GRID_MILLIS("Device Time", 4)};
    struct grid *g = &v->grid[TRAIN_TABLE_SLOWEST];
    grid_open(g, "slowest", "One step: slowest ops", columns, COUNT_OF(columns));
    if (!v->step)
        return;
    uint32_t *slowest = mem_alloc(mem_bytes(sizeof *slowest, v->top + 1));
    size_t n = train_step_slowest(v->train, v->step, v->top, slowest);
    for (size_t i = 0; i < n; i++) {
        grid_put(g, cell_int((int64_t)i + 1));
        grid_put_text(g, op_name(v, slowest[i]));
        grid_put_real(g, train_step_ms(v->train, v->step, slowest[i]));
    }
    mem_free(slowest);
}

static str segment_of(const struct train_step *s, size_t op)
{
    for (size_t i = 0; i < s->segments.n; i++)
        if (op >= s->segments.v[i].first &&
            op < s->segments.v[i].first + s->segments.v[i].n_ops)
            return s->segments.v[i].label;
    return S("");
}

static void put_timeline(struct train_view *v)
{
    static const struct column columns[] = {
        GRID_WHOLE("Index"),
        GRID_TEXT("Op"),
        GRID_MILLIS("Device Time", 4),
        GRID_TEXT("Phase"),
        {.name = "Slow", .type = CELL_BOOL},
    };
    struct grid *g = &v->grid[TRAIN_TABLE_TIMELINE];
    grid_open(g, "timeline", "One step: ops in order", columns, COUNT_OF(columns));
    for (size_t i = 0; v->step && i < v->step->ops.n; i++) {
        double ms = train_step_ms(v->train, v->step, i);
        grid_put(g, cell_int((int64_t)i));
        grid_put_text(g, op_name(v, i));
        grid_put_real(g, ms);
        grid_put_text(g, segment_of(v->step, i));
        grid_put(g, cell_bool(ms > v->step->p95_ms));
    }
}

static double of_step(const struct train_view *v, double ms)
{
    return v->step->total_ms > 0 ? 100 * ms / v->step->total_ms : NAN;
}

static void put_zones(struct train_view *v)
{
    static const struct column columns[] = {
        GRID_TEXT("Zone"),         GRID_WHOLE("Occurrences"), GRID_MILLIS("Total", 2),
        GRID_MILLIS("Average", 4), GRID_MILLIS("Min", 4),     GRID_MILLIS("Max", 4),
        GRID_WHOLE("Ops"),         GRID_SHARE("Of Step"),
    };
    struct grid *g = &v->grid[TRAIN_TABLE_ZONES];
    grid_open(g, "zones", "One step: zones", columns, COUNT_OF(columns));
    for (size_t i = 0; v->step && i < v->step->zones.n; i++) {
        const struct train_zone *z = &v->step->zones.v[i];
        grid_put_text(g, train_name(v->train, z->name));
        grid_put(g, cell_int((int64_t)z->count));
        grid_put_real(g, z->ms);
        grid_put_real(g, z->ms / (double)z->count);
        grid_put_real(g, z->min);
        grid_put_real(g, z->max);
        grid_put(g, cell_int((int64_t)z->n_ops));
        grid_put_real(g, of_step(v, z->ms));
    }
}

static void put_branch(struct train_view *v, struct grid *g, uint32_t zone, int64_t depth)
{
    const struct train_zone *z = &v->step->tree.v[zone];
    grid_put(g, cell_int(depth));
    grid_put_text(g, train_name(v->train, z->name));
    grid_put(g, cell_int((int64_t)z->count));
    grid_put_real(g, z->ms);
    grid_put_real(g, of_step(v, z->ms));
    uint32_t *children = mem_alloc(mem_bytes(sizeof *children, v->step->tree.n + 1));
    size_t n = train_zone_children(v->step, zone, children);
    double other = z->ms;
    for (size_t i = 0; i < n; i++) {
        other -= v->step->tree.v[children[i]].ms;
        put_branch(v, g, children[i], depth + 1);
    }
    mem_free(children);
    if (!n)
        return;
    other = fabs(other) < 1e-9 ? 0 : other; // rounding error, not time
    grid_put(g, cell_int(depth + 1));
    grid_put_text(g, S("Other"));
    grid_put(g, cell_int(1));
    grid_put_real(g, other);
    grid_put_real(g, of_step(v, other));
}

static void put_tree(struct train_view *v)
{
    static const struct column columns[] = {GRID_WHOLE("Depth"), GRID_TEXT("Zone"),
                                            GRID_WHOLE("Count"), GRID_MILLIS("Total", 2),
                                            GRID_SHARE("Of Step")};
    struct grid *g = &v->grid[TRAIN_TABLE_TREE];
    grid_open(g, "tree", "One step: nested zones", columns, COUNT_OF(columns));
    if (!v->step || !v->step->tree.n)
        return;
    uint32_t *roots = mem_alloc(mem_bytes(sizeof *roots, v->step->tree.n + 1));
    size_t n = train_zone_children(v->step, TRAIN_NO_ZONE, roots);
    for (size_t i = 0; i < n; i++)
        put_branch(v, g, roots[i], 0);
    mem_free(roots);
}

static void put_flame(struct train_view *v)
{
    static const struct column columns[] = {
        GRID_WHOLE("Depth"), GRID_REAL("X", 6),      GRID_REAL("Width", 6),
        GRID_TEXT("Name"),   GRID_MILLIS("Time", 3), GRID_SHARE("Of Step"),
        GRID_TEXT("Colour"),
    };
    struct grid *g = &v->grid[TRAIN_TABLE_FLAME];
    grid_open(g, "flame", "One step: flame graph", columns, COUNT_OF(columns));
    for (size_t i = 0; v->flame && i < v->flame->v.n; i++) {
        const struct train_frame *f = &v->flame->v.v[i];
        grid_put(g, cell_int(f->depth));
        grid_put_real(g, f->x);
        grid_put_real(g, f->width);
        grid_put_text(g, f->name);
        grid_put_real(g, f->ms);
        grid_put_real(g, 100 * f->width);
        grid_put_text(g, arena_printf(&g->arena, "#%06X", f->colour));
    }
}

void train_tables_step(struct train_view *v)
{
    put_segments(v);
    put_slowest(v);
    put_timeline(v);
    put_zones(v);
    put_tree(v);
    put_flame(v);
}
