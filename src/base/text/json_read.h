// json_read.h - JSON read in place, value by value: no document in memory, full 64-bit
// integers, members in text order. A text that is cut off or invalid is read up to there;
// then `is_bad` is set and every loop ends.
//
//     struct json_read r = json_read_of(text);
//     str key;
//     for (json_enter(&r, '{'); json_member(&r, &key);)
//         if (str_is(key, "id"))
//             json_take_unsigned(&r, &id);
//         else
//             json_skip(&r);
#ifndef TTP_BASE_TEXT_JSON_READ_H
#define TTP_BASE_TEXT_JSON_READ_H

#include "base/data/arena.h"
#include "base/text/err.h"
#include "base/text/str.h"

enum json_kind {
    JSON_KIND_END, // of the text, or of its valid part
    JSON_KIND_OBJECT,
    JSON_KIND_ARRAY,
    JSON_KIND_STRING,
    JSON_KIND_NUMBER, // including NaN, Infinity and -Infinity, which Python writes
    JSON_KIND_TRUE,
    JSON_KIND_FALSE,
    JSON_KIND_NULL,
};
enum { JSON_DEPTH_MOST = 128 }; // deeper nesting is an error

struct json_read {
    const char *p, *end;
    bool is_bad;    // p is where
    bool is_inside; // after a value: a comma must come first
    int depth;
};

struct json_read json_read_of(str text);
// The kind of the next value; skips white space.
enum json_kind json_peek(struct json_read *r);
// Opens an object or array; false (and bad) for anything else.
bool json_enter(struct json_read *r, char bracket);
// The next member's key, raw between its quotes (json_unescape); false at the end, which is
// consumed.
bool json_member(struct json_read *r, str *key);
// True if there is another element; false at the end, which is consumed.
bool json_element(struct json_read *r);
// The raw text of a string between its quotes, or of a number or word.
bool json_take_raw(struct json_read *r, str *raw);
// False for a value of another kind, which is skipped.
bool json_take_text(struct json_read *r, struct arena *a, str *text);
bool json_take_unsigned(struct json_read *r, uint64_t *v);
bool json_take_int(struct json_read *r, int64_t *v);
bool json_take_real(struct json_read *r, double *v);
bool json_take_bool(struct json_read *r, bool *v);
void json_skip(struct json_read *r); // a whole value
// True if the text was read to its end and is valid.
bool json_is_done(struct json_read *r);

// --- small documents: access to members in any order ---
// A value is a copy of a reader positioned before it, so it can be read many times.

// True if the text is exactly one JSON value. Otherwise e says where it is invalid: "WHERE:
// line 3: ...".
bool json_check(str text, const char *where, struct err *e);
// The value of a member. If there is none, or r is not at an object, an empty reader: its
// kind is JSON_KIND_END and it has no elements. The last of several members of one name
// counts; *times (if not NULL) is their number.
struct json_read json_find(struct json_read r, const char *key, size_t *times);

// The text with escapes resolved, as UTF-8; unchanged if there is nothing to do. Invalid
// characters become U+FFFD.
str json_unescape(str raw, struct arena *a);
// The next character of a raw text, which is not empty; each invalid byte gives U+FFFD, a
// lone surrogate is returned unchanged.
uint32_t json_next_point(str *raw);
// Writes a character in UTF-8; returns the number of bytes, at most 4.
size_t json_write_point(uint32_t point, char *to);

#endif
