// counter_groups.c - names of counter groups to bits.
#include "collect/decode/counter_groups.h"

#include "ttprof/perf_counters.h"

static const char *const names_of[] = {
#define GROUP_NAME(name, control, out, mux) #name,
    TT_PERF_GROUPS(GROUP_NAME)
#undef GROUP_NAME
};

static bool group_of(str name, uint32_t *bits)
{
    if (str_eq_nocase(name, S("all"))) {
        *bits = COUNTER_GROUPS_ALL;
        return true;
    }
    // tt-metal's documentation calls the first L1 bank "l1".
    str known = str_eq_nocase(name, S("l1")) ? S("l1_0") : name;
    for (int group = 0; group < TT_PERF_GROUP_COUNT; group++)
        if (str_eq_nocase(known, str_of(names_of[group]))) {
            *bits = 1u << group;
            return true;
        }
    return false;
}

bool counter_groups_parse(str list, uint32_t *bits, struct err *e)
{
    bool is_all = false;
    *bits = 0;
    do {
        str name = str_trim(str_cut(&list, ','));
        uint32_t one;
        if (!group_of(name, &one))
            return err_set(
                e, ERR_USAGE,
                "--profiler-capture-perf-counters: unknown counter group '%.*s'; valid groups: fpu, pack, unpack, l1_0, l1_1, l1_2, l1_3, l1_4, instrn, all",
                STR(name));
        is_all |= one == COUNTER_GROUPS_ALL;
        *bits |= one;
    } while (list.n);
    if (is_all) // other banks of L1 exclude those of "all"
        *bits = COUNTER_GROUPS_ALL;
    return true;
}

void counter_groups_names(uint32_t bits, struct buf *names)
{
    for (int i = 0; i < TT_PERF_GROUP_COUNT; i++) {
        if (!(bits >> i & 1))
            continue;
        buf_z(names, names->n ? ", " : "");
        for (const char *c = names_of[i]; *c; c++)
            buf_char(names, *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c);
    }
}

void counter_groups_blackhole(uint32_t bits, struct buf *names)
{
    counter_groups_names(
        bits & (1u << TT_PERF_L1_2 | 1u << TT_PERF_L1_3 | 1u << TT_PERF_L1_4), names);
}
