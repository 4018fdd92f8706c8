// TracyProfiler.hpp - tracy::Profiler, for code that does not use the macros. It accepts
// the arguments of all versions; callstack depths are ignored.
#ifndef TTPROF_TRACY_PROFILER_HPP
#define TTPROF_TRACY_PROFILER_HPP

#include <atomic>
#include <cassert>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <mutex> // and other headers that code gets through Tracy's without including them
#include <string>
#include <type_traits>

#include "tracy/client/TracyScoped.hpp"
#include "tracy/common/TracyCFunctions.h"

namespace tracy {

enum class PlotFormatType : uint8_t { Number, Memory, Percentage, Watt };
enum class MessageSourceType : uint8_t { User, Tracy, COUNT };
// As enum ttprof_level.
enum class MessageSeverity : uint8_t { Trace, Debug, Info, Warning, Error, Fatal, COUNT };
enum class QueueType : uint8_t { FrameMarkMsg, FrameMarkMsgStart, FrameMarkMsgEnd };

typedef void (*ParameterCallback)(void *data, uint32_t idx, int32_t val);
typedef char *(*SourceContentsCallback)(void *data, const char *filename, size_t &size);

// It needs no start, and what was recorded is in the files when the program ends.
inline void StartupProfiler() {}
inline void ShutdownProfiler()
{
    ttprof_flush();
}
inline bool IsProfilerStarted()
{
    return true;
}
inline bool ProfilerAvailable()
{
    return true;
}
inline bool BeginSamplingProfiling()
{
    return false;
} // there are no samples
inline void EndSamplingProfiling() {}

class Profiler {
  public:
    bool IsConnected() const { return ttprof_is_on() != 0; }
    void SetProgramName(const char *name) { ttprof_program_name_put(name); }
    static int64_t GetTime() { return int64_t(ttprof_now()); }

    // --- frames ---
    static void SendFrameMark(const char *name) { ttprof_frame_put(name); }
    static void SendFrameMark(const char *name, QueueType type)
    {
        if (type == QueueType::FrameMarkMsg)
            ttprof_frame_put(name);
        else if (type == QueueType::FrameMarkMsgStart)
            ___tracy_emit_frame_mark_start(name);
        else
            ___tracy_emit_frame_mark_end(name);
    }
    // Images are not recorded.
    static void SendFrameImage(const void *, uint16_t, uint16_t, uint8_t, bool) {}

    // --- plots ---
    template <class T>
    static typename std::enable_if<std::is_integral<T>::value>::type
    PlotData(const char *name, T val)
    {
        ttprof_tracy_plot_int_(name, int64_t(val));
    }
    static void PlotData(const char *name, double val) { ttprof_tracy_plot_(name, val); }
    static void ConfigurePlot(const char *name, PlotFormatType type, bool step, bool fill,
                              uint32_t color)
    {
        ttprof_plot_config_put(name, int(type), step, fill, color);
    }

    // --- messages ---
    static void Message(const char *txt, size_t size, int depth)
    {
        (void)depth;
        ttprof_tracy_message_(txt, size, TTPROF_INFO, 0);
    }
    static void Message(const char *txt, int depth)
    {
        Message(txt, std::strlen(txt), depth);
    }
    static void MessageColor(const char *txt, size_t size, uint32_t color, int depth)
    {
        (void)depth;
        ttprof_tracy_message_(txt, size, TTPROF_INFO, color);
    }
    static void MessageColor(const char *txt, uint32_t color, int depth)
    {
        MessageColor(txt, std::strlen(txt), color, depth);
    }
    static void LogString(MessageSourceType, MessageSeverity severity, uint32_t color,
                          int32_t depth, size_t size, const char *txt)
    {
        (void)depth;
        ttprof_tracy_message_(txt, size, int(severity), color);
    }
    static void LogString(MessageSourceType source, MessageSeverity severity,
                          uint32_t color, int32_t depth, const char *txt)
    {
        LogString(source, severity, color, depth, std::strlen(txt), txt);
    }
    static void MessageAppInfo(const char *txt, size_t size)
    {
        ttprof_app_info_put(txt, size);
    }

