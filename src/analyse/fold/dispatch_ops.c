// dispatch_ops.c - assembles ops from zones of dispatch cores.
#include "analyse/fold/dispatch_ops.h"

#include <stdlib.h>

#include "base/data/sort.h"
#include "base/text/num.h"

#include "analyse/diags.h"
#include "analyse/fold/fold.h"

bool meta_find(str meta, str key, str *value)
{
    str rest;
    if (!str_after(meta, key, &rest))
        return false;
    while (rest.n && (rest.p[0] == '"' || rest.p[0] == '\'' || rest.p[0] == ' '))
        rest = str_from(rest, 1);
    if (!rest.n || rest.p[0] != ':')
        return false;
    rest = str_trim(str_from(rest, 1));
    if (!rest.n)
        return false;
    if (rest.p[0] == '"' || rest.p[0] == '\'') {
        char quote = rest.p[0];
        rest = str_from(rest, 1);
        const char *end = rest.n ? memchr(rest.p, quote, rest.n) : NULL;
        if (!end)
            return false;
        *value = (str){rest.p, (size_t)(end - rest.p)};
        return true;
    }
    size_t n = 0;
    while (n < rest.n && rest.p[n] != ';' && rest.p[n] != ',' && rest.p[n] != '}')
        n++;
    *value = str_trim((str){rest.p, n});
    return value->n > 0;
}

// The zones of one program on one RISC.
struct risc_op {
    int64_t id;
    uint64_t first_time;
    VEC(uint32_t) elements;
};

struct risc_state {
    struct scan *scan;
    VEC(uint32_t) zone; // markers since the last end
    int64_t id;
    uint32_t command; // string
    bool is_finished;
    VEC(struct risc_op) ops; // in order of first appearance
    struct map ids;          // of the ops
};

// Shared by all dispatch cores.
struct scan {
    struct trace *t;
    struct dispatch_ops *ops;
    struct arena arena; // keys of the maps
    struct map renamed; // site and name -> renamed_sites
    VEC(uint32_t) renamed_sites;
};

// Gives a marker's site another name, the same one each time.
static void rename_marker(struct scan *s, uint32_t marker, uint32_t name)
{
    uint32_t key[2] = {s->t->markers.site[marker], name};
    uint32_t known = map_put_copy(&s->renamed, key, sizeof key, &s->arena);
    if (known == s->renamed_sites.n)
        vec_push(&s->renamed_sites, trace_site_named(s->t, key[0], name));
    vec_push(&s->ops->renamed, (struct renamed){marker, key[0]});
    s->t->markers.site[marker] = s->renamed_sites.v[known];
}

static void read_meta(struct risc_state *s, struct trace *t, uint32_t track, str meta,
                      uint32_t line)
{
    str value;
    int64_t id;
    if (str_has(meta, S("workers_runtime_id"))) {
        s->is_finished = false;
        if (meta_find(meta, S("workers_runtime_id"), &value) && num_int(value, &id)) {
            // Only the first time of a traced program counts.
            bool is_known = map_get(&s->ids, (str){(char *)&id, sizeof id}) != MAP_NONE;
            s->id = is_known ? 0 : id;
        } else {
            trace_odd(t, track, DIAG_META_ODD, 1, line, str_clip(meta, 80));
        }
    }
    if (!str_has(meta, S("dispatch_command_type")))
        return;
    if (!meta_find(meta, S("dispatch_command_type"), &value)) {
        trace_odd(t, track, DIAG_META_ODD, 1, line, str_clip(meta, 80));
        return;
    }
    size_t tail;
    bool is_text = str_bad_utf8(value, 0, &tail) == value.n && tail == value.n;
    s->command = map_put(&t->strings, is_text ? value : S("?"));
    if (str_has(value, S("CQ_DISPATCH_NOTIFY_SUBORDINATE_GO_SIGNAL")))
        s->is_finished = true;
    if (str_has(value, S("CQ_DISPATCH_CMD_SEND_GO_SIGNAL")) && s->id < INT64_MAX)
        s->id++;
}

static void end_zone(struct risc_state *s, struct trace *t)
{
    uint32_t first = s->zone.v[0], last = s->zone.v[s->zone.n - 1];
    rename_marker(s->scan, first, s->command);
    if (last != first)
        rename_marker(s->scan, last, s->command);
    uint32_t at = map_put_copy(&s->ids, &s->id, sizeof s->id, &s->scan->arena);
    if (at == s->ops.n)
        vec_push(&s->ops,
                 (struct risc_op){.id = s->id, .first_time = t->markers.time[first]});
    struct risc_op *op = &s->ops.v[at];
    for (size_t i = 0; i < s->zone.n; i++)
        vec_push(&op->elements, s->zone.v[i]);
    s->zone.n = 0;
    if (s->is_finished)
        s->id = 0;
}

static int by_time(const void *a, const void *b)
{
    const struct risc_op *x = a, *y = b;
    if (x->first_time != y->first_time)
        return x->first_time < y->first_time ? -1 : 1;
    return x->elements.v[0] < y->elements.v[0] ? -1 : 1;
}

