// events_copy.compute.c - copies tiles from buffer 0 to buffer 1. Argument: their number.
void kernel_main(void)
{
    uint32_t tiles = get_arg_val(0);
    for (uint32_t i = 0; i < tiles; i++) {
        cb_wait_front(0, 1);
        tile_regs_acquire();
        copy_tile(0, 0, 0);
        tile_regs_commit();
        cb_pop_front(0, 1);
        cb_reserve_back(1, 1);
        tile_regs_wait();
        pack_tile(0, 1);
        tile_regs_release();
        cb_push_back(1, 1);
    }
}
