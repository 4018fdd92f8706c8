// prop_csv.c - the scanner against itself, against a plain parser, and against the writer.
#include <string.h>

#include "base/text/csv_block.h"

#include "../support/csv_result.h"
#include "prop.h"

enum { LAW_PATHS, LAW_MODEL, LAW_BACK, LAW_MASKS, LAWS };
static struct law laws[LAWS] = {
    [LAW_PATHS] = {.name =
                       "the fast and the slow path give the same rows or the same error"},
    [LAW_MODEL] = {.name = "so does a parser written cell by cell"},
    [LAW_BACK] = {.name = "rows that are written read back equal"},
    [LAW_MASKS] = {.name = "all classifiers agree with a look at each byte"},
};

// --- the model ---

// Length of the UTF-8 sequence at s[i], 0 when it is none: decoded and encoded again.
static size_t model_sequence(str s, size_t i)
{
    const unsigned char *p = (const unsigned char *)s.p + i;
    size_t left = s.n - i;
    if (p[0] < 0x80)
        return 1;
    size_t n = p[0] >= 0xF0 ? 4 : p[0] >= 0xE0 ? 3 : 2;
    if (p[0] < 0xC0 || p[0] > 0xF7 || left < n)
        return 0;
    uint32_t point = p[0] & (0xFFU >> (n + 1));
    for (size_t k = 1; k < n; k++) {
        if ((p[k] & 0xC0) != 0x80)
            return 0;
        point = point << 6 | (p[k] & 0x3F);
    }
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    bool is_surrogate = point >= 0xD800 && point < 0xE000;
    return point < least[n] || point > 0x10FFFF || is_surrogate ? 0 : n;
}

static size_t model_first_bad(str s, size_t from)
{
    while (from < s.n) {
        size_t n = model_sequence(s, from);
        if (!n)
            return from;
        from += n;
    }
    return SIZE_MAX;
}

// One cell: its text goes to b, *i to its delimiter. False: its quote is never closed.
// *is_bad is set when it is closed too early.
static bool model_cell(str s, size_t *i, struct buf *b, bool *had_tail, bool *is_bad)
{
    size_t at = *i;
    bool is_quoted = at < s.n && s.p[at] == '"';
    if (is_quoted) {
        for (at++;; at++) {
            const char *q = at < s.n ? memchr(s.p + at, '"', s.n - at) : NULL;
            if (!q)
                return false;
            size_t to = (size_t)(q - s.p);
            buf_str(b, (str){s.p + at, to - at});
            at = to + 1;
            if (at == s.n || s.p[at] != '"')
                break;
            buf_char(b, '"');
        }
    }
    size_t tail = at;
    while (at < s.n && s.p[at] != ',' && s.p[at] != '\n')
        at++;
    buf_str(b, (str){s.p + tail, at - tail});
    bool is_line_end =
        at == tail + 1 && s.p[tail] == '\r' && (at == s.n || s.p[at] == '\n');
    *is_bad |= is_quoted && at > tail && !is_line_end;
    *had_tail = at > tail;
    *i = at;
    return true;
}

struct model {
    VEC(uint64_t) at;
    VEC(size_t) starts; // of the cells in `text`, and one end
    struct buf text;
    char error[80]; // how the message starts; empty: none
};

static size_t model_line(str s, size_t offset)
{
    size_t line = 1;
    for (size_t i = 0; i < offset; i++)
        line += s.p[i] == '\n';
    return line;
}

static void model_fail(struct model *m, str s, size_t at, const char *what)
{
    (void)snprintf(m->error, sizeof m->error, "line %zu: %s", model_line(s, at), what);
}

static bool model_fail_utf8(struct model *m, str s, size_t bad)
{
    char what[40];
    (void)snprintf(what, sizeof what, "byte 0x%02x at offset %zu is",
                   (unsigned char)s.p[bad], bad);
    model_fail(m, s, bad, what);
    return false;
}

