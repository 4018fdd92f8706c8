// words.h - marker words as devices leave them, and collections of them.
#ifndef TTP_TESTS_WORDS_H
#define TTP_TESTS_WORDS_H

#include "collect/decode/decode.h"
#include "collect/readout/collection.h"
#include "ttprof/profiler_words.h"

struct words {
    VEC(uint32_t) v;
    size_t chunk;             // where the last chunk starts
    enum words_layout layout; // 0 counts as v2
};

static inline void words_free(struct words *w)
{
    vec_free(&w->v);
    w->chunk = 0;
}

static inline void words_put(struct words *w, uint32_t word)
{
    vec_push(&w->v, word);
}

static inline void words_marker(struct words *w, unsigned type, uint32_t id, uint64_t time)
{
    words_put(w, TT_MARKER_HEADER(type, id) | ((uint32_t)(time >> 32) & 0xFFF));
    words_put(w, (uint32_t)time);
}

// --- chunks ----------------------------------------------------------------------------

static inline uint32_t words_identity(enum words_layout layout, uint32_t risc,
                                      uint32_t flat, uint32_t counter)
{
    if (layout == WORDS_V1)
        return risc | flat << 3 | (counter & 0xFFFF) << 11;
    return risc | flat << TT_IDENTITY_FLAT_SHIFT |
           (counter & 0xFFFF) << TT_IDENTITY_TRACE_SHIFT;
}

// Identity and empty guaranteed slots.
static inline void words_begin(struct words *w, uint32_t risc, uint32_t flat,
                               uint32_t counter, uint32_t program)
{
    w->chunk = w->v.n;
    words_put(w, 0);
    words_put(w, 0);
    words_put(w, words_identity(w->layout, risc, flat, counter));
    words_put(w, program);
    for (int i = 0; i < 8; i++)
        words_put(w, TT_MARKER_VALID);
}

// A guaranteed marker of the last chunk: slot 0 main start, 1 its end, 2 child, 3 its end.
static inline void words_slot(struct words *w, unsigned slot, uint32_t id, uint64_t time)
{
    uint32_t *at = w->v.v + w->chunk + TT_CHUNK_GUARANTEED + (size_t)2 * slot;
    unsigned type = slot & 1 ? TT_PACKET_ZONE_END : TT_PACKET_ZONE_START;
    at[0] = TT_MARKER_HEADER(type, id) | ((uint32_t)(time >> 32) & 0xFFF);
    at[1] = (uint32_t)time;
}

static inline void words_main(struct words *w, uint32_t id, uint64_t start, uint64_t end)
{
    words_slot(w, 0, id, start);
    words_slot(w, 1, id, end);
}

static inline void words_child(struct words *w, uint32_t id, uint64_t start, uint64_t end)
{
    words_slot(w, 2, id, start);
    words_slot(w, 3, id, end);
}

// --- optional markers ------------------------------------------------------------------

static inline void words_start(struct words *w, uint32_t id, uint64_t time)
{
    words_marker(w, TT_PACKET_ZONE_START, id, time);
}
static inline void words_end(struct words *w, uint32_t id, uint64_t time)
{
    words_marker(w, TT_PACKET_ZONE_END, id, time);
}
static inline void words_zone(struct words *w, uint32_t id, uint64_t start, uint64_t end)
{
    words_start(w, id, start);
    words_end(w, id, end);
}
static inline void words_event(struct words *w, uint32_t id, uint64_t time)
{
    words_marker(w, TT_PACKET_TS_EVENT, id, time);
}
static inline void words_total(struct words *w, uint32_t id, uint32_t cycles)
{
    words_put(w, TT_MARKER_HEADER(TT_PACKET_ZONE_TOTAL, id));
    words_put(w, cycles);
}
static inline void words_u64(struct words *w, uint64_t v)
{
    words_put(w, (uint32_t)(v >> 32));
    words_put(w, (uint32_t)v);
}
static inline void words_data(struct words *w, uint32_t id, uint64_t time, uint64_t data)
{
    words_marker(w, TT_PACKET_TS_DATA, id, time);
    words_u64(w, data);
}
static inline void words_data16(struct words *w, uint32_t id, uint64_t time, uint64_t data,
                                uint64_t high)
{
    words_marker(w, TT_PACKET_TS_DATA_16B, id, time);
    words_u64(w, data);
    words_u64(w, high);
}
static inline void words_counter(struct words *w, uint64_t time, uint32_t counter,
                                 uint32_t cycles, uint32_t value)
{
    words_data16(w, TT_ID_PERF_COUNTER, time, (uint64_t)cycles << 32 | value, counter);
}
// To a multiple of four words, as chunks are sent.
static inline void words_pad(struct words *w)
{
    while ((w->v.n - w->chunk) % 4) {
        words_put(w, TT_MARKER_VALID);
        words_put(w, 0);
    }
}

// A whole chunk of a program with the four markers of the firmware.
static inline void words_program(struct words *w, uint32_t risc, uint32_t flat,
                                 uint32_t program, uint32_t main, uint32_t child,
                                 uint64_t start)
{
    words_begin(w, risc, flat, 0, program);
    words_main(w, main, start, start + 900);
    words_child(w, child, start + 100, start + 800);
}

// --- dispatch kernels: a zone with what it says of its command -------------------------

struct words_dispatch {
    uint32_t zone, command, program, packed; // ids of the names
};
static inline void words_dispatch(struct words *w, const struct words_dispatch *ids,
                                  uint64_t start, uint32_t program, uint32_t command)
{
    words_start(w, ids->zone, start);
    words_data(w, ids->command, start + 10, command);
    words_data(w, ids->program, start + 20, program);
    words_end(w, ids->zone, start + 100);
}

// --- collections -----------------------------------------------------------------------

enum { WORDS_CORES = 4 };

// One chip of four cores: worker 1,2 with flat id 3; workers 1,1 and 2,2; an Ethernet core.
static inline void words_collection(struct collection *c)
{
    static const struct tt_core cores[WORDS_CORES] = {
        {.x = 1, .y = 2, .flat = 3, .kind = TT_CORE_WORKER, .n_riscs = 5},
        {.x = 1, .y = 1, .flat = 4, .kind = TT_CORE_WORKER, .n_riscs = 5},
        {.x = 2, .y = 2, .flat = 5, .kind = TT_CORE_WORKER, .n_riscs = 5},
        {.x = 9, .y = 0, .flat = 6, .kind = TT_CORE_ETH, .n_riscs = 1},
    };
    c->layout = WORDS_V2;
    vec_push(&c->chips, (struct chip_record){.arch_name = "wormhole_b0",
                                             .mhz = 1000,
                                             .max_compute_cores = 64,
                                             .cores = cores,
                                             .n_cores = WORDS_CORES});
}

static inline struct word_block *words_add(struct collection *c, uint32_t core,
                                           uint8_t risc, const struct words *w)
{
    vec_push(&c->blocks, (struct word_block){.core = core, .risc = risc, .n = w->v.n});
    struct word_block *b = &c->blocks.v[c->blocks.n - 1];
    uint32_t *copy = push_many(&c->block_arena, uint32_t, w->v.n + 1);
    if (w->v.n)
        memcpy(copy, w->v.v, w->v.n * sizeof *copy);
    b->words = copy;
    return b;
}

// A name that the loader would give this id.
static inline void words_name(struct collection *c, uint32_t id, const char *name)
{
    names_add_assigned(&c->names, id, str_of(name), S("kernels/test.cpp"), (int64_t)id);
}

#endif
