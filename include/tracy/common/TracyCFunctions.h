// TracyCFunctions.h - types and functions behind the macros of TracyC.h.
#ifndef TTPROF_TRACY_C_FUNCTIONS_H
#define TTPROF_TRACY_C_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "tracy/common/TracyApi.h"
#include "ttprof/host.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ___tracy_source_location_data {
    const char *name; // NULL: the function's name
    const char *function;
    const char *file;
    uint32_t line;
    uint32_t color;
};
struct ___tracy_c_zone_context {
    uint32_t id;    // is_open of ttprof_zone
    int32_t active; // 0 if not recorded
};
typedef struct ___tracy_c_zone_context TracyCZoneCtx;

// Never defined: the pointer itself is the lock's number; NULL if it is not recorded.
typedef struct __tracy_lockable_context_data *TracyCLockCtx;
typedef struct __tracy_shared_lockable_context_data *TracyCSharedLockCtx;

// --- inline part of the macros ---
static inline TracyCZoneCtx ttprof_tracy_zone_(ttprof_zone zone)
{
    TracyCZoneCtx ctx = {zone.is_open, zone.is_open != 0};
    return ctx;
}
static inline TracyCZoneCtx ttprof_tracy_begin_(struct ttprof_location *place, int active)
{
    TracyCZoneCtx none = {0, 0};
    return active && ttprof_is_on() ? ttprof_tracy_zone_(ttprof_zone_begin(place)) : none;
}
static inline ttprof_zone ttprof_tracy_open_(TracyCZoneCtx ctx)
{
    ttprof_zone zone = {ctx.active ? ctx.id : 0};
    return zone;
}
static inline void ttprof_tracy_end_(TracyCZoneCtx ctx)
{
    if (ctx.active)
        ttprof_zone_end(ttprof_tracy_open_(ctx));
}
static inline void ttprof_tracy_message_(const char *text, size_t bytes, int level,
                                         uint32_t colour)
{
    if (ttprof_is_on())
        ttprof_message_put(text, bytes, level, colour);
}
static inline void ttprof_tracy_plot_(const char *name, double value)
{
    if (ttprof_is_on())
        ttprof_plot_real_put(name, value);
}
static inline void ttprof_tracy_plot_int_(const char *name, int64_t value)
{
    if (ttprof_is_on())
        ttprof_plot_int_put(name, value);
}
TTPROF_ADDRESS_ static inline void ttprof_tracy_alloc_(const void *at, size_t bytes,
                                                       const char *pool)
{
    if (ttprof_is_on())
        ttprof_alloc_put(at, bytes, pool);
}
// Programs also free NULL, which in the recording means the whole pool.
TTPROF_ADDRESS_ static inline void ttprof_tracy_free_(const void *at, const char *pool)
{
    if (at && ttprof_is_on())
        ttprof_free_put(at, pool);
}
static inline void ttprof_tracy_discard_(const char *pool)
{
    if (ttprof_is_on())
        ttprof_free_put(NULL, pool);
}

// --- locks: created whether or not recording is on ---
static inline TracyCLockCtx ttprof_tracy_lock_(struct ttprof_location *place)
{
    return (TracyCLockCtx)(uintptr_t)ttprof_lock_make(place);
}
static inline TracyCSharedLockCtx ttprof_tracy_shared_lock_(struct ttprof_location *place)
{
    return (TracyCSharedLockCtx)(uintptr_t)ttprof_lock_make(place);
}
static inline uint32_t ttprof_tracy_number_(const void *lock)
{
    return (uint32_t)(uintptr_t)lock;
}
static inline int32_t ttprof_tracy_wait_(const void *lock, int is_shared)
{
    if (!lock || !ttprof_is_on())
        return 0;
    ttprof_lock_wait(ttprof_tracy_number_(lock), is_shared);
    return 1;
}
static inline void ttprof_tracy_obtain_(const void *lock, int is_shared, int acquired)
{
    if (lock && acquired && ttprof_is_on())
        ttprof_lock_obtain(ttprof_tracy_number_(lock), is_shared);
}
static inline void ttprof_tracy_release_(const void *lock, int is_shared)
{
    if (lock && ttprof_is_on())
        ttprof_lock_release(ttprof_tracy_number_(lock), is_shared);
}
static inline void ttprof_tracy_mark_(const void *lock, struct ttprof_location *place)
{
    if (lock && ttprof_is_on())
        ttprof_lock_mark(ttprof_tracy_number_(lock), place);
}

