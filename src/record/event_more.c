// event_more.c - frames, plots, memory, locks, fibers, and one-time facts.
#include <string.h>

#include "record/event.h"

// Puts an event of a kind and n words, and closes the thread, which the caller opened to
// look up names.
static void put_event(struct recorder_thread *t, enum tt_host_event kind,
                      const uint64_t *words, int n)
{
    if (event_room(t, (uint64_t)n + 1)) {
        event_word(t, t->head, event_first(kind, recorder_ticks(t)));
        for (int i = 0; i < n; i++)
            event_word(t, t->head + 1 + (uint64_t)i, words[i]);
        event_done(t, t->head + 1 + (uint64_t)n);
    }
    event_close(t);
}

static void put_name(enum tt_host_event kind, const char *name)
{
    struct recorder_thread *t = event_open();
    if (!t)
        return;
    uint64_t words[] = {recorder_literal(name)};
    put_event(t, kind, words, 1);
}

static void put_named(enum tt_host_event kind, const char *name, uint64_t value)
{
    struct recorder_thread *t = event_open();
    if (!t)
        return;
    uint64_t words[] = {recorder_literal(name), value};
    put_event(t, kind, words, 2);
}

static void put_number(enum tt_host_event kind, uint64_t number)
{
    struct recorder_thread *t = event_open();
    if (t)
        put_event(t, kind, &number, 1);
}

// --- frames ---
void ttprof_frame_put(const char *name)
{
    if (!__atomic_load_n(&recorder_state, __ATOMIC_RELAXED))
        return;
    if (ttprof_is_on())
        put_name(TT_FRAME_MARK, name);
    else
        recorder_window_frame();
}

void ttprof_frame_start_put(const char *name)
{
    put_name(TT_FRAME_START, name);
}

void ttprof_frame_end_put(const char *name)
{
    put_name(TT_FRAME_END, name);
}

// --- plots ---
void ttprof_plot_int_put(const char *name, int64_t value)
{
    put_named(TT_PLOT_INT, name, (uint64_t)value);
}

void ttprof_plot_real_put(const char *name, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_named(TT_PLOT_REAL, name, bits);
}

void ttprof_plot_config_put(const char *name, int format, int is_step, int is_filled,
                            uint32_t colour)
{
    struct recorder_thread *t = event_open_to_tell();
    if (!t)
        return;
    struct tt_plot plot = {.name = recorder_literal(name),
                           .format = (uint32_t)format,
                           .is_step = is_step != 0,
                           .is_filled = is_filled != 0,
                           .colour = colour};
    recorder_table_put(TT_ENTRY_PLOT, &plot, sizeof plot);
    event_close(t);
}

// --- memory ---
void ttprof_alloc_put(const void *at, size_t bytes, const char *pool)
{
    struct recorder_thread *t = event_open();
    if (!t)
        return;
    uint64_t words[] = {(uintptr_t)at, bytes, recorder_literal(pool)};
    put_event(t, TT_ALLOC, words, 3);
}

void ttprof_free_put(const void *at, const char *pool)
{
    struct recorder_thread *t = event_open();
    if (!t)
        return;
    uint64_t words[] = {(uintptr_t)at, recorder_literal(pool)};
    put_event(t, TT_FREE, words, 2);
}

// --- locks ---
uint32_t ttprof_lock_make(struct ttprof_location *location)
{
    struct recorder_thread *t = event_open_to_tell();
    if (!t)
        return 0;
    uint32_t lock = recorder_lock_number(recorder_location(location));
    event_close(t);
    return lock;
}

void ttprof_lock_end(uint32_t lock)
{
    (void)lock; // its number is not reused
}

void ttprof_lock_name(uint32_t lock, const char *name, size_t bytes)
{
    struct recorder_thread *t = lock ? event_open_to_tell() : NULL;
    if (!t)
        return;
    uint32_t fields[2] = {lock, recorder_string(name, bytes)};
    recorder_table_put(TT_ENTRY_LOCK_NAME, fields, sizeof fields);
    event_close(t);
}

static void put_lock(uint32_t lock, enum tt_host_event kind)
{
    if (lock)
        put_number(kind, lock);
}

void ttprof_lock_wait(uint32_t lock, int is_shared)
{
    put_lock(lock, is_shared ? TT_LOCK_WAIT_SHARED : TT_LOCK_WAIT);
}

void ttprof_lock_obtain(uint32_t lock, int is_shared)
{
    put_lock(lock, is_shared ? TT_LOCK_OBTAIN_SHARED : TT_LOCK_OBTAIN);
}

void ttprof_lock_release(uint32_t lock, int is_shared)
{
    put_lock(lock, is_shared ? TT_LOCK_RELEASE_SHARED : TT_LOCK_RELEASE);
}

void ttprof_lock_mark(uint32_t lock, struct ttprof_location *location)
{
    struct recorder_thread *t = lock ? event_open() : NULL;
    if (!t)
        return;
    uint64_t words[] = {lock, recorder_location(location)};
    put_event(t, TT_LOCK_MARK, words, 2);
}

// --- fibers ---
void ttprof_fiber_enter_put(const char *name)
{
    struct recorder_thread *t = event_open();
    if (!t)
        return;
    uint64_t words[] = {recorder_fiber(recorder_literal(name))};
    put_event(t, TT_FIBER_ENTER, words, 1);
}

uint32_t ttprof_fiber_make(const char *name, size_t bytes)
{
    struct recorder_thread *t = event_open_to_tell();
    if (!t)
        return 0;
    uint32_t fiber = recorder_fiber(recorder_string(name, bytes));
    event_close(t);
    return fiber;
}

void ttprof_fiber_enter_at(uint32_t fiber)
{
    struct recorder_thread *t = fiber ? event_open() : NULL;
    if (!t)
        return;
    uint64_t words[] = {recorder_fiber(fiber)}; // after a fork it is told again
    put_event(t, TT_FIBER_ENTER, words, 1);
}

void ttprof_fiber_leave_put(void)
{
    struct recorder_thread *t = event_open();
    if (t)
        put_event(t, TT_FIBER_LEAVE, NULL, 0);
}

// --- one-time facts ---
// Kept even if the window is not open yet.
static void put_fact(enum tt_entry kind, const char *text, size_t bytes)
{
    struct recorder_thread *t = text ? event_open_to_tell() : NULL;
    if (!t)
        return;
    uint32_t fields[2] = {recorder_string(text, bytes), 0};
    recorder_table_put(kind, fields, sizeof fields);
    event_close(t);
}

void ttprof_app_info_put(const char *text, size_t bytes)
{
    put_fact(TT_ENTRY_APP_INFO, text, bytes);
}

void ttprof_program_name_put(const char *name)
{
    put_fact(TT_ENTRY_PROGRAM, name, name ? strlen(name) : 0);
}