// One row from *i on; false at the first error.
static bool model_row(struct model *m, str s, size_t *i, size_t n_columns, size_t bad)
{
    size_t row = *i, n = 0, first_cell = m->starts.n, first_byte = m->text.n;
    bool had_tail = false, is_blank = true, is_bad = false;
    for (;;) {
        if (n == n_columns) {
            size_t comma = *i - 1;
            if (bad < comma)
                return model_fail_utf8(m, s, bad);
            model_fail(m, s, row, "more than the");
            return false;
        }
        vec_push(&m->starts, m->text.n);
        n++;
        if (!model_cell(s, i, &m->text, &had_tail, &is_bad)) {
            if (bad != SIZE_MAX)
                return model_fail_utf8(m, s, bad);
            model_fail(m, s, row, "unclosed quote");
            return false;
        }
        if (*i == s.n || s.p[*i] == '\n')
            break;
        (*i)++;
    }
    if (bad < *i)
        return model_fail_utf8(m, s, bad);
    if (is_bad) {
        model_fail(m, s, row, "text after a closing quote");
        return false;
    }
    if (had_tail && s.p[*i - 1] == '\r')
        m->text.n--;
    for (size_t k = row; k < *i; k++)
        is_blank &= s.p[k] == ' ' || s.p[k] == '\t' || s.p[k] == '\r';
    bool is_last = *i == s.n;
    *i += *i < s.n;
    if (n == 1 && is_blank) {
        m->starts.n = first_cell;
        m->text.n = first_byte;
        return true;
    }
    if (is_last && n < n_columns) {
        model_fail(m, s, row, "ends before its last column");
        return false;
    }
    for (; n < n_columns; n++)
        vec_push(&m->starts, m->text.n);
    vec_push(&m->at, row);
    return true;
}

static bool same_as_model(str text, const struct csv_header *h, const struct csv_result *r)
{
    struct model m = {0};
    (void)buf_room(&m.text, 1); // somewhere to point, even if every cell is empty
    size_t bad = model_first_bad(text, h->body), i = h->body;
    bool ok = true;
    while (ok && i < text.n)
        ok = model_row(&m, text, &i, h->n, bad);
    bool same = ok == r->ok && m.at.n == r->at.n &&
                (ok || strncmp(r->e.text, m.error, strlen(m.error)) == 0);
    struct arena a = {0};
    vec_push(&m.starts, m.text.n);
    for (size_t k = 0; same && k < r->cells.n; k++) {
        str want = {m.text.p + m.starts.v[k], m.starts.v[k + 1] - m.starts.v[k]};
        same = str_eq(want, csv_unquote(csv_raw(text, r->cells.v[k]), &a));
    }
    for (size_t k = 0; same && k < m.at.n; k++)
        same = m.at.v[k] == r->at.v[k];
    arena_free(&a);
    vec_free(&m.at);
    vec_free(&m.starts);
    buf_free(&m.text);
    return same;
}

// --- random texts ---

static const str pieces[] = {
    {",", 1},        {"\"", 1},           {"\n", 1},
    {"\r", 1},       {"\r\n", 2},         {"\"\"", 2},
    {"a", 1},        {"bc", 2},           {" ", 1},
    {"\t", 1},       {"\xC3\xA4", 2},     {"\0", 1},
    {"\",\"", 3},    {"\xE2\x82\xAC", 3}, {"\xF0\x9F\x9A\x80", 4},
    {"\xFF", 1},     {"\x80", 1},         {"\xC3", 1},
    {"\xE2\x82", 2}, {"\xED\xA0\x80", 3},
};
enum { PIECES = sizeof pieces / sizeof *pieces, GOOD_PIECES = 15 };

static size_t random_length(struct random *r)
{
    switch (random_below(r, 8)) {
    case 0: return 60 + random_below(r, 10);
    case 1: return 100 + random_below(r, 200);
    case 2: return random_one_in(r, 4) ? 4000 + random_below(r, 300) : 1;
    default: return random_below(r, 40);
    }
}

// Anything behind anything.
static void put_noise(struct random *r, struct buf *b)
{
    size_t to = b->n + random_length(r);
    uint32_t most = random_one_in(r, 4) ? PIECES : GOOD_PIECES;
    uint32_t dull = random_below(r, 30); // letters between the others
    while (b->n < to) {
        for (uint32_t k = dull ? random_below(r, dull) : 0; k; k--)
            buf_char(b, 'x');
        buf_str(b, pieces[random_below(r, most)]);
    }
}

