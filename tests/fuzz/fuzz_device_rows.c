// fuzz_device_rows.c - any bytes as the device's half of an ops report. The first byte says
// what they are: a report of the runtime, or a device log and the number of threads.
#include "base/text/csv_row.h"

#include "../support/device_rows_laws.h"
#include "formats/device_rows/device_lines.h"
#include "formats/diags.h"
#include "formats/ops_table/ops_sheet.h"
#include "fuzz.h"

static void holds(const char *broken)
{
    if (broken)
        (void)fprintf(stderr, "not so: %s\n", broken);
    must(!broken);
}

static void law_of_extra(const struct device_rows *r)
{
    for (size_t c = 0; c < r->extra.n; c++) {
        size_t n = 0;
        for (size_t i = 0; i < r->v.n; i++) {
            n += r->extra.v[c].cell[i].n != 0;
            must(!r->extra.v[c].cell[i].n ||
                 !memchr(r->extra.v[c].cell[i].p, ',', r->extra.v[c].cell[i].n));
        }
        must(n); // a column without a cell is none
    }
}

// Cells are those of the slow definition of a row, in the bounds of their line.
static void law_of_cells(struct device_lines *l)
{
    enum { MORE = 8 };
    size_t ends[DEVICE_COLUMNS_MOST + MORE], n_ends, end;
    (void)csv_row_cells(l->line, 0, l->n_columns + MORE, ends, &n_ends, &end);
    must(n_ends == l->n_ends && !memcmp(ends, l->ends, n_ends * sizeof *ends));
    must(l->n_cells && l->n_cells <= l->n_columns);
    for (size_t i = 0; i < l->n_cells; i++) {
        str raw = device_lines_raw(l, i), text = device_lines_cell(l, i);
        must(raw.p >= l->line.p && raw.p + raw.n <= l->line.p + l->line.n);
        must(text.n <= raw.n);
    }
}

// Counts the rows, and those that break off.
static bool read_lines(str text, size_t *n_rows, size_t *n_broken, uint64_t *n_unread)
{
    struct device_lines l;
    struct diag d = {0};
    struct err e = {0};
    *n_rows = *n_broken = 0;
    device_lines_open(&l, text, "report", &d);
    for (enum device_line kind; (kind = device_lines_next(&l));) {
        law_of_cells(&l);
        *n_rows += kind == DEVICE_LINE_ROW;
        *n_broken +=
            kind == DEVICE_LINE_ROW && (l.is_open || (l.is_cut && l.n_cells < l.n_columns));
    }
    *n_unread = l.n_unread;
    return device_lines_close(&l, &e);
}

// The lines as a table: none is lost, each cell is in the text.
static void read_sheet(str text)
{
    size_t n_rows, n_broken;
    uint64_t n_unread;
    struct diag d = {0};
    struct err e = {0};
    struct ops_sheet t = {.diag = &d, .file = {.path = "report", .file = {.text = text}}};
    bool ok = read_lines(text, &n_rows, &n_broken, &n_unread);
    must(ops_sheet_scan_device(&t, &e) == ok);
    must(t.n_rows == n_rows - n_broken && t.n_unread == n_unread + n_broken);
    for (size_t c = 0; c < t.file.header.n; c++)
        for (size_t i = 0; i < t.n_rows; i++) {
            str raw = ops_sheet_raw(&t, (int)c, i);
            must(!raw.n || (raw.p >= text.p && raw.p + raw.n <= text.p + text.n));
        }
    t.file.file = (struct file){0}; // the text is not its own
    ops_sheet_free(&t);
}

// Every line is a row of its own, the same as an earlier one, or counted.
static void law_of_lines(str text, const struct device_rows *r, const struct diag *d)
{
    size_t n_rows, n_broken;
    uint64_t n_unread;
    must(read_lines(text, &n_rows, &n_broken, &n_unread));
    must(n_rows == r->v.n + d->entry[DIAG_DEVICE_ROW_AGAIN].count +
                       d->entry[DIAG_DEVICE_ROW_WITHOUT_ID].count);
}

static void read_report(str text)
{
    read_sheet(text);
    struct device_rows r;
    struct diag d = {0};
    struct err e = {0};
    bool ok = device_rows_read_text(&r, text, "report", &d, &e);
    must(ok == (e.code == ERR_NONE));
    must(ok || (e.code == ERR_FORMAT && !r.v.n));
    if (ok) {
        holds(law_of_states(&r));
        law_of_extra(&r);
        law_of_lines(text, &r, &d);
        must(r.arch_of.n == 0 || r.arch_of.n == r.v.n);
    }
    device_rows_free(&r);
}

static void measure(const struct device_run *run, unsigned threads, struct device_rows *r)
{
    char number[16];
    (void)snprintf(number, sizeof number, "%u", threads);
    (void)setenv("TTPROF_THREADS", number, 1);
    device_rows_measure(r, &run->trace, &run->ops, &run->dispatch,
                        (struct device_rows_choice){0});
}

static void read_log(str text, unsigned threads)
{
    struct device_run run;
    struct device_how how = {.with_incomplete_ops = true};
    if (device_run(&run, text, &how) && !run.trace.is_legacy) {
        struct device_rows one, more;
        measure(&run, 1, &one);
        measure(&run, threads, &more);
        holds(law_of_measured(&run, &one));
        holds(law_of_states(&one));
        must(device_rows_are_same(&one, &more));
        device_rows_free(&one);
        device_rows_free(&more);
    }
    device_run_free(&run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    str text = {(const char *)data + 1, size - 1};
    if (data[0] & 1)
        read_log(text, 2 + data[0] / 2 % 3);
    else
        read_report(text);
    return 0;
}
