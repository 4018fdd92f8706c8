// tracy_c_locks.c - Tracy's C functions for locks and GPU zones.
#define TRACY_ENABLE
#include "record/tracy_places.h"
#include "tracy/common/TracyCFunctions.h"

static void *lock_announce(const struct ___tracy_source_location_data *srcloc)
{
    struct ttprof_location *place = tracy_place(srcloc);
    return place ? ttprof_tracy_lock_(place) : NULL;
}

static void lock_mark(const void *lock, const struct ___tracy_source_location_data *srcloc)
{
    struct ttprof_location *place = lock && ttprof_is_on() ? tracy_place(srcloc) : NULL;
    if (place)
        ttprof_tracy_mark_(lock, place);
}

#define LOCK_FUNCTIONS(kind, context)                                                      \
    context ___tracy_announce_##kind##_ctx(                                                \
        const struct ___tracy_source_location_data *srcloc)                                \
    {                                                                                      \
        return lock_announce(srcloc);                                                      \
    }                                                                                      \
    void ___tracy_terminate_##kind##_ctx(context lockdata)                                 \
    {                                                                                      \
        if (lockdata)                                                                      \
            ttprof_lock_end(ttprof_tracy_number_(lockdata));                               \
    }                                                                                      \
    int32_t ___tracy_before_lock_##kind##_ctx(context lockdata)                            \
    {                                                                                      \
        return ttprof_tracy_wait_(lockdata, 0);                                            \
    }                                                                                      \
    void ___tracy_after_lock_##kind##_ctx(context lockdata)                                \
    {                                                                                      \
        ttprof_tracy_obtain_(lockdata, 0, 1);                                              \
    }                                                                                      \
    void ___tracy_after_unlock_##kind##_ctx(context lockdata)                              \
    {                                                                                      \
        ttprof_tracy_release_(lockdata, 0);                                                \
    }                                                                                      \
    void ___tracy_after_try_lock_##kind##_ctx(context lockdata, int32_t acquired)          \
    {                                                                                      \
        ttprof_tracy_obtain_(lockdata, 0, acquired);                                       \
    }                                                                                      \
    void ___tracy_mark_##kind##_ctx(context lockdata,                                      \
                                    const struct ___tracy_source_location_data *srcloc)    \
    {                                                                                      \
        lock_mark(lockdata, srcloc);                                                       \
    }                                                                                      \
    void ___tracy_custom_name_##kind##_ctx(context lockdata, const char *name,             \
                                           size_t nameSz)                                  \
    {                                                                                      \
        if (lockdata)                                                                      \
            ttprof_lock_name(ttprof_tracy_number_(lockdata), name, nameSz);                \
    }
LOCK_FUNCTIONS(lockable, TracyCLockCtx)
LOCK_FUNCTIONS(shared_lockable, TracyCSharedLockCtx)

int32_t ___tracy_before_lock_shared_shared_lockable_ctx(TracyCSharedLockCtx lockdata)
{
    return ttprof_tracy_wait_(lockdata, 1);
}

void ___tracy_after_lock_shared_shared_lockable_ctx(TracyCSharedLockCtx lockdata)
{
    ttprof_tracy_obtain_(lockdata, 1, 1);
}

void ___tracy_after_unlock_shared_shared_lockable_ctx(TracyCSharedLockCtx lockdata)
{
    ttprof_tracy_release_(lockdata, 1);
}

void ___tracy_after_try_lock_shared_shared_lockable_ctx(TracyCSharedLockCtx lockdata,
                                                        int32_t acquired)
{
    ttprof_tracy_obtain_(lockdata, 1, acquired);
}

// --- GPU zones ---
#define GPU_FUNCTION(function, data)                                                       \
    void ___tracy_emit_gpu_##function(struct ___tracy_gpu_##data##_data what)              \
    {                                                                                      \
        (void)what;                                                                        \
    }                                                                                      \
    void ___tracy_emit_gpu_##function##_serial(struct ___tracy_gpu_##data##_data what)     \
    {                                                                                      \
        (void)what;                                                                        \
    }
TTPROF_TRACY_GPU_FUNCTIONS_(GPU_FUNCTION)
