// sample_profile.h - a core of the software device with the profiler's firmware: scripts
// (tests/kernels/profile_script.h) run on it, and what they left is looked at.
#ifndef TTP_TESTS_SAMPLE_PROFILE_H
#define TTP_TESTS_SAMPLE_PROFILE_H

#include "base/data/vec.h"

#include "../kernels/profile_script.h"
#include "sample_device.h"

struct profile_marker {
    uint32_t at; // word
    uint32_t type, id;
    uint64_t time;
    uint32_t more[4];
};

// A store into a vector, with the clock that the RISC had read last.
struct profile_store {
    uint32_t address, value;
    uint64_t clock;
    uint8_t risc;
};

struct profile {
    ttdev *t;
    const struct tt_layout *layout;
    ttdev_core core; // a worker, or a tile of Ethernet channel `channel`
    int channel;     // -1: a worker
    uint32_t flat, cores_per_bank;
    uint64_t clock[TT_RISCS + 1];     // read last
    uint64_t n_clock_reads;           // by all, while they are heard
    VEC(struct profile_store) stores; // while it is heard
    uint32_t chunk[TT_CHUNK_WORDS];
    struct profile_marker marker[TT_CHUNK_WORDS];
    size_t n_markers;
};

// Core 0,0 of chip 0; flags go to its control vector. Each program runs to its end.
void profile_open(struct profile *p, const char *config, uint32_t flags);
// The tile of an Ethernet channel instead.
void profile_open_eth(struct profile *p, const char *config, uint32_t flags, int channel);
void profile_close(struct profile *p);
void profile_hear(struct profile *p); // from now on stores are kept

uint32_t profile_get(struct profile *p, uint32_t word);
void profile_set(struct profile *p, uint32_t word, uint32_t value);

// The same script on every RISC of a mask, under the program's number; 0 or an errno.
int profile_try(struct profile *p, const char *kernel, unsigned riscs, uint32_t id,
                const uint32_t *script, size_t n);
void profile_run_script(struct profile *p, unsigned riscs, uint32_t id,
                        const uint32_t *script, size_t n);
#define profile_run(p, riscs, id, ...)                                                     \
    profile_run_script(p, riscs, id, (const uint32_t[]){__VA_ARGS__, PROFILE_END},         \
                       sizeof((uint32_t[]){__VA_ARGS__, PROFILE_END}) / 4)

// Into chunk: words of the RISC's vector in L1, or of its region in DRAM from `at` on.
void profile_read_l1(struct profile *p, unsigned risc);
void profile_read_dram(struct profile *p, unsigned risc, uint32_t at, uint32_t words);
// Markers in words [from, to) of chunk, without padding and empty slots: into marker.
size_t profile_parse(struct profile *p, uint32_t from, uint32_t to);
// Markers of a type among them.
size_t profile_count(const struct profile *p, uint32_t type);
// Every marker that was parsed has the stamp that its RISC had read last when it stored it.
void profile_check_stamps(const struct profile *p, unsigned risc);

#endif
