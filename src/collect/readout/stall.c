// stall.c - the host's side of lossless mode: a RISC without room sets a flag in its
// address word and waits; the host takes the words and answers with an address.
//
// A full DRAM region: switch to the other of two buffers, then read the full one. A full L1
// vector of a TRISC: read it, set end index 0, return the old address.
#include "collect/readout/readout_parts.h"

enum { LANDING_NS = 10000 }; // time for words sent before the wait to land in DRAM

struct stalled {
    struct core_read read;
    uint8_t dram; // bit per RISC
    uint32_t end[TT_RISCS];
    uint8_t buffer[TT_RISCS];
};
typedef VEC(struct stalled) stalled_cores;

static bool write_word(struct readout *r, const struct core_read *read, int word,
                       uint32_t value)
{
    const struct tt_core *core = &r->chips[read->chip].info.cores[read->core];
    return r->access.l1_write(r->access.device, (int)read->chip, core,
                              core->control + 4 * (uint32_t)word, &value,
                              sizeof value) == 0;
}

static bool release_risc(struct readout *r, const struct core_read *read, int risc)
{
    struct chip_state *chip = &r->chips[read->chip];
    const struct tt_chip *info = &chip->info;
    uint64_t buffer_bytes =
        (uint64_t)info->processors * r->region_bytes * (uint64_t)info->cores_per_bank;
    uint64_t address =
        info->dram_base + buffer_bytes * chip->cores[read->core].buffer[risc];
    return write_word(r, read, TT_CONTROL_DRAM_ADDRESS_OF(risc), (uint32_t)address);
}

static void note_stall(struct readout *r, const struct core_read *read, int risc,
                       uint64_t since)
{
    struct risc_health *h = &r->c->chips.v[read->chip].riscs[read->core][risc];
    h->stalls++;
    h->stall_ns += r->access.host_ns(r->access.device) - since;
}

static bool serve_risc(struct readout *r, struct stalled *s, int risc, uint64_t since)
{
    struct core_state *state = &r->chips[s->read.chip].cores[s->read.core];
    uint32_t word = s->read.control[TT_CONTROL_DRAM_ADDRESS_OF(risc)];
    if (word == TT_STALLED_DRAM) {
        s->dram |= (uint8_t)(1 << risc);
        s->end[risc] = s->read.control[TT_CONTROL_HOST_END + risc];
        s->buffer[risc] = state->buffer[risc];
        state->buffer[risc] ^= 1;
    } else if (word == TT_STALLED_L1) {
        uint32_t end = s->read.control[TT_CONTROL_DEVICE_END + risc];
        core_take_l1(r, &s->read, risc, end, BLOCK_L1);
        if (!write_word(r, &s->read, TT_CONTROL_DEVICE_END + risc, 0))
            return false;
    } else {
        return false;
    }
    if (!release_risc(r, &s->read, risc))
        return false;
    note_stall(r, &s->read, risc, since);
    return true;
}

static bool is_stalled(const struct core_read *read)
{
    for (int risc = 0; risc < TT_RISCS; risc++)
        if (read->control[TT_CONTROL_DRAM_ADDRESS_OF(risc)] >= TT_STALLED_L1)
            return true;
    return false;
}

// Takes the full regions. They are not written until the other buffer is full.
static void take_regions(struct readout *r, const stalled_cores *list)
{
    bool is_any = false;
    for (size_t i = 0; i < list->n; i++)
        is_any |= list->v[i].dram != 0;
    if (is_any)
        (void)r->access.sleep_ns(r->access.device, LANDING_NS);
    for (size_t i = 0; i < list->n; i++) {
        const struct stalled *s = &list->v[i];
        struct core_state *state = &r->chips[s->read.chip].cores[s->read.core];
        for (int risc = 0; risc < TT_RISCS; risc++) {
            if (!(s->dram >> risc & 1))
                continue;
            if (s->end[risc] > state->taken[risc])
                core_take_dram(r, &s->read, risc, s->buffer[risc], state->taken[risc],
                               s->end[risc]);
            state->taken[risc] = 0;
        }
    }
}

static void move_blocks(struct word_block *blocks, size_t n, struct arena *to)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t *words = push_many(to, uint32_t, blocks[i].n);
        if (blocks[i].n)
            memcpy(words, blocks[i].words, blocks[i].n * sizeof *words);
        blocks[i].words = words;
    }
}

// Hold the words back until the program ends: decoded earlier, its first chunks would look
// like a program of their own.
static void hold_blocks(struct readout *r, int chip, size_t first, struct arena_mark mark)
{
    struct chip_state *state = &r->chips[chip];
    size_t n = r->c->blocks.n - first;
    if (n)
        move_blocks(&r->c->blocks.v[first], n, &state->held_words);
    for (size_t i = 0; i < n; i++)
        vec_push(&state->held, r->c->blocks.v[first + i]);
    r->c->blocks.n = first;
    arena_rewind(&r->c->block_arena, mark);
}

void stall_take_held(struct readout *r, int chip)
{
    struct chip_state *state = &r->chips[chip];
    move_blocks(state->held.v, state->held.n, &r->c->block_arena);
    for (size_t i = 0; i < state->held.n; i++) {
        state->held.v[i].readout = r->c->n_readouts;
        vec_push(&r->c->blocks, state->held.v[i]);
    }
    state->held.n = 0;
    arena_free(&state->held_words);
}

static bool serve_chip(struct readout *r, int chip)
{
    stalled_cores list = {0};
    bool has_written = false;
    uint64_t clock = 0;
    size_t first = r->c->blocks.n;
    struct arena_mark mark = arena_mark(&r->c->block_arena);
    for (size_t i = 0; i < r->chips[chip].info.n_cores; i++) {
        struct stalled s = {.read = {.chip = (uint32_t)chip, .core = (uint32_t)i}};
        if (!core_read_control(r, &s.read) || !is_stalled(&s.read))
            continue;
        uint64_t since = r->access.host_ns(r->access.device);
        if (!clock)
            (void)readout_clock(&r->access, chip, &clock);
        s.read.clock = clock;
        for (int risc = 0; risc < TT_RISCS; risc++)
            has_written |= serve_risc(r, &s, risc, since);
        vec_push(&list, s);
    }
    take_regions(r, &list);
    vec_free(&list);
    hold_blocks(r, chip, first, mark);
    return has_written;
}

int stall_serve(void *readout, int chip)
{
    struct readout *r = readout;
    if (chip < 0 || chip >= r->access.n_chips)
        return 0;
    bool has_written = serve_chip(r, chip);
    // This chip may be waiting for another one that is stalled.
    for (int i = 0; i < r->access.n_chips && !has_written; i++)
        if (i != chip && r->chips[i].is_used)
            has_written = serve_chip(r, i);
    return has_written;
}
