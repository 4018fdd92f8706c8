// train_zones.c - zones between markers of a step, and how they nest.
#include <math.h>
#include <stdlib.h>

#include "base/data/sort.h"

#include "analyse/diags.h"
#include "analyse/train/train.h"

// --- spans ---

struct sums { // by position in the lane: totals before it
    double *ms;
    size_t *n;
};

static struct sums sums_make(const struct train *t, const struct train_step *s)
{
    size_t n = s->lane.rows.n + 1, op = 0;
    struct sums sums = {mem_alloc(mem_bytes(sizeof(double), n)),
                        mem_alloc(mem_bytes(sizeof(size_t), n))};
    for (size_t i = 0; i + 1 < n; i++) {
        bool is_op = op < s->ops.n && s->ops.v[op] == i;
        sums.ms[i + 1] = sums.ms[i] + (is_op ? train_step_ms(t, s, op) : 0);
        sums.n[i + 1] = sums.n[i] + is_op;
        op += is_op;
    }
    return sums;
}

// The ops after position `start` and before `end`.
static struct train_span span_of(const struct sums *sums, uint32_t name, size_t start,
                                 size_t end)
{
    return (struct train_span){.name = name,
                               .start = (int64_t)start,
                               .end = (int64_t)end,
                               .ms = sums->ms[end] - sums->ms[start + 1],
                               .n_ops = sums->n[end] - sums->n[start + 1]};
}

struct zone_marker {
    str name; // "[FWD] attention"; the old form has no pass
    bool is_open;
};

static bool take_tag(str *rest, const char *tag)
{
    if (!str_starts(*rest, str_of(tag)))
        return false;
    *rest = str_trim(str_from(*rest, strlen(tag)));
    return true;
}

// Backward runs through a zone from its end to its start.
static bool zone_marker_of(struct train *t, str marker, struct zone_marker *out)
{
    str rest = marker;
    bool is_forward = take_tag(&rest, "[FWD]");
    bool is_backward = !is_forward && take_tag(&rest, "[BWD]");
    bool is_start = take_tag(&rest, "[START]");
    if (!is_start && !take_tag(&rest, "[END]"))
        return false;
    out->is_open = is_start != is_backward;
    out->name =
        is_forward || is_backward
            ? arena_printf(&t->arena, "[%s] %.*s", is_forward ? "FWD" : "BWD", STR(rest))
            : rest;
    return true;
}

static void report_unpaired(struct train *t, const struct train_step *s, size_t position,
                            str marker)
{
    if (diag_count(&t->diag, DIAG_MARKER_UNPAIRED))
        diag_note(&t->diag, DIAG_MARKER_UNPAIRED, "%.*s: '%.*s'",
                  STR(ops_sheet_place(&t->table, t->rows.v[s->lane.rows.v[position]].row)),
                  STR(str_clip(marker, 60)));
}

static void find_spans(struct train_step *s, struct train *t, const struct sums *sums)
{
    VEC(struct {
        uint32_t name;
        size_t at;
    })
    open = {0};
    for (size_t i = 0; i < s->lane.groups.n; i++) {
        const struct train_group *g = &s->lane.groups.v[i];
        struct zone_marker z;
        if (g->first < s->from || g->first >= s->to ||
            !zone_marker_of(t, train_name(t, g->name), &z))
            continue;
        uint32_t name = map_put(&t->names, z.name);
        if (z.is_open) {
            vec_reserve(&open, 1);
            open.v[open.n].name = name;
            open.v[open.n++].at = g->last;
            continue;
        }
        size_t k = open.n;
        while (k > 0 && open.v[k - 1].name != name)
            k--;
        if (k == 0) {
            report_unpaired(t, s, g->first, train_name(t, g->name));
            continue;
        }
        vec_push(&s->spans, span_of(sums, name, open.v[k - 1].at, g->last));
        memmove(&open.v[k - 1], &open.v[k], (open.n - k) * sizeof *open.v);
        open.n--;
    }
    s->n_unpaired = open.n;
    for (size_t k = 0; k < open.n; k++)
        report_unpaired(t, s, open.v[k].at, train_name(t, open.v[k].name));
    vec_free(&open);
}

// --- parts of the loop ---

static const struct {
    const char *before, *after, *name;
} parts[] = {
    {"dataloader_step_done", "forward_pass_done", "Forward (full)"},
    {"forward_pass_done", "backward_pass_done", "Backward (full)"},
    {"backward_pass_done", "optimizer_step_done", "Optimizer Step (full)"},
};

// Position of the n-th group of that name in the step.
static bool nth_group(const struct train *t, const struct train_step *s, const char *name,
                      size_t n, size_t *at)
{
    for (size_t i = 0; i < s->lane.groups.n; i++) {
        const struct train_group *g = &s->lane.groups.v[i];
        if (g->first < s->from || g->first >= s->to ||
            !str_is(train_name(t, g->name), name) || n-- > 0)
            continue;
        *at = g->last;
        return true;
    }
    return false;
}

static void find_parts(struct train_step *s, struct train *t, const struct sums *sums)
{
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        size_t a, b;
        for (size_t n = 0; nth_group(t, s, parts[p].before, n, &a) &&
                           nth_group(t, s, parts[p].after, n, &b);
             n++)
            if (a < b)
                vec_push(&s->spans,
                         span_of(sums, map_put(&t->names, str_of(parts[p].name)), a, b));
    }
}

