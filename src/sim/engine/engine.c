// engine.c - the engine's register window, its queues and their timing. The entries
// themselves are in engine_entries.c.
#include "sim/engine/engine.h"

#include <string.h>

#include "base/data/mem.h"

#include "sim/engine/engine_state.h"
#include "ttprof/engine_ops.h"

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

// --- intervals -------------------------------------------------------------------------
void busy_add(struct busy *busy, uint64_t from, uint64_t to)
{
    if (busy->from != from) {
        busy->total += busy->to - busy->from;
        busy->from = from;
    }
    busy->to = to;
}

void busy_wait(struct busy *busy, uint64_t from, uint64_t to)
{
    if (to > from || busy->to == SIM_NEVER)
        busy_add(busy, from, to);
}

uint64_t busy_until(const struct busy *busy, uint64_t cycle)
{
    uint64_t end = cycle < busy->to ? cycle : busy->to;
    return busy->total + (end > busy->from ? end - busy->from : 0);
}

// --- lifetime --------------------------------------------------------------------------
struct engine *engine_new(struct tile *tile)
{
    (void)tile;
    return mem_alloc(sizeof(struct engine));
}

void engine_free(struct engine *engine)
{
    if (!engine)
        return;
    mem_free(engine->tiles);
    mem_free(engine);
}

void engine_reset(struct engine *engine)
{
    uint32_t generation = engine->generation + 1;
    struct engine_tiles *tiles = engine->tiles;
    memset(engine, 0, sizeof *engine);
    engine->generation = generation;
    engine->tiles = tiles;
}

// --- queues ----------------------------------------------------------------------------
static struct entry *queue_head(struct queue *queue)
{
    return &queue->entry[queue->first];
}

void engine_fault(struct tile *tile, unsigned thread, const struct entry *entry,
                  const char *what, uint64_t cycle)
{
    unsigned risc = TT_TRISC0 + thread;
    tile_fault(tile, (struct fault){.cycle = cycle,
                                    .pc = tile->risc[risc].pc,
                                    .address = TT_ENGINE,
                                    .value = entry->argument[0],
                                    .kind = FAULT_ENGINE,
                                    .risc = (uint8_t)risc,
                                    .what = what});
}

// Performance counter view of an operation that will run from `start` to `end`.
static void engine_account(struct tile *tile, const struct engine_op *op, uint64_t start,
                           uint64_t end)
{
    struct engine *engine = tile->engine;
    struct busy *busy = engine->busy;
    uint64_t moves = start + tile->chip->costs.engine_issue;
    switch (op->thread) {
    case ENGINE_UNPACK:
        for (int s = 0; s < 2; s++)
            if (op->flags & source_flags[s]) {
                busy_add(&busy[BUSY_UNPACK_A + s], start, end);
                busy_add(&busy[BUSY_MOVE_A + s], moves, end);
            }
        break;
    case ENGINE_MATH:
        busy_add(&busy[op->flags & OP_SFPU ? BUSY_SFPU : BUSY_FPU], moves, end);
        busy_add(&busy[BUSY_MATH], moves, end);
        engine->n_started++;
        engine->last_started = moves;
        break;
    default:
        busy_add(&busy[BUSY_PACK], start, end);
        busy_add(&busy[BUSY_MOVE_DST], moves, end);
    }
}

// The same of the time an entry is first in its queue: from `turn` it waits, until `start`.
static void engine_account_wait(struct engine *engine, const struct engine_op *op,
                                uint64_t turn, uint64_t start)
{
    busy_wait(&engine->busy[BUSY_STALL + op->thread], turn, start);
    if (op->waits_for && op->waits_for->busy >= 0)
        busy_wait(&engine->busy[op->waits_for->busy], turn, start);
}

// Ground truth uses the intervals of the busy counters: a math unit is not busy while its
// operation is being issued.
static void engine_truth(struct tile *tile, const struct engine_op *op, uint32_t opcode)
{
    const struct queue *queue = &tile->engine->queue[op->thread];
    uint64_t from = queue->start;
    if (op->thread == ENGINE_MATH)
        from += tile->chip->costs.engine_issue;
    unsigned risc = TT_TRISC0 + op->thread;
    tile_truth(tile, risc, TTDEV_TRUTH_ENGINE_START, from, opcode, 0);
    tile_truth(tile, risc, TTDEV_TRUTH_ENGINE_END, queue->end, opcode, 0);
}

