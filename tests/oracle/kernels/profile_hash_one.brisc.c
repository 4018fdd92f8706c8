// profile_hash_one.brisc.c - a zone whose place has the same hash as that of the zone in
// profile_hash_two, and one whose name is not ASCII.
void kernel_main(void)
{
#line 10 "one.h"
    DeviceZoneScopedN("first 791");
    DeviceZoneScopedN("Gr\303\266\303\237e in mm");
    ttk_delay(100);
}
