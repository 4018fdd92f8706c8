// tick.all.c - a tiny op: counts itself; BRISC also keeps how long the core stood idle
// since the op before.
#include "ttprof/kernel.h"

struct tick_log {
    uint32_t count, idle, end, longest;
};

void kernel_main(void)
{
    uint32_t start = ttk_cycles_low();
    volatile struct tick_log *log = TTK_L1(volatile struct tick_log, get_arg_val(0));
    if (log->count) {
        log->idle += start - log->end;
        if (start - log->end > log->longest)
            log->longest = start - log->end;
    }
    log->count++;
    log->end = ttk_cycles_low();
}