// --- functions of libttprof ---
TRACY_API void ___tracy_set_thread_name(const char *name);
TRACY_API void ___tracy_startup_profiler(void);
TRACY_API void ___tracy_shutdown_profiler(void);
TRACY_API int32_t ___tracy_profiler_started(void);
TRACY_API int32_t ___tracy_connected(void);
TRACY_API int64_t ___tracy_get_time(void);
TRACY_API int ___tracy_begin_sampling_profiling(void); // 0: not supported
TRACY_API void ___tracy_end_sampling_profiling(void);
TRACY_API int ___tracy_begin_sampling_profiler(void);
TRACY_API void ___tracy_end_sampling_profiler(void);

TRACY_API uint64_t ___tracy_alloc_srcloc(uint32_t line, const char *source, size_t sourceSz,
                                         const char *function, size_t functionSz,
                                         uint32_t color);
TRACY_API uint64_t ___tracy_alloc_srcloc_name(uint32_t line, const char *source,
                                              size_t sourceSz, const char *function,
                                              size_t functionSz, const char *name,
                                              size_t nameSz, uint32_t color);
TRACY_API TracyCZoneCtx ___tracy_emit_zone_begin(
    const struct ___tracy_source_location_data *srcloc, int32_t active);
TRACY_API TracyCZoneCtx ___tracy_emit_zone_begin_callstack(
    const struct ___tracy_source_location_data *srcloc, int32_t depth, int32_t active);
TRACY_API TracyCZoneCtx ___tracy_emit_zone_begin_alloc(uint64_t srcloc, int32_t active);
TRACY_API TracyCZoneCtx ___tracy_emit_zone_begin_alloc_callstack(uint64_t srcloc,
                                                                 int32_t depth,
                                                                 int32_t active);
