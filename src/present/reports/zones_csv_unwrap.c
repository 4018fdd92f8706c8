// zones_csv_unwrap.c - a row per zone, sorted by location, track and start: gathers them by
// a walk in order of end.
#include <stdlib.h>

#include "analyse/host/attachments.h"
#include "present/reports/zones_csv_parts.h"
#include "trace/cursor.h"

struct row {
    uint64_t start, length; // length: self time if requested
    uint32_t site, track, depth;
    uint32_t more; // index + 1 in `more`; 0: nothing
};
// Fields that few zones have.
struct more {
    str name, text, parent_text;
};
// A row whose enclosing parent has not ended yet.
struct waiting {
    uint32_t more;
    uint32_t depth; // of the outermost zone around it that has ended
};

struct unwrap {
    const struct trace *r;
    const struct zones_csv *form;
    struct zones_csv_sites sites;
    struct attachments attachments; // make ids unique
    struct buf raised;
    struct arena arena;
    struct buf text;
    VEC(struct row) rows;
    VEC(struct more) more;
    VEC(struct waiting) waiting; // of one track, inner ones last
};

// --- gathering -------------------------------------------------------------------------

// Values are appended to the text as lines.
static str zone_text(struct unwrap *u, const struct zone_said *said)
{
    if (!said->has_value)
        return said->text;
    u->text.n = 0;
    buf_str(&u->text, said->text);
    buf_printf(&u->text, "%s%llu [0x%llx]", said->text.n ? "\n" : "",
               (unsigned long long)said->value, (unsigned long long)said->value);
    return buf_view(&u->text);
}

// The nearest enclosing parent is the first one that ends after the zone and is less deep.
static void give_text_to_children(struct unwrap *u, uint32_t depth, bool is_parent,
                                  str text)
{
    size_t n = u->waiting.n;
    if (!n || u->waiting.v[n - 1].depth <= depth)
        return;
    str kept = is_parent ? arena_str(&u->arena, text) : (str){0};
    for (; n && u->waiting.v[n - 1].depth > depth; n--) {
        u->waiting.v[n - 1].depth = depth;
        if (is_parent)
            u->more.v[u->waiting.v[n - 1].more].parent_text = kept;
    }
    u->waiting.n = is_parent ? n : u->waiting.n;
}

static void gather_zone(struct unwrap *u, const struct trace_batch *b, size_t i,
                        uint32_t track)
{
    uint32_t site = b->site[i], depth = b->depth[i];
    struct zone_said said = trace_said(b, i);
    if (u->sites.is_op[site])
        said.text = attachments_zone(&u->attachments, u->r->tracks.v[track].process,
                                     b->start[i], said.text, &u->raised);
    str text = zone_text(u, &said);
    bool is_parent = u->sites.is_parent[site] || zones_csv_is_parent(u->form, said.name);
    bool is_own = is_parent && u->form->is_own_parent && text.n;
    give_text_to_children(u, depth, is_parent, text);
    if (!u->sites.is_wanted[site] || b->flags[i] & ZONE_OPEN || b->end[i] <= b->start[i])
        return;
    uint64_t length = b->end[i] - b->start[i];
    if (u->form->choice.is_self)
        length = length > b->children[i] ? length - b->children[i] : 0;
    struct row row = {b->start[i], length, site, track, depth, 0};
    bool is_child = u->sites.is_child[site];
    if (said.name.n || text.n || is_child) {
        row.more = (uint32_t)u->more.n + 1;
        vec_push(&u->more, (struct more){.name = arena_str(&u->arena, said.name),
                                         .text = arena_str(&u->arena, text)});
        if (is_own)
            u->more.v[row.more - 1].parent_text = u->more.v[row.more - 1].text;
        else if (is_child)
            vec_push(&u->waiting, (struct waiting){row.more - 1, depth});
    }
    vec_push(&u->rows, row);
}

static void gather_track(struct unwrap *u, struct trace_cursor *c, uint32_t track)
{
    u->waiting.n = 0;
    trace_cursor_start(c, track);
    for (const struct trace_batch *b; (b = trace_cursor_next(c));)
        for (size_t i = 0; i < b->n_zones; i++) {
            gather_zone(u, b, i, track);
            if (!b->depth[i]) // the zones inside have no parent
                u->waiting.n = 0;
        }
}

