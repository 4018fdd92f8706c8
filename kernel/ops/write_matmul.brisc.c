// write_matmul.brisc.c - writes the subblocks of a product.
#include "blocks.h"
#include "operand.h"

void kernel_main(void)
{
    struct blocks blocks = blocks_start();
    struct subblock s;
    struct operand out = operand_at(MATMUL_OPERANDS);
    uint32_t matrix = blocks.m * blocks.n, pages = blocks.sub_h * blocks.sub_w;
    while (blocks_next(&blocks, &s)) {
        DeviceZoneScopedN("WRITE");
        uint32_t page = s.batch * matrix + s.row * blocks.n + s.column;
        cb_wait_front(CB_RESULT, pages);
        uint32_t from = get_read_ptr(CB_RESULT);
        for (uint32_t i = 0; i < s.rows; i++)
            for (uint32_t j = 0; j < s.columns; j++)
                operand_write(&out, page + i * blocks.n + j,
                              from + (i * blocks.sub_w + j) * out.page_bytes);
        noc_async_writes_flushed();
        cb_pop_front(CB_RESULT, pages);
    }
    noc_async_write_barrier();
}
