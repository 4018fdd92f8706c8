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
// Points of plots and memory pools, `name,,,time,,,value`, by name and time.
void zones_csv_plots(struct out *o, const struct trace *r, const struct zones_csv *form);

#endif
