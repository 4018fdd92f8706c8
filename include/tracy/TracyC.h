// TracyC.h - Tracy's C interface on top of ttprof/host.h: see common/TracyApi.h.
//
// The macros check inline whether anything is recorded. The ___tracy_ functions are in
// libttprof for callers that use symbols only (bindings, dlsym), with the ABI of Tracy 0.11
// to 0.13; macros at the end accept the arguments of 0.10 and 0.14 as well.
#ifndef TTPROF_TRACY_C_H
#define TTPROF_TRACY_C_H

#include <stddef.h>
#include <stdint.h>

#include "tracy/common/TracyApi.h"

enum TracyPlotFormatEnum {
    TracyPlotFormatNumber,
    TracyPlotFormatMemory,
    TracyPlotFormatPercentage,
    TracyPlotFormatWatt
};
// As enum ttprof_level.
enum TracyMessageSeverity {
    TracyMessageSeverityTrace,
    TracyMessageSeverityDebug,
    TracyMessageSeverityInfo,
    TracyMessageSeverityWarning,
    TracyMessageSeverityError,
    TracyMessageSeverityFatal
};

#ifdef TRACY_ENABLE

#include "tracy/common/TracyCFunctions.h"
#include "ttprof/host.h"

// --- zones ---
#define TTPROF_TRACY_PLACE_(place, name, color)                                            \
    TTPROF_TRACY_CONSTANT_ static struct ttprof_location place = {                         \
        name, __func__, TracyFile, (uint32_t)TracyLine, (uint32_t)(color), 0};
#define TTPROF_TRACY_ZONE_(ctx, name, color, active)                                       \
    TTPROF_TRACY_PLACE_(TracyConcat(ttprof_tracy_place_, TracyLine), name, color)          \
    TracyCZoneCtx ctx =                                                                    \
        ttprof_tracy_begin_(&TracyConcat(ttprof_tracy_place_, TracyLine), active);
#define TracyCZone(ctx, active)                TTPROF_TRACY_ZONE_(ctx, NULL, 0, active)
#define TracyCZoneN(ctx, name, active)         TTPROF_TRACY_ZONE_(ctx, name, 0, active)
#define TracyCZoneC(ctx, color, active)        TTPROF_TRACY_ZONE_(ctx, NULL, color, active)
#define TracyCZoneNC(ctx, name, color, active) TTPROF_TRACY_ZONE_(ctx, name, color, active)
#define TracyCZoneEnd(ctx)                     ttprof_tracy_end_(ctx);
#define TracyCZoneText(ctx, txt, size)         ___tracy_emit_zone_text(ctx, txt, size);
#define TracyCZoneTextF(ctx, ...)              ___tracy_emit_zone_text_fmt(ctx, __VA_ARGS__);
#define TracyCZoneName(ctx, txt, size)         ___tracy_emit_zone_name(ctx, txt, size);
#define TracyCZoneNameF(ctx, ...)              ___tracy_emit_zone_name_fmt(ctx, __VA_ARGS__);
#define TracyCZoneColor(ctx, color)            ___tracy_emit_zone_color(ctx, color);
#define TracyCZoneValue(ctx, value)            ___tracy_emit_zone_value(ctx, value);

// --- memory ---
#define TracyCAlloc(ptr, size)              ttprof_tracy_alloc_(ptr, size, NULL);
#define TracyCFree(ptr)                     ttprof_tracy_free_(ptr, NULL);
#define TracyCMemoryDiscard(name)           ttprof_tracy_discard_(name);
#define TracyCAllocN(ptr, size, name)       ttprof_tracy_alloc_(ptr, size, name);
#define TracyCFreeN(ptr, name)              ttprof_tracy_free_(ptr, name);
#define TracyCSecureAlloc(ptr, size)        TracyCAlloc(ptr, size)
#define TracyCSecureFree(ptr)               TracyCFree(ptr)
#define TracyCSecureMemoryDiscard(name)     TracyCMemoryDiscard(name)
#define TracyCSecureAllocN(ptr, size, name) TracyCAllocN(ptr, size, name)
#define TracyCSecureFreeN(ptr, name)        TracyCFreeN(ptr, name)

// --- messages, frames, plots ---
#define TracyCMessage(txt, size) ttprof_tracy_message_(txt, size, TTPROF_INFO, 0);
#define TracyCMessageL(txt)      TracyCMessageLC(txt, 0)
#define TracyCMessageC(txt, size, color)                                                   \
    ttprof_tracy_message_(txt, size, TTPROF_INFO, color);
#define TracyCMessageLC(txt, color)                                                        \
    ttprof_tracy_message_(txt, __builtin_strlen(txt), TTPROF_INFO, color);
