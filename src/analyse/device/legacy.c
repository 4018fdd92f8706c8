// legacy.c - adds T0 markers.
#include "analyse/device/legacy.h"

static uint32_t *copy_with_front(const uint32_t *from, const struct trace *t,
                                 uint32_t front)
{
    uint32_t *to = mem_alloc(mem_bytes(sizeof *to, t->markers.n + t->tracks.n + 1));
    for (size_t i = 0; i < t->tracks.n; i++) {
        const struct trace_track *k = &t->tracks.v[i];
        to[k->marker + i] = front;
        memcpy(to + k->marker + i + 1, from + k->marker, k->n_markers * sizeof *to);
    }
    return to;
}

void legacy_add_t0(struct trace *t)
{
    struct trace_markers *m = &t->markers;
    if (!t->tracks.n)
        return;
    t->has_t0 = true;
    uint32_t name = map_put(&t->strings, S("T0"));
    uint32_t type = map_put(&t->strings, str_of(marker_type_names[MARKER_TS_EVENT]));
    vec_push(&t->sites, (struct trace_site){.name = name,
                                            .type_text = type,
                                            .line = SITE_NO_LINE,
                                            .type = MARKER_TS_EVENT});
    uint32_t *site = copy_with_front(m->site, t, (uint32_t)t->sites.n - 1);
    uint32_t *run = copy_with_front(m->run, t, 0);
    uint32_t *line = copy_with_front(m->line, t, 0);
    uint64_t *time = mem_alloc(mem_bytes(sizeof *time, m->n + t->tracks.n + 1));
    for (size_t i = 0; i < t->tracks.n; i++) {
        struct trace_track *k = &t->tracks.v[i];
        size_t at = k->marker + i;
        time[at] = t->devices.v[t->cores.v[k->core].device].first_time;
        run[at] = m->run[k->marker];
        memcpy(time + at + 1, m->time + k->marker, k->n_markers * sizeof *time);
        for (uint32_t d = k->datum; d < k->datum + k->n_data; d++)
            t->data.v[d].marker += (uint32_t)i + 1;
        k->marker = (uint32_t)at;
        k->n_markers++;
    }
    mem_free(m->time);
    mem_free(m->site);
    mem_free(m->run);
    mem_free(m->line);
    *m = (struct trace_markers){time, site, run, line, m->n + t->tracks.n};
}
