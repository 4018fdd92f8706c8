// timeline.c - the document of the page, followed by its blocks.
#include "present/timeline/timeline.h"

#include <inttypes.h>
#include <stdio.h>

#include "present/page/document.h"
#include "present/page/page.h"
#include "present/timeline/timeline_block.h"
#include "present/timeline/timeline_rows.h"

struct timeline {
    struct timeline_plan plan;
    timeline_blocks blocks; // the zones, then the levels
    timeline_heats heats;
};

// The coarsest level is "level0".
static const char *block_id(size_t block, char id[32])
{
    (void)snprintf(id, 32, "level%zu", block - 1);
    return block == 0 ? "zones" : id;
}

static void put_text(struct json *j, str key, str text)
{
    json_key(j, key);
    json_text(j, text);
}

static void put_int(struct json *j, str key, uint64_t v)
{
    json_key(j, key);
    json_int(j, (int64_t)v);
}

static void put_bool(struct json *j, str key, bool v)
{
    json_key(j, key);
    json_bool(j, v);
}

static void open_list(struct json *j, str key)
{
    json_key(j, key);
    json_open(j, '[');
}

// An array of numbers on its own line.
static void put_number_row(struct json *j, struct out *o, const int64_t *v, size_t n)
{
    json_newline(j);
    json_open(j, '[');
    for (size_t i = 0; i < n; i++)
        json_int(j, v[i]);
    json_close(j, ']');
    out_flush_some(o);
}
#define PUT_ROW(j, o, ...)                                                                 \
    put_number_row((j), (o), (const int64_t[]){__VA_ARGS__},                               \
                   sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static void put_groups(const struct timeline_plan *p, struct json *j)
{
    const struct trace *t = p->page->trace;
    open_list(j, S("devices"));
    for (size_t i = 0; i < p->groups.n; i++) {
        const struct timeline_group *g = &p->groups.v[i];
        char t0[24];
        uint64_t mhz = g->mhz > 0 ? (uint64_t)g->mhz : 0;
        (void)snprintf(t0, sizeof t0, "%" PRIu64, g->t0);
        json_newline(j);
        json_open(j, '{');
        json_key(j, S("id"));
        json_int(j, g->id);
        put_text(j, S("arch"), t->arch);
        put_int(j, S("mhz"), p->page->run ? 1000 : mhz); // the page of a run counts ns
        put_text(j, S("t0"), str_of(t0));
        put_int(j, S("span"), g->span);
        if (p->page->run)
            timeline_put_group(g, j);
        else if (t->files.n > 1)
            put_text(j, S("label"), g->label);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void put_rows(const struct timeline_plan *p, struct json *j, struct out *o)
{
    open_list(j, S("tracks"));
    for (size_t i = 0; i < p->rows.n; i++) {
        const struct timeline_row *row = &p->rows.v[i];
        json_newline(j);
        json_open(j, '{');
        put_int(j, S("device"), row->group);
        json_key(j, S("x"));
        json_int(j, row->x);
        json_key(j, S("y"));
        json_int(j, row->y);
        put_text(j, S("risc"), row->label);
        put_int(j, S("zones"), row->n_kept);
        put_int(j, S("depths"), row->n_depths);
        put_bool(j, S("dispatch"), row->is_dispatch);
        json_close(j, '}');
        out_flush_some(o);
    }
    json_close(j, ']');
}

static void put_sites(const struct timeline_plan *p, struct json *j, struct out *o)
{
    open_list(j, S("names"));
    for (size_t i = 0; i < p->names.keys.n; i++) {
        json_newline(j);
        json_text(j, p->names.keys.v[i]);
        out_flush_some(o);
    }
    json_close(j, ']');
    open_list(j, S("sites"));
    for (size_t i = 0; i < p->sites.n; i++) {
        const struct timeline_site *s = &p->all_sites.v[p->sites.v[i]];
        json_newline(j);
        json_open(j, '[');
        json_int(j, p->name_of.v[i]);
        json_text(j, s->file);
        json_int(j, s->line == SITE_NO_LINE ? 0 : s->line);
        if (p->page->run)
            timeline_put_site(s, j);
        json_close(j, ']');
        out_flush_some(o);
    }
    json_close(j, ']');
}

static int64_t op_time(const struct timeline_plan *p, const struct timeline_group *g,
                       uint64_t cycle)
{
    uint64_t time = p->page->run ? timeline_on_axis(&g->clock, cycle) : cycle;
    return (int64_t)timeline_at(g, time);
}

static void put_runs(const struct timeline_plan *p, struct json *j, struct out *o)
{
    open_list(j, S("runs"));
    for (size_t i = 0; i < p->runs.n; i++) {
        const struct device_op *op = &p->page->ops->v[p->runs.v[i]];
        const struct trace_run *run = &p->page->trace->runs.v[op->run];
        uint32_t group = p->group_of[run->device];
        const struct timeline_group *g = &p->groups.v[group];
        PUT_ROW(j, o, group, run->id, run->trace_id, run->trace_counter,
                op_time(p, g, op->first_time), op_time(p, g, op->last_time),
                op->is_complete);
    }
    json_close(j, ']');
}

static void put_levels(const struct timeline *t, struct json *j, struct out *o)
{
    open_list(j, S("widths"));
    for (size_t i = 1; i < t->blocks.n; i++)
        json_int(j, (int64_t)t->blocks.v[i].width);
    json_close(j, ']');
    open_list(j, S("spans"));
    for (size_t i = 1; i < t->blocks.n; i++) {
        json_newline(j);
        json_open(j, '[');
        for (size_t k = 0; k < t->plan.rows.n; k++)
            json_int(j, t->blocks.v[i].counts[k]);
        json_close(j, ']');
        out_flush_some(o);
    }
    json_close(j, ']');
    json_key(j, S("blocks"));
    json_open(j, '{');
    open_list(j, S("levels"));
    char id[32];
    for (size_t i = 1; i < t->blocks.n; i++)
        json_text(j, str_of(block_id(i, id)));
    json_close(j, ']');
    put_text(j, S("zones"), str_of(block_id(0, id)));
    json_close(j, '}');
}

static str rule_of(const struct timeline_plan *p)
{
    if (p->n_kept == p->n_zones)
        return S("All zones are in this page.");
    if (p->page->run)
        return S(
            "Each process and device is divided into 1024 time windows; the busiest are in full detail, the rest as merged bars. --max-zones shows more, --process a part, in full detail.");
    return S(
        "Each device is divided into 1024 time windows; the busiest are in full detail, the rest as merged bars. Filters (--from/--to, --core, --op) show a part in full detail.");
}

static void put_kept(const struct timeline_plan *p, struct json *j, struct out *o)
{
    bool is_partial = p->n_kept < p->n_zones;
    json_key(j, S("kept"));
    json_open(j, '{');
    put_int(j, S("zones"), p->n_kept);
    put_int(j, S("of"), p->n_zones);
    put_text(j, S("rule"), rule_of(p));
    json_close(j, '}');
    if (!is_partial)
        return;
    open_list(j, S("windows"));
    for (size_t i = 0; i < p->windows.n; i++) {
        const struct timeline_window *w = &p->windows.v[i];
        PUT_ROW(j, o, w->group, (int64_t)w->from, (int64_t)w->to);
    }
    json_close(j, ']');
}

static void put_heat(const struct timeline *t, struct json *j, struct out *o)
{
    const struct timeline_plan *p = &t->plan;
    open_list(j, S("heat"));
    for (size_t i = 0; i < t->heats.n; i++) {
        const struct timeline_heat *h = &t->heats.v[i];
        const struct trace_core *core = &p->page->trace->cores.v[h->core];
        PUT_ROW(j, o, p->group_of[core->device], core->x, core->y, h->name,
                (int64_t)h->count, (int64_t)h->sum, (int64_t)h->longest);
    }
    json_close(j, ']');
}

static void put_timeline(const struct timeline *t, struct json *j, struct out *o)
{
    json_key(j, S("timeline"));
    json_open(j, '{');
    put_groups(&t->plan, j);
    put_bool(j, S("aligned"), t->plan.page->run != NULL);
    put_rows(&t->plan, j, o);
    put_sites(&t->plan, j, o);
    put_runs(&t->plan, j, o);
    put_levels(t, j, o);
    put_kept(&t->plan, j, o);
    put_heat(t, j, o);
    if (t->plan.page->run)
        timeline_put_marks(&t->plan, j, o);
    json_close(j, '}');
}

static void put_timeline_doc(const struct timeline *t, struct out *o)
{
    const struct timeline_page *page = t->plan.page;
    const struct document d = {.kind = page->run ? "run" : "device",
                               .title = page->run ? "Timeline of a run" : "Device profile",
                               .sources = page->run ? &page->run->path : &page->trace->path,
                               .n_sources = 1};
    struct json j = document_open(&d, &o->b);
    document_notes(&j, page->notes);
    if (t->plan.of_run && trace_has_host(page->trace))
        document_tables(&j, &(const struct table *){&t->plan.of_run->processes}, 1,
                        JSON_ARRAYS, o);
    else
        document_tables(&j, page->tables, page->n_tables, JSON_ARRAYS, o);
    put_timeline(t, &j, o);
    document_close(&j);
}

static void make(struct timeline *t, const struct timeline_page *page)
{
    timeline_plan_make(&t->plan, page);
    vec_push(&t->blocks, timeline_zones(&t->plan));
    timeline_levels(&t->plan, &t->blocks);
    timeline_pack(&t->blocks);
    timeline_heat(&t->plan, &t->heats);
}

bool timeline_write(const struct timeline_page *p, const char *path, struct err *e)
{
    struct out o;
    if (!out_open(&o, path, e))
        return false;
    struct timeline_page page = *p;
    page.max_zones = page.max_zones ? page.max_zones : TIMELINE_MAX_ZONES;
    struct timeline t = {0};
    make(&t, &page);
    page_open(&o.b);
    put_timeline_doc(&t, &o);
    for (size_t i = 0; i < t.blocks.n; i++) {
        char id[32];
        // Coarse levels first: the viewer shows them first.
        size_t block = i + 1 < t.blocks.n ? i + 1 : 0;
        page_block(&o.b, block_id(block, id), buf_view(&t.blocks.v[block].packed));
        out_flush_some(&o);
    }
    page_close(&o.b);
    for (size_t i = 0; i < t.blocks.n; i++)
        timeline_block_free(&t.blocks.v[i]);
    vec_free(&t.blocks);
    vec_free(&t.heats);
    timeline_plan_free(&t.plan);
    return out_close(&o, e);
}
