// kernel.h - the kernel API: one header for C and C++, for all RISCs.
//
// A kernel is one source file with `void kernel_main(void)`. It is built once per RISC that
// runs it, by `ttprof kernel build`, which says for whom:
//   TTK_WORMHOLE | TTK_BLACKHOLE
//   TTK_BRISC | TTK_NCRISC | TTK_TRISC0 | TTK_TRISC1 | TTK_TRISC2 | TTK_ERISC
//   TTK_PROFILE   0 off, 1 prof, 2 full
// and includes this header in front of the source. Addresses are integers, L1 is reached by
// TTK_L1(type, address). In C++ the calls have the forms that kernel authors know; in C
// they have the same names without template arguments.
#ifndef TTPROF_KERNEL_H
#define TTPROF_KERNEL_H

#include "ttprof/kernel/base.h"
#include "ttprof/kernel/cb.h"
#include "ttprof/kernel/core.h"
#include "ttprof/kernel/markers.h"
#if TTK_IS_DATA_MOVEMENT
#include "ttprof/kernel/fabric.h"
#include "ttprof/kernel/interleaved.h"
#include "ttprof/kernel/noc.h"
#include "ttprof/kernel/noc_stateful.h"
#include "ttprof/kernel/remote_cb.h"
#include "ttprof/kernel/semaphore.h"
#endif
#if TTK_IS_COMPUTE
#include "ttprof/kernel/compute.h"
#include "ttprof/kernel/sfpu.h"
#endif
#ifdef TTK_ERISC
#include "ttprof/kernel/eth.h"
#endif
#include "ttprof/kernel/start.h"

#endif
