// readout_core.c - one core: control vector, words in DRAM and in L1, losses, reset.
#include "collect/readout/readout_parts.h"

static const struct tt_core *core_info(const struct readout *r, uint32_t chip, size_t core)
{
    return &r->chips[chip].info.cores[core];
}

void core_pristine(const struct readout *r, uint32_t chip, size_t core,
                   uint32_t control[TT_CONTROL_WORDS])
{
    const struct tt_chip *info = &r->chips[chip].info;
    const struct tt_core *place = core_info(r, chip, core);
    memset(control, 0, TT_CONTROL_WORDS * sizeof *control);
    control[TT_CONTROL_MAGIC] = TT_PROFILER_MAGIC;
    // Dispatch kernels record NoC events as others do, and wait if their regions are full.
    bool is_profiled = place->kind != TT_CORE_DISPATCH || r->c->options.dispatch;
    control[TT_CONTROL_FLAGS] = is_profiled ? r->flags : 0;
    control[TT_CONTROL_REGION_BYTES] = r->region_bytes;
    control[TT_CONTROL_DRAM_ADDRESS] = (uint32_t)info->dram_base;
    control[TT_CONTROL_FLAT_ID] = (uint32_t)place->flat;
    control[TT_CONTROL_CORES_PER_BANK] = (uint32_t)info->cores_per_bank;
    control[TT_CONTROL_DISPATCH_CORE] =
        r->c->options.accumulate && place->kind == TT_CORE_DISPATCH;
    for (int risc = 0; risc < TT_RISCS; risc++)
        control[TT_CONTROL_DRAM_ADDRESS_OF(risc)] = (uint32_t)info->dram_base;
}

uint64_t core_dram_address(const struct readout *r, uint32_t chip, size_t core, int risc,
                           int buffer)
{
    const struct tt_chip *info = &r->chips[chip].info;
    uint64_t per_core = (uint64_t)info->processors * r->region_bytes;
    uint64_t row = (uint64_t)(core_info(r, chip, core)->flat % info->cores_per_bank);
    return info->dram_base + per_core * (uint64_t)info->cores_per_bank * (uint64_t)buffer +
           per_core * row + (uint64_t)risc * r->region_bytes;
}

bool core_l1_read(struct readout *r, uint32_t chip, size_t core, uint32_t address,
                  void *data, size_t bytes)
{
    r->bytes += bytes;
    return r->access.l1_read(r->access.device, (int)chip, core_info(r, chip, core), address,
                             data, bytes) == 0;
}

// --- words -----------------------------------------------------------------------------

static void add_words_block(struct readout *r, const struct core_read *read, int risc,
                            enum block_source source, const uint32_t *words, size_t n,
                            size_t n_missing)
{
    vec_push(&r->c->blocks, (struct word_block){
                                .chip = read->chip,
                                .core = read->core,
                                .readout = r->c->n_readouts,
                                .risc = (uint8_t)risc,
                                .source = (uint8_t)source,
                                .words = words,
                                .n = n,
                                .n_missing = n_missing,
                                .clock = read->clock,
                            });
}

static struct core_health *health_of(struct readout *r, const struct core_read *read)
{
    return &r->c->chips.v[read->chip].core_health[read->core];
}

void core_take_dram(struct readout *r, const struct core_read *read, int risc, int buffer,
                    uint32_t from, uint32_t to)
{
    const struct tt_chip *info = &r->chips[read->chip].info;
    int bank = core_info(r, read->chip, read->core)->flat / info->cores_per_bank;
    size_t n = to - from;
    uint32_t *words = push_many(&r->c->block_arena, uint32_t, n);
    uint64_t at = core_dram_address(r, read->chip, read->core, risc, buffer) + 4ull * from;
    r->bytes += 4 * n;
    if (r->access.dram_read(r->access.device, (int)read->chip, bank, at, words, 4 * n) ==
        0) {
        add_words_block(r, read, risc, BLOCK_DRAM, words, n, 0);
    } else {
        health_of(r, read)->is_damaged = true;
        add_words_block(r, read, risc, BLOCK_DRAM, words, 0, n);
    }
}

