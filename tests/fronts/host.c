// host.c - every macro of ttprof/host.h once. What is recorded is checked by
// tests/e2e/test_fronts.py.
#include <string.h>
#include <ttprof/host.h>

static void zones(void)
{
    TTPROF_FUNCTION;
    TTPROF_ZONE("h zone");
    TTPROF_ZONE_COLOURED("h coloured", 0x112233);
    TTPROF_ZONE_AS(zone, "h variable", 0x445566);
    TTPROF_TEXT(zone, "h text", strlen("h text"));
    TTPROF_NAME(zone, "h renamed", strlen("h renamed"));
    TTPROF_VALUE(zone, 4711);
    TTPROF_COLOUR(zone, 0x778899);
    TTPROF_BEGIN(open, "h begin");
    TTPROF_END(open);
}

int main(void)
{
    char block[8];
    (void)block;
    ttprof_thread_name("h thread");
    ttprof_app_info("h app info", strlen("h app info"));
    zones();
    ttprof_message("h message");
    ttprof_message_as("h warning", strlen("h warning"), TTPROF_WARNING, 0xff0000);
    ttprof_signpost("h post", "with message");
    ttprof_signpost("h post", NULL);
    ttprof_op("{\"h op\": 1}", strlen("{\"h op\": 1}"));
    ttprof_frame(NULL);
    ttprof_frame("h frames");
    ttprof_frame_start("h parts");
    ttprof_frame_end("h parts");
    ttprof_plot("h plot", 1.5);
    ttprof_plot_int("h count", 3);
    ttprof_alloc(block, sizeof block, "h pool");
    ttprof_free(block, "h pool");
    ttprof_fiber_enter("h fiber");
    zones();
    ttprof_fiber_leave();
    return 0;
}
