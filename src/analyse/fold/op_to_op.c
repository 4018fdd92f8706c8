// op_to_op.c - a queue of pairs for each core.
//
// The pairs of a core come in order of their starts, so an unused one is at the head of its
// queue when its turn comes: a row only needs to look at heads.
#include "analyse/fold/op_to_op.h"

#include <stdlib.h>

static int by_x_then_y(const void *a, const void *b)
{
    const struct core_place *p = a, *q = b;
    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    return (p->y > q->y) - (p->y < q->y);
}

static bool has_markers(const struct trace *t, const struct trace_core *c)
{
    for (size_t k = 0; k < c->tracks.n; k++)
        if (t->tracks.v[c->tracks.v[k]].n_markers)
            return true;
    return false;
}

static void find_core_columns(struct op_to_op *o)
{
    const struct trace *t = o->analysis->trace;
    o->columns = mem_alloc(mem_bytes(sizeof *o->columns, t->cores.n + 1));
    o->column_of = mem_alloc(mem_bytes(sizeof *o->column_of, t->cores.n + 1));
    size_t n = 0;
    for (size_t c = 0; c < t->cores.n; c++)
        if (has_markers(t, &t->cores.v[c]))
            o->columns[n++] = (struct core_place){t->cores.v[c].x, t->cores.v[c].y};
    qsort(o->columns, n, sizeof *o->columns, by_x_then_y);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || by_x_then_y(&o->columns[o->n_columns - 1], &o->columns[i]) != 0)
            o->columns[o->n_columns++] = o->columns[i];
    for (size_t c = 0; c < t->cores.n; c++) {
        struct core_place key = {t->cores.v[c].x, t->cores.v[c].y};
        const struct core_place *hit =
            bsearch(&key, o->columns, o->n_columns, sizeof key, by_x_then_y);
        o->column_of[c] = hit ? (uint32_t)(hit - o->columns) : UINT32_MAX;
    }
    o->cells = mem_alloc(mem_bytes(sizeof *o->cells, o->n_columns + 1));
}

static bool is_between_ops(const struct trace *t, const struct result *r)
{
    return r->start_iter != NO_MARKER && r->end_iter != NO_MARKER &&
           t->markers.time[r->start_iter] != t->markers.time[r->end_iter];
}

// Results come core by core.
static void fill_queues(struct op_to_op *o)
{
    const struct trace *t = o->analysis->trace;
    const struct analysed *found = device_analysis_find(o->analysis, S("op2op"));
    o->queues = mem_alloc(mem_bytes(sizeof *o->queues, t->cores.n + 1));
    if (!found || t->is_legacy || found->analysis->across != ACROSS_CORE ||
        found->analysis->type != ANALYSE_ADJACENT)
        return;
    o->pairs = mem_alloc(mem_bytes(sizeof *o->pairs, found->results.n + 1));
    size_t n = 0;
    for (size_t i = 0; i < found->results.n; i++) {
        const struct result *r = &found->results.v[i];
        if (!is_between_ops(t, r))
            continue;
        struct core_queue *q = &o->queues[r->group];
        if (q->n++ == 0)
            q->v = o->pairs + n;
        o->pairs[n++] = (struct op_pair){.start = {t->markers.time[r->start]},
                                         .gap = {r->cycles},
                                         .from = t->runs.v[t->markers.run[r->start]].id,
                                         .to = t->runs.v[t->markers.run[r->end]].id};
    }
    o->starts = mem_alloc(mem_bytes(sizeof *o->starts, 2 * n + 1));
}

static void load_device(struct op_to_op *o)
{
    o->device = o->next_device++;
    o->at = o->n_starts = 0;
    const struct trace_device *device = &o->analysis->trace->devices.v[o->device];
    for (size_t c = 0; c < device->cores.n; c++) {
        uint32_t core = device->cores.v[c];
        const struct core_queue *q = &o->queues[core];
        for (size_t i = 0; i < q->n; i++)
            o->starts[o->n_starts++] = (struct keyed){q->v[i].start.v, core, (uint32_t)i};
    }
    if (o->n_starts)
        sort_keyed(o->starts, o->starts + o->n_starts, o->n_starts);
}

static void fill_row(struct op_to_op *o, const struct op_pair *pair)
{
    const struct trace_device *device = &o->analysis->trace->devices.v[o->device];
    o->pair = pair;
    for (size_t i = 0; i < o->n_columns; i++)
        o->cells[i] = NULL;
    for (size_t c = 0; c < device->cores.n; c++) {
        uint32_t core = device->cores.v[c];
        struct core_queue *q = &o->queues[core];
        if (q->head == q->n)
            continue;
        const struct op_pair *next = &q->v[q->head];
        if (next->from != pair->from || next->to != pair->to)
            continue;
        o->cells[o->column_of[core]] = next;
        q->head++;
    }
}

void op_to_op_start(struct op_to_op *o, const struct device_analysis *d)
{
    *o = (struct op_to_op){.analysis = d};
    find_core_columns(o);
    fill_queues(o);
}

bool op_to_op_next(struct op_to_op *o)
{
    for (;;) {
        while (o->at < o->n_starts) {
            const struct keyed *s = &o->starts[o->at++];
            const struct core_queue *q = &o->queues[s->a];
            if (s->b < q->head)
                continue; // already in an earlier row
            fill_row(o, &q->v[s->b]);
            return true;
        }
        if (o->next_device == o->analysis->trace->devices.n)
            return false;
        load_device(o);
    }
}

void op_to_op_end(struct op_to_op *o)
{
    mem_free(o->columns);
    mem_free(o->cells);
    mem_free(o->column_of);
    mem_free(o->pairs);
    mem_free(o->starts);
    mem_free(o->queues);
    *o = (struct op_to_op){0};
}
