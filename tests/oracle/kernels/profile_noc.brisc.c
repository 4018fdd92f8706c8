// profile_noc.brisc.c - one read from another core and one write back, with barriers.
// Arguments: the other core, an address in its L1 and in ours, bytes.
void kernel_main(void)
{
    uint32_t x = get_arg_val(0), y = get_arg_val(1), buffer = get_arg_val(2);
    uint32_t bytes = get_arg_val(3);
    noc_async_read(get_noc_addr(x, y, buffer), buffer, bytes);
    noc_async_read_barrier();
    noc_async_write(buffer, get_noc_addr(x, y, buffer), bytes);
    noc_async_write_barrier();
}
