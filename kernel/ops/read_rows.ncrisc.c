// read_rows.ncrisc.c - reads rows of tiles first .. first + count - 1, preceded by the
// operands shared by all rows.
#include "edge.h"
#include "operand.h"
#include "rows.h"

static void read_tiles(uint32_t operand, uint32_t first, uint32_t n, uint32_t cb,
                       uint32_t edge)
{
    struct operand o = operand_at(operand);
    cb_reserve_back(cb, n);
    uint32_t to = get_write_ptr(cb);
    for (uint32_t i = 0; i < n; i++)
        operand_read(&o, first + i, to + i * o.page_bytes);
    noc_async_read_barrier();
    edge_fill(to + (n - 1) * o.page_bytes, o.page_bytes, edge);
    cb_push_back(cb, n);
}

static void make_constants(uint32_t edge)
{
    cb_reserve_back(CB_SCALER, 1);
    tile_of_one(get_write_ptr(CB_SCALER));
    cb_push_back(CB_SCALER, 1);
    if ((edge & 0xFFFF) == EDGE_NONE)
        return;
    cb_reserve_back(CB_MASK, 1);
    tile_of_columns(get_write_ptr(CB_MASK), edge >> 8 & 0xFF);
    cb_push_back(CB_MASK, 1);
}

void kernel_main(void)
{
    uint32_t row = get_arg_val(0), end = row + get_arg_val(1);
    uint32_t tiles = get_common_arg_val(ROW_TILES), edge = get_common_arg_val(ROW_EDGE);
    make_constants(edge);
    if (get_common_arg_val(ROW_HAS_GAMMA))
        read_tiles(ROW_OPERANDS + OPERAND_WORDS, 0, tiles, CB_GAMMA, EDGE_NONE);
    if (get_common_arg_val(ROW_HAS_BETA))
        read_tiles(ROW_OPERANDS + 2 * OPERAND_WORDS, 0, tiles, CB_BETA, EDGE_NONE);
    for (; row < end; row++) {
        DeviceZoneScopedN("READ");
        read_tiles(ROW_OPERANDS, row * tiles, tiles, CB_ROW, edge);
    }
}
