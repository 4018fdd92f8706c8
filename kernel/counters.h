// counters.h - performance counters in the firmware: TRISC1 runs the groups selected by the
// flags around its kernel; BRISC sets them up before and records every counter after it.
#ifndef TTK_COUNTERS_H
#define TTK_COUNTERS_H

#include "ttprof/kernel/profiler.h"
#include "ttprof/perf_counters.h"

enum { COUNTERS_START = 1, COUNTERS_STOP = 2 };

// Bit per group.
TTK_INLINE uint32_t counters_asked(void)
{
    return ttk_flags() >> TT_FLAG_COUNTER_SHIFT & ((1u << TT_PERF_GROUP_COUNT) - 1);
}

TTK_INLINE void counters_command(uint32_t control, uint32_t command)
{
    TTK_REGISTER(control + TT_PERF_START) = 0;
    TTK_REGISTER(control + TT_PERF_START) = command;
}

#ifdef TTK_TRISC1
// Kept small: TRISC1's firmware has little room. L1 banks share their registers, which are
// then written twice.
static __attribute__((noinline)) void counters_switch(uint32_t command)
{
#define COUNTERS_WORD(name, control, out, bank) (control) / 4,
    static const uint8_t words[] = {TT_PERF_GROUPS(COUNTERS_WORD)};
    const uint8_t *word = words;
    for (uint32_t groups = counters_asked(); groups; groups >>= 1, word++)
        if (groups & 1)
            counters_command(TT_DEBUG + 4u * *word, command);
}
#endif

#ifdef TTK_BRISC
struct counters_group {
    uint16_t control, out;
    uint8_t bank;
};
#define COUNTERS_GROUP(name, control, out, bank) {control, out, bank},
static const struct counters_group counters_groups[] = {TT_PERF_GROUPS(COUNTERS_GROUP)};

// One half-word per counter: number, select << 8 with bit 15 for grants. A group ends with
// 0. Selects are below 127, which is none.
enum { COUNTERS_GRANT = 0x80, COUNTERS_NONE = 0x7F };
#ifdef TTK_BLACKHOLE
#define COUNTERS_SELECT(wormhole, blackhole) (blackhole)
#else
#define COUNTERS_SELECT(wormhole, blackhole) (wormhole)
#endif
#define COUNTERS_PACKED(select)                                                            \
    ((select) == TT_NO_COUNTER ? COUNTERS_NONE                                             \
     : (select) < TT_GRANT     ? (select)                                                  \
                               : (select)-TT_GRANT + COUNTERS_GRANT)
#define COUNTERS_ENTRY(number, name, group, wormhole, blackhole)                           \
    (number) + (COUNTERS_PACKED(COUNTERS_SELECT(wormhole, blackhole)) << 8),
static const uint16_t counters_table[] = {
    TT_PERF_COUNTERS_FPU(COUNTERS_ENTRY) 0,    //
    TT_PERF_COUNTERS_PACK(COUNTERS_ENTRY) 0,   //
    TT_PERF_COUNTERS_UNPACK(COUNTERS_ENTRY) 0, //
    TT_PERF_COUNTERS_L1_0(COUNTERS_ENTRY) 0,   //
    TT_PERF_COUNTERS_L1_1(COUNTERS_ENTRY) 0,   //
    TT_PERF_COUNTERS_INSTRN(COUNTERS_ENTRY) 0, //
#ifdef TTK_BLACKHOLE
    TT_PERF_COUNTERS_L1_2(COUNTERS_ENTRY) 0, //
    TT_PERF_COUNTERS_L1_3(COUNTERS_ENTRY) 0, //
    TT_PERF_COUNTERS_L1_4(COUNTERS_ENTRY) 0, //
#endif
};

// Only the first requested bank of L1 counts.
TTK_INLINE uint32_t counters_chosen(void)
{
    uint32_t groups = counters_asked(), banks = groups & TT_PERF_L1_GROUPS;
    return (groups & ~(uint32_t)TT_PERF_L1_GROUPS) | (banks & -banks);
}

static __attribute__((noinline)) void counters_prepare(void)
{
    const struct counters_group *group = counters_groups;
    for (uint32_t groups = counters_chosen(); groups; groups >>= 1, group++) {
        if (!(groups & 1))
            continue;
        if (1u << (group - counters_groups) & TT_PERF_L1_GROUPS) {
            uint32_t banks = 7u << TT_PERF_MUX_SHIFT;
            uint32_t mux = TTK_REGISTER(TT_DEBUG + TT_PERF_MUX) & ~banks;
            mux |= (uint32_t)group->bank << TT_PERF_MUX_SHIFT;
            TTK_REGISTER(TT_DEBUG + TT_PERF_MUX) = mux;
        }
        TTK_REGISTER(TT_DEBUG + group->control + TT_PERF_PERIOD) = UINT32_MAX;
        TTK_REGISTER(TT_DEBUG + group->control + TT_PERF_MODE) = 0;
    }
}

static __attribute__((noinline)) void counters_record(const struct counters_group *group,
                                                      uint32_t entry)
{
    uint32_t packed = entry >> 8, out = TT_DEBUG + group->out;
    if (packed == COUNTERS_NONE)
        return;
    uint32_t select =
        packed & COUNTERS_GRANT ? TT_GRANT + (packed ^ COUNTERS_GRANT) : packed;
    uint32_t mode = TT_DEBUG + group->control + TT_PERF_MODE;
    TTK_REGISTER(mode) = select << TT_PERF_SELECT_SHIFT;
    while (TTK_REGISTER(mode) != select << TT_PERF_SELECT_SHIFT)
        ;
    uint32_t cycles = TTK_REGISTER(out + TT_PERF_CYCLES);
    if (cycles == 0) // the device does not have it
        return;
    uint32_t count = TTK_REGISTER(out + TT_PERF_COUNT);
    ttk_flush_if_full(5 + 4); // plus two sums
    ttk_record_data16(TT_MARKER_HEADER(TT_PACKET_TS_DATA_16B, TT_ID_PERF_COUNTER), cycles,
                      count, 0, entry & 0xFF);
}

// A group that TRISC1 did not stop did not run in this program and is skipped.
static __attribute__((noinline)) void counters_read(void)
{
    uint32_t groups = counters_chosen();
    if (groups == 0 || TTK_CONTROL(TT_CONTROL_PROFILER_DONE))
        return;
    const struct counters_group *group = counters_groups;
    const uint16_t *entry = counters_table;
    const uint16_t *end = entry + sizeof counters_table / sizeof *entry;
    for (; groups && entry < end; groups >>= 1, group++, entry++) {
        uint32_t at = TT_DEBUG + group->control;
        bool has_run = groups & 1 && TTK_REGISTER(at + TT_PERF_START) == COUNTERS_STOP;
        for (; *entry; entry++)
            if (has_run)
                counters_record(group, *entry);
        if (has_run)
            counters_command(at, COUNTERS_START);
    }
}
#endif

#endif
