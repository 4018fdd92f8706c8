// train_flame.c - draws the tree of zones as boxes: width is time.
#include <stdlib.h>

#include "analyse/train/train.h"

#define OP_LEAST    0.0005 // share of the step: thinner ops are not drawn
#define OTHER_LEAST 0.002

struct building {
    struct train_flame *f;
    struct train *t;
    const struct train_step *s;
    struct map ops; // op codes that already have a colour
};

static uint32_t zone_colour(str name)
{
    if (str_starts(name, S("[FWD]")))
        return 0x4A90D9;
    if (str_starts(name, S("[BWD]")))
        return 0xE8833A;
    if (str_starts(name, S("[RECOMP]")))
        return 0x9B59B6;
    if (str_has(name, S("Optimizer")) || str_has(name, S("optimizer")))
        return 0xE74C3C;
    if (str_starts(name, S("Forward")) || str_starts(name, S("Backward")))
        return 0x5BAE5B;
    return str_is(name, "Whole Step") ? 0x6B7B8D : 0x95A5A6;
}

static uint32_t op_colour(struct building *b, str code)
{
    static const uint32_t colours[] = {0x2A9D8F, 0x457B9D, 0xB5838D, 0xCB8A2E,
                                       0x6D597A, 0x588157, 0xBC4749, 0x3D7EA6,
                                       0x9C6644, 0x7F7F3F, 0x5E548E, 0x4D908E};
    return colours[map_put(&b->ops, code) % (sizeof colours / sizeof *colours)];
}

static void push_frame(struct building *b, str name, unsigned depth, double x, double ms,
                       uint32_t colour)
{
    vec_push(&b->f->v, (struct train_frame){.name = name,
                                            .depth = depth,
                                            .x = x,
                                            .width = ms / b->s->total_ms,
                                            .ms = ms,
                                            .colour = colour});
}

struct op_time {
    uint32_t code;
    double ms;
};

static int by_op_time(const void *a, const void *b)
{
    const struct op_time *x = a, *y = b;
    if (x->ms != y->ms)
        return x->ms > y->ms ? -1 : 1;
    return x->code < y->code ? -1 : x->code > y->code;
}

static void add_span(int32_t *count, const struct train_span *span)
{
    count[span->start + 1]++;
    count[span->end]--;
}

// By position in the lane: is it inside the zone, but in none of its children? Counts go up
// at the start of a span and down at its end.
static bool *own_positions(const struct train_step *s, uint32_t zone)
{
    size_t n = s->lane.rows.n + 2;
    int32_t *mine = mem_alloc(mem_bytes(sizeof *mine, n));
    int32_t *inner = mem_alloc(mem_bytes(sizeof *inner, n));
    bool *is_own = mem_alloc(n);
    for (size_t k = 0; k < s->tree_spans.n; k++) {
        const struct train_span *span = &s->tree_spans.v[k];
        if (span->zone == zone)
            add_span(mine, span);
        else if (s->tree.v[span->zone].parent == zone)
            add_span(inner, span);
    }
    for (size_t i = 0, in = 0, below = 0; i < n; i++) {
        in += (size_t)mine[i];
        below += (size_t)inner[i];
        is_own[i] = in && !below;
    }
    mem_free(mine);
    mem_free(inner);
    return is_own;
}

// Adds a zone's ops that are in none of its children, by op code, longest first.
static void push_ops(struct building *b, uint32_t zone, unsigned depth, double x)
{
    const struct train_step *s = b->s;
    VEC(struct op_time) times = {0};
    bool *is_own = own_positions(s, zone);
    for (size_t i = 0; i < s->ops.n; i++) {
        if (!is_own[s->ops.v[i]])
            continue;
        uint32_t code = b->t->rows.v[s->lane.rows.v[s->ops.v[i]]].code;
        size_t k = 0;
        while (k < times.n && times.v[k].code != code)
            k++;
        if (k == times.n)
            vec_push(&times, (struct op_time){code, 0});
        times.v[k].ms += train_step_ms(b->t, s, i);
    }
    mem_free(is_own);
    if (times.n)
        qsort(times.v, times.n, sizeof *times.v, by_op_time);
    for (size_t k = 0; k < times.n && times.v[k].ms >= OP_LEAST * s->total_ms; k++) {
        str code = train_name(b->t, times.v[k].code);
        push_frame(b, code, depth, x, times.v[k].ms, op_colour(b, code));
        x += times.v[k].ms / s->total_ms;
    }
    vec_free(&times);
}

static void push_zone(struct building *b, uint32_t zone, unsigned depth, double x)
{
    enum { DEPTH_MOST = 200 };
    const struct train_zone *z = &b->s->tree.v[zone];
    str name = train_name(b->t, z->name);
    str shown = z->count > 1
                    ? arena_printf(&b->t->arena, "%.*s (\u00d7%zu)", STR(name), z->count)
                    : name;
    push_frame(b, shown, depth, x, z->ms, zone_colour(name));
    uint32_t *children = mem_alloc(mem_bytes(sizeof *children, b->s->tree.n + 1));
    size_t n = depth < DEPTH_MOST ? train_zone_children(b->s, zone, children) : 0;
    double other = z->ms, at = x;
    for (size_t i = 0; i < n; i++) {
        double ms = b->s->tree.v[children[i]].ms;
        push_zone(b, children[i], depth + 1, at);
        at += ms / b->s->total_ms;
        other -= ms;
    }
    mem_free(children);
    if (n == 0) {
        push_ops(b, zone, depth + 1, x);
    } else if (other >= OTHER_LEAST * b->s->total_ms) {
        push_frame(b, S("Other"), depth + 1, at, other, 0x95A5A6);
        push_ops(b, zone, depth + 2, at);
    }
}

void train_flame_make(struct train_flame *f, struct train *t, const struct train_step *s)
{
    *f = (struct train_flame){0};
    if (!(s->total_ms > 0) || !s->tree.n)
        return;
    struct building b = {.f = f, .t = t, .s = s};
    double x = 0;
    uint32_t *roots = mem_alloc(mem_bytes(sizeof *roots, s->tree.n + 1));
    size_t n = train_zone_children(s, TRAIN_NO_ZONE, roots);
    for (size_t i = 0; i < n; i++) {
        push_zone(&b, roots[i], 0, x);
        x += s->tree.v[roots[i]].ms / s->total_ms;
    }
    mem_free(roots);
    map_free(&b.ops);
}

void train_flame_free(struct train_flame *f)
{
    vec_free(&f->v);
}
