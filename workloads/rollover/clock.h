// clock.h - reads the wall clock over and over until it has passed `end` beyond 2^32, and
// keeps what went wrong. `read_clock` is the way the kernel reads it.
#ifndef ROLLOVER_CLOCK_H
#define ROLLOVER_CLOCK_H

#include "ttprof/kernel.h"

struct clock_log {
    uint32_t first[2], last[2]; // low, high half
    uint32_t reads, backwards;
    uint32_t wrong[2]; // the last value that was below the one before
};

static inline void watch_clock(uint64_t (*read_clock)(volatile uint32_t *scratch))
{
    volatile struct clock_log *log = TTK_L1(volatile struct clock_log, get_arg_val(0));
    volatile uint32_t *scratch = TTK_L1(volatile uint32_t, get_arg_val(1));
    uint64_t end = (1ull << 32) + get_arg_val(2);
    uint64_t last = read_clock(scratch);
    uint32_t reads = 1;
    log->backwards = 0;
    log->first[0] = (uint32_t)last;
    log->first[1] = (uint32_t)(last >> 32);
    while (last < end) {
        uint64_t now = read_clock(scratch);
        reads++;
        if (now < last) {
            log->backwards++;
            log->wrong[0] = (uint32_t)now;
            log->wrong[1] = (uint32_t)(now >> 32);
        } else {
            last = now;
        }
    }
    log->last[0] = (uint32_t)last;
    log->last[1] = (uint32_t)(last >> 32);
    log->reads = reads;
}

#endif
