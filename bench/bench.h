// bench.h - what the measured programs share: a clock of their own work.
#ifndef TTP_BENCH_BENCH_H
#define TTP_BENCH_BENCH_H

#include <time.h>

// CPU seconds of all threads of this process. The wall would also count what others run.
static inline double bench_cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