TRACY_API void ___tracy_emit_zone_end(TracyCZoneCtx ctx);
TRACY_API void ___tracy_emit_zone_text(TracyCZoneCtx ctx, const char *txt, size_t size);
TRACY_API void ___tracy_emit_zone_text_fmt(TracyCZoneCtx ctx, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
TRACY_API void ___tracy_emit_zone_name(TracyCZoneCtx ctx, const char *txt, size_t size);
TRACY_API void ___tracy_emit_zone_name_fmt(TracyCZoneCtx ctx, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
TRACY_API void ___tracy_emit_zone_color(TracyCZoneCtx ctx, uint32_t color);
TRACY_API void ___tracy_emit_zone_value(TracyCZoneCtx ctx, uint64_t value);

TRACY_API TTPROF_ADDRESS_ void ___tracy_emit_memory_alloc(const void *ptr, size_t size,
                                                          int32_t secure);
TRACY_API TTPROF_ADDRESS_ void ___tracy_emit_memory_alloc_callstack(const void *ptr,
                                                                    size_t size,
                                                                    int32_t depth,
                                                                    int32_t secure);
TRACY_API TTPROF_ADDRESS_ void ___tracy_emit_memory_free(const void *ptr, int32_t secure);
TRACY_API TTPROF_ADDRESS_ void
___tracy_emit_memory_free_callstack(const void *ptr, int32_t depth, int32_t secure);
TRACY_API TTPROF_ADDRESS_ void ___tracy_emit_memory_alloc_named(const void *ptr,
                                                                size_t size, int32_t secure,
                                                                const char *name);
TRACY_API TTPROF_ADDRESS_ void
___tracy_emit_memory_alloc_callstack_named(const void *ptr, size_t size, int32_t depth,
                                           int32_t secure, const char *name);
TRACY_API TTPROF_ADDRESS_ void
___tracy_emit_memory_free_named(const void *ptr, int32_t secure, const char *name);
TRACY_API TTPROF_ADDRESS_ void ___tracy_emit_memory_free_callstack_named(const void *ptr,
                                                                         int32_t depth,
                                                                         int32_t secure,
                                                                         const char *name);
TRACY_API void ___tracy_emit_memory_discard(const char *name, int32_t secure);
TRACY_API void ___tracy_emit_memory_discard_callstack(const char *name, int32_t secure,
                                                      int32_t depth);

TRACY_API void ___tracy_emit_message(const char *txt, size_t size, int32_t depth);
TRACY_API void ___tracy_emit_messageL(const char *txt, int32_t depth);
TRACY_API void ___tracy_emit_messageC(const char *txt, size_t size, uint32_t color,
                                      int32_t depth);
TRACY_API void ___tracy_emit_messageLC(const char *txt, uint32_t color, int32_t depth);
TRACY_API void ___tracy_emit_logString(int8_t severity, int32_t color, int32_t depth,
                                       size_t size, const char *txt);
TRACY_API void ___tracy_emit_logStringL(int8_t severity, int32_t color, int32_t depth,
                                        const char *txt);
TRACY_API void ___tracy_emit_message_appinfo(const char *txt, size_t size);

TRACY_API void ___tracy_emit_frame_mark(const char *name);
TRACY_API void ___tracy_emit_frame_mark_start(const char *name);
TRACY_API void ___tracy_emit_frame_mark_end(const char *name);
// Images are not recorded.
TRACY_API void ___tracy_emit_frame_image(const void *image, uint16_t w, uint16_t h,
                                         uint8_t offset, int32_t flip);
TRACY_API void ___tracy_emit_plot(const char *name, double val);
TRACY_API void ___tracy_emit_plot_float(const char *name, float val);
TRACY_API void ___tracy_emit_plot_int(const char *name, int64_t val);
TRACY_API void ___tracy_emit_plot_config(const char *name, int32_t type, int32_t step,
                                         int32_t fill, uint32_t color);
TRACY_API void ___tracy_fiber_enter(const char *fiber);
TRACY_API void ___tracy_fiber_leave(void);

// A lock of either kind.
#define TTPROF_TRACY_LOCK_FUNCTIONS_(kind, context)                                        \
    TRACY_API context ___tracy_announce_##kind##_ctx(                                      \
        const struct ___tracy_source_location_data *srcloc);                               \
    TRACY_API void ___tracy_terminate_##kind##_ctx(context lockdata);                      \
    TRACY_API int32_t ___tracy_before_lock_##kind##_ctx(context lockdata);                 \
    TRACY_API void ___tracy_after_lock_##kind##_ctx(context lockdata);                     \
    TRACY_API void ___tracy_after_unlock_##kind##_ctx(context lockdata);                   \
    TRACY_API void ___tracy_after_try_lock_##kind##_ctx(context lockdata,                  \
                                                        int32_t acquired);                 \
    TRACY_API void ___tracy_mark_##kind##_ctx(                                             \
        context lockdata, const struct ___tracy_source_location_data *srcloc);             \
    TRACY_API void ___tracy_custom_name_##kind##_ctx(context lockdata, const char *name,   \
                                                     size_t nameSz);
TTPROF_TRACY_LOCK_FUNCTIONS_(lockable, TracyCLockCtx)
TTPROF_TRACY_LOCK_FUNCTIONS_(shared_lockable, TracyCSharedLockCtx)
TRACY_API int32_t
___tracy_before_lock_shared_shared_lockable_ctx(TracyCSharedLockCtx lockdata);
TRACY_API void ___tracy_after_lock_shared_shared_lockable_ctx(TracyCSharedLockCtx lockdata);
TRACY_API void
___tracy_after_unlock_shared_shared_lockable_ctx(TracyCSharedLockCtx lockdata);
TRACY_API void
___tracy_after_try_lock_shared_shared_lockable_ctx(TracyCSharedLockCtx lockdata,
                                                   int32_t acquired);

