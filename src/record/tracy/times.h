// times.h - from the ticks of events to nanoseconds of CLOCK_MONOTONIC, while the pairs
// that relate the two are still arriving.
//
// Times that were sent cannot be corrected: the function only ever gets new pieces at its
// end, is continuous and never goes back. A new piece runs a little slower or faster than
// the clock, so that the error of the previous ones disappears within a second.
#ifndef TTP_RECORD_TRACY_TIMES_H
#define TTP_RECORD_TRACY_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "ttprof/recording.h"

#pragma GCC visibility push(hidden)

struct recorder_piece_of_time {
    uint64_t ticks;
    double ns, ns_per_tick; // ns since the first pair
};
enum { TIMES_PIECES = 1 << 12, TIMES_CLOCKS = 256 };
struct recorder_times {
    bool is_tsc; // clock 1; else its ticks are nanoseconds
    double ns_per_tick;
    struct tt_clock_pair first;
    uint64_t latest; // ticks that were converted
    uint32_t n_pieces;
    struct recorder_piece_of_time pieces[TIMES_PIECES];
    struct tt_clock_pair clocks[TIMES_CLOCKS]; // of the program: the newest ones
};

void recorder_times_clear(struct recorder_times *t, double ticks_per_ns);
void recorder_times_clock(struct recorder_times *t, const struct tt_clock *c);
void recorder_times_pair(struct recorder_times *t, const struct tt_clock_pair *p);
// `word`: at least the low TT_TIME_BITS bits of the ticks.
int64_t recorder_times_ns(struct recorder_times *t, uint32_t clock, uint64_t word);

#pragma GCC visibility pop
#endif
