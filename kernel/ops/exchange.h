// exchange.h - the route to the other chip, for ops on two chips.
#ifndef EXCHANGE_H
#define EXCHANGE_H

#include "operand.h"
#include "walk.h"

enum {              // common arguments
    EXCHANGE_SIZES, // of a chip's part, in tiles
    EXCHANGE_PEER = EXCHANGE_SIZES + WALK_DIMENSIONS,
    EXCHANGE_ETH_X, // virtual place of the Ethernet tile that forwards
    EXCHANGE_ETH_Y,
    EXCHANGE_OWN,     // first tile of this chip's part in the larger tensor
    EXCHANGE_FAR,     // of the other chip's
    EXCHANGE_FLAG,    // semaphore that signals that everything has arrived
    EXCHANGE_STRIDES, // of the larger tensor
    EXCHANGE_OPERANDS = EXCHANGE_STRIDES + WALK_DIMENSIONS,
};
enum { CB_TILE, CB_OTHER, CB_FABRIC = 2 };

static inline void exchange_open(void)
{
    fabric_open(get_common_arg_val(EXCHANGE_ETH_X), get_common_arg_val(EXCHANGE_ETH_Y),
                get_write_ptr(CB_FABRIC));
}

// Addresses of tensors are the same on both chips.
static inline void exchange_send(const struct operand *to, uint32_t page, uint32_t from)
{
    fabric_write(get_common_arg_val(EXCHANGE_PEER), operand_page(to, page), from,
                 to->page_bytes);
}

#endif
