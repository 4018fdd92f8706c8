// tracy_from_zones.c - zones of a thread, which come in order of end, as trees: a parent
// before its children.
#include "formats/tracy/tracy_from_parts.h"

struct ended {
    struct tracy_zone zone;
    uint32_t size; // zones in its tree, itself included
    uint32_t depth;
    uint32_t end; // where its tree ends in the order of start
};
struct ended_zones {
    VEC(struct ended) v; // of one outermost zone
};

// --- what zones say --------------------------------------------------------------------

static bool is_op(const struct from_making *m, uint32_t site)
{
    str name = trace_text(m->from, m->from->sites.v[site].name);
    return str_has(name, S("TT_DNN")) || str_has(name, S("TT_METAL"));
}

// A value is a line of the text, as the reference stores it.
static str zone_text(struct from_making *m, const struct trace_batch *b, size_t i,
                     uint32_t process)
{
    struct zone_said said = trace_said(b, i);
    if (m->how.unique && is_op(m, b->site[i]))
        said.text = m->how.unique(m->how.context, process, b->start[i], true, said.text);
    if (!said.has_value)
        return said.text;
    m->text.n = 0;
    buf_str(&m->text, said.text);
    buf_printf(&m->text, "%s%llu [0x%llx]", said.text.n ? "\n" : "",
               (unsigned long long)said.value, (unsigned long long)said.value);
    return buf_view(&m->text);
}

static uint32_t add_extra(struct from_making *m, const struct trace_batch *b, size_t i,
                          uint32_t process)
{
    struct zone_said said = trace_said(b, i);
    str text = zone_text(m, b, i, process);
    struct tracy_extra x = {.text = text.n ? tracy_text(m->to, text) + 1 : 0,
                            .name = said.name.n ? tracy_text(m->to, said.name) + 1 : 0,
                            .colour = said.colour};
    struct pile *extras = &m->to->extras;
    if ((!x.text && !x.name && !x.colour) || extras->n >= UINT32_MAX)
        return 0;
    *(struct tracy_extra *)pile_add(extras, &m->to->store) = x;
    return (uint32_t)extras->n - 1;
}

// --- order -----------------------------------------------------------------------------

// The zones inside one are the deeper ones before it.
static void end_zone(struct ended_zones *all, struct tracy_zone zone, uint32_t depth)
{
    struct ended one = {.zone = zone, .size = 1, .depth = depth};
    size_t n = all->v.n;
    while (n && all->v.v[n - 1].depth > depth) {
        one.zone.children++;
        one.size += all->v.v[n - 1].size;
        n -= all->v.v[n - 1].size;
    }
    vec_push(&all->v, one);
}

// From the last zone on: the last child's tree ends with its parent's, the tree of the one
// before it where that begins.
static void put_trees(struct from_making *m, struct ended_zones *all, struct pile *to)
{
    size_t n = all->v.n, first = to->n;
    struct ended *v = all->v.v;
    if (!n)
        return;
    v[n - 1].end = (uint32_t)n;
    for (size_t i = 0; i < n; i++)
        (void)pile_add(to, &m->to->store);
    for (size_t i = n; i-- > 0;) {
        uint32_t at = v[i].end - v[i].size;
        if (v[i].size > 1)
            v[i - 1].end = v[i].end;
        if (i >= v[i].size && v[i - v[i].size].end == 0)
            v[i - v[i].size].end = at;
        memcpy(pile_at(to, first + at), &v[i].zone, sizeof v[i].zone);
    }
    all->v.n = 0;
}

// Outermost zones follow each other; a long row of them goes out in parts.
static void take_zone(struct from_making *m, struct ended_zones *all,
                      const struct trace_batch *b, size_t i, uint32_t process)
{
    enum { ENOUGH = 1 << 16 };
    struct tracy_zone zone = {.start = (int64_t)b->start[i],
                              .end = b->flags[i] & ZONE_OPEN ? -1 : (int64_t)b->end[i],
                              .place = (int32_t)b->site[i] + 1};
    if (b->said[i])
        zone.extra = add_extra(m, b, i, process);
    end_zone(all, zone, b->depth[i]);
    if (!b->depth[i] && all->v.n >= ENOUGH)
        put_trees(m, all, &m->to->threads.v[m->to->threads.n - 1].zones);
}

void from_thread(struct from_making *m, struct trace_cursor *c, uint32_t track)
{
    struct ended_zones all = {0};
    uint32_t process = m->from->tracks.v[track].process;
    trace_cursor_start(c, track);
    for (const struct trace_batch *b; (b = trace_cursor_next(c));) {
        for (size_t i = 0; i < b->n_zones; i++)
            take_zone(m, &all, b, i, process);
        for (size_t i = 0; i < b->n_events; i++)
            from_take_event(m, &b->events[i], track);
    }
    put_trees(m, &all, &m->to->threads.v[m->to->threads.n - 1].zones);
    vec_free(&all.v);
}
