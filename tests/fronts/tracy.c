// tracy.c - every macro of tracy/TracyC.h once, and functions that bindings call. What is
// recorded is checked by tests/e2e/test_fronts.py.
#include <stdlib.h>
#include <string.h>
#include <tracy/TracyC.h>

static void zones(void)
{
    TracyCZone(plain, 1);
    TracyCZoneN(named, "c named", 1);
    TracyCZoneC(coloured, 0x112233, 1);
    TracyCZoneNC(both, "c both", 0x445566, 1);
    TracyCZoneText(both, "c text", strlen("c text"));
    TracyCZoneTextF(both, "c text %d", 2);
    TracyCZoneTextF(both, "c text as it is");
    TracyCZoneName(both, "c renamed", strlen("c renamed"));
    TracyCZoneColor(both, 0x778899);
    TracyCZoneValue(both, 4711);
    TracyCZoneEnd(both);
    TracyCZoneN(formatted, "c unformatted", 1);
    TracyCZoneNameF(formatted, "c number %d", 7);
    TracyCZoneEnd(formatted);
    TracyCZoneEnd(coloured);
    TracyCZoneEnd(named);
    TracyCZoneEnd(plain);
    TracyCZoneN(inactive, "c inactive", 0);
    TracyCZoneText(inactive, "never", 5);
    TracyCZoneEnd(inactive);
}

static void deep_zones(void)
{
    TracyCZoneS(plain, 8, 1);
    TracyCZoneNS(named, "c named s", 8, 1);
    TracyCZoneCS(coloured, 0x112233, 8, 1);
    TracyCZoneNCS(both, "c both s", 0x445566, 8, 1);
    TracyCZoneEnd(both);
    TracyCZoneEnd(coloured);
    TracyCZoneEnd(named);
    TracyCZoneEnd(plain);
}

// A macro that brings its semicolon along may stand without one.
static void without_semicolons(void)
{
    TracyCZoneN(zone, "c bare", 1) TracyCMessageL("c bare message") TracyCZoneEnd(zone)
        TracyCFrameMark
}

static void memory(void)
{
    char *p = malloc(100);
    TracyCAlloc(p, 100);
    TracyCFree(p);
    TracyCAllocN(p, 100, "c pool");
    TracyCFreeN(p, "c pool");
    TracyCSecureAlloc(p, 100);
    TracyCSecureFree(p);
    TracyCSecureAllocN(p, 100, "c pool");
    TracyCSecureFreeN(p, "c pool");
    TracyCAllocS(p, 100, 4);
    TracyCFreeS(p, 4);
    TracyCAllocNS(p, 100, 4, "c pool");
    TracyCFreeNS(p, 4, "c pool");
    TracyCSecureAllocS(p, 100, 4);
    TracyCSecureFreeS(p, 4);
    TracyCSecureAllocNS(p, 100, 4, "c pool");
    TracyCSecureFreeNS(p, 4, "c pool");
    TracyCMemoryDiscard("c pool");
    TracyCMemoryDiscardS("c pool", 4);
    TracyCSecureMemoryDiscard("c pool");
    TracyCSecureMemoryDiscardS("c pool", 4);
    TracyCFree(NULL); // as programs do
    free(p);
}

static void messages(void)
{
    TracyCMessage("c message", strlen("c message"));
    TracyCMessageL("c message l");
    TracyCMessageC("c message c", strlen("c message c"), 0x00ff00);
    TracyCMessageLC("c message lc", 0x0000ff);
    TracyCMessageS("c message s", strlen("c message s"), 4);
    TracyCMessageLS("c message ls", 4);
    TracyCMessageCS("c message cs", strlen("c message cs"), 0x00ff00, 4);
    TracyCMessageLCS("c message lcs", 0x0000ff, 4);
    TracyCAppInfo("c app info", strlen("c app info"));
}

static void frames_and_plots(void)
{
    char picture[4 * 4 * 4] = {0};
    TracyCFrameMark;
    TracyCFrameMarkNamed("c frames");
    TracyCFrameMarkStart("c parts");
    TracyCFrameMarkEnd("c parts");
    TracyCFrameImage(picture, 4, 4, 0, 0);
    TracyCPlotConfig("c plot", TracyPlotFormatMemory, 1, 1, 0xff0000);
    TracyCPlot("c plot", 1.5);
    TracyCPlotF("c plot", 2.5f);
    TracyCPlotI("c count", 3);
    (void)picture;
}

