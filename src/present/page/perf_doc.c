// perf_doc.c - writing the documents.
#include "present/page/perf_doc.h"

#include "present/page/document.h"
#include "present/page/page.h"

static void put_perf_doc(const struct perf_doc *d, enum json_rows rows, struct out *o)
{
    const struct perf_view *v = d->view;
    const struct perf *p = v->perf;
    struct arena a = {0};
    const char **sources = push_many(&a, const char *, p->table.n_files + 1);
    for (size_t i = 0; i < p->table.n_files; i++)
        sources[i] = p->table.files[i].path;
    const struct table *const all[] = {&v->ops, &v->summary_table, &v->advice, &v->diag};
    const struct table *tables[sizeof all / sizeof *all];
    size_t n = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]->columns) // was requested
            tables[n++] = all[i];
    const struct document document = {.kind = "perf-report",
                                      .title = "Performance Report",
                                      .sources = sources,
                                      .n_sources = p->table.n_files,
                                      .min_percentage = &d->min_percentage,
                                      .arch = p->arch,
                                      .cores = p->cores};
    struct json j = document_open(&document, &o->b);
    document_notes(&j, &p->notes);
    document_tables(&j, tables, n, rows, o);
    document_close(&j);
    arena_free(&a);
}

void perf_doc_json(const struct perf_doc *d, struct out *o)
{
    put_perf_doc(d, JSON_OBJECTS, o);
}

bool perf_doc_html(const struct perf_doc *d, const char *path, struct err *e)
{
    struct out o;
    if (!out_open(&o, path, e))
        return false;
    page_open(&o.b);
    put_perf_doc(d, JSON_ARRAYS, &o);
    page_close(&o.b);
    return out_close(&o, e);
}
