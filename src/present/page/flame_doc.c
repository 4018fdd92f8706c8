// flame_doc.c - writing the page of a flame graph.
#include "present/page/flame_doc.h"

#include "base/data/sort.h"
#include "base/file/file.h"

#include "present/page/document.h"
#include "present/page/page.h"
#include "present/reports/flame_names.h"
#include "table/grid.h"

enum { NS_PER_MS = 1000000 };

// The least total of a frame on the page. A frame is at most as wide as its parent, so no
// frame loses the one around it.
static uint64_t least_total(const struct flame_page *p)
{
    size_t n = p->flame->frames.n;
    if (n <= p->max_frames)
        return 0;
    uint64_t *totals = mem_alloc(mem_bytes(sizeof *totals, n));
    for (size_t i = 0; i < n; i++)
        totals[i] = p->flame->frames.v[i].total;
    // Frames as wide as the last one on the page are left out together.
    uint64_t least = sort_select(totals, n, n - 1 - (size_t)p->max_frames) + 1;
    mem_free(totals);
    return least;
}

static double share(uint64_t ns, uint64_t of)
{
    return of ? 100.0 * (double)ns / (double)of : 0;
}

// Returns how many frames were left out.
static size_t put_frames(const struct flame_page *p, struct grid *g, uint64_t least)
{
    const struct host_flame *flame = p->flame;
    uint64_t all = flame->frames.v[0].total;
    size_t n_left = 0;
    for (size_t i = 0; i < flame->frames.n; i++) {
        const struct flame_frame *f = &flame->frames.v[i];
        if (f->depth && f->total < least) {
            n_left++;
            continue;
        }
        grid_put(g, cell_int(f->depth));
        grid_put_real(g, all ? (double)f->before / (double)all : 0);
        grid_put_real(g, all ? (double)f->total / (double)all : 0);
        grid_put_text(g, flame_name(p->run, f, &g->arena));
        grid_put_real(g, (double)f->total / NS_PER_MS);
        grid_put_real(g, (double)f->self / NS_PER_MS);
        grid_put(g, f->kind == FLAME_ZONE ? cell_int((int64_t)f->count) : cell_none());
        grid_put(g, f->n_open ? cell_int((int64_t)f->n_open) : cell_none());
        grid_put_real(g, share(f->total, all));
        const struct trace_site *site =
            f->kind == FLAME_ZONE ? &p->run->sites.v[f->id] : NULL;
        str file = site ? trace_text(p->run, site->file) : S("");
        grid_put_text(g, file.n ? arena_printf(&g->arena, "%.*s:%lld", STR(file),
                                               (long long)site->line)
                                : S(""));
    }
    return n_left;
}

static void tell(const struct flame_page *p, size_t n_left, uint64_t least,
                 struct notes *notes)
{
    if (n_left)
        note(notes, NOTE_INFO,
             "%zu frames of less than %.3g ms are left out; --max-frames shows more",
             n_left, (double)least / NS_PER_MS);
    uint64_t n_open = 0;
    for (size_t i = 0; i < p->flame->frames.n; i++)
        n_open += p->flame->frames.v[i].n_open;
    if (n_open)
        note(
            notes, NOTE_WARNING,
            "%llu zones have no end: they last as long as their process was known to be alive",
            (unsigned long long)n_open);
}

static void put_document(const struct flame_page *p, const struct grid *g,
                         const struct notes *notes, struct out *o)
{
    struct arena a = {0};
    double ms = (double)p->flame->frames.v[0].total / NS_PER_MS;
    const struct document d = {
        .kind = "flame",
        .title = arena_printf(&a, "Host time by stack: %.4g ms in %llu zones", ms,
                              (unsigned long long)p->flame->n_zones)
                     .p,
        .sources = &p->source,
        .n_sources = 1};
    const struct table *tables[] = {&g->table, p->zones};
    struct json j = document_open(&d, &o->b);
    json_key_text(&j, "of", S("of the recorded time"));
    document_notes(&j, notes);
    document_tables(&j, tables, sizeof tables / sizeof *tables, JSON_ARRAYS, o);
    document_close(&j);
    arena_free(&a);
}

bool flame_doc_html(const struct flame_page *p, const char *path, struct err *e)
{
    static const struct column columns[] = {
        GRID_WHOLE("Depth"), GRID_REAL("X", 9),      GRID_REAL("Width", 9),
        GRID_TEXT("Name"),   GRID_MILLIS("Time", 6), GRID_MILLIS("Self", 6),
        GRID_WHOLE("Count"), GRID_WHOLE("Open"),     GRID_SHARE("Share"),
        GRID_TEXT("Source"),
    };
    struct grid g;
    struct notes notes = {0};
    struct out o;
    if (!out_open(&o, path, e))
        return false;
    grid_open(&g, "flame", "Flame graph", columns, sizeof columns / sizeof *columns);
    uint64_t least = least_total(p);
    tell(p, put_frames(p, &g, least), least, &notes);
    page_open(&o.b);
    put_document(p, &g, &notes, &o);
    page_close(&o.b);
    grid_free(&g);
    notes_free(&notes);
    return out_close(&o, e);
}
