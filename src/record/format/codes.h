// codes.h - prefix codes from symbol counts.
#ifndef TTP_RECORD_FORMAT_CODES_H
#define TTP_RECORD_FORMAT_CODES_H

#include <stdint.h>

#include "record/format/block.h"

struct code {
    uint16_t bits; // first bit lowest
    uint8_t n;
    uint8_t n_behind; // bits that follow the code; for the caller
};
struct codes {
    uint32_t counts[BLOCK_SYMBOLS]; // how often each symbol occurs
    struct code code[BLOCK_SYMBOLS];
    uint16_t used[BLOCK_SYMBOLS]; // symbols with a count, ascending
    uint32_t n_used;
};

// Scratch of recorder_codes_make.
struct codes_work {
    uint32_t weight[2 * BLOCK_SYMBOLS];
    uint16_t parent[2 * BLOCK_SYMBOLS];
    uint16_t order[BLOCK_SYMBOLS]; // used symbols, rarest first
};

// Makes codes of at most BLOCK_CODE_BITS bits for all symbols with a count.
void recorder_codes_make(struct codes *codes, struct codes_work *work);

#endif
