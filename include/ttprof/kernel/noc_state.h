// noc_state.h - a data-movement kernel's view of its network interface.
#ifndef TTPROF_KERNEL_NOC_STATE_H
#define TTPROF_KERNEL_NOC_STATE_H

#include "ttprof/kernel/base.h"

struct ttk_noc {
    uint32_t niu;                                  // address of the network interface
    uint32_t reads, writes, acks, atomics, posted; // values the counters will reach
    uint32_t banks;                                // of DRAM
};
static struct ttk_noc ttk_noc __attribute__((unused));

#endif
