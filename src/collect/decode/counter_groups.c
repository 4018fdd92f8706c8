// counter_groups.c - names of counter groups to bits.
#include "collect/decode/counter_groups.h"

#include "ttprof/perf_counters.h"

static const char *const names_of[] = {
#define GROUP_NAME(name, control, out, mux) #name,
    TT_PERF_GROUPS(GROUP_NAME)
#undef GROUP_NAME
};

uint32_t counter_groups_bits(str list, struct buf *unknown)
{
    uint32_t bits = 0;
    while (list.n) {
        str name = str_trim(str_cut(&list, ','));
        if (str_eq_nocase(name, S("all")))
            return COUNTER_GROUPS_ALL;
        // tt-metal's documentation calls the first L1 bank "l1".
        str known = str_eq_nocase(name, S("l1")) ? S("l1_0") : name;
        int group = 0;
        while (group < TT_PERF_GROUP_COUNT &&
               !str_eq_nocase(known, str_of(names_of[group])))
            group++;
        if (group < TT_PERF_GROUP_COUNT)
            bits |= 1u << group;
        else
            buf_printf(unknown, "%.*s\n", STR(name));
    }
    return bits;
}

void counter_groups_blackhole(uint32_t bits, struct buf *names)
{
    for (int i = TT_PERF_L1_2; i <= TT_PERF_L1_4; i++)
        if (bits >> i & 1)
            buf_printf(names, "%sl1_%d", names->n ? ", " : "", i - TT_PERF_L1_2 + 2);
}
