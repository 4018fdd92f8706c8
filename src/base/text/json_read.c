// json_read.c - the reader: a cursor that validates as it goes.
//
// The text may be cut off anywhere. A number or word at the end of an unclosed document may
// be incomplete, so it counts as cut off too.
#include "base/text/json_read.h"

#include "base/text/num.h"

enum { REPLACEMENT = 0xFFFD };

struct json_read json_read_of(str text)
{
    return (struct json_read){.p = text.p, .end = text.p ? text.p + text.n : NULL};
}

static bool json_bad(struct json_read *r)
{
    r->is_bad = true;
    return false;
}

static void skip_blanks(struct json_read *r)
{
    while (r->p < r->end &&
           (*r->p == ' ' || *r->p == '\n' || *r->p == '\t' || *r->p == '\r'))
        r->p++;
}

// Skips the next character if it is `c`.
static bool json_pass(struct json_read *r, char c)
{
    skip_blanks(r);
    if (r->p == r->end || *r->p != c)
        return false;
    r->p++;
    return true;
}

enum json_kind json_peek(struct json_read *r)
{
    static const uint8_t kinds[256] = {
        ['{'] = JSON_KIND_OBJECT, ['['] = JSON_KIND_ARRAY,  ['"'] = JSON_KIND_STRING,
        ['-'] = JSON_KIND_NUMBER, ['0'] = JSON_KIND_NUMBER, ['1'] = JSON_KIND_NUMBER,
        ['2'] = JSON_KIND_NUMBER, ['3'] = JSON_KIND_NUMBER, ['4'] = JSON_KIND_NUMBER,
        ['5'] = JSON_KIND_NUMBER, ['6'] = JSON_KIND_NUMBER, ['7'] = JSON_KIND_NUMBER,
        ['8'] = JSON_KIND_NUMBER, ['9'] = JSON_KIND_NUMBER, ['N'] = JSON_KIND_NUMBER,
        ['I'] = JSON_KIND_NUMBER, ['t'] = JSON_KIND_TRUE,   ['f'] = JSON_KIND_FALSE,
        ['n'] = JSON_KIND_NULL,
    };
    if (r->is_bad)
        return JSON_KIND_END;
    skip_blanks(r);
    return r->p == r->end ? JSON_KIND_END : (enum json_kind)kinds[(unsigned char)*r->p];
}

bool json_is_done(struct json_read *r)
{
    skip_blanks(r);
    return !r->is_bad && r->depth == 0 && r->is_inside && r->p == r->end;
}

// --- objects and arrays ---

bool json_enter(struct json_read *r, char bracket)
{
    if (r->is_bad || r->is_inside || r->depth == JSON_DEPTH_MOST || !json_pass(r, bracket))
        return json_bad(r);
    r->depth++;
    r->is_inside = false;
    return true;
}

// Advances to the next member or element; false at the end, which is consumed.
static bool json_next(struct json_read *r, char closing)
{
    if (r->is_bad)
        return false;
    if (json_pass(r, closing)) {
        r->depth--;
        r->is_inside = true;
        return false;
    }
    if (r->is_inside && !json_pass(r, ','))
        return json_bad(r);
    r->is_inside = false;
    return true;
}

static bool take_string(struct json_read *r, str *raw);

bool json_member(struct json_read *r, str *key)
{
    if (!json_next(r, '}'))
        return false;
    if (json_peek(r) != JSON_KIND_STRING || !take_string(r, key) || !json_pass(r, ':'))
        return json_bad(r);
    return true;
}

bool json_element(struct json_read *r)
{
    if (!json_next(r, ']'))
        return false;
    return json_peek(r) == JSON_KIND_END ? json_bad(r) : true;
}

