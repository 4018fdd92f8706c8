// fields.h - table-driven parsing of structs: a row has a key, the type and offset of its
// field, and the allowed values.
//
// A table is an array of rows whose first member is a struct field, followed by the
// caller's own columns. Error messages are up to the caller.
#ifndef TTP_BASE_TEXT_FIELDS_H
#define TTP_BASE_TEXT_FIELDS_H

#include "base/text/buf.h"
#include "base/text/str.h"

struct field;

struct field_type {
    size_t bytes; // of a value
    bool (*parse)(const struct field *f, str text, void *to);
    double (*number)(const void *at); // NULL: values have no range
    void (*put)(const struct field *f, const void *at, struct buf *b); // NULL: not shown
};

struct field {
    const char *name;
    const struct field_type *type;
    size_t at;          // offset in the struct
    double least, most; // of numbers; equal: any
    const char *words;  // that it takes, separated by blanks; NULL: no list
};

extern const struct field_type field_text;           // str, a view of what is read
extern const struct field_type field_int;            // int64_t, decimal
extern const struct field_type field_bits;           // uint32_t, decimal
extern const struct field_type field_u32, field_u64; // decimal or 0x.., no blanks
extern const struct field_type field_bytes; // uint64_t, the same, with K, M or G after it
extern const struct field_type field_real;  // double
extern const struct field_type field_word;  // int, the number of a word
extern const struct field_type field_word_nocase;
extern const struct field_type field_switch; // bool, by two words, no and yes
extern const struct field_type field_path;   // char[FIELD_PATH], not empty
enum { FIELD_PATH = 256, FIELD_BYTES_MOST = 512 };

enum field_result { FIELD_OK, FIELD_MALFORMED, FIELD_OUT_OF_RANGE };
// `to` is the field itself; unchanged unless FIELD_OK.
enum field_result field_read(const struct field *f, str text, void *to);
bool field_is_in_range(const struct field *f, const void *at); // NaN never is
void field_put(const struct field *f, const void *at, struct buf *b);

static inline void *field_of(const struct field *f, void *object)
{
    return (char *)object + f->at;
}

// --- tables ----------------------------------------------------------------------------
struct fields {
    const void *rows;
    size_t n, row_bytes;
};
#define FIELDS(table)                                                                      \
    ((struct fields){(table), sizeof(table) / sizeof *(table), sizeof *(table)})

const void *fields_find(struct fields table, str name); // the row; NULL: none
// The row whose name is nearest, for "did you mean"; NULL if the table is empty.
const void *fields_nearest(struct fields table, str name);

// --- lists of words --------------------------------------------------------------------
int words_find(const char *words, str word);      // its number, or -1
void words_put(const char *words, struct buf *b); // "a, b or c"

#endif
