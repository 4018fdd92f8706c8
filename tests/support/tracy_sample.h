// tracy_sample.h - contents of a trace that never was, with something of everything.
#ifndef TTP_TESTS_SUPPORT_TRACY_SAMPLE_H
#define TTP_TESTS_SUPPORT_TRACY_SAMPLE_H

#include "formats/tracy/tracy.h"

struct tracy_sample_how {
    uint64_t seed;
    enum tracy_generation generation; // nothing that only the other one has
    uint32_t most;                    // entries of a list
    uint32_t n_zones;                 // of each thread
    uint32_t n_places, n_made;
};
void tracy_sample_make(struct tracy *t, struct tracy_sample_how how);

#endif
