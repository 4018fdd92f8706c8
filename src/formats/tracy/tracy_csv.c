// tracy_csv.c - reads tracy_ops_data.csv: messages and their times.
//
// A row is `TEXT`;TIME or TEXT;TIME. Texts are not escaped, so the end of one is only
// recognised by what follows: `;`, digits and the end of the line.
#include "formats/diags.h"
#include "formats/tracy/tracy_csv_parts.h"

// --- shared by both tables ---

size_t tracy_digits(str s, uint64_t *v)
{
    size_t n = 0;
    *v = 0;
    for (; n < s.n && s.p[n] >= '0' && s.p[n] <= '9'; n++)
        if (__builtin_mul_overflow(*v, 10, v) ||
            __builtin_add_overflow(*v, (uint64_t)(s.p[n] - '0'), v))
            return 0;
    return n;
}

str tracy_line(str text, size_t at, size_t *next)
{
    const char *p = at < text.n ? memchr(text.p + at, '\n', text.n - at) : NULL;
    size_t end = p ? (size_t)(p - text.p) : text.n;
    *next = p ? end + 1 : end;
    if (end > at && text.p[end - 1] == '\r')
        end--;
    return (str){text.p ? text.p + at : NULL, end - at};
}

size_t tracy_lines(str s)
{
    size_t n = 0;
    const char *p = s.p, *end = s.p + s.n;
    while (p < end && (p = memchr(p, '\n', (size_t)(end - p)))) {
        n++;
        p++;
    }
    return n;
}

str tracy_without_mark(str text)
{
    return str_starts(text, S("\xEF\xBB\xBF")) ? str_from(text, 3) : text;
}

void tracy_note(struct diag *d, int kind, const char *file, size_t line, str text)
{
    str first = str_clip(str_cut(&text, '\n'), 80);
    diag_note(d, kind, "%s: line %zu: '%.*s'", file, line, STR(first));
}

// --- messages ---

struct reading {
    str text;
    size_t at, line;
    size_t no_close; // no quoted text ends between `at` and here
    struct arena *a;
    tracy_message_fn *take;
    void *context;
    struct diag *d;
};

// ";<digits>" and the end of the line or of the text.
struct tail {
    size_t at;   // of the `;`
    size_t next; // the next line
    uint64_t time;
    bool has_crlf;
};

static bool tail_at(str text, size_t at, struct tail *t)
{
    if (at >= text.n || text.p[at] != ';')
        return false;
    size_t n = tracy_digits(str_from(text, at + 1), &t->time), end = at + 1 + n;
    if (n == 0)
        return false;
    t->has_crlf = end + 1 < text.n && text.p[end] == '\r' && text.p[end + 1] == '\n';
    end += t->has_crlf;
    if (end < text.n && text.p[end] != '\n')
        return false;
    t->at = at;
    t->next = end < text.n ? end + 1 : end;
    return true;
}

static bool find_tail(str text, size_t from, size_t end, struct tail *t)
{
    const char *p = text.p + from, *stop = text.p + end;
    while (p < stop && (p = memchr(p, ';', (size_t)(stop - p)))) {
        if (tail_at(text, (size_t)(p - text.p), t))
            return true;
        p++;
    }
    return false;
}

// --- passing rows on ---

// Restores a text with doubled backticks or converted line ends.
static str text_restored(str s, bool has_crlf, struct arena *a)
{
    bool has_ticks = s.n && memmem(s.p, s.n, "``", 2);
    has_crlf = has_crlf && s.n && memchr(s.p, '\r', s.n);
    if (!has_ticks && !has_crlf)
        return s;
    char *to = push_many(a, char, s.n);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        bool is_pair = i + 1 < s.n && ((s.p[i] == '`' && s.p[i + 1] == '`') ||
                                       (has_crlf && s.p[i] == '\r' && s.p[i + 1] == '\n'));
        i += is_pair;
        to[n++] = s.p[i];
    }
    return (str){to, n};
}

// The text from `start` to `end`; t is NULL if no time follows; the next row is at `next`.
static void pass_message(struct reading *g, size_t start, size_t end, const struct tail *t,
                         bool is_quoted, bool is_cut, size_t next)
{
    str raw = {g->text.p + start, end - start};
    struct tracy_message m = {.text = raw, .line = g->line, .is_cut = is_cut};
    if (is_quoted)
        m.text = text_restored(raw, t && t->has_crlf, g->a);
    if (t) {
        m.has_time = true;
        m.time = t->time;
    } else if (diag_count(g->d, DIAG_MESSAGE_UNTIMED)) {
        tracy_note(g->d, DIAG_MESSAGE_UNTIMED, TRACY_DATA, g->line, raw);
    }
    if (is_cut && diag_count(g->d, DIAG_MESSAGE_CUT))
        tracy_note(g->d, DIAG_MESSAGE_CUT, TRACY_DATA, g->line, raw);
    g->take(g->context, &m);
    g->line += tracy_lines((str){g->text.p + g->at, next - g->at});
    g->at = next;
}

// --- quoted texts ---

