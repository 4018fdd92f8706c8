// bench.h - clocks shared by the benchmark programs.
#ifndef TTP_BENCH_BENCH_H
#define TTP_BENCH_BENCH_H

#include <time.h>

static inline double bench_clock(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// CPU seconds of all threads of this process. Wall time would include other processes.
static inline double bench_cpu(void)
{
    return bench_clock(CLOCK_PROCESS_CPUTIME_ID);
}
static inline double bench_wall(void)
{
    return bench_clock(CLOCK_MONOTONIC);
}

#endif
