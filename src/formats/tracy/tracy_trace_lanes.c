// tracy_trace_lanes.c - device zones: a track for each lane of a context.
#include <stdlib.h>

#include "formats/tracy/tracy_trace_parts.h"
#include "record/format/tracy_device.h"

// The fork has a type of its own; towards others such contexts are custom ones.
static bool is_tenstorrent(const struct tracy *from, const struct tracy_gpu *g, str name)
{
    return from->generation == TRACY_F10 ? g->type == TRACY_GPU_TENSTORRENT
                                         : str_starts(name, S("Device: "));
}

static void put_core_lane(struct buf *b, uint64_t lane)
{
    struct tracy_core core;
    uint32_t risc;
    tracy_lane_parts(lane, &core, &risc);
    buf_printf(b, "device %lld core %d-%d ", (long long)core.chip, core.x, core.y);
    if (risc < TRACY_OTHER_RISC)
        buf_z(b, tracy_risc_name(risc));
    else
        buf_printf(b, "RISC %u", risc);
}

static uint32_t name_lane(struct tracy_making *m, const struct tracy_gpu *g, size_t number,
                          uint64_t lane)
{
    str name = g->name ? tracy_string(m->from, g->name - 1) : (str){0};
    struct buf b = {0};
    if (is_tenstorrent(m->from, g, name))
        put_core_lane(&b, lane);
    else if (name.n)
        buf_str(&b, name);
    else
        buf_printf(&b, "device context %zu", number + 1);
    if (!is_tenstorrent(m->from, g, name) && g->lanes.n > 1)
        buf_printf(&b, " lane %llu", (unsigned long long)lane);
    uint32_t string = trace_put_text(m->t, buf_view(&b));
    buf_free(&b);
    return string;
}

// Zones whose start never arrived are open ones.
static void add_zones(struct tracy_making *m, struct trace_tree *to,
                      const struct pile *from)
{
    for (size_t i = 0; i < from->n; i++) {
        const struct tracy_gpu_zone *g = pile_at(from, i);
        struct tree_zone z = {.start = g->start,
                              .end = g->start < 0 ? -1 : g->end,
                              .children = g->children,
                              .place = g->place};
        memcpy(pile_add(&to->own_zones, &m->from->store), &z, sizeof z);
    }
}

static int by_thread(const void *a, const void *b)
{
    const struct tracy_lane *const *x = a, *const *y = b;
    return ((*x)->thread > (*y)->thread) - ((*x)->thread < (*y)->thread);
}

// Files have lanes in any order.
static void add_lanes(struct tracy_making *m, size_t number)
{
    const struct tracy_gpu *g = &m->from->gpus.v[number];
    const struct tracy_lane **order =
        push_many(&m->t->arena, const struct tracy_lane *, g->lanes.n);
    for (size_t i = 0; i < g->lanes.n; i++)
        order[i] = &g->lanes.v[i];
    if (g->lanes.n)
        qsort(order, g->lanes.n, sizeof *order, by_thread);
    for (size_t i = 0; i < g->lanes.n; i++) {
        struct trace_track track = {.kind = TRACK_LANE,
                                    .serial = (uint32_t)m->t->tracks.n + 1,
                                    .name = name_lane(m, g, number, order[i]->thread),
                                    .n_events = 2 * order[i]->zones.n};
        add_zones(m, tracy_trace_track(m, track, NULL), &order[i]->zones);
    }
}

void tracy_trace_lanes(struct tracy_making *m)
{
    for (size_t i = 0; i < m->from->gpus.n; i++)
        add_lanes(m, i);
}
