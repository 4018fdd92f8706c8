// buf.h - a growing byte buffer, used to build all output.
#ifndef TTP_BASE_TEXT_BUF_H
#define TTP_BASE_TEXT_BUF_H

#include "base/data/mem.h"
#include "base/text/str.h"

struct buf {
    char *p;
    size_t n, cap;
};

void buf_grow(struct buf *b, size_t more);
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_free(struct buf *b);

// Room for `more` bytes at the end; the caller writes them and adds to n.
static inline char *buf_room(struct buf *b, size_t more)
{
    if (b->cap - b->n < more)
        buf_grow(b, more);
    return b->n ? b->p + b->n : b->p; // NULL + 0 is not defined
}

static inline void buf_str(struct buf *b, str s)
{
    if (s.n) {
        memcpy(buf_room(b, s.n), s.p, s.n);
        b->n += s.n;
    }
}

static inline void buf_z(struct buf *b, const char *z)
{
    buf_str(b, str_of(z));
}

static inline void buf_char(struct buf *b, char c)
{
    *buf_room(b, 1) = c;
    b->n++;
}

static inline void buf_fill(struct buf *b, char c, size_t n)
{
    if (n) {
        memset(buf_room(b, n), c, n);
        b->n += n;
    }
}

// The text with U+FFFD for each byte that is not UTF-8.
void buf_utf8(struct buf *b, str s);

// What buf_visible leaves as it is.
enum {
    VISIBLE_LINES = 1,   // ends of lines and tabs: for text of several lines
    VISIBLE_COLOURS = 2, // the two codes of text_paint
};
// The text with control characters as escapes, such as \x1b, and bytes that are not UTF-8
// as \xff: a name from a file cannot steer the terminal.
void buf_visible(struct buf *b, str s, unsigned keep);

static inline str buf_view(const struct buf *b)
{
    return (str){b->p, b->n};
}

#endif