void core_take_l1(struct readout *r, const struct core_read *read, int risc, uint32_t n,
                  enum block_source source)
{
    const struct tt_core *core = core_info(r, read->chip, read->core);
    uint32_t *words = push_many(&r->c->block_arena, uint32_t, n);
    uint32_t at = core->buffers + (uint32_t)risc * TT_PROFILER_BUFFER_BYTES;
    if (core_l1_read(r, read->chip, read->core, at, words, 4 * (size_t)n)) {
        chunk_stamp(words, n, WORDS_V2, core->flat, risc);
        add_words_block(r, read, risc, source, words, n, 0);
    } else {
        health_of(r, read)->is_damaged = true;
        add_words_block(r, read, risc, source, words, 0, n);
    }
}

// --- the control vector ----------------------------------------------------------------

// Values that no device writes: the core is damaged; only words that can exist are read.
static void check_control(struct readout *r, struct core_read *read)
{
    const struct tt_core *core = core_info(r, read->chip, read->core);
    uint32_t *w = read->control;
    bool is_damaged = w[TT_CONTROL_MAGIC] != TT_PROFILER_MAGIC ||
                      w[TT_CONTROL_FLAT_ID] != (uint32_t)core->flat ||
                      w[TT_CONTROL_REGION_BYTES] != r->region_bytes;
    for (int risc = 0; risc < TT_RISCS; risc++) {
        uint32_t *host = &w[TT_CONTROL_HOST_END + risc],
                 *device = &w[TT_CONTROL_DEVICE_END + risc];
        is_damaged |= *host > r->cap || *device > TT_CHUNK_WORDS;
        *host = *host < r->cap ? *host : r->cap;
        *device = *device < TT_CHUNK_WORDS ? *device : TT_CHUNK_WORDS;
    }
    health_of(r, read)->is_damaged |= is_damaged;
}

// Counters that grow between resets, as {first word, number of words}.
static const uint8_t counters[][2] = {
    {TT_CONTROL_L1_DROPPED, TT_RISCS},
    {TT_CONTROL_DRAM_DROPPED, TT_RISCS},
    {TT_CONTROL_BAD_EVENTS, TT_RISCS},
    {TT_CONTROL_FLUSH_COUNT, 1},
};

static void subtract_counted(struct core_read *read, const uint32_t *counted)
{
    uint32_t *w = read->since;
    memcpy(w, read->control, sizeof read->since);
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        for (int k = 0; k < counters[i][1]; k++)
            w[counters[i][0] + k] -= counted[counters[i][0] + k];
    uint64_t sum =
        (uint64_t)w[TT_CONTROL_FLUSH_CYCLES_H] << 32 | w[TT_CONTROL_FLUSH_CYCLES_L];
    sum -= (uint64_t)counted[TT_CONTROL_FLUSH_CYCLES_H] << 32 |
           counted[TT_CONTROL_FLUSH_CYCLES_L];
    w[TT_CONTROL_FLUSH_CYCLES_L] = (uint32_t)sum;
    w[TT_CONTROL_FLUSH_CYCLES_H] = (uint32_t)(sum >> 32);
}

bool core_read_control(struct readout *r, struct core_read *read)
{
    const struct tt_core *core = core_info(r, read->chip, read->core);
    if (!core_l1_read(r, read->chip, read->core, core->control, read->raw,
                      sizeof read->raw)) {
        health_of(r, read)->is_damaged = true;
        return false;
    }
    memcpy(read->control, read->raw, sizeof read->control);
    check_control(r, read);
    subtract_counted(read, r->chips[read->chip].cores[read->core].counted);
    return true;
}

// --- reading a core --------------------------------------------------------------------

// Trace-only and accumulate mode leave words in L1 that are never pushed.
static bool keeps_words_in_l1(const struct readout *r, const struct tt_core *core)
{
    const struct profiler_options *o = &r->c->options;
    return core->kind == TT_CORE_WORKER && (o->trace_only || o->accumulate);
}

static int riscs_to_read(const struct readout *r, const struct tt_core *core)
{
    bool is_one = r->c->options.trace_only && core->kind == TT_CORE_WORKER;
    int n = core->n_riscs < TT_RISCS ? core->n_riscs : TT_RISCS;
    return is_one ? 1 : n;
}

