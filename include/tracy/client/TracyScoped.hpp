// TracyScoped.hpp - a zone with the lifetime of a variable.
#ifndef TTPROF_TRACY_SCOPED_HPP
#define TTPROF_TRACY_SCOPED_HPP

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "tracy/common/TracyCFunctions.h"

namespace tracy {

// For code that has its own locations; the macros make struct ttprof_location.
struct SourceLocationData {
    const char *name; // nullptr: the function's name
    const char *function;
    const char *file;
    uint32_t line;
    uint32_t color;
};

namespace detail {

// A formatted text; one that does not fit into the buffer is formatted again as a string.
class FormattedText {
  public:
    __attribute__((format(printf, 2, 0))) FormattedText(const char *format, va_list values)
    {
        va_list again;
        va_copy(again, values);
        int bytes = vsnprintf(near_, sizeof near_, format, values);
        size_ = bytes < 0 ? 0 : size_t(bytes);
        if (size_ >= sizeof near_) {
            far_.resize(size_ + 1);
            vsnprintf(&far_[0], size_ + 1, format, again);
        }
        va_end(again);
    }
    const char *data() const { return far_.empty() ? near_ : far_.data(); }
    size_t size() const { return size_; }

  private:
    char near_[512];
    std::string far_;
    size_t size_;
};

} // namespace detail

class ScopedZone {
  public:
    ScopedZone(struct ttprof_location *place, bool is_active)
        : ctx_(ttprof_tracy_begin_(place, is_active))
    {
    }
    explicit ScopedZone(const SourceLocationData *srcloc, int32_t depth = -1,
                        bool is_active = true)
        : ctx_(___tracy_emit_zone_begin_callstack(
              reinterpret_cast<const struct ___tracy_source_location_data *>(srcloc), depth,
              is_active))
    {
    }
    // Texts that are not permanent: they are copied, equal ones once.
    ScopedZone(uint32_t line, const char *source, size_t sourceSz, const char *function,
               size_t functionSz, const char *name, size_t nameSz, uint32_t color,
               int32_t depth = -1, bool is_active = true)
        : ctx_()
    {
        (void)depth;
        if (is_active && ttprof_is_on())
            ctx_ = ___tracy_emit_zone_begin_alloc(
                ___tracy_alloc_srcloc_name(line, source, sourceSz, function, functionSz,
                                           name, nameSz, color),
                1);
    }
    ScopedZone(uint32_t line, const char *source, size_t sourceSz, const char *function,
               size_t functionSz, const char *name, size_t nameSz, int32_t depth,
               bool is_active = true)
        : ScopedZone(line, source, sourceSz, function, functionSz, name, nameSz,
                     uint32_t(0), depth, is_active)
    {
    }
    ~ScopedZone() { ttprof_tracy_end_(ctx_); }
    ScopedZone(const ScopedZone &) = delete;
    ScopedZone(ScopedZone &&) = delete;
    ScopedZone &operator=(const ScopedZone &) = delete;
    ScopedZone &operator=(ScopedZone &&) = delete;

    void Text(const char *txt, size_t size)
    {
        if (IsActive())
            ttprof_zone_text(ttprof_tracy_open_(ctx_), txt, size);
    }
    void Name(const char *txt, size_t size)
    {
        if (IsActive())
            ttprof_zone_name(ttprof_tracy_open_(ctx_), txt, size);
    }
    __attribute__((format(printf, 2, 3))) void TextFmt(const char *format, ...)
    {
        if (!IsActive())
            return;
        va_list values;
        va_start(values, format);
        detail::FormattedText text(format, values);
        va_end(values);
        Text(text.data(), text.size());
    }
    __attribute__((format(printf, 2, 3))) void NameFmt(const char *format, ...)
    {
        if (!IsActive())
            return;
        va_list values;
        va_start(values, format);
        detail::FormattedText text(format, values);
        va_end(values);
        Name(text.data(), text.size());
    }
    void Color(uint32_t color)
    {
        if (IsActive())
            ttprof_zone_colour(ttprof_tracy_open_(ctx_), color);
    }
    void Value(uint64_t value)
    {
        if (IsActive())
            ttprof_zone_value(ttprof_tracy_open_(ctx_), value);
    }
    bool IsActive() const { return ctx_.active != 0; }

  private:
    TracyCZoneCtx ctx_;
};

} // namespace tracy

#endif