// --- values ---

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// The character that each letter after a backslash means.
static const char escapes[256] = {['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
                                  ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t'};

// The length of an escape without its backslash; 0: not an escape.
static size_t escape_bytes(const char *p, const char *end)
{
    if (p == end)
        return 0;
    if (*p != 'u')
        return escapes[(unsigned char)*p] ? 1 : 0;
    if (end - p < 5)
        return 0;
    for (int i = 1; i < 5; i++)
        if (hex_digit(p[i]) < 0)
            return 0;
    return 5;
}

static bool take_string(struct json_read *r, str *raw)
{
    const char *start = r->p + 1;
    for (const char *p = start; p < r->end; p++) {
        if (*p == '"') {
            *raw = (str){start, (size_t)(p - start)};
            r->p = p + 1;
            return true;
        }
        if ((unsigned char)*p < 0x20)
            return json_bad(r);
        if (*p == '\\') {
            size_t n = escape_bytes(p + 1, r->end);
            if (!n)
                return json_bad(r);
            p += n;
        }
    }
    return json_bad(r);
}

static size_t digits_at(const char *p, const char *end)
{
    size_t n = 0;
    while (p + n < end && p[n] >= '0' && p[n] <= '9')
        n++;
    return n;
}

// How many bytes of s are a number; 0: none.
static size_t number_bytes(str s)
{
    const char *p = s.p, *end = s.p + s.n;
    if (str_starts(s, S("NaN")))
        return 3;
    p += p < end && *p == '-';
    if (str_starts((str){p, (size_t)(end - p)}, S("Infinity")))
        return (size_t)(p - s.p) + 8;
    size_t n = digits_at(p, end);
    if (n == 0 || (n > 1 && *p == '0'))
        return 0;
    p += n;
    if (p < end && *p == '.') {
        n = digits_at(p + 1, end);
        if (!n)
            return 0;
        p += 1 + n;
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        p++;
        p += p < end && (*p == '+' || *p == '-');
        n = digits_at(p, end);
        if (!n)
            return 0;
        p += n;
    }
    return (size_t)(p - s.p);
}

static size_t word_bytes(str s, str word)
{
    return str_starts(s, word) ? word.n : 0;
}

// Numbers and words end at punctuation or white space.
static bool is_delimiter(char c)
{
    return c == ',' || c == '}' || c == ']' || c == ' ' || c == '\n' || c == '\t' ||
           c == '\r';
}

static bool take_plain(struct json_read *r, enum json_kind kind, str *raw)
{
    str rest = {r->p, (size_t)(r->end - r->p)};
    size_t n = kind == JSON_KIND_NUMBER  ? number_bytes(rest)
               : kind == JSON_KIND_TRUE  ? word_bytes(rest, S("true"))
               : kind == JSON_KIND_FALSE ? word_bytes(rest, S("false"))
               : kind == JSON_KIND_NULL  ? word_bytes(rest, S("null"))
                                         : 0;
    bool is_whole = n < rest.n ? is_delimiter(rest.p[n]) : r->depth == 0;
    if (n == 0 || !is_whole)
        return json_bad(r);
    *raw = (str){r->p, n};
    r->p += n;
    return true;
}

bool json_take_raw(struct json_read *r, str *raw)
{
    enum json_kind kind = json_peek(r);
    if (r->is_bad || r->is_inside)
        return json_bad(r);
    bool ok = kind == JSON_KIND_STRING ? take_string(r, raw) : take_plain(r, kind, raw);
    r->is_inside = ok;
    return ok;
}

void json_skip(struct json_read *r)
{
    bool is_object[JSON_DEPTH_MOST];
    int base = r->depth;
    str raw;
    do {
        enum json_kind kind = json_peek(r);
        if (kind == JSON_KIND_OBJECT || kind == JSON_KIND_ARRAY) {
            if (json_enter(r, kind == JSON_KIND_OBJECT ? '{' : '['))
                is_object[r->depth - 1] = kind == JSON_KIND_OBJECT;
        } else {
            (void)json_take_raw(r, &raw);
        }
        while (!r->is_bad && r->depth > base) {
            bool has_more =
                is_object[r->depth - 1] ? json_member(r, &raw) : json_element(r);
            if (has_more)
                break;
        }
    } while (!r->is_bad && r->depth > base);
}

// The raw text of a value of this kind; any other value is skipped.
static bool take_kind(struct json_read *r, enum json_kind kind, str *raw)
{
    if (json_peek(r) == kind)
        return json_take_raw(r, raw);
    json_skip(r);
    return false;
}

bool json_take_text(struct json_read *r, struct arena *a, str *text)
{
    str raw;
    if (!take_kind(r, JSON_KIND_STRING, &raw))
        return false;
    *text = json_unescape(raw, a);
    return true;
}

bool json_take_unsigned(struct json_read *r, uint64_t *v)
{
    str raw;
    uint64_t sum = 0;
    if (!take_kind(r, JSON_KIND_NUMBER, &raw))
        return false;
    for (size_t i = 0; i < raw.n; i++)
        if (raw.p[i] < '0' || raw.p[i] > '9' || __builtin_mul_overflow(sum, 10, &sum) ||
            __builtin_add_overflow(sum, (uint64_t)(raw.p[i] - '0'), &sum))
            return false;
    *v = sum;
    return true;
}

bool json_take_int(struct json_read *r, int64_t *v)
{
    str raw;
    return take_kind(r, JSON_KIND_NUMBER, &raw) && num_int(raw, v);
}

bool json_take_real(struct json_read *r, double *v)
{
    str raw;
    return take_kind(r, JSON_KIND_NUMBER, &raw) && num_real(raw, v);
}

bool json_take_bool(struct json_read *r, bool *v)
{
    str raw;
    enum json_kind kind = json_peek(r);
    if (kind != JSON_KIND_TRUE && kind != JSON_KIND_FALSE) {
        json_skip(r);
        return false;
    }
    if (!json_take_raw(r, &raw))
        return false;
    *v = kind == JSON_KIND_TRUE;
    return true;
}

// --- documents ---

bool json_check(str text, const char *where, struct err *e)
{
    struct json_read r = json_read_of(text);
    json_skip(&r);
    if (json_is_done(&r))
        return true;
    size_t line = 1;
    for (const char *p = text.p; p < r.p; p++)
        line += *p == '\n';
    if (r.p == r.end)
        return err_set(e, ERR_FORMAT, "%s: line %zu: unexpected end of file", where, line);
    if (r.depth == JSON_DEPTH_MOST)
        return err_set(e, ERR_FORMAT, "%s: line %zu: nested more than %d levels deep",
                       where, line, JSON_DEPTH_MOST);
    str rest = {r.p, (size_t)(r.end - r.p)};
    rest = str_clip(str_trim(str_cut(&rest, '\n')), 20);
    return err_set(e, ERR_FORMAT, "%s: line %zu: not valid JSON at '%.*s'", where, line,
                   STR(rest));
}

struct json_read json_find(struct json_read r, const char *key, size_t *times)
{
    struct json_read found = {0};
    str name;
    size_t n = 0;
    for (json_enter(&r, '{'); json_member(&r, &name); json_skip(&r))
        if (str_is(name, key)) {
            found = r;
            n++;
        }
    if (times)
        *times = n;
    return found;
}

// --- texts ---

static uint32_t hex4(const char *p)
{
    uint32_t v = 0;
    for (int i = 0; i < 4; i++)
        v = v << 4 | (uint32_t)hex_digit(p[i]);
    return v;
}

static bool is_upper_half(uint32_t point)
{
    return point >= 0xD800 && point < 0xDC00;
}
static bool is_lower_half(uint32_t point)
{
    return point >= 0xDC00 && point < 0xE000;
}

// The character of an escape; *raw starts after the backslash.
static uint32_t next_escape(str *raw)
{
    const char *p = raw->p;
    size_t n = raw->n ? escape_bytes(p, p + raw->n) : 0;
    if (n == 0)
        return REPLACEMENT;
    *raw = str_from(*raw, n);
    if (*p != 'u')
        return (uint32_t)escapes[(unsigned char)*p];
    uint32_t point = hex4(p + 1);
    if (!is_upper_half(point) || raw->n < 6 || raw->p[0] != '\\' || raw->p[1] != 'u' ||
        escape_bytes(raw->p + 1, raw->p + raw->n) == 0)
        return point;
    uint32_t low = hex4(raw->p + 2);
    if (!is_lower_half(low))
        return point;
    *raw = str_from(*raw, 6);
    return 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
}

uint32_t json_next_point(str *raw)
{
    unsigned char c = (unsigned char)raw->p[0];
    if (c == '\\') {
        *raw = str_from(*raw, 1);
        return next_escape(raw);
    }
    size_t n = c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4, tail;
    str one = {raw->p, n < raw->n ? n : raw->n};
    if (n == 1 || one.n < n || str_bad_utf8(one, 0, &tail) < n || tail < n) {
        *raw = str_from(*raw, 1);
        return n == 1 ? c : REPLACEMENT;
    }
    uint32_t point = c & (0x7FU >> n);
    for (size_t i = 1; i < n; i++)
        point = point << 6 | ((unsigned char)raw->p[i] & 0x3F);
    *raw = str_from(*raw, n);
    return point;
}

size_t json_write_point(uint32_t point, char *to)
{
    if (point < 0x80) {
        to[0] = (char)point;
        return 1;
    }
    size_t n = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--, point >>= 6)
        to[i] = (char)(0x80 | (point & 0x3F));
    to[0] = (char)((0xF00U >> n & 0xFF) | point);
    return n;
}

str json_unescape(str raw, struct arena *a)
{
    size_t tail;
    if (raw.n == 0)
        return (str){"", 0};
    if (!memchr(raw.p, '\\', raw.n) && str_bad_utf8(raw, 0, &tail) == raw.n &&
        tail == raw.n)
        return raw;
    // An escape is longer than its character; an invalid byte becomes 3 bytes.
    char *to = push_many(a, char, 3 * raw.n);
    size_t n = 0;
    while (raw.n) {
        uint32_t point = json_next_point(&raw);
        bool is_half = is_upper_half(point) || is_lower_half(point);
        n += json_write_point(is_half ? REPLACEMENT : point, to + n);
    }
    return (str){to, n};
}
