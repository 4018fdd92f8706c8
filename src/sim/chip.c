// chip.c - runs a chip window by window (rules 1 and 2 of machine.h).
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "sim/cluster.h"
#include "sim/dispatch/dispatch.h"
#include "sim/engine/engine.h"
#include "sim/noc/noc.h"
#include "sim/program/image.h"
#include "sim/program/program.h"
#include "sim/report/report.h"
#include "sim/tile/tile.h"

// With fewer tiles, waking another thread costs more than it saves.
enum { WORTH_THREADS = 8 };

bool chip_start(struct chip *chip)
{
    size_t n = (size_t)chip->n_tiles;
    chip->fault_at = chip->soonest = SIM_NEVER;
    chip->next = mem_alloc(mem_bytes(sizeof *chip->next, n));
    chip->due = mem_alloc(mem_bytes(sizeof *chip->due, n));
    for (int i = 0; i < chip->n_tiles; i++)
        chip->next[i] = SIM_NEVER;
    noc_open(chip);
    if (chip->dispatch == DISPATCH_FAST)
        pcie_open(chip, chip->cluster->cfg.cqs);
    for (int i = 0; i < chip->n_tiles; i++) {
        chip->tiles[i].chip = chip;
        if (!tile_start(&chip->tiles[i]))
            return false;
    }
    links_open(chip);
    return true;
}

void chip_stop(struct chip *chip)
{
    if (!chip->next)
        return;
    for (int i = 0; i < chip->n_tiles; i++)
        tile_stop(&chip->tiles[i]);
    links_close(chip);
    noc_close(chip);
    mem_free(chip->next);
    mem_free(chip->due);
    chip->next = NULL;
}

uint64_t chip_next(const struct chip *chip)
{
    if (__atomic_load_n(&chip->has_new_faults, __ATOMIC_RELAXED))
        return chip->now; // caused by the host
    uint64_t next = noc_next(chip);
    next = chip->fault_at < next ? chip->fault_at : next;
    return chip->soonest < next ? chip->soonest : next;
}

// --- a window --------------------------------------------------------------------------
// While one tile runs, prefetch the RISCs of the next tile and the head of the one after
// it.
static void fetch_ahead(const struct tile *tiles, const uint16_t *list, size_t n)
{
    enum { LINE = 64, HEAD = 3 * LINE };
    if (n > 2)
        for (size_t at = 0; at < HEAD; at += LINE)
            __builtin_prefetch((const char *)&tiles[list[2]] + at);
    if (n < 2)
        return;
    const struct tile *next = &tiles[list[1]];
    for (uint32_t left = next->running; left; left &= left - 1)
        for (size_t at = 0; at < offsetof(struct risc, skipped); at += LINE)
            __builtin_prefetch((const char *)&next->risc[__builtin_ctz(left)] + at);
}

static void run_tiles(struct chip *chip, uint64_t end)
{
    struct ttdev *t = chip->cluster;
    uint64_t soonest = SIM_NEVER;
    size_t n = 0;
    for (int i = 0; i < chip->n_tiles; i++) {
        uint64_t next = chip->next[i];
        if (next < end)
            chip->due[n++] = (uint16_t)i;
        else if (next < soonest)
            soonest = next;
    }
    if (t->pool && n >= WORTH_THREADS)
        t->barrier_ns += pool_run(t->pool, chip->tiles, chip->due, n, end);
    else
        for (size_t i = 0; i < n; i++) {
            fetch_ahead(chip->tiles, chip->due + i, n - i);
            tile_run(&chip->tiles[chip->due[i]], end);
        }
    for (size_t i = 0; i < n; i++)
        if (chip->next[chip->due[i]] < soonest)
            soonest = chip->next[chip->due[i]];
    chip->soonest = soonest;
}

// Cores that answered DONE no longer count as launched.
static void retire_done_cores(struct chip *chip)
{
    __atomic_store_n(&chip->has_answers, false, __ATOMIC_RELAXED);
    for (int i = 0; i < chip->n_tiles && chip->n_launched > 0; i++) {
        struct tile *tile = &chip->tiles[i];
        if (!tile->is_launched || tile->l1[tile_go_address(tile) + 3] != TT_GO_DONE)
            continue;
        tile->is_launched = false;
        chip->n_launched--;
        chip->done_at = tile->done_at > chip->done_at ? tile->done_at : chip->done_at;
    }
}

