// csv_scan.c - one pass from text to columns of cell positions.
//
// The fast path follows the idea of simdjson: a prefix xor over the quote bits tells which
// bytes are inside quotes, the delimiters outside are walked bit by bit. That is right as
// long as every opening quote is at the start of a cell (or doubles the one before). A row
// with any other quote, and only that row, goes to the slow path.
#include <assert.h>

#include "base/text/csv.h"
#include "base/text/csv_block.h"
#include "base/text/csv_row.h"

struct scan {
    str text;
    const struct csv_header *h;
    const struct csv_plan *plan;
    csv_cell **col; // the batch being filled
    uint64_t *at;
    size_t n_rows;        // in it
    const size_t *column; // by slot: the file column, or h->n when there is none
    size_t *ends;         // delimiter offsets of the current row's cells; from -1
    size_t n_ends;        // never more than h->n + CSV_BLOCK
    size_t row;           // offset of the current row
    size_t bad_utf8;      // offset of the first byte known to be wrong
    size_t checked;       // UTF-8 is known to be right before this offset
    struct err *e;        // NULL: no message needed
};

static void check_utf8(struct scan *s, size_t to)
{
    if (s->bad_utf8 == SIZE_MAX && s->checked < to) {
        str part = {s->text.p, to};
        size_t tail;
        size_t bad = str_bad_utf8(part, s->checked, &tail);
        // A sequence cut off by the end of the file is invalid too.
        if (bad < to || (to == s->text.n && tail < to))
            s->bad_utf8 = tail;
        s->checked = tail;
    }
}

static bool fail_utf8(struct scan *s)
{
    if (!s->e)
        return false;
    return err_set(
        s->e, ERR_FORMAT,
        "line %zu: byte 0x%02x at offset %zu is not UTF-8; convert the file to UTF-8",
        csv_line_of(s->text, s->bad_utf8), (unsigned char)s->text.p[s->bad_utf8],
        s->bad_utf8);
}

// The row has a delimiter where the header has none.
static bool fail_ragged(struct scan *s)
{
    if (!s->e)
        return false;
    size_t surplus = s->ends[s->h->n - 1];
    check_utf8(s, surplus + 1);
    if (s->bad_utf8 < surplus)
        return fail_utf8(s);
    return err_set(
        s->e, ERR_FORMAT,
        "line %zu: more than the %zu cells of the header; quote cells that contain commas, or export the file again",
        csv_line_of(s->text, s->row), s->h->n);
}

// A wanted cell of the current row is too long.
static bool fail_long_cell(struct scan *s)
{
    if (!s->e)
        return false;
    size_t slot = 0;
    const size_t *end = s->ends + s->column[slot];
    while (end[0] - (end[-1] + 1) <= CSV_CELL_MOST)
        end = s->ends + s->column[++slot];
    str name = s->h->names[s->column[slot]];
    return err_set(
        s->e, ERR_LIMIT,
        "line %zu: column '%.*s': a cell of over 16 MB; the file is damaged or not a table of ops",
        csv_line_of(s->text, end[-1] + 1), STR(name));
}

static bool fail_open_quote(struct scan *s)
{
    if (!s->e)
        return false;
    check_utf8(s, s->text.n);
    if (s->bad_utf8 < s->text.n)
        return fail_utf8(s);
    return err_set(s->e, ERR_FORMAT,
                   "line %zu: unclosed quote; the file is truncated or damaged",
                   csv_line_of(s->text, s->row));
}

static bool fail_bad_quote(struct scan *s, size_t end)
{
    if (!s->e)
        return false;
    check_utf8(s, end < s->text.n ? end + 1 : end);
    if (s->bad_utf8 < end)
        return fail_utf8(s);
    return err_set(s->e, ERR_FORMAT,
                   "line %zu: text after a closing quote; the file is damaged",
                   csv_line_of(s->text, s->row));
}

static bool fail_cut(struct scan *s)
{
    if (!s->e)
        return false;
    return err_set(s->e, ERR_FORMAT,
                   "line %zu: ends before its last column; the file is truncated",
                   csv_line_of(s->text, s->row));
}

static void hand_over(struct scan *s)
{
    if (s->n_rows)
        s->plan->take(s->plan->context, &(struct csv_rows){s->col, s->at, s->n_rows});
    s->n_rows = 0;
}

static bool is_blank_line(const struct scan *s, size_t end)
{
    for (size_t i = s->row; i < end; i++) {
        char c = s->text.p[i];
        if (c != ' ' && c != '\t' && c != '\r')
            return false;
    }
    return true;
}

static void note_row(struct csv_bad *bad, size_t row, bool is_short, bool is_unended)
{
    if (is_short && bad->n_short++ == 0)
        bad->first_short = row;
    bad->is_unended |= is_unended;
}

