// run_rows.c - groups, rows, zones and texts of a run's page.
#include "present/timeline/run_rows.h"

#include "present/timeline/timeline_plan.h"

void rows_start(struct run_rows *r, const struct run_timeline *in, struct notes *notes)
{
    *r = (struct run_rows){.in = in, .notes = notes};
    r->trace.path = in->path;
    r->trace.mhz = 1000; // a cycle of the page is a ns
    (void)map_put(&r->trace.strings, S(""));
}

void rows_free(struct run_rows *r)
{
    trace_free(&r->trace);
    device_ops_free(&r->ops);
    vec_free(&r->groups);
    vec_free(&r->places);
    vec_free(&r->starts);
    vec_free(&r->ends);
    vec_free(&r->sites);
    vec_free(&r->runs);
    vec_free(&r->depths);
    map_free(&r->texts);
    vec_free(&r->marks);
    vec_free(&r->frames);
    vec_free(&r->plots);
    arena_free(&r->arena);
}

uint32_t rows_add_group(struct run_rows *r, int64_t id, struct timeline_group group)
{
    vec_push(&r->trace.devices, (struct trace_device){.id = id});
    vec_push(&r->groups, group);
    return (uint32_t)r->groups.n - 1;
}

uint32_t rows_add_core(struct run_rows *r, uint32_t device, int32_t x, int32_t y)
{
    struct trace_device *d = &r->trace.devices.v[device];
    vec_push(&d->cores, (uint32_t)r->trace.cores.n);
    vec_push(&r->trace.cores, (struct trace_core){.device = device, .x = x, .y = y});
    return (uint32_t)r->trace.cores.n - 1;
}

uint32_t rows_add_track(struct run_rows *r, uint32_t core, str label)
{
    uint32_t track = (uint32_t)r->trace.tracks.n;
    vec_push(&r->trace.cores.v[core].tracks, track);
    vec_push(&r->trace.tracks,
             (struct trace_track){.core = core,
                                  .risc = trace_put_text(&r->trace, label),
                                  .zone = (uint32_t)r->starts.n});
    return track;
}

uint32_t rows_add_row(struct run_rows *r, uint32_t device, str label)
{
    int32_t y = (int32_t)r->trace.devices.v[device].cores.n;
    return rows_add_track(r, rows_add_core(r, device, 0, y), label);
}

void rows_add_zone(struct run_rows *r, struct rows_zone z)
{
    struct trace_track *k = &r->trace.tracks.v[r->trace.tracks.n - 1];
    // The page writes starts as differences: one that went back would not be a number.
    if (k->n_zones && z.start < r->starts.v[r->starts.n - 1])
        z.start = r->starts.v[r->starts.n - 1];
    z.end = timeline_most(z.start, z.end);
    vec_push(&r->starts, z.start);
    vec_push(&r->ends, z.end);
    vec_push(&r->sites, z.site);
    vec_push(&r->runs, z.run);
    vec_push(&r->depths, z.depth);
    k->n_zones++;
    r->span = timeline_most(r->span, z.end == ROWS_NO_END ? z.start : z.end);
}

uint32_t rows_add_site(struct run_rows *r, struct rows_site s)
{
    vec_push(&r->trace.sites, (struct trace_site){.name = trace_put_text(&r->trace, s.name),
                                                  .file = trace_put_text(&r->trace, s.file),
                                                  .line = s.line,
                                                  .type = MARKER_ZONE_START});
    vec_push(&r->places,
             (struct timeline_place){trace_put_text(&r->trace, s.function), s.colour});
    return (uint32_t)r->places.n - 1;
}

str rows_clean(struct run_rows *r, str text, size_t most)
{
    str cut = str_clip(text, most);
    return trace_text(&r->trace, trace_put_text(&r->trace, cut));
}

uint32_t rows_text(struct run_rows *r, str text)
{
    if (!text.n)
        return 0;
    str cut = str_clip(text, RUN_TEXT_MOST);
    uint32_t known = map_get(&r->texts, cut);
    if (known != MAP_NONE)
        return known + 1;
    if (r->texts.keys.n >= RUN_TEXTS_MOST) {
        r->n_texts_over++;
        return 0;
    }
    return map_put(&r->texts, rows_clean(r, cut, RUN_TEXT_MOST)) + 1;
}

str rows_base_name(str path)
{
    for (size_t i = path.n; i > 0; i--)
        if (path.p[i - 1] == '/')
            return i < path.n ? str_from(path, i) : path;
    return path;
}

str rows_process_name(const struct run_rows *r, const struct trace_process *p)
{
    const struct trace *h = r->in->host;
    str name = rows_base_name(rows_host_text(r, p->program));
    if (name.n || p->log == TRACE_NONE)
        return name.n ? name : S("process");
    const struct process *known = &h->log.processes.v[p->log];
    if (!known->programs.n)
        return S("process");
    return rows_base_name(known->programs.v[known->programs.n - 1].path);
}
