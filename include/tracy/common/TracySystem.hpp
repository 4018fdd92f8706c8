// TracySystem.hpp - the names of threads.
#ifndef TTPROF_TRACY_SYSTEM_HPP
#define TTPROF_TRACY_SYSTEM_HPP

#include <cstdint>

#include "tracy/common/TracyApi.h"
#ifdef TRACY_ENABLE
#include "tracy/common/TracyCFunctions.h"
#endif

namespace tracy {

inline void SetThreadName(const char *name)
{
#ifdef TRACY_ENABLE
    ___tracy_set_thread_name(name);
#else
    (void)name;
#endif
}

// Threads are not grouped.
inline void SetThreadNameWithHint(const char *name, int32_t groupHint)
{
    (void)groupHint;
    SetThreadName(name);
}

} // namespace tracy

#endif
