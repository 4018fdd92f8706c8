// profile_hash_two.brisc.c - see profile_hash_one.
void kernel_main(void)
{
#line 20 "two.h"
    DeviceZoneScopedN("second 10");
    ttk_delay(100);
}
