// host_ops_read.c - feeds messages and zones from exported tables or a run folder.
#include "analyse/host/attachments.h"
#include "analyse/host/host_messages.h"
#include "analyse/host/host_ops.h"
#include "analyse/host/host_ops_parts.h"
#include "formats/tracy/tracy_csv.h"
#include "trace/cursor.h"

// --- tables ------------------------------------------------------------------------------
static void take_message(void *context, const struct tracy_message *m)
{
    host_ops_message(context, 0, m->has_time ? m->time : 0, m->text, m->is_cut);
}

static void take_table_zone(void *context, const struct tracy_zone *z)
{
    host_ops_zone(context, 0, z->name, z->zone_text, z->parent_text, z->start, z->duration,
                  0);
}

static bool read_table(struct host_ops *h, const char *path, bool has_zones, struct err *e)
{
    struct arena scratch = {0};
    struct file f = {0};
    if (!path)
        return true;
    if (!file_open(path, &f, e))
        return false;
    bool is_fine = has_zones
                       ? tracy_times_read(f.text, &scratch, take_table_zone, h, &h->diag, e)
                       : tracy_data_read(f.text, &scratch, take_message, h, &h->diag, e);
    if (!is_fine)
        (void)err_in(e, "%s", path);
    file_close(&f);
    arena_free(&scratch);
    return is_fine;
}

bool host_ops_read_tables(struct host_ops *h, const char *times, const char *data,
                          struct err *e)
{
    struct err second = {0};
    bool has_data = read_table(h, data, false, e);
    bool has_times = read_table(h, times, true, has_data ? e : &second);
    return has_data && has_times;
}

// --- run folder --------------------------------------------------------------------------
enum { PLACE_IS_OP = 1, PLACE_IS_ANCESTOR = 2, PLACE_IS_CHILD = 4 };

// A zone of the list: the op around it is known only when that has ended.
struct inner_call {
    uint32_t name;  // string of the run
    uint32_t depth; // of the outermost enclosing zone that has ended
    uint64_t duration;
};

struct run_walk {
    struct host_ops *h;
    const struct trace *run;
    struct attachments attachments; // make ids unique
    struct buf text;
    uint8_t *places;              // by location
    uint32_t process;             // of the track
    size_t first;                 // of its op zones
    VEC(struct inner_call) calls; // of one track; inner ones last
};

static bool is_listed(str name, str list)
{
    while (list.n)
        if (str_eq(str_trim(str_cut(&list, ',')), name))
            return true;
    return false;
}

static uint8_t *sort_places(const struct trace *r, str children)
{
    uint8_t *places = mem_alloc(r->sites.n ? r->sites.n : 1);
    for (size_t i = 0; i < r->sites.n; i++) {
        str name = r->strings.keys.v[r->sites.v[i].name];
        bool is_op = str_has(name, S("TT_DNN")) || str_has(name, S("TT_METAL"));
        places[i] = (uint8_t)((is_op ? PLACE_IS_OP : 0) |
                              (str_has(name, S("TT_")) ? PLACE_IS_ANCESTOR : 0) |
                              (name.n && is_listed(name, children) ? PLACE_IS_CHILD : 0));
    }
    return places;
}

// Calls that no inner runtime zone has claimed belong to this one. An op may get its text
// at its very end.
static void end_calls(struct run_walk *w, str text, uint32_t depth)
{
    while (w->calls.n && w->calls.v[w->calls.n - 1].depth > depth) {
        const struct inner_call *c = &w->calls.v[--w->calls.n];
        if (str_has(text, S("id:")))
            host_ops_call(w->h, w->process, w->run->strings.keys.v[c->name], text,
                          c->duration);
    }
}

// A zone has ended: what is inside it can now only be inside the enclosing zones.
static void end_zone(struct run_walk *w, uint32_t depth, bool is_op)
{
    struct host_ops_inner *in = w->h->inner;
    for (size_t i = w->calls.n; i > 0 && w->calls.v[i - 1].depth > depth;)
        w->calls.v[--i].depth = depth;
    for (size_t i = in->zones.n; i > w->first && in->zones.v[i - 1].level > depth;) {
        in->zones.v[--i].level = depth;
        in->zones.v[i].depth += is_op;
    }
}

static void read_op_zone(struct run_walk *w, const struct trace_batch *b, size_t i,
                         str text)
{
    struct host_ops_inner *in = w->h->inner;
    size_t n = in->zones.n;
    str name = w->run->strings.keys.v[w->run->sites.v[b->site[i]].name];
    host_ops_zone(w->h, w->process, name, text, (str){0}, b->start[i],
                  b->end[i] - b->start[i], 0);
    if (in->zones.n > n)
        in->zones.v[n].level = b->depth[i];
}

static void read_zone(struct run_walk *w, const struct trace_batch *b, size_t i)
{
    uint8_t place = w->places[b->site[i]];
    uint32_t depth = b->depth[i];
    str text = trace_said(b, i).text;
    // An op's zone is a call of that op, too: since 2026, reports have a column for it.
    bool is_own = place & PLACE_IS_ANCESTOR && str_has(text, S("id:"));
    if (place & PLACE_IS_ANCESTOR)
        text = attachments_zone(&w->attachments, w->process, b->start[i], text, &w->text);
    if (place & PLACE_IS_ANCESTOR)
        end_calls(w, text, depth);
    end_zone(w, depth, place & PLACE_IS_OP);
    if (is_own)
        host_ops_call(w->h, w->process,
                      w->run->strings.keys.v[w->run->sites.v[b->site[i]].name], text,
                      b->end[i] - b->start[i]);
    else if (place & PLACE_IS_CHILD)
        vec_push(&w->calls, (struct inner_call){.name = w->run->sites.v[b->site[i]].name,
                                                .depth = depth,
                                                .duration = b->end[i] - b->start[i]});
    if (place & PLACE_IS_OP)
        read_op_zone(w, b, i, text);
    if (!depth) // the rest is inside no op
        w->calls.n = 0;
}

void host_ops_read_run(struct host_ops *h, const struct trace *r, const char *children)
{
    const struct zone_choice all = {.pid = -1, .rank = -1};
    struct host_messages m;
    struct run_walk w = {
        .h = h, .run = r, .places = sort_places(r, str_of(children ? children : ""))};
    attachments_find(&w.attachments, r->folder, r);
    host_messages_find(&m, r, NULL);
    for (size_t i = 0; i < m.v.n; i++) {
        const struct host_message *one = &m.v.v[i];
        uint32_t process = r->tracks.v[one->track].process;
        if (one->kind == TT_SIGNPOST)
            host_ops_signpost(h, one->time, one->text);
        else
            host_ops_message(
                h, process, one->time,
                attachments_message(&w.attachments, process, one->time, one->text, &w.text),
                false);
    }
    host_messages_free(&m);
    struct trace_cursor *c = trace_cursor_new(r);
    for (uint32_t i = 0; i < r->tracks.n; i++) {
        if (!zone_choice_has_track(r, &all, i))
            continue;
        w.calls.n = 0;
        w.process = r->tracks.v[i].process;
        w.first = h->inner->zones.n;
        trace_cursor_start(c, i);
        for (const struct trace_batch *b; (b = trace_cursor_next(c));)
            for (size_t k = 0; k < b->n_zones; k++)
                read_zone(&w, b, k);
    }
    trace_cursor_free(c);
    vec_free(&w.calls);
    mem_free(w.places);
    buf_free(&w.text);
    attachments_free(&w.attachments);
}