// The row ends at `end` (its line feed, or the end of the text); keeps the wanted cells.
static bool finish_row(struct scan *s, size_t end)
{
    size_t n = s->n_ends;
    s->ends[n++] = end;
    s->n_ends = 0;
    assert(n <= s->h->n);
    check_utf8(s, end < s->text.n ? end + 1 : end);
    if (s->bad_utf8 < end)
        return fail_utf8(s);
    if (n == 1 && is_blank_line(s, end))
        return true;
    size_t last = n > 1 ? s->ends[n - 2] + 1 : s->row;
    if (end > last && s->text.p[end - 1] == '\r')
        s->ends[n - 1]--;
    bool is_short = n < s->h->n;
    // Missing cells, and the one after the last column, which represents columns that the
    // file does not have, end where they start.
    for (; n <= s->h->n; n++)
        s->ends[n] = s->ends[n - 1] + 1;
    s->ends[-1] = s->row - 1; // as if a delimiter preceded the row
    size_t longest = 0;
    for (size_t slot = 0; slot < s->plan->n_slots; slot++) {
        const size_t *cell_end = s->ends + s->column[slot];
        size_t start = cell_end[-1] + 1;
        size_t length = cell_end[0] - start;
        longest |= length;
        s->col[slot][s->n_rows].v = length ? (uint64_t)start << 24 | length : 0;
    }
    if (longest > CSV_CELL_MOST)
        return fail_long_cell(s);
    if (is_short && end == s->text.n)
        return fail_cut(s);
    if (s->plan->bad)
        note_row(s->plan->bad, s->row, is_short, end == s->text.n);
    s->at[s->n_rows++] = s->row;
    if (s->n_rows == CSV_BATCH_ROWS)
        hand_over(s);
    return true;
}

// Scans the current row byte by byte and advances to the next.
static bool slow_row(struct scan *s)
{
    size_t end = 0;
    switch (csv_row_cells(s->text, s->row, s->h->n, s->ends, &s->n_ends, &end)) {
    case CSV_ROW_RAGGED: return fail_ragged(s);
    case CSV_ROW_OPEN_QUOTE: return fail_open_quote(s);
    case CSV_ROW_BAD_QUOTE: return fail_bad_quote(s, end);
    case CSV_ROW_OK: break;
    }
    if (!finish_row(s, end))
        return false;
    s->row = end < s->text.n ? end + 1 : end;
    return true;
}

static bool scan_slow(struct scan *s)
{
    while (s->row < s->text.n)
        if (!slow_row(s))
            return false;
    return true;
}

static inline void put_ends(struct scan *s, size_t base, uint64_t bits)
{
    size_t *to = s->ends + s->n_ends;
    while (bits) {
        *to++ = base + (size_t)__builtin_ctzll(bits);
        bits &= bits - 1;
    }
    s->n_ends = (size_t)(to - s->ends);
}

// Walks the delimiters of one block.
static inline bool fast_block(struct scan *s, size_t base, uint64_t comma, uint64_t newline)
{
    while (newline) {
        uint64_t before = (newline & -newline) - 1;
        put_ends(s, base, comma & before);
        comma &= ~before;
        size_t end = base + (size_t)__builtin_ctzll(newline);
        newline &= newline - 1;
        if (s->n_ends >= s->h->n)
            return fail_ragged(s);
        if (!finish_row(s, end))
            return false;
        s->row = end + 1;
    }
    put_ends(s, base, comma);
    return s->n_ends < s->h->n || fail_ragged(s);
}

static uint64_t prefix_xor(uint64_t x)
{
    for (unsigned shift = 1; shift < 64; shift *= 2)
        x ^= x << shift;
    return x;
}

// State carried from one block to the next.
struct carry {
    uint64_t inside; // all ones when the last byte was inside quotes
    uint64_t opens;  // 1 when the next byte may be an opening quote
    uint64_t closed; // 1 when the last byte was a closing quote
};

// Scans the blocks of one batch; *at is where the next batch starts.
static bool fast_batch(struct scan *s, const struct csv_masks *m, size_t n_blocks,
                       size_t *at, struct carry *carry)
{
    size_t base = *at;
    for (size_t i = 0; i < n_blocks; i++, base += CSV_BLOCK) {
        uint64_t quote = m->quote[i];
        uint64_t inside = carry->inside, odd = 0;
        uint64_t delims = m->comma[i] | m->newline[i];
        if (quote | inside) {
            inside ^= prefix_xor(quote);
            delims &= ~inside;
            uint64_t may_open = (delims | quote) << 1 | carry->opens;
            uint64_t behind = (quote & ~inside) << 1 | carry->closed; // a closing quote
            odd = (quote & inside & ~may_open) | (behind & ~(delims | quote));
        } else if (carry->closed) {
            odd = ~delims & 1;
        }
        if (odd) {
            uint64_t before = (odd & -odd) - 1;
            uint64_t good = delims & before;
            if (!fast_block(s, base, m->comma[i] & good, m->newline[i] & good) ||
                !slow_row(s))
                return false;
            *at = s->row;
            *carry = (struct carry){0, 1, 0};
            return true;
        }
        carry->inside = 0 - (inside >> 63);
        carry->opens = (delims | quote) >> 63;
        carry->closed = (quote & ~inside) >> 63;
        if (!fast_block(s, base, m->comma[i] & delims, m->newline[i] & delims))
            return false;
    }
    *at = base < s->text.n ? base : s->text.n;
    return true;
}

