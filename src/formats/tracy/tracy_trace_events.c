// tracy_trace_events.c - messages, frames, plots, memory and locks as events of tracks.
#include "base/data/sort.h"

#include "formats/tracy/tracy_colour.h"
#include "formats/tracy/tracy_trace_parts.h"
#include "ttprof/host.h"

// --- lists by track --------------------------------------------------------------------

static uint32_t track_of(const struct tracy_making *m, uint64_t thread)
{
    uint32_t at = tracy_ids_get(&m->threads, thread);
    return at == MAP_NONE ? 0 : at; // the first has what belongs to none
}

static uint64_t used_thread(const struct tracy_making *m, uint16_t number)
{
    return number < m->from->threads_used.n ? m->from->threads_used.v[number] : 0;
}

static void put(struct tracy_making *m, uint32_t track, struct trace_event ev, int64_t time)
{
    if (time < 0)
        return; // it did not happen
    ev.time = m->trees->begin_ns + (uint64_t)time;
    vec_push(&m->events[track].v, ev);
}

// --- messages --------------------------------------------------------------------------

// The text of a signpost in backticks, with those inside no longer doubled. False: it is
// none, or would not become the same message again.
static bool is_signpost(str text, struct arena *a, str *to)
{
    str rest;
    if (!str_after(text, S("`TT_SIGNPOST: "), &rest) || !rest.n ||
        rest.p[rest.n - 1] != '`')
        return false;
    rest.n--;
    char *plain = push_many(a, char, rest.n);
    size_t n = 0;
    for (size_t i = 0; i < rest.n; i++) {
        plain[n++] = rest.p[i];
        if (rest.p[i] == '`' && (++i == rest.n || rest.p[i] != '`'))
            return false;
    }
    *to = (str){plain, n};
    return true;
}

static uint32_t message_colour(uint32_t c)
{
    return c == UINT32_MAX ? 0 : tracy_swap_colour(c) & 0xFFFFFF;
}

static void put_messages(struct tracy_making *m, size_t thread)
{
    const struct tracy *from = m->from;
    const struct tracy_thread *k = &from->threads.v[thread];
    for (size_t i = 0; i < k->messages.n; i++) {
        if (k->messages.v[i] >= from->messages.n)
            continue;
        const struct tracy_message *one = pile_at(&from->messages, k->messages.v[i]);
        uint32_t level = from->generation == TRACY_U14 ? one->severity : TTPROF_INFO;
        struct trace_event ev = {.kind = TT_MESSAGE,
                                 .attribute = level << 24 | message_colour(one->colour),
                                 .text = tracy_ref_text(from, one->text)};
        if (is_signpost(ev.text, &m->t->arena, &ev.text))
            ev.kind = TT_SIGNPOST;
        else if (str_starts(ev.text, S("`TT_DNN")) || str_starts(ev.text, S("`TT_METAL")))
            ev.kind = TT_OP;
        put(m, (uint32_t)thread, ev, one->time);
    }
}

// --- frames and plots ------------------------------------------------------------------

static void put_frames(struct tracy_making *m, const struct tracy_frames *set)
{
    struct trace_event ev = {.a = tracy_key_string(m, set->name)};
    for (size_t i = 0; i < set->frames.n; i++) {
        const struct tracy_frame *f = pile_at(&set->frames, i);
        ev.kind = set->is_continuous ? TT_FRAME_MARK : TT_FRAME_START;
        put(m, 0, ev, f->start);
        ev.kind = TT_FRAME_END;
        if (!set->is_continuous)
            put(m, 0, ev, f->end);
    }
}

static void put_plot(struct tracy_making *m, const struct tracy_plot *plot)
{
    // The only plot without a name is the load of the system.
    struct trace_event ev = {.kind = TT_PLOT_REAL, .a = tracy_key_string(m, plot->name)};
    for (size_t i = 0; i < plot->points.n; i++) {
        const struct tracy_point *p = pile_at(&plot->points, i);
        memcpy(&ev.b, &p->value, sizeof ev.b);
        put(m, 0, ev, p->time);
    }
}

// --- memory and locks ------------------------------------------------------------------

static void put_memory(struct tracy_making *m, const struct tracy_pool *pool)
{
    uint32_t name = tracy_key_string(m, pool->name);
    for (size_t i = 0; i < pool->events.n; i++) {
        const struct tracy_memory_event *e = pile_at(&pool->events, i);
        struct trace_event alloc = {
            .kind = TT_ALLOC, .a = e->address, .b = e->bytes, .c = name};
        struct trace_event freed = {.kind = TT_FREE, .a = e->address, .b = name};
        put(m, track_of(m, used_thread(m, e->alloc_thread)), alloc, e->alloc_time);
        put(m, track_of(m, used_thread(m, e->free_thread)), freed, e->free_time);
    }
}

static void put_lock(struct tracy_making *m, const struct tracy_lock *lock)
{
    for (size_t i = 0; i < lock->events.n; i++) {
        const struct tracy_lock_event *e = pile_at(&lock->events, i);
        if (e->kind > TT_LOCK_RELEASE_SHARED - TT_LOCK_WAIT || e->thread >= lock->threads.n)
            continue;
        uint32_t track = track_of(m, lock->threads.v[e->thread]);
        struct trace_event ev = {.kind = (enum tt_host_event)(TT_LOCK_WAIT + e->kind),
                                 .a = lock->id};
        put(m, track, ev, e->time);
        ev = (struct trace_event){
            .kind = TT_LOCK_MARK, .a = lock->id, .b = tree_site(m->trees, e->place)};
        if (e->place)
            put(m, track, ev, e->time);
    }
}

// --- all -------------------------------------------------------------------------------

// By time; equal times keep their order.
static void keep_sorted(struct tracy_making *m, uint32_t at)
{
    struct tracy_events *events = &m->events[at];
    size_t n = events->v.n;
    uint32_t track = m->trees->first_track + at;
    struct keyed *order = mem_alloc(mem_bytes(2 * sizeof *order, n));
    for (size_t i = 0; i < n; i++)
        order[i] = (struct keyed){.key = events->v.v[i].time, .a = (uint32_t)i};
    sort_keyed(order, order + n, n);
    struct pile *to = &trace_tree_of(m->t, track)->events;
    for (size_t i = 0; i < n; i++)
        memcpy(pile_add(to, &m->from->store), &events->v.v[order[i].a],
               sizeof *events->v.v);
    m->t->tracks.v[track].n_events += n;
    mem_free(order);
    vec_free(&events->v);
}

void tracy_trace_events(struct tracy_making *m)
{
    const struct tracy *from = m->from;
    size_t n = m->trees->tracks.n;
    if (!n)
        return;
    m->events = mem_alloc(mem_bytes(sizeof *m->events, n));
    for (size_t i = 0; i < from->threads.n; i++)
        put_messages(m, i);
    for (size_t i = 0; i < from->frame_sets.n; i++)
        put_frames(m, &from->frame_sets.v[i]);
    for (size_t i = 0; i < from->plots.n; i++)
        put_plot(m, &from->plots.v[i]);
    for (size_t i = 0; i < from->pools.n; i++)
        put_memory(m, &from->pools.v[i]);
    for (size_t i = 0; i < from->locks.n; i++)
        put_lock(m, &from->locks.v[i]);
    for (uint32_t i = 0; i < n; i++)
        keep_sorted(m, i);
    mem_free(m->events);
    m->events = NULL;
}