#define TracyCFrameMark            ttprof_frame_put(NULL);
#define TracyCFrameMarkNamed(name) ttprof_frame_put(name);
#define TracyCFrameMarkStart(name) ___tracy_emit_frame_mark_start(name);
#define TracyCFrameMarkEnd(name)   ___tracy_emit_frame_mark_end(name);
#define TracyCFrameImage(image, width, height, offset, flip)                               \
    ___tracy_emit_frame_image(image, width, height, offset, flip);
#define TracyCPlot(name, val)  ttprof_tracy_plot_(name, val);
#define TracyCPlotF(name, val) ttprof_tracy_plot_(name, val);
#define TracyCPlotI(name, val) ttprof_tracy_plot_int_(name, val);
#define TracyCPlotConfig(name, type, step, fill, color)                                    \
    ___tracy_emit_plot_config(name, type, step, fill, color);
#define TracyCAppInfo(txt, size) ___tracy_emit_message_appinfo(txt, size);

// --- locks ---
#define TTPROF_TRACY_LOCK_(lock, announce)                                                 \
    TTPROF_TRACY_PLACE_(TracyConcat(ttprof_tracy_place_, TracyLine), NULL, 0)              \
    lock = announce(&TracyConcat(ttprof_tracy_place_, TracyLine));
#define TTPROF_TRACY_MARK_(lock)                                                           \
    TTPROF_TRACY_PLACE_(TracyConcat(ttprof_tracy_place_, TracyLine), NULL, 0)              \
    ttprof_tracy_mark_(lock, &TracyConcat(ttprof_tracy_place_, TracyLine));
#define TracyCLockAnnounce(lock)               TTPROF_TRACY_LOCK_(lock, ttprof_tracy_lock_)
#define TracyCLockTerminate(lock)              ___tracy_terminate_lockable_ctx(lock);
#define TracyCLockBeforeLock(lock)             ttprof_tracy_wait_(lock, 0);
#define TracyCLockAfterLock(lock)              ttprof_tracy_obtain_(lock, 0, 1);
#define TracyCLockAfterUnlock(lock)            ttprof_tracy_release_(lock, 0);
#define TracyCLockAfterTryLock(lock, acquired) ttprof_tracy_obtain_(lock, 0, acquired);
#define TracyCLockMark(lock)                   TTPROF_TRACY_MARK_(lock)
#define TracyCLockCustomName(lock, name, nameSz)                                           \
    ___tracy_custom_name_lockable_ctx(lock, name, nameSz);

#define TracyCSharedLockAnnounce(lock)    TTPROF_TRACY_LOCK_(lock, ttprof_tracy_shared_lock_)
#define TracyCSharedLockAnnonce(lock)     TracyCSharedLockAnnounce(lock)
#define TracyCSharedLockTerminate(lock)   ___tracy_terminate_shared_lockable_ctx(lock);
#define TracyCSharedLockBeforeLock(lock)  ttprof_tracy_wait_(lock, 0);
#define TracyCSharedLockAfterLock(lock)   ttprof_tracy_obtain_(lock, 0, 1);
#define TracyCSharedLockAfterUnlock(lock) ttprof_tracy_release_(lock, 0);
#define TracyCSharedLockAfterTryLock(lock, acquired)                                       \
    ttprof_tracy_obtain_(lock, 0, acquired);
#define TracyCSharedLockBeforeSharedLock(lock)  ttprof_tracy_wait_(lock, 1);
#define TracyCSharedLockAfterSharedLock(lock)   ttprof_tracy_obtain_(lock, 1, 1);
#define TracyCSharedLockAfterSharedUnlock(lock) ttprof_tracy_release_(lock, 1);
#define TracyCSharedLockAfterTrySharedLock(lock, acquired)                                 \
    ttprof_tracy_obtain_(lock, 1, acquired);
#define TracyCSharedLockMark(lock) TTPROF_TRACY_MARK_(lock)
#define TracyCSharedLockCustomName(lock, name, nameSz)                                     \
    ___tracy_custom_name_shared_lockable_ctx(lock, name, nameSz);

// --- other ---
#define TracyCIsConnected              ttprof_is_on()
#define TracyCIsStarted                1
#define TracyCBeginSamplingProfiling() ___tracy_begin_sampling_profiling()
#define TracyCEndSamplingProfiling()   ___tracy_end_sampling_profiling()
#define TracyCFiberEnter(fiber)        ___tracy_fiber_enter(fiber);
#define TracyCFiberLeave               ___tracy_fiber_leave();
#define TracyCSetThreadName(name)      ___tracy_set_thread_name(name);

#else // TRACY_ENABLE

typedef const void *TracyCZoneCtx;
typedef const void *TracyCLockCtx;
typedef const void *TracyCSharedLockCtx;

