// tracy_c.c - Tracy's C interface as functions, for callers that do not use the macros of
// tracy/TracyC.h.
#define TRACY_ENABLE
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "record/tracy_places.h"
#include "tracy/TracyC.h"

// --- zones ---
TracyCZoneCtx ___tracy_emit_zone_begin(const struct ___tracy_source_location_data *srcloc,
                                       int32_t active)
{
    TracyCZoneCtx none = {0, 0};
    if (!active || !ttprof_is_on())
        return none;
    struct ttprof_location *place = tracy_place(srcloc);
    return place ? ttprof_tracy_zone_(ttprof_zone_begin(place)) : none;
}

TracyCZoneCtx
___tracy_emit_zone_begin_callstack(const struct ___tracy_source_location_data *srcloc,
                                   int32_t depth, int32_t active)
{
    (void)depth;
    return ___tracy_emit_zone_begin(srcloc, active);
}

uint64_t(___tracy_alloc_srcloc)(uint32_t line, const char *source, size_t sourceSz,
                                const char *function, size_t functionSz, uint32_t color)
{
    return (___tracy_alloc_srcloc_name)(line, source, sourceSz, function, functionSz, NULL,
                                        0, color);
}

uint64_t(___tracy_alloc_srcloc_name)(uint32_t line, const char *source, size_t sourceSz,
                                     const char *function, size_t functionSz,
                                     const char *name, size_t nameSz, uint32_t color)
{
    if (!ttprof_is_on())
        return 0;
    return ttprof_location_make(source, sourceSz, function, functionSz, name, nameSz, line,
                                color);
}

TracyCZoneCtx ___tracy_emit_zone_begin_alloc(uint64_t srcloc, int32_t active)
{
    TracyCZoneCtx none = {0, 0};
    bool is_recorded = srcloc && active && ttprof_is_on();
    return is_recorded ? ttprof_tracy_zone_(ttprof_zone_begin_at((uint32_t)srcloc)) : none;
}

TracyCZoneCtx ___tracy_emit_zone_begin_alloc_callstack(uint64_t srcloc, int32_t depth,
                                                       int32_t active)
{
    (void)depth;
    return ___tracy_emit_zone_begin_alloc(srcloc, active);
}

void ___tracy_emit_zone_end(TracyCZoneCtx ctx)
{
    ttprof_tracy_end_(ctx);
}

void ___tracy_emit_zone_text(TracyCZoneCtx ctx, const char *txt, size_t size)
{
    if (ctx.active)
        ttprof_zone_text(ttprof_tracy_open_(ctx), txt, size);
}

void ___tracy_emit_zone_name(TracyCZoneCtx ctx, const char *txt, size_t size)
{
    if (ctx.active)
        ttprof_zone_name(ttprof_tracy_open_(ctx), txt, size);
}

typedef void zone_put(TracyCZoneCtx ctx, const char *text, size_t size);

// A text longer than the buffer is formatted again, into allocated memory.
__attribute__((format(printf, 3, 0))) static void
put_formatted(TracyCZoneCtx ctx, zone_put *put, const char *format, va_list values)
{
    char near[1024];
    va_list again;
    va_copy(again, values);
    int bytes = vsnprintf(near, sizeof near, format, values);
    if (bytes >= 0 && (size_t)bytes < sizeof near) {
        put(ctx, near, (size_t)bytes);
    } else if (bytes >= 0) {
        size_t room = (size_t)bytes + 1;
        char *far =
            mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (far != MAP_FAILED) {
            vsnprintf(far, room, format, again);
            put(ctx, far, room - 1);
            munmap(far, room);
        }
    }
    va_end(again);
}

void ___tracy_emit_zone_text_fmt(TracyCZoneCtx ctx, const char *fmt, ...)
{
    if (!ctx.active)
        return;
    va_list values;
    va_start(values, fmt);
    put_formatted(ctx, ___tracy_emit_zone_text, fmt, values);
    va_end(values);
}

void ___tracy_emit_zone_name_fmt(TracyCZoneCtx ctx, const char *fmt, ...)
{
    if (!ctx.active)
        return;
    va_list values;
    va_start(values, fmt);
    put_formatted(ctx, ___tracy_emit_zone_name, fmt, values);
    va_end(values);
}

void ___tracy_emit_zone_color(TracyCZoneCtx ctx, uint32_t color)
{
    if (ctx.active)
        ttprof_zone_colour(ttprof_tracy_open_(ctx), color);
}

void ___tracy_emit_zone_value(TracyCZoneCtx ctx, uint64_t value)
{
    if (ctx.active)
        ttprof_zone_value(ttprof_tracy_open_(ctx), value);
}

// --- memory ---
void(___tracy_emit_memory_alloc)(const void *ptr, size_t size, int32_t secure)
{
    (void)secure;
    ttprof_tracy_alloc_(ptr, size, NULL);
}

void(___tracy_emit_memory_alloc_callstack)(const void *ptr, size_t size, int32_t depth,
                                           int32_t secure)
{
    (void)depth, (void)secure;
    ttprof_tracy_alloc_(ptr, size, NULL);
}

void(___tracy_emit_memory_free)(const void *ptr, int32_t secure)
{
    (void)secure;
    ttprof_tracy_free_(ptr, NULL);
}

