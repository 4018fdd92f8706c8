// tracy_colour.h - colours of .tracy files.
#ifndef TTP_FORMATS_TRACY_TRACY_COLOUR_H
#define TTP_FORMATS_TRACY_TRACY_COLOUR_H

#include <stdint.h>

// 0xRRGGBB of a colour that is stored with red first, and the other way round.
static inline uint32_t tracy_swap_colour(uint32_t c)
{
    return (c & 0xff00ff00u) | (c & 0xff) << 16 | (c >> 16 & 0xff);
}

#endif
