// train_doc.h - the analyses of a training run as files: one JSON document, one page, one
// CSV for each table, the flame graph and the op timeline.
#ifndef TTP_PRESENT_PAGE_TRAIN_DOC_H
#define TTP_PRESENT_PAGE_TRAIN_DOC_H

#include "present/reports/train_tables.h"

void train_doc_json(const struct train_view *v, struct out *o);
bool train_doc_html(const struct train_view *v, const char *path, struct err *e);
// FOLDER/train_<table>.csv of every table with rows; adds the paths to the notes.
bool train_doc_csv(const struct train_view *v, const char *folder, struct err *e);
// A page with only the flame graph: FOLDER/flamegraph_dev<D>_iter<K>.html.
bool train_doc_flame(const struct train_view *v, const char *path, struct err *e);
// Ops of the step as bars, in order; the extension selects SVG or PNG.
bool train_chart_write(const struct train_view *v, const char *path, struct err *e);

#endif