static void scan_risc(struct risc_state *s, struct trace *t, const struct trace_core *core,
                      str risc)
{
    for (size_t i = 0; i < core->tracks.n; i++) {
        uint32_t track = core->tracks.v[i];
        struct trace_track k = t->tracks.v[track];
        if (!str_eq(trace_text(t, k.risc), risc))
            continue;
        for (uint32_t m = k.marker; m < k.marker + k.n_markers; m++) {
            vec_push(&s->zone, m);
            const struct trace_datum *d = trace_datum_of(t, &k, m);
            if (d && d->meta_n)
                read_meta(s, t, track, (str){d->meta, d->meta_n}, t->markers.line[m]);
            if (trace_site_of(t, m)->type == MARKER_ZONE_END)
                end_zone(s, t);
        }
    }
    if (s->ops.n)
        qsort(s->ops.v, s->ops.n, sizeof *s->ops.v, by_time);
}

// Merges the dispatcher's op with the subordinate's concurrent one, by time.
static void put_op(struct dispatch_ops *ops, const struct trace *t, uint32_t core,
                   const struct risc_op *master, const struct risc_op *subordinate)
{
    size_t n = master->elements.n + (subordinate ? subordinate->elements.n : 0);
    struct keyed *v = mem_alloc(mem_bytes(sizeof *v, 2 * n));
    for (size_t i = 0; i < n; i++) {
        uint32_t m = i < master->elements.n
                         ? master->elements.v[i]
                         : subordinate->elements.v[i - master->elements.n];
        v[i] = (struct keyed){t->markers.time[m], m, 0};
    }
    sort_keyed(v, v + n, n);
    vec_push(&ops->v, (struct dispatch_op){.core = core,
                                           .id = master->id,
                                           .first = (uint32_t)ops->elements.n,
                                           .n = (uint32_t)n});
    for (size_t i = 0; i < n; i++)
        vec_push(&ops->elements, v[i].a);
    mem_free(v);
}

static void find_of_core(struct dispatch_ops *ops, struct scan *scan, uint32_t core)
{
    struct trace *t = scan->t;
    struct risc_state state[2] = {{.scan = scan}, {.scan = scan}};
    scan_risc(&state[0], t, &t->cores.v[core], S("BRISC"));
    scan_risc(&state[1], t, &t->cores.v[core], S("NCRISC"));
    for (size_t i = 0; i < state[0].ops.n; i++)
        if (state[0].ops.v[i].id > 0)
            put_op(ops, t, core, &state[0].ops.v[i],
                   i < state[1].ops.n ? &state[1].ops.v[i] : NULL);
    for (int r = 0; r < 2; r++) {
        for (size_t i = 0; i < state[r].ops.n; i++)
            vec_free(&state[r].ops.v[i].elements);
        vec_free(&state[r].ops);
        vec_free(&state[r].zone);
        map_free(&state[r].ids);
    }
}

void dispatch_ops_find(struct dispatch_ops *ops, struct trace *t)
{
    *ops = (struct dispatch_ops){0};
    struct scan scan = {.t = t, .ops = ops};
    for (size_t d = 0; d < t->devices.n; d++) {
        size_t from = ops->v.n;
        for (size_t c = 0; c < t->devices.v[d].cores.n; c++) {
            uint32_t core = t->devices.v[d].cores.v[c];
            if (t->cores.v[core].is_dispatch)
                find_of_core(ops, &scan, core);
        }
        size_t n = ops->v.n - from;
        struct keyed *order = mem_alloc(mem_bytes(sizeof *order, 2 * n + 1));
        struct dispatch_op *copy = mem_alloc(mem_bytes(sizeof *copy, n + 1));
        for (size_t i = 0; i < n; i++) {
            copy[i] = ops->v.v[from + i];
            order[i] = (struct keyed){t->markers.time[ops->elements.v[copy[i].first]],
                                      (uint32_t)i, 0};
        }
        sort_keyed(order, order + n, n);
        for (size_t i = 0; i < n; i++)
            ops->v.v[from + i] = copy[order[i].a];
        mem_free(order);
        mem_free(copy);
    }
    map_free(&scan.renamed);
    vec_free(&scan.renamed_sites);
    arena_free(&scan.arena);
}

void dispatch_ops_swap_names(struct dispatch_ops *ops, struct trace *t)
{
    for (size_t i = 0; i < ops->renamed.n; i++) {
        struct renamed *r = &ops->renamed.v[i];
        uint32_t site = t->markers.site[r->marker];
        t->markers.site[r->marker] = r->site;
        r->site = site;
    }
}

static bool marker_fits(const struct condition *c, const struct trace *t, uint32_t marker)
{
    return condition_fits_site(c, t, t->markers.site[marker], true) &&
           condition_fits_track(c, t, track_of_marker(t, marker), false);
}

bool dispatch_op_span(const struct dispatch_ops *ops, const struct trace *t, size_t i,
                      const struct analysis *a, uint32_t *first, uint32_t *last)
{
    const uint32_t *m = ops->elements.v + ops->v.v[i].first;
    size_t from = 0, to = ops->v.v[i].n;
    while (from < to && !marker_fits(&a->start, t, m[from]))
        from++;
    while (to > from + 1 && !marker_fits(&a->end, t, m[to - 1]))
        to--;
    if (to <= from + 1)
        return false;
    *first = m[from];
    *last = m[to - 1];
    return true;
}

void dispatch_ops_free(struct dispatch_ops *ops)
{
    vec_free(&ops->renamed);
    vec_free(&ops->v);
    vec_free(&ops->elements);
}
