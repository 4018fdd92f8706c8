// tracy_from_lanes.c - device contexts of captured Tracy clients, whose zones are on the
// axis already: as they are in their own contents, moved to the axis of the trace.
#include "formats/tracy/tracy_from_parts.h"
#include "formats/tracy/tracy_trace.h"
#include "trace/trees.h"

struct from_lanes {
    struct from_making *m;
    const struct trace_trees *trees; // of the process that is taken
    const struct tracy *contents;
    uint32_t process;
};

static int64_t moved(const struct from_lanes *l, int64_t ns)
{
    return ns < 0 ? ns : (int64_t)((uint64_t)ns + l->trees->begin_ns);
}

// The generations have other numbers for tt-metal's devices; those of others stay or go.
static uint8_t type_of(const struct from_lanes *l, uint8_t type)
{
    enum { LAST_COMMON = 5 };
    enum tracy_generation was = l->contents->generation, is = l->m->how.generation;
    if (was == is || type <= LAST_COMMON)
        return type;
    return type == tracy_device_type(was) ? tracy_device_type(is) : 0;
}

static uint32_t text_of(struct from_lanes *l, uint32_t text, bool has_process)
{
    const struct trace *from = l->m->from;
    str name = text ? tracy_string(l->contents, text - 1) : (str){0};
    l->m->text.n = 0;
    buf_str(&l->m->text, name);
    if (has_process && from->processes.n > 1)
        buf_printf(&l->m->text, "%sprocess %u", name.n ? ", " : "",
                   from->processes.v[l->process].pid);
    return l->m->text.n ? tracy_text(l->m->to, buf_view(&l->m->text)) + 1 : 0;
}

static void put_zones(struct from_lanes *l, struct tracy_lane *to, const struct pile *zones,
                      uint16_t thread)
{
    struct tracy *t = l->m->to;
    for (size_t i = 0; i < zones->n; i++) {
        struct tracy_gpu_zone z;
        memcpy(&z, pile_at(zones, i), sizeof z);
        z.cpu_start = moved(l, z.cpu_start);
        z.cpu_end = moved(l, z.cpu_end);
        z.start = moved(l, z.start);
        z.end = moved(l, z.end);
        z.place = (int32_t)tree_site(l->trees, z.place) + 1;
        z.stack = 0;
        z.thread = z.thread ? thread : 0;
        memcpy(pile_add(&to->zones, &t->store), &z, sizeof z);
        if (z.end > t->last_time)
            t->last_time = z.end;
    }
}

static void put_context(struct from_lanes *l, const struct tracy_gpu *g)
{
    struct tracy_gpu to = {.thread = g->thread,
                           .is_calibrated = g->is_calibrated,
                           .n_zones = g->n_zones,
                           .period = g->period,
                           .type = type_of(l, g->type),
                           .name = text_of(l, g->name, true),
                           .overflow = g->overflow};
    for (size_t i = 0; i < g->lanes.n; i++) {
        struct tracy_lane lane = {.thread = g->lanes.v[i].thread,
                                  .zones = pile_of(sizeof(struct tracy_gpu_zone))};
        put_zones(l, &lane, &g->lanes.v[i].zones, from_use_thread(l->m->to, lane.thread));
        vec_push(&to.lanes, lane);
    }
    for (size_t i = 0; i < g->note_names.n; i++)
        vec_push(&to.note_names,
                 (struct tracy_note_name){g->note_names.v[i].id,
                                          text_of(l, g->note_names.v[i].name, false)});
    for (size_t i = 0; i < g->notes.n; i++)
        vec_push(&to.notes, g->notes.v[i]);
    vec_push(&l->m->to->gpus, to);
}

void from_put_lanes(struct from_making *m)
{
    const struct trace *from = m->from;
    for (size_t i = 0; i < from->trees.n; i++) {
        struct from_lanes l = {.m = m, .trees = from->trees.v[i]};
        l.contents = tracy_of_trees(l.trees);
        if (!l.contents || !l.trees->tracks.n)
            continue;
        l.process = from->tracks.v[l.trees->first_track].process;
        for (size_t k = 0; k < l.contents->gpus.n; k++)
            put_context(&l, &l.contents->gpus.v[k]);
    }
}