// Quoted, anything inside, now and then something behind.
static void put_quoted(struct random *r, struct buf *b, size_t n)
{
    buf_char(b, '"');
    for (size_t i = 0; i < n; i++) {
        str p = pieces[random_below(r, GOOD_PIECES)];
        for (size_t k = 0; k < p.n; k++) {
            buf_char(b, p.p[k]);
            if (p.p[k] == '"')
                buf_char(b, '"');
        }
    }
    buf_char(b, '"');
    if (random_one_in(r, 400)) // spoils the row
        buf_z(b, random_one_in(r, 2) ? " x\"y" : "z\"");
}

static void put_random_cell(struct random *r, struct buf *b)
{
    size_t n = random_one_in(r, 60)  ? 3000 + random_below(r, 3000)
               : random_one_in(r, 8) ? random_below(r, 100)
                                     : random_below(r, 8);
    uint32_t kind = random_below(r, 10);
    if (kind < 3) {
        put_quoted(r, b, n);
    } else if (kind == 3) { // a quote that opens nothing
        buf_z(b, random_one_in(r, 2) ? "5\"" : " \"q\"");
    } else {
        for (size_t i = 0; i < n; i++)
            buf_z(b, random_one_in(r, 30) ? "\xC3\xA4" : "w");
    }
}

// Rows as a table has them, now and then spoiled.
static void put_rows(struct random *r, struct buf *b, size_t n_columns)
{
    uint32_t rows = random_below(r, 150);
    bool is_spoiled = random_one_in(r, 4);
    for (uint32_t i = 0; i < rows; i++) {
        size_t n =
            random_one_in(r, 20) ? 1 + random_below(r, (uint32_t)n_columns) : n_columns;
        n += is_spoiled && random_one_in(r, 100);
        for (size_t c = 0; c < n; c++) {
            if (c)
                buf_char(b, ',');
            put_random_cell(r, b);
        }
        if (is_spoiled && random_one_in(r, 100))
            buf_str(b, pieces[random_below(r, PIECES)]);
        buf_z(b, random_one_in(r, 5) ? "\r\n" : random_one_in(r, 30) ? "\n\n" : "\n");
    }
    if (random_one_in(r, 2) && b->n)
        b->n--;
}

static void put_header(struct random *r, struct buf *b, size_t n_columns)
{
    if (random_one_in(r, 10))
        buf_z(b, "\xEF\xBB\xBF");
    for (size_t c = 0; c < n_columns; c++)
        buf_printf(b, "%sc%zu", c ? "," : "", c);
    buf_z(b, random_one_in(r, 5) ? "\r\n" : "\n");
}

// --- the laws ---

static void check_scan(struct random *r)
{
    struct buf b = {0};
    struct arena a = {0};
    size_t n_columns = 1 + random_below(r, 6);
    put_header(r, &b, n_columns);
    size_t body = b.n;
    if (random_one_in(r, 4))
        put_rows(r, &b, n_columns);
    else
        put_noise(r, &b);
    // A block of its own size, so that reading past the end does not go unseen.
    char *exact = mem_alloc(b.n);
    memcpy(exact, b.p, b.n);
    str text = {exact, b.n};
    struct csv_header h;
    struct err e;
    if (law_check(&laws[LAW_PATHS], csv_header(text, &a, &h, &e), "%s", prop_show(text))) {
        struct csv_result fast = csv_result_scan(text, &h, CSV_FAST),
                          slow = csv_result_scan(text, &h, CSV_SLOW);
        (void)law_check(&laws[LAW_PATHS], csv_result_same(&fast, &slow),
                        "%zu columns, %zu bytes: %s; fast: %zu rows %s; slow: %zu rows %s",
                        n_columns, text.n, prop_show(str_from(text, body)), fast.at.n,
                        fast.ok ? "" : fast.e.text, slow.at.n, slow.ok ? "" : slow.e.text);
        (void)law_check(&laws[LAW_MODEL], same_as_model(text, &h, &slow),
                        "%zu columns, %zu bytes: %s: %s", n_columns, text.n,
                        prop_show(str_from(text, body)), slow.ok ? "" : slow.e.text);
        csv_result_free(&fast);
        csv_result_free(&slow);
    }
    mem_free(exact);
    arena_free(&a);
    buf_free(&b);
}

