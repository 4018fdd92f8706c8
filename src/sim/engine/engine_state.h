// engine_state.h - the state of a compute engine, shared by its files.
//
// Every resource records the cycle since which it has been in its current state, and an
// entry starts at the latest of the cycles it needs. So one event per entry (its end) is
// enough, and the order in which the three threads are visited within a slice does not
// matter.
#ifndef TTP_SIM_ENGINE_ENGINE_STATE_H
#define TTP_SIM_ENGINE_ENGINE_STATE_H

#include "sim/engine/engine.h"
#include "sim/engine/engine_math.h"
#include "ttprof/perf_counters.h"

enum {
    ENGINE_DEPTH = 16,
    ENGINE_ARGUMENTS = 9, // 0 is the opcode
    ENGINE_BANKS = 2,     // of SrcA and SrcB; also halves of Dst
    ENGINE_HALF_TILES = 8,
};

// Busy time: finished intervals and the last one, which may be in progress or in the
// future. `to` is SIM_NEVER while its end is unknown.
struct busy {
    uint64_t total, from, to;
};
enum busy_kind {
    BUSY_FPU,
    BUSY_SFPU,
    BUSY_MATH, // either of them
    BUSY_UNPACK_A,
    BUSY_UNPACK_B,
    BUSY_MOVE_A, // the part of unpack that reads L1 and writes SrcA
    BUSY_MOVE_B,
    BUSY_PACK,
    BUSY_MOVE_DST,  // the part of pack that reads Dst and writes L1
    BUSY_OPERATION, // + thread: the first entry is an operation, waiting or not
    BUSY_STALL = BUSY_OPERATION + ENGINE_THREADS, // + thread: the first entry waits
    // What it waits for:
    BUSY_FREE_A = BUSY_STALL + ENGINE_THREADS, // unpack: a free bank of SrcA
    BUSY_FREE_B,
    BUSY_VALID_A, // math: data in SrcA
    BUSY_VALID_B,
    BUSY_FREE_HALF,      // math: a free half of Dst
    BUSY_COMMITTED_HALF, // pack: a committed half of Dst
    BUSY_PACKED,         // pack: the tiles packed before
    BUSY_KINDS,
};

struct entry {
    uint64_t enqueued;
    uint32_t argument[ENGINE_ARGUMENTS];
};

struct queue {
    struct entry entry[ENGINE_DEPTH]; // ring; an entry keeps its slot until it ends
    uint32_t first, n;
    uint32_t argument[ENGINE_ARGUMENTS]; // as last written
    uint64_t free_at;                    // when the previous entry ended
    uint64_t result_at;                  // when the results of all ended entries are ready
    uint64_t start, end;                 // of the first entry
    bool is_started;
    bool is_stalled; // its RISC waits for a slot
};

enum bank_state { BANK_FREE, BANK_FILLS, BANK_VALID };
struct source {
    struct {
        uint8_t state;  // enum bank_state
        bool is_wide;   // unrounded fp32: arithmetic rounds it first
        uint64_t since; // free or valid from this cycle on
    } bank[ENGINE_BANKS];
    uint8_t fill, use; // next bank for unpack, for math
};

enum half_state { HALF_FREE, HALF_MATH, HALF_COMMITTED, HALF_PACK };
struct half {
    uint8_t state; // enum half_state
    uint8_t fresh; // bit per tile not written since the acquire
    uint64_t since;
};

// Allocated once a kernel uses the engine with numerics on. Row-major, not faces.
struct engine_tiles {
    float source[2][ENGINE_BANKS][TILE_ELEMENTS];
    float dst[ENGINE_BANKS][ENGINE_HALF_TILES][TILE_ELEMENTS];
};

// What performance counters show: busy times and these.
enum counter_source {
    SOURCE_STARTED = BUSY_KINDS, // math operations
    SOURCE_BEATS,                // + NoC * BEATS + enum beat
    SOURCES = SOURCE_BEATS + 2 * BEATS,
};
struct counters {
    bool is_running;
    uint64_t from, to;
    uint64_t base[SOURCES]; // at start
    uint64_t held[SOURCES]; // at stop
};
// Groups with registers of their own come first; all of L1 share those of L1_0.
enum { COUNTER_GROUPS = TT_PERF_INSTRN + 1 };

