// host_messages.c - merges the messages of all tracks into time order.
#include "analyse/host/host_messages.h"

#include "base/data/sort.h"

#include "trace/cursor.h"

static void keep_message(struct host_messages *m, const struct trace_event *ev,
                         uint32_t track)
{
    if (ev->kind == TT_MESSAGE || ev->kind == TT_SIGNPOST || ev->kind == TT_OP)
        vec_push(&m->v, (struct host_message){.time = ev->time,
                                              .track = track,
                                              .kind = ev->kind,
                                              .text = arena_str(&m->arena, ev->text)});
}

static void sort_messages(struct host_messages *m)
{
    struct keyed *keys = mem_alloc(mem_bytes(2 * sizeof *keys, m->v.n));
    struct host_message *old = mem_alloc(mem_bytes(sizeof *old, m->v.n));
    for (size_t i = 0; i < m->v.n; i++) {
        keys[i] = (struct keyed){.key = m->v.v[i].time, .a = (uint32_t)i};
        old[i] = m->v.v[i];
    }
    sort_keyed(keys, keys + m->v.n, m->v.n);
    for (size_t i = 0; i < m->v.n; i++)
        m->v.v[i] = old[keys[i].a];
    mem_free(old);
    mem_free(keys);
}

void host_messages_find(struct host_messages *m, const struct trace *r,
                        const struct zone_choice *choice)
{
    const struct zone_choice all = {.pid = -1, .rank = -1};
    struct trace_cursor *c = trace_cursor_new(r);
    *m = (struct host_messages){0};
    for (uint32_t i = 0; i < r->tracks.n; i++) {
        if (!zone_choice_has_track(r, choice ? choice : &all, i))
            continue;
        trace_cursor_start(c, i);
        for (const struct trace_batch *b; (b = trace_cursor_next(c));)
            for (size_t k = 0; k < b->n_events; k++)
                keep_message(m, &b->events[k], i);
    }
    trace_cursor_free(c);
    if (m->v.n)
        sort_messages(m);
}

void host_messages_free(struct host_messages *m)
{
    vec_free(&m->v);
    arena_free(&m->arena);
}