static bool starts_at(str text, size_t at, str what)
{
    return str_starts(str_from(text, at), what);
}

// Finds the backtick that closes the text from `from` on: a time follows it. Backticks
// inside may be doubled. Without one: where the next text opens, or the end.
static bool find_close(str text, size_t from, size_t *at, struct tail *t)
{
    const char *p = text.p + from, *end = text.p + text.n;
    while (p < end && (p = memchr(p, '`', (size_t)(end - p)))) {
        *at = (size_t)(p - text.p);
        if (tail_at(text, *at + 1, t))
            return true;
        if (p[-1] == '\n' && starts_at(text, *at + 1, S("TT_")))
            return false;
        p++;
    }
    *at = text.n;
    return false;
}

// Texts about ops and traces have no line that ends like a row: one that does was cut off
// there, and the following lines are rows of their own.
static bool is_about_ops(str text, size_t start)
{
    return starts_at(text, start, S("TT_DNN")) || starts_at(text, start, S("TT_METAL"));
}

// Strips line feed and carriage return before `at`.
static size_t without_line_end(str text, size_t start, size_t at)
{
    if (at > start && text.p[at - 1] == '\n')
        at--;
    if (at > start && text.p[at - 1] == '\r')
        at--;
    return at;
}

static void take_quoted_message(struct reading *g)
{
    size_t start = g->at + 1, close = g->no_close;
    struct tail t, early;
    bool is_closed = start >= g->no_close && find_close(g->text, start, &close, &t);
    if (!is_closed)
        g->no_close = close;
    if ((!is_closed || is_about_ops(g->text, start)) &&
        find_tail(g->text, start, close, &early))
        pass_message(g, start, early.at, &early, true, true, early.next);
    else if (is_closed)
        pass_message(g, start, close, &t, true, false, t.next);
    else
        pass_message(g, start, without_line_end(g->text, start, close), NULL, true, true,
                     close);
}

// --- texts without quotes ---

// The last field of a line, if it is a number.
static bool last_number(str line, struct tail *t)
{
    for (size_t end = line.n; end > 0;) {
        const char *p = memrchr(line.p, ';', end);
        if (!p)
            return false;
        size_t at = (size_t)(p - line.p);
        str field = str_trim((str){p + 1, end - at - 1});
        if (field.n && tracy_digits(field, &t->time) == field.n) {
            t->at = at;
            return true;
        }
        end = at;
    }
    return false;
}

// An unquoted text may have several lines; the last one has the time. A line that opens
// another text ends it.
static bool find_last_line(str text, size_t *at, struct tail *t)
{
    while (*at < text.n && !starts_at(text, *at, S("`")) &&
           !starts_at(text, *at, S("TT_"))) {
        size_t next;
        (void)tracy_line(text, *at, &next);
        if (find_tail(text, *at, next, t))
            return true;
        *at = next;
    }
    return false;
}

static void take_plain_message(struct reading *g)
{
    struct tail t = {0};
    size_t next;
    str line = tracy_line(g->text, g->at, &next);
    bool is_one_line = find_tail(g->text, g->at, next, &t);
    if (!is_one_line && last_number(line, &t))
        pass_message(g, g->at, g->at + t.at, &t, false, false, next);
    else if (is_one_line || find_last_line(g->text, &next, &t))
        pass_message(g, g->at, t.at, &t, false, false, t.next);
    else
        pass_message(g, g->at, without_line_end(g->text, g->at, next), NULL, false, false,
                     next);
}

// --- the table ---

// Blank lines are not rows.
static bool pass_blank(struct reading *g)
{
    size_t n = starts_at(g->text, g->at, S("\n"))     ? 1
               : starts_at(g->text, g->at, S("\r\n")) ? 2
                                                      : 0;
    g->at += n;
    g->line += n > 0;
    return n > 0;
}

bool tracy_data_read(str text, struct arena *a, tracy_message_fn *take, void *context,
                     struct diag *d, struct err *e)
{
    static const str head = {"MessageName;", sizeof "MessageName;" - 1};
    text = tracy_without_mark(text);
    struct reading g = {
        .text = text, .line = 1, .a = a, .take = take, .context = context, .d = d};
    size_t next;
    str first = tracy_line(text, 0, &next);
    if (str_starts(first, S("There are currently no messages!")))
        return true;
    if (str_starts(first, S("name,")) || (first.n && memchr(first.p, '\0', first.n)))
        return err_set(
            e, ERR_FORMAT,
            "is not a table of messages: its first line should be 'MessageName;total_ns'; name the tracy_ops_data.csv of the run");
    if (str_starts(first, head)) {
        g.at = next;
        g.line = 2;
    } else if (diag_count(d, DIAG_CAPTURE_HEADER)) {
        tracy_note(d, DIAG_CAPTURE_HEADER, TRACY_DATA, 1, first);
    }
    while (g.at < text.n) {
        if (pass_blank(&g))
            continue;
        if (text.p[g.at] == '`')
            take_quoted_message(&g);
        else
            take_plain_message(&g);
    }
    return true;
}
