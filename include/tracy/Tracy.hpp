// Tracy.hpp - Tracy's C++ interface on top of ttprof/host.h: see common/TracyApi.h.
#ifndef TTPROF_TRACY_HPP
#define TTPROF_TRACY_HPP

#include "tracy/common/TracyApi.h"
#include "tracy/common/TracyColor.hpp"
#include "tracy/common/TracySystem.hpp"

#define TracyParamTypeInt     0
#define TracyParamTypeBool    1
#define TracyParamTypeTrigger 2

#ifdef TRACY_ENABLE

#include "tracy/client/TracyLock.hpp"
#include "tracy/client/TracyProfiler.hpp"
#include "tracy/client/TracyScoped.hpp"

#define TracyNoop tracy::ProfilerAvailable()

// --- zones ---
#define TTPROF_TRACY_SCOPE_(place, varname, name, color, active)                           \
    TTPROF_TRACY_CONSTANT_ static struct ttprof_location place = {                         \
        name, TracyFunction, TracyFile, uint32_t(TracyLine), uint32_t(color), 0};          \
    tracy::ScopedZone varname(&place, active)
#define ZoneNamedNC(varname, name, color, active)                                          \
    TTPROF_TRACY_SCOPE_(TracyConcat(ttprof_tracy_place_, TracyLine), varname, name, color, \
                        active)
#define ZoneNamed(varname, active)         ZoneNamedNC(varname, nullptr, 0, active)
#define ZoneNamedN(varname, name, active)  ZoneNamedNC(varname, name, 0, active)
#define ZoneNamedC(varname, color, active) ZoneNamedNC(varname, nullptr, color, active)
// Names that are not literals.
#define TTPROF_TRACY_TRANSIENT_(varname, name, size, color, active)                        \
    tracy::ScopedZone varname(TracyLine, TracyFile, __builtin_strlen(TracyFile),           \
                              TracyFunction, __builtin_strlen(TracyFunction), name, size,  \
                              uint32_t(color), -1, active)
#define ZoneTransient(varname, active)                                                     \
    TTPROF_TRACY_TRANSIENT_(varname, nullptr, 0, 0, active)
#define ZoneTransientN(varname, name, active)                                              \
    TTPROF_TRACY_TRANSIENT_(varname, name, __builtin_strlen(name), 0, active)
#define ZoneTransientNC(varname, name, color, active)                                      \
    TTPROF_TRACY_TRANSIENT_(varname, name, __builtin_strlen(name), color, active)

// Zones of one function may be nested.
#if defined(TRACY_ALLOW_SHADOW_WARNING)
#define SuppressVarShadowWarning(expression) expression
#else
#define SuppressVarShadowWarning(expression)                                               \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"")          \
        expression;                                                                        \
    _Pragma("GCC diagnostic pop")
#endif
#define ZoneScoped SuppressVarShadowWarning(ZoneNamed(___tracy_scoped_zone, true))
#define ZoneScopedN(name)                                                                  \
    SuppressVarShadowWarning(ZoneNamedN(___tracy_scoped_zone, name, true))
#define ZoneScopedC(color)                                                                 \
    SuppressVarShadowWarning(ZoneNamedC(___tracy_scoped_zone, color, true))
#define ZoneScopedNC(name, color)                                                          \
    SuppressVarShadowWarning(ZoneNamedNC(___tracy_scoped_zone, name, color, true))

#define ZoneText(txt, size)           ___tracy_scoped_zone.Text(txt, size)
#define ZoneTextV(varname, txt, size) varname.Text(txt, size)
#define ZoneTextF(...)                ___tracy_scoped_zone.TextFmt(__VA_ARGS__)
#define ZoneTextVF(varname, ...)      varname.TextFmt(__VA_ARGS__)
#define ZoneName(txt, size)           ___tracy_scoped_zone.Name(txt, size)
#define ZoneNameV(varname, txt, size) varname.Name(txt, size)
#define ZoneNameF(...)                ___tracy_scoped_zone.NameFmt(__VA_ARGS__)
#define ZoneNameVF(varname, ...)      varname.NameFmt(__VA_ARGS__)
#define ZoneColor(color)              ___tracy_scoped_zone.Color(color)
#define ZoneColorV(varname, color)    varname.Color(color)
#define ZoneValue(value)              ___tracy_scoped_zone.Value(value)
#define ZoneValueV(varname, value)    varname.Value(value)
#define ZoneIsActive                  ___tracy_scoped_zone.IsActive()
#define ZoneIsActiveV(varname)        varname.IsActive()

// --- frames ---
#define FrameMark            tracy::Profiler::SendFrameMark(nullptr)
#define FrameMarkNamed(name) tracy::Profiler::SendFrameMark(name)
#define FrameMarkStart(name)                                                               \
    tracy::Profiler::SendFrameMark(name, tracy::QueueType::FrameMarkMsgStart)
#define FrameMarkEnd(name)                                                                 \
    tracy::Profiler::SendFrameMark(name, tracy::QueueType::FrameMarkMsgEnd)
#define FrameImage(image, width, height, offset, flip)                                     \
    tracy::Profiler::SendFrameImage(image, width, height, offset, flip)

