// train_step.c - one step of one device: its ops in order, cut at the markers.
#include <ctype.h>
#include <math.h>

#include "base/data/sort.h"
#include "base/text/buf.h"

#include "analyse/train/train.h"

enum { ITERATION_USUAL = 2 };

double train_step_ms(const struct train *t, const struct train_step *s, size_t op)
{
    double ns = t->rows.v[s->lane.rows.v[s->ops.v[op]]].ns[TRAIN_KERNEL];
    return isnan(ns) ? 0 : ns / 1e6;
}

// NULL: there is none.
static const struct train_group *find_group(const struct train *t,
                                            const struct train_lane *l, int64_t iteration)
{
    int64_t number;
    for (size_t i = 0; i < l->groups.n; i++)
        if (train_iteration_of(train_name(t, l->groups.v[i].name), &number) &&
            number == iteration)
            return &l->groups.v[i];
    return NULL;
}

static int64_t first_iteration(const struct train *t, const struct train_lane *l)
{
    int64_t number;
    for (size_t i = 0; i < l->groups.n; i++)
        if (train_iteration_of(train_name(t, l->groups.v[i].name), &number))
            return number;
    return -1;
}

// Finds the rows from the iteration's marker up to the next one.
static bool find_window(struct train_step *s, struct train *t)
{
    int64_t wanted = t->options.iteration;
    s->iteration = wanted > 0 ? wanted : ITERATION_USUAL;
    const struct train_group *first = find_group(t, &s->lane, s->iteration);
    if (!first && wanted <= 0) {
        s->iteration = first_iteration(t, &s->lane);
        first = s->iteration >= 0 ? find_group(t, &s->lane, s->iteration) : NULL;
    }
    if (!first) {
        if (wanted > 0)
            note(&t->notes, NOTE_WARNING,
                 "no marker 'iteration_%lld' on device %d: no single step",
                 (long long)wanted, s->device);
        else
            note(&t->notes, NOTE_WARNING, "no marker 'iteration_<n>': no single step");
        return false;
    }
    const struct train_group *next = find_group(t, &s->lane, s->iteration + 1);
    bool is_whole = next && next->first >= first->first;
    s->from = first->first;
    s->to = is_whole ? next->first : s->lane.rows.n;
    s->step_ms = is_whole ? train_between_ms(t, &s->lane, first, next) : NAN;
    return true;
}

static double percentile_95(const struct train *t, const struct train_step *s)
{
    double *v = mem_alloc(mem_bytes(sizeof *v, s->ops.n + 1));
    for (size_t i = 0; i < s->ops.n; i++)
        v[i] = train_step_ms(t, s, i);
    double at = 0.95 * (double)(s->ops.n - 1), low = floor(at);
    double a = sort_select_real(v, s->ops.n, (size_t)low);
    double b =
        (size_t)low + 1 < s->ops.n ? sort_select_real(v, s->ops.n, (size_t)low + 1) : a;
    mem_free(v);
    return a + (b - a) * (at - low);
}

// "gradient_sync_ms" -> "Gradient Sync"
static str title_of(struct arena *a, enum train_phase p)
{
    str column = str_of(train_phase_column(p));
    struct buf b = {0};
    for (size_t i = 0; i + sizeof "_ms" - 1 < column.n; i++) {
        bool is_first = i == 0 || column.p[i - 1] == '_';
        char c = column.p[i] == '_' ? ' ' : column.p[i];
        buf_char(&b, is_first ? (char)toupper((unsigned char)c) : c);
    }
    str title = arena_str(a, buf_view(&b));
    buf_free(&b);
    return title;
}

static str marker_text(const struct train *t, const struct train_group *g)
{
    int64_t number;
    str name = train_name(t, g->name);
    return train_iteration_of(name, &number) ? S("iteration") : name;
}

static void add_segment(struct train_step *s, struct train *t, const struct train_group *a,
                        const struct train_group *b)
{
    size_t end = b ? b->first : s->to;
    struct train_segment g = {.marker = a->name};
    while (g.first < s->ops.n && s->ops.v[g.first] < a->last)
        g.first++;
    for (size_t i = g.first; i < s->ops.n && s->ops.v[i] < end; i++) {
        g.n_ops++;
        g.ms += train_step_ms(t, s, i);
    }
    enum train_phase phase =
        b ? train_phase_between(train_name(t, a->name), train_name(t, b->name)) : PHASES;
    if (!b)
        g.label = S("Remaining");
    else if (phase < PHASES)
        g.label = title_of(&t->arena, phase);
    else
        g.label = arena_printf(&t->arena, "%.*s -> %.*s", STR(marker_text(t, a)),
                               STR(marker_text(t, b)));
    if (b || g.n_ops)
        vec_push(&s->segments, g);
}

static void cut_at_markers(struct train_step *s, struct train *t)
{
    const struct train_group *last = NULL;
    for (size_t i = 0; i < s->lane.groups.n; i++) {
        const struct train_group *g = &s->lane.groups.v[i];
        if (g->first < s->from || g->first >= s->to)
            continue;
        if (last)
            add_segment(s, t, last, g);
        last = g;
    }
    if (last)
        add_segment(s, t, last, NULL);
}

bool train_step_make(struct train_step *s, struct train *t)
{
    *s = (struct train_step){.device = train_first_device(t)};
    train_lane_make(&s->lane, t, s->device);
    if (!find_window(s, t))
        return false;
    for (size_t i = s->from; i < s->to; i++)
        if (t->rows.v[s->lane.rows.v[i]].marker == TRAIN_NO_MARKER)
            vec_push(&s->ops, (uint32_t)i);
    if (!s->ops.n) {
        note(&t->notes, NOTE_WARNING, "no ops after the marker 'iteration_%lld'",
             (long long)s->iteration);
        return false;
    }
    for (size_t i = 0; i < s->ops.n; i++)
        s->total_ms += train_step_ms(t, s, i);
    s->p95_ms = percentile_95(t, s);
    cut_at_markers(s, t);
    train_zones_make(s, t);
    return true;
}

void train_step_free(struct train_step *s)
{
    train_lane_free(&s->lane);
    vec_free(&s->ops);
    vec_free(&s->segments);
    vec_free(&s->spans);
    vec_free(&s->tree_spans);
    vec_free(&s->zones);
    vec_free(&s->tree);
}

// Repeated search: `most` is small.
size_t train_step_slowest(const struct train *t, const struct train_step *s, size_t most,
                          uint32_t *out)
{
    size_t n = 0;
    while (n < most && n < s->ops.n) {
        size_t best = SIZE_MAX;
        double limit = n ? train_step_ms(t, s, out[n - 1]) : INFINITY;
        for (size_t i = 0; i < s->ops.n; i++) {
            double ms = train_step_ms(t, s, i);
            // Equal times keep their order: continue after the one taken last.
            bool is_left = ms < limit || (ms == limit && n && i > out[n - 1]);
            if (is_left && (best == SIZE_MAX || ms > train_step_ms(t, s, best)))
                best = i;
        }
        if (best == SIZE_MAX)
            break;
        out[n++] = (uint32_t)best;
    }
    return n;
}
