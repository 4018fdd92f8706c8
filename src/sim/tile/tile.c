// tile.c - see tile.h.
#include "sim/tile/tile.h"

#include <string.h>
#include <sys/mman.h>

#include "sim/cluster.h"
#include "sim/dispatch/cores.h"
#include "sim/engine/engine.h"
#include "sim/noc/noc.h"
#include "sim/rv32/caches.h"
#include "sim/rv32/rv32.h"
#include "sim/tile/code.h"
#include "sim/tile/park.h"
#include "ttprof/dispatch_words.h"

// The chip numbers NoC events; at the same cycle, a tile's own events come after them.
#define LOCAL_ORDER (1ull << 63)

// --- set-up ----------------------------------------------------------------------------
static uint32_t local_bytes(const struct tile *tile, unsigned risc)
{
    const struct tt_layout *l = tile->chip->layout;
    bool is_trisc = tile->kind == TILE_TENSIX && risc >= TT_TRISC0;
    return is_trisc ? l->local_trisc_bytes : l->local_dm_bytes;
}

bool tile_start(struct tile *tile)
{
    const struct chip *chip = tile->chip;
    const ttdev_cfg *cfg = &chip->cluster->cfg;
    bool is_eth = tile->kind == TILE_ETH;
    tile->l1_bytes = is_eth ? chip->layout->eth_l1_bytes : chip->layout->l1_bytes;
    tile->guard_top = is_eth ? tile->l1_bytes : chip->layout->buffers;
    if (dispatch_core_role(tile) >= 0)
        tile->guard_top += TT_PREFETCH_QUEUE; // stores to it are traced
    void *l1 = mmap(NULL, tile->l1_bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (l1 == MAP_FAILED)
        return false;
    tile->l1 = l1;
    tile->code_from = UINT32_MAX;
    tile->actor = -1;
    tile->next = SIM_NEVER;
    tile->soft_reset = TT_RESET_BRISC | TT_RESET_TRISCS | TT_RESET_NCRISC;
    for (unsigned i = 0; i < tile->n_riscs; i++) {
        struct risc *r = &tile->risc[i];
        r->tile = tile;
        r->index = (uint8_t)i;
        risc_set_state(r, RISC_RESET);
        r->local_bytes = local_bytes(tile, i);
        r->local = mem_alloc(r->local_bytes);
        bool has_l0 = cfg->l0 && chip->arch == TT_BLACKHOLE;
        if (cfg->icache || has_l0)
            r->caches = caches_new(r, cfg->icache, has_l0);
        r->can_park = cfg->park && !r->caches;
        r->is_careful = r->caches != NULL;
    }
    niu_reset(tile);
    if (!is_eth)
        tile->engine = engine_new(tile);
    return true;
}

void tile_stop(struct tile *tile)
{
    if (!tile->l1)
        return;
    for (unsigned i = 0; i < tile->n_riscs; i++) {
        struct risc *r = &tile->risc[i];
        mem_free(r->local);
        mem_free(r->caches);
        for (int c = 0; c < CODES; c++)
            mem_free(r->code[c].own);
        park_close(r);
    }
    for (size_t i = 0; i < tile->events.n; i++)
        mem_free(tile->events.v[i].payload);
    for (size_t i = 0; i < tile->outbox.n; i++)
        mem_free(tile->outbox.v[i].payload);
    vec_free(&tile->events);
    vec_free(&tile->outbox);
    vec_free(&tile->truth);
    if (tile->engine)
        engine_free(tile->engine);
    (void)munmap(tile->l1, tile->l1_bytes);
    tile->l1 = NULL;
}

// --- events ----------------------------------------------------------------------------
static bool is_before(const struct event *a, const struct event *b)
{
    return a->cycle != b->cycle ? a->cycle < b->cycle : a->order < b->order;
}

static void heap_push(struct tile *tile, struct event event)
{
    vec_push(&tile->events, event);
    struct event *v = tile->events.v;
    size_t i = tile->events.n - 1;
    for (; i > 0 && is_before(&event, &v[(i - 1) / 2]); i = (i - 1) / 2)
        v[i] = v[(i - 1) / 2];
    v[i] = event;
}

static struct event heap_pop(struct tile *tile)
{
    struct event *v = tile->events.v, first = v[0];
    size_t n = --tile->events.n;
    if (n == 0)
        return first;
    struct event last = v[n];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && is_before(&v[child + 1], &v[child]))
            child++;
        if (!is_before(&v[child], &last))
            break;
        v[i] = v[child];
    }
    v[i] = last;
    return first;
}

