// counter_groups.h - parses lists of hardware counter groups, as options name them.
#ifndef TTP_COLLECT_DECODE_COUNTER_GROUPS_H
#define TTP_COLLECT_DECODE_COUNTER_GROUPS_H

#include "base/text/buf.h"

#define COUNTER_GROUPS_ALL 47 // all that can run together
// For messages.
#define COUNTER_GROUPS_VALID "fpu, pack, unpack, l1_0, l1_1, l1_2, l1_3, l1_4, instrn, all"

// "fpu,l1_0" -> bits of TT_METAL_PROFILE_PERF_COUNTERS. "all" selects every group that can
// run together and ends the list; "l1" means l1_0. Unknown names are skipped and appended
// to `unknown`, one per line.
uint32_t counter_groups_bits(str list, struct buf *unknown);
// Appends the groups that only Blackhole has, e.g. "l1_2, l1_4"; nothing if there are none.
void counter_groups_blackhole(uint32_t bits, struct buf *names);

#endif
