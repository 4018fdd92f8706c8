// TracyApi.h - what all headers of this folder agree on.
//
// They offer the macros and functions of Tracy's public headers (0.10 to 0.14) on top of
// ttprof/host.h: code that is instrumented for Tracy compiles unchanged and links with
// -lttprof. Either of TRACY_ENABLE and TTPROF_ENABLE switches it on; without them
// everything here compiles to nothing. docs/host-api.md says what differs.
#ifndef TTPROF_TRACY_API_H
#define TTPROF_TRACY_API_H

#if defined(TTPROF_ENABLE) && !defined(TRACY_ENABLE)
#define TRACY_ENABLE // code asks for it with #ifdef
#endif

#define TRACY_API __attribute__((visibility("default")))

// In front of a static variable: what it begins with must be known to the compiler, so
// that a name which is none leads to an error and not to a zone with the first name.
#if !defined(__cplusplus)
#define TTPROF_TRACY_CONSTANT_
#elif defined(__clang__)
#define TTPROF_TRACY_CONSTANT_ __attribute__((require_constant_initialization))
#elif __GNUC__ >= 10
#define TTPROF_TRACY_CONSTANT_ __constinit
#else
#define TTPROF_TRACY_CONSTANT_
#endif

#ifndef TracyConcat
#define TracyConcat(x, y) TracyConcatIndirect(x, y)
#endif
#ifndef TracyConcatIndirect
#define TracyConcatIndirect(x, y) x##y
#endif
#ifndef TracyFunction
#define TracyFunction __FUNCTION__
#endif
#ifndef TracyFile
#define TracyFile __FILE__
#endif
#ifndef TracyLine
#define TracyLine __LINE__
#endif
#ifndef TRACY_CALLSTACK
#define TRACY_CALLSTACK 0 // depths are taken, callstacks are not recorded
#endif

#endif
