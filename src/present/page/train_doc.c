// train_doc.c - writing the documents.
#include "present/page/train_doc.h"

#include "base/file/folder.h"

#include "present/page/document.h"
#include "present/page/page.h"

static void put_train_doc(const struct train_view *v, const char *kind, const char *title,
                          const enum train_table *tables, size_t n_tables,
                          enum json_rows rows, struct out *o)
{
    const struct document d = {.kind = kind,
                               .title = title,
                               .sources = &v->train->table.file.path,
                               .n_sources = 1};
    struct json j = document_open(&d, &o->b);
    json_key_int(&j, "steps", (int64_t)v->train->n_steps);
    json_key(&j, S("devices"));
    json_open(&j, '[');
    for (size_t i = 0; i < v->train->devices.n; i++)
        json_int(&j, v->train->devices.v[i]);
    json_close(&j, ']');
    if (v->step) {
        json_key_int(&j, "device",
                     v->step->device == TRAIN_NO_DEVICE ? 0 : v->step->device);
        json_key_int(&j, "iteration", v->step->iteration);
    }
    const struct table *shown[TRAIN_TABLES];
    for (size_t i = 0; i < n_tables; i++)
        shown[i] = &v->grid[tables ? tables[i] : (enum train_table)i].table;
    document_notes(&j, &v->train->notes);
    document_tables(&j, shown, n_tables, rows, o);
    document_close(&j);
}

void train_doc_json(const struct train_view *v, struct out *o)
{
    put_train_doc(v, "train", "Training Analysis", NULL, TRAIN_TABLES, JSON_OBJECTS, o);
}

static bool write_page(const struct train_view *v, const char *kind, const char *title,
                       const enum train_table *tables, size_t n, const char *path,
                       struct err *e)
{
    struct out o;
    if (!out_open(&o, path, e))
        return false;
    page_open(&o.b);
    put_train_doc(v, kind, title, tables, n, JSON_ARRAYS, &o);
    page_close(&o.b);
    return out_close(&o, e);
}

bool train_doc_html(const struct train_view *v, const char *path, struct err *e)
{
    return write_page(v, "train", "Training Analysis", NULL, TRAIN_TABLES, path, e);
}

bool train_doc_flame(const struct train_view *v, const char *path, struct err *e)
{
    static const enum train_table tables[] = {TRAIN_TABLE_FLAME};
    struct arena a = {0};
    str title =
        arena_printf(&a, "Device %d, iteration %lld: %.1f ms in kernels", v->step->device,
                     (long long)v->step->iteration, v->step->total_ms);
    bool ok = write_page(v, "flame", title.p, tables, 1, path, e);
    arena_free(&a);
    return ok;
}

bool train_doc_csv(const struct train_view *v, const char *folder, struct err *e)
{
    bool ok = folder_make(folder, e);
    struct arena a = {0};
    for (int i = 0; ok && i < TRAIN_TABLES; i++) {
        const struct table *t = &v->grid[i].table;
        if (t->n_rows)
            ok =
                table_csv_write(t, arena_printf(&a, "%s/train_%s.csv", folder, t->id).p, e);
    }
    arena_free(&a);
    return ok;
}
