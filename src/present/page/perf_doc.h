// perf_doc.h - the whole performance report as one document: JSON for programs, a
// self-contained page for people. Both hold the same tables.
#ifndef TTP_PRESENT_PAGE_PERF_DOC_H
#define TTP_PRESENT_PAGE_PERF_DOC_H

#include "present/reports/perf_table.h"

struct perf_doc {
    const struct perf_view *view; // with summary and findings
    double min_percentage;
};

// Rows are objects, keyed by column name.
void perf_doc_json(const struct perf_doc *d, struct out *o);
// Rows are arrays; the page works offline.
bool perf_doc_html(const struct perf_doc *d, const char *path, struct err *e);

#endif