// --- locks ---
#define TTPROF_TRACY_LOCK_PLACE_(description)                                              \
    []() -> const tracy::SourceLocationData * {                                            \
        static constexpr tracy::SourceLocationData place = {                               \
            nullptr, description, TracyFile, uint32_t(TracyLine), 0};                      \
        return &place;                                                                     \
    }()
#define TracyLockableN(type, varname, desc)                                                \
    tracy::Lockable<type> varname                                                          \
    {                                                                                      \
        TTPROF_TRACY_LOCK_PLACE_(desc)                                                     \
    }
#define TracyLockable(type, varname) TracyLockableN(type, varname, #type " " #varname)
#define TracySharedLockableN(type, varname, desc)                                          \
    tracy::SharedLockable<type> varname                                                    \
    {                                                                                      \
        TTPROF_TRACY_LOCK_PLACE_(desc)                                                     \
    }
#define TracySharedLockable(type, varname)                                                 \
    TracySharedLockableN(type, varname, #type " " #varname)
#define LockableBase(type)       tracy::Lockable<type>
#define SharedLockableBase(type) tracy::SharedLockable<type>
#define TTPROF_TRACY_LOCK_MARK_(place, varname)                                            \
    TTPROF_TRACY_CONSTANT_ static struct ttprof_location place = {                         \
        nullptr, TracyFunction, TracyFile, uint32_t(TracyLine), 0, 0};                     \
    varname.Mark(&place)
#define LockMark(varname)                                                                  \
    TTPROF_TRACY_LOCK_MARK_(TracyConcat(ttprof_tracy_lock_place_, TracyLine), varname)
#define LockableName(varname, txt, size) varname.CustomName(txt, size)

// --- plots, messages, memory ---
#define TracyPlot(name, val) tracy::Profiler::PlotData(name, val)
#define TracyPlotConfig(name, type, step, fill, color)                                     \
    tracy::Profiler::ConfigurePlot(name, type, step, fill, color)
#define TracyAppInfo(txt, size) tracy::Profiler::MessageAppInfo(txt, size)
#define TracyMessage(txt, size) tracy::Profiler::Message(txt, size, TRACY_CALLSTACK)
#define TracyMessageL(txt)      tracy::Profiler::Message(txt, TRACY_CALLSTACK)
#define TracyMessageC(txt, size, color)                                                    \
    tracy::Profiler::MessageColor(txt, size, color, TRACY_CALLSTACK)
#define TracyMessageLC(txt, color)                                                         \
    tracy::Profiler::MessageColor(txt, color, TRACY_CALLSTACK)
#define TracyLogString(severity, color, depth, ...)                                        \
    tracy::Profiler::LogString(tracy::MessageSourceType::User, severity, color, depth,     \
                               __VA_ARGS__)
#define TracyAlloc(ptr, size)        tracy::Profiler::MemAlloc(ptr, size)
#define TracyFree(ptr)               tracy::Profiler::MemFree(ptr)
#define TracyAllocN(ptr, size, name) tracy::Profiler::MemAllocNamed(ptr, size, name)
#define TracyFreeN(ptr, name)        tracy::Profiler::MemFreeNamed(ptr, name)
#define TracyMemoryDiscard(name)     tracy::Profiler::MemDiscard(name)

// --- other ---
#define TracySourceCallbackRegister(cb, data)                                              \
    tracy::Profiler::SourceCallbackRegister(cb, data)
#define TracyParameterRegister(cb, data) tracy::Profiler::ParameterRegister(cb, data)
#define TracyParameterSetup(idx, name, type, val)                                          \
    tracy::Profiler::ParameterSetup(idx, name, type, val)
#define TracyIsConnected          tracy::GetProfiler().IsConnected()
#define TracyIsStarted            tracy::IsProfilerStarted()
#define TracySetProgramName(name) tracy::GetProfiler().SetProgramName(name)
#define TracySectionEnter(...)    tracy::Profiler::SectionEnter(0, __VA_ARGS__)
#define TracySectionEnterCategory(category, ...)                                           \
    tracy::Profiler::SectionEnter(category, __VA_ARGS__)
#define TracySectionLeave(id) tracy::Profiler::SectionLeave(id)
#define TracySectionSetup(category, ...)                                                   \
    tracy::Profiler::SectionSetup(category, __VA_ARGS__)
#define TracyFiberEnter(fiber)           tracy::Profiler::EnterFiber(fiber, 0)
#define TracyFiberEnterHint(fiber, hint) tracy::Profiler::EnterFiber(fiber, hint)
#define TracyFiberLeave                  tracy::Profiler::LeaveFiber()

#else // TRACY_ENABLE

#define TracyNoop

#define ZoneNamed(varname, active)
#define ZoneNamedN(varname, name, active)
#define ZoneNamedC(varname, color, active)
#define ZoneNamedNC(varname, name, color, active)
#define ZoneTransient(varname, active)
#define ZoneTransientN(varname, name, active)
#define ZoneTransientNC(varname, name, color, active)
#define SuppressVarShadowWarning(expression) expression
#define ZoneScoped
#define ZoneScopedN(name)
#define ZoneScopedC(color)
#define ZoneScopedNC(name, color)

#define ZoneText(txt, size)
#define ZoneTextV(varname, txt, size)
#define ZoneTextF(...)
#define ZoneTextVF(varname, ...)
#define ZoneName(txt, size)
#define ZoneNameV(varname, txt, size)
#define ZoneNameF(...)
#define ZoneNameVF(varname, ...)
#define ZoneColor(color)
#define ZoneColorV(varname, color)
#define ZoneValue(value)
#define ZoneValueV(varname, value)
#define ZoneIsActive           false
#define ZoneIsActiveV(varname) false

#define FrameMark
#define FrameMarkNamed(name)
#define FrameMarkStart(name)
#define FrameMarkEnd(name)
#define FrameImage(image, width, height, offset, flip)

#define TracyLockable(type, varname)              type varname
#define TracyLockableN(type, varname, desc)       type varname
#define TracySharedLockable(type, varname)        type varname
#define TracySharedLockableN(type, varname, desc) type varname
#define LockableBase(type)                        type
#define SharedLockableBase(type)                  type
#define LockMark(varname)                         (void)varname
#define LockableName(varname, txt, size)

#define TracyPlot(name, val)
#define TracyPlotConfig(name, type, step, fill, color)
#define TracyAppInfo(txt, size)
#define TracyMessage(txt, size)
#define TracyMessageL(txt)
#define TracyMessageC(txt, size, color)
#define TracyMessageLC(txt, color)
#define TracyLogString(severity, color, depth, ...)
#define TracyAlloc(ptr, size)
#define TracyFree(ptr)
#define TracyAllocN(ptr, size, name)
#define TracyFreeN(ptr, name)
#define TracyMemoryDiscard(name)

#define TracySourceCallbackRegister(cb, data)
#define TracyParameterRegister(cb, data)
#define TracyParameterSetup(idx, name, type, val)
#define TracyIsConnected false
#define TracyIsStarted   false
#define TracySetProgramName(name)
#define TracySectionEnter(...)                   0
#define TracySectionEnterCategory(category, ...) 0
#define TracySectionLeave(id)
#define TracySectionSetup(category, ...)
#define TracyFiberEnter(fiber)
#define TracyFiberEnterHint(fiber, hint)
#define TracyFiberLeave

#endif // TRACY_ENABLE

// --- aliases: "secure" means that the profiler may already be gone ---
#define TracySecureAlloc(ptr, size)        TracyAlloc(ptr, size)
#define TracySecureFree(ptr)               TracyFree(ptr)
#define TracySecureAllocN(ptr, size, name) TracyAllocN(ptr, size, name)
#define TracySecureFreeN(ptr, name)        TracyFreeN(ptr, name)
#define TracySecureMemoryDiscard(name)     TracyMemoryDiscard(name)

// --- with the depth of a callstack ---
#define ZoneNamedS(varname, depth, active)         ZoneNamed(varname, active)
#define ZoneNamedNS(varname, name, depth, active)  ZoneNamedN(varname, name, active)
#define ZoneNamedCS(varname, color, depth, active) ZoneNamedC(varname, color, active)
#define ZoneNamedNCS(varname, name, color, depth, active)                                  \
    ZoneNamedNC(varname, name, color, active)
#define ZoneTransientS(varname, depth, active)        ZoneTransient(varname, active)
#define ZoneTransientNS(varname, name, depth, active) ZoneTransientN(varname, name, active)
#define ZoneScopedS(depth)                            ZoneScoped
#define ZoneScopedNS(name, depth)                     ZoneScopedN(name)
#define ZoneScopedCS(color, depth)                    ZoneScopedC(color)
#define ZoneScopedNCS(name, color, depth)             ZoneScopedNC(name, color)
#define TracyAllocS(ptr, size, depth)                 TracyAlloc(ptr, size)
#define TracyFreeS(ptr, depth)                        TracyFree(ptr)
#define TracyMemoryDiscardS(name, depth)              TracyMemoryDiscard(name)
#define TracyAllocNS(ptr, size, depth, name)          TracyAllocN(ptr, size, name)
#define TracyFreeNS(ptr, depth, name)                 TracyFreeN(ptr, name)
#define TracySecureAllocS(ptr, size, depth)           TracyAlloc(ptr, size)
#define TracySecureFreeS(ptr, depth)                  TracyFree(ptr)
#define TracySecureAllocNS(ptr, size, depth, name)    TracyAllocN(ptr, size, name)
#define TracySecureFreeNS(ptr, depth, name)           TracyFreeN(ptr, name)
#define TracySecureMemoryDiscardS(name, depth)        TracyMemoryDiscard(name)
#define TracyMessageS(txt, size, depth)               TracyMessage(txt, size)
#define TracyMessageLS(txt, depth)                    TracyMessageL(txt)
#define TracyMessageCS(txt, size, color, depth)       TracyMessageC(txt, size, color)
#define TracyMessageLCS(txt, color, depth)            TracyMessageLC(txt, color)

#endif
