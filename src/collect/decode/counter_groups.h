// counter_groups.h - parses lists of hardware counter groups, as options name them.
#ifndef TTP_COLLECT_DECODE_COUNTER_GROUPS_H
#define TTP_COLLECT_DECODE_COUNTER_GROUPS_H

#include "base/text/buf.h"
#include "base/text/err.h"

#define COUNTER_GROUPS_ALL 47 // all that can run together
// "fpu,l1_0" -> bits of TT_METAL_PROFILE_PERF_COUNTERS. "all" selects every group that can
// run together; "l1" means l1_0. False: a name is unknown, the error lists the valid ones.
bool counter_groups_parse(str list, uint32_t *bits, struct err *e);
// Appends the names of groups as options have them, e.g. "fpu, l1_0".
void counter_groups_names(uint32_t bits, struct buf *names);
// Appends the groups that only Blackhole has, e.g. "l1_2, l1_4"; nothing if there are none.
void counter_groups_blackhole(uint32_t bits, struct buf *names);

#endif
