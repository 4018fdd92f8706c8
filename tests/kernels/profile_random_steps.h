// profile_random_steps.h - does what the script says (profile_random.h). Arguments: where
// the script lies, and where there is room: for handles of zones, then for transfers.
#include "profile_random.h"

#define STEP static __attribute__((noinline))
typedef const volatile uint32_t *script;
static uint32_t random_room;

STEP script run(script s);

STEP script zone_red(script s)
{
    DeviceZoneScopedN(RANDOM_RED);
    return run(s);
}
STEP script zone_green(script s)
{
    DeviceZoneScopedN(RANDOM_GREEN);
    return run(s);
}
STEP script zone_blue(script s)
{
    DeviceZoneScopedN(RANDOM_BLUE);
    return run(s);
}
STEP script zone_main(script s)
{
    DeviceZoneScopedMainN(RANDOM_MAIN);
    return run(s);
}

#if TTK_PROFILE
// As deep as no stack would be: what a scope keeps of its zone is kept here.
STEP script nest(script s, uint32_t depth)
{
    for (uint32_t i = 0; i < depth; i++)
        *TTK_L1(volatile uint32_t, random_room + 4 * i) =
            TTK_ENTER(ttk_zone_enter, "nested");
    s = run(s);
    for (uint32_t i = depth; i-- > 0;)
        ttk_zone_leave(*TTK_L1(volatile uint32_t, random_room + 4 * i));
    return s;
}
#else
#define nest(s, depth) ((void)(depth), run(s))
#endif
STEP script loop(script s, uint32_t times)
{
    script end = s;
    for (uint32_t i = 0; i < times; i++)
        end = run(s);
    return end;
}
STEP void data(uint32_t high, uint32_t low)
{
    DeviceTimestampedData("data", (uint64_t)high << 32 | low);
}
STEP void data16(script s)
{
    DeviceTimestampedData("wide data", (uint64_t)s[0] << 32 | s[1],
                          (uint64_t)s[2] << 32 | s[3]);
}
STEP void sum1(uint32_t cycles)
{
    DeviceZoneScopedSumN1("sum 1");
    ttk_delay(cycles);
}
STEP void sum2(uint32_t cycles)
{
    DeviceZoneScopedSumN2("sum 2");
    ttk_delay(cycles);
}
STEP void event(uint32_t number)
{
    DeviceRecordEvent(number);
}

#if TTK_IS_DATA_MOVEMENT
#if TTK_PROFILE
STEP void push(void)
{
    ttk_quick_push();
}
STEP void flush_if(uint32_t words)
{
    ttk_flush_if_full(words);
}
#else
#define push()          ((void)0)
#define flush_if(words) ((void)(words))
#endif
STEP void transfer(uint32_t step, uint32_t bytes)
{
    uint32_t from = random_room + 4 * RANDOM_NEST_MOST, to = from + RANDOM_NOC_BYTES;
    if (step == RANDOM_READ)
        noc_async_read(ttk_noc_address_here(from), to, bytes);
    else if (step == RANDOM_WRITE)
        noc_async_write(from, ttk_noc_address_here(to), bytes);
    else
        noc_async_full_barrier();
}
#else
#define push()                ((void)0)
#define flush_if(words)       ((void)(words))
#define transfer(step, bytes) ((void)(step), (void)(bytes))
#endif

// The steps up to the end of a scope; returns what comes behind it.
STEP script run(script s)
{
    static script (*const zones[])(script) = {zone_red, zone_green, zone_blue, zone_main};
    for (;;) {
        uint32_t step = *s & 0xFF, number = *s >> 8;
        s++;
        switch (step) {
        case RANDOM_END: return s;
        case RANDOM_ZONE: s = zones[number](s); break;
        case RANDOM_NEST: s = nest(s, number); break;
        case RANDOM_LOOP: s = loop(s, number); break;
        case RANDOM_EVENT: event(number); break;
        case RANDOM_DATA:
            data(s[0], s[1]);
            s += 2;
            break;
        case RANDOM_DATA16:
            data16(s);
            s += 4;
            break;
        case RANDOM_SUM1: sum1(number); break;
        case RANDOM_SUM2: sum2(number); break;
        case RANDOM_DELAY: ttk_delay(number); break;
        case RANDOM_PUSH: push(); break;
        case RANDOM_FLUSH_IF: flush_if(number); break;
        default: transfer(step, number);
        }
    }
}

void kernel_main(void)
{
    random_room = get_arg_val(1);
    (void)run(TTK_L1(const volatile uint32_t, get_arg_val(0)));
}
