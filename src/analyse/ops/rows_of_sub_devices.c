// rows_of_sub_devices.c - adds sub-devices to the rows of a C++ report, from the log beside
// it.
//
// Few lines of a log have metadata, and only those can name a sub-device, so the search_log
// jumps from brace to brace.
#include "base/data/map.h"
#include "base/text/num.h"

#include "analyse/ops/rows_of_log.h"
#include "formats/device_log/device_log.h"
#include "formats/device_log/device_log_meta.h"

enum { STEP = 16 << 20 }; // bytes

// The ids of a row or a line, -1: none.
struct sub_key {
    int64_t device, op, trace, session;
};

struct sub_search {
    struct log_head head;
    struct map rows; // by key
    struct arena arena;
    struct device_rows *r;
};

static int64_t or_none(int64_t id)
{
    return id == DEVICE_NO_ID ? -1 : id;
}

static int64_t read_field(const struct sub_search *s, str line, enum log_field f)
{
    int column = s->head.column[f];
    str cell = {0};
    for (int i = 0; i <= column; i++)
        cell = str_cut(&line, ',');
    int64_t v;
    return column >= 0 && num_int(cell, &v) ? v : -1;
}

static void take_line(struct sub_search *s, str line)
{
    str value;
    int64_t id;
    const char *brace = memchr(line.p, '{', line.n);
    str meta = {brace, (size_t)(line.p + line.n - brace)};
    if (!meta_find(meta, S("sub_device_id"), &value) || !num_int(value, &id))
        return;
    struct sub_key key = {read_field(s, line, LOG_CHIP), read_field(s, line, LOG_RUN),
                          read_field(s, line, LOG_TRACE), read_field(s, line, LOG_COUNTER)};
    uint32_t row = map_get(&s->rows, (str){(const char *)&key, sizeof key});
    if (row == MAP_NONE)
        return;
    struct device_row *at = &s->r->v.v[row];
    s->r->n_sub_conflicts +=
        at->v[DEVICE_SUB_DEVICE] != DEVICE_NONE && at->v[DEVICE_SUB_DEVICE] != id;
    at->v[DEVICE_SUB_DEVICE] = id;
    at->state[DEVICE_SUB_DEVICE] = STATE_OK;
}

// The next brace. A large log is searched in steps, and searched pages are released.
static const char *next_brace(str text, size_t at, bool is_mapped)
{
    while (at < text.n) {
        size_t n = text.n - at < STEP ? text.n - at : STEP;
        const char *brace = memchr(text.p + at, '{', n);
        if (brace)
            return brace;
        if (is_mapped)
            file_forget((str){text.p + at, n});
        at += n;
    }
    return NULL;
}

static void search_log(struct sub_search *s, str text, bool is_mapped)
{
    size_t at = s->head.body;
    const char *brace;
    while ((brace = next_brace(text, at, is_mapped))) {
        const char *from = memrchr(text.p + at, '\n', (size_t)(brace - text.p) - at);
        const char *end = memchr(brace, '\n', (size_t)(text.p + text.n - brace));
        from = from ? from + 1 : text.p + at;
        end = end ? end : text.p + text.n;
        take_line(s, (str){from, (size_t)(end - from)});
        at = (size_t)(end - text.p);
    }
}

void device_rows_add_sub_devices(struct device_rows *r, const struct file *log)
{
    struct sub_search s = {.r = r};
    struct trace t = {0}; // receives what the header says
    struct err e = {0};
    if (log_head_parse(log->text, &t, &s.head, &e)) {
        // Keys are unique in a C++ report, so their numbers are the row numbers.
        for (size_t i = 0; i < r->v.n; i++) {
            const struct device_row *row = &r->v.v[i];
            struct sub_key key = {row->device, (int64_t)row->op, or_none(row->trace),
                                  or_none(row->session)};
            (void)map_put_copy(&s.rows, &key, sizeof key, &s.arena);
        }
        search_log(&s, log->text, log->is_mapped);
    }
    map_free(&s.rows);
    arena_free(&s.arena);
    trace_free(&t);
}
