// buf.c - growth and formatted text.
#include "base/text/buf.h"

#include <stdarg.h>
#include <stdio.h>

void buf_grow(struct buf *b, size_t more)
{
    size_t need = b->n + more;
    size_t cap = b->cap < 256 ? 256 : b->cap * 2;
    b->cap = cap < need ? need : cap;
    b->p = mem_resize(b->p, b->cap);
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    char *at = buf_room(b, 64);
    size_t room = b->cap - b->n;
    int n = vsnprintf(at, room, fmt, ap);
    va_end(ap);
    if ((size_t)n >= room)
        (void)vsnprintf(buf_room(b, (size_t)n + 1), (size_t)n + 1, fmt, again);
    va_end(again);
    b->n += (size_t)n;
}

void buf_free(struct buf *b)
{
    mem_free(b->p);
    *b = (struct buf){0};
}

void buf_utf8(struct buf *b, str s)
{
    size_t tail;
    while (s.n) {
        size_t good = str_bad_utf8(s, 0, &tail);
        good = tail < good ? tail : good;
        buf_str(b, (str){s.p, good});
        if (good < s.n)
            buf_z(b, "\xEF\xBF\xBD");
        s = str_from(s, good + 1);
    }
}

// The length of one of the codes of text_paint at the start of s: "\033[0m", or
// "\033[38;5;N" with 'm' after the number. 0: it is another text.
static size_t colour_code(str s)
{
    str head = S("\033[38;5;"), reset = S("\033[0m");
    if (str_starts(s, reset))
        return reset.n;
    if (!str_starts(s, head))
        return 0;
    size_t at = head.n;
    while (at < s.n && at < head.n + 3 && s.p[at] >= '0' && s.p[at] <= '9')
        at++;
    return at > head.n && at < s.n && s.p[at] == 'm' ? at + 1 : 0;
}

static void put_escape(struct buf *b, unsigned char c)
{
    static const char names[] = {['\t'] = 't', ['\n'] = 'n', ['\r'] = 'r'};
    if (c < sizeof names && names[c])
        buf_printf(b, "\\%c", names[c]);
    else
        buf_printf(b, "\\x%02x", c);
}

// Bytes of the character at `at` that a terminal prints; 0: a control character, or not
// UTF-8.
static size_t printed_char(str s, size_t at, unsigned keep)
{
    unsigned char c = (unsigned char)s.p[at];
    if (c >= 0x20 && c < 0x7F)
        return 1;
    if (c == '\n' || c == '\t')
        return keep & VISIBLE_LINES ? 1 : 0;
    if (c == '\033' && keep & VISIBLE_COLOURS)
        return colour_code(str_from(s, at));
    if (c < 0x80 || (c == 0xC2 && at + 1 < s.n && (unsigned char)s.p[at + 1] < 0xA0))
        return 0; // U+0080 to U+009F control terminals of 8 bits
    return str_char(s, at);
}

void buf_visible(struct buf *b, str s, unsigned keep)
{
    for (size_t at = 0, from = 0; at < s.n;) {
        size_t n = printed_char(s, at, keep);
        at += n;
        if (n && at < s.n)
            continue;
        buf_str(b, (str){s.p + from, at - from});
        if (!n)
            put_escape(b, (unsigned char)s.p[at++]);
        from = at;
    }
}
