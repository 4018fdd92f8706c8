// perf_doc.c - writing the documents.
#include "present/perf_doc.h"

#include "present/page.h"

static void put_arch(const struct perf *p, struct json *j)
{
    json_key(j, S("arch"));
    if (!p->arch) {
        json_none(j);
        return;
    }
    json_open(j, '{');
    json_key(j, S("name"));
    json_text(j, p->arch->name);
    json_key(j, S("cores"));
    json_int(j, p->cores);
    json_key(j, S("dram_gbps"));
    json_double(j, p->arch->dram_gb_s);
    json_key(j, S("tflops_per_core"));
    json_open(j, '{');
    for (int f = 0; f < FIDELITIES; f++) {
        json_key(j, str_of(fidelity_name((enum fidelity)f)));
        json_double(j, p->arch->tflops[f]);
    }
    json_close(j, '}');
    json_key(j, S("source"));
    json_text(j, p->arch->source);
    json_close(j, '}');
}

static void put_doc(const struct perf_doc *d, enum json_rows rows, struct out *o)
{
    const struct perf_view *v = d->view;
    struct json j = {.b = &o->b, .is_first = true};
    json_open(&j, '{');
    json_key(&j, S("ttprof"));
    json_text(&j, S(TTPROF_VERSION));
    json_key(&j, S("kind"));
    json_text(&j, S("perf-report"));
    json_key(&j, S("title"));
    json_text(&j, S("Performance Report"));
    json_key(&j, S("sources"));
    json_open(&j, '[');
    for (size_t i = 0; i < v->perf->table.n_files; i++)
        json_text(&j, str_of(v->perf->table.files[i].path));
    json_close(&j, ']');
    json_key(&j, S("min_percentage"));
    json_double(&j, d->min_percentage);
    put_arch(v->perf, &j);
    page_notes(&j, &v->perf->notes);
    json_key(&j, S("tables"));
    json_open(&j, '[');
    const struct table *tables[] = {&v->ops, &v->summary_table, &v->advice, &v->diag};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (!tables[i]->columns) // not asked for
            continue;
        json_newline(&j);
        table_json(tables[i], rows, &j, o);
    }
    json_close(&j, ']');
    json_close(&j, '}');
    buf_char(&o->b, '\n');
}

void perf_doc_json(const struct perf_doc *d, struct out *o)
{
    put_doc(d, JSON_OBJECTS, o);
}

bool perf_doc_html(const struct perf_doc *d, const char *path, struct err *e)
{
    struct out o;
    if (!out_open(&o, path, e))
        return false;
    page_open(&o.b);
    put_doc(d, JSON_ARRAYS, &o);
    page_close(&o.b);
    return out_close(&o, e);
}
