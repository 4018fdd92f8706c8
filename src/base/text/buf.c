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
