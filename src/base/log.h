// log.h - lines for the person at the terminal, on standard error, with the program's name.
//
// TTPROF_LOG=debug shows what the program decides on the way; off costs one load.
#ifndef TTP_BASE_LOG_H
#define TTP_BASE_LOG_H

#include <stdbool.h>

// "ttprof: text". For errors, warnings and oddities.
void log_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
// The same, only under TTPROF_LOG=debug.
void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
