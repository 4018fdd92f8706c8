// layout.c - the memory map of both chips, for the host.
#include "ttprof/layout.h"

#define TT_LAYOUT_WORMHOLE(name, wormhole, blackhole)  .name = (wormhole),
#define TT_LAYOUT_BLACKHOLE(name, wormhole, blackhole) .name = (blackhole),

const struct tt_layout tt_layouts[TT_ARCHES] = {
    [TT_WORMHOLE] = {TT_LAYOUT(TT_LAYOUT_WORMHOLE)},
    [TT_BLACKHOLE] = {TT_LAYOUT(TT_LAYOUT_BLACKHOLE)},
};
