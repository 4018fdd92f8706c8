// host_events.c - records a device's traces and buffers in the host recording.
#include "collect/readout/host_events.h"

#include <stdio.h>

#include "ttprof/host.h"

// --- traces ----------------------------------------------------------------------------
// Backticks, because readers of messages expect them as quotes.
static void record_trace_message(const char *what, int chip, int trace)
{
    char text[80];
    (void)snprintf(text, sizeof text, "`TT_METAL_TRACE_%s: %d, %d`", what, chip, trace);
    ttprof_message(text);
}

static void tell_program(int chip, const struct tt_event *event)
{
    char text[80];
    (void)snprintf(text, sizeof text, "`TT_METAL_TRACE_ENQUEUE_PROGRAM: %d, %d, %u`", chip,
                   event->trace, event->program);
    ttprof_message(text);
}

void host_event_release(const struct profiler_options *o, int chip, int trace)
{
    if (o->trace_tracking)
        record_trace_message("RELEASE", chip, trace);
}

// --- buffers ---------------------------------------------------------------------------
enum { POOL_CHIPS = 64, POOL_BYTES = 32 };

// The recorder keeps the address of a pool's name, so the name must stay. Chips beyond the
// table share a name without a device number.
static const char *pool_name(int chip, str pool)
{
    static const char *const pools[] = {"DRAM", "L1", "SYSTEM_MEMORY", "L1_SMALL", "TRACE"};
    enum { POOLS = sizeof pools / sizeof *pools };
    static char names[POOL_CHIPS][POOLS][POOL_BYTES];
    for (int i = 0; i < POOLS; i++) {
        if (!str_is(pool, pools[i]))
            continue;
        if (chip < 0 || chip >= POOL_CHIPS)
            return pools[i];
        char *name = names[chip][i];
        (void)snprintf(name, POOL_BYTES, "Device %d %s", chip, pools[i]);
        return name;
    }
    return "device";
}

void host_event_buffer(int chip, bool is_alloc, str pool, uint64_t address, uint64_t bytes)
{
    // A device address, used as a key; never dereferenced.
    const void *at = (const void *)(uintptr_t)address; // NOLINT(performance-no-int-to-ptr)
    if (!ttprof_is_on() || !bytes)
        return;
    if (is_alloc)
        ttprof_alloc(at, bytes, pool_name(chip, pool));
    else
        ttprof_free(at, pool_name(chip, pool));
}

// --- all of them -----------------------------------------------------------------------
void host_event(const struct profiler_options *o, int chip, const struct tt_event *event)
{
    static const struct {
        const char *name;
        bool is_always; // even if messages about traces are off
    } traces[] = {[TT_EVENT_TRACE_BEGIN] = {"BEGIN", false},
                  [TT_EVENT_TRACE_END] = {"END", true},
                  [TT_EVENT_TRACE_REPLAY] = {"REPLAY", false},
                  [TT_EVENT_TRACE_RELEASE] = {"RELEASE", false}};
    size_t kind = (size_t)event->kind;
    bool is_buffer = event->kind == TT_EVENT_ALLOC || event->kind == TT_EVENT_FREE;
    if (!ttprof_is_on())
        return;
    if (is_buffer && o->memory)
        host_event_buffer(chip, event->kind == TT_EVENT_ALLOC, str_of(event->pool),
                          event->address, event->bytes);
    else if (kind < sizeof traces / sizeof *traces && traces[kind].name) {
        if (o->trace_tracking || traces[kind].is_always)
            record_trace_message(traces[kind].name, chip, event->trace);
    } else if (event->kind == TT_EVENT_LAUNCH && event->trace >= 0 && !event->is_replay &&
               o->trace_tracking)
        tell_program(chip, event);
}
