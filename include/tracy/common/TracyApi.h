// TracyApi.h - shared by all headers of this folder.
//
// They offer the macros and functions of Tracy's public headers (0.10 to 0.14) on top of
// ttprof/host.h: code instrumented for Tracy compiles unchanged and links with -lttprof.
// Either of TRACY_ENABLE and TTPROF_ENABLE switches it on; without them everything here
// compiles to nothing. docs/host-api.md lists the differences.
#ifndef TTPROF_TRACY_API_H
#define TTPROF_TRACY_API_H

#if defined(TTPROF_ENABLE) && !defined(TRACY_ENABLE)
#define TRACY_ENABLE // code tests it with #ifdef
#endif

#define TRACY_API __attribute__((visibility("default")))

// Put before a static variable: its initial value must be a constant, so that a
// non-constant name is an error instead of a zone that keeps the first name.
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
#define TRACY_CALLSTACK 0 // depths are accepted, callstacks are not recorded
#endif

#endif