struct engine {
    struct queue queue[ENGINE_THREADS];
    struct source source[2]; // SrcA, SrcB
    struct half half[ENGINE_BANKS];
    uint8_t math_half, pack_half; // next half for each
    bool is_fp32;                 // Dst
    // State after the last entry issued, for checks at issue.
    bool math_holds, pack_holds, written_fp32;
    uint32_t generation; // counts resets: events of earlier ones are void
    struct busy busy[BUSY_KINDS];
    uint64_t n_started, last_started; // math operations
    struct counters counters[COUNTER_GROUPS];
    struct engine_tiles *tiles;
};

// --- engine_entries.c: what entries need, cost and do ----------------------------------
enum op_flag {
    OP_A = 1,          // fills or uses SrcA
    OP_B = 2,          // fills or uses SrcB
    OP_SFPU = 8,       // uses the vector unit, not the FPU
    OP_TRANSPOSE = 16, // transposes the last source it fills
    OP_PHASES = 32,    // argument 2 multiplies the cost
    OP_KEEPS = 64,     // argument 3 names sources that stay
};
extern const uint8_t source_flags[2]; // OP_A, OP_B
// What an entry may wait for.
struct engine_wait {
    const char *what;
    int busy; // enum busy_kind that counts it; -1: `take` counts it for each source
};
struct engine_op {
    const struct engine_wait *waits_for; // NULL: nothing
    uint8_t thread, flags;               // flags: enum op_flag
    uint16_t cost_field;                 // offset in struct sim_costs; math operations only
    // Called at issue. Returns what is wrong with the entry, or NULL.
    const char *(*check)(struct tile *tile, const struct entry *entry);
    // False if an input is missing; else claims the inputs and raises `start` to when
    // they are ready.
    bool (*take)(struct tile *tile, const struct entry *entry, uint64_t *start);
    // NULL: the entry takes no time.
    uint32_t (*cost)(const struct sim_costs *costs, const struct entry *entry);
    void (*finish)(struct tile *tile, const struct entry *entry, uint64_t end);
};
const struct engine_op *engine_op(uint32_t opcode); // NULL if there is none
const struct engine_op *entry_op(const struct entry *entry);
void not_before(uint64_t *cycle, uint64_t least);
// Whether the next banks of the sources an entry uses are free (to be filled) or valid (to
// be used); raises `start` and counts the waits, as `wait` for SrcA and `wait` + 1 for
// SrcB.
bool sources_are(struct engine *engine, uint8_t flags, enum bank_state state,
                 enum busy_kind wait, uint64_t *start);
struct engine_tiles *engine_tiles(struct tile *tile); // NULL if arithmetic is off
uint32_t half_tiles(bool is_fp32);                    // of Dst

// --- engine_work.c: arithmetic ---------------------------------------------------------
const char *math_check(struct tile *tile, const struct entry *entry);
const char *matmul_check(struct tile *tile, const struct entry *entry);
const char *binary_check(struct tile *tile, const struct entry *entry);
const char *reduce_check(struct tile *tile, const struct entry *entry);
const char *sfpu_check(struct tile *tile, const struct entry *entry);
bool math_take(struct tile *tile, const struct entry *entry, uint64_t *start);
uint32_t math_cost(const struct sim_costs *costs, const struct entry *entry);
uint32_t sfpu_cost(const struct sim_costs *costs, const struct entry *entry);
void math_finish(struct tile *tile, const struct entry *entry, uint64_t end);
// A tile of Dst; zero if not written since the acquire.
float *dst_tile(struct tile *tile, unsigned half, uint32_t index);

// --- engine.c --------------------------------------------------------------------------
void engine_fault(struct tile *tile, unsigned thread, const struct entry *entry,
                  const char *what, uint64_t cycle);
// An interval that begins where the last one began extends or replaces it.
void busy_add(struct busy *busy, uint64_t from, uint64_t to);
// A wait that may be empty; `to` is SIM_NEVER while its end is unknown.
void busy_wait(struct busy *busy, uint64_t from, uint64_t to);
uint64_t busy_until(const struct busy *busy, uint64_t cycle);

#endif