// --- GPU zones: accepted but not recorded; devices have their own profiler ---
struct ___tracy_gpu_time_data {
    int64_t gpuTime;
    uint16_t queryId;
    uint8_t context;
};
struct ___tracy_gpu_zone_begin_data {
    uint64_t srcloc;
    uint16_t queryId;
    uint8_t context;
};
struct ___tracy_gpu_zone_begin_callstack_data {
    uint64_t srcloc;
    int32_t depth;
    uint16_t queryId;
    uint8_t context;
};
struct ___tracy_gpu_zone_end_data {
    uint16_t queryId;
    uint8_t context;
};
struct ___tracy_gpu_new_context_data {
    int64_t gpuTime;
    float period;
    uint8_t context;
    uint8_t flags;
    uint8_t type;
};
struct ___tracy_gpu_context_name_data {
    uint8_t context;
    const char *name;
    uint16_t len;
};
struct ___tracy_gpu_calibration_data {
    int64_t gpuTime;
    int64_t cpuDelta;
    uint8_t context;
};
struct ___tracy_gpu_time_sync_data {
    int64_t gpuTime;
    uint8_t context;
};
// X(name, parameters); each has a twin ending in _serial.
#define TTPROF_TRACY_GPU_FUNCTIONS_(X)                                                     \
    X(zone_begin, zone_begin)                                                              \
    X(zone_begin_callstack, zone_begin_callstack)                                          \
    X(zone_begin_alloc, zone_begin)                                                        \
    X(zone_begin_alloc_callstack, zone_begin_callstack)                                    \
    X(zone_end, zone_end)                                                                  \
    X(time, time)                                                                          \
    X(new_context, new_context)                                                            \
    X(context_name, context_name)                                                          \
    X(calibration, calibration)                                                            \
    X(time_sync, time_sync)
#define TTPROF_TRACY_GPU_FUNCTION_(function, data)                                         \
    TRACY_API void ___tracy_emit_gpu_##function(struct ___tracy_gpu_##data##_data);        \
    TRACY_API void ___tracy_emit_gpu_##function##_serial(struct ___tracy_gpu_##data##_data);
TTPROF_TRACY_GPU_FUNCTIONS_(TTPROF_TRACY_GPU_FUNCTION_)

#ifdef __cplusplus
}
#endif

// --- arguments of other versions: 0.10 has no color, 0.14 has no secure ---
#define TTPROF_TRACY_NTH_(a, b, c, d, e, f, g, h, n, ...) n
#define TTPROF_TRACY_FORM_(name, ...)                                                      \
    TracyConcat(name,                                                                      \
                TTPROF_TRACY_NTH_(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1, 0))(__VA_ARGS__)
#define ttprof_tracy_alloc_srcloc_5(l, s, n, f, m) (___tracy_alloc_srcloc)(l, s, n, f, m, 0)
#define ttprof_tracy_alloc_srcloc_6(l, s, n, f, m, c)                                      \
    (___tracy_alloc_srcloc)(l, s, n, f, m, c)
#define ___tracy_alloc_srcloc(...)                                                         \
    TTPROF_TRACY_FORM_(ttprof_tracy_alloc_srcloc_, __VA_ARGS__)
#define ttprof_tracy_alloc_srcloc_name_7(l, s, n, f, m, t, k)                              \
    (___tracy_alloc_srcloc_name)(l, s, n, f, m, t, k, 0)
#define ttprof_tracy_alloc_srcloc_name_8(l, s, n, f, m, t, k, c)                           \
    (___tracy_alloc_srcloc_name)(l, s, n, f, m, t, k, c)
#define ___tracy_alloc_srcloc_name(...)                                                    \
    TTPROF_TRACY_FORM_(ttprof_tracy_alloc_srcloc_name_, __VA_ARGS__)
#define ttprof_tracy_alloc_2(p, n)      (___tracy_emit_memory_alloc)(p, n, 0)
#define ttprof_tracy_alloc_3(p, n, s)   (___tracy_emit_memory_alloc)(p, n, s)
#define ___tracy_emit_memory_alloc(...) TTPROF_TRACY_FORM_(ttprof_tracy_alloc_, __VA_ARGS__)
#define ttprof_tracy_alloc_callstack_3(p, n, d)                                            \
    (___tracy_emit_memory_alloc_callstack)(p, n, d, 0)
