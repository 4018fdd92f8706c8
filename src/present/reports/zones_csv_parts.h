// zones_csv_parts.h - cells of the csvexport forms.
#ifndef TTP_PRESENT_REPORTS_ZONES_CSV_PARTS_H
#define TTP_PRESENT_REPORTS_ZONES_CSV_PARTS_H

#include "base/file/file.h"

#include "present/reports/zones_csv.h"

void zones_csv_sep(struct buf *b, const struct zones_csv *form);
// A header, its names separated by commas here.
void zones_csv_head(struct buf *b, const struct zones_csv *form, const char *names);
// Quoted where it would break the row; the other always.
void zones_csv_text(struct buf *b, const struct zones_csv *form, str s);
void zones_csv_quoted(struct buf *b, const struct zones_csv *form, str s);
// Name, file and line, each with a separator behind it.
void zones_csv_place(struct buf *b, const struct zones_csv *form, const struct trace *r,
                     uint32_t site);
// Points of plots and pools of memory, `name,,,time,,,value`, by name and time.
void zones_csv_plots(struct out *o, const struct trace *r, const struct zones_csv *form);

#endif
