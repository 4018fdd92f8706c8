// tracy.cpp - every macro of tracy/Tracy.hpp once, and what code calls without macros. What
// is recorded is checked by tests/e2e/test_fronts.py.
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <tracy/Tracy.hpp>
#include <tracy/TracyC.h>
#if __cplusplus >= 201402L
#include <shared_mutex>
#endif

static TracyLockable(std::mutex, guard);
static TracyLockableN(std::recursive_mutex, described, "cpp described");
#if __cplusplus >= 201402L
static TracySharedLockable(std::shared_timed_mutex, readers);
static TracySharedLockableN(std::shared_timed_mutex, more_readers, "cpp readers");
#endif

static void scoped()
{
    ZoneScoped;
    ZoneText("cpp text", std::strlen("cpp text"));
    {
        ZoneScopedN("cpp named");
        ZoneTextF("cpp text %d", 2);
        ZoneTextF("cpp text as it is");
        ZoneColor(tracy::Color::Tomato);
        ZoneValue(4711);
        if (ZoneIsActive != TracyIsConnected)
            std::abort();
    }
    {
        ZoneScopedC(0x112233);
        ZoneName("cpp renamed", std::strlen("cpp renamed"));
    }
    {
        ZoneScopedNC("cpp both", tracy::Color::Blue4);
        ZoneNameF("cpp number %d", 7);
    }
}

static void named(bool is_active)
{
    std::string long_text(3000, 'x');
    ZoneNamed(plain, true);
    ZoneNamedN(second, "cpp variable", true);
    ZoneNamedC(third, 0x112233, true);
    ZoneNamedNC(fourth, "cpp variable both", 0x445566, true);
    ZoneNamedN(inactive, "cpp inactive", is_active);
    ZoneTextV(fourth, "cpp text v", std::strlen("cpp text v"));
    ZoneTextVF(fourth, "cpp text vf %s", long_text.c_str());
    ZoneNameV(fourth, "cpp renamed v", std::strlen("cpp renamed v"));
    ZoneNameVF(fourth, "cpp number v %d", 8);
    ZoneColorV(fourth, 0x778899);
    ZoneValueV(fourth, 4712);
    if (ZoneIsActiveV(inactive))
        std::abort();
    (void)is_active;
}

static void transient(const std::string &name)
{
    ZoneTransient(plain, true);
    ZoneTransientN(second, name.c_str(), true);
    ZoneTransientNC(third, (name + " coloured").c_str(), 0x112233, true);
    ZoneTransientS(fourth, 4, true);
    ZoneTransientNS(fifth, name.c_str(), 4, true);
    (void)name;
}

static void deep()
{
    ZoneScopedS(4);
    ZoneNamedS(plain, 4, true);
    ZoneNamedNS(second, "cpp named s", 4, true);
    ZoneNamedCS(third, 0x112233, 4, true);
    ZoneNamedNCS(fourth, "cpp both s", 0x445566, 4, true);
    {
        ZoneScopedNS("cpp scoped ns", 4);
    }
    {
        ZoneScopedCS(0x112233, 4);
    }
    {
        ZoneScopedNCS("cpp scoped ncs", 0x112233, 4);
    }
}

template <class T> static T generic(T value)
{
    ZoneScopedN("cpp template");
    auto inner = [](T v) {
        ZoneScopedN("cpp lambda");
        return v;
    };
    return inner(value);
}

static void locks()
{
    LockableName(guard, "cpp guard", std::strlen("cpp guard"));
    {
        std::lock_guard<LockableBase(std::mutex)> held(guard);
        LockMark(guard);
    }
    if (guard.try_lock())
        guard.unlock();
    std::unique_lock<LockableBase(std::recursive_mutex)> mine(described);
    std::condition_variable_any anything;
    anything.notify_all();
#if __cplusplus >= 201402L
    std::shared_lock<SharedLockableBase(std::shared_timed_mutex)> shared(readers);
    more_readers.lock();
    more_readers.unlock();
    if (more_readers.try_lock_shared())
        more_readers.unlock_shared();
#endif
}

static void messages()
{
    std::string text = "cpp message";
    TracyMessage(text.c_str(), text.size());
    TracyMessageL("cpp message l");
    TracyMessageC(text.c_str(), text.size(), 0x00ff00);
    TracyMessageLC("cpp message lc", tracy::Color::Red);
    TracyMessageS(text.c_str(), text.size(), 4);
    TracyMessageLS("cpp message ls", 4);
    TracyMessageCS(text.c_str(), text.size(), 0x00ff00, 4);
    TracyMessageLCS("cpp message lcs", 0x0000ff, 4);
    TracyLogString(tracy::MessageSeverity::Warning, 0, 0, text.size(), text.c_str());
    TracyLogString(tracy::MessageSeverity::Error, 0, 0, "cpp log");
    TracyAppInfo("cpp app info", std::strlen("cpp app info"));
    auto section = TracySectionEnter("cpp section %d", 3);
    TracySectionSetup(7, "cpp sections");
    auto other = TracySectionEnterCategory(7, "cpp section");
    TracySectionLeave(section);
    TracySectionLeave(other);
    (void)section, (void)other;
}

