// json.c - the streaming writer.
#include "base/json.h"

#include <math.h>

#include "base/num.h"

static void json_separate(struct json *j)
{
    if (!j->is_first)
        buf_char(j->b, ',');
    j->is_first = false;
}

void json_open(struct json *j, char bracket)
{
    json_separate(j);
    buf_char(j->b, bracket);
    j->is_first = true;
}

void json_close(struct json *j, char bracket)
{
    buf_char(j->b, bracket);
    j->is_first = false;
}

static void json_quote(struct json *j, str s)
{
    buf_char(j->b, '"');
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c == '"' || c == '\\') {
            buf_char(j->b, '\\');
            buf_char(j->b, (char)c);
        } else if (c < 0x20 || c == '<' || c == 0x7F) {
            buf_printf(j->b, "\\u%04x", c);
        } else {
            buf_char(j->b, (char)c);
        }
    }
    buf_char(j->b, '"');
}

void json_key(struct json *j, str key)
{
    json_separate(j);
    json_quote(j, key);
    buf_char(j->b, ':');
    j->is_first = true; // the value needs no comma
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

void json_real(struct json *j, double v)
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

void json_null(struct json *j)
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
