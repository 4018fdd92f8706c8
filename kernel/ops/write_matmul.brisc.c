// write_matmul.brisc.c - writes the subblocks of a product. If cores share the inputs, it
// also sends what this core has read, and receives the rest.
#include "factor.h"

static void exchange_step(struct factor factors[2], const bool is_new[2])
{
    for (int i = 0; i < 2; i++)
        if (is_new[i]) {
            cb_reserve_back(factors[i].cb, factors[i].pages);
            multicast_ready(&factors[i].shared);
        }
    for (int i = 0; i < 2; i++)
        if (is_new[i])
            multicast_send(&factors[i].shared, get_write_ptr(factors[i].cb),
                           factors[i].pages * get_tile_size(factors[i].cb));
    for (int i = 0; i < 2; i++)
        if (is_new[i]) {
            multicast_receive(&factors[i].shared);
            multicast_next(&factors[i].shared);
            cb_push_back(factors[i].cb, factors[i].pages);
        }
}

static void exchange(struct factor factors[2], const struct subblock *s)
{
    bool is_new[] = {factor_is_new(&factors[0], s), factor_is_new(&factors[1], s)};
    if (!is_new[0] && !is_new[1])
        return;
    DeviceZoneScopedN("EXCHANGE");
    for (uint32_t first = 0; first < factors[0].inner; first += factors[0].block)
        exchange_step(factors, is_new);
}

static void write(const struct blocks *blocks, const struct operand *out,
                  const struct subblock *s)
{
    DeviceZoneScopedN("WRITE");
    uint32_t page = s->batch * blocks->m * blocks->n + s->row * blocks->n + s->column;
    cb_wait_front(CB_RESULT, blocks->sub_h * blocks->sub_w);
    uint32_t from = get_read_ptr(CB_RESULT);
    for (uint32_t i = 0; i < s->rows; i++)
        for (uint32_t j = 0; j < s->columns; j++)
            operand_write(out, page + i * blocks->n + j,
                          from + (i * blocks->sub_w + j) * out->page_bytes);
    noc_async_writes_flushed();
    cb_pop_front(CB_RESULT, blocks->sub_h * blocks->sub_w);
}

// The inputs of a subblock come before the result of the one before it is waited for: the
// engine always has something to do.
void kernel_main(void)
{
    struct blocks blocks = blocks_start();
    struct subblock s, before;
    struct factor factors[2];
    struct operand out = operand_at(MATMUL_OPERANDS);
    bool is_shared = get_common_arg_val(MATMUL_IS_SHARED), is_first = true;
    for (int i = 0; i < 2 && is_shared; i++)
        factor_start(&factors[i], &blocks, i, MATMUL_OPERANDS + OPERAND_WORDS);
    for (; blocks_next(&blocks, &s); before = s, is_first = false) {
        if (is_shared)
            exchange(factors, &s);
        if (!is_first)
            write(&blocks, &out, &before);
    }
    if (!is_first)
        write(&blocks, &out, &before);
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
