// perf_text.h - the performance report on the terminal.
#ifndef TTP_PRESENT_REPORTS_PERF_TEXT_H
#define TTP_PRESENT_REPORTS_PERF_TEXT_H

#include "present/reports/perf_table.h"

// Prints the notes from `from` on; returns the number of notes.
size_t notes_text(const struct notes *n, size_t from, bool is_coloured, struct out *o);

// The ops table, its total, and the advice if requested.
void perf_text(const struct perf_view *v, bool with_advice, struct text_look look,
               struct out *o);
// The stacked report.
void summary_text(const struct perf_view *v, struct text_look look, struct out *o);

#endif
