// delays.c - see delays.h.
#include "sim/tile/delays.h"

enum { TYPE_MASK = 3 };

bool delays_hold(struct risc *r, uint32_t address, uint32_t value)
{
    const struct tile *tile = r->tile;
    const struct tt_layout *layout = tile->chip->layout;
    uint32_t offset = address - TT_NIU, noc = offset / TT_NIU_STRIDE;
    uint32_t buffer = offset % TT_NIU_STRIDE / layout->noc_buffer_stride;
    uint32_t inside = offset % TT_NIU_STRIDE % layout->noc_buffer_stride;
    if (address < TT_NIU || noc >= 2 || buffer >= TT_NOC_BUFFERS ||
        inside != layout->noc_cmd_ctrl || !(value & 1))
        return false;
    if (r->has_waited) {
        r->has_waited = false;
        return false;
    }
    unsigned type = tile->niu[noc].command[buffer][TT_NOC_CTRL / 4] & TYPE_MASK;
    uint32_t cycles = type <= TT_NOC_WRITE ? tile->delay[r->index][type] : 0;
    r->clock += cycles;
    r->has_waited = cycles != 0;
    return cycles != 0;
}

void delays_set(struct tile *tile, unsigned riscs, unsigned kinds, uint32_t cycles)
{
    static const uint8_t types[] = {TT_NOC_READ, TT_NOC_WRITE, TT_NOC_ATOMIC};
    tile->has_delays = false;
    for (unsigned r = 0; r < tile->n_riscs; r++)
        for (unsigned k = 0; k < sizeof types; k++) {
            uint32_t *delay = &tile->delay[r][types[k]];
            if (riscs >> r & 1 && kinds >> k & 1)
                *delay = cycles;
            tile->has_delays |= *delay != 0;
        }
    for (unsigned r = 0; r < tile->n_riscs && !tile->has_delays; r++)
        tile->risc[r].has_waited = false;
}
