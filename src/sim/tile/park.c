// park.c - see park.h.
#include "sim/tile/park.h"

#include <string.h>

#include "sim/cluster.h"
#include "sim/rv32/rv32.h"
#include "sim/tile/code.h"

enum { LONGEST_LOOP = 256, TRIES = 4 };

// The RISC's state when it was last at the loop head.
struct probe {
    bool is_active;
    uint32_t head, tries;
    uint64_t clock, instructions;
    uint32_t x[32];
    uint32_t pending;
    uint64_t ready[32], loads[8], store_drain; // cycles relative to `clock`
    uint32_t returns[4], n_returns;
    uint32_t n_words, word[POLLED_WORDS];
};

static uint64_t from_now(uint64_t cycle, uint64_t clock)
{
    return cycle > clock ? cycle - clock : 0;
}

// Registers whose loads are still pending.
static uint32_t still_pending(const struct risc *r)
{
    uint32_t pending = 0;
    for (uint32_t left = r->pending & ~1u; left; left &= left - 1)
        if (r->ready[__builtin_ctz(left)] > r->clock)
            pending |= left & -left;
    return pending;
}

// The load queue, starting with its oldest entry.
static uint64_t load_from_now(const struct risc *r, uint32_t i)
{
    uint32_t n = r->tile->chip->costs.loads_in_flight, at = r->next_load + i;
    return from_now(r->loads[at < n ? at : at - n], r->clock);
}

static void snapshot(const struct risc *r, struct probe *p)
{
    uint32_t n = r->tile->chip->costs.loads_in_flight;
    p->clock = r->clock;
    p->instructions = r->instructions;
    memcpy(p->x, r->x, sizeof p->x);
    p->pending = still_pending(r);
    for (uint32_t left = p->pending; left; left &= left - 1)
        p->ready[__builtin_ctz(left)] = r->ready[__builtin_ctz(left)] - r->clock;
    for (uint32_t i = 0; i < n; i++)
        p->loads[i] = load_from_now(r, i);
    p->store_drain = from_now(r->store_drain, r->clock);
    memcpy(p->returns, r->returns, sizeof p->returns);
    p->n_returns = r->n_returns;
    p->n_words = 0;
}

static bool is_same_queues(const struct risc *r, const struct probe *p)
{
    uint32_t n = r->tile->chip->costs.loads_in_flight;
    for (uint32_t left = p->pending; left; left &= left - 1)
        if (p->ready[__builtin_ctz(left)] != r->ready[__builtin_ctz(left)] - r->clock)
            return false;
    for (uint32_t i = 0; i < n; i++)
        if (p->loads[i] != load_from_now(r, i))
            return false;
    return true;
}

static bool is_as_before(const struct risc *r, const struct probe *p)
{
    return memcmp(p->x, r->x, sizeof p->x) == 0 && p->pending == still_pending(r) &&
           is_same_queues(r, p) && p->store_drain == from_now(r->store_drain, r->clock) &&
           p->n_returns == r->n_returns &&
           memcmp(p->returns, r->returns, sizeof p->returns) == 0;
}

static void refresh(struct risc *r)
{
    const struct ttdev *t = r->tile->chip->cluster;
    r->is_traced = t && t->steps.risc == r;
    r->is_careful = (r->probe && r->probe->is_active) || r->caches || r->is_traced;
}

void park_forget(struct risc *r)
{
    if (r->probe)
        r->probe->is_active = false;
    refresh(r);
}

void park_close(struct risc *r)
{
    mem_free(r->probe);
    r->probe = NULL;
}

void park_look(struct risc *r)
{
    if (!r->probe)
        r->probe = mem_alloc(sizeof *r->probe);
    snapshot(r, r->probe);
    r->probe->is_active = true;
    r->probe->head = r->pc;
    r->probe->tries = 0;
    r->is_careful = true;
}

void park_note_load(struct risc *r, uint32_t address)
{
    struct probe *p = r->probe;
    if (!p || !p->is_active)
        return;
    if (address >= r->tile->l1_bytes && !rv_is_shared_pure(address)) {
        park_forget(r);
        return;
    }
    for (uint32_t i = 0; i < p->n_words; i++)
        if (p->word[i] == (address & ~3u))
            return;
    if (p->n_words == POLLED_WORDS) {
        park_forget(r);
        return;
    }
    p->word[p->n_words++] = address & ~3u;
    // A change between this load and the loop head must be noticed, too.
    r->tile->watched |= 1ull << (address >> 2 & 63);
}