static uint64_t fingerprint(const uint32_t *words, size_t n)
{
    uint64_t h = 0xCBF29CE484222325u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ words[i]) * 0x100000001B3u;
    return h;
}

// Takes the L1 vector of a core that never finished. Read-outs may follow one another
// without progress: an unchanged vector is not taken again.
static void take_unfinished(struct readout *r, const struct core_read *read, int risc)
{
    uint32_t end = read->control[TT_CONTROL_DEVICE_END + risc];
    core_take_l1(r, read, risc, end ? end : TT_CHUNK_WORDS, end ? BLOCK_L1 : BLOCK_PARTIAL);
    const struct word_block *block = &r->c->blocks.v[r->c->blocks.n - 1];
    uint64_t print = fingerprint(block->words, block->n);
    uint64_t *seen = &r->chips[read->chip].cores[read->core].print[risc];
    if (*seen == print)
        r->c->blocks.n--;
    *seen = print;
}

static void take_risc(struct readout *r, const struct core_read *read, int risc)
{
    const struct tt_core *core = core_info(r, read->chip, read->core);
    struct core_state *state = &r->chips[read->chip].cores[read->core];
    uint32_t end = read->control[TT_CONTROL_HOST_END + risc];
    if (end > state->taken[risc]) {
        core_take_dram(r, read, risc, state->buffer[risc], state->taken[risc], end);
        state->taken[risc] = end;
    }
    uint32_t in_l1 = read->control[TT_CONTROL_DEVICE_END + risc];
    // The last push itself: a vector just pushed has it in its slots.
    if (!in_l1 && risc == 0 && r->c->options.accumulate &&
        read->control[TT_CONTROL_RUN_COUNTER])
        in_l1 = TT_CHUNK_CUSTOM;
    if (read->is_busy && core->kind != TT_CORE_DISPATCH)
        take_unfinished(r, read, risc);
    else if (keeps_words_in_l1(r, core) && in_l1)
        core_take_l1(r, read, risc, in_l1, BLOCK_L1);
}

// --- reset -----------------------------------------------------------------------------

// The last replay stays in the L1 vector, and the next push would send it again.
static void forget_l1(struct readout *r, const struct core_read *read)
{
    const struct tt_core *core = core_info(r, read->chip, read->core);
    uint32_t word = TT_MARKER_VALID;
    if (r->c->options.trace_only && keeps_words_in_l1(r, core) &&
        read->control[TT_CONTROL_DEVICE_END])
        (void)r->access.l1_write(r->access.device, (int)read->chip, core, core->buffers,
                                 &word, sizeof word);
}

static void reset_core(struct readout *r, const struct core_read *read)
{
    uint32_t pristine[TT_CONTROL_WORDS];
    core_pristine(r, read->chip, read->core, pristine);
    if (memcmp(pristine, read->control, sizeof pristine) == 0)
        return; // not used
    forget_l1(r, read);
    const struct tt_core *core = core_info(r, read->chip, read->core);
    if (r->access.l1_write(r->access.device, (int)read->chip, core, core->control, pristine,
                           sizeof pristine) != 0)
        health_of(r, read)->is_damaged = true;
    else
        r->chips[read->chip].cores[read->core] = (struct core_state){0};
}

void core_read_all(struct readout *r, struct core_read *read)
{
    struct chip_record *chip = &r->c->chips.v[read->chip];
    const struct tt_core *core = core_info(r, read->chip, read->core);
    struct core_state *state = &r->chips[read->chip].cores[read->core];
    for (int risc = 0; risc < riscs_to_read(r, core); risc++) {
        take_risc(r, read, risc);
        full_buffers_add(&read->full, core, risc, read->control);
    }
    collection_add_losses(chip, read->core, read->since);
    memcpy(state->counted, read->control, sizeof state->counted);
    if (!read->is_busy)
        reset_core(r, read);
    else if (core->kind != TT_CORE_DISPATCH)
        chip->core_health[read->core].is_partial = true;
}
