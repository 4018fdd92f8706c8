// python_repr.c - Python's repr() of JSON values.
#include "formats/ops_table/python_repr.h"

#include <stdio.h>

#include "base/text/num.h"

// Characters above ASCII that Python escapes: controls, formats, separators, surrogates,
// private ones and noncharacters. Which characters are unassigned differs between Python
// versions: those are printed.
static const uint32_t hidden[][2] = {
    // clang-format off
    {0x80, 0xA0},       {0xAD, 0xAD},       {0x600, 0x605},     {0x61C, 0x61C},
    {0x6DD, 0x6DD},     {0x70F, 0x70F},     {0x890, 0x891},     {0x8E2, 0x8E2},
    {0x1680, 0x1680},   {0x180E, 0x180E},   {0x2000, 0x200F},   {0x2028, 0x202F},
    {0x205F, 0x206F},   {0x3000, 0x3000},   {0xD800, 0xF8FF},   {0xFDD0, 0xFDEF},
    {0xFEFF, 0xFEFF},   {0xFFF0, 0xFFFB},   {0xFFFE, 0xFFFF},   {0x110BD, 0x110BD},
    {0x110CD, 0x110CD}, {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A},
    {0x1FFFE, 0x1FFFF}, {0x2FFFE, 0x2FFFF}, {0x3FFFE, 0xE00FF}, {0xE01F0, 0x10FFFF},
    // clang-format on
};

static bool is_printable(uint32_t point)
{
    if (point < 0x80)
        return point >= 0x20 && point != 0x7F;
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0] && hidden[i][0] <= point; i++)
        if (point <= hidden[i][1])
            return false;
    return true;
}

static void put_point(uint32_t point, char quote, struct buf *b)
{
    if (point == (unsigned char)quote || point == '\\') {
        buf_char(b, '\\');
        buf_char(b, (char)point);
    } else if (is_printable(point)) {
        b->n += json_write_point(point, buf_room(b, 4));
    } else if (point == '\n' || point == '\r' || point == '\t') {
        buf_z(b, point == '\n' ? "\\n" : point == '\r' ? "\\r" : "\\t");
    } else {
        const char *form = point < 0x100     ? "\\x%02x"
                           : point < 0x10000 ? "\\u%04x"
                                             : "\\U%08x";
        char text[16];
        int n = snprintf(text, sizeof text, form, point);
        buf_str(b, (str){text, (size_t)n});
    }
}

// Needs no escaping: blank or visible ASCII without ' " and \.
static bool is_simple(str raw)
{
    for (size_t i = 0; i < raw.n; i++) {
        unsigned char c = (unsigned char)raw.p[i];
        if (c < 0x20 || c > 0x7E || c == '\'' || c == '\\')
            return false;
    }
    return true;
}

void python_repr_text(str raw, struct buf *b)
{
    char quote = '\'';
    if (is_simple(raw)) {
        buf_char(b, quote);
        buf_str(b, raw);
        buf_char(b, quote);
        return;
    }
    bool has_single = false, has_double = false;
    for (str rest = raw; rest.n;) {
        uint32_t point = json_next_point(&rest);
        has_single |= point == '\'';
        has_double |= point == '"';
    }
    if (has_single && !has_double)
        quote = '"';
    buf_char(b, quote);
    while (raw.n)
        put_point(json_next_point(&raw), quote, b);
    buf_char(b, quote);
}

static void put_number(str raw, struct buf *b)
{
    bool is_whole = true;
    for (size_t i = 0; i < raw.n; i++)
        is_whole &= raw.p[i] == '-' || (raw.p[i] >= '0' && raw.p[i] <= '9');
    double v;
    if (is_whole)
        buf_str(b, str_is(raw, "-0") ? S("0") : raw);
    else if (num_real(raw, &v))
        num_put_real(b, v);
}

static bool put_plain(struct json_read *r, enum json_kind kind, struct buf *b)
{
    str raw;
    if (!json_take_raw(r, &raw))
        return false;
    if (kind == JSON_KIND_STRING)
        python_repr_text(raw, b);
    else if (kind == JSON_KIND_NUMBER)
        put_number(raw, b);
    else
        buf_z(b, kind == JSON_KIND_TRUE    ? "True"
                 : kind == JSON_KIND_FALSE ? "False"
                                           : "None");
    return true;
}

// Recursion is limited by json_enter.
static void put_object(struct json_read *r, struct buf *b)
{
    str key;
    buf_char(b, '{');
    for (bool is_first = true; json_member(r, &key); is_first = false) {
        size_t before = b->n;
        if (!is_first)
            buf_str(b, S(", "));
        python_repr_text(key, b);
        buf_str(b, S(": "));
        if (!python_repr(r, b))
            b->n = before;
    }
    buf_char(b, '}');
}

static void put_array(struct json_read *r, struct buf *b)
{
    buf_char(b, '[');
    for (bool is_first = true; json_element(r); is_first = false) {
        size_t before = b->n;
        if (!is_first)
            buf_str(b, S(", "));
        if (!python_repr(r, b))
            b->n = before;
    }
    buf_char(b, ']');
}

bool python_repr(struct json_read *r, struct buf *b)
{
    enum json_kind kind = json_peek(r);
    bool is_object = kind == JSON_KIND_OBJECT;
    if (!is_object && kind != JSON_KIND_ARRAY)
        return put_plain(r, kind, b);
    if (!json_enter(r, is_object ? '{' : '['))
        return false;
    if (is_object)
        put_object(r, b);
    else
        put_array(r, b);
    return true;
}

str python_cell_of(str text, struct arena *a)
{
    char *to = push_many(a, char, text.n + 1);
    for (size_t i = 0; i < text.n; i++)
        to[i] = text.p[i] == ',' ? ';' : text.p[i];
    return (str){to, text.n};
}

str python_cell(struct json_read *r, struct arena *a)
{
    str cell = {NULL, 0}, raw;
    if (json_peek(r) == JSON_KIND_STRING) {
        struct arena scratch = {0};
        if (json_take_raw(r, &raw))
            cell = python_cell_of(json_unescape(raw, &scratch), a);
        arena_free(&scratch);
        return cell;
    }
    struct buf b = {0};
    if (python_repr(r, &b))
        cell = python_cell_of(buf_view(&b), a);
    buf_free(&b);
    return cell;
}
