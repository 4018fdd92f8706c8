// json.h - JSON written as a stream: no document in memory, stable order, exact numbers.
//
// The writer inserts commas. NaN and infinities, which JSON does not have, become null.
// Bytes that are not UTF-8 become U+FFFD: the document is valid whatever the input was. `<`
// is escaped, so that a document can be embedded in an HTML page.
#ifndef TTP_BASE_TEXT_JSON_H
#define TTP_BASE_TEXT_JSON_H

#include "base/text/buf.h"

struct json {
    struct buf *b;
    bool is_first; // the innermost object or array is empty so far
    int indent;    // blanks per level, with a line for each value; 0: none
    int depth;
    bool is_keyed; // a key waits for its value
};

void json_open(struct json *j, char bracket);  // '{' or '['
void json_close(struct json *j, char bracket); // '}' or ']'
void json_key(struct json *j, str key);
void json_text(struct json *j, str s);
void json_int(struct json *j, int64_t v);
void json_uint(struct json *j, uint64_t v);
void json_double(struct json *j, double v);
void json_bool(struct json *j, bool v);
void json_none(struct json *j);
// A key and its value at once.
void json_key_int(struct json *j, const char *key, int64_t v);
void json_key_text(struct json *j, const char *key, str v);
// A line break before the next value: long arrays stay readable and greppable.
void json_newline(struct json *j);

#endif
