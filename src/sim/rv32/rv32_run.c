// rv32_run.c - the two builds of the processor core, and their helpers.
#include <string.h>

#include "sim/rv32/caches.h"
#include "sim/rv32/rv32.h"
#include "sim/tile/code.h"
#include "sim/tile/park.h"

#if defined(__GNUC__) && !defined(__clang__)
// Merging the ends of the handlers would leave the host's predictor few jumps to learn.
#pragma GCC optimize("no-crossjumping")
#endif

// How far instructions that touch nothing shared may run past the limit: to the second
// multiple of this at or after it. All limits that a cycle may have lie in one window, so
// where a RISC stops does not depend on which of them applied.
#define RUN_AHEAD UINT64_C(4096)

static uint64_t run_ahead(uint64_t limit)
{
    return limit < SIM_NEVER - 2 * RUN_AHEAD
               ? (limit + 2 * RUN_AHEAD - 1) / RUN_AHEAD * RUN_AHEAD
               : SIM_NEVER;
}

#define RV_LABEL(name) &&op_##name,

static const struct code *code_at(const struct risc *r, uint32_t pc)
{
    for (int i = 0; i < CODES; i++)
        if (pc - r->code[i].base < r->code[i].bytes && !(pc & 3))
            return &r->code[i];
    return NULL;
}

// When the last of these registers is ready.
static uint64_t latest(const struct risc *r, uint32_t registers, uint64_t clock)
{
    for (; registers; registers &= registers - 1) {
        uint64_t ready = r->ready[__builtin_ctz(registers)];
        clock = ready > clock ? ready : clock;
    }
    return clock;
}

// Waits for the registers the instruction uses; r->pending then holds the other pending
// loads.
static uint64_t __attribute__((noinline))
wait_for(struct risc *r, const struct rv_op *op, uint32_t pending, uint64_t clock)
{
    r->pending = pending & ~op->use;
    return latest(r, pending & op->use, clock);
}

static uint32_t divide(uint32_t a, uint32_t b)
{
    if (b == 0)
        return UINT32_MAX;
    if (a == 1u << 31 && b == UINT32_MAX)
        return a;
    return (uint32_t)((int32_t)a / (int32_t)b);
}

static uint32_t remainder_of(uint32_t a, uint32_t b)
{
    if (b == 0)
        return a;
    if (a == 1u << 31 && b == UINT32_MAX)
        return 0;
    return (uint32_t)((int32_t)a % (int32_t)b);
}

static uint64_t divide_cycles(const struct sim_costs *k, uint32_t a, uint32_t b,
                              bool is_signed)
{
    if (b <= 1 || (is_signed && a == 1u << 31 && b == UINT32_MAX))
        return k->div_trivial;
    uint32_t magnitude = is_signed && (int32_t)a < 0 ? 0u - a : a;
    uint32_t cycles = magnitude ? 33 - (uint32_t)__builtin_clz(magnitude) : 1;
    cycles = cycles < k->div_least ? k->div_least : cycles;
    return cycles > k->div_most ? k->div_most : cycles;
}

// A loop that counts or computes changes its registers every round: comparing their sum
// over two successive rounds rejects nearly all loops that do not poll. Failures make
// checks rarer.
static bool __attribute__((noinline))
looks_like_poll(const struct risc *r, struct loop *loop)
{
    uint64_t sum = 0, pair;
    for (int i = 0; i < 32; i += 2) {
        memcpy(&pair, &r->x[i], sizeof pair);
        sum = (sum << 5 | sum >> 59) + pair;
    }
    bool is_second = loop->has_sum, is_same = loop->sum == sum;
    loop->has_sum = !is_second;
    loop->sum = sum;
    if (!is_second) {
        loop->left = 1;
        return false;
    }
    if (loop->backoff < LOOP_MOST)
        loop->backoff = (uint16_t)(loop->backoff * 2);
    loop->left = loop->backoff;
    return is_same && r->can_park;
}

// --- hooks of the careful build --------------------------------------------------------
// `number` counts instructions: a stopped one comes by twice.
static uint64_t careful_step(struct risc *r, uint64_t clock, uint32_t pc, uint64_t number)
{
    if ((!r->caches && !r->is_traced) || r->stepped == number + 1)
        return clock;
    r->stepped = number + 1;
    if (r->caches)
        clock += caches_fetch(r, pc);
    if (r->is_traced)
        park_step(r, clock, pc);
    return clock;
}

static void careful_note(struct risc *r, uint32_t address)
{
    park_note_load(r, address);
}

static uint32_t careful_load(struct risc *r, uint32_t address, uint32_t bytes,
                             uint32_t *latency)
{
    uint32_t value = 0;
    park_note_load(r, address);
    if (r->caches && caches_load(r, address, bytes, &value)) {
        *latency = r->tile->chip->costs.load_l0_hit;
        return value;
    }
    memcpy(&value, r->tile->l1 + address, bytes);
    return value;
}

static void careful_store(struct risc *r, uint32_t address)
{
    park_note_store(r);
    if (r->caches)
        caches_store(r, address);
}

static void careful_fence(struct risc *r)
{
    if (r->caches)
        caches_flush(r);
}

static bool careful_loop(struct risc *r)
{
    return park_at_loop(r);
}

// What simulated code does is no news to a fuzzer, and takes it half of its time.
#if defined(__clang__)
#define RV_UNCOVERED __attribute__((no_sanitize("coverage")))
#else
#define RV_UNCOVERED
#endif
// Labels as values are an extension of both compilers.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#define RV_CORE    run_fast
#define RV_CAREFUL 0
#include "sim/rv32/rv32_core.h"
#define RV_CORE    run_careful
#define RV_CAREFUL 1
#include "sim/rv32/rv32_core.h"
#pragma GCC diagnostic pop

void rv_run(struct risc *r, uint64_t limit)
{
    r->tile->limit = limit;
    while (r->is_careful ? run_careful(r) : run_fast(r)) {
    }
}

void rv_reset(struct risc *r, uint32_t pc, uint64_t cycle)
{
    memset(r->x, 0, sizeof r->x);
    memset(r->ready, 0, sizeof r->ready);
    memset(r->loads, 0, sizeof r->loads);
    memset(r->returns, 0, sizeof r->returns);
    memset(r->loops, 0, sizeof r->loops);
    r->pc = pc;
    r->pending = r->next_load = r->n_returns = 0;
    r->last_store = 0;
    r->store_drain = 0;
    r->clock = cycle;
    r->stack_limit = 0;
    r->has_waited = false;
    risc_set_state(r, RISC_RUNS);
    park_forget(r);
}

uint32_t rv_word(const struct risc *r, uint32_t pc)
{
    uint32_t word = 0;
    if (code_at(r, pc) && pc + 4 <= r->tile->l1_bytes)
        memcpy(&word, r->tile->l1 + pc, 4);
    return word;
}
