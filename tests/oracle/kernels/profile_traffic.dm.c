// profile_traffic.dm.c - small reads from another core: more than a vector has room for.
// Arguments: the other core, an address in both, how many.
void kernel_main(void)
{
    uint32_t buffer = get_arg_val(2), count = get_arg_val(3);
    uint64_t from = get_noc_addr(get_arg_val(0), get_arg_val(1), buffer);
    for (uint32_t i = 0; i < count; i++)
        noc_async_read(from, buffer, 32);
    noc_async_read_barrier();
}
