// test_progress.c - the bar, which only a person at a terminal sees.
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>

#include "base/text/progress.h"

#include "capture.h"

static const int64_t hour_ns = INT64_C(3600000000000);

TEST(progress_prints_nothing_where_nobody_watches)
{
    struct capture c;
    capture_start(&c);
    struct progress p = progress_start("reading", 100);
    bool is_on = p.is_on;
    p.started -= hour_ns;
    progress_at(&p, 50);
    progress_end(&p);
    STR_IS(capture_end(&c), "");
    assert_false(is_on);
}

TEST(progress_of_a_zero_struct_prints_nothing)
{
    struct capture c;
    capture_start(&c);
    struct progress p = {0};
    progress_at(&p, 1);
    progress_end(&p);
    STR_IS(capture_end(&c), "");
}

// A terminal in place of standard error.
static int terminal_start(int *old)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
        skip();
    int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    if (slave < 0)
        skip();
    (void)fflush(stderr);
    *old = dup(STDERR_FILENO);
    (void)dup2(slave, STDERR_FILENO);
    (void)close(slave);
    (void)fcntl(master, F_SETFL, O_NONBLOCK);
    return master;
}

static str terminal_end(int master, int old, char *text, size_t room)
{
    (void)fflush(stderr);
    size_t got = 0;
    ssize_t n;
    while ((n = read(master, text + got, room - got)) > 0)
        got += (size_t)n;
    (void)dup2(old, STDERR_FILENO);
    (void)close(old);
    (void)close(master);
    return (str){text, got};
}

// A bar of a command that begins in an hour: too early for a bar, however slow the machine.
static struct progress just_started(const char *what, uint64_t total)
{
    struct progress p = progress_start(what, total);
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    p.started = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec + hour_ns;
    return p;
}

TEST(progress_draws_on_a_terminal_after_two_seconds_and_wipes_what_it_drew)
{
    int old;
    char text[512];
    int master = terminal_start(&old);
    struct progress p = just_started("reading", 200);
    progress_at(&p, 50); // too early
    p.started -= 2 * hour_ns;
    progress_at(&p, 100);
    p.shown += hour_ns;
    progress_at(&p, 150); // too soon after the last
    progress_end(&p);
    STR_IS(terminal_end(master, old, text, sizeof text),
           "\r\033[Kreading [###############               ]  50%\r\033[K");
}

TEST(progress_that_ends_early_prints_nothing_on_a_terminal)
{
    int old;
    char text[512];
    int master = terminal_start(&old);
    struct progress p = just_started("reading", 200);
    progress_at(&p, 100);
    progress_end(&p);
    STR_IS(terminal_end(master, old, text, sizeof text), "");
}