// Applies the effect of the first entry and frees its slot.
static void queue_finish(struct tile *tile, unsigned thread)
{
    struct queue *queue = &tile->engine->queue[thread];
    const struct entry *entry = queue_head(queue);
    const struct engine_op *op = engine_op(entry->argument[0]);
    op->finish(tile, entry, queue->end);
    queue->free_at = queue->end;
    if (op->cost) {
        queue->result_at = queue->end + tile->chip->costs.engine_latency;
        if (tile->chip->has_truth)
            engine_truth(tile, op, entry->argument[0]);
    }
    tile_touch(tile, TT_ENGINE + TT_ENGINE_FREE, 4);
    if (queue->n == 1)
        tile_touch(tile, TT_ENGINE + TT_ENGINE_IDLE, 4);
    queue->is_started = false;
    queue->first = (queue->first + 1) % ENGINE_DEPTH;
    queue->n--;
    if (queue->is_stalled) {
        queue->is_stalled = false;
        tile_unstall(tile, TT_TRISC0 + thread, queue->end);
    }
}

static void engine_run(struct tile *tile, uint64_t now);

static void entry_ends(struct tile *tile, struct event *event)
{
    if (event->value != tile->engine->generation)
        return;
    queue_finish(tile, event->tag);
    engine_run(tile, event->cycle);
}

// Starts the first entry if possible; true if it has already ended.
static bool queue_step(struct tile *tile, unsigned thread, uint64_t now)
{
    struct engine *engine = tile->engine;
    struct queue *queue = &engine->queue[thread];
    if (!queue->n || queue->is_started)
        return false;
    const struct entry *entry = queue_head(queue);
    const struct engine_op *op = engine_op(entry->argument[0]);
    uint64_t turn = later(entry->enqueued, queue->free_at), start = turn;
    struct busy *operation = &engine->busy[BUSY_OPERATION + thread];
    if (!op->take(tile, entry, &start)) {
        engine_account_wait(engine, op, turn, SIM_NEVER);
        if (op->cost)
            busy_add(operation, turn, SIM_NEVER);
        return false;
    }
    engine_account_wait(engine, op, turn, start);
    queue->is_started = true;
    queue->start = queue->end = start;
    if (op->cost) {
        const struct sim_costs *costs = &tile->chip->costs;
        queue->end += costs->engine_issue + op->cost(costs, entry);
        engine_account(tile, op, queue->start, queue->end);
        busy_add(operation, turn, queue->end);
    }
    if (queue->end <= now) {
        queue_finish(tile, thread);
        return true;
    }
    tile_post(tile, (struct event){.cycle = queue->end,
                                   .apply = entry_ends,
                                   .value = engine->generation,
                                   .tag = (uint8_t)thread});
    return false;
}

static void engine_run(struct tile *tile, uint64_t now)
{
    bool has_moved = true;
    while (has_moved) {
        has_moved = false;
        for (unsigned thread = 0; thread < ENGINE_THREADS; thread++)
            while (queue_step(tile, thread, now))
                has_moved = true;
    }
}

// --- the window ------------------------------------------------------------------------
uint32_t engine_read(struct tile *tile, unsigned thread, uint32_t offset, uint64_t cycle)
{
    (void)cycle;
    if (thread >= ENGINE_THREADS)
        return 0;
    const struct queue *queue = &tile->engine->queue[thread];
    if (offset == TT_ENGINE_FREE)
        return ENGINE_DEPTH - queue->n;
    if (offset == TT_ENGINE_IDLE)
        return !queue->n;
    return offset / 4 < ENGINE_ARGUMENTS ? queue->argument[offset / 4] : 0;
}

static enum register_result engine_enqueue(struct tile *tile, unsigned thread,
                                           uint64_t cycle)
{
    struct queue *queue = &tile->engine->queue[thread];
    struct entry entry = {.enqueued = cycle};
    memcpy(entry.argument, queue->argument, sizeof entry.argument);
    const struct engine_op *op = engine_op(entry.argument[0]);
    const char *wrong = !op || op->thread != thread ? "unknown operation in its queue"
                                                    : op->check(tile, &entry);
    if (wrong) {
        engine_fault(tile, thread, &entry, wrong, cycle);
        return REGISTER_OK;
    }
    tile_touch(tile, TT_ENGINE + TT_ENGINE_FREE, 4);
    if (!queue->n)
        tile_touch(tile, TT_ENGINE + TT_ENGINE_IDLE, 4);
    queue->entry[(queue->first + queue->n) % ENGINE_DEPTH] = entry;
    queue->n++;
    engine_run(tile, cycle);
    return REGISTER_OK;
}

