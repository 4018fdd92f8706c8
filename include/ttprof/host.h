// host.h - records host programs: zones, messages, frames, plots, memory, locks.
//
//     #include <ttprof/host.h>
//
//     int main(void)
//     {
//         TTPROF_ZONE("load"); // until the scope ends
//         ttprof_message("half way");
//         return 0;
//     }
//
// Compile with -DTTPROF_ENABLE and link with -lttprof; without it everything here compiles
// to nothing. -DTRACY_ENABLE does the same, for code that has Tracy's macros, too. The
// program records under `ttprof run`; otherwise each call costs one branch.
//
// A zone costs two reads of the time stamp counter and a few instructions, with no lock and
// no system call. Names are string literals and are looked up once. Every function may be
// called from any thread and from signal handlers.
#ifndef TTPROF_HOST_H
#define TTPROF_HOST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

// A source location. Static, because the recorder stores its number in `id`.
struct ttprof_location {
    const char *name; // NULL: the function's name
    const char *function, *file;
    uint32_t line;
    uint32_t colour; // 0xRRGGBB; 0: none
    uint32_t id;     // 0 before the first use
};
typedef struct {
    uint32_t is_open; // 0: it is not recorded, and its end will not be either. Else a
                      // number that says when it began: ends in a child are not recorded
} ttprof_zone;

enum ttprof_level {
    TTPROF_TRACE,
    TTPROF_DEBUG,
    TTPROF_INFO,
    TTPROF_WARNING,
    TTPROF_ERROR,
    TTPROF_FATAL
};

// Points to 0 while nothing is recorded.
extern const uint32_t *ttprof_gate;
static inline int ttprof_is_on(void)
{
    const uint32_t *gate = __atomic_load_n(&ttprof_gate, __ATOMIC_ACQUIRE);
    return (int)__builtin_expect(__atomic_load_n(gate, __ATOMIC_RELAXED) != 0, 0);
}

// --- functions: call them through the macros below, or after checking ttprof_is_on() ---
ttprof_zone ttprof_zone_begin(struct ttprof_location *location);
ttprof_zone ttprof_zone_begin_at(uint32_t location); // from ttprof_location_make
void ttprof_zone_end(ttprof_zone zone);
// For the innermost open zone of this thread.
void ttprof_zone_text(ttprof_zone zone, const char *text, size_t bytes);
void ttprof_zone_name(ttprof_zone zone, const char *name, size_t bytes);
void ttprof_zone_value(ttprof_zone zone, uint64_t value);
void ttprof_zone_colour(ttprof_zone zone, uint32_t colour);
// A location whose texts are not literals; equal ones have equal numbers. 0 if recording is
// off.
uint32_t ttprof_location_make(const char *file, size_t file_bytes, const char *function,
                              size_t function_bytes, const char *name, size_t name_bytes,
                              uint32_t line, uint32_t colour);

void ttprof_message_put(const char *text, size_t bytes, int level, uint32_t colour);
// message may be NULL. Also opens and closes the window of `ttprof run --start-at H
// --stop-at H`, so it has an effect even if nothing is recorded yet.
void ttprof_signpost_put(const char *header, const char *message);
void ttprof_op_put(const char *json, size_t bytes); // of any length

void ttprof_frame_put(const char *name); // literal; NULL: the main frame set
void ttprof_frame_start_put(const char *name);
void ttprof_frame_end_put(const char *name);
void ttprof_plot_int_put(const char *name, int64_t value); // literal
void ttprof_plot_real_put(const char *name, double value);
void ttprof_plot_config_put(const char *name, int format, int is_step, int is_filled,
                            uint32_t colour);
// Addresses only: keeps the compiler from assuming that the memory, new or freed, is read.
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11
#define TTPROF_ADDRESS_ __attribute__((access(none, 1)))
#else
#define TTPROF_ADDRESS_
#endif
TTPROF_ADDRESS_ void ttprof_alloc_put(const void *at, size_t bytes,
                                      const char *pool); // NULL: the heap
TTPROF_ADDRESS_ void ttprof_free_put(const void *at, const char *pool);

uint32_t ttprof_lock_make(struct ttprof_location *location); // 0 if recording is off
void ttprof_lock_end(uint32_t lock);
void ttprof_lock_name(uint32_t lock, const char *name, size_t bytes);
void ttprof_lock_wait(uint32_t lock, int is_shared);
void ttprof_lock_obtain(uint32_t lock, int is_shared);
void ttprof_lock_release(uint32_t lock, int is_shared);
void ttprof_lock_mark(uint32_t lock, struct ttprof_location *location);

