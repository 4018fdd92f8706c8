// live.c - the status line on the terminal while the command runs.
//
// The terminal belongs to the command. The line is drawn only on a terminal, never over
// programs that use the whole screen or read single keys, and output of the command
// overwrites it.
#include <stdio.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "app/run/run.h"

struct run_live run_live_start(const struct wrapped_run *r)
{
    return (struct run_live){.at_ns = r->start_ns,
                             .is_wanted =
                                 r->control && !r->v->quiet && isatty(STDERR_FILENO)};
}

// Whether the terminal is ours and in line mode.
static bool is_proper(void)
{
    struct termios t;
    return tcgetpgrp(STDERR_FILENO) == getpgrp() && tcgetattr(STDERR_FILENO, &t) == 0 &&
           t.c_lflag & ICANON;
}

// 950, 12.3 k, 4.5 M
static void put_scaled(struct buf *b, double v, double step, const char *const *units)
{
    int i = 0;
    while (v >= step && units[i + 1]) {
        v /= step;
        i++;
    }
    buf_printf(b, "%.*f %s", i && v < 100 ? 1 : 0, v, units[i]);
}

static void put_line(struct buf *b, const struct run_live *l, const struct wrapped_run *r,
                     uint64_t now, uint64_t events)
{
    static const char *const counts[] = {"events/s", "k events/s", "M events/s", NULL};
    static const char *const sizes[] = {"B", "KiB", "MiB", "GiB", "TiB", NULL};
    const struct tt_control *c = r->control;
    uint64_t seconds = (now - r->start_ns) / 1000000000;
    uint32_t processes = __atomic_load_n(&c->processes, __ATOMIC_RELAXED);
    uint64_t lost = __atomic_load_n(&c->lost, __ATOMIC_RELAXED);
    bool is_open = __atomic_load_n(&c->gate, __ATOMIC_RELAXED);
    buf_printf(b, "ttprof %llu:%02llu  ", (unsigned long long)seconds / 60,
               (unsigned long long)seconds % 60);
    buf_printf(b, "%u process%s  ", processes, processes == 1 ? "" : "es");
    put_scaled(b, (double)(events - l->events) * 1e9 / (double)(now - l->at_ns + 1), 1000,
               counts);
    buf_printf(b, "  %llu lost  ", (unsigned long long)lost);
    put_scaled(b, (double)__atomic_load_n(&c->stream_bytes, __ATOMIC_RELAXED), 1024, sizes);
    if (!is_open)
        buf_z(b, __atomic_load_n(&c->closed_ns, __ATOMIC_RELAXED) ? "  window closed"
                                                                  : "  before the window");
}

static void put_out(const struct buf *b)
{
    // A terminal that cannot be written to is not an error.
    ssize_t n = write(STDERR_FILENO, b->p, b->n);
    (void)n;
}

void run_live_draw(struct run_live *l, const struct wrapped_run *r)
{
    if (!l->is_wanted || !is_proper())
        return;
    struct winsize size = {0};
    size_t width = 80;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
        width = size.ws_col;
    uint64_t now = run_now_ns();
    uint64_t events = __atomic_load_n(&r->control->events, __ATOMIC_RELAXED);
    struct buf line = {0}, out = {0};
    put_line(&line, l, r, now, events);
    str text = str_clip(buf_view(&line), width - 1);
    buf_printf(&out, "\r\033[K\033[2m%.*s\033[0m\r", STR(text));
    put_out(&out);
    buf_free(&line);
    buf_free(&out);
    l->at_ns = now;
    l->events = events;
    l->is_shown = true;
}

void run_live_wipe(struct run_live *l)
{
    static char wipe[] = "\r\033[K";
    if (l->is_shown)
        put_out(&(struct buf){.p = wipe, .n = sizeof wipe - 1});
    l->is_shown = false;
}
