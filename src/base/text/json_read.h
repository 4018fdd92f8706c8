// json_read.h - JSON read in place, value by value: no document in memory, whole 64-bit
// numbers, members in the order of the text. A text that ends early or is wrong is read up
// to there; `is_bad` then says so, and every loop ends.
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
    JSON_KIND_END, // of the text, or where it became wrong
    JSON_KIND_OBJECT,
    JSON_KIND_ARRAY,
    JSON_KIND_STRING,
    JSON_KIND_NUMBER, // NaN, Infinity and -Infinity, too, which Python writes
    JSON_KIND_TRUE,
    JSON_KIND_FALSE,
    JSON_KIND_NULL,
};
enum { JSON_DEPTH_MOST = 128 }; // what is nested deeper is wrong

struct json_read {
    const char *p, *end;
    bool is_bad;    // p is where
    bool is_inside; // a value stands before: a comma must come first
    int depth;
};

struct json_read json_read_of(str text);
// What stands next; white space is passed over.
enum json_kind json_peek(struct json_read *r);
// Opens an object or array; false (and bad) when something else stands there.
bool json_enter(struct json_read *r, char bracket);
// The next member's key, raw between its quotes (json_unescape); false at the end, which is
// passed.
bool json_member(struct json_read *r, str *key);
// Is there another element? False at the end, which is passed.
bool json_element(struct json_read *r);
// The raw text of a string between its quotes, or of a number or word.
bool json_take_raw(struct json_read *r, str *raw);
// False where something else stands, which is skipped.
bool json_take_text(struct json_read *r, struct arena *a, str *text);
bool json_take_unsigned(struct json_read *r, uint64_t *v);
bool json_take_int(struct json_read *r, int64_t *v);
bool json_take_real(struct json_read *r, double *v);
bool json_take_bool(struct json_read *r, bool *v);
void json_skip(struct json_read *r); // a whole value
// Is the text read to its end, and right?
bool json_is_done(struct json_read *r);

// --- small documents, asked for their members in any order ---
// A value is a copy of a reader that stands before it, so that it can be taken many times.

// Is the text one JSON value and nothing more? On false e says where it goes wrong:
// "WHERE: line 3: ...".
bool json_check(str text, const char *where, struct err *e);
// The value of a member. Where there is none, or r is not at an object, a reader of
// nothing: its kind is JSON_KIND_END, it gives no elements. The last of several members of
// one name counts; *times (or NULL) says how many there are.
struct json_read json_find(struct json_read r, const char *key, size_t *times);

// Escapes resolved, as UTF-8; itself where there is nothing to do. What is no character
// becomes U+FFFD.
str json_unescape(str raw, struct arena *a);
// The next character of a raw text, which is not empty; bytes that are none are U+FFFD
// each, half a surrogate pair stands for itself.
uint32_t json_next_point(str *raw);
// A character in UTF-8; returns how many bytes, 4 at most.
size_t json_write_point(uint32_t point, char *to);

#endif