static void memory()
{
    void *p = std::malloc(100);
    TracyAlloc(p, 100);
    TracyFree(p);
    TracyAllocN(p, 100, "cpp pool");
    TracyFreeN(p, "cpp pool");
    TracySecureAlloc(p, 100);
    TracySecureFree(p);
    TracySecureAllocN(p, 100, "cpp pool");
    TracySecureFreeN(p, "cpp pool");
    TracyAllocS(p, 100, 4);
    TracyFreeS(p, 4);
    TracyAllocNS(p, 100, 4, "cpp pool");
    TracyFreeNS(p, 4, "cpp pool");
    TracySecureAllocS(p, 100, 4);
    TracySecureFreeS(p, 4);
    TracySecureAllocNS(p, 100, 4, "cpp pool");
    TracySecureFreeNS(p, 4, "cpp pool");
    TracyMemoryDiscard("cpp pool");
    TracyMemoryDiscardS("cpp pool", 4);
    TracySecureMemoryDiscard("cpp pool");
    TracySecureMemoryDiscardS("cpp pool", 4);
    std::free(p);
}

static void frames_and_plots()
{
    unsigned char picture[4 * 4 * 4] = {0};
    FrameMark;
    FrameMarkNamed("cpp frames");
    FrameMarkStart("cpp parts");
    FrameMarkEnd("cpp parts");
    FrameImage(picture, 4, 4, 0, false);
    TracyPlotConfig("cpp plot", tracy::PlotFormatType::Number, true, true, 0);
    TracyPlot("cpp plot", 1.5);
    TracyPlot("cpp plot", 2.5f);
    TracyPlot("cpp count", int64_t(3));
    TracyPlot("cpp count", 4);
    (void)picture;
}

#ifdef TRACY_ENABLE
static void without_macros()
{
    static constexpr tracy::SourceLocationData place = {"cpp place", "f", __FILE__,
                                                        __LINE__, 0};
    tracy::ScopedZone first(&place);
    tracy::ScopedZone second(&place, 4, true);
    tracy::ScopedZone third(9, "x.py", 4, "f", 1, "cpp dynamic", 11, uint32_t(0x112233));
    tracy::ScopedZone fourth(9, "x.py", 4, "f", 1, "cpp dynamic", 11, 4, true);
    third.Text("t", 1);
    tracy::Profiler::MemAllocCallstackNamed(&place, 8, 4, false, "cpp pool");
    tracy::Profiler::MemFreeCallstackNamed(&place, 4, false, "cpp pool");
    tracy::Profiler::Message("cpp profiler message", 0);
    tracy::Profiler::MessageColor("cpp profiler message c", 22, 0x00ff00, 0);
    tracy::LockableCtx lock(&place);
    lock.BeforeLock();
    lock.AfterLock();
    lock.AfterUnlock();
    lock.AfterTryLock(false);
    if (tracy::Profiler::GetTime() < 0 || !tracy::ProfilerAvailable())
        std::abort();
    tracy::StartupProfiler();
    tracy::ShutdownProfiler();
}
#else
static void without_macros() {}
#endif

// A change from the viewer, and a source for it: neither happens.
static void on_parameter(void *, uint32_t, int32_t)
{
    std::abort();
}
static char *on_source(void *, const char *, size_t &)
{
    std::abort();
}

int main()
{
    TracyNoop;
    TracySetProgramName("cpp program");
    TracyParameterRegister(on_parameter, nullptr);
    TracyParameterSetup(0, "cpp parameter", TracyParamTypeInt, 1);
    TracySourceCallbackRegister(on_source, nullptr);
    (void)on_parameter, (void)on_source;
    tracy::SetThreadName("cpp thread");
    tracy::SetThreadNameWithHint("cpp thread", 1);
    scoped();
    named(false);
    transient("cpp transient");
    deep();
    generic(1);
    generic(1.0);
    locks();
    messages();
    memory();
    frames_and_plots();
    without_macros();
    TracyCZoneN(zone, "cpp c zone", true);
    TracyCZoneEnd(zone);
    std::thread worker([] {
        tracy::SetThreadName("cpp worker with a long name");
        TracyFiberEnter("cpp fiber");
        scoped();
        TracyFiberLeave;
        TracyFiberEnterHint("cpp fiber", 2);
        TracyFiberLeave;
    });
    worker.join();
    return TracyIsConnected && !TracyIsStarted;
}
