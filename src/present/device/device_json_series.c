// device_json_series.c - series of cores and devices, and the ops split from them.
#include "present/device/device_json_parts.h"

struct series series_of(const struct trace *t, const uint32_t *cores, size_t n)
{
    VEC(struct keyed) v = {0};
    for (size_t c = 0; c < n; c++) {
        const struct trace_core *core = &t->cores.v[cores[c]];
        for (size_t i = 0; i < core->tracks.n; i++) {
            uint32_t track = core->tracks.v[i];
            const struct trace_track *k = &t->tracks.v[track];
            vec_reserve(&v, k->n_markers);
            for (uint32_t m = k->marker; m < k->marker + k->n_markers; m++)
                v.v[v.n++] = (struct keyed){t->markers.time[m], m, track};
        }
    }
    struct keyed *scratch = mem_alloc(mem_bytes(sizeof *scratch, v.n + 1));
    sort_keyed(v.v, scratch, v.n);
    mem_free(scratch);
    return (struct series){.v = v.v, .n = v.n};
}

// The elements of a series by group, in series order; `first` is the start of each group,
// with one entry more for the end. Elements of group NO_OP are left out.
struct groups {
    struct keyed *v;
    size_t *first;
    size_t n;
};

static struct groups groups_make(const struct series *s, const uint32_t *group_of, size_t n)
{
    struct groups g = {.v = mem_alloc(mem_bytes(sizeof *g.v, s->n + 1)),
                       .first = mem_alloc(mem_bytes(sizeof *g.first, n + 2)),
                       .n = n};
    for (size_t i = 0; i < s->n; i++)
        if (group_of[i] != NO_OP)
            g.first[group_of[i] + 2]++;
    for (size_t i = 2; i < n + 2; i++)
        g.first[i] += g.first[i - 1];
    // Shifted by one: filling a group moves its start to the start of the next one.
    for (size_t i = 0; i < s->n; i++)
        if (group_of[i] != NO_OP)
            g.v[g.first[group_of[i] + 1]++] = s->v[i];
    return g;
}

static void groups_free(struct groups *g)
{
    mem_free(g->v);
    mem_free(g->first);
}

// --- ops of a core

// One group for each run id, in order of first appearance.
static struct groups groups_by_id(const struct trace *t, const struct series *s)
{
    struct map ids = {0};
    uint32_t *group_of = mem_alloc(mem_bytes(sizeof *group_of, s->n + 1));
    uint32_t run = UINT32_MAX, group = NO_OP;
    for (size_t i = 0; i < s->n; i++) {
        if (t->markers.run[s->v[i].a] != run) {
            run = t->markers.run[s->v[i].a];
            const int64_t *id = &t->runs.v[run].id;
            group = *id ? map_put(&ids, (str){(const char *)id, sizeof *id}) : NO_OP;
        }
        bool is_of_op = trace_site_of(t, s->v[i].a)->timer_id != 0;
        group_of[i] = is_of_op ? group : NO_OP;
    }
    struct groups g = groups_make(s, group_of, ids.keys.n);
    mem_free(group_of);
    map_free(&ids);
    return g;
}

static void put_op_of_core(struct json_doc *doc, const struct series *op)
{
    json_open(&doc->j, '{');
    put_elements(doc, "timeseries", op);
    json_close(&doc->j, '}');
}

static void put_worker_ops(struct json_doc *doc, const struct series *s)
{
    const struct trace *t = doc->t;
    struct groups g = groups_by_id(t, s);
    size_t open = 0;
    for (size_t i = 0; i < g.first[g.n]; i++) {
        uint32_t site = t->markers.site[g.v[i].a];
        bool is_end = t->sites.v[site].type == MARKER_ZONE_END &&
                      doc->master[site] == t->tracks.v[g.v[i].b].risc;
        if (!is_end)
            continue;
        put_op_of_core(doc, &(struct series){g.v + open, i + 1 - open, s->with});
        open = i + 1;
    }
    groups_free(&g);
}

static void put_dispatch_op(struct json_doc *doc, uint32_t at)
{
    const struct dispatch_op *op = &doc->d->dispatch->v.v[at];
    const uint32_t *m = doc->d->dispatch->elements.v + op->first;
    struct json *j = &doc->j;
    json_open(j, '{');
    put_results(doc, ACROSS_DISPATCH_OPS, at);
    if (doc->is_full) {
        put_key(doc, "timeseries");
        json_open(j, '[');
        for (uint32_t i = 0; i < op->n; i++)
            put_element(doc, m[i], track_of_marker(doc->t, m[i]), WITH_RISC);
        json_close(j, ']');
    } else {
        const struct trace_core *core = &doc->t->cores.v[op->core];
        put_key(doc, "core");
        text_open(doc);
        buf_printf(j->b, "(%d, %d)", core->x, core->y);
        text_close(doc);
        json_key_int(j, "run_host_id", op->id);
    }
    json_close(j, '}');
}

