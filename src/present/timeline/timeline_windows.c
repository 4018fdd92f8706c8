// timeline_windows.c - selects the part of a large log that is kept in full detail.
//
// Windows with the most zones come first, as merged bars hide the most there. A kept window
// is complete: zones that reach into it from before are kept and counted as well.
#include <stdlib.h>

#include "present/timeline/timeline_plan.h"

struct candidate {
    uint64_t n; // zones that start in it
    uint32_t window, group;
};

static int by_zones(const void *a, const void *b)
{
    const struct candidate *k = a, *l = b;
    if (k->n != l->n)
        return k->n > l->n ? -1 : 1;
    if (k->window != l->window)
        return k->window < l->window ? -1 : 1;
    return k->group < l->group ? -1 : 1;
}

// Chooses whole windows until the next one does not fit. Zones that reach into a window are
// already kept if the previous window is; otherwise they count, although some may be kept
// for an earlier one.
static void choose_windows(const struct candidate *c, size_t n,
                           const struct timeline_cell *cells, bool *is_kept, uint64_t room)
{
    for (size_t i = 0; i < n; i++) {
        size_t cell = (size_t)c[i].group * TIMELINE_CELLS + c[i].window;
        bool follows = c[i].window > 0 && is_kept[cell - 1];
        uint64_t cost = c[i].n + (follows ? 0 : cells[cell].n_carried);
        if (cost > room)
            return;
        room -= cost;
        is_kept[cell] = true;
    }
}

// The start of a window on the axis: its first cycle.
static uint64_t window_start(const struct timeline_group *g, size_t window)
{
    return (window * g->span + TIMELINE_WINDOWS - 1) / TIMELINE_WINDOWS;
}

static void join(struct timeline_plan *p, uint32_t group, const bool *is_kept)
{
    struct timeline_group *g = &p->groups.v[group];
    uint32_t *before = push_many(&p->arena, uint32_t, TIMELINE_CELLS);
    for (size_t i = 0; i < TIMELINE_WINDOWS; i++) {
        before[i + 1] = before[i] + is_kept[i];
        if (!is_kept[i])
            continue;
        if (i > 0 && is_kept[i - 1])
            p->windows.v[p->windows.n - 1].to = window_start(g, i + 1);
        else
            vec_push(&p->windows, (struct timeline_window){group, window_start(g, i),
                                                           window_start(g, i + 1)});
    }
    g->n_kept_before = before;
}

// Programs of processes are few and last long, so they are kept whole if they fit; takes
// the room for them.
static bool keep_whole(const struct timeline_plan *p, uint32_t group,
                       const struct timeline_cell *cells, bool *is_kept, uint64_t *room)
{
    if (p->groups.v[group].kind != TIMELINE_PROCESSES)
        return false;
    uint64_t n = 0;
    for (size_t i = 0; i < TIMELINE_WINDOWS; i++)
        n += cells[i].n_start;
    if (n > *room / 2)
        return false;
    memset(is_kept, true, TIMELINE_WINDOWS);
    *room -= n;
    return true;
}

void timeline_keep(struct timeline_plan *p, const struct timeline_cell *cells)
{
    VEC(struct candidate) found = {0};
    bool *is_kept = mem_alloc(mem_bytes(TIMELINE_CELLS, p->groups.n));
    uint64_t room = p->page->max_zones;
    for (uint32_t group = 0; group < p->groups.n; group++) {
        const struct timeline_cell *of = cells + (size_t)group * TIMELINE_CELLS;
        if (keep_whole(p, group, of, is_kept + (size_t)group * TIMELINE_CELLS, &room))
            continue;
        for (uint32_t i = 0; i < TIMELINE_WINDOWS; i++)
            if (of[i].n_start)
                vec_push(&found, (struct candidate){of[i].n_start, i, group});
    }
    if (found.n)
        qsort(found.v, found.n, sizeof *found.v, by_zones);
    choose_windows(found.v, found.n, cells, is_kept, room);
    for (uint32_t group = 0; group < p->groups.n; group++)
        join(p, group, is_kept + (size_t)group * TIMELINE_CELLS);
    mem_free(is_kept);
    vec_free(&found);
}
