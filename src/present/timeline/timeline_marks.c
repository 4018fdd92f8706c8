// timeline_marks.c - the parts of a document that only runs have: processes, texts, marks,
// frames and plots.
#include "base/text/json.h"

#include "present/timeline/timeline_rows.h"

void timeline_put_group(const struct timeline_group *g, struct json *j)
{
    static const char *const kinds[TIMELINE_KINDS] = {[TIMELINE_CHIP] = "chip",
                                                      [TIMELINE_PROCESS] = "process",
                                                      [TIMELINE_PROCESSES] = "processes"};
    json_key_text(j, "kind", str_of(kinds[g->kind]));
    json_key_text(j, "label", g->label);
    json_key_text(j, "about", g->about);
    json_key(j, S("loose"));
    json_bool(j, g->is_loose);
    json_key(j, S("error"));
    json_double(j, g->error_ns);
}

void timeline_put_site(const struct timeline_site *s, struct json *j)
{
    json_int(j, s->colour);
    json_text(j, s->function);
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

static void put_texts(const struct timeline_rows *r, struct json *j, struct out *o)
{
    open_list(j, "texts");
    for (size_t i = 0; i < r->texts.keys.n; i++) {
        json_newline(j);
        json_text(j, r->texts.keys.v[i]);
        out_flush_some(o);
    }
    json_close(j, ']');
}

// [track, time, kind, level, colour, text]
static void put_marks(const struct timeline_rows *r, struct json *j, struct out *o)
{
    open_list(j, "marks");
    for (size_t i = 0; i < r->marks.n; i++) {
        const struct timeline_mark *m = &r->marks.v[i];
        open_row(j);
        json_int(j, m->row);
        json_int(j, (int64_t)timeline_least(m->time, r->span));
        json_int(j, m->kind);
        json_int(j, m->level);
        json_int(j, m->colour);
        json_text(j, m->text);
        json_close(j, ']');
        out_flush_some(o);
    }
    json_close(j, ']');
}

// [device, name, start, end, is whole]
static void put_frames(const struct timeline_rows *r, struct json *j, struct out *o)
{
    open_list(j, "frames");
    for (size_t i = 0; i < r->frames.n; i++) {
        const struct timeline_frame *f = &r->frames.v[i];
        open_row(j);
        json_int(j, f->group);
        json_text(j, f->name);
        json_int(j, (int64_t)timeline_least(f->start, r->span));
        json_int(j, (int64_t)timeline_least(f->end, r->span));
        json_int(j, !f->is_open);
        json_close(j, ']');
        out_flush_some(o);
    }
    json_close(j, ']');
}

// {device, name, points: [time, value, time, value, ...]}
static void put_plots(const struct timeline_rows *r, struct json *j, struct out *o)
{
    open_list(j, "plots");
    for (size_t i = 0; i < r->plots.n; i++) {
        const struct timeline_plot *plot = &r->plots.v[i];
        json_newline(j);
        json_open(j, '{');
        json_key_int(j, "device", plot->group);
        json_key_text(j, "name", plot->name);
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

void timeline_put_marks(const struct timeline_plan *p, struct json *j, struct out *o)
{
    json_key_text(j, "unit", S("ns"));
    put_texts(p->of_run, j, o);
    put_marks(p->of_run, j, o);
    put_frames(p->of_run, j, o);
    put_plots(p->of_run, j, o);
}
