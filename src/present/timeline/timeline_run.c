// timeline_run.c - processes, texts, marks, frames and plots in the document of a page.
#include "present/timeline/timeline_run.h"

void timeline_run_device(const struct timeline_plan *p, size_t device, struct json *j)
{
    static const char *const kinds[TIMELINE_KINDS] = {[TIMELINE_CHIP] = "chip",
                                                      [TIMELINE_PROCESS] = "process",
                                                      [TIMELINE_PROCESSES] = "processes"};
    const struct timeline_group *g = &p->page->run->groups[p->devices.v[device].device];
    json_key_text(j, "kind", str_of(kinds[g->kind]));
    json_key_text(j, "label", g->label);
    json_key_text(j, "about", g->about);
    json_key(j, S("loose"));
    json_bool(j, g->is_loose);
    json_key(j, S("error"));
    json_double(j, g->error_ns);
}

void timeline_run_site(const struct timeline_plan *p, size_t site, struct json *j)
{
    const struct timeline_place *place = &p->page->run->places[p->sites.v[site]];
    json_int(j, place->colour);
    json_text(j, trace_text(p->page->trace, place->function));
}

static void open_list(struct json *j, const char *key)
{
    json_key(j, str_of(key));
    json_open(j, '[');
}

static void open_row(struct json *j)
{
    json_newline(j);
    json_open(j, '[');
}

static void put_texts(const struct timeline_run *r, struct json *j, struct out *o)
{
    open_list(j, "texts");
    for (size_t i = 0; i < r->n_texts; i++) {
        json_newline(j);
        json_text(j, r->texts[i]);
        out_flush_some(o);
    }
    json_close(j, ']');
}

// [track, time, kind, level, colour, text]
static void put_marks(const struct timeline_plan *p, struct json *j, struct out *o)
{
    const struct timeline_run *r = p->page->run;
    uint32_t *track_of =
        mem_alloc(mem_bytes(sizeof *track_of, p->page->trace->tracks.n + 1));
    for (size_t i = 0; i < p->tracks.n; i++)
        track_of[p->tracks.v[i].track] = (uint32_t)i;
    open_list(j, "marks");
    for (size_t i = 0; i < r->n_marks; i++) {
        const struct timeline_mark *m = &r->marks[i];
        open_row(j);
        json_int(j, track_of[m->track]);
        json_int(j, (int64_t)timeline_least(m->time, r->span));
        json_int(j, m->kind);
        json_int(j, m->level);
        json_int(j, m->colour);
        json_text(j, m->text);
        json_close(j, ']');
        out_flush_some(o);
    }
    json_close(j, ']');
    mem_free(track_of);
}

// [device, name, start, end, is whole]
static void put_frames(const struct timeline_plan *p, struct json *j, struct out *o)
{
    const struct timeline_run *r = p->page->run;
    open_list(j, "frames");
    for (size_t i = 0; i < r->n_frames; i++) {
        const struct timeline_frame *f = &r->frames[i];
        uint32_t device = p->device_of[f->device];
        if (device == TIMELINE_NOT_SHOWN)
            continue;
        open_row(j);
        json_int(j, device);
        json_text(j, trace_text(p->page->trace, f->name));
        json_int(j, (int64_t)timeline_least(f->start, r->span));
        json_int(j, (int64_t)timeline_least(f->end, r->span));
        json_int(j, !f->is_open);
        json_close(j, ']');
        out_flush_some(o);
    }
    json_close(j, ']');
}

// {device, name, points: [time, value, time, value, ...]}
static void put_plots(const struct timeline_plan *p, struct json *j, struct out *o)
{
    const struct timeline_run *r = p->page->run;
    open_list(j, "plots");
    for (size_t i = 0; i < r->n_plots; i++) {
        const struct timeline_plot *plot = &r->plots[i];
        uint32_t device = p->device_of[plot->device];
        if (device == TIMELINE_NOT_SHOWN)
            continue;
        json_newline(j);
        json_open(j, '{');
        json_key_int(j, "device", device);
        json_key_text(j, "name", trace_text(p->page->trace, plot->name));
        open_list(j, "points");
        for (size_t k = 0; k < plot->n; k++) {
            json_int(j, (int64_t)timeline_least(plot->times[k], r->span));
            json_double(j, plot->values[k]);
            out_flush_some(o);
        }
        json_close(j, ']');
        json_close(j, '}');
    }
    json_close(j, ']');
}

void timeline_run_parts(const struct timeline_plan *p, struct json *j, struct out *o)
{
    json_key_text(j, "unit", S("ns"));
    put_texts(p->page->run, j, o);
    put_marks(p, j, o);
    put_frames(p, j, o);
    put_plots(p, j, o);
}