// --- order -----------------------------------------------------------------------------

static int by_start(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->track != y->track)
        return x->track < y->track ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->depth > y->depth) - (x->depth < y->depth);
}

// Groups by site in order of end; zones of one site seldom nest, so this is nearly always
// also the order of start.
static struct row *order_rows(const struct unwrap *u)
{
    size_t n_places = u->r->sites.n;
    struct row *to = mem_alloc(mem_bytes(sizeof *to, u->rows.n));
    size_t *at = mem_alloc(mem_bytes(sizeof *at, n_places + 1));
    for (size_t i = 0; i < u->rows.n; i++)
        at[u->rows.v[i].site + 1]++;
    for (size_t i = 0; i < n_places; i++)
        at[i + 1] += at[i];
    for (size_t i = 0; i < u->rows.n; i++)
        to[at[u->rows.v[i].site]++] = u->rows.v[i];
    mem_free(at);
    for (size_t from = 0, end; from < u->rows.n; from = end) {
        bool is_sorted = true;
        for (end = from + 1; end < u->rows.n && to[end].site == to[from].site; end++)
            is_sorted &= by_start(&to[end - 1], &to[end]) <= 0;
        if (!is_sorted)
            qsort(to + from, end - from, sizeof *to, by_start);
    }
    return to;
}

// --- writing ---------------------------------------------------------------------------

static void put_rows(struct unwrap *u, struct out *o)
{
    struct row *rows = order_rows(u);
    struct zones_csv_rows w = {.r = u->r, .form = u->form};
    for (size_t i = 0; i < u->rows.n; i++) {
        struct zones_csv_cells cells = {
            .start = rows[i].start, .length = rows[i].length, .track = rows[i].track};
        if (rows[i].more) {
            const struct more *m = &u->more.v[rows[i].more - 1];
            cells.name = m->name;
            cells.text = m->text;
            cells.parent_text = m->parent_text;
        }
        zones_csv_put_zone(&w, &o->b, rows[i].site, cells);
        out_flush_some(o);
    }
    zones_csv_rows_free(&w);
    mem_free(rows);
}

static void unwrap_walk(const struct trace *r, const struct zones_csv *form, struct out *o)
{
    struct unwrap u = {.r = r, .form = form};
    u.sites = zones_csv_choose(r, form, &u.arena);
    attachments_find(&u.attachments, r->folder, r);
    struct trace_cursor *c = trace_cursor_new(r);
    for (uint32_t i = 0; i < r->tracks.n; i++)
        if (zone_choice_has_track(r, &form->choice, i))
            gather_track(&u, c, i);
    trace_cursor_free(c);
    put_rows(&u, o);
    vec_free(&u.rows);
    vec_free(&u.more);
    vec_free(&u.waiting);
    buf_free(&u.text);
    buf_free(&u.raised);
    attachments_free(&u.attachments);
    arena_free(&u.arena);
}

bool zones_csv_unwrapped(const struct trace *r, const struct zones_csv *form,
                         const char *path, struct err *e)
{
    struct out o;
    if (!out_open(&o, path, e))
        return false;
    zones_csv_head(
        &o.b, form,
        form->is_upstream
            ? "name,src_file,src_line,ns_since_start,exec_time_ns,thread,value"
            : "name,src_file,src_line,zone_name,zone_text,ns_since_start,exec_time_ns,thread,special_parent_text");
    if (r->trees.n == 1 && r->processes.n == 1)
        zones_csv_unwrap_trees(r, form, &o);
    else
        unwrap_walk(r, form, &o);
    if (form->with_plots)
        zones_csv_plots(&o, r, form);
    return out_close(&o, e);
}

bool zones_write_unwrapped(const struct trace *r, const char *path, const char *parent,
                           const char *children, struct err *e)
{
    struct zones_csv form = zones_csv_default();
    form.parent = parent;
    form.children = children;
    form.is_own_parent = true;
    return zones_csv_unwrapped(r, &form, path, e);
}