static void locks(void)
{
    TracyCLockCtx lock = NULL;
    TracyCSharedLockCtx shared = NULL;
    int is_mine = 1;
    (void)lock, (void)shared, (void)is_mine;
    TracyCLockAnnounce(lock);
    TracyCLockCustomName(lock, "c lock", strlen("c lock"));
    TracyCLockBeforeLock(lock);
    TracyCLockAfterLock(lock);
    TracyCLockMark(lock);
    TracyCLockAfterUnlock(lock);
    TracyCLockAfterTryLock(lock, is_mine);
    TracyCLockAfterUnlock(lock);
    TracyCLockTerminate(lock);

    TracyCSharedLockAnnounce(shared);
    TracyCSharedLockCustomName(shared, "c shared", strlen("c shared"));
    TracyCSharedLockBeforeLock(shared);
    TracyCSharedLockAfterLock(shared);
    TracyCSharedLockMark(shared);
    TracyCSharedLockAfterUnlock(shared);
    TracyCSharedLockAfterTryLock(shared, is_mine);
    TracyCSharedLockAfterUnlock(shared);
    TracyCSharedLockBeforeSharedLock(shared);
    TracyCSharedLockAfterSharedLock(shared);
    TracyCSharedLockAfterSharedUnlock(shared);
    TracyCSharedLockAfterTrySharedLock(shared, is_mine);
    TracyCSharedLockAfterSharedUnlock(shared);
    TracyCSharedLockTerminate(shared);
}

#ifdef TRACY_ENABLE
// The arguments of 0.10, 0.11 to 0.13, and 0.14.
static void functions(void)
{
    static const struct ___tracy_source_location_data place = {"c function", __func__,
                                                               __FILE__, __LINE__, 0};
    static char block[8];
    for (int i = 0; i < 3; i++) {
        TracyCZoneCtx zone = ___tracy_emit_zone_begin(&place, 1);
        ___tracy_emit_zone_end(zone);
    }
    ___tracy_emit_zone_end(___tracy_emit_zone_begin_callstack(&place, 4, 1));
    uint64_t made = ___tracy_alloc_srcloc_name(7, "x.py", 4, "f", 1, "c made", 6);
    ___tracy_emit_zone_end(___tracy_emit_zone_begin_alloc(made, 1));
    made = ___tracy_alloc_srcloc_name(7, "x.py", 4, "f", 1, "c made", 6, 0);
    ___tracy_emit_zone_end(___tracy_emit_zone_begin_alloc_callstack(made, 4, 1));
    made = ___tracy_alloc_srcloc(8, "x.py", 4, "c_made_function", 15);
    ___tracy_emit_zone_end(___tracy_emit_zone_begin_alloc(made, 1));
    made = ___tracy_alloc_srcloc(8, "x.py", 4, "c_made_function", 15, 0);
    ___tracy_emit_zone_end(___tracy_emit_zone_begin_alloc(made, 1));

    ___tracy_emit_memory_alloc(block, sizeof block);
    ___tracy_emit_memory_free(block);
    ___tracy_emit_memory_alloc(block, sizeof block, 1);
    ___tracy_emit_memory_free(block, 1);
    ___tracy_emit_memory_alloc_callstack(block, sizeof block, 4);
    ___tracy_emit_memory_free_callstack(block, 4);
    ___tracy_emit_memory_alloc_callstack(block, sizeof block, 4, 0);
    ___tracy_emit_memory_free_callstack(block, 4, 0);
    ___tracy_emit_memory_alloc_named(block, sizeof block, "c pool");
    ___tracy_emit_memory_free_named(block, "c pool");
    ___tracy_emit_memory_alloc_named(block, sizeof block, 0, "c pool");
    ___tracy_emit_memory_free_named(block, 0, "c pool");
    ___tracy_emit_memory_alloc_callstack_named(block, sizeof block, 4, "c pool");
    ___tracy_emit_memory_free_callstack_named(block, 4, "c pool");
    ___tracy_emit_memory_alloc_callstack_named(block, sizeof block, 4, 0, "c pool");
    ___tracy_emit_memory_free_callstack_named(block, 4, 0, "c pool");
    ___tracy_emit_memory_discard("c pool");
    ___tracy_emit_memory_discard("c pool", 0);
    ___tracy_emit_memory_discard_callstack("c pool", 4);
    ___tracy_emit_memory_discard_callstack("c pool", 0, 4);

    ___tracy_emit_message("c f message", 11, 0);
    ___tracy_emit_messageL("c f message l", 0);
    ___tracy_emit_messageC("c f message c", 13, 0x00ff00, 0);
    ___tracy_emit_messageLC("c f message lc", 0x0000ff, 0);
    ___tracy_emit_logString(TracyMessageSeverityWarning, 0, 0, 5, "c log");
    ___tracy_emit_logStringL(TracyMessageSeverityError, 0, 0, "c log l");
    ___tracy_emit_gpu_zone_end((struct ___tracy_gpu_zone_end_data){0, 0});
}
#else
static void functions(void) {}
#endif

int main(void)
{
    TracyCSetThreadName("c thread");
    zones();
    deep_zones();
    without_semicolons();
    memory();
    messages();
    frames_and_plots();
    locks();
    functions();
    TracyCFiberEnter("c fiber");
    zones();
    TracyCFiberLeave;
    if (TracyCBeginSamplingProfiling())
        return 1;
    TracyCEndSamplingProfiling();
    return TracyCIsConnected && !TracyCIsStarted;
}
