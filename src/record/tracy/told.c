// told.c - what the table says about threads, clocks, locks and plots. Entries precede the
// events that need them: it is read before the words of a ring.
#include <string.h>

#include "record/tracy/session.h"

enum { THREADS_MOST = 1 << 20, LOCKS_MOST = 1 << 20 };

struct entry {
    uint32_t bytes, kind;
};

static void put_app_info(struct tracy_session *s, uint32_t string)
{
    struct recorder_piece text;
    if (!recorder_string_get(string, &text))
        return;
    recorder_out_string(&s->out, text);
    recorder_out_time(&s->out, recorder_out_item(&s->out, TRACY_MESSAGE_APP_INFO, 0),
                      s->begin_ns);
}

// The first generation shows red and blue exchanged.
static uint32_t plot_colour(const struct tracy_session *s, uint32_t rgb)
{
    if (s->out.layouts.generation != TRACY_F10)
        return rgb;
    return (rgb & 0xFF) << 16 | (rgb & 0xFF00) | (rgb >> 16 & 0xFF);
}

static void put_plot(struct tracy_session *s, const struct tt_plot *p)
{
    struct recorder_out *o = &s->out;
    uint8_t *item = recorder_out_item(o, TRACY_PLOT_CONFIG, 0);
    recorder_out_set(o, item, TRACY_NAME_FIELD, p->name);
    recorder_out_set(o, item, TRACY_TYPE_FIELD, p->format);
    recorder_out_set(o, item, TRACY_FLAGS_FIELD, p->is_step);
    recorder_out_set(o, item, TRACY_ID_FIELD, p->is_filled);
    recorder_out_set(o, item, TRACY_COLOUR_FIELD, plot_colour(s, p->colour));
}

static void lock_named(struct tracy_session *s, uint32_t lock, uint32_t string)
{
    struct recorder_piece text;
    recorder_keys_set(&s->lock_names, lock, string, LOCKS_MOST);
    uint64_t how = recorder_keys_get(&s->announced, lock);
    if (!how || !recorder_string_get(string, &text))
        return; // told when it is announced
    recorder_out_string(&s->out, text);
    uint8_t *item = recorder_out_item(&s->out, TRACY_LOCK_NAME, 0);
    recorder_out_set(&s->out, item, TRACY_ID_FIELD,
                     how == 2 ? lock | KEY_SHARED_LOCKS : lock);
}

static void take_entry(struct tracy_session *s, uint32_t kind, const void *fields)
{
    uint32_t two[2];
    memcpy(two, fields, sizeof two);
    switch (kind) {
    case TT_ENTRY_THREAD: recorder_keys_set(&s->tids, two[0], two[1], THREADS_MOST); break;
    case TT_ENTRY_THREAD_NAME:
        recorder_keys_set(&s->names, recorder_keys_get(&s->tids, two[0]), two[1],
                          THREADS_MOST);
        break;
    case TT_ENTRY_CLOCK: recorder_times_clock(&s->times, fields); break;
    case TT_ENTRY_CLOCK_PAIR: recorder_times_pair(&s->times, fields); break;
    case TT_ENTRY_APP_INFO: put_app_info(s, two[0]); break;
    case TT_ENTRY_LOCK:
        recorder_keys_set(&s->locks, two[0], (uint64_t)two[1] + 1, LOCKS_MOST);
        break;
    case TT_ENTRY_LOCK_NAME: lock_named(s, two[0], two[1]); break;
    case TT_ENTRY_PLOT: put_plot(s, fields); break;
    case TT_ENTRY_FIBER: s->has_fibers = true; break;
    default: break;
    }
}

void recorder_told_update(struct tracy_session *s)
{
    const struct tt_table *table = recorder_table();
    if (!table)
        return;
    uint64_t used = __atomic_load_n(&table->used, __ATOMIC_ACQUIRE);
    if (!s->table_at)
        s->table_at = TT_TABLE_HEADER;
    while (s->table_at < used) {
        const struct entry *e = (const void *)((const char *)table + s->table_at);
        take_entry(s, e->kind, e + 1);
        s->table_at += e->bytes;
    }
}

struct recorder_piece recorder_told_program(void)
{
    const struct tt_table *table = recorder_table();
    struct recorder_piece program = {"", 0};
    uint64_t used = table ? __atomic_load_n(&table->used, __ATOMIC_ACQUIRE) : 0;
    for (uint64_t at = TT_TABLE_HEADER; at < used;) {
        const struct entry *e = (const void *)((const char *)table + at);
        uint32_t string;
        memcpy(&string, e + 1, sizeof string);
        if (e->kind == TT_ENTRY_PROGRAM)
            recorder_string_get(string, &program);
        at += e->bytes;
    }
    return program;
}