// Recorded outside of a window, too, because a window may open inside a fiber.
void ttprof_fiber_enter_put(const char *name); // literal, or a permanent text
void ttprof_fiber_leave_put(void);
// Fibers whose names are not literals; equal names have equal numbers. 0 if recording is
// off.
uint32_t ttprof_fiber_make(const char *name, size_t bytes);
void ttprof_fiber_enter_at(uint32_t fiber);
void ttprof_thread_name_put(const char *name);
void ttprof_app_info_put(const char *text, size_t bytes);
void ttprof_program_name_put(const char *name);

// From here on times of this process are ns of this clock (a software device's), which must
// never go back. NULL: back to its own clock.
void ttprof_use_clock(uint64_t (*now)(void *context), void *context);
// The same for a clock that stands still while the program computes: reports say so, and do
// not compare its times with real ones.
void ttprof_use_virtual_clock(uint64_t (*now)(void *context), void *context);
uint64_t ttprof_now(void); // ns of the clock in use

// What happens to an event if there is no room.
enum ttprof_policy {
    TTPROF_DROP_NEWEST, // it is lost and counted
    TTPROF_DROP_OLDEST, // it replaces the oldest: a flight recorder
    TTPROF_BLOCK        // the thread waits
};
struct ttprof_settings {
    int policy;          // enum ttprof_policy
    uint32_t ring_bytes; // per thread; 0: default
    uint64_t most_bytes; // total written; 0: no limit
};
// Records without `ttprof run`, into this folder, which is created. Returns 0 or a negative
// errno: -EBUSY if the program already records. A folder that was recorded into before
// keeps its settings. NULL: no folder; events go to a Tracy server (TTPROF_TRACY=1) or
// nowhere.
int ttprof_start(const char *folder);
int ttprof_start_with(const char *folder, const struct ttprof_settings *settings);
void ttprof_stop(void);  // everything so far is in the files; ttprof_start may follow
void ttprof_flush(void); // everything so far is in the stream
int ttprof_is_recording(void);
// Events lost so far in this process.
uint64_t ttprof_lost(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

// --- macros ----------------------------------------------------------------------------
#if defined(TRACY_ENABLE) && !defined(TTPROF_ENABLE)
#define TTPROF_ENABLE
#endif
#ifdef TTPROF_ENABLE
#define TTPROF_JOIN_(a, b) a##b
#define TTPROF_JOIN(a, b)  TTPROF_JOIN_(a, b)
#define TTPROF_LOCATION(place, name, colour)                                               \
    static struct ttprof_location place = {                                                \
        name, __func__, __FILE__, (uint32_t)__LINE__, (colour), 0}
static inline ttprof_zone ttprof_zone_open_(struct ttprof_location *location)
{
    ttprof_zone none = {0};
    return ttprof_is_on() ? ttprof_zone_begin(location) : none;
}
static inline void ttprof_zone_close_(const ttprof_zone *zone)
{
    if (zone->is_open)
        ttprof_zone_end(*zone);
}
// A zone with a variable, for its text, value and so on; ends with the scope.
#define TTPROF_ZONE_AS(zone, name, colour)                                                 \
    TTPROF_LOCATION(TTPROF_JOIN(zone, _place), name, colour);                              \
    __attribute__((cleanup(ttprof_zone_close_), unused)) ttprof_zone zone =                \
        ttprof_zone_open_(&TTPROF_JOIN(zone, _place))
#define TTPROF_ZONE(name) TTPROF_ZONE_AS(TTPROF_JOIN(ttprof_zone_, __LINE__), name, 0)
#define TTPROF_ZONE_COLOURED(name, rgb)                                                    \
    TTPROF_ZONE_AS(TTPROF_JOIN(ttprof_zone_, __LINE__), name, rgb)
#define TTPROF_FUNCTION TTPROF_ZONE(NULL)
// Not tied to a scope.
#define TTPROF_BEGIN(zone, name)                                                           \
    TTPROF_LOCATION(TTPROF_JOIN(zone, _place), name, 0);                                   \
    ttprof_zone zone = ttprof_zone_open_(&TTPROF_JOIN(zone, _place))
#define TTPROF_END(zone) ttprof_zone_close_(&(zone))
#define TTPROF_WHEN_(open, call)                                                           \
    do {                                                                                   \
        if (open)                                                                          \
            (call);                                                                        \
    } while (0)
#define TTPROF_TEXT(zone, text, bytes)                                                     \
    TTPROF_WHEN_((zone).is_open, ttprof_zone_text(zone, text, bytes))
#define TTPROF_NAME(zone, text, bytes)                                                     \
    TTPROF_WHEN_((zone).is_open, ttprof_zone_name(zone, text, bytes))
#define TTPROF_VALUE(zone, value)                                                          \
    TTPROF_WHEN_((zone).is_open, ttprof_zone_value(zone, value))
#define TTPROF_COLOUR(zone, rgb) TTPROF_WHEN_((zone).is_open, ttprof_zone_colour(zone, rgb))
#define ttprof_message(text)                                                               \
    TTPROF_WHEN_(ttprof_is_on(),                                                           \
                 ttprof_message_put(text, __builtin_strlen(text), TTPROF_INFO, 0))
#define ttprof_message_as(text, bytes, level, rgb)                                         \
    TTPROF_WHEN_(ttprof_is_on(), ttprof_message_put(text, bytes, level, rgb))
#define ttprof_signpost(header, message) ttprof_signpost_put(header, message)
#define ttprof_op(json, bytes)           TTPROF_WHEN_(ttprof_is_on(), ttprof_op_put(json, bytes))
#define ttprof_frame(name)               ttprof_frame_put(name)
#define ttprof_frame_start(name)         TTPROF_WHEN_(ttprof_is_on(), ttprof_frame_start_put(name))
#define ttprof_frame_end(name)           TTPROF_WHEN_(ttprof_is_on(), ttprof_frame_end_put(name))
#define ttprof_plot(name, value)                                                           \
    TTPROF_WHEN_(ttprof_is_on(), ttprof_plot_real_put(name, value))
#define ttprof_plot_int(name, value)                                                       \
    TTPROF_WHEN_(ttprof_is_on(), ttprof_plot_int_put(name, value))
#define ttprof_alloc(at, bytes, pool)                                                      \
    TTPROF_WHEN_(ttprof_is_on(), ttprof_alloc_put(at, bytes, pool))
#define ttprof_free(at, pool)        TTPROF_WHEN_(ttprof_is_on(), ttprof_free_put(at, pool))
#define ttprof_thread_name(name)     ttprof_thread_name_put(name)
#define ttprof_app_info(text, bytes) ttprof_app_info_put(text, bytes)
#define ttprof_fiber_enter(name)     ttprof_fiber_enter_put(name)
#define ttprof_fiber_leave()         ttprof_fiber_leave_put()
#else
#define TTPROF_ZONE_AS(zone, name, colour)                                                 \
    ttprof_zone zone = {0};                                                                \
    (void)zone
#define TTPROF_ZONE(name)
#define TTPROF_ZONE_COLOURED(name, rgb)
#define TTPROF_FUNCTION
#define TTPROF_BEGIN(zone, name)                                                           \
    ttprof_zone zone = {0};                                                                \
    (void)zone
#define TTPROF_END(zone)                           ((void)0)
#define TTPROF_TEXT(zone, text, bytes)             ((void)0)
#define TTPROF_NAME(zone, text, bytes)             ((void)0)
#define TTPROF_VALUE(zone, value)                  ((void)0)
#define TTPROF_COLOUR(zone, rgb)                   ((void)0)
#define ttprof_message(text)                       ((void)0)
#define ttprof_message_as(text, bytes, level, rgb) ((void)0)
#define ttprof_signpost(header, message)           ((void)0)
#define ttprof_op(json, bytes)                     ((void)0)
#define ttprof_frame(name)                         ((void)0)
#define ttprof_frame_start(name)                   ((void)0)
#define ttprof_frame_end(name)                     ((void)0)
#define ttprof_plot(name, value)                   ((void)0)
#define ttprof_plot_int(name, value)               ((void)0)
#define ttprof_alloc(at, bytes, pool)              ((void)0)
#define ttprof_free(at, pool)                      ((void)0)
#define ttprof_thread_name(name)                   ((void)0)
#define ttprof_app_info(text, bytes)               ((void)0)
#define ttprof_fiber_enter(name)                   ((void)0)
#define ttprof_fiber_leave()                       ((void)0)
#endif
#endif
