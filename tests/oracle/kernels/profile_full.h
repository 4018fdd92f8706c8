// profile_full.h - more zones than a vector holds. Argument: how many.
void kernel_main(void)
{
    uint32_t zones = get_arg_val(0);
    for (uint32_t i = 0; i < zones; i++) {
        DeviceZoneScopedN("TEST-FULL");
        __asm__ volatile("nop");
    }
}
