// op_fit.c - copies the JSON of an op record token by token, and leaves out what must go.
// Each attempt is one pass; bytes beyond the room are counted, not written.
//
// What is copied keeps its spelling: brackets, commas and quotes are checked, numbers and
// words are not.
#include "record/format/op_fit.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct fitting {
    const char *at, *end; // of the input
    char *to;
    size_t n, most;  // of the output; n may exceed most
    bool is_ticked;  // the input has doubled its backticks
    bool is_skipped; // what is read is not written
    enum op_fit how;
    unsigned depth;
    uint64_t is_object[OP_FIT_DEPTH / 64]; // a bit for each level
};

static void put(struct fitting *f, const char *p, size_t n)
{
    if (f->is_skipped)
        return;
    if (f->n + n <= f->most)
        memcpy(f->to + f->n, p, n);
    f->n += n;
}

// Text of the input.
static void put_text(struct fitting *f, const char *p, size_t n)
{
    while (n) {
        const char *tick = f->is_ticked ? NULL : memchr(p, '`', n);
        size_t part = tick ? (size_t)(tick - p) + 1 : n;
        put(f, p, part);
        if (tick)
            put(f, "`", 1);
        p += part;
        n -= part;
    }
}

// --- tokens ----------------------------------------------------------------------------
static char peek(struct fitting *f)
{
    while (f->at < f->end && memchr(" \t\r\n", *f->at, 4))
        f->at++;
    return f->at < f->end ? *f->at : '\0';
}

static bool take(struct fitting *f, char c)
{
    if (peek(f) != c || f->at == f->end)
        return false;
    put(f, f->at++, 1);
    return true;
}

// The token with its quotes; NULL: it is not closed.
static const char *string_end(const struct fitting *f)
{
    const char *p = f->at + 1;
    while (p < f->end && *p != '"') {
        if ((unsigned char)*p < ' ')
            return NULL;
        p += *p == '\\' && p + 1 < f->end ? 2 : 1;
    }
    return p < f->end ? p + 1 : NULL;
}

static bool take_string(struct fitting *f)
{
    const char *end = peek(f) == '"' ? string_end(f) : NULL;
    if (!end)
        return false;
    put_text(f, f->at, (size_t)(end - f->at));
    f->at = end;
    return true;
}

// A number or a word. What it says is the reader's business.
static bool take_word(struct fitting *f)
{
    static const char others[] = "+-.";
    const char *start = f->at;
    for (; f->at < f->end; f->at++) {
        char c = *f->at, lower = (char)(c | 0x20);
        if ((c < '0' || c > '9') && (lower < 'a' || lower > 'z') && !memchr(others, c, 3))
            break;
    }
    put(f, start, (size_t)(f->at - start));
    return f->at > start;
}

// --- values ----------------------------------------------------------------------------
static bool enter(struct fitting *f, bool is_object)
{
    if (f->depth == OP_FIT_DEPTH)
        return false;
    uint64_t bit = UINT64_C(1) << f->depth % 64, *bits = &f->is_object[f->depth / 64];
    *bits = is_object ? *bits | bit : *bits & ~bit;
    f->depth++;
    return take(f, is_object ? '{' : '[');
}

static bool in_object(const struct fitting *f)
{
    return f->is_object[(f->depth - 1) / 64] >> (f->depth - 1) % 64 & 1;
}

static bool take_key(struct fitting *f)
{
    return !in_object(f) || (take_string(f) && take(f, ':'));
}

// What follows a value: brackets that close, and a comma with the next key. Ends with the
// bracket that ends level `outer`.
static bool take_rest(struct fitting *f, unsigned outer)
{
    while (f->depth > outer) {
        if (take(f, ','))
            return take_key(f);
        if (!take(f, in_object(f) ? '}' : ']'))
            return false;
        f->depth--;
    }
    return true;
}

// With everything inside it.
static bool take_value(struct fitting *f)
{
    unsigned outer = f->depth;
    do {
        char c = peek(f);
        if (c == '{' || c == '[') {
            if (!enter(f, c == '{'))
                return false;
            if (peek(f) != (c == '{' ? '}' : ']')) {
                if (!take_key(f))
                    return false;
                continue;
            }
        } else if (c == '"' ? !take_string(f) : !take_word(f)) {
            return false;
        }
        if (!take_rest(f, outer))
            return false;
    } while (f->depth > outer);
    return true;
}

