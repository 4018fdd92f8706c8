// read.ncrisc.c - reads the operands of output tiles first .. first + count - 1, for every
// op that needs one tile of each operand at a time.
#include "edge.h"
#include "operand.h"
#include "walk.h"

enum { // common arguments
    SIZES,
    INNER = SIZES + WALK_DIMENSIONS,
    EDGE, // of a's last inner step
    HAS_B,
    A_STRIDES, // the last one is that of the inner step
    B_STRIDES = A_STRIDES + WALK_DIMENSIONS + 1,
    A = B_STRIDES + WALK_DIMENSIONS + 1,
    B = A + OPERAND_WORDS,
};
enum { HAS_NO_B, HAS_TILES, HAS_SCALER }; // a scaler: one tile whose first value is 1

void kernel_main(void)
{
    uint32_t first = get_arg_val(0), count = get_arg_val(1);
    uint32_t inner = get_common_arg_val(INNER), edge = get_common_arg_val(EDGE);
    uint32_t has_b = get_common_arg_val(HAS_B);
    uint32_t next_a = get_common_arg_val(A_STRIDES + WALK_DIMENSIONS);
    uint32_t next_b = get_common_arg_val(B_STRIDES + WALK_DIMENSIONS);
    struct operand a = operand_at(A), b = operand_at(B);
    struct walk w;
    walk_start(&w, SIZES, first);
    if (has_b == HAS_SCALER) {
        cb_reserve_back(1, 1);
        tile_of_one(get_write_ptr(1));
        cb_push_back(1, 1);
    }
    for (; count; count--, walk_next(&w)) {
        DeviceZoneScopedN("READ");
        uint32_t page_a = walk_page(&w, A_STRIDES), page_b = walk_page(&w, B_STRIDES);
        for (uint32_t step = 0; step < inner; step++) {
            cb_reserve_back(0, 1);
            operand_read(&a, page_a + step * next_a, get_write_ptr(0));
            if (has_b == HAS_TILES) {
                cb_reserve_back(1, 1);
                operand_read(&b, page_b + step * next_b, get_write_ptr(1));
            }
            noc_async_read_barrier();
            if (step + 1 == inner)
                edge_fill(get_write_ptr(0), a.page_bytes, edge);
            cb_push_back(0, 1);
            if (has_b == HAS_TILES)
                cb_push_back(1, 1);
        }
    }
}
