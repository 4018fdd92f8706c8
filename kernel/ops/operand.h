// operand.h - where the pages of a tensor are: turns a page number into a NoC address.
//
// The host writes OPERAND_WORDS words for each tensor (rt_operand in src/runtime):
//   0  address: in every DRAM bank, or in the L1 of every core that has pages
//   1  bytes from one page to the next
//   2  place: 0 DRAM, page p in bank p % banks
//             1 L1, page p on core p % cores
//             2 sharded: rectangles of pages, one on each core
//      sharded: | cores that a row of shards is spread over << 8 (height sharded: 1)
//   3  cores across: core c lies at column c % across, row c / across of the grid
//   4  L1: cores; sharded: pages across the whole tensor
//   5  sharded: pages across a shard
//   6  sharded: pages down a shard, counted over all W, Z and Y
//   7  virtual place of core 0,0: x | y << 8 | columns in front of a gap << 16 | columns
//      that the gap has << 24
#ifndef OPERAND_H
#define OPERAND_H

#include "ttprof/kernel.h"

enum { OPERAND_WORDS = 8 };
enum { OPERAND_DRAM, OPERAND_L1, OPERAND_SHARDED };

struct operand {
    uint32_t address, page_bytes, place, across, pages, shard_x, shard_y, corner;
};

// From common arguments at .. at + OPERAND_WORDS - 1.
static inline struct operand operand_at(uint32_t at)
{
    return *TTK_L1(struct operand, get_common_arg_addr(at));
}

// Virtual coordinates of a core of the grid, by its corner (word 7).
static inline uint32_t grid_x(uint32_t corner, uint32_t x)
{
    return x + (corner & 0xFF) + (x >= (corner >> 16 & 0xFF) ? corner >> 24 : 0);
}
static inline uint32_t grid_y(uint32_t corner, uint32_t y)
{
    return y + (corner >> 8 & 0xFF);
}
static inline uint64_t grid_address(uint32_t corner, uint32_t x, uint32_t y,
                                    uint32_t address)
{
    return ttk_noc_address(grid_x(corner, x), grid_y(corner, y), address);
}

static inline uint64_t operand_core(const struct operand *o, uint32_t core, uint32_t page)
{
    return grid_address(o->corner, core % o->across, core / o->across,
                        o->address + page * o->page_bytes);
}

static inline uint64_t operand_page(const struct operand *o, uint32_t page)
{
    uint32_t place = o->place & 0xFF;
    if (place == OPERAND_DRAM)
        return ttk_page_address(page, o->address, o->page_bytes);
    if (place == OPERAND_L1)
        return operand_core(o, page % o->pages, page / o->pages);
    uint32_t column = page % o->pages, row = page / o->pages;
    uint32_t shard = row / o->shard_y * (o->place >> 8) + column / o->shard_x;
    return operand_core(o, shard, row % o->shard_y * o->shard_x + column % o->shard_x);
}

static inline void operand_read(const struct operand *o, uint32_t page, uint32_t to)
{
    noc_async_read_one_packet(operand_page(o, page), to, o->page_bytes);
}

static inline void operand_write(const struct operand *o, uint32_t page, uint32_t from)
{
    noc_async_write_one_packet(from, operand_page(o, page), o->page_bytes);
}

#endif
