// embedding.ncrisc.c - builds tiles from the rows of a table selected by ids.
//
// 32 ids make a row of output tiles. A piece of a table row is as wide as a tile; it goes
// to L1 first, because a face row may start at an address that DRAM reads cannot target.
#include "operand.h"

enum {          // common arguments
    IDS_ACROSS, // ids of a row
    TILES_DOWN, // rows of output tiles that they make
    TILES_ACROSS,
    TABLE_ROWS,
    IS_TILED, // the table
    VALUE_BYTES,
    IDS, // operands
    TABLE = IDS + OPERAND_WORDS,
};
enum { CB_IDS = 1, CB_PIECES, CB_OUT = 16 };
enum { SIDE = 32, FACE = 16, PIECE = 128, ALIGN = 64 };

static struct operand ids, table;
static uint32_t value_bytes, across;

// Two half pieces of a tiled table are apart. Each is read from where DRAM allows it.
static uint32_t half_offset(uint32_t row, uint32_t half)
{
    uint32_t face = row / FACE * 2 + half;
    return (face * FACE + row % FACE) * FACE * value_bytes;
}

static void read_piece(uint32_t id, uint32_t column, uint32_t to, bool is_tiled)
{
    if (!is_tiled) {
        uint32_t at = column * SIDE * value_bytes, bytes = SIDE * value_bytes;
        if (bytes > table.page_bytes - at)
            bytes = table.page_bytes - at;
        noc_async_read_one_packet(operand_page(&table, id) + at, to, bytes);
        return;
    }
    uint64_t page = operand_page(&table, id / SIDE * across + column);
    for (uint32_t half = 0; half < 2; half++) {
        uint32_t at = half_offset(id % SIDE, half) / ALIGN * ALIGN;
        noc_async_read_one_packet(page + at, to + half * ALIGN, ALIGN);
    }
}

// Where half of a piece that was read begins.
static uint32_t piece_half(uint32_t id, uint32_t from, uint32_t half, bool is_tiled)
{
    return is_tiled ? from + half * ALIGN + half_offset(id % SIDE, half) % ALIGN
                    : from + half * FACE * value_bytes;
}

static void copy_words(uint32_t to, uint32_t from, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++)
        *TTK_L1(volatile uint32_t, to + 4 * i) =
            from ? *TTK_L1(volatile uint32_t, from + 4 * i) : 0;
}

// The id of a token; one that there is not, or that the table does not have, is no id.
static uint32_t id_of(uint32_t token)
{
    uint32_t id = token < get_common_arg_val(IDS_ACROSS)
                      ? *TTK_L1(volatile uint32_t, get_write_ptr(CB_IDS) + 4 * token)
                      : UINT32_MAX;
    return id < get_common_arg_val(TABLE_ROWS) ? id : UINT32_MAX;
}

static void make_tile(uint32_t first_token, uint32_t column)
{
    bool is_tiled = get_common_arg_val(IS_TILED);
    uint32_t pieces = get_write_ptr(CB_PIECES), tile = get_write_ptr(CB_OUT);
    for (uint32_t i = 0; i < SIDE; i++)
        if (id_of(first_token + i) != UINT32_MAX)
            read_piece(id_of(first_token + i), column, pieces + i * PIECE, is_tiled);
    noc_async_read_barrier();
    for (uint32_t i = 0; i < SIDE; i++)
        for (uint32_t half = 0; half < 2; half++) {
            uint32_t id = id_of(first_token + i);
            copy_words(
                tile + half_offset(i, half),
                id == UINT32_MAX ? 0 : piece_half(id, pieces + i * PIECE, half, is_tiled),
                FACE * value_bytes / 4);
        }
}

void kernel_main(void)
{
    uint32_t at = get_arg_val(0), end = at + get_arg_val(1), have = UINT32_MAX;
    uint32_t down = get_common_arg_val(TILES_DOWN);
    ids = operand_at(IDS);
    table = operand_at(TABLE);
    value_bytes = get_common_arg_val(VALUE_BYTES);
    across = get_common_arg_val(TILES_ACROSS);
    for (; at < end; at++) {
        DeviceZoneScopedN("EMBED");
        uint32_t row = at / across / down;
        if (row != have) {
            noc_async_read(operand_page(&ids, row), get_write_ptr(CB_IDS), ids.page_bytes);
            noc_async_read_barrier();
            have = row;
        }
        cb_reserve_back(CB_OUT, 1);
        make_tile(at / across % down * SIDE, at % across);
        cb_push_back(CB_OUT, 1);
    }
}
