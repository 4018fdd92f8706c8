// rv_trial.h - a short program tried on one RISC of a tile: words, start values, end.
#ifndef TTP_TESTS_RV_TRIAL_H
#define TTP_TESTS_RV_TRIAL_H

#include "../support/rv_words.h"
#include "../support/sim_tile.h"
#include "test.h"

enum { CODE_AT = 0x12000, L1_AT = 0x30000, WORDS_MOST = 512 };
#define NIU_COUNTERS (TT_NIU + TT_NIU_STATUS)

// A program under way: words, start values and, after `finish`, the end.
struct trial {
    struct sim_tile machine;
    uint32_t words[WORDS_MOST];
    size_t n;
    uint32_t x[32]; // before; S0 points to L1, S1 to local RAM
    struct risc *risc;
};

static inline struct trial *trial_new(int arch)
{
    struct trial *t = mem_alloc(sizeof *t);
    sim_tile_open(&t->machine, arch);
    t->x[S0] = L1_AT;
    t->x[S1] = TT_LOCAL_RAM;
    t->x[SP] = TT_LOCAL_RAM + 0x800;
    return t;
}

static inline void put(struct trial *t, uint32_t word)
{
    assert_true(t->n < WORDS_MOST);
    t->words[t->n++] = word;
}

static inline void put_times(struct trial *t, size_t times, uint32_t word)
{
    for (size_t i = 0; i < times; i++)
        put(t, word);
}

// Runs the program with an ebreak behind it; returns the cycles it took.
static inline uint64_t finish(struct trial *t)
{
    put(t, ASM_EBREAK);
    t->risc = sim_tile_load(&t->machine, TT_BRISC, CODE_AT, t->words, t->n);
    memcpy(t->risc->x, t->x, sizeof t->x);
    sim_tile_run(&t->machine, 1 << 20);
    return t->risc->clock;
}

static inline void trial_free(struct trial *t)
{
    sim_tile_close(&t->machine);
    mem_free(t);
}

static inline uint64_t finish_and_free(struct trial *t)
{
    uint64_t cycles = finish(t);
    assert_int_equal(FAULT_NONE, t->machine.tile.fault.kind);
    assert_int_equal(RISC_HALTED, t->risc->state);
    trial_free(t);
    return cycles;
}

static inline uint64_t cycles_of(int arch, const uint32_t *words, size_t n)
{
    struct trial *t = trial_new(arch);
    for (size_t i = 0; i < n; i++)
        put(t, words[i]);
    return finish_and_free(t);
}
#define CYCLES(arch, ...)                                                                  \
    cycles_of(arch, (const uint32_t[]){__VA_ARGS__},                                       \
              sizeof(const uint32_t[]){__VA_ARGS__} / 4)

#endif
