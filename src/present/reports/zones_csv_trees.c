// zones_csv_trees.c - a row per zone of a trace whose zones are trees. They can be read in
// any order, so a row is only a number: four bytes where a gathered row takes forty.
#include "base/file/out_rows.h"

#include "present/reports/zones_csv_parts.h"
#include "trace/trees.h"

enum { WORTH_LANES = 1 << 17 }; // rows

// Zones are numbered through all chosen tracks.
struct tree_part {
    uint32_t track, first;
    const struct pile *zones;
};
struct tree_rows {
    const struct trace *r;
    const struct trace_trees *trees; // the only ones
    const struct zones_csv *form;
    struct arena arena;
    struct zones_csv_sites sites;
    VEC(struct tree_part) parts;
    uint32_t n;          // zones
    uint32_t *row;       // numbers by site, then by number
    uint32_t *end;       // of the rows of each site
    uint64_t *children;  // by number: ns in the zones inside; NULL: not needed
    uint32_t *ancestors; // by number: the nearest parent + 1; NULL: not needed
};

static void list_parts(struct tree_rows *t)
{
    for (uint32_t i = 0; i < t->r->tracks.n; i++) {
        if (!zone_choice_has_track(t->r, &t->form->choice, i))
            continue;
        const struct pile *zones = tree_zones(trace_tree_of(t->r, i));
        if (zones->n > UINT32_MAX - 1 - t->n) // 120 GB
            break;
        vec_push(&t->parts, (struct tree_part){i, t->n, zones});
        t->n += (uint32_t)zones->n;
    }
}

static struct tree_zone zone_at(const struct tree_rows *t, size_t part, uint32_t number)
{
    const struct tree_part *p = &t->parts.v[part];
    return tree_zone_at(t->trees, p->zones, number - p->first);
}

static struct zone_said said_of(const struct tree_rows *t, const struct tree_zone *z)
{
    return z->extra ? t->trees->said(t->trees->owner, z->extra) : (struct zone_said){0};
}

// Open and empty zones have no row.
static bool has_row(const struct tree_rows *t, const struct tree_zone *z, uint32_t site)
{
    return z->end > z->start && t->sites.is_wanted[site];
}

// --- order -----------------------------------------------------------------------------

static void count_rows(struct tree_rows *t)
{
    t->end = mem_alloc(mem_bytes(sizeof *t->end, t->r->sites.n + 1));
    for (size_t p = 0; p < t->parts.n; p++)
        for (size_t i = 0; i < t->parts.v[p].zones->n; i++) {
            struct tree_zone z = tree_zone_at(t->trees, t->parts.v[p].zones, i);
            uint32_t site = tree_site(t->trees, z.place);
            t->end[site + 1] += has_row(t, &z, site);
        }
    for (size_t i = 0; i < t->r->sites.n; i++)
        t->end[i + 1] += t->end[i];
}

// A stable sort by site; `end` then has the end of each one's rows, not the start.
static void order_rows(struct tree_rows *t)
{
    count_rows(t);
    t->row = mem_alloc(mem_bytes(sizeof *t->row, t->end[t->r->sites.n]));
    for (size_t p = 0; p < t->parts.n; p++)
        for (size_t i = 0; i < t->parts.v[p].zones->n; i++) {
            struct tree_zone z = tree_zone_at(t->trees, t->parts.v[p].zones, i);
            uint32_t site = tree_site(t->trees, z.place);
            if (has_row(t, &z, site))
                t->row[t->end[site]++] = t->parts.v[p].first + (uint32_t)i;
        }
}

// --- what depends on nesting -----------------------------------------------------------

struct open_row {
    uint32_t number, left;
    uint32_t ancestor; // the nearest parent around zones inside it, + 1
};
struct open_rows {
    VEC(struct open_row) v;
};

static uint32_t ancestor_inside(const struct tree_rows *t, const struct tree_zone *z,
                                uint32_t number, uint32_t outside)
{
    uint32_t site = tree_site(t->trees, z->place);
    bool is_parent =
        t->sites.is_parent[site] || zones_csv_is_parent(t->form, said_of(t, z).name);
    return is_parent ? number + 1 : outside;
}

static void nest_part(struct tree_rows *t, size_t part, struct open_rows *open)
{
    const struct tree_part *p = &t->parts.v[part];
    open->v.n = 0;
    for (uint32_t number = p->first; number < p->first + p->zones->n; number++) {
        struct tree_zone z = zone_at(t, part, number);
        while (open->v.n && !open->v.v[open->v.n - 1].left)
            open->v.n--;
        struct open_row *around = open->v.n ? &open->v.v[open->v.n - 1] : NULL;
        uint32_t outside = around ? around->ancestor : 0;
        if (around)
            around->left--;
        if (around && t->children && z.end > z.start)
            t->children[around->number] += (uint64_t)(z.end - z.start);
        if (t->ancestors)
            t->ancestors[number] = outside;
        if (z.children)
            vec_push(&open->v,
                     (struct open_row){
                         .number = number,
                         .left = z.children,
                         .ancestor =
                             t->ancestors ? ancestor_inside(t, &z, number, outside) : 0});
    }
}

