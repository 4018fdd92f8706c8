// sample_access.h - a device that is nothing but memory, behind an access table: tests put
// words into it, let parts of it fail, and see what was read and written.
#ifndef TTP_TESTS_SAMPLE_ACCESS_H
#define TTP_TESTS_SAMPLE_ACCESS_H

#include "collect/readout/readout.h"

enum { FAKE_CORES_MOST = 96, FAKE_BANKS = 12, FAKE_CORES_PER_BANK = 8 };

struct fake_chip {
    struct tt_core cores[FAKE_CORES_MOST];
    size_t n_cores;
    uint32_t l1[FAKE_CORES_MOST][TT_CONTROL_WORDS + TT_RISCS * TT_CHUNK_WORDS];
    uint32_t *dram[FAKE_BANKS];
    bool is_busy[FAKE_CORES_MOST], is_dead[FAKE_CORES_MOST], is_dead_bank[FAKE_BANKS];
    uint32_t n_resets[FAKE_CORES_MOST]; // writes of a whole control vector
    uint64_t clock;
    int wait_rc;
};

struct fake {
    struct tt_access access;
    int n_chips;
    struct fake_chip chips[2];
    uint64_t dram_bytes; // kept for the profiler in every bank
    uint64_t host_ns;
    uint64_t landing_ns; // until then, reads of DRAM find what was there before: zeros
    uint64_t n_clock_reads, clock_step;
    tt_event_hook event;
    int (*quiet)(void *context, int chip);
    void *event_context, *quiet_context;
    uint32_t region_bytes; // for fake_chunk; 48000 when nobody changed it
    struct tt_zone zones[4];
    size_t n_zones;
    void (*on_wait)(struct fake *f, int chip); // what the device does meanwhile
    void *user;
};

// Workers first, then Ethernet cores.
struct fake *fake_new(int n_chips, size_t n_workers, size_t n_eth);
void fake_free(struct fake *f);

uint32_t *fake_control(struct fake *f, int chip, size_t core);
uint32_t *fake_l1(struct fake *f, int chip, size_t core, int risc);
// Where the RISC's region lies in the first or second DRAM buffer.
uint32_t *fake_region(struct fake *f, int chip, size_t core, int risc, int buffer);
// What a run with the four firmware markers leaves behind: 12 words in the region, and the
// counters that go with it.
void fake_run(struct fake *f, int chip, size_t core, int risc, uint32_t program,
              uint64_t time);
void fake_chunk(uint32_t *words, int flat, int risc, uint32_t program, uint64_t time);
void fake_launch(struct fake *f, int chip, uint32_t program, int trace, bool is_replay);
void fake_trace(struct fake *f, int chip, int kind, int trace);

// How many things are lost or odd in what was read.
uint64_t fake_findings(const struct collection *c);

#endif