void park_note_store(struct risc *r)
{
    if (r->probe && r->probe->is_active)
        park_forget(r);
}

static void watch_polled_words(struct tile *tile)
{
    tile->watched = 0;
    for (unsigned i = 0; i < tile->n_riscs; i++) {
        const struct risc *r = &tile->risc[i];
        for (uint32_t w = 0; r->state == RISC_PARKED && w < r->park.n_words; w++)
            tile->watched |= 1ull << (r->park.word[w] >> 2 & 63);
        const struct probe *p = r->probe;
        for (uint32_t w = 0; p && p->is_active && w < p->n_words; w++)
            tile->watched |= 1ull << (p->word[w] >> 2 & 63);
    }
}

bool park_polls(const struct risc *r, uint32_t address, uint32_t bytes)
{
    const struct probe *p = r->probe;
    bool is_probed = p && p->is_active && r->state == RISC_RUNS;
    const uint32_t *word = is_probed ? p->word : r->park.word;
    uint32_t n = is_probed ? p->n_words : r->state == RISC_PARKED ? r->park.n_words : 0;
    for (uint32_t w = 0; w < n; w++)
        if (word[w] + 4 > address && word[w] < address + bytes)
            return true;
    return false;
}

static void park_risc(struct risc *r, const struct probe *p)
{
    r->park = (struct park){.period = (uint32_t)(r->clock - p->clock),
                            .n_instructions = (uint32_t)(r->instructions - p->instructions),
                            .n_words = p->n_words};
    memcpy(r->park.word, p->word, sizeof r->park.word);
    risc_set_state(r, RISC_PARKED);
    for (int i = 0; i < LOOPS; i++)
        if (r->loops[i].head == p->head)
            r->loops[i].left = r->loops[i].backoff = LOOP_FIRST;
    // Its words are already watched, since the probe read them.
}

bool park_at_loop(struct risc *r)
{
    struct probe *p = r->probe;
    if (!p || !p->is_active)
        return !r->is_careful;
    if (r->pc != p->head) {
        if (r->instructions - p->instructions > LONGEST_LOOP)
            park_forget(r);
        return !r->is_careful;
    }
    if (is_as_before(r, p)) {
        park_risc(r, p);
        park_forget(r);
        return true;
    }
    snapshot(r, p);
    p->tries++;
    // Timing settles after a round or two; a counting register never does.
    if (p->tries == TRIES)
        park_forget(r);
    return !r->is_careful;
}

void park_wake(struct risc *r, uint64_t moment)
{
    struct tile *tile = r->tile;
    uint64_t periods = moment > r->clock ? (moment - r->clock) / r->park.period : 0;
    uint64_t step = periods * r->park.period;
    r->clock += step;
    for (uint32_t left = r->pending; left; left &= left - 1)
        r->ready[__builtin_ctz(left)] += step;
    for (int i = 0; i < 8; i++)
        r->loads[i] += step;
    r->instructions += periods * r->park.n_instructions;
    r->skipped += periods * r->park.n_instructions;
    risc_set_state(r, RISC_RUNS);
    watch_polled_words(tile);
    // It continues to its next access in any case, as it would had it never been parked.
    uint64_t limit = tile->limit;
    int actor = tile->actor;
    tile->actor = r->index;
    rv_run(r, moment);
    tile->actor = actor;
    tile->limit = limit;
}

void park_step(struct risc *r, uint64_t clock, uint32_t pc)
{
    const struct step_request *s = &r->tile->chip->cluster->steps;
    if (clock < s->from || clock >= s->to)
        return;
    const struct code *code = NULL;
    for (int i = 0; i < CODES; i++)
        if (pc - r->code[i].base < r->code[i].bytes)
            code = &r->code[i];
    ttdev_step step = {.cycle = r->tile->chip->boot_cycles + r->tile->skew + clock,
                       .pc = pc,
                       .word = rv_word(r, pc),
                       .is_kernel = code == &r->code[CODE_KERNEL],
                       .x = r->x};
    step.symbol = code_symbol(code, pc, &step.offset);
    s->step(s->context, &step);
}
