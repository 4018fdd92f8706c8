// codes.h - prefix codes for symbols by how often each comes.
#ifndef TTP_RECORD_FORMAT_CODES_H
#define TTP_RECORD_FORMAT_CODES_H

#include <stdint.h>

#include "record/format/block.h"

struct code {
    uint16_t bits; // the first one lowest
    uint8_t n;
    uint8_t n_behind; // bits that come behind the code; for the caller
};
struct codes {
    uint32_t counts[BLOCK_SYMBOLS]; // how often each symbol comes
    struct code code[BLOCK_SYMBOLS];
    uint16_t used[BLOCK_SYMBOLS]; // symbols with a count, ascending
    uint32_t n_used;
};

// Scratch of recorder_codes_make.
struct codes_work {
    uint32_t weight[2 * BLOCK_SYMBOLS];
    uint16_t parent[2 * BLOCK_SYMBOLS];
    uint16_t order[BLOCK_SYMBOLS]; // used symbols, rare ones first
};

// Codes of at most BLOCK_CODE_BITS bits for all symbols with a count.
void recorder_codes_make(struct codes *codes, struct codes_work *work);

#endif
