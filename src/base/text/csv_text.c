// csv_text.c - rows byte by byte, headers, the text of cells, and writing.
#include "base/data/map.h"
#include "base/text/csv.h"
#include "base/text/csv_row.h"

enum {
    HEADER_MOST_COLUMNS = 1 << 16,
    HEADER_LONGEST_NAME = 4096,
    HEADER_LONGEST = 1 << 22
};

bool csv_is_line_end(str text, size_t at)
{
    return text.p[at] == '\r' && (at + 1 == text.n || text.p[at + 1] == '\n');
}

enum csv_row csv_row_cells(str text, size_t row, size_t most, size_t *ends, size_t *n_ends,
                           size_t *end)
{
    enum { CELL_START, PLAIN, QUOTED, AFTER_QUOTE } state = CELL_START;
    size_t n = 0, i = row;
    bool is_bad = false;
    for (; i < text.n; i++) {
        char c = text.p[i];
        if (state == QUOTED) {
            if (c == '"')
                state = AFTER_QUOTE;
        } else if (c == ',') {
            if (n < most)
                ends[n] = i;
            n++;
            state = CELL_START;
        } else if (c == '\n') {
            break;
        } else if (c == '"' && state != PLAIN) {
            state = QUOTED; // opens the cell, or doubles the quote before
        } else {
            is_bad |= state == AFTER_QUOTE && !csv_is_line_end(text, i);
            state = PLAIN;
        }
    }
    *n_ends = n;
    *end = i;
    if (n >= most)
        return CSV_ROW_RAGGED;
    if (state == QUOTED)
        return CSV_ROW_OPEN_QUOTE;
    return is_bad ? CSV_ROW_BAD_QUOTE : CSV_ROW_OK;
}

// Skips the byte order mark and blank lines; s.n when nothing is left.
static size_t header_start(str text)
{
    size_t at = str_starts(text, S("\xEF\xBB\xBF")) ? 3 : 0;
    for (size_t i = at; i < text.n; i++) {
        char c = text.p[i];
        if (c == '\n')
            at = i + 1;
        else if (c != ' ' && c != '\t' && c != '\r')
            return at;
    }
    return text.n;
}

static bool header_check(str text, size_t start, size_t end, struct err *e)
{
    size_t tail;
    size_t bad = str_bad_utf8((str){text.p, end}, start, &tail);
    if (bad == end && tail == end)
        return true;
    return err_set(
        e, ERR_FORMAT,
        "line %zu: byte 0x%02x at offset %zu is not UTF-8; convert the file to UTF-8",
        csv_line_of(text, tail), (unsigned char)text.p[tail], tail);
}

// Numbers repeated names like pandas does.
static void header_tell_apart(struct csv_header *h, struct arena *a)
{
    struct map known = {0};
    uint32_t *times = mem_alloc(mem_bytes(sizeof *times, h->n));
    for (size_t i = 0; i < h->n; i++) {
        uint32_t id = map_put(&known, h->names[i]);
        if (times[id]++)
            h->names[i] = arena_printf(a, "%.*s.%u", STR(h->names[i]), times[id] - 1);
    }
    mem_free(times);
    map_free(&known);
}

bool csv_header(str text, struct arena *a, struct csv_header *h, struct err *e)
{
    *h = (struct csv_header){0};
    size_t start = header_start(text);
    if (start == text.n)
        return err_set(e, ERR_FORMAT,
                       "is empty; a table starts with a line of column names");
    size_t line = csv_line_of(text, start);
    bool is_cut = text.n - start > HEADER_LONGEST; // too long: refuse it without reading on
    if (is_cut)
        text.n = start + HEADER_LONGEST;
    size_t *ends = mem_alloc(sizeof *ends * HEADER_MOST_COLUMNS);
    size_t end, n;
    enum csv_row kind = csv_row_cells(text, start, HEADER_MOST_COLUMNS, ends, &n, &end);
    bool ok = true;
    if (kind == CSV_ROW_RAGGED)
        ok = err_set(e, ERR_LIMIT, "line %zu: over %d columns; not a table of ops", line,
                     HEADER_MOST_COLUMNS);
    else if (is_cut && end == text.n)
        ok = err_set(e, ERR_LIMIT,
                     "line %zu: over 4 MB of column names; not a table of ops", line);
    else if (kind == CSV_ROW_OPEN_QUOTE)
        ok = err_set(e, ERR_FORMAT,
                     "line %zu: unclosed quote; the file is truncated or damaged", line);
    else
        ok = header_check(text, start, end, e);
    if (ok) {
        h->body = end < text.n ? end + 1 : end;
        h->n = n + 1;
        h->line = line;
        h->names = push_many(a, str, h->n);
        ends[n] = end > start && text.p[end - 1] == '\r' ? end - 1 : end;
    }
    for (size_t i = 0; ok && i < h->n; i++) {
        size_t from = i ? ends[i - 1] + 1 : start;
        str raw = {text.p + from, ends[i] > from ? ends[i] - from : 0};
        if (raw.n > HEADER_LONGEST_NAME)
            ok = err_set(e, ERR_LIMIT,
                         "line %zu: column %zu: a name of over 4 KB; not a table of ops",
                         line, i + 1);
        else
            h->names[i] = csv_unquote(raw, a);
    }
    if (ok)
        header_tell_apart(h, a);
    mem_free(ends);
    return ok;
}

int csv_find(const struct csv_header *h, str name)
{
    for (size_t i = 0; i < h->n; i++)
        if (str_eq(h->names[i], name))
            return (int)i;
    return -1;
}

str csv_unquote(str raw, struct arena *a)
{
    if (raw.n == 0 || raw.p[0] != '"')
        return raw;
    const char *second = memchr(raw.p + 1, '"', raw.n - 1);
    if (second == raw.p + raw.n - 1)
        return (str){raw.p + 1, raw.n - 2};
    char *to = push_many(a, char, raw.n);
    size_t n = 0;
    bool quoted = true,
         done = false; // done: text after the closing quote is copied unchanged
    for (size_t i = 1; i < raw.n; i++) {
        char c = raw.p[i];
        if (done || c != '"') {
            done |= !quoted;
            to[n++] = c;
        } else if (quoted) {
            quoted = false;
        } else {
            quoted = true;
            to[n++] = '"';
        }
    }
    return (str){to, n};
}

size_t csv_line_of(str text, size_t offset)
{
    size_t line = 1;
    for (str rest = {text.p, offset}; rest.n;) {
        const char *hit = memchr(rest.p, '\n', rest.n);
        if (!hit)
            break;
        line++;
        rest = str_from(rest, (size_t)(hit - rest.p) + 1);
    }
    return line;
}

void csv_put(struct buf *b, str cell)
{
    static const bool needs_quotes[256] = {
        [','] = true, ['"'] = true, ['\r'] = true, ['\n'] = true};
    size_t i = 0;
    while (i < cell.n && !needs_quotes[(unsigned char)cell.p[i]])
        i++;
    if (i == cell.n) {
        buf_str(b, cell);
        return;
    }
    buf_char(b, '"');
    for (i = 0; i < cell.n; i++) {
        if (cell.p[i] == '"')
            buf_char(b, '"');
        buf_char(b, cell.p[i]);
    }
    buf_char(b, '"');
}