#define TracyCZone(ctx, active)
#define TracyCZoneN(ctx, name, active)
#define TracyCZoneC(ctx, color, active)
#define TracyCZoneNC(ctx, name, color, active)
#define TracyCZoneEnd(ctx)
#define TracyCZoneText(ctx, txt, size)
#define TracyCZoneTextF(ctx, ...)
#define TracyCZoneName(ctx, txt, size)
#define TracyCZoneNameF(ctx, ...)
#define TracyCZoneColor(ctx, color)
#define TracyCZoneValue(ctx, value)

#define TracyCAlloc(ptr, size)
#define TracyCFree(ptr)
#define TracyCMemoryDiscard(name)
#define TracyCAllocN(ptr, size, name)
#define TracyCFreeN(ptr, name)
#define TracyCSecureAlloc(ptr, size)
#define TracyCSecureFree(ptr)
#define TracyCSecureMemoryDiscard(name)
#define TracyCSecureAllocN(ptr, size, name)
#define TracyCSecureFreeN(ptr, name)

#define TracyCMessage(txt, size)
#define TracyCMessageL(txt)
#define TracyCMessageC(txt, size, color)
#define TracyCMessageLC(txt, color)
#define TracyCFrameMark
#define TracyCFrameMarkNamed(name)
#define TracyCFrameMarkStart(name)
#define TracyCFrameMarkEnd(name)
#define TracyCFrameImage(image, width, height, offset, flip)
#define TracyCPlot(name, val)
#define TracyCPlotF(name, val)
#define TracyCPlotI(name, val)
#define TracyCPlotConfig(name, type, step, fill, color)
#define TracyCAppInfo(txt, size)

#define TracyCLockCtx(lock)
#define TracyCLockAnnounce(lock)
#define TracyCLockTerminate(lock)
#define TracyCLockBeforeLock(lock)
#define TracyCLockAfterLock(lock)
#define TracyCLockAfterUnlock(lock)
#define TracyCLockAfterTryLock(lock, acquired)
#define TracyCLockMark(lock)
#define TracyCLockCustomName(lock, name, nameSz)

#define TracyCSharedLockCtx(lock)
#define TracyCSharedLockAnnounce(lock)
#define TracyCSharedLockAnnonce(lock)
#define TracyCSharedLockTerminate(lock)
#define TracyCSharedLockBeforeLock(lock)
#define TracyCSharedLockAfterLock(lock)
#define TracyCSharedLockAfterUnlock(lock)
#define TracyCSharedLockAfterTryLock(lock, acquired)
#define TracyCSharedLockBeforeSharedLock(lock)
#define TracyCSharedLockAfterSharedLock(lock)
#define TracyCSharedLockAfterSharedUnlock(lock)
#define TracyCSharedLockAfterTrySharedLock(lock, acquired)
#define TracyCSharedLockMark(lock)
#define TracyCSharedLockCustomName(lock, name, nameSz)

#define TracyCIsConnected              0
#define TracyCIsStarted                0
#define TracyCBeginSamplingProfiling() 0
#define TracyCEndSamplingProfiling()
#define TracyCFiberEnter(fiber)
#define TracyCFiberLeave
#define TracyCSetThreadName(name)

#endif // TRACY_ENABLE

// --- with the depth of a callstack ---
#define TracyCZoneS(ctx, depth, active)         TracyCZone(ctx, active)
#define TracyCZoneNS(ctx, name, depth, active)  TracyCZoneN(ctx, name, active)
#define TracyCZoneCS(ctx, color, depth, active) TracyCZoneC(ctx, color, active)
#define TracyCZoneNCS(ctx, name, color, depth, active)                                     \
    TracyCZoneNC(ctx, name, color, active)
#define TracyCAllocS(ptr, size, depth)              TracyCAlloc(ptr, size)
#define TracyCFreeS(ptr, depth)                     TracyCFree(ptr)
#define TracyCMemoryDiscardS(name, depth)           TracyCMemoryDiscard(name)
#define TracyCAllocNS(ptr, size, depth, name)       TracyCAllocN(ptr, size, name)
#define TracyCFreeNS(ptr, depth, name)              TracyCFreeN(ptr, name)
#define TracyCSecureAllocS(ptr, size, depth)        TracyCAlloc(ptr, size)
#define TracyCSecureFreeS(ptr, depth)               TracyCFree(ptr)
#define TracyCSecureMemoryDiscardS(name, depth)     TracyCMemoryDiscard(name)
#define TracyCSecureAllocNS(ptr, size, depth, name) TracyCAllocN(ptr, size, name)
#define TracyCSecureFreeNS(ptr, depth, name)        TracyCFreeN(ptr, name)
#define TracyCMessageS(txt, size, depth)            TracyCMessage(txt, size)
#define TracyCMessageLS(txt, depth)                 TracyCMessageL(txt)
#define TracyCMessageCS(txt, size, color, depth)    TracyCMessageC(txt, size, color)
#define TracyCMessageLCS(txt, color, depth)         TracyCMessageLC(txt, color)

#endif