// --- members ---------------------------------------------------------------------------
static bool key_is(const char *key, size_t n, const char *name)
{
    return n == strlen(name) + 2 && memcmp(key + 1, name, n - 2) == 0;
}

static bool is_dropped(const struct fitting *f, const char *key, size_t n)
{
    return (f->how >= OP_FIT_NO_KERNELS && key_is(key, n, "kernel_info")) ||
           (f->how >= OP_FIT_FEW_TENSORS && key_is(key, n, "attributes"));
}

static bool is_tensors(struct fitting *f, const char *key, size_t n)
{
    return f->how >= OP_FIT_FEW_TENSORS && peek(f) == '[' &&
           (key_is(key, n, "input_tensors") || key_is(key, n, "output_tensors") ||
            key_is(key, n, "optional_input_tensors"));
}

// A list of tensors, cut; how many there were is a member of its own.
static bool take_tensors(struct fitting *f, const char *key, size_t key_bytes)
{
    unsigned long count = 0;
    f->at++;
    put(f, "[", 1);
    while (peek(f) != ']' || count) {
        f->is_skipped = count >= OP_FIT_TENSORS;
        if (count)
            put(f, ",", 1);
        if (!take_value(f))
            return false;
        count++;
        char c = peek(f);
        if (c != ',')
            break;
        f->at++;
    }
    f->is_skipped = false;
    if (!take(f, ']'))
        return false;
    if (count > OP_FIT_TENSORS) {
        char more[64];
        int n = snprintf(more, sizeof more, "_original_count\":%lu", count);
        put(f, ",", 1);
        put(f, key, key_bytes - 1);
        put(f, more, (size_t)n);
    }
    return true;
}

static bool take_member(struct fitting *f, bool *is_first)
{
    const char *end = peek(f) == '"' ? string_end(f) : NULL, *key = f->at;
    if (!end)
        return false;
    size_t n = (size_t)(end - key);
    f->is_skipped = is_dropped(f, key, n);
    if (!*is_first)
        put(f, ",", 1);
    *is_first &= f->is_skipped;
    bool ok = take_string(f) && take(f, ':') &&
              (is_tensors(f, key, n) ? take_tensors(f, key, n) : take_value(f));
    f->is_skipped = false;
    return ok;
}

static bool take_record(struct fitting *f)
{
    bool is_first = true;
    if (!take(f, '{'))
        return false;
    f->depth = 1;
    f->is_object[0] = 1;
    if (peek(f) != '}')
        do {
            if (!take_member(f, &is_first))
                return false;
        } while (peek(f) == ',' && f->at++);
    return take(f, '}') && peek(f) == '\0' && f->at == f->end;
}

// --- attempts --------------------------------------------------------------------------
// What stands before the JSON is kept as it is.
static bool take_all(struct fitting *f)
{
    size_t n = (size_t)(f->end - f->at);
    const char *line = n ? memchr(f->at, '\n', n) : NULL;
    const char *head = f->how == OP_FIT_WHOLE ? f->end
                       : n && *f->at == '{'   ? f->at
                       : line                 ? line + 1
                                              : NULL;
    if (!head)
        return false;
    put(f, "`", 1);
    put_text(f, f->at, (size_t)(head - f->at));
    f->at = head;
    bool ok = f->how == OP_FIT_WHOLE || take_record(f);
    put(f, "`", 1);
    return ok && f->n <= f->most;
}

size_t op_fit(const char *text, size_t n, char *to, size_t most, enum op_fit *how)
{
    bool is_ticked = n && *text == '`';
    if (is_ticked) {
        text++;
        n--;
        n -= n && text[n - 1] == '`';
    }
    for (*how = OP_FIT_WHOLE; *how < OP_FIT_NOT; ++*how) {
        struct fitting f = {.to = to, .most = most, .is_ticked = is_ticked, .how = *how};
        f.at = text;
        f.end = text + n;
        if (take_all(&f))
            return f.n;
    }
    return 0;
}
