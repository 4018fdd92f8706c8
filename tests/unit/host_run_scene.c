// host_run_scene.c - a run written by hand, and what was read of it as text.
#include "host_run_scene.h"

#include "../support/walk_track.h"
#include "formats/host_run/host_run.h"
#include "test.h"

struct told {
    const struct trace *r;
    struct buf text;
};

str string_of(const struct trace *r, uint64_t id)
{
    return r->strings.keys.v[id];
}

// "inner 20-30 " inner zones first, a star: had no end, their depth as dots before it.
static void tell_zone(void *context, const struct walk_zone *z)
{
    struct told *t = context;
    buf_fill(&t->text, '.', z->depth);
    buf_str(&t->text, string_of(t->r, t->r->sites.v[z->site].name));
    buf_printf(&t->text, " %llu-%llu", (unsigned long long)z->start,
               (unsigned long long)z->end);
    if (z->children)
        buf_printf(&t->text, "(%llu)", (unsigned long long)z->children);
    if (z->flags & ZONE_OPEN)
        buf_char(&t->text, '*');
    if (z->said.name.n || z->said.text.n)
        buf_printf(&t->text, " %.*s/%.*s", STR(z->said.name), STR(z->said.text));
    if (z->said.has_value)
        buf_printf(&t->text, " =%llu", (unsigned long long)z->said.value);
    buf_char(&t->text, '\n');
}

static void tell_event(void *context, const struct trace_event *ev)
{
    struct told *t = context;
    buf_printf(&t->text, "%d@%llu %llu %llu %llu %.*s\n", (int)ev->kind,
               (unsigned long long)ev->time, (unsigned long long)ev->a,
               (unsigned long long)ev->b, (unsigned long long)ev->c, STR(ev->text));
}

static struct told told;

str zones_of(const struct trace *r, uint32_t track)
{
    told.r = r;
    told.text.n = 0;
    struct walk_visitor v = {.context = &told, .zone = tell_zone};
    walk_track(r, track, &v);
    return buf_view(&told.text);
}

str events_of(const struct trace *r, uint32_t track)
{
    told.r = r;
    told.text.n = 0;
    struct walk_visitor v = {.context = &told, .event = tell_event};
    walk_track(r, track, &v);
    return buf_view(&told.text);
}

void open_run(struct trace *r, struct sample_run *s)
{
    struct err e = {0};
    sample_run_write(s);
    if (!host_run_open(r, s->path, &e))
        fail_msg("%s", e.text);
}

void close_run(struct trace *r, struct sample_run *s, struct sample_words *w)
{
    trace_free(r);
    sample_run_free(s);
    sample_words_free(w);
    buf_free(&told.text);
}

uint64_t found(struct trace *r, int kind)
{
    return trace_findings(r)->entry[kind].count;
}

void scene_start(struct scene *c)
{
    *c = (struct scene){0};
    sample_run_start(&c->s);
    c->p = sample_process(&c->s, 100, 1000);
    c->outer = sample_location(c->p, "outer", "main", "main.c", 10);
    c->inner = sample_location(c->p, NULL, "inner", "main.c", 20);
}

void scene_open(struct scene *c)
{
    open_run(&c->r, &c->s);
}

void scene_end(struct scene *c)
{
    close_run(&c->r, &c->s, &c->w);
}
