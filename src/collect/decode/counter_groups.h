// counter_groups.h - groups of hardware counters by their names, as options give them.
#ifndef TTP_COLLECT_DECODE_COUNTER_GROUPS_H
#define TTP_COLLECT_DECODE_COUNTER_GROUPS_H

#include "base/text/buf.h"

#define COUNTER_GROUPS_ALL 47 // all that can run together
// For messages.
#define COUNTER_GROUPS_VALID "fpu, pack, unpack, l1_0, l1_1, l1_2, l1_3, l1_4, instrn, all"

// "fpu,l1_0" -> bits of TT_METAL_PROFILE_PERF_COUNTERS. "all" stands for all that can run
// together and ends the list, "l1" is l1_0. Names that are none are passed over and put
// into `unknown`, a line each.
uint32_t counter_groups_bits(str list, struct buf *unknown);
// Those that only Blackhole has, as "l1_2, l1_4"; empty: there are none among the bits.
void counter_groups_blackhole(uint32_t bits, struct buf *names);

#endif