enum register_result engine_write(struct tile *tile, unsigned thread, uint32_t offset,
                                  uint32_t value, uint64_t cycle)
{
    if (thread >= ENGINE_THREADS || offset / 4 >= ENGINE_ARGUMENTS)
        return REGISTER_MISSING;
    struct queue *queue = &tile->engine->queue[thread];
    if (!offset && queue->n == ENGINE_DEPTH) {
        queue->is_stalled = true;
        return REGISTER_STALL;
    }
    queue->argument[offset / 4] = value;
    return offset ? REGISTER_OK : engine_enqueue(tile, thread, cycle);
}

// --- queries ---------------------------------------------------------------------------
bool engine_is_idle(const struct engine *engine)
{
    for (int thread = 0; thread < ENGINE_THREADS; thread++)
        if (engine->queue[thread].n)
            return false;
    return true;
}

const char *engine_waits_for(const struct engine *engine, unsigned thread)
{
    const struct queue *queue = &engine->queue[thread];
    if (!queue->n || queue->is_started)
        return NULL;
    const struct engine_op *op = engine_op(queue->entry[queue->first].argument[0]);
    return op->waits_for ? op->waits_for->what : NULL;
}

static uint64_t hash_word(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

// The sign and payload of a NaN depend on the host, so they are left out.
static uint64_t hash_floats(uint64_t hash, const float *floats)
{
    for (int i = 0; i < TILE_ELEMENTS; i++) {
        uint32_t bits;
        memcpy(&bits, &floats[i], sizeof bits);
        hash = hash_word(hash, floats[i] != floats[i] ? 0 : bits);
    }
    return hash;
}

static uint64_t hash_queue(uint64_t hash, const struct queue *queue)
{
    const uint64_t words[] = {queue->n, queue->free_at, queue->result_at, queue->start,
                              queue->end};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        hash = hash_word(hash, words[i]);
    for (uint32_t i = 0; i < queue->n; i++) {
        const struct entry *entry = &queue->entry[(queue->first + i) % ENGINE_DEPTH];
        hash = hash_word(hash, entry->enqueued);
        for (int k = 0; k < ENGINE_ARGUMENTS; k++)
            hash = hash_word(hash, entry->argument[k]);
    }
    return hash;
}

// Only live data: the old contents of a free bank must not count.
static uint64_t hash_tiles(uint64_t hash, const struct engine *engine)
{
    for (int bank = 0; bank < ENGINE_BANKS; bank++) {
        for (int s = 0; s < 2; s++)
            if (engine->source[s].bank[bank].state == BANK_VALID)
                hash = hash_floats(hash, engine->tiles->source[s][bank]);
        if (engine->half[bank].state == HALF_FREE)
            continue;
        for (int i = 0; i < ENGINE_HALF_TILES; i++)
            if (!(engine->half[bank].fresh >> i & 1))
                hash = hash_floats(hash, engine->tiles->dst[bank][i]);
    }
    return hash;
}

uint64_t engine_hash(const struct engine *engine, uint64_t hash)
{
    for (int thread = 0; thread < ENGINE_THREADS; thread++)
        hash = hash_queue(hash, &engine->queue[thread]);
    for (int bank = 0; bank < ENGINE_BANKS; bank++) {
        for (int s = 0; s < 2; s++) {
            hash = hash_word(hash, engine->source[s].bank[bank].state);
            hash = hash_word(hash, engine->source[s].bank[bank].since);
        }
        hash = hash_word(hash, engine->half[bank].state);
        hash = hash_word(hash, engine->half[bank].since);
    }
    for (int i = 0; i < BUSY_KINDS; i++) {
        hash = hash_word(hash, engine->busy[i].total + engine->busy[i].to);
        hash = hash_word(hash, engine->busy[i].from);
    }
    return engine->tiles ? hash_tiles(hash, engine) : hash;
}
