// profile_stamps.h - a zone, 8 bytes of data and an event, over and over. Argument: how
// often.
void kernel_main(void)
{
    uint32_t rounds = get_arg_val(0);
    for (uint32_t i = 0; i < rounds; i++) {
        DeviceZoneScopedN("TEST");
        DeviceTimestampedData("TEST", i + (1ull << 32));
        DeviceRecordEvent(i);
    }
}
