// str.h - text as pointer and length: views into a mapped file or an arena, never owned.
#ifndef TTP_BASE_TEXT_STR_H
#define TTP_BASE_TEXT_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct str {
    const char *p;
    size_t n;
} str;

#define S(lit) ((str){(lit), sizeof(lit) - 1})
// For printf: "%.*s" with STR(s).
#define STR(s) (int)(s).n, (s).p

static inline str str_of(const char *z)
{
    return (str){z, z ? strlen(z) : 0};
}
static inline str str_from(str s, size_t at)
{
    return at < s.n ? (str){s.p + at, s.n - at} : (str){NULL, 0};
}
static inline bool str_eq(str a, str b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}
static inline bool str_is(str a, const char *z)
{
    return str_eq(a, str_of(z));
}

bool str_eq_nocase(str a, str b); // ASCII letters only
int str_cmp(str a, str b);        // by bytes, which is code point order in UTF-8
bool str_starts(str s, str head);
bool str_ends(str s, str tail);
str str_base_name(str path); // after the last slash; a path that ends in one: all of it
str str_trim(str s);         // without outer ASCII white space
str str_clip(str s, size_t most); // at most that many bytes, no character cut in two

#define STR_NOT_FOUND SIZE_MAX
size_t str_find(str s, str what); // offset of the first occurrence, or STR_NOT_FOUND
bool str_has(str s, str what);
// The text after the first `what`; false if there is none.
bool str_after(str s, str what, str *rest);

// Cuts *s at the first `sep`: returns the text before it, *s becomes the text after it.
// Without a `sep` the whole text is returned and *s becomes empty.
str str_cut(str *s, char sep);

// Number of code points in valid UTF-8.
size_t str_points(str s);
// Number of bytes of the character at `at`: 1 to 4; 0 if the bytes are not valid UTF-8 or
// end too early.
size_t str_char(str s, size_t at);
// Offset of the first byte that is not valid UTF-8 from `at` on; s.n if all is valid. A
// sequence cut off by the end is not an error; *tail is its start.
size_t str_bad_utf8(str s, size_t at, size_t *tail);

// Edit distance for "did you mean", cut off at `limit`.
unsigned str_distance(str a, str b, unsigned limit);

#endif