// A RISC may have run ahead to its fault. The chip stops only when all others have
// reached that cycle, because one of them may fault earlier.
static void check_faults(struct chip *chip)
{
    if (__atomic_load_n(&chip->has_new_faults, __ATOMIC_RELAXED)) {
        __atomic_store_n(&chip->has_new_faults, false, __ATOMIC_RELAXED);
        for (int i = 0; i < chip->n_tiles; i++) {
            const struct fault *fault = &chip->tiles[i].fault;
            if (fault->kind != FAULT_NONE && fault->cycle < chip->fault_at)
                chip->fault_at = fault->cycle;
        }
    }
    if (chip->fault_at < chip->now && window_end(chip->fault_at) <= chip->now) {
        chip->has_fault = true;
        report_fault(chip);
    }
}

static void run_window(struct chip *chip, uint64_t end)
{
    noc_before_window(chip, end);
    run_tiles(chip, end);
    noc_after_window(chip);
    chip->now = end;
    chip->cluster->windows++;
    if (__atomic_load_n(&chip->has_answers, __ATOMIC_RELAXED))
        retire_done_cores(chip);
    if (chip->has_truth)
        chip_flush_truth(chip);
    check_faults(chip);
}

bool chip_is_done(const struct chip *chip)
{
    return chip->n_launched == 0 && (!chip->fast || fast_is_done(chip)) &&
           noc_in_flight(chip) == 0 && links_in_flight(chip) == 0;
}

static void run_windows(struct chip *chip, uint64_t until, bool stop_when_done)
{
    uint64_t quantum = chip->cluster->cfg.quantum;
    while (chip->now < until && !chip->has_fault) {
        if (stop_when_done && chip_is_done(chip))
            return;
        uint64_t next = chip_next(chip), start = next > chip->now ? next : chip->now;
        if (start >= until) {
            chip->now = until;
            if (chip->has_truth)
                chip_flush_truth(chip); // what the host did since the last window
            return;
        }
        uint64_t end = (start / quantum + 1) * quantum;
        run_window(chip, end < until ? end : until);
    }
}

void chip_run(struct chip *chip, uint64_t until)
{
    run_windows(chip, until, false);
}

void chip_run_until_done(struct chip *chip, uint64_t until)
{
    run_windows(chip, until, true);
}

// --- ground truth ----------------------------------------------------------------------
// Sorts by cycle; events of one cycle keep their order. RISCs run ahead of each other by
// less than a slice, so the list is nearly sorted and insertion is fast.
static void sort_truth(ttdev_truth_event *v, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        ttdev_truth_event event = v[i];
        size_t k = i;
        for (; k > 0 && v[k - 1].cycle > event.cycle; k--)
            v[k] = v[k - 1];
        v[k] = event;
    }
}

void chip_flush_truth(struct chip *chip)
{
    struct ttdev *t = chip->cluster;
    for (int i = 0; i < chip->n_tiles; i++) {
        struct tile *tile = &chip->tiles[i];
        sort_truth(tile->truth.v, tile->truth.n);
        for (size_t k = 0; t->truth && k < tile->truth.n; k++)
            t->truth(t->truth_context, &tile->truth.v[k]);
        tile->truth.n = 0;
    }
}

// --- hash ------------------------------------------------------------------------------
static uint64_t hash_risc(const struct risc *r, uint64_t hash)
{
    const uint64_t words[] = {r->pc, r->clock, r->instructions, r->state};
    hash = XXH3_64bits_withSeed(r->x, 32 * sizeof *r->x, hash);
    hash = XXH3_64bits_withSeed(words, sizeof words, hash);
    return XXH3_64bits_withSeed(r->local, r->local_bytes, hash);
}

uint64_t tile_hash(const struct tile *tile, uint64_t hash)
{
    hash = XXH3_64bits_withSeed(tile->l1, tile->l1_bytes, hash);
    for (unsigned i = 0; i < tile->n_riscs; i++)
        hash = hash_risc(&tile->risc[i], hash);
    for (int i = 0; i < 2; i++) {
        const struct niu *niu = &tile->niu[i];
        hash = XXH3_64bits_withSeed(niu->command, sizeof niu->command, hash);
        hash = XXH3_64bits_withSeed(niu->counters, sizeof niu->counters, hash);
    }
    hash = XXH3_64bits_withSeed(tile->received, sizeof tile->received, hash);
    hash = XXH3_64bits_withSeed(tile->acked, sizeof tile->acked, hash);
    hash = XXH3_64bits_withSeed(tile->completed, sizeof tile->completed, hash);
    return tile->engine ? engine_hash(tile->engine, hash) : hash;
}

uint64_t chip_hash(struct chip *chip)
{
    uint64_t hash = XXH3_64bits_withSeed(&chip->now, sizeof chip->now, 0);
    for (int i = 0; i < chip->n_tiles; i++) {
        // Bring a parked RISC to where it would be had it executed its loop.
        tile_settle(&chip->tiles[i], chip->now);
        tile_refresh(&chip->tiles[i]);
        hash = tile_hash(&chip->tiles[i], hash);
    }
    return noc_hash(chip, hash);
}
