// host.hpp - host.h for C++: scopes instead of begin and end. C++11 and later.
//
//     #include <ttprof/host.hpp>
//
//     ttprof::mutex guard{"queue"}; // waits and holds are recorded
//
//     int main(int, char **argv)
//     {
//         TTPROF_SCOPE(zone, "load"); // until the scope ends
//         zone.text(std::string(argv[0])).value(7);
//         std::lock_guard<ttprof::mutex> held(guard);
//         ttprof::message("half way");
//     }
//
// Compile with -DTTPROF_ENABLE or -DTRACY_ENABLE and link with -lttprof; without them
// everything here compiles to nothing. Names are string literals; texts may be anything
// with data() and size().
#ifndef TTPROF_HOST_HPP
#define TTPROF_HOST_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#if __cplusplus >= 201703L
#include <shared_mutex>
#endif

#include "ttprof/host.h"
#include "ttprof/host_lock.hpp"

namespace ttprof {

// Bytes owned by somebody else: std::string_view for C++11.
class view {
  public:
    view(const char *text) : data_(text), size_(text ? std::strlen(text) : 0) {}
    view(const char *text, size_t bytes) : data_(text), size_(bytes) {}
    template <class T,
              class = typename std::enable_if<std::is_convertible<
                  decltype(std::declval<const T &>().data()), const char *>::value>::type>
    view(const T &text) : data_(text.data()), size_(text.size())
    {
    }
    const char *data() const { return data_; }
    size_t size() const { return size_; }