static bool is_blank(str s)
{
    return str_trim(s).n == 0;
}

static void check_write(struct random *r)
{
    struct buf b = {0}, cells = {0};
    VEC(size_t) starts = {0};
    struct arena a = {0};
    (void)buf_room(&cells, 1); // somewhere to point, even if every cell is empty
    size_t n_columns = 1 + random_below(r, 6), n_rows = random_below(r, 80);
    put_header(r, &b, n_columns);
    for (size_t i = 0; i < n_rows * n_columns; i++) {
        size_t from = cells.n;
        size_t n = random_one_in(r, 50) ? random_below(r, 2000) : random_below(r, 6);
        vec_push(&starts, from);
        for (size_t k = 0; k < n; k++)
            buf_str(&cells, pieces[random_below(r, GOOD_PIECES)]);
        str cell = {cells.p + from, cells.n - from};
        if (n_columns == 1 && is_blank(cell)) { // would be a blank line
            buf_z(&cells, "x");
            cell = (str){cells.p + from, cells.n - from};
        }
        csv_put(&b, cell);
        buf_z(&b, (i + 1) % n_columns ? "," : random_one_in(r, 3) ? "\r\n" : "\n");
    }
    vec_push(&starts, cells.n);
    str text = buf_view(&b);
    struct csv_header h;
    struct err e = {0};
    bool same = csv_header(text, &a, &h, &e);
    struct csv_result got = {0};
    if (same) {
        got = csv_result_scan(text, &h, CSV_FAST);
        same = got.ok && got.at.n == n_rows;
        for (size_t i = 0; same && i < got.cells.n; i++) {
            str want = {cells.p + starts.v[i], starts.v[i + 1] - starts.v[i]};
            same = str_eq(want, csv_unquote(csv_raw(text, got.cells.v[i]), &a));
        }
    }
    (void)law_check(&laws[LAW_BACK], same, "%zu columns, %zu rows: %s", n_columns, n_rows,
                    prop_show(text));
    csv_result_free(&got);
    vec_free(&starts);
    arena_free(&a);
    buf_free(&cells);
    buf_free(&b);
}

static bool same_masks(csv_classify_fn *classify, const char *p, size_t n_blocks)
{
    struct csv_masks m = {.has_high = false};
    classify(p, n_blocks, &m);
    bool same = true, has_high = false;
    for (size_t i = 0; i < n_blocks * CSV_BLOCK; i++) {
        uint64_t bit = UINT64_C(1) << i % CSV_BLOCK;
        size_t k = i / CSV_BLOCK;
        same &= !!(m.comma[k] & bit) == (p[i] == ',') &&
                !!(m.newline[k] & bit) == (p[i] == '\n') &&
                !!(m.quote[k] & bit) == (p[i] == '"');
        has_high |= ((unsigned char)p[i] & 0x80) != 0;
    }
    return same && m.has_high == has_high;
}

static void check_masks(struct random *r)
{
    enum { MOST = CSV_BATCH_BLOCKS * CSV_BLOCK };
    static char text[MOST + 16];
    size_t shift = random_below(r, 16), n_blocks = 1 + random_below(r, CSV_BATCH_BLOCKS);
    bool any = random_one_in(r, 2);
    char *p = text + shift;
    for (size_t i = 0; i < n_blocks * CSV_BLOCK; i++)
        p[i] = any ? (char)random_below(r, 256) : ",\n\"-\x0B\x23!"[random_below(r, 7)];
    bool same = same_masks(csv_classify_portable, p, n_blocks) &&
                same_masks(csv_classifier(), p, n_blocks);
#ifdef __x86_64__
    same &= same_masks(csv_classify_sse2, p, n_blocks);
#endif
    (void)law_check(&laws[LAW_MASKS], same, "%zu blocks", n_blocks);
}

int main(void)
{
    struct random r = {3};
    uint64_t rounds = prop_rounds(2500);
    for (uint64_t i = 0; i < rounds; i++) {
        check_scan(&r);
        if (i % 4 == 0)
            check_write(&r);
        if (i % 16 == 0)
            check_masks(&r);
    }
    return laws_report(laws, LAWS);
}
