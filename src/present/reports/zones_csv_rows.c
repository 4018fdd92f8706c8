// zones_csv_rows.c - rows of the forms with a row per zone.
#include "base/text/num.h"

#include "present/reports/zones_csv_parts.h"

// --- sites -----------------------------------------------------------------------------

static bool is_listed(const char *list, str name)
{
    str rest = str_of(list);
    while (rest.n)
        if (str_eq(str_cut(&rest, ','), name))
            return true;
    return false;
}

struct zones_csv_sites zones_csv_choose(const struct trace *r, const struct zones_csv *form,
                                        struct arena *a)
{
    size_t n = r->sites.n;
    struct zones_csv_sites s = {.is_wanted = push_many(a, bool, n),
                                .is_child = push_many(a, bool, n),
                                .is_parent = push_many(a, bool, n),
                                .is_op = push_many(a, bool, n)};
    bool has_parent = form->parent && form->children;
    for (size_t i = 0; i < n; i++) {
        str name = r->strings.keys.v[r->sites.v[i].name];
        s.is_wanted[i] = zone_name_has(name, form->choice.name, form->choice.is_exact_case);
        s.is_child[i] = has_parent && is_listed(form->children, name);
        s.is_parent[i] = has_parent && str_has(name, str_of(form->parent));
        s.is_op[i] = str_has(name, S("TT_DNN")) || str_has(name, S("TT_METAL"));
    }
    return s;
}

bool zones_csv_is_parent(const struct zones_csv *form, str name)
{
    return form->parent && name.n && str_has(name, str_of(form->parent));
}

// --- rows ------------------------------------------------------------------------------

// The cells between place and times.
static void put_said(const struct zones_csv_rows *w, struct buf *b,
                     const struct zones_csv_cells *cells)
{
    const struct zones_csv *form = w->form;
    if (form->is_upstream)
        return;
    zones_csv_text(b, form, cells->name);
    zones_csv_sep(b, form);
    if (cells->text.n || !form->is_compatible)
        zones_csv_quoted(b, form, cells->text);
    zones_csv_sep(b, form);
}

static void start_site(struct zones_csv_rows *w, uint32_t site)
{
    w->site = site + 1;
    w->last = (struct zones_csv_cells){0};
    w->place.n = 0;
    zones_csv_place(&w->place, w->form, w->r, site);
    w->bare.n = 0;
    buf_str(&w->bare, buf_view(&w->place));
    put_said(w, &w->bare, &w->last);
}

// In the reference, an empty cell repeats the cell above.
static void repeat_empty(struct zones_csv_rows *w, struct zones_csv_cells *cells)
{
    str *now[] = {&cells->name, &cells->text, &cells->parent_text};
    str *before[] = {&w->last.name, &w->last.text, &w->last.parent_text};
    for (int i = 0; i < 3; i++)
        *(now[i]->n ? before[i] : now[i]) = *(now[i]->n ? now[i] : before[i]);
}

// Traces of Tracy number their threads; upstream takes ids for others, 0.10 a count.
static uint64_t thread_of(const struct zones_csv_rows *w, uint64_t track)
{
    const struct trace_track *k = &w->r->tracks.v[track];
    if (k->number)
        return k->number - 1;
    return w->form->is_upstream && k->tid ? k->tid : track + 1;
}

static void put_times(struct zones_csv_rows *w, struct buf *b,
                      const struct zones_csv_cells *cells)
{
    str sep = str_of(w->form->separator);
    const uint64_t numbers[] = {cells->start, cells->length, thread_of(w, cells->track)};
    char *at = buf_room(b, 3 * (NUM_WRITE_MOST + sep.n)), *start = at;
    for (int i = 0; i < 3; i++) {
        at = num_write(at, numbers[i]);
        memcpy(at, sep.p, sep.n);
        at += sep.n;
    }
    b->n += (size_t)(at - start);
}

void zones_csv_put_zone(struct zones_csv_rows *w, struct buf *b, uint32_t site,
                        struct zones_csv_cells cells)
{
    const struct zones_csv *form = w->form;
    if (w->site != site + 1)
        start_site(w, site);
    if (form->is_compatible)
        repeat_empty(w, &cells);
    if (cells.name.n || cells.text.n) {
        buf_str(b, buf_view(&w->place));
        put_said(w, b, &cells);
    } else { // nearly all
        buf_str(b, buf_view(&w->bare));
    }
    put_times(w, b, &cells);
    zones_csv_text(b, form, form->is_upstream ? cells.text : cells.parent_text);
    buf_char(b, '\n');
}

void zones_csv_rows_free(struct zones_csv_rows *w)
{
    buf_free(&w->place);
    buf_free(&w->bare);
}
