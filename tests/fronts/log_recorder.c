// log_recorder.c - the functions of ttprof/host.h as lines on stdout, to see what a front
// makes of its macros. With TEST_GATE=closed in the environment nothing is recorded, and
// what is printed is what the front calls all the same.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ttprof/host.h>

enum { SESSION = 77 }; // what an open zone remembers

static uint32_t gate = 1, n_made;
const uint32_t *ttprof_gate = &gate;

__attribute__((constructor(101))) static void look_at_gate(void)
{
    const char *wanted = getenv("TEST_GATE");
    gate = !wanted || strcmp(wanted, "closed") != 0;
}

static const char *base_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "(none)";
}

static const char *text_or(const char *text)
{
    return text ? text : "(none)";
}

static void print_place(const char *what, const struct ttprof_location *l)
{
    printf("%s %s in %s of %s", what, l->name ? l->name : l->function, l->function,
           base_name(l->file));
    printf(l->colour ? " #%06" PRIx32 "\n" : "\n", l->colour);
}

// Long texts by their length.
static void print_text(const char *what, const char *text, size_t bytes)
{
    if (bytes > 100)
        printf("%s of %zu bytes\n", what, bytes);
    else
        printf("%s %.*s\n", what, (int)bytes, text);
}

static void check(ttprof_zone zone)
{
    if (zone.is_open != SESSION)
        printf("NOT OPEN: ");
}

ttprof_zone ttprof_zone_begin(struct ttprof_location *location)
{
    print_place("begin", location);
    return (ttprof_zone){SESSION};
}

ttprof_zone ttprof_zone_begin_at(uint32_t location)
{
    printf("begin place %" PRIu32 "\n", location);
    return (ttprof_zone){SESSION};
}

void ttprof_zone_end(ttprof_zone zone)
{
    check(zone);
    printf("end\n");
}

void ttprof_zone_text(ttprof_zone zone, const char *text, size_t bytes)
{
    check(zone);
    print_text("text", text, bytes);
}

void ttprof_zone_name(ttprof_zone zone, const char *name, size_t bytes)
{
    check(zone);
    print_text("name", name, bytes);
}

void ttprof_zone_value(ttprof_zone zone, uint64_t value)
{
    check(zone);
    printf("value %" PRIu64 "\n", value);
}

void ttprof_zone_colour(ttprof_zone zone, uint32_t colour)
{
    check(zone);
    printf("colour #%06" PRIx32 "\n", colour);
}

uint32_t ttprof_location_make(const char *file, size_t file_bytes, const char *function,
                              size_t function_bytes, const char *name, size_t name_bytes,
                              uint32_t line, uint32_t colour)
{
    (void)line;
    char path[512];
    snprintf(path, sizeof path, "%.*s", (int)file_bytes, file);
    printf("place %" PRIu32 ": %.*s in %.*s of %s #%06" PRIx32 "\n", ++n_made,
           (int)name_bytes, name ? name : "", (int)function_bytes, function,
           base_name(path), colour);
    return n_made;
}

void ttprof_message_put(const char *text, size_t bytes, int level, uint32_t colour)
{
    printf("message %d #%06" PRIx32 " %.*s\n", level, colour, (int)bytes, text);
}

void ttprof_signpost_put(const char *header, const char *message)
{
    printf("signpost %s: %s\n", header, text_or(message));
}

void ttprof_op_put(const char *json, size_t bytes)
{
    print_text("op", json, bytes);
}

void ttprof_frame_put(const char *name)
{
    printf("frame %s\n", text_or(name));
}

void ttprof_frame_start_put(const char *name)
{
    printf("frame start %s\n", name);
}

void ttprof_frame_end_put(const char *name)
{
    printf("frame end %s\n", name);
}

void ttprof_plot_int_put(const char *name, int64_t value)
{
    printf("plot %s %" PRId64 "\n", name, value);
}

void ttprof_plot_real_put(const char *name, double value)
{
    printf("plot %s %.3f\n", name, value);
}

void ttprof_plot_config_put(const char *name, int format, int is_step, int is_filled,
                            uint32_t colour)
{
    printf("plot config %s %d %d %d #%06" PRIx32 "\n", name, format, is_step, is_filled,
           colour);
}

void ttprof_alloc_put(const void *at, size_t bytes, const char *pool)
{
    printf("alloc %s %zu %s\n", at ? "something" : "nothing", bytes, text_or(pool));
}

void ttprof_free_put(const void *at, const char *pool)
{
    printf("free %s %s\n", at ? "something" : "everything", text_or(pool));
}

uint32_t ttprof_lock_make(struct ttprof_location *location)
{
    static uint32_t n_locks;
    printf("lock %" PRIu32 ": ", ++n_locks);
    print_place("made", location);
    return n_locks;
}

void ttprof_lock_end(uint32_t lock)
{
    printf("lock %" PRIu32 " gone\n", lock);
}

void ttprof_lock_name(uint32_t lock, const char *name, size_t bytes)
{
    printf("lock %" PRIu32 " name %.*s\n", lock, (int)bytes, name);
}

void ttprof_lock_wait(uint32_t lock, int is_shared)
{
    printf("lock %" PRIu32 " wait%s\n", lock, is_shared ? " shared" : "");
}

void ttprof_lock_obtain(uint32_t lock, int is_shared)
{
    printf("lock %" PRIu32 " obtain%s\n", lock, is_shared ? " shared" : "");
}

void ttprof_lock_release(uint32_t lock, int is_shared)
{
    printf("lock %" PRIu32 " release%s\n", lock, is_shared ? " shared" : "");
}

void ttprof_lock_mark(uint32_t lock, struct ttprof_location *location)
{
    printf("lock %" PRIu32 " ", lock);
    print_place("mark", location);
}

void ttprof_fiber_enter_put(const char *name)
{
    printf("fiber %s\n", name);
}

void ttprof_fiber_leave_put(void)
{
    printf("fiber left\n");
}

void ttprof_thread_name_put(const char *name)
{
    printf("thread %s\n", name);
}

void ttprof_app_info_put(const char *text, size_t bytes)
{
    print_text("app info", text, bytes);
}

void ttprof_program_name_put(const char *name)
{
    printf("program %s\n", name);
}

void ttprof_flush(void)
{
    printf("flush\n");
}

uint64_t ttprof_now(void)
{
    return 1;
}
