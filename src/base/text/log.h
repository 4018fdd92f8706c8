// log.h - messages to the user on stderr, with the program's name.
//
// Messages are always printed. In addition each part of the program can log what it does:
// TTPROF_LOG=collect=debug,sim=info enables it. A file names its part with LOG_DOMAIN; a
// disabled log line costs a load and a comparison.
#ifndef TTP_BASE_TEXT_LOG_H
#define TTP_BASE_TEXT_LOG_H

#include <stdatomic.h>

#include "base/text/str.h"

// "ttprof: text". For errors, warnings and oddities. Control characters, which a name in
// the text may have, are shown as escapes.
void log_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
// A text of several lines as it is, but for other control characters.
void log_text(str text, bool is_coloured);

enum log_level {
    LOG_OFF,
    LOG_INFO,    // a line for each thing a user knows by name: a device, a file, a run
    LOG_DEBUG,   // and for each step
    LOG_UNKNOWN, // TTPROF_LOG has not been read yet
};

struct log_domain {
    const char *name;
    _Atomic int level;
};

#define LOG_DOMAIN(text)                                                                   \
    static struct log_domain log_domain = {.name = (text), .level = LOG_UNKNOWN}

// "ttprof: domain: text", if the domain is enabled at this level.
#define log_info(...)  LOG_AT(LOG_INFO, __VA_ARGS__)
#define log_debug(...) LOG_AT(LOG_DEBUG, __VA_ARGS__)
#define LOG_AT(least, ...)                                                                 \
    do {                                                                                   \
        if (atomic_load_explicit(&log_domain.level, memory_order_relaxed) >= (least))      \
            log_write(&log_domain, (least), __VA_ARGS__);                                  \
    } while (0)
void log_write(struct log_domain *domain, enum log_level level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

// The level of a domain in a list such as "info,collect=debug": the last matching entry
// counts. Invalid entries are counted.
enum log_level log_level_of(const char *list, const char *domain, unsigned *n_wrong);

#endif
