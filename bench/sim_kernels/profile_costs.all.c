// profile_costs.all.c - cycles of the profiler's macros: rounds with one of them, and as
// many without. Rounds of 0 leave the firmware's markers only.
#include "ttprof/kernel.h"

#define TIMED(rounds, ...)                                                                 \
    __extension__({                                                                        \
        uint32_t ttk_from = ttk_cycles_low();                                              \
        for (uint32_t i = 0; i < (rounds); i++) {                                          \
            __VA_ARGS__;                                                                   \
            __asm__ volatile("" ::: "memory");                                             \
        }                                                                                  \
        ttk_cycles_low() - ttk_from;                                                       \
    })

void kernel_main(void)
{
    uint32_t rounds = get_arg_val(0);
    volatile uint32_t *out = TTK_L1(volatile uint32_t, get_arg_val(1));
    if (rounds == 0)
        return;
    out[0] = TIMED(rounds, (void)0);
    out[1] = TIMED(rounds, DeviceZoneScopedN("ZONE"));
    out[2] = TIMED(rounds, DeviceRecordEvent(7));
    out[3] = TIMED(rounds, DeviceTimestampedData("DATA", i));
    out[4] = TIMED(rounds, DeviceTimestampedData("DATA-16", i, i));
    out[5] = TIMED(rounds, DeviceZoneScopedSumN1("SUM"));
}
