// dispatch_ops.c - assembles ops from zones of dispatch cores.
#include "analyse/fold/dispatch_ops.h"

#include "base/data/sort.h"
#include "base/text/num.h"

#include "analyse/diags.h"
#include "analyse/fold/fold.h"
#include "formats/device_log/device_log_meta.h"

enum { NO_OP = -1, NO_GO = -1 };

// The zones of one execution of a program on one RISC.
struct risc_op {
    int64_t id;
    uint32_t nth; // execution of this program, from 0
    int64_t go;   // number of the go signal that it notified of, or sent
    VEC(uint32_t) elements;
};

struct risc_state {
    struct scan *scan;
    bool is_subordinate;
    VEC(uint32_t) zone; // markers since the last end
    int64_t op;         // that zones belong to, NO_OP: none
    uint32_t command;   // string
    bool is_finished;
    int64_t n_go; // go signals so far
    VEC(struct risc_op) ops;
    struct map ids;         // of programs
    VEC(uint32_t) n_of_ids; // executions of each
};

// Shared by all dispatch cores.
struct scan {
    struct trace *t;
    struct dispatch_ops *ops;
    bool has_replays;   // the log tells executions of a program apart
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

static void begin_op(struct risc_state *s, int64_t id)
{
    uint32_t at = map_put_copy(&s->ids, &id, sizeof id, &s->scan->arena);
    if (at == s->n_of_ids.n)
        vec_push(&s->n_of_ids, 0);
    uint32_t nth = s->n_of_ids.v[at]++;
    s->op = NO_OP;
    if (id <= 0 || (nth && !s->scan->has_replays))
        return;
    s->op = (int64_t)s->ops.n;
    vec_push(&s->ops, (struct risc_op){.id = id, .nth = nth, .go = NO_GO});
}

// A go signal of the subordinate is an op of its own; the dispatcher notifies of the one
// for the op it has written.
static void take_command(struct risc_state *s, str command)
{
    bool is_notice = str_has(command, S("CQ_DISPATCH_NOTIFY_SUBORDINATE_GO_SIGNAL"));
    bool is_go = s->is_subordinate && str_has(command, S("CQ_DISPATCH_CMD_SEND_GO_SIGNAL"));
    if (!is_notice && !is_go)
        return;
    int64_t go = s->n_go++;
    if (is_go) {
        s->op = (int64_t)s->ops.n;
        vec_push(&s->ops, (struct risc_op){.go = go});
    } else if (s->op != NO_OP) {
        s->ops.v[s->op].go = go;
    }
    s->is_finished = true;
}

static void read_meta(struct risc_state *s, struct trace *t, uint32_t track, str meta,
                      uint32_t line)
{
    str value;
    int64_t id;
    if (str_has(meta, S("workers_runtime_id"))) {
        s->is_finished = false;
        if (meta_find(meta, S("workers_runtime_id"), &value) && num_int(value, &id))
            begin_op(s, id);
        else
            trace_odd(t, track, DIAG_META_ODD, 1, line, str_clip(meta, 80));
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
    take_command(s, value);
}

static void end_zone(struct risc_state *s)
{
    uint32_t first = s->zone.v[0], last = s->zone.v[s->zone.n - 1];
    rename_marker(s->scan, first, s->command);
    if (last != first)
        rename_marker(s->scan, last, s->command);
    for (size_t i = 0; i < s->zone.n && s->op != NO_OP; i++)
        vec_push(&s->ops.v[s->op].elements, s->zone.v[i]);
    s->zone.n = 0;
    if (s->is_finished)
        s->op = NO_OP;
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
                end_zone(s);
        }
    }
}

// The subordinate's op with that go signal; NULL: it is not in the log.
static const struct risc_op *op_of_go(const struct risc_state *s, int64_t go)
{
    return go != NO_GO && (size_t)go < s->ops.n ? &s->ops.v[go] : NULL;
}

// Merges the dispatcher's op with the go signal it notified of, by time.
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
                                           .nth = master->nth,
                                           .first = (uint32_t)ops->elements.n,
                                           .n = (uint32_t)n});
    for (size_t i = 0; i < n; i++)
        vec_push(&ops->elements, v[i].a);
    mem_free(v);
}

static void find_of_core(struct dispatch_ops *ops, struct scan *scan, uint32_t core)
{
    struct trace *t = scan->t;
    struct risc_state state[2] = {
        {.scan = scan, .op = NO_OP},
        {.scan = scan, .op = NO_OP, .is_subordinate = true},
    };
    scan_risc(&state[0], t, &t->cores.v[core], S("BRISC"));
    scan_risc(&state[1], t, &t->cores.v[core], S("NCRISC"));
    for (size_t i = 0; i < state[0].ops.n; i++)
        if (state[0].ops.v[i].elements.n)
            put_op(ops, t, core, &state[0].ops.v[i],
                   op_of_go(&state[1], state[0].ops.v[i].go));
    for (int r = 0; r < 2; r++) {
        for (size_t i = 0; i < state[r].ops.n; i++)
            vec_free(&state[r].ops.v[i].elements);
        vec_free(&state[r].ops);
        vec_free(&state[r].zone);
        vec_free(&state[r].n_of_ids);
        map_free(&state[r].ids);
    }
}

void dispatch_ops_find(struct dispatch_ops *ops, struct trace *t)
{
    *ops = (struct dispatch_ops){0};
    struct scan scan = {.t = t, .ops = ops};
    for (size_t i = 0; i < t->runs.n; i++)
        scan.has_replays |= t->runs.v[i].trace_id >= 0;
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
