// host_time.c - the same work of the host before a device is opened, after that, and after
// it is closed.
#define TTPROF_ENABLE
#include <stdio.h>
#include <time.h>
#include <ttprof/host.h>
#include <ttprof/runtime.h>

enum { WORK_NS = 30000000 };

static void work(void)
{
    struct timespec from, now;
    (void)clock_gettime(CLOCK_MONOTONIC, &from);
    do
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - from.tv_sec) * 1000000000 + now.tv_nsec - from.tv_nsec < WORK_NS);
}

static void before(void)
{
    TTPROF_FUNCTION;
    work();
}

static void after(void)
{
    TTPROF_FUNCTION;
    work();
}

static void closed(void)
{
    TTPROF_FUNCTION;
    work();
}

int main(void)
{
    char why[256];
    before();
    ttrt *m = ttrt_open("arch=wormhole", why);
    if (!m) {
        (void)fprintf(stderr, "host_time: %s\n", why);
        return 1;
    }
    after();
    (void)ttrt_close(m);
    closed();
    return 0;
}
