// events_feed.dm.c - BRISC fills buffer 0 for the compute kernel and NCRISC empties buffer
// 1, page by page, each after a wait. Arguments: pages, cycles of a wait.
void kernel_main(void)
{
    uint32_t pages = get_arg_val(0), wait = get_arg_val(1);
    for (uint32_t i = 0; i < pages; i++) {
        ttk_delay(wait);
#ifdef TTK_BRISC
        cb_reserve_back(0, 1);
        cb_push_back(0, 1);
#else
        cb_wait_front(1, 1);
        cb_pop_front(1, 1);
#endif
    }
}
