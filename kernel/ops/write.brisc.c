// write.brisc.c - writes output tiles first .. first + count - 1. Several outputs of an op
// are stored one after the other.
#include "operand.h"
#include "walk.h"

enum { // common arguments
    SIZES,
    CB = SIZES + WALK_DIMENSIONS, // they come out of this buffer
    PART,                         // tiles of an output
    STRIDES,
    OUTPUTS = STRIDES + WALK_DIMENSIONS,
};

void kernel_main(void)
{
    uint32_t at = get_arg_val(0), end = at + get_arg_val(1);
    uint32_t cb = get_common_arg_val(CB), part = get_common_arg_val(PART);
    struct walk w;
    walk_start(&w, SIZES, at);
    for (; at < end; at++, walk_next(&w)) {
        DeviceZoneScopedN("WRITE");
        struct operand out = operand_at(OUTPUTS + at / part * OPERAND_WORDS);
        cb_wait_front(cb, 1);
        operand_write(&out, walk_page(&w, STRIDES), get_read_ptr(cb));
        noc_async_writes_flushed();
        cb_pop_front(cb, 1);
    }
    noc_async_write_barrier();
}
