// host_ops_read.c - where messages and zones come from: exported tables, or a run folder.
#include "analyse/host_messages.h"
#include "analyse/host_ops.h"
#include "analyse/host_ops_parts.h"
#include "formats/tracy_csv.h"

// --- tables ------------------------------------------------------------------------------
static void take_message(void *context, const struct tracy_message *m)
{
    host_ops_message(context, 0, m->has_time ? m->time : 0, m->text, m->is_cut);
}

static void take_zone(void *context, const struct tracy_zone *z)
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
                       ? tracy_times_read(f.text, &scratch, take_zone, h, &h->diag, e)
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

struct open_call {           // a zone of the list whose op has not ended yet
    uint32_t name;           // string of the run
    uint32_t ancestor_depth; // of the nearest zone of the runtime around it
    uint64_t duration;
};

struct run_walk {
    struct host_ops *h;
    const struct host_run *run;
    uint8_t *places;             // by location
    VEC(struct open_call) calls; // of one track; inner ones behind
};

static bool is_listed(str name, str list)
{
    while (list.n)
        if (str_eq(str_trim(str_cut(&list, ',')), name))
            return true;
    return false;
}

static uint8_t *sort_places(const struct host_run *r, str children)
{
    uint8_t *places = mem_alloc(r->locations.n ? r->locations.n : 1);
    for (size_t i = 0; i < r->locations.n; i++) {
        str name = r->strings.keys.v[r->locations.v[i].name];
        bool is_op = str_has(name, S("TT_DNN")) || str_has(name, S("TT_METAL"));
        places[i] = (uint8_t)((is_op ? PLACE_IS_OP : 0) |
                              (str_has(name, S("TT_")) ? PLACE_IS_ANCESTOR : 0) |
                              (name.n && is_listed(name, children) ? PLACE_IS_CHILD : 0));
    }
    return places;
}

// An op may get its text at its very end: calls inside of it wait until then.
static void wait_for_op(struct run_walk *w, const struct host_zone *stack, uint32_t depth)
{
    const struct host_zone *z = &stack[depth];
    for (uint32_t i = depth; i-- > 0;)
        if (w->places[stack[i].location] & PLACE_IS_ANCESTOR) {
            vec_push(&w->calls,
                     (struct open_call){.name = w->run->locations.v[z->location].name,
                                        .ancestor_depth = i,
                                        .duration = z->end - z->start});
            return;
        }
}

static void end_calls(struct run_walk *w, uint32_t process, str text, uint32_t depth)
{
    while (w->calls.n && w->calls.v[w->calls.n - 1].ancestor_depth == depth) {
        const struct open_call *c = &w->calls.v[--w->calls.n];
        if (str_has(text, S("id:")))
            host_ops_call(w->h, process, w->run->strings.keys.v[c->name], text,
                          c->duration);
    }
}

static void walk_zone(void *context, uint32_t track, const struct host_zone *stack,
                      uint32_t depth)
{
    struct run_walk *w = context;
    const struct host_zone *z = &stack[depth];
    uint8_t place = w->places[z->location];
    uint32_t process = w->run->tracks.v[track].process;
    if (place & PLACE_IS_ANCESTOR)
        end_calls(w, process, z->text, depth);
    if (place & PLACE_IS_CHILD)
        wait_for_op(w, stack, depth);
    if (!(place & PLACE_IS_OP))
        return;
    uint32_t n_around = 0;
    for (uint32_t i = 0; i < depth; i++)
        n_around += w->places[stack[i].location] & PLACE_IS_OP;
    str name = w->run->strings.keys.v[w->run->locations.v[z->location].name];
    host_ops_zone(w->h, process, name, z->text, (str){0}, z->start, z->end - z->start,
                  n_around);
}

void host_ops_read_run(struct host_ops *h, const struct host_run *r, const char *children)
{
    struct host_messages m;
    host_messages_find(&m, r, NULL);
    for (size_t i = 0; i < m.v.n; i++) {
        const struct host_message *one = &m.v.v[i];
        if (one->kind == TT_SIGNPOST)
            host_ops_signpost(h, one->time, one->text);
        else
            host_ops_message(h, r->tracks.v[one->track].process, one->time, one->text,
                             false);
    }
    host_messages_free(&m);
    struct run_walk w = {
        .h = h, .run = r, .places = sort_places(r, str_of(children ? children : ""))};
    struct host_visitor v = {.context = &w, .zone = walk_zone};
    for (uint32_t i = 0; i < r->tracks.n; i++) {
        w.calls.n = 0;
        host_track_walk(r, i, &v);
    }
    vec_free(&w.calls);
    mem_free(w.places);
}