static bool scan_fast(struct scan *s, struct progress *bar)
{
    csv_classify_fn *classify = csv_classifier();
    struct carry carry = {0, 1, 0};
    struct csv_masks m;
    for (size_t at = s->row; at < s->text.n;) {
        size_t left = s->text.n - at;
        size_t n_blocks = left / CSV_BLOCK;
        if (n_blocks > CSV_BATCH_BLOCKS)
            n_blocks = CSV_BATCH_BLOCKS;
        size_t to = at + n_blocks * CSV_BLOCK;
        m.has_high = false;
        if (n_blocks) {
            classify(s->text.p + at, n_blocks, &m);
        } else {
            // The last bytes, padded with zeros: no read goes past the mapping.
            char tail[CSV_BLOCK] = {0};
            memcpy(tail, s->text.p + at, left);
            classify(tail, 1, &m);
            n_blocks = 1;
            to = s->text.n;
        }
        if (m.has_high || s->checked < at)
            check_utf8(s, to);
        else if (s->bad_utf8 == SIZE_MAX)
            s->checked = to;
        if (!fast_batch(s, &m, n_blocks, &at, &carry))
            return false;
        if (bar)
            progress_at(bar, at);
    }
    if (carry.inside)
        return fail_open_quote(s);
    return s->row >= s->text.n || finish_row(s, s->text.n);
}

static size_t line_end(const struct scan *s)
{
    const char *end = memchr(s->text.p + s->row, '\n', s->text.n - s->row);
    return end ? (size_t)(end - s->text.p) : s->text.n;
}

static void start_line(struct scan *s, size_t at)
{
    s->row = at < s->text.n ? at : s->text.n;
    s->n_ends = 0;
    s->bad_utf8 = SIZE_MAX;
    s->checked = s->row;
}

// A quote outside of quoted cells: the line is a part of a cell.
static bool has_stray_quote(const struct scan *s, size_t end)
{
    size_t from = s->row;
    for (size_t i = 0; i <= s->n_ends; i++) {
        size_t to = i < s->n_ends ? s->ends[i] : end;
        if (to > from && s->text.p[from] != '"' && memchr(s->text.p + from, '"', to - from))
            return true;
        from = to + 1;
    }
    return false;
}

// Takes the current line as a row if it has all its cells.
static bool take_whole_line(struct scan *s, size_t end)
{
    str line = {s->text.p, end};
    size_t at;
    enum csv_row kind = csv_row_cells(line, s->row, s->h->n, s->ends, &s->n_ends, &at);
    return kind == CSV_ROW_OK && s->n_ends + 1 == s->h->n && !has_stray_quote(s, end) &&
           finish_row(s, end);
}

// Skips the current, bad row. If its quotes span lines, one of them may be damaged, and
// these lines may be rows. False: no text is left.
static bool pass_bad_row(struct scan *s)
{
    struct csv_bad *bad = s->plan->bad;
    if (bad->n++ == 0)
        bad->first = *s->e;
    s->e = NULL;
    size_t n, doubtful;
    (void)csv_row_cells(s->text, s->row, s->h->n, s->ends, &n, &doubtful);
    for (start_line(s, line_end(s) + 1); s->row < doubtful;) {
        size_t end = line_end(s);
        bad->n += !is_blank_line(s, end) && !take_whole_line(s, end);
        start_line(s, end + 1);
    }
    return s->row < s->text.n;
}

bool csv_scan(str text, const struct csv_header *h, const struct csv_plan *plan,
              enum csv_path path, struct err *e)
{
    struct err own = {0};
    struct scan s = {.text = text,
                     .h = h,
                     .plan = plan,
                     .row = h->body,
                     .bad_utf8 = SIZE_MAX,
                     .checked = h->body,
                     .e = plan->bad ? &own : e};
    struct arena a = {0};
    s.ends = push_many(&a, size_t, h->n + CSV_BLOCK + 2) + 1;
    size_t *column = push_many(&a, size_t, plan->n_slots);
    for (size_t i = 0; i < plan->n_slots; i++)
        column[i] = plan->from[i] < 0 ? h->n : (size_t)plan->from[i];
    s.column = column;
    s.at = push_many(&a, uint64_t, CSV_BATCH_ROWS);
    s.col = push_many(&a, csv_cell *, plan->n_slots);
    // One cache line more than the rows need: at a power of two the cells of a row would
    // share a few sets of the cache and evict each other.
    for (size_t i = 0; i < plan->n_slots; i++)
        s.col[i] = push_many(&a, csv_cell, CSV_BATCH_ROWS + 8);
    bool ok;
    do
        ok = path == CSV_FAST ? scan_fast(&s, plan->bar) : scan_slow(&s);
    while (!ok && plan->bad && pass_bad_row(&s));
    hand_over(&s);
    arena_free(&a);
    return ok || plan->bad;
}