  private:
    const char *data_;
    size_t size_;
};

enum class level {
    trace = TTPROF_TRACE,
    debug = TTPROF_DEBUG,
    info = TTPROF_INFO,
    warning = TTPROF_WARNING,
    error = TTPROF_ERROR,
    fatal = TTPROF_FATAL
};

#ifdef TTPROF_ENABLE
#define TTPROF_NAMESPACE_ on
#define TTPROF_CALL_(condition, call)                                                      \
    do {                                                                                   \
        if (condition)                                                                     \
            call;                                                                          \
    } while (0)
#define TTPROF_SCOPE_COLOURED(variable, name, rgb)                                         \
    static struct ttprof_location TTPROF_JOIN(ttprof_place_, __LINE__) = {                 \
        name, __func__, __FILE__, uint32_t(__LINE__), rgb, 0};                             \
    ttprof::zone variable(ttprof_is_on() ? &TTPROF_JOIN(ttprof_place_, __LINE__) : nullptr)
#else
#define TTPROF_NAMESPACE_                          off
#define TTPROF_CALL_(condition, call)              (void)sizeof(((call), 0)) // checked, not called
#define TTPROF_SCOPE_COLOURED(variable, name, rgb) ttprof::zone variable(nullptr)
#endif

// A zone in a variable: TTPROF_SCOPE(variable, "name"), or nullptr for the function's name.
#define TTPROF_SCOPE(variable, name) TTPROF_SCOPE_COLOURED(variable, name, 0)

// Files compiled with and without TTPROF_ENABLE may be linked together.
inline namespace TTPROF_NAMESPACE_ {

inline bool is_on()
{
    bool is = false;
    TTPROF_CALL_(true, is = ttprof_is_on() != 0);
    return is;
}

// --- zones ---
class zone {
  public:
    explicit zone(struct ttprof_location *place) : zone_()
    {
        TTPROF_CALL_(place, zone_ = ttprof_zone_begin(place));
    }
    ~zone() { TTPROF_CALL_(is_open(), ttprof_zone_end(zone_)); }
    zone(const zone &) = delete;
    zone &operator=(const zone &) = delete;

    // For the innermost open zone of this thread.
    zone &text(view text)
    {
        TTPROF_CALL_(is_open(), ttprof_zone_text(zone_, text.data(), text.size()));
        return *this;
    }
    zone &name(view name)
    {
        TTPROF_CALL_(is_open(), ttprof_zone_name(zone_, name.data(), name.size()));
        return *this;
    }
    zone &value(uint64_t value)
    {
        TTPROF_CALL_(is_open(), ttprof_zone_value(zone_, value));
        return *this;
    }
    zone &colour(uint32_t rgb)
    {
        TTPROF_CALL_(is_open(), ttprof_zone_colour(zone_, rgb));
        return *this;
    }
    // Whether it is recorded. Check before building an expensive text.
    bool is_open() const { return zone_.is_open != 0; }

  private:
    ttprof_zone zone_;
};

// --- messages and signposts ---
inline void message(view text, level how = level::info, uint32_t rgb = 0)
{
    TTPROF_CALL_(ttprof_is_on(),
                 ttprof_message_put(text.data(), text.size(), int(how), rgb));
}
inline void signpost(const char *header, const char *message = nullptr)
{
    TTPROF_CALL_(true, ttprof_signpost_put(header, message));
}
inline void signpost(const std::string &header, const std::string &message = std::string())
{
    signpost(header.c_str(), message.empty() ? nullptr : message.c_str());
}

// --- frames ---
inline void frame(const char *name = nullptr)
{
    TTPROF_CALL_(true, ttprof_frame_put(name));
}
// From start to end, for frames that do not follow each other directly.
class frame_scope {
  public:
    explicit frame_scope(const char *name) : name_(name)
    {
        TTPROF_CALL_(ttprof_is_on(), ttprof_frame_start_put(name_));
    }
    ~frame_scope() { TTPROF_CALL_(ttprof_is_on(), ttprof_frame_end_put(name_)); }
    frame_scope(const frame_scope &) = delete;
    frame_scope &operator=(const frame_scope &) = delete;

  private:
    const char *name_;
};

// --- plots and memory ---
template <class T>
typename std::enable_if<std::is_integral<T>::value>::type plot(const char *name, T value)
{
    TTPROF_CALL_(ttprof_is_on(), ttprof_plot_int_put(name, int64_t(value)));
}
inline void plot(const char *name, double value)
{
    TTPROF_CALL_(ttprof_is_on(), ttprof_plot_real_put(name, value));
}
TTPROF_ADDRESS_ inline void memory_alloc(const void *at, size_t bytes,
                                         const char *pool = nullptr)
{
    TTPROF_CALL_(ttprof_is_on(), ttprof_alloc_put(at, bytes, pool));
}
TTPROF_ADDRESS_ inline void memory_free(const void *at, const char *pool = nullptr)
{
    TTPROF_CALL_(at && ttprof_is_on(), ttprof_free_put(at, pool));
}

// --- threads and fibers ---
inline void thread_name(const char *name)
{
    TTPROF_CALL_(true, ttprof_thread_name_put(name));
}
inline void app_info(view text)
{
    TTPROF_CALL_(true, ttprof_app_info_put(text.data(), text.size()));
}
// What this thread does belongs to the fiber. The name must be permanent.
class fiber_scope {
  public:
    explicit fiber_scope(const char *name)
    {
        TTPROF_CALL_(true, ttprof_fiber_enter_put(name));
    }
    ~fiber_scope() { TTPROF_CALL_(true, ttprof_fiber_leave_put()); }
    fiber_scope(const fiber_scope &) = delete;
    fiber_scope &operator=(const fiber_scope &) = delete;
};

// --- locks: around any lock; for std::condition_variable_any as well ---
#ifdef TTPROF_ENABLE
template <class T> using lockable = detail::recorded_lock<T, detail::lock_record>;
#else
template <class T> using lockable = detail::recorded_lock<T, detail::no_lock_record>;
#endif
using mutex = lockable<std::mutex>;
using recursive_mutex = lockable<std::recursive_mutex>;
#if __cplusplus >= 201703L
using shared_mutex = lockable<std::shared_mutex>;
#endif

} // namespace TTPROF_NAMESPACE_
} // namespace ttprof

#undef TTPROF_CALL_
#undef TTPROF_NAMESPACE_
#endif
