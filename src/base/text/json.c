// json.c - the streaming writer.
#include "base/text/json.h"

#include <math.h>

#include "base/text/num.h"

// The next value of an indented document gets its own line.
static void json_line(struct json *j)
{
    if (j->indent) {
        buf_char(j->b, '\n');
        buf_fill(j->b, ' ', (size_t)j->indent * (size_t)j->depth);
    }
}

static void json_separate(struct json *j)
{
    if (!j->is_first)
        buf_char(j->b, ',');
    if (j->depth && !j->is_keyed)
        json_line(j);
    j->is_first = false;
    j->is_keyed = false;
}

void json_open(struct json *j, char bracket)
{
    json_separate(j);
    buf_char(j->b, bracket);
    j->is_first = true;
    j->depth++;
}

void json_close(struct json *j, char bracket)
{
    j->depth--;
    if (!j->is_first)
        json_line(j);
    buf_char(j->b, bracket);
    j->is_first = false;
}

// U+0080 to U+009F, which control terminals, in two bytes.
static bool is_high_control(str s, size_t at)
{
    return s.n - at > 1 && s.p[at] == '\xC2' && (unsigned char)s.p[at + 1] < 0xA0 &&
           (unsigned char)s.p[at + 1] >= 0x80;
}

// Bytes of the character at `at` that need no escape; 0: it does.
static size_t plain_char(str s, size_t at)
{
    unsigned char c = (unsigned char)s.p[at];
    if (c >= 0x80)
        return is_high_control(s, at) ? 0 : str_char(s, at);
    return c >= 0x20 && c != '"' && c != '\\' && c != '<' && c != 0x7F;
}

// Escapes the character at `at` and returns its bytes.
static size_t json_escape(struct buf *b, str s, size_t at)
{
    unsigned char c = (unsigned char)s.p[at];
    if (is_high_control(s, at)) {
        buf_printf(b, "\\u%04x", (unsigned char)s.p[at + 1]);
        return 2;
    }
    if (c == '"' || c == '\\') {
        buf_char(b, '\\');
        buf_char(b, (char)c);
    } else if (c >= 0x80) {
        buf_str(b, S("\xEF\xBF\xBD"));
    } else {
        buf_printf(b, "\\u%04x", c);
    }
    return 1;
}

static void json_quote(struct json *j, str s)
{
    buf_char(j->b, '"');
    for (size_t at = 0, from = 0; at < s.n;) {
        size_t n = plain_char(s, at);
        at += n;
        if (n && at < s.n)
            continue;
        buf_str(j->b, (str){s.p + from, at - from});
        if (!n)
            at += json_escape(j->b, s, at);
        from = at;
    }
    buf_char(j->b, '"');
}

void json_key(struct json *j, str key)
{
    json_separate(j);
    json_quote(j, key);
    buf_str(j->b, j->indent ? S(": ") : S(":"));
    j->is_first = true; // the value needs no comma
    j->is_keyed = true;
}

void json_text(struct json *j, str s)
{
    json_separate(j);
    json_quote(j, s);
}

void json_int(struct json *j, int64_t v)
{
    json_separate(j);
    num_put_int(j->b, v);
}

void json_uint(struct json *j, uint64_t v)
{
    json_separate(j);
    buf_printf(j->b, "%llu", (unsigned long long)v);
}

void json_double(struct json *j, double v)
{
    json_separate(j);
    if (isfinite(v))
        num_put_real(j->b, v);
    else
        buf_str(j->b, S("null"));
}

void json_bool(struct json *j, bool v)
{
    json_separate(j);
    buf_z(j->b, v ? "true" : "false");
}

void json_none(struct json *j)
{
    json_separate(j);
    buf_str(j->b, S("null"));
}

void json_key_int(struct json *j, const char *key, int64_t v)
{
    json_key(j, str_of(key));
    json_int(j, v);
}

void json_key_text(struct json *j, const char *key, str v)
{
    json_key(j, str_of(key));
    json_text(j, v);
}

void json_newline(struct json *j)
{
    if (!j->is_first)
        buf_char(j->b, ',');
    buf_char(j->b, '\n');
    j->is_first = true;
}