void put_core_ops(struct json_doc *doc, uint32_t core, const struct series *s)
{
    put_key(doc, "ops");
    json_open(&doc->j, '[');
    if (doc->d->has_ops && doc->t->cores.v[core].is_dispatch) {
        for (uint32_t i = 0; i < doc->d->dispatch->v.n; i++)
            if (doc->d->dispatch->v.v[i].core == core)
                put_dispatch_op(doc, i);
    } else if (doc->d->has_ops) {
        put_worker_ops(doc, s);
    }
    json_close(&doc->j, ']');
}

// --- ops of a device

static void put_op_in_short(struct json_doc *doc, uint32_t at)
{
    const struct device_op *op = &doc->d->ops->v[at];
    const struct trace_run *run = &doc->t->runs.v[op->run];
    struct json *j = &doc->j;
    json_newline(j);
    json_open(j, '{');
    put_results(doc, ACROSS_OPS, at);
    put_key(doc, "complete");
    json_bool(j, op->is_complete);
    json_key_int(j, "core_count", op->n_cores);
    json_key_int(j, "execution", run->execution);
    json_key_int(j, "run_host_id", run->id);
    json_key_int(j, "trace_id", run->trace_id);
    json_key_int(j, "trace_id_count", run->trace_counter);
    json_close(j, '}');
}

static struct groups groups_by_op(const struct json_doc *doc, uint32_t device,
                                  const struct series *s)
{
    const struct trace *t = doc->t;
    const struct device_ops *ops = doc->d->ops;
    size_t from = ops->first[device], n = ops->first[device + 1] - from;
    uint32_t *group_of = mem_alloc(mem_bytes(sizeof *group_of, s->n + 1));
    for (size_t i = 0; i < s->n; i++) {
        uint32_t op = ops->of_run[t->markers.run[s->v[i].a]];
        bool is_of_op = op != NO_OP && trace_site_of(t, s->v[i].a)->timer_id != 0;
        group_of[i] = is_of_op ? op - (uint32_t)from : NO_OP;
    }
    struct groups g = groups_make(s, group_of, n);
    mem_free(group_of);
    return g;
}

void put_device_ops(struct json_doc *doc, uint32_t device, const struct series *s)
{
    struct json *j = &doc->j;
    uint32_t from = (uint32_t)doc->d->ops->first[device];
    uint32_t to = (uint32_t)doc->d->ops->first[device + 1];
    put_key(doc, "ops");
    json_open(j, '[');
    if (doc->d->has_ops && doc->is_full) {
        struct groups g = groups_by_op(doc, device, s);
        for (uint32_t op = from; op < to; op++) {
            size_t first = g.first[op - from], end = g.first[op - from + 1];
            if (!doc->d->op_is_used[op])
                continue;
            struct series of_op = {g.v + first, end - first, s->with};
            json_open(j, '{');
            put_results(doc, ACROSS_OPS, op);
            put_events(doc, ACROSS_OPS, &of_op);
            put_elements(doc, "timeseries", &of_op);
            json_close(j, '}');
        }
        groups_free(&g);
    } else if (doc->d->has_ops) {
        for (uint32_t op = from; op < to; op++)
            put_op_in_short(doc, op);
    }
    json_close(j, ']');
}

void put_dispatch_ops(struct json_doc *doc, uint32_t device)
{
    const struct dispatch_ops *ops = doc->d->dispatch;
    put_key(doc, "dispatch_ops");
    json_open(&doc->j, '[');
    for (uint32_t i = 0; doc->d->has_ops && i < ops->v.n; i++)
        if (ops->v.v[i].nth == 0 && doc->t->cores.v[ops->v.v[i].core].device == device)
            put_dispatch_op(doc, i);
    json_close(&doc->j, ']');
}

// --- launches of the logs of 2023

void put_launches(struct json_doc *doc, const struct series *s)
{
    const struct trace *t = doc->t;
    bool is_open = false;
    put_key(doc, "launches");
    json_open(&doc->j, '[');
    for (size_t i = 0; i < s->n; i++) {
        if (trace_site_of(t, s->v[i].a)->timer_id == 1 &&
            str_is(trace_text(t, t->tracks.v[s->v[i].b].risc), "BRISC")) {
            if (is_open)
                json_close(&doc->j, ']');
            json_open(&doc->j, '[');
            is_open = true;
        }
        if (is_open)
            put_element(doc, s->v[i].a, s->v[i].b, s->with);
    }
    if (is_open)
        json_close(&doc->j, ']');
    json_close(&doc->j, ']');
}