    // --- memory ---
    TTPROF_ADDRESS_ static void MemAlloc(const void *ptr, size_t size, bool secure = false)
    {
        (void)secure;
        ttprof_tracy_alloc_(ptr, size, nullptr);
    }
    TTPROF_ADDRESS_ static void MemFree(const void *ptr, bool secure = false)
    {
        (void)secure;
        ttprof_tracy_free_(ptr, nullptr);
    }
    TTPROF_ADDRESS_ static void MemAllocCallstack(const void *ptr, size_t size, int depth,
                                                  bool secure = false)
    {
        (void)depth;
        MemAlloc(ptr, size, secure);
    }
    TTPROF_ADDRESS_ static void MemFreeCallstack(const void *ptr, int depth,
                                                 bool secure = false)
    {
        (void)depth;
        MemFree(ptr, secure);
    }
    TTPROF_ADDRESS_ static void MemAllocNamed(const void *ptr, size_t size,
                                              const char *name)
    {
        ttprof_tracy_alloc_(ptr, size, name);
    }
    TTPROF_ADDRESS_ static void MemAllocNamed(const void *ptr, size_t size, bool secure,
                                              const char *name)
    {
        (void)secure;
        MemAllocNamed(ptr, size, name);
    }
    TTPROF_ADDRESS_ static void MemFreeNamed(const void *ptr, const char *name)
    {
        ttprof_tracy_free_(ptr, name);
    }
    TTPROF_ADDRESS_ static void MemFreeNamed(const void *ptr, bool secure, const char *name)
    {
        (void)secure;
        MemFreeNamed(ptr, name);
    }
    TTPROF_ADDRESS_ static void MemAllocCallstackNamed(const void *ptr, size_t size,
                                                       int depth, const char *name)
    {
        (void)depth;
        MemAllocNamed(ptr, size, name);
    }
    TTPROF_ADDRESS_ static void MemAllocCallstackNamed(const void *ptr, size_t size,
                                                       int depth, bool secure,
                                                       const char *name)
    {
        (void)depth, (void)secure;
        MemAllocNamed(ptr, size, name);
    }
    TTPROF_ADDRESS_ static void MemFreeCallstackNamed(const void *ptr, int depth,
                                                      const char *name)
    {
        (void)depth;
        MemFreeNamed(ptr, name);
    }
    TTPROF_ADDRESS_ static void MemFreeCallstackNamed(const void *ptr, int depth,
                                                      bool secure, const char *name)
    {
        (void)depth, (void)secure;
        MemFreeNamed(ptr, name);
    }
    static void MemDiscard(const char *name, bool secure = false)
    {
        (void)secure;
        ttprof_tracy_discard_(name);
    }
    static void MemDiscardCallstack(const char *name, int depth)
    {
        (void)depth;
        MemDiscard(name);
    }
    static void MemDiscardCallstack(const char *name, bool secure, int depth)
    {
        (void)depth;
        MemDiscard(name, secure);
    }

    // --- no viewer can change parameters or request sources ---
    static void ParameterRegister(ParameterCallback, void *) {}
    static void ParameterSetup(uint32_t, const char *, int, int32_t) {}
    static void SourceCallbackRegister(SourceContentsCallback, void *) {}

    // --- fibers ---
    static void EnterFiber(const char *fiber, int32_t groupHint = 0)
    {
        (void)groupHint;
        ___tracy_fiber_enter(fiber);
    }
    static void LeaveFiber() { ___tracy_fiber_leave(); }

    // --- sections: messages, since they may overlap and end in another thread ---
    __attribute__((format(printf, 2, 3))) static uint32_t
    SectionEnter(uint16_t, const char *format, ...)
    {
        static std::atomic<uint32_t> last(0);
        if (!ttprof_is_on())
            return 0;
        va_list values;
        va_start(values, format);
        detail::FormattedText text(format, values);
        va_end(values);
        uint32_t id = ++last;
        std::string message = "section " + std::to_string(id) + " begins: ";
        message.append(text.data(), text.size());
        ttprof_tracy_message_(message.data(), message.size(), TTPROF_INFO, 0);
        return id;
    }
    static void SectionLeave(uint32_t id)
    {
        if (!id || !ttprof_is_on())
            return;
        std::string message = "section " + std::to_string(id) + " ends";
        ttprof_tracy_message_(message.data(), message.size(), TTPROF_INFO, 0);
    }
    __attribute__((format(printf, 2, 3))) static void SectionSetup(uint16_t, const char *,
                                                                   ...)
    {
    }
};

// Nothing to hold: all state is in the recorder.
inline Profiler &GetProfiler()
{
    static Profiler profiler;
    return profiler;
}

} // namespace tracy

#endif
