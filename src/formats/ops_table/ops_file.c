// ops_file.c - opens and scans a table of ops.
#include "formats/ops_table/ops_file.h"

#include "formats/diags.h"

bool ops_file_open(struct ops_file *f, const char *path, struct arena *a, struct diag *d,
                   struct err *e)
{
    *f = (struct ops_file){.path = strcmp(path, "-") == 0 ? "stdin" : path};
    if (!file_open(path, &f->file, e))
        return false;
    if (f->file.damage && diag_count(d, DIAG_TABLE_ROW))
        diag_note(d, DIAG_TABLE_ROW, "%s: %s", f->path, f->file.damage);
    return csv_header(f->file.text, a, &f->header, e) || err_in(e, "%s", f->path);
}

void ops_file_close(struct ops_file *f)
{
    file_close(&f->file);
    *f = (struct ops_file){0};
}

static void count_rows(const struct ops_file *f, struct diag *d, int kind, uint64_t n,
                       size_t first)
{
    if (n && !d->entry[kind].count)
        diag_note(d, kind, "%s: line %zu", f->path, ops_file_line(f, first));
    d->entry[kind].count += n;
}

void ops_file_scan(const struct ops_file *f, const int *from, size_t n_slots,
                   csv_take_fn *take, void *context, struct diag *d)
{
    str text = f->file.text;
    struct csv_bad bad = {0};
    struct err none = {0};
    struct progress bar = progress_start(f->path, text.n);
    struct csv_plan plan = {from, n_slots, take, context, &bar, &bad};
    (void)csv_scan(text, &f->header, &plan, CSV_FAST, &none);
    progress_end(&bar);
    if (bad.n && !d->entry[DIAG_TABLE_ROW].count)
        diag_note(d, DIAG_TABLE_ROW, "%s: %s", f->path, bad.first.text);
    d->entry[DIAG_TABLE_ROW].count += bad.n;
    count_rows(f, d, DIAG_TABLE_SHORT, bad.n_short, bad.first_short);
    count_rows(f, d, DIAG_TABLE_CUT, bad.is_unended, text.n);
}

int ops_file_find(const struct ops_file *f, const char *name)
{
    return csv_find(&f->header, str_of(name));
}

bool ops_file_fail_missing(const struct ops_file *f, const char *name, const char *remedy,
                           struct err *e)
{
    return err_set(e, ERR_FORMAT, "%s: line %zu: missing column '%s'%s%s", f->path,
                   f->header.line, name, *remedy ? "; " : "", remedy);
}

size_t ops_file_line(const struct ops_file *f, uint64_t at)
{
    return csv_line_of(f->file.text, at);
}

bool ops_is_missing(str s)
{
    static const char *const words[] = {
        "#N/A", "#N/A N/A", "#NA",     "-1.#IND", "-1.#QNAN", "-NaN",
        "-nan", "1.#IND",   "1.#QNAN", "<NA>",    "N/A",      "NA",
        "NULL", "NaN",      "None",    "n/a",     "nan",      "null",
    };
    if (s.n == 0)
        return true;
    if (s.n > 8 || !strchr("#-1<Nn", s.p[0]))
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_is(s, words[i]))
            return true;
    return false;
}
