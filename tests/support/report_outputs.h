// report_outputs.h - every output of a report, written to nowhere, for sanitizers and
// fuzzers to look at.
#ifndef TTP_TESTS_REPORT_OUTPUTS_H
#define TTP_TESTS_REPORT_OUTPUTS_H

#include "analyse/perf/summary.h"
#include "memory_file.h"
#include "present/page/perf_doc.h"
#include "present/reports/perf_text.h"

// The CSV of the ops; close it.
static inline struct file report_csv(struct perf *p)
{
    struct perf_view v;
    struct memory_file f = memory_file_make(S(""));
    struct out o = memory_out(&f);
    perf_view_make(&v, p, true, true);
    table_csv(&v.ops, &o);
    perf_view_free(&v);
    struct file written = memory_out_end(&o, &f);
    memory_file_free(&f);
    return written;
}

static inline void report_outputs(struct perf *p)
{
    struct summary s;
    struct perf_view v;
    struct memory_file f = memory_file_make(S(""));
    struct out o = memory_out(&f);
    perf_view_make(&v, p, true, true);
    table_csv(&v.ops, &o);
    summary_make(&s, p, GROUP_BY_MEMORY, p->opt.no_merge_devices);
    perf_view_add_summary(&v, &s);
    perf_view_add_findings(&v, true);
    table_csv(&v.summary_table, &o);
    struct perf_doc doc = {.view = &v, .min_percentage = 0.5};
    perf_doc_json(&doc, &o);
    (void)notes_text(&p->notes, 0, true, &o);
    if (p->n_ops) {
        perf_text(&v, true, (struct text_look){.is_coloured = true}, &o);
        perf_text(&v, true, (struct text_look){0}, &o);
    }
    if (s.n_groups)
        summary_text(&v, (struct text_look){.is_coloured = true, .width = 80}, &o);
    struct file written = memory_out_end(&o, &f);
    file_close(&written);
    memory_file_free(&f);
    perf_view_free(&v);
    summary_free(&s);
}

#endif