void(___tracy_emit_memory_free_callstack)(const void *ptr, int32_t depth, int32_t secure)
{
    (void)depth, (void)secure;
    ttprof_tracy_free_(ptr, NULL);
}

void(___tracy_emit_memory_alloc_named)(const void *ptr, size_t size, int32_t secure,
                                       const char *name)
{
    (void)secure;
    ttprof_tracy_alloc_(ptr, size, name);
}

void(___tracy_emit_memory_alloc_callstack_named)(const void *ptr, size_t size,
                                                 int32_t depth, int32_t secure,
                                                 const char *name)
{
    (void)depth, (void)secure;
    ttprof_tracy_alloc_(ptr, size, name);
}

void(___tracy_emit_memory_free_named)(const void *ptr, int32_t secure, const char *name)
{
    (void)secure;
    ttprof_tracy_free_(ptr, name);
}

void(___tracy_emit_memory_free_callstack_named)(const void *ptr, int32_t depth,
                                                int32_t secure, const char *name)
{
    (void)depth, (void)secure;
    ttprof_tracy_free_(ptr, name);
}

void(___tracy_emit_memory_discard)(const char *name, int32_t secure)
{
    (void)secure;
    ttprof_tracy_discard_(name);
}

void(___tracy_emit_memory_discard_callstack)(const char *name, int32_t secure,
                                             int32_t depth)
{
    (void)depth, (void)secure;
    ttprof_tracy_discard_(name);
}

// --- messages, frames, plots ---
void ___tracy_emit_message(const char *txt, size_t size, int32_t depth)
{
    (void)depth;
    ttprof_tracy_message_(txt, size, TTPROF_INFO, 0);
}

void ___tracy_emit_messageL(const char *txt, int32_t depth)
{
    (void)depth;
    ttprof_tracy_message_(txt, strlen(txt), TTPROF_INFO, 0);
}

void ___tracy_emit_messageC(const char *txt, size_t size, uint32_t color, int32_t depth)
{
    (void)depth;
    ttprof_tracy_message_(txt, size, TTPROF_INFO, color);
}

void ___tracy_emit_messageLC(const char *txt, uint32_t color, int32_t depth)
{
    (void)depth;
    ttprof_tracy_message_(txt, strlen(txt), TTPROF_INFO, color);
}

void ___tracy_emit_logString(int8_t severity, int32_t color, int32_t depth, size_t size,
                             const char *txt)
{
    (void)depth;
    ttprof_tracy_message_(txt, size, severity, (uint32_t)color);
}

void ___tracy_emit_logStringL(int8_t severity, int32_t color, int32_t depth,
                              const char *txt)
{
    (void)depth;
    ttprof_tracy_message_(txt, strlen(txt), severity, (uint32_t)color);
}

void ___tracy_emit_message_appinfo(const char *txt, size_t size)
{
    ttprof_app_info_put(txt, size);
}

void ___tracy_emit_frame_mark(const char *name)
{
    ttprof_frame_put(name);
}

void ___tracy_emit_frame_mark_start(const char *name)
{
    if (ttprof_is_on())
        ttprof_frame_start_put(name);
}

void ___tracy_emit_frame_mark_end(const char *name)
{
    if (ttprof_is_on())
        ttprof_frame_end_put(name);
}

void ___tracy_emit_frame_image(const void *image, uint16_t w, uint16_t h, uint8_t offset,
                               int32_t flip)
{
    (void)image, (void)w, (void)h, (void)offset, (void)flip;
}

void ___tracy_emit_plot(const char *name, double val)
{
    ttprof_tracy_plot_(name, val);
}

void ___tracy_emit_plot_float(const char *name, float val)
{
    ttprof_tracy_plot_(name, val);
}

void ___tracy_emit_plot_int(const char *name, int64_t val)
{
    ttprof_tracy_plot_int_(name, val);
}

void ___tracy_emit_plot_config(const char *name, int32_t type, int32_t step, int32_t fill,
                               uint32_t color)
{
    ttprof_plot_config_put(name, type, step, fill, color);
}

// --- the process and its threads ---
// The system gets the name as well, truncated to its limit.
void ___tracy_set_thread_name(const char *name)
{
    char shown[16];
    snprintf(shown, sizeof shown, "%s", name);
    pthread_setname_np(pthread_self(), shown);
    ttprof_thread_name_put(name);
}

void ___tracy_startup_profiler(void) {}

void ___tracy_shutdown_profiler(void)
{
    ttprof_flush();
}

int32_t ___tracy_profiler_started(void)
{
    return 1;
}

int32_t ___tracy_connected(void)
{
    return ttprof_is_on();
}

int64_t ___tracy_get_time(void)
{
    return (int64_t)ttprof_now();
}

int ___tracy_begin_sampling_profiling(void)
{
    return 0;
}

void ___tracy_end_sampling_profiling(void) {}

int ___tracy_begin_sampling_profiler(void)
{
    return 0;
}

void ___tracy_end_sampling_profiler(void) {}

void ___tracy_fiber_enter(const char *fiber)
{
    ttprof_fiber_enter_put(fiber);
}

void ___tracy_fiber_leave(void)
{
    ttprof_fiber_leave_put();
}
