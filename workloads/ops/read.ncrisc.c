// read.ncrisc.c - brings the operands of output tiles first .. first + count - 1.
//
// An output tile has a head, a row, a column and so many inner steps; an operand's tile
// lies at the sum of these four times a stride each. So one reader serves every op.
#include "ttprof/kernel.h"

enum { A, B, HAS_B, ROWS, COLUMNS, INNER, A_STRIDES, B_STRIDES = A_STRIDES + 4 };

static inline uint32_t tile_of(uint32_t strides, uint32_t head, uint32_t row,
                               uint32_t column)
{
    return head * get_common_arg_val(strides) + row * get_common_arg_val(strides + 1) +
           column * get_common_arg_val(strides + 2);
}

void kernel_main(void)
{
    uint32_t first = get_arg_val(0), end = first + get_arg_val(1);
    uint32_t rows = get_common_arg_val(ROWS), columns = get_common_arg_val(COLUMNS);
    uint32_t inner = get_common_arg_val(INNER), has_b = get_common_arg_val(HAS_B);
    uint32_t next_a = get_common_arg_val(A_STRIDES + 3);
    uint32_t next_b = get_common_arg_val(B_STRIDES + 3);
    for (uint32_t output = first; output < end; output++) {
        DeviceZoneScopedN("READ");
        uint32_t column = output % columns, row = output / columns % rows;
        uint32_t head = output / columns / rows;
        uint32_t a = tile_of(A_STRIDES, head, row, column);
        uint32_t b = tile_of(B_STRIDES, head, row, column);
        for (uint32_t step = 0; step < inner; step++) {
            cb_reserve_back(0, 1);
            noc_async_read_tile(a + step * next_a, get_common_arg_val(A), get_write_ptr(0));
            if (has_b) {
                cb_reserve_back(1, 1);
                noc_async_read_tile(b + step * next_b, get_common_arg_val(B),
                                    get_write_ptr(1));
            }
            noc_async_read_barrier();
            cb_push_back(0, 1);
            if (has_b)
                cb_push_back(1, 1);
        }
    }
}
