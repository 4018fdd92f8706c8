// engine_state.h - what a compute engine holds, for the files that make it up.
//
// Every resource carries the cycle since which it is in its present state, and an entry's
// start is the latest of what it needs. So one event per entry is enough (its end), and the
// order in which the three threads are looked at inside a slice does not matter.
#ifndef TTP_SIM_ENGINE_ENGINE_STATE_H
#define TTP_SIM_ENGINE_ENGINE_STATE_H

#include "sim/engine/engine.h"
#include "sim/engine/engine_math.h"

enum {
    ENGINE_DEPTH = 16,
    ENGINE_ARGUMENTS = 9, // 0: the opcode
    ENGINE_BANKS = 2,     // of SrcA, of SrcB; halves of Dst
    ENGINE_HALF_TILES = 8,
};

// Time that something was going on: finished intervals and the last one, which may still be
// going on or lie ahead. `to` is SIM_NEVER while its end is unknown.
struct busy {
    uint64_t total, from, to;
};
enum busy_kind {
    BUSY_FPU,
    BUSY_SFPU,
    BUSY_UNPACK_A,
    BUSY_UNPACK_B,
    BUSY_WRITE_A, // the part of unpack that moves data
    BUSY_WRITE_B,
    BUSY_PACK,
    BUSY_READ_DST,
    BUSY_STALL,                                // + thread: the entry whose turn it is waits
    BUSY_WAIT_A = BUSY_STALL + ENGINE_THREADS, // math waits for SrcA
    BUSY_WAIT_B,
    BUSY_KINDS,
};

struct entry {
    uint64_t enqueued;
    uint32_t argument[ENGINE_ARGUMENTS];
};

struct queue {
    struct entry entry[ENGINE_DEPTH]; // a ring; an entry keeps its slot until it ends
    uint32_t first, n;
    uint32_t argument[ENGINE_ARGUMENTS]; // as last written
    uint64_t free_at;                    // when the entry before the first one ended
    uint64_t result_at;                  // when the results of all ended entries are there
    uint64_t start, end;                 // of the first entry
    bool is_started;
    bool is_stalled; // its RISC waits for a slot
};

enum bank_state { BANK_FREE, BANK_FILLS, BANK_VALID };
struct source {
    struct {
        uint8_t state;  // enum bank_state
        bool is_wide;   // fp32 as it came: arithmetic rounds it first
        uint64_t since; // free or valid from this cycle on
    } bank[ENGINE_BANKS];
    uint8_t fill, use; // banks that unpack and math turn to next
};

enum half_state { HALF_FREE, HALF_MATH, HALF_COMMITTED, HALF_PACK };
struct half {
    uint8_t state; // enum half_state
    uint8_t fresh; // bit per tile that nothing was written to since the acquire
    uint64_t since;
};

// Exists once a kernel has used the engine with numerics on. Rows of 32, not faces.
struct engine_tiles {
    float source[2][ENGINE_BANKS][TILE_ELEMENTS];
    float dst[ENGINE_BANKS][ENGINE_HALF_TILES][TILE_ELEMENTS];
};

enum counter_group {
    GROUP_THREADS,
    GROUP_UNPACK,
    GROUP_FPU,
    GROUP_L1,
    GROUP_PACK,
    COUNTER_GROUPS,
};
enum { COUNTERS_MOST = 12 }; // backed counters of a group
struct counters {
    bool is_running;
    uint64_t from, to;
    uint64_t base[COUNTERS_MOST]; // at start
    uint64_t held[COUNTERS_MOST]; // at stop
};

struct engine {
    struct queue queue[ENGINE_THREADS];
    struct source source[2]; // SrcA, SrcB
    struct half half[ENGINE_BANKS];
    uint8_t math_half, pack_half; // that come next
    bool is_fp32;                 // Dst
    // As seen by the last entry written, for checks while the RISC is still there.
    bool math_holds, pack_holds, written_fp32;
    uint32_t generation; // of resets: events of earlier ones are void
    struct busy busy[BUSY_KINDS];
    uint64_t n_started, last_started; // math operations
    struct counters counters[COUNTER_GROUPS];
    struct engine_tiles *tiles;
};

// --- engine_entries.c: what the entries need, cost and do ------------------------------
enum op_flag {
    OP_A = 1,          // fills or uses SrcA
    OP_B = 2,          // fills or uses SrcB
    OP_SFPU = 8,       // the vector unit works, not the FPU
    OP_TRANSPOSE = 16, // the last source that it fills
    OP_PHASES = 32,    // argument 2 multiplies the cost
};
struct engine_op {
    const char *waits_for; // what it may have to wait for, or NULL
    uint8_t thread, flags; // flags: enum op_flag
    uint16_t cost_field;   // offset in struct sim_costs of the cost of math operations
    // A sentence about what is wrong with the entry, or NULL. Called when it is written.
    const char *(*check)(struct tile *tile, const struct entry *entry);
    // False: what it needs is not there. Else takes it, and raises `start` to when it is.
    bool (*take)(struct tile *tile, const struct entry *entry, uint64_t *start);
    // NULL: the entry takes no time.
    uint32_t (*cost)(const struct sim_costs *costs, const struct entry *entry);
    void (*finish)(struct tile *tile, const struct entry *entry, uint64_t end);
};
const struct engine_op *engine_op(uint32_t opcode); // NULL: there is none
const struct engine_op *entry_op(const struct entry *entry);
void not_before(uint64_t *cycle, uint64_t least);
struct engine_tiles *engine_tiles(struct tile *tile); // NULL: arithmetic is switched off
uint32_t half_tiles(bool is_fp32);                    // of Dst

// --- engine_work.c: arithmetic ---------------------------------------------------------
const char *math_check(struct tile *tile, const struct entry *entry);
const char *binary_check(struct tile *tile, const struct entry *entry);
const char *reduce_check(struct tile *tile, const struct entry *entry);
const char *sfpu_check(struct tile *tile, const struct entry *entry);
bool math_take(struct tile *tile, const struct entry *entry, uint64_t *start);
uint32_t math_cost(const struct sim_costs *costs, const struct entry *entry);
uint32_t sfpu_cost(const struct sim_costs *costs, const struct entry *entry);
void math_finish(struct tile *tile, const struct entry *entry, uint64_t end);
// A tile of Dst; what nothing was written to since the acquire is zero.
float *dst_tile(struct tile *tile, unsigned half, uint32_t index);

// --- engine.c --------------------------------------------------------------------------
void engine_fault(struct tile *tile, unsigned thread, const struct entry *entry,
                  const char *what, uint64_t cycle);
// An interval that begins where the last one began is the same one, with a new end.
void busy_add(struct busy *busy, uint64_t from, uint64_t to);
uint64_t busy_until(const struct busy *busy, uint64_t cycle);

#endif