static uint64_t next_event(const struct tile *tile)
{
    return tile->events.n ? tile->events.v[0].cycle : SIM_NEVER;
}

// The end of the slice that contains a cycle of the current turn: a turn may be longer if
// no other RISC has anything to do, but slices always end at multiples of 8.
static uint64_t slice_end(const struct tile *tile, uint64_t cycle)
{
    uint64_t grid = (cycle | (SIM_SLICE - 1)) + 1;
    return grid < tile->slice_to ? grid : tile->slice_to;
}

static void cut_turn(struct tile *tile, uint64_t end)
{
    if (end < tile->slice_to)
        tile->slice_to = end;
    if (end < tile->limit)
        tile->limit = end;
}

void tile_end_turn(struct tile *tile, uint64_t cycle)
{
    if (tile->actor >= 0)
        cut_turn(tile, slice_end(tile, cycle));
}

// Tiles run on several threads, so chip state is left alone during the run.
static void set_next(struct tile *tile, uint64_t cycle)
{
    struct chip *chip = tile->chip;
    tile->next = chip->next[tile->index] = cycle;
    if (!tile->is_running && cycle < chip->soonest)
        chip->soonest = cycle;
}

void tile_post(struct tile *tile, struct event event)
{
    if (event.order == 0)
        event.order = LOCAL_ORDER | ++tile->n_local_events;
    heap_push(tile, event);
    if (tile->actor >= 0) {
        uint64_t slice = slice_end(tile, tile->risc[tile->actor].clock);
        cut_turn(tile, event.cycle > slice ? event.cycle : slice);
    }
    if (event.cycle < tile->next)
        set_next(tile, event.cycle);
}

// --- changes to polled words -----------------------------------------------------------
// The current moment as RISC `number` sees it: RISCs with smaller numbers have had their
// turn in this slice, those with greater ones have not. A slice begins at a multiple of 8,
// at an event, or where the host stopped the chip (chip->now), whatever was due when.
static uint64_t moment_for(const struct tile *tile, unsigned number)
{
    uint64_t stop = tile->chip->now;
    if (tile->actor < 0)
        return tile->now > stop ? tile->now : stop;
    uint64_t cycle = tile->risc[tile->actor].clock;
    if ((int)number < tile->actor)
        return slice_end(tile, cycle);
    uint64_t from = cycle & ~(uint64_t)(SIM_SLICE - 1);
    from = from > tile->last_event ? from : tile->last_event;
    return from > stop ? from : stop;
}

void tile_stop_risc(struct tile *tile, unsigned risc, enum risc_state state)
{
    struct risc *r = &tile->risc[risc];
    if (r->state == RISC_PARKED)
        park_wake(r, moment_for(tile, risc));
    risc_set_state(r, state);
}

static void wake(struct tile *tile, struct risc *r)
{
    park_wake(r, moment_for(tile, r->index));
    if (tile->actor >= 0)
        tile_end_turn(tile, tile->risc[tile->actor].clock);
    else if (!tile->is_running)
        tile_refresh(tile);
}

void tile_touch(struct tile *tile, uint32_t address, uint32_t bytes)
{
    uint64_t word = 1ull << (address >> 2 & 63);
    if (!((address & 3) + bytes > 4 ? tile->watched : tile->watched & word))
        return;
    for (unsigned i = 0; i < tile->n_riscs; i++) {
        struct risc *r = &tile->risc[i];
        if (!park_polls(r, address, bytes))
            continue;
        if (r->state == RISC_PARKED)
            wake(tile, r);
        else
            park_forget(r);
    }
}

void tile_settle(struct tile *tile, uint64_t cycle)
{
    tile_stand(tile, cycle);
    for (unsigned i = 0; i < tile->n_riscs; i++)
        if (tile->risc[i].state == RISC_PARKED)
            park_wake(&tile->risc[i], cycle);
}

