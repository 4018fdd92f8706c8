// log.h - lines for the person at the terminal, on standard error, with the program's name.
//
// Messages are always printed. Beside them, each part of the program can tell what it does:
// TTPROF_LOG=collect=debug,sim=info asks for it. A file that has something to tell names
// its part with LOG_DOMAIN; while nobody asks, a line costs a load and a comparison.
#ifndef TTP_BASE_TEXT_LOG_H
#define TTP_BASE_TEXT_LOG_H

#include <stdatomic.h>

// "ttprof: text". For errors, warnings and oddities.
void log_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

enum log_level {
    LOG_OFF,
    LOG_INFO,    // a line for each thing that a user would name: a device, a file, a run
    LOG_DEBUG,   // and for each step
    LOG_UNKNOWN, // nobody has looked yet what is asked for
};

struct log_domain {
    const char *name;
    _Atomic int level;
};

#define LOG_DOMAIN(text)                                                                   \
    static struct log_domain log_domain = {.name = (text), .level = LOG_UNKNOWN}

// "ttprof: domain: text", where the domain is asked for at this level.
#define log_info(...)  LOG_AT(LOG_INFO, __VA_ARGS__)
#define log_debug(...) LOG_AT(LOG_DEBUG, __VA_ARGS__)
#define LOG_AT(least, ...)                                                                 \
    do {                                                                                   \
        if (atomic_load_explicit(&log_domain.level, memory_order_relaxed) >= (least))      \
            log_write(&log_domain, (least), __VA_ARGS__);                                  \
    } while (0)
void log_write(struct log_domain *domain, enum log_level level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

// What a list such as "info,collect=debug" asks of a domain: the last entry that is about
// it counts. Entries that make no sense are counted.
enum log_level log_level_of(const char *list, const char *domain, unsigned *n_wrong);

#endif