#define ttprof_tracy_alloc_callstack_4(p, n, d, s)                                         \
    (___tracy_emit_memory_alloc_callstack)(p, n, d, s)
#define ___tracy_emit_memory_alloc_callstack(...)                                          \
    TTPROF_TRACY_FORM_(ttprof_tracy_alloc_callstack_, __VA_ARGS__)
#define ttprof_tracy_free_1(p)              (___tracy_emit_memory_free)(p, 0)
#define ttprof_tracy_free_2(p, s)           (___tracy_emit_memory_free)(p, s)
#define ___tracy_emit_memory_free(...)      TTPROF_TRACY_FORM_(ttprof_tracy_free_, __VA_ARGS__)
#define ttprof_tracy_free_callstack_2(p, d) (___tracy_emit_memory_free_callstack)(p, d, 0)
#define ttprof_tracy_free_callstack_3(p, d, s)                                             \
    (___tracy_emit_memory_free_callstack)(p, d, s)
#define ___tracy_emit_memory_free_callstack(...)                                           \
    TTPROF_TRACY_FORM_(ttprof_tracy_free_callstack_, __VA_ARGS__)
#define ttprof_tracy_alloc_named_3(p, n, t) (___tracy_emit_memory_alloc_named)(p, n, 0, t)
#define ttprof_tracy_alloc_named_4(p, n, s, t)                                             \
    (___tracy_emit_memory_alloc_named)(p, n, s, t)
#define ___tracy_emit_memory_alloc_named(...)                                              \
    TTPROF_TRACY_FORM_(ttprof_tracy_alloc_named_, __VA_ARGS__)
#define ttprof_tracy_alloc_callstack_named_4(p, n, d, t)                                   \
    (___tracy_emit_memory_alloc_callstack_named)(p, n, d, 0, t)
#define ttprof_tracy_alloc_callstack_named_5(p, n, d, s, t)                                \
    (___tracy_emit_memory_alloc_callstack_named)(p, n, d, s, t)
#define ___tracy_emit_memory_alloc_callstack_named(...)                                    \
    TTPROF_TRACY_FORM_(ttprof_tracy_alloc_callstack_named_, __VA_ARGS__)
#define ttprof_tracy_free_named_2(p, t)    (___tracy_emit_memory_free_named)(p, 0, t)
#define ttprof_tracy_free_named_3(p, s, t) (___tracy_emit_memory_free_named)(p, s, t)
#define ___tracy_emit_memory_free_named(...)                                               \
    TTPROF_TRACY_FORM_(ttprof_tracy_free_named_, __VA_ARGS__)
#define ttprof_tracy_free_callstack_named_3(p, d, t)                                       \
    (___tracy_emit_memory_free_callstack_named)(p, d, 0, t)
#define ttprof_tracy_free_callstack_named_4(p, d, s, t)                                    \
    (___tracy_emit_memory_free_callstack_named)(p, d, s, t)
#define ___tracy_emit_memory_free_callstack_named(...)                                     \
    TTPROF_TRACY_FORM_(ttprof_tracy_free_callstack_named_, __VA_ARGS__)
#define ttprof_tracy_discard_1(t)    (___tracy_emit_memory_discard)(t, 0)
#define ttprof_tracy_discard_2(t, s) (___tracy_emit_memory_discard)(t, s)
#define ___tracy_emit_memory_discard(...)                                                  \
    TTPROF_TRACY_FORM_(ttprof_tracy_discard_, __VA_ARGS__)
#define ttprof_tracy_discard_callstack_2(t, d)                                             \
    (___tracy_emit_memory_discard_callstack)(t, 0, d)
#define ttprof_tracy_discard_callstack_3(t, s, d)                                          \
    (___tracy_emit_memory_discard_callstack)(t, s, d)
#define ___tracy_emit_memory_discard_callstack(...)                                        \
    TTPROF_TRACY_FORM_(ttprof_tracy_discard_callstack_, __VA_ARGS__)

#endif