static uint32_t go_address(const struct tile *tile)
{
    const struct tt_layout *l = tile->chip->layout;
    return tile->kind == TILE_ETH ? l->eth_go_messages : l->go_messages;
}

const uint8_t *tile_launch_message(const struct tile *tile)
{
    const struct tt_layout *l = tile->chip->layout;
    bool is_eth = tile->kind == TILE_ETH;
    uint32_t slot, ring = is_eth ? l->eth_launch_ring : l->launch_ring;
    memcpy(&slot, tile->l1 + (is_eth ? l->eth_mailbox + 0xC : l->launch_rd_ptr),
           sizeof slot);
    return slot < TT_LAUNCH_SLOTS ? tile->l1 + ring + (size_t)slot * TT_LAUNCH_BYTES : NULL;
}

// A go word names the dispatch core that sent it; the host's names none, and launch.c tells
// of its launches.
static void tell_launch(struct tile *tile)
{
    const uint8_t *message = tile_launch_message(tile);
    uint32_t word, enables = 0, id;
    memcpy(&word, tile->l1 + go_address(tile), sizeof word);
    if (message)
        memcpy(&enables, message + TT_LAUNCH_ENABLES, sizeof enables);
    if (word >> 24 != TT_GO_GO || !(word & 0xFFFFFF) || !enables)
        return;
    memcpy(&id, message + TT_LAUNCH_HOST_ID, sizeof id);
    tile_truth(tile, 0, TTDEV_TRUTH_LAUNCH, tile->now, id, 0);
}

static void go_changed(struct tile *tile)
{
    if (tile->chip->has_truth)
        tell_launch(tile);
    if (tile->l1[go_address(tile) + 3] != TT_GO_DONE)
        return;
    tile->done_at = tile->actor < 0 ? moment_for(tile, 0) : tile->risc[tile->actor].clock;
    __atomic_store_n(&tile->chip->has_answers, true, __ATOMIC_RELAXED);
}

void tile_write(struct tile *tile, uint32_t address, const void *data, uint32_t bytes)
{
    tile_touch(tile, address, bytes);
    memcpy(tile->l1 + address, data, bytes);
    if (address >= tile->guard_top)
        return;
    code_changed(tile, address, bytes);
    uint32_t go = go_address(tile) + 3;
    if (address <= go && go < address + bytes)
        go_changed(tile);
}

static void tell_store(struct tile *tile, unsigned by, uint32_t address, uint32_t value,
                       uint64_t cycle)
{
    const struct tt_layout *l = tile->chip->layout;
    uint32_t buffers =
        tile->kind == TILE_ETH ? l->eth_profiler_buffers : l->profiler_buffers;
    if (address - buffers < (uint32_t)tile->n_riscs * TT_PROFILER_BUFFER_BYTES)
        tile_truth(tile, by, TTDEV_TRUTH_MARKER_STORE, cycle,
                   (uint64_t)address << 32 | value, tile->risc[by].pc);
    int role = dispatch_core_role(tile);
    if (role >= 0 &&
        address == l->buffers +
                       (role == DISPATCH_PREFETCHER ? TT_PREFETCH_DONE : TT_DISPATCH_DONE))
        tile_truth(tile, by, TTDEV_TRUTH_COMMAND_DONE, cycle, value, tile->risc[by].pc);
}

void tile_store(struct tile *tile, int by, uint32_t address, uint32_t value, uint32_t bytes,
                uint64_t cycle)
{
    tile_write(tile, address, &value, bytes);
    if (tile->chip->has_truth && by >= 0)
        tell_store(tile, (unsigned)by, address, value, cycle);
}

void tile_unstall(struct tile *tile, unsigned risc, uint64_t cycle)
{
    struct risc *r = &tile->risc[risc];
    if (r->state != RISC_STALLED)
        return;
    risc_set_state(r, RISC_RUNS);
    r->clock = cycle > r->clock ? cycle : r->clock;
    tile_end_turn(tile, cycle);
    if (!tile->is_running)
        tile_refresh(tile);
}

