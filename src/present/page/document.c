// document.c - the parts common to all documents.
#include "present/page/document.h"

static void put_arch(const struct document *d, struct json *j)
{
    json_key(j, S("arch"));
    if (!d->arch) {
        json_none(j);
        return;
    }
    json_open(j, '{');
    json_key_text(j, "name", d->arch->name);
    json_key_int(j, "cores", d->cores);
    json_key(j, S("dram_gbps"));
    json_double(j, d->arch->dram_gb_s);
    json_key(j, S("tflops_per_core"));
    json_open(j, '{');
    for (int f = 0; f < FIDELITIES; f++) {
        json_key(j, str_of(fidelity_name((enum fidelity)f)));
        json_double(j, d->arch->tflops[f]);
    }
    json_close(j, '}');
    json_key_text(j, "source", d->arch->source);
    json_close(j, '}');
}

struct json document_open(const struct document *d, struct buf *b)
{
    struct json j = {.b = b, .is_first = true};
    json_open(&j, '{');
    json_key_text(&j, "ttprof", S(TTPROF_VERSION));
    json_key_text(&j, "kind", str_of(d->kind));
    if (!d->title)
        return j;
    json_key_text(&j, "title", str_of(d->title));
    json_key(&j, S("sources"));
    json_open(&j, '[');
    for (size_t i = 0; i < d->n_sources; i++)
        json_text(&j, str_of(d->sources[i]));
    json_close(&j, ']');
    json_key(&j, S("min_percentage"));
    if (d->min_percentage)
        json_double(&j, *d->min_percentage);
    else
        json_int(&j, 0);
    put_arch(d, &j);
    return j;
}

void document_notes(struct json *j, const struct notes *n)
{
    static const char *const levels[] = {
        [NOTE_INFO] = "info", [NOTE_WARNING] = "warning", [NOTE_ERROR] = "error"};
    json_key(j, S("notes"));
    json_open(j, '[');
    for (size_t i = 0; n && i < n->list.n; i++) {
        json_newline(j);
        json_open(j, '{');
        json_key_text(j, "level", str_of(levels[n->list.v[i].level]));
        json_key_text(j, "text", n->list.v[i].text);
        json_close(j, '}');
    }
    json_close(j, ']');
}

void document_tables(struct json *j, const struct table *const *tables, size_t n,
                     enum json_rows form, struct out *o)
{
    json_key(j, S("tables"));
    json_open(j, '[');
    for (size_t i = 0; i < n; i++) {
        json_newline(j);
        table_json(tables[i], form, j, o);
    }
    json_close(j, ']');
}

void document_close(struct json *j)
{
    json_close(j, '}');
    buf_char(j->b, '\n');
}