// --- zones of one name ---

// vec_push needs one type: both lists of the step have this form.
struct zone_list {
    struct train_zone *v;
    size_t n, cap;
};

static void add_to_zone(struct zone_list *zones, const struct train_span *span)
{
    size_t z = 0;
    while (z < zones->n && zones->v[z].name != span->name)
        z++;
    if (z == zones->n)
        vec_push(zones, (struct train_zone){.name = span->name,
                                            .min = span->ms,
                                            .max = span->ms,
                                            .first = span->start,
                                            .parent = TRAIN_NO_ZONE});
    struct train_zone *zone = &zones->v[z];
    zone->count++;
    zone->ms += span->ms;
    zone->n_ops += span->n_ops;
    zone->min = fmin(zone->min, span->ms);
    zone->max = fmax(zone->max, span->ms);
}

static struct zone_list group_spans(const struct train_span *spans, size_t n)
{
    struct zone_list zones = {0};
    for (size_t i = 0; i < n; i++)
        add_to_zone(&zones, &spans[i]);
    return zones;
}

static int by_zone_time(const void *a, const void *b)
{
    const struct train_zone *x = a, *y = b;
    if (x->ms != y->ms)
        return x->ms > y->ms ? -1 : 1;
    SORT_BY(x, y, first);
    return x->name < y->name ? -1 : x->name > y->name;
}

// --- the tree ---

// Forward zones inside backward are recomputations.
static uint32_t tree_name(struct train *t, const struct train_span *span, int64_t backward)
{
    str name = train_name(t, span->name), rest;
    if (span->start <= backward || !str_starts(name, S("[FWD]")) ||
        !str_after(name, S("[FWD]"), &rest))
        return span->name;
    return map_put(&t->names, arena_printf(&t->arena, "[RECOMP]%.*s", STR(rest)));
}

static bool is_above(const struct train_step *s, uint32_t upper, uint32_t zone)
{
    while (zone != TRAIN_NO_ZONE && zone != upper)
        zone = s->tree.v[zone].parent;
    return zone == upper;
}

static uint32_t zone_named(const struct train_step *s, uint32_t name)
{
    uint32_t z = 0;
    while (s->tree.v[z].name != name)
        z++;
    return z;
}

// The zone with the smallest span around any span of this one. Two zones that contain each
// other at different times would be each other's parents: the first one found stays on top.
static uint32_t parent_zone(const struct train_step *s, uint32_t zone)
{
    uint32_t best = TRAIN_NO_ZONE;
    int64_t smallest = INT64_MAX;
    for (size_t b = 0; b < s->tree_spans.n; b++) {
        const struct train_span *inner = &s->tree_spans.v[b];
        if (inner->zone != zone)
            continue;
        for (size_t a = 0; a < s->tree_spans.n; a++) {
            const struct train_span *outer = &s->tree_spans.v[a];
            if (outer->zone == zone || outer->start > inner->start ||
                outer->end < inner->end || outer->end - outer->start >= smallest ||
                is_above(s, zone, outer->zone))
                continue;
            best = outer->zone;
            smallest = outer->end - outer->start;
        }
    }
    return best;
}

static void make_tree(struct train_step *s, struct train *t)
{
    size_t backward_at;
    int64_t backward = nth_group(t, s, "forward_pass_done", 0, &backward_at)
                           ? (int64_t)backward_at
                           : INT64_MAX;
    struct train_span whole = {.name = map_put(&t->names, S("Whole Step")),
                               .start = (int64_t)s->from - 1,
                               .end = (int64_t)s->to,
                               .ms = s->total_ms,
                               .n_ops = s->ops.n};
    vec_push(&s->tree_spans, whole);
    for (size_t i = 0; i < s->spans.n; i++) {
        struct train_span span = s->spans.v[i];
        span.name = tree_name(t, &span, backward);
        vec_push(&s->tree_spans, span);
    }
    struct zone_list zones = group_spans(s->tree_spans.v, s->tree_spans.n);
    s->tree.v = zones.v;
    s->tree.n = zones.n;
    s->tree.cap = zones.cap;
    for (size_t i = 0; i < s->tree_spans.n; i++)
        s->tree_spans.v[i].zone = zone_named(s, s->tree_spans.v[i].name);
    for (uint32_t z = 1; z < s->tree.n; z++)
        s->tree.v[z].parent = parent_zone(s, z);
}

size_t train_zone_children(const struct train_step *s, uint32_t zone, uint32_t *out)
{
    size_t n = 0;
    for (uint32_t z = 0; z < s->tree.n; z++) {
        if (s->tree.v[z].parent != zone)
            continue;
        size_t at = n++;
        for (; at > 0 && s->tree.v[out[at - 1]].first > s->tree.v[z].first; at--)
            out[at] = out[at - 1];
        out[at] = z;
    }
    return n;
}

void train_zones_make(struct train_step *s, struct train *t)
{
    struct sums sums = sums_make(t, s);
    find_spans(s, t, &sums);
    find_parts(s, t, &sums);
    mem_free(sums.ms);
    mem_free(sums.n);
    struct zone_list zones = group_spans(s->spans.v, s->spans.n);
    s->zones.v = zones.v;
    s->zones.n = zones.n;
    s->zones.cap = zones.cap;
    if (zones.n)
        qsort(zones.v, zones.n, sizeof *zones.v, by_zone_time);
    make_tree(s, t);
}