void tile_fault(struct tile *tile, struct fault fault)
{
    const struct fault *first = &tile->fault;
    bool is_parked =
        fault.risc < tile->n_riscs && tile->risc[fault.risc].state == RISC_PARKED;
    if (fault.risc < tile->n_riscs)
        tile_stop_risc(tile, fault.risc, RISC_HALTED);
    if (is_parked) // what the engine or the host did applies where it really is
        fault.pc = tile->risc[fault.risc].pc;
    if (first->kind == FAULT_NONE || fault.cycle < first->cycle ||
        (fault.cycle == first->cycle && fault.risc < first->risc))
        tile->fault = fault;
    __atomic_store_n(&tile->chip->has_new_faults, true, __ATOMIC_RELAXED);
}

void tile_truth(struct tile *tile, unsigned risc, int kind, uint64_t cycle,
                uint64_t argument, uint32_t pc)
{
    const struct chip *chip = tile->chip;
    if (!chip->has_truth)
        return;
    vec_push(&tile->truth,
             (ttdev_truth_event){.true_fs = chip_true_fs(chip, cycle),
                                 .cycle = chip->boot_cycles + tile->skew + cycle,
                                 .argument = argument,
                                 .pc = pc,
                                 .dev = (int16_t)chip->number,
                                 .x = (int16_t)tile->noc0.x,
                                 .y = (int16_t)tile->noc0.y,
                                 .risc = (uint8_t)risc,
                                 .kind = (uint8_t)kind,
                                 .is_dispatch = dispatch_is_core(tile)});
}

// --- running ---------------------------------------------------------------------------
void tile_stand(struct tile *tile, uint64_t cycle)
{
    tile->actor = -1;
    tile->now = tile->now > cycle ? tile->now : cycle;
}

// The two smallest clocks of running RISCs.
struct clocks {
    uint64_t first, second;
};
static struct clocks running(const struct tile *tile)
{
    struct clocks c = {SIM_NEVER, SIM_NEVER};
    for (uint32_t left = tile->running; left; left &= left - 1) {
        uint64_t clock = tile->risc[__builtin_ctz(left)].clock;
        if (clock < c.first) {
            c.second = c.first;
            c.first = clock;
        } else if (clock < c.second) {
            c.second = clock;
        }
    }
    return c;
}

void tile_refresh(struct tile *tile)
{
    uint64_t clock = running(tile).first, event = next_event(tile);
    set_next(tile, clock < event ? clock : event);
}

// A turn may last until a second RISC or an event has something to do.
static uint64_t turn_end(const struct tile *tile, uint64_t now, uint64_t second,
                         uint64_t end)
{
    uint64_t grid = (now | (SIM_SLICE - 1)) + 1, event = next_event(tile);
    uint64_t alone = second == SIM_NEVER ? end : second & ~(uint64_t)(SIM_SLICE - 1);
    uint64_t turn = alone > grid ? alone : grid;
    turn = turn < event ? turn : event;
    return turn < end ? turn : end;
}

// Runs all RISCs with something to do before the end of the slice, by number. A RISC woken
// by another joins in if its number is greater.
static void take_turns(struct tile *tile)
{
    for (uint32_t left = tile->running; left;) {
        unsigned i = (unsigned)__builtin_ctz(left);
        if (tile->risc[i].clock < tile->slice_to) {
            tile->actor = (int)i;
            rv_run(&tile->risc[i], tile->slice_to);
        }
        left = tile->running & ~((2u << i) - 1);
    }
    tile->actor = -1;
}

void tile_run(struct tile *tile, uint64_t end)
{
    tile->is_running = true;
    for (;;) {
        struct clocks clocks = running(tile);
        uint64_t event = next_event(tile);
        uint64_t at = clocks.first < event ? clocks.first : event;
        if (at >= end)
            break;
        tile->now = at > tile->now ? at : tile->now;
        if (event <= tile->now) {
            struct event due = heap_pop(tile);
            tile->last_event = tile->now;
            due.apply(tile, &due);
            continue;
        }
        tile->slice_to = turn_end(tile, tile->now, clocks.second, end);
        take_turns(tile);
        tile->now = tile->slice_to;
    }
    tile->now = end;
    tile_refresh(tile);
    tile->is_running = false;
}
