// capture_gpu_whole.c - device zones and markers that come in one item each.
//
// A client sends a zone when it is over, so the zones inside it come first. They wait, by
// lane, for the end of the capture; then the lane is put in order. A marker is a zone
// without duration: files have nothing else for it.
#include <stdlib.h>

#include "base/data/sort.h"

#include "formats/tracy/capture/capture_parts.h"

static void add_whole(struct capture *c, struct gpu_state *g, const struct item *it,
                      struct tracy_gpu_zone z)
{
    struct tracy_gpu *gpu = &c->t->gpus.v[g->number];
    uint64_t thread = item_get(it, TRACY_THREAD_FIELD);
    uint32_t lane = capture_gpu_lane(c, g, thread);
    z.cpu_start = z.start;
    z.cpu_end = z.end;
    if (!gpu->thread)
        z.thread = capture_used_thread(c, thread);
    vec_push(&g->open.v[lane].whole, z);
    gpu->n_zones++;
    capture_note_time(c, z.end);
}

void capture_on_gpu_zone(struct capture *c, const struct item *it)
{
    int32_t place = capture_place(c, item_get(it, TRACY_PLACE_FIELD));
    struct gpu_state *g = capture_gpu_of(c, it);
    if (!g)
        return;
    const struct tracy_gpu *gpu = &c->t->gpus.v[g->number];
    int64_t start = capture_gpu_time(gpu, g, item_get(it, TRACY_GPU_TIME_FIELD));
    int64_t end = capture_gpu_time(gpu, g, item_get(it, TRACY_DELTA_FIELD));
    if (start < 0 || end < start) {
        capture_odd(c, "a device zone that ends before it starts");
        return;
    }
    add_whole(c, g, it,
              (struct tracy_gpu_zone){.start = start, .end = end, .place = place});
}

// The source location comes before the marker; the key in it is of the client's memory.
void capture_on_gpu_marker(struct capture *c, const struct item *it)
{
    c->clocks[TRACY_CLOCK_GPU] += item_get(it, TRACY_TIME_FIELD);
    int32_t place = c->made_place;
    c->made_place = 0;
    struct gpu_state *g = capture_gpu_of(c, it);
    if (!g)
        return;
    const struct tracy_gpu *gpu = &c->t->gpus.v[g->number];
    int64_t time = capture_gpu_time(gpu, g, c->clocks[TRACY_CLOCK_GPU] + gpu->overflow);
    if (time < 0 || !place) {
        capture_odd(c, "a device marker without a time or a name");
        return;
    }
    add_whole(c, g, it,
              (struct tracy_gpu_zone){.start = time, .end = time, .place = place});
}

void capture_on_gpu_marker_note(struct capture *c, const struct item *it)
{
    (void)it;
    (void)capture_take_single(c);
    capture_odd(c, "texts of device markers, which are left out");
}

// --- order -----------------------------------------------------------------------------

struct one {
    struct tracy_gpu_zone z;
    int64_t until; // its end; of a zone that has none, that of everything
    size_t order;  // among zones of the same times: outer ones first
};

static int compare(const void *pa, const void *pb)
{
    const struct one *a = pa, *b = pb;
    SORT_BY(a, b, z.start);
    SORT_BY(b, a, until);
    SORT_BY(a, b, order);
    return 0;
}

// Of zones with the same times, the outer one was sent last.
static size_t gather(const struct pile *zones, const struct open_lane *o, struct one *all)
{
    size_t n = 0;
    for (; n < zones->n; n++)
        all[n] = (struct one){.z = *(struct tracy_gpu_zone *)pile_at(zones, n), .order = n};
    for (size_t i = o->whole.n; i-- > 0; n++)
        all[n] = (struct one){.z = o->whole.v[i], .order = n};
    for (size_t i = 0; i < n; i++) {
        all[i].z.children = 0;
        all[i].until = all[i].z.end < 0 && all[i].z.start >= 0 ? INT64_MAX : all[i].z.end;
    }
    return n;
}

static void nest(struct capture *c, struct pile *zones, const struct open_lane *o)
{
    size_t most = zones->n + o->whole.n, depth = 0;
    struct one *all = mem_alloc(mem_bytes(sizeof *all, most));
    size_t *open = mem_alloc(mem_bytes(sizeof *open, most));
    struct pile ordered = pile_of(zones->bytes);
    size_t n = gather(zones, o, all);
    qsort(all, n, sizeof *all, compare);
    for (size_t i = 0; i < n; i++) {
        while (depth && all[open[depth - 1]].until < all[i].until)
            depth--;
        while (depth && all[open[depth - 1]].until <= all[i].z.start &&
               all[i].until > all[i].z.start)
            depth--;
        if (depth &&
            !capture_is_room(c, depth, DEPTH_MOST, "device zones nested beyond the limit"))
            depth--;
        if (depth)
            all[open[depth - 1]].z.children++;
        open[depth++] = i;
    }
    for (size_t i = 0; i < n; i++)
        *(struct tracy_gpu_zone *)pile_add(&ordered, &c->t->store) = all[i].z;
    pile_free(zones);
    *zones = ordered;
    mem_free(open);
    mem_free(all);
}

void capture_gpus_nest(struct capture *c)
{
    for (size_t i = 0; i < c->gpu_states.n; i++) {
        const struct gpu_state *g = c->gpu_states.v[i];
        for (size_t k = 0; k < g->open.n; k++)
            if (g->open.v[k].whole.n)
                nest(c, &c->t->gpus.v[g->number].lanes.v[k].zones, &g->open.v[k]);
    }
}
