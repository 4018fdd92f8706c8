// link_clock.h - when a Tracy client's time 0 was, on CLOCK_MONOTONIC.
//
// A client tells the tick at which its trace begins, and the length of a tick, but not of
// which clock. On x86 that is the time stamp counter, else CLOCK_MONOTONIC_RAW; ttprof's
// recorder uses CLOCK_MONOTONIC. All three can be read here, at the time when the client
// introduces itself. A clock is believed only if it puts the beginning between the birth of
// the client's process and now. If none does, the beginning is taken to be now; it may be
// as early as that birth.
#ifndef TTP_APP_CAPTURE_LINK_CLOCK_H
#define TTP_APP_CAPTURE_LINK_CLOCK_H

#include "formats/tracy/tracy.h"

// The clocks, read at the same moment.
struct clock_reading {
    uint64_t ns, raw_ns, ticks; // CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, time stamp counter
};

struct link_clock {
    const char *source; // "tsc", "raw", "monotonic", "arrival"; NULL: it is not known
    uint64_t begin_ns;  // CLOCK_MONOTONIC at time 0
    uint64_t error_ns;  // it may be this far from it
    uint64_t birth;     // of the process, as in the process log; 0: not known
    struct clock_reading first;
    uint64_t begin_ticks;
};

struct clock_reading clock_reading(void);
// The welcome of a client on this machine has arrived.
void link_clock_start(struct link_clock *c, const struct tracy *t, uint64_t begin_ticks,
                      const struct clock_reading *now);
// All of it has arrived: the clocks have run side by side for a while, which tells more.
void link_clock_end(struct link_clock *c, const struct tracy *t);

#endif
