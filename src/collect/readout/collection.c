// collection.c - fills and empties collections.
#include "collect/readout/collection.h"

static void chip_free(struct chip_record *chip)
{
    for (size_t i = 0; i < chip->traces.n; i++)
        vec_free(&chip->traces.v[i].programs);
    vec_free(&chip->traces);
    vec_free(&chip->replayed);
    vec_free(&chip->programs);
}

void collection_free(struct collection *c)
{
    for (size_t i = 0; i < c->chips.n; i++)
        chip_free(&c->chips.v[i]);
    vec_free(&c->chips);
    vec_free(&c->blocks);
    vec_free(&c->memory);
    map_free(&c->strings);
    names_free(&c->names);
    arena_free(&c->block_arena);
    arena_free(&c->arena);
}

void collection_drop_blocks(struct collection *c)
{
    c->blocks.n = 0;
    arena_free(&c->block_arena);
}

void collection_make_health(struct collection *c, struct chip_record *chip)
{
    typedef struct risc_health health_of_riscs[RISCS_MOST];
    chip->riscs = push_many(&c->arena, health_of_riscs, chip->n_cores);
    chip->core_health = push_many(&c->arena, struct core_health, chip->n_cores);
}

// --- programs and traces ---------------------------------------------------------------

// Where the run id is, or belongs.
static size_t program_place(const struct chip_record *chip, uint32_t base)
{
    size_t from = 0, to = chip->programs.n;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (chip->programs.v[middle].base < base)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

const struct program_record *collection_program(const struct chip_record *chip,
                                                uint32_t base)
{
    size_t i = program_place(chip, base);
    bool is_there = i < chip->programs.n && chip->programs.v[i].base == base;
    return is_there ? &chip->programs.v[i] : NULL;
}

void collection_add_program(struct collection *c, struct chip_record *chip, uint32_t base,
                            str name, int sub_device, int sub_device_manager)
{
    (void)map_put(&c->strings, S("")); // number 0
    struct program_record p = {
        .base = base,
        .name = map_put_copy(&c->strings, name.p, name.n, &c->arena),
        .sub_device = sub_device,
        .sub_device_manager = sub_device_manager,
    };
    size_t i = program_place(chip, base);
    if (i == chip->programs.n || chip->programs.v[i].base != base) {
        // Run ids grow, so this is almost always the end of the list.
        vec_reserve(&chip->programs, 1);
        memmove(chip->programs.v + i + 1, chip->programs.v + i,
                (chip->programs.n - i) * sizeof p);
        chip->programs.n++;
    }
    chip->programs.v[i] = p;
}

struct trace_record *collection_trace(struct chip_record *chip, int id)
{
    for (size_t i = 0; i < chip->traces.n; i++)
        if (chip->traces.v[i].id == id)
            return &chip->traces.v[i];
    vec_push(&chip->traces, (struct trace_record){.id = id});
    return &chip->traces.v[chip->traces.n - 1];
}

// --- buffers -----------------------------------------------------------------------------

void collection_add_memory(struct collection *c, const struct memory_record *record,
                           str pool, str name)
{
    struct memory_record m = *record;
    if (!m.bytes)
        return;
    (void)map_put(&c->strings, S("")); // number 0
    m.pool = map_put_copy(&c->strings, pool.p, pool.n, &c->arena);
    m.name = map_put_copy(&c->strings, name.p, name.n, &c->arena);
    vec_push(&c->memory, m);
}

void collection_buffer_event(struct collection *c, const struct tt_event *event)
{
    bool is_alloc = event->kind == TT_EVENT_ALLOC;
    if (!c->options.memory || !(is_alloc || event->kind == TT_EVENT_FREE))
        return;
    struct tt_chip chip;
    const struct tt_access *access = c->access;
    if (!access || access->get_chip(access->device, event->chip, &chip) != 0)
        return;
    struct memory_record record = {.host_ns = access->host_ns(access->device),
                                   .address = event->address,
                                   .bytes = event->bytes,
                                   .chip = chip.id,
                                   .is_alloc = is_alloc};
    collection_add_memory(c, &record, str_of(event->pool), str_of(event->name));
}

// --- losses ----------------------------------------------------------------------------

static uint64_t two_words(const uint32_t *control, int low, int high)
{
    return (uint64_t)control[high] << 32 | control[low];
}

static void add_risc_losses(struct risc_health *h, const uint32_t *control, int risc)
{
    uint64_t first =
        two_words(control, TT_CONTROL_FIRST_DROP_L + risc, TT_CONTROL_FIRST_DROP_H + risc);
    h->l1_dropped += control[TT_CONTROL_L1_DROPPED + risc];
    h->dram_dropped += control[TT_CONTROL_DRAM_DROPPED + risc];
    h->bad_events += control[TT_CONTROL_BAD_EVENTS + risc];
    if (first && (!h->first_drop || first < h->first_drop))
        h->first_drop = first;
    h->is_lossy |= h->l1_dropped || h->dram_dropped;
}

void collection_add_losses(struct chip_record *chip, size_t core, const uint32_t *control)
{
    struct core_health *health = &chip->core_health[core];
    struct risc_health *riscs = chip->riscs[core];
    int n_riscs = core_riscs(&chip->cores[core]);
    for (int r = 0; r < n_riscs; r++)
        riscs[r].is_lossy |= control[TT_CONTROL_DROPPED] >> r & 1;
    if (control[TT_CONTROL_MAGIC] == TT_PROFILER_MAGIC) {
        health->is_counted = true;
        for (int r = 0; r < n_riscs && r < TT_RISCS; r++)
            add_risc_losses(&riscs[r], control, r);
        health->flushes += control[TT_CONTROL_FLUSH_COUNT];
        health->flush_cycles +=
            two_words(control, TT_CONTROL_FLUSH_CYCLES_L, TT_CONTROL_FLUSH_CYCLES_H);
        if (health->flush_max < control[TT_CONTROL_FLUSH_MAX])
            health->flush_max = control[TT_CONTROL_FLUSH_MAX];
    }
    for (int r = 0; r < n_riscs; r++)
        chip->is_lossy |= riscs[r].is_lossy;
}

void chunk_stamp(uint32_t *words, size_t n, enum words_layout layout, int flat, int risc)
{
    static const struct {
        unsigned flat, trace;
    } shift[] = {[WORDS_V1] = {3, 11},
                 [WORDS_V2] = {TT_IDENTITY_FLAT_SHIFT, TT_IDENTITY_TRACE_SHIFT}};
    if (layout == WORDS_V0 || n <= TT_CHUNK_ID_LH)
        return;
    uint32_t mask = (1u << shift[layout].trace) - 1;
    if (!(words[TT_CHUNK_ID_LH] & mask))
        words[TT_CHUNK_ID_LH] |= (uint32_t)flat << shift[layout].flat | (uint32_t)risc;
}

void full_buffers_add(struct full_buffers *f, const struct tt_core *core, int risc,
                      const uint32_t *control)
{
    uint32_t end = control[TT_CONTROL_HOST_END + risc];
    if (risc >= TT_RISCS || !(control[TT_CONTROL_DROPPED] >> risc & 1) || !end)
        return;
    if (f->n++ == 0) {
        f->x = core->vx;
        f->y = core->vy;
        f->risc = risc;
        f->end = end;
    }
}

// tt-metal's log names the RISCs of an Ethernet core like those of a worker; so does this.
void full_buffers_warn(const struct full_buffers *f, int device, struct buf *b)
{
    if (!f->n)
        return;
    buf_printf(b,
               "Profiler DRAM buffers were full, markers were dropped! device %d, "
               "worker core %d, %d, Risc %s,  bufferEndIndex = %u",
               device, f->x, f->y, worker_risc_name((unsigned)f->risc), f->end);
    if (f->n > 1)
        buf_printf(b, " and %u more RISC%s", f->n - 1, f->n == 2 ? "" : "s");
    buf_z(b,
          ". Please either decrease the number of ops being profiled or run read device "
          "profiler more often\n");
}
