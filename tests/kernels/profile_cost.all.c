// profile_cost.all.c - one macro a function, so that its instructions, cycles and bytes can
// be told from those of a function without it (tests/unit/test_marker_costs.c).
#define COST __attribute__((noinline, used)) void

COST cost_nothing(void)
{
    __asm__ volatile("nop");
}
COST cost_zone(void)
{
    DeviceZoneScopedN("cost");
    __asm__ volatile("nop");
}
COST cost_sum(void)
{
    DeviceZoneScopedSumN1("cost-sum");
    __asm__ volatile("nop");
}
COST cost_event(void)
{
    DeviceRecordEvent(7);
    __asm__ volatile("nop");
}
COST cost_data(void)
{
    DeviceTimestampedData("cost-data", 1);
    __asm__ volatile("nop");
}
COST cost_data16(void)
{
    DeviceTimestampedData("cost-data16", 1, 2);
    __asm__ volatile("nop");
}

// Each function often enough that the vector is full in the last round.
void kernel_main(void)
{
    uint32_t rounds = get_arg_val(0);
    for (uint32_t i = 0; i < rounds; i++) {
        cost_nothing();
        cost_zone();
        cost_sum();
        cost_event();
        cost_data();
        cost_data16();
    }
}
