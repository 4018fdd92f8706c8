// events.h - arguments of the kernels that record NoC events, for them and for the test.
#ifndef TTP_TESTS_EVENTS_H
#define TTP_TESTS_EVENTS_H

enum {        // of events_calls
    EVENTS_X, // virtual coordinates of another core
    EVENTS_Y,
    EVENTS_X_END, // and of a corner: X..X_END, Y..Y_END are multicast targets
    EVENTS_Y_END,
    EVENTS_CORES,     // in that rectangle
    EVENTS_BUFFER,    // L1 address, the same on all cores
    EVENTS_DRAM,      // base of an interleaved buffer of 2048-byte pages
    EVENTS_PAGE,      // that is read and written
    EVENTS_SEMAPHORE, // L1 address
    EVENTS_ARGS,
};

enum {                         // of events_many: X to BUFFER as above, then
    EVENTS_FILL = EVENTS_ARGS, // plain events first, two words each
    EVENTS_COUNT,              // writes
    EVENTS_LINKED,             // they are linked multicasts
    EVENTS_MANY_ARGS,
};

#endif
