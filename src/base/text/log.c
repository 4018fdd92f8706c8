// log.c - one line at a time, written whole so that lines of several threads do not mix.
#include "base/text/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text/buf.h"

static void write_visible(str text, unsigned keep, const char *end)
{
    struct buf b = {0};
    buf_visible(&b, text, keep);
    buf_z(&b, end);
    // stderr may be closed: nothing more can be done.
    ssize_t n = b.n ? write(STDERR_FILENO, b.p, b.n) : 0;
    (void)n;
    buf_free(&b);
}

static void write_line(const char *domain, const char *fmt, va_list args)
{
    char text[1024];
    int head = snprintf(text, sizeof text, "ttprof: %s%s", domain, domain[0] ? ": " : "");
    (void)vsnprintf(text + head, sizeof text - (size_t)head, fmt, args);
    write_visible(str_clip(str_of(text), sizeof text - 2), 0, "\n");
}

void log_text(str text, bool is_coloured)
{
    write_visible(text, VISIBLE_LINES | (is_coloured ? VISIBLE_COLOURS : 0), "");
}

void log_line(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    write_line("", fmt, args);
    va_end(args);
}

// --- domains ---------------------------------------------------------------------------
static bool parse_level(str word, enum log_level *level)
{
    static const char *const names[] = {
        [LOG_OFF] = "off", [LOG_INFO] = "info", [LOG_DEBUG] = "debug"};
    for (int i = LOG_OFF; i <= LOG_DEBUG; i++)
        if (str_is(word, names[i])) {
            *level = (enum log_level)i;
            return true;
        }
    return false;
}

enum log_level log_level_of(const char *list, const char *domain, unsigned *n_wrong)
{
    enum log_level asked = LOG_OFF, level;
    *n_wrong = 0;
    for (str rest = str_of(list); rest.n;) {
        str word = str_trim(str_cut(&rest, ','));
        bool is_for_all = !memchr(word.p, '=', word.n);
        str name = is_for_all ? word : str_cut(&word, '=');
        if (!parse_level(word, &level))
            ++*n_wrong;
        else if (is_for_all || str_is(name, domain))
            asked = level;
    }
    return asked;
}

static enum log_level look_up(struct log_domain *domain)
{
    static _Atomic bool has_told;
    const char *list = getenv("TTPROF_LOG");
    unsigned n_wrong = 0;
    enum log_level level = list ? log_level_of(list, domain->name, &n_wrong) : LOG_OFF;
    if (n_wrong && !atomic_exchange(&has_told, true))
        log_line(
            "TTPROF_LOG='%.200s': expected LEVEL or DOMAIN=LEVEL, with commas between; levels are off, info and debug",
            list);
    atomic_store_explicit(&domain->level, (int)level, memory_order_relaxed);
    return level;
}

void log_write(struct log_domain *domain, enum log_level level, const char *fmt, ...)
{
    int asked = atomic_load_explicit(&domain->level, memory_order_relaxed);
    if (asked == LOG_UNKNOWN)
        asked = (int)look_up(domain);
    if (asked < (int)level)
        return;
    va_list args;
    va_start(args, fmt);
    write_line(domain->name, fmt, args);
    va_end(args);
}
