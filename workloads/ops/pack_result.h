// pack_result.h - what ends every output tile of the compute kernels here.
#ifndef PACK_RESULT_H
#define PACK_RESULT_H

#include "ttprof/kernel.h"

static inline void pack_result(void)
{
    cb_reserve_back(16, 1);
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release();
    cb_push_back(16, 1);
}

#endif
