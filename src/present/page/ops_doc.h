// ops_doc.h - the ops report as a terminal summary, JSON and a self-contained page. Rows
// and cells carry their states.
#ifndef TTP_PRESENT_PAGE_OPS_DOC_H
#define TTP_PRESENT_PAGE_OPS_DOC_H

#include "present/reports/ops_csv.h"
#include "table/table.h"

// The slowest ops and the totals in a few lines, without the coverage.
void ops_doc_head(const struct op_report *r, size_t most_rows, struct text_look look,
                  struct buf *b);
void ops_doc_json(const struct ops_csv *c, struct out *o);
bool ops_doc_html(const struct ops_csv *c, const char *path, struct err *e);

#endif
