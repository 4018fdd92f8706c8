// profile_linked.brisc.cc - a long series of linked multicasts. Arguments: the corners of
// the rectangle, its cores, an address, how many.
static uint32_t argument(uint32_t i)
{
    return get_arg_val<uint32_t>(i);
}

void kernel_main(void)
{
    uint32_t cores = argument(4), buffer = argument(5), count = argument(6);
    uint64_t all =
        get_noc_multicast_addr(argument(0), argument(1), argument(2), argument(3), buffer);
    for (uint32_t i = 0; i < count; i++)
        noc_async_write_multicast(buffer, all, 64, cores, i + 1 < count);
    noc_async_write_barrier();
}
