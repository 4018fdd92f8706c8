// sample_clock.h - chips that are nothing but clocks: an access table on which the sync's
// kernels "run" as arithmetic, with everything that can go wrong on request.
#ifndef TTP_TESTS_SAMPLE_CLOCK_H
#define TTP_TESTS_SAMPLE_CLOCK_H

#include "ttprof/device.h"
#include "ttprof/sync_words.h"

enum { SAMPLE_CLOCKS = 4 };

struct sample_clock {
    double cycles_per_ns;
    uint64_t boot;       // cycle at host ns 0
    double slowness;     // of accesses; 1 = 400..550 ns a write
    unsigned lose_every; // the kernel never sees every n-th word
    bool is_deaf;        // no access gets through
    bool never_starts;   // launches succeed, nothing runs
    // Inside.
    struct tt_core cores[3]; // a worker, two Ethernet cores
    uint32_t control[64], vector[512], eth_vector[2][512];
    bool is_running, is_sending[2], is_receiving[2]; // by Ethernet core
    unsigned n_words, number;
};

struct sample_clocks {
    struct sample_clock chips[SAMPLE_CLOCKS];
    int n_chips;
    struct tt_link links[8];
    size_t n_links;
    double answer_ns; // how much longer answers fly
    double flight_ns; // of a message over a link
    double now;       // host ns
    uint64_t random;
    unsigned n_launches;
    struct tt_access access;
};

// Different frequencies and offsets, no links.
void sample_clocks_open(struct sample_clocks *s, int n_chips, uint64_t seed);
// Channel 1 of the sender, channel 0 of the receiver.
void sample_clocks_join(struct sample_clocks *s, int sender, int receiver);
double sample_clock_cycle(const struct sample_clock *c, double host_ns);

#endif
