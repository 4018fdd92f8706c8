// progress.c - drawing at most ten times a second.
#include "base/text/progress.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { PROGRESS_WIDTH = 30 };
static const int64_t quiet_ns = 2000000000, redraw_ns = 100000000;

static int64_t now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

struct progress progress_start(const char *what, uint64_t total)
{
    // The user waits for the whole command, not for one of its steps.
    static _Atomic int64_t first;
    int64_t none = 0;
    (void)atomic_compare_exchange_strong(&first, &none, now_ns());
    return (struct progress){.what = what,
                             .total = total,
                             .started = first,
                             .is_on = total > 0 && isatty(STDERR_FILENO)};
}

static bool is_time(struct progress *p)
{
    int64_t now = p->is_on ? now_ns() : 0;
    if (!p->is_on || now - p->started < quiet_ns || now - p->shown < redraw_ns)
        return false;
    p->shown = now;
    return true;
}

void progress_text(struct progress *p, const char *fmt, ...)
{
    va_list args;
    if (!is_time(p))
        return;
    (void)fprintf(stderr, "\r\033[K%s: ", p->what);
    va_start(args, fmt);
    (void)vfprintf(stderr, fmt, args);
    va_end(args);
}

void progress_at(struct progress *p, uint64_t done)
{
    if (!is_time(p))
        return;
    double part = (double)done / (double)p->total;
    int full = (int)(part * PROGRESS_WIDTH);
    (void)fprintf(stderr, "\r\033[K%s [%.*s%*s] %3d%%", p->what, full,
                  "##############################", PROGRESS_WIDTH - full, "",
                  (int)(part * 100));
}

void progress_end(struct progress *p)
{
    if (p->is_on && p->shown)
        (void)fprintf(stderr, "\r\033[K");
    p->is_on = false;
}
