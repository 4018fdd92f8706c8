// fuzz_json_read.c - any bytes as JSON: the two ways through a document agree, whatever is
// found by name is a value of it, and a part of it is never taken for the whole.
#include "base/text/json_read.h"

#include "fuzz.h"

static void check_text(str raw, struct arena *a)
{
    size_t tail;
    str text = json_unescape(raw, a);
    must(str_bad_utf8(text, 0, &tail) == text.n && tail == text.n);
}

// Takes the value at r apart; every member is found by its name, too.
static void walk(struct json_read *r, struct arena *a)
{
    str raw;
    double real;
    struct json_read object = *r, number = *r;
    switch (json_peek(r)) {
    case JSON_KIND_OBJECT:
        for (json_enter(r, '{'); json_member(r, &raw); walk(r, a)) {
            check_text(raw, a);
            char *key = push_many(a, char, raw.n + 1);
            memcpy(key, raw.p, raw.n);
            size_t times = 0;
            struct json_read found = json_find(object, key, &times);
            must(memchr(raw.p, 0, raw.n) || times);
            must(!times || (found.p >= object.p && found.p <= object.end));
        }
        break;
    case JSON_KIND_ARRAY:
        for (json_enter(r, '['); json_element(r);)
            walk(r, a);
        break;
    case JSON_KIND_STRING:
        if (json_take_raw(r, &raw))
            check_text(raw, a);
        break;
    case JSON_KIND_NUMBER:
        if (json_take_raw(r, &raw))
            must(json_take_real(&number, &real));
        break;
    default: (void)json_take_raw(r, &raw); break;
    }
}

static bool is_whole(str text)
{
    struct json_read r = json_read_of(text);
    json_skip(&r);
    return json_is_done(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { WALKED_MOST = 1 << 14 }; // a search by name for each member: keep it quick
    struct arena a = {0};
    struct err e = {0};
    str text = {(const char *)data, size};
    bool is_right = json_check(text, "x.json", &e);
    must(is_right == is_whole(text));
    must(is_right || (e.code == ERR_FORMAT && strncmp(e.text, "x.json: line ", 13) == 0));
    if (size <= WALKED_MOST) {
        struct json_read r = json_read_of(text);
        walk(&r, &a);
        must(json_is_done(&r) == is_right);
    }
    // An object or array that is cut off anywhere is no document.
    struct json_read r = json_read_of(text);
    enum json_kind kind = json_peek(&r);
    size_t n = size ? (size_t)data[size / 2] * size / 256 : 0;
    if (is_right && (kind == JSON_KIND_OBJECT || kind == JSON_KIND_ARRAY))
        must(!is_whole((str){text.p, n}) || str_trim(str_from(text, n)).n == 0);
    arena_free(&a);
    return 0;
}
