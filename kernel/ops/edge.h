// edge.h - values of a tile beyond the end of its tensor are meaningless; ops that work
// across a whole tile overwrite them in L1 with neutral values.
#ifndef EDGE_H
#define EDGE_H

#include "ttprof/kernel.h"

// As one argument: rows and columns that count, and what replaces the rest.
enum { EDGE_ZERO, EDGE_REPEAT };
enum { EDGE_NONE = 32 | 32 << 8 };

enum { FACE = 16, FACE_ROWS = 64, BFP8_HEAD = 64, BFP8_BYTES = 1088 };

// Values of bfp8 are bytes; rows of a face are whole words in every format.
static inline void edge_copy(uint32_t to, uint32_t from, uint32_t bytes)
{
    if (bytes % 4 == 0)
        for (uint32_t i = 0; i < bytes; i += 4)
            *TTK_L1(volatile uint32_t, to + i) = *TTK_L1(volatile uint32_t, from + i);
    else
        for (uint32_t i = 0; i < bytes; i++)
            *TTK_L1(volatile uint8_t, to + i) = *TTK_L1(volatile uint8_t, from + i);
}

static inline void edge_clear(uint32_t to, uint32_t bytes)
{
    if (bytes % 4 == 0)
        for (uint32_t i = 0; i < bytes; i += 4)
            *TTK_L1(volatile uint32_t, to + i) = 0;
    else
        for (uint32_t i = 0; i < bytes; i++)
            *TTK_L1(volatile uint8_t, to + i) = 0;
}

// Replaces face row `place`, in L1 order, by another row or by zeros.
static inline void edge_row(uint32_t tile, uint32_t head, uint32_t bytes, uint32_t place,
                            uint32_t from, uint32_t fill)
{
    uint32_t row = tile + head + place * FACE * bytes;
    if (fill == EDGE_ZERO) {
        edge_clear(row, FACE * bytes);
        return;
    }
    edge_copy(row, tile + head + from * FACE * bytes, FACE * bytes);
    if (head) // the exponent shared by the row
        edge_copy(tile + place, tile + from, 1);
}

// Fills the columns of a face row from `valid` on.
static inline void edge_rest(uint32_t row, uint32_t bytes, uint32_t valid, uint32_t fill)
{
    for (uint32_t i = valid; i < FACE; i++)
        if (fill == EDGE_ZERO)
            edge_clear(row + i * bytes, bytes);
        else
            edge_copy(row + i * bytes, row, bytes);
}

// Faces are processed in order, so the left neighbour and the first row are complete before
// they are repeated.
static inline void edge_fill(uint32_t tile, uint32_t page_bytes, uint32_t edge)
{
    uint32_t rows = edge & 0xFF, columns = edge >> 8 & 0xFF, fill = edge >> 16;
    uint32_t head = page_bytes == BFP8_BYTES ? BFP8_HEAD : 0;
    uint32_t bytes = (page_bytes - head) >> 10; // of a value
    if ((edge & 0xFFFF) == EDGE_NONE)
        return;
    for (uint32_t place = 0; place < FACE_ROWS; place++) {
        uint32_t face = place / FACE, row = face / 2 * FACE + place % FACE;
        uint32_t left = face % 2 * FACE;
        if (row >= rows)
            edge_row(tile, head, bytes, place, face % 2 * FACE, fill);
        else if (columns <= left)
            edge_row(tile, head, bytes, place, place - FACE, fill);
        else if (columns < left + FACE)
            edge_rest(tile + head + place * FACE * bytes, bytes, columns - left, fill);
    }
}

// --- tiles of bf16 that a kernel makes itself ---

enum { BF16_ONE = 0x3F80, BF16_BYTES = 2048 };

// Only the first value counts.
static inline void tile_of_one(uint32_t tile)
{
    *TTK_L1(volatile uint32_t, tile) = BF16_ONE;
}

// Ones in the first `columns` columns, zeros elsewhere: two columns per word.
static inline void tile_of_columns(uint32_t tile, uint32_t columns)
{
    enum { ROW_BYTES = 2 * FACE, FACE_BYTES = FACE * ROW_BYTES };
    for (uint32_t column = 0; column < 2 * FACE; column += 2) {
        uint32_t word = column < columns ? BF16_ONE : 0;
        word |= column + 1 < columns ? (uint32_t)BF16_ONE << 16 : 0;
        uint32_t at = tile + column / FACE * FACE_BYTES + column % FACE * 2;
        for (uint32_t row = 0; row < FACE; row++, at += ROW_BYTES) {
            *TTK_L1(volatile uint32_t, at) = word;
            *TTK_L1(volatile uint32_t, at + 2 * FACE_BYTES) = word;
        }
    }
}

#endif
