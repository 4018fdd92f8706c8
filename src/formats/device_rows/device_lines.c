// device_lines.c - tells headers from rows and splits both into cells.
#include "formats/device_rows/device_lines.h"

#include "base/data/mem.h"
#include "base/text/csv.h"
#include "base/text/csv_row.h"

#include "formats/diags.h"

enum { MORE_CELLS = 8 }; // empty cells that a row may have after those of its header

void device_lines_open(struct device_lines *l, str text, const char *path, struct diag *d)
{
    if (str_starts(text, S("\xEF\xBB\xBF")))
        text = str_from(text, 3);
    *l = (struct device_lines){
        .path = path, .diag = d, .text = text, .classify = csv_classifier()};
    l->ends = mem_alloc(mem_bytes(sizeof *l->ends, DEVICE_COLUMNS_MOST + MORE_CELLS + 1));
}

str device_lines_text(struct device_lines *l, str raw)
{
    raw = str_trim(raw);
    return raw.n && raw.p[0] == '"' ? csv_unquote(raw, &l->scratch) : raw;
}

// The commas among the (at most 64) bytes of the line from `at` on.
static uint64_t find_commas(const struct device_lines *l, size_t at)
{
    struct csv_masks m;
    m.has_high = false;
    char tail[CSV_BLOCK] = {0};
    const char *p = l->line.p + at;
    size_t n = l->line.n - at;
    if (n + l->text.n < CSV_BLOCK)
        p = memcpy(tail, p, n); // no read goes past the mapping
    l->classify(p, 1, &m);
    return n < CSV_BLOCK ? m.comma[0] & ((UINT64_C(1) << n) - 1) : m.comma[0];
}

// Almost no line has quotes; then every comma ends a cell.
static enum csv_row split(struct device_lines *l, size_t most)
{
    str line = l->line;
    if (memchr(line.p, '"', line.n)) {
        size_t end;
        return csv_row_cells(line, 0, most, l->ends, &l->n_ends, &end);
    }
    l->n_ends = 0;
    for (size_t at = 0; at < line.n; at += CSV_BLOCK)
        for (uint64_t commas = find_commas(l, at); commas; commas &= commas - 1) {
            l->ends[l->n_ends++] = at + (size_t)__builtin_ctzll(commas);
            if (l->n_ends == most)
                return CSV_ROW_RAGGED;
        }
    return CSV_ROW_OK;
}

// A line with the name of the op id among its cells; rows start with a digit or a comma.
static bool is_header(struct device_lines *l)
{
    str line = l->line;
    if (line.p[0] == ',' || (line.p[0] >= '0' && line.p[0] <= '9') ||
        !str_has(line, S(DEVICE_REPORT_ID)) || split(l, DEVICE_COLUMNS_MOST) != CSV_ROW_OK)
        return false;
    for (size_t i = 0; i <= l->n_ends; i++)
        if (str_is(device_lines_cell(l, i), DEVICE_REPORT_ID))
            return true;
    return false;
}

static void count_row(struct device_lines *l, int kind, const char *why)
{
    if (diag_count(l->diag, kind))
        diag_note(l->diag, kind, "%s: line %llu: %s", l->path,
                  (unsigned long long)l->number, why);
}

// Cells after those of the header must be empty; otherwise the columns are ambiguous.
static bool is_too_long(struct device_lines *l)
{
    for (size_t i = l->n_columns; i <= l->n_ends; i++)
        if (device_lines_cell(l, i).n)
            return true;
    return false;
}

// False: the row is left out.
static bool split_row(struct device_lines *l)
{
    enum csv_row kind = split(l, l->n_columns + MORE_CELLS);
    const char *why = NULL;
    if (kind == CSV_ROW_RAGGED || (kind == CSV_ROW_OK && is_too_long(l)))
        why = "more cells than its header";
    else if (kind == CSV_ROW_BAD_QUOTE)
        why = "text after a closing quote";
    else if (l->line.n > CSV_CELL_MOST)
        why = "over 16 MiB";
    if (why) {
        l->n_unread++;
        count_row(l, DIAG_DEVICE_ROW_DAMAGED, why);
        return false;
    }
    l->is_open = kind == CSV_ROW_OPEN_QUOTE;
    l->n_cells = l->n_ends < l->n_columns ? l->n_ends + 1 : l->n_columns;
    if (l->is_cut || l->n_cells < l->n_columns)
        count_row(l, l->is_cut ? DIAG_DEVICE_REPORT_CUT : DIAG_DEVICE_ROW_DAMAGED,
                  "it ends before its last column");
    return true;
}

static bool next_line(struct device_lines *l)
{
    while (l->text.n) {
        l->is_cut = !memchr(l->text.p, '\n', l->text.n);
        l->line = str_cut(&l->text, '\n');
        l->number++;
        if (l->line.n && l->line.p[l->line.n - 1] == '\r')
            l->line.n--;
        if (str_trim(l->line).n)
            return true;
    }
    return false;
}

enum device_line device_lines_next(struct device_lines *l)
{
    while (next_line(l)) {
        arena_rewind(&l->scratch, (struct arena_mark){0});
        if (is_header(l)) {
            l->n_columns = l->n_cells = l->n_ends + 1;
            return DEVICE_LINE_HEADER;
        }
        if (!l->n_columns)
            break;
        if (split_row(l))
            return DEVICE_LINE_ROW;
    }
    return DEVICE_LINES_END;
}

void device_lines_count_column(const struct device_lines *l, str name)
{
    if (diag_count(l->diag, DIAG_DEVICE_COLUMN))
        diag_note(l->diag, DIAG_DEVICE_COLUMN, "%s: line %llu: column '%.*s'", l->path,
                  (unsigned long long)l->number, STR(str_clip(name, 60)));
}

bool device_lines_close(struct device_lines *l, struct err *e)
{
    bool ok = l->n_columns > 0;
    if (!ok)
        (void)err_set(e, ERR_FORMAT,
                      "%s: no line names the column '" DEVICE_REPORT_ID
                      "'; not a cpp_device_perf_report.csv",
                      l->path);
    arena_free(&l->scratch);
    mem_free(l->ends);
    *l = (struct device_lines){0};
    return ok;
}
