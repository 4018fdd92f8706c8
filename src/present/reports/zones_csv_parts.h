// zones_csv_parts.h - cells of the csvexport formats.
#ifndef TTP_PRESENT_REPORTS_ZONES_CSV_PARTS_H
#define TTP_PRESENT_REPORTS_ZONES_CSV_PARTS_H

#include "base/file/file.h"

#include "present/reports/zones_csv.h"

void zones_csv_sep(struct buf *b, const struct zones_csv *form);
// A header; `names` is comma-separated.
void zones_csv_head(struct buf *b, const struct zones_csv *form, const char *names);
// Quoted if it would break the row; the other function always quotes.
void zones_csv_text(struct buf *b, const struct zones_csv *form, str s);
void zones_csv_quoted(struct buf *b, const struct zones_csv *form, str s);
// Name, file and line, each followed by a separator.
void zones_csv_place(struct buf *b, const struct zones_csv *form, const struct trace *r,
                     uint32_t site);
// Which sites matter to a form with a row per zone.
struct zones_csv_sites {
    bool *is_wanted, *is_child, *is_parent, *is_op; // by site
};
struct zones_csv_sites zones_csv_choose(const struct trace *r, const struct zones_csv *form,
                                        struct arena *a);
// Is a zone with this name of its own a parent?
bool zones_csv_is_parent(const struct zones_csv *form, str name);

// Cells of a zone after its place.
struct zones_csv_cells {
    uint64_t start, length, track;
    str name, text, parent_text;
};
// Writes rows, those of one site after one another.
struct zones_csv_rows {
    const struct trace *r;
    const struct zones_csv *form;
    uint32_t site;               // + 1; 0: none yet
    struct buf place;            // its cells
    struct buf bare;             // and those of a zone that said nothing
    struct zones_csv_cells last; // texts that empty cells repeat
};
void zones_csv_put_zone(struct zones_csv_rows *w, struct buf *b, uint32_t site,
                        struct zones_csv_cells cells);
void zones_csv_rows_free(struct zones_csv_rows *w);

// zones_csv_trees.c: the rows of a trace whose zones are trees.
void zones_csv_unwrap_trees(const struct trace *r, const struct zones_csv *form,
                            struct out *o);

// Points of plots and memory pools, `name,,,time,,,value`, by name and time.
void zones_csv_plots(struct out *o, const struct trace *r, const struct zones_csv *form);

#endif