static void find_nesting(struct tree_rows *t)
{
    struct open_rows open = {0};
    if (t->form->choice.is_self)
        t->children = mem_alloc(mem_bytes(sizeof *t->children, t->n));
    if (t->form->parent && t->form->children)
        t->ancestors = mem_alloc(mem_bytes(sizeof *t->ancestors, t->n));
    for (size_t p = 0; (t->children || t->ancestors) && p < t->parts.n; p++)
        nest_part(t, p, &open);
    vec_free(&open.v);
}

// --- writing ---------------------------------------------------------------------------

static str parent_text(const struct tree_rows *t, size_t part, uint32_t number,
                       uint32_t site, const struct zone_said *said)
{
    if (t->form->is_own_parent && said->text.n &&
        (t->sites.is_parent[site] || zones_csv_is_parent(t->form, said->name)))
        return said->text;
    if (!t->ancestors || !t->sites.is_child[site] || !t->ancestors[number])
        return (str){0};
    struct tree_zone z = zone_at(t, part, t->ancestors[number] - 1);
    return said_of(t, &z).text;
}

static void put_row(const struct tree_rows *t, struct zones_csv_rows *w, struct buf *b,
                    size_t part, uint32_t number, uint32_t site)
{
    struct tree_zone z = zone_at(t, part, number);
    struct zone_said said = said_of(t, &z);
    uint64_t start = z.start > 0 ? (uint64_t)z.start : 0, length = (uint64_t)z.end - start;
    if (t->children)
        length = length > t->children[number] ? length - t->children[number] : 0;
    zones_csv_put_zone(
        w, b, site,
        (struct zones_csv_cells){.start = start,
                                 .length = length,
                                 .track = t->parts.v[part].track,
                                 .name = said.name,
                                 .text = said.text,
                                 .parent_text = parent_text(t, part, number, site, &said)});
}

// What one lane writes, in order.
struct tree_lane {
    struct zones_csv_rows w;
    uint32_t site; // of the row at hand
    size_t part;
};
struct tree_writing {
    struct tree_rows *t;
    struct tree_lane *lanes;
};

// Zones of one site are far apart: the memory of a later one is asked for in time. A macro,
// because gcc drops a call of a function that does nothing else.
enum { AHEAD = 16 };
#define READ_AHEAD(p, number)                                                              \
    do {                                                                                   \
        if ((number) - (p)->first < (p)->zones->n)                                         \
            __builtin_prefetch(pile_at((p)->zones, (number) - (p)->first));                \
    } while (0)

static void put_some(struct lane at, void *context, struct range rows, struct buf *b)
{
    const struct tree_writing *writing = context;
    const struct tree_rows *t = writing->t;
    struct tree_lane *lane = &writing->lanes[at.index];
    for (size_t i = rows.from; i < rows.to; i++) {
        for (; i >= t->end[lane->site]; lane->part = 0)
            lane->site++;
        while (lane->part + 1 < t->parts.n && t->row[i] >= t->parts.v[lane->part + 1].first)
            lane->part++;
        if (i + AHEAD < t->end[lane->site])
            READ_AHEAD(&t->parts.v[lane->part], t->row[i + AHEAD]);
        put_row(t, &lane->w, b, lane->part, t->row[i], lane->site);
    }
}

// Where empty cells repeat the row before, one lane must see all rows.
static void put_rows(struct tree_rows *t, struct out *o)
{
    size_t n = t->r->sites.n ? t->end[t->r->sites.n - 1] : 0;
    unsigned lanes = t->form->is_compatible ? 1 : threads_for(n, WORTH_LANES);
    struct tree_writing writing = {.t = t};
    writing.lanes = mem_alloc(mem_bytes(sizeof *writing.lanes, lanes));
    for (unsigned i = 0; i < lanes; i++)
        writing.lanes[i].w = (struct zones_csv_rows){.r = t->r, .form = t->form};
    out_rows(o, n, lanes, put_some, &writing);
    for (unsigned i = 0; i < lanes; i++)
        zones_csv_rows_free(&writing.lanes[i].w);
    mem_free(writing.lanes);
}

void zones_csv_unwrap_trees(const struct trace *r, const struct zones_csv *form,
                            struct out *o)
{
    struct tree_rows t = {.r = r, .trees = r->trees.v[0], .form = form};
    t.sites = zones_csv_choose(r, form, &t.arena);
    list_parts(&t);
    order_rows(&t);
    find_nesting(&t);
    put_rows(&t, o);
    mem_free(t.row);
    mem_free(t.end);
    mem_free(t.children);
    mem_free(t.ancestors);
    vec_free(&t.parts);
    arena_free(&t.arena);
}
