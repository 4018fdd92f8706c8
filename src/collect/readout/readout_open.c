// readout_open.c - prepares a device for read-outs: control vectors, regions, hooks.
#include "base/data/units.h"

#include "collect/decode/counter_groups.h"
#include "collect/readout/readout_parts.h"

#define WAIT_NS 10000000000u // default timeout

bool readout_clock(const struct tt_access *access, int chip, uint64_t *clock)
{
    struct tt_chip info;
    if (access->get_chip(access->device, chip, &info) != 0 || !info.n_cores)
        return false;
    uint32_t high, low, again;
    const struct tt_core *core = &info.cores[0];
    if (access->register_read(access->device, chip, core, TT_WALL_CLOCK_HIGH, &high) != 0)
        return false;
    for (;;) {
        if (access->register_read(access->device, chip, core, TT_WALL_CLOCK_L, &low) != 0 ||
            access->register_read(access->device, chip, core, TT_WALL_CLOCK_HIGH, &again))
            return false;
        if (again == high)
            break;
        high = again; // the low half wrapped between the reads
    }
    *clock = (uint64_t)high << 32 | low;
    return true;
}

static bool check_region(const struct readout *r, const struct tt_chip *info, struct err *e)
{
    uint64_t regions = (uint64_t)info->processors * (uint64_t)info->cores_per_bank *
                       (uint64_t)r->n_buffers;
    if (regions * r->region_bytes <= info->dram_bytes)
        return true;
    uint64_t per_program = (uint64_t)profiler_program_bytes(&r->c->options);
    return err_set(e, ERR_LIMIT,
                   "device %d: a profiler region of %u bytes per RISC does not fit: every "
                   "DRAM bank reserves %llu bytes for it; set "
                   "TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT to %llu or less",
                   info->id, r->region_bytes, (unsigned long long)info->dram_bytes,
                   (unsigned long long)(info->dram_bytes / regions / per_program));
}

static bool is_sane(const struct tt_chip *info)
{
    bool is_sane = info->n_cores && info->cores_per_bank > 0 && info->processors > 0;
    for (size_t i = 0; i < info->n_cores; i++)
        is_sane &= info->cores[i].flat >= 0 && info->cores[i].n_riscs > 0;
    return is_sane;
}

// 0: unknown.
static int64_t rounded_mhz(double hz)
{
    return hz > 0 && hz <= MHZ_MOST * 1e6 ? (int64_t)(hz / 1e6 + 0.5) : 0;
}

// A group without any counter would leave a profile in which nothing seems to be amiss.
static bool check_counters(const struct readout *r, const struct tt_chip *info,
                           struct err *e)
{
    uint32_t missing = r->c->options.counters & ~info->counter_groups;
    struct buf names = {0};
    if (!info->counter_groups || !missing)
        return true;
    counter_groups_names(missing, &names);
    (void)err_set(
        e, ERR_USAGE,
        "device %d has no performance counters of the group %.*s; 'ttprof sim info' lists those of the software device",
        info->id, STR(names));
    buf_free(&names);
    return false;
}

static void add_chip(struct readout *r, int i)
{
    const struct tt_chip *info = &r->chips[i].info;
    struct chip_record chip = {
        .id = info->id,
        .arch = info->arch,
        .arch_name = arena_str(&r->c->arena, str_of(info->arch_name)).p,
        .mhz = rounded_mhz(info->hz),
        .max_compute_cores = (int64_t)info->grid_x * info->grid_y,
        .dispatch = arena_str(&r->c->arena, str_of(info->dispatch ? info->dispatch : "")),
        .noc_x = info->noc_x,
        .noc_y = info->noc_y,
        .cores = info->cores,
        .n_cores = info->n_cores,
    };
    collection_make_health(r->c, &chip);
    for (size_t k = 0; k < chip.n_cores; k++)
        chip.core_health[k].is_counted = true;
    (void)readout_clock(&r->access, i, &chip.clock_at_open);
    chip.host_at_open = r->access.host_ns(r->access.device);
    vec_push(&r->c->chips, chip);
}

static bool open_chip(struct readout *r, int i, struct err *e)
{
    struct chip_state *state = &r->chips[i];
    if (r->access.get_chip(r->access.device, i, &state->info) != 0 ||
        !is_sane(&state->info))
        return err_set(e, ERR_FAILED, "chip %d of the device gives no information: %s", i,
                       r->access.error(r->access.device));
    if (!check_region(r, &state->info, e) || !check_counters(r, &state->info, e))
        return false;
    add_chip(r, i);
    state->cores = push_many(&r->arena, struct core_state, state->info.n_cores);
    state->n_most = r->cap / TT_CHUNK_WORDS;
    for (size_t k = 0; k < state->info.n_cores; k++) {
        uint32_t control[TT_CONTROL_WORDS];
        const struct tt_core *core = &state->info.cores[k];
        core_pristine(r, (uint32_t)i, k, control);
        if (r->access.l1_write(r->access.device, i, core, core->control, control,
                               sizeof control) != 0)
            return err_set(
                e, ERR_FAILED,
                "device %d, core %d, %d: cannot write its control vector: %s; reset the device",
                state->info.id, core->vx, core->vy, r->access.error(r->access.device));
    }
    return true;
}

// A queue may still hold programs from before. One that begins without the profiler and
// ends with it would leave half its markers to the next.
static void wait_for_queue(struct readout *r, int i)
{
    struct tt_chip info;
    if (r->access.get_chip(r->access.device, i, &info) == 0 && info.dispatch &&
        strcmp(info.dispatch, "fast") == 0)
        (void)r->access.wait(r->access.device, i, r->wait_ns);
}

static bool open_all(struct readout *r, struct err *e)
{
    for (int i = 0; i < r->access.n_chips; i++) {
        wait_for_queue(r, i);
        if (!open_chip(r, i, e))
            return false;
    }
    const struct profiler_options *o = &r->c->options;
    if (r->access.on_event(r->access.device, readout_event, r) != 0)
        return err_set(e, ERR_FAILED, "the device cannot report what is launched on it");
    if (o->overflow == OVERFLOW_STALL &&
        r->access.on_quiet(r->access.device, stall_serve, r) != 0)
        return err_set(e, ERR_FAILED,
                       "the device cannot wait for the host; set TTPROF_OVERFLOW=drop");
    return true;
}

static void open_dump(struct readout *r)
{
    const char *folder = r->c->options.dump_raw;
    struct dump_geometry *g =
        push_many(&r->arena, struct dump_geometry, (size_t)r->access.n_chips);
    for (int i = 0; i < r->access.n_chips; i++) {
        const struct tt_chip *info = &r->chips[i].info;
        g[i] = (struct dump_geometry){info->dram_base, r->region_bytes,
                                      info->cores_per_bank, info->processors};
    }
    if (*folder)
        r->dump = dump_writer_new(r->c, folder, g);
}

struct readout *readout_open(const struct tt_access *access, struct collection *c,
                             struct err *e)
{
    struct readout *r = mem_alloc(sizeof *r);
    r->access = *access;
    r->c = c;
    r->wait_ns = WAIT_NS;
    r->flags = profiler_flags(&c->options);
    r->region_bytes = profiler_region_bytes(&c->options, &r->warnings);
    r->cap = r->region_bytes / 4;
    r->n_buffers = c->options.overflow == OVERFLOW_STALL ? 2 : 1;
    r->chips = push_many(&r->arena, struct chip_state, (size_t)access->n_chips);
    c->layout = WORDS_V2;
    if (open_all(r, e)) {
        open_dump(r);
        return r;
    }
    readout_close(r);
    return NULL;
}

void readout_close(struct readout *r)
{
    if (!r)
        return;
    (void)r->access.on_event(r->access.device, NULL, NULL);
    if (r->n_buffers == 2)
        (void)r->access.on_quiet(r->access.device, NULL, NULL);
    dump_writer_free(r->dump);
    for (int i = 0; i < r->access.n_chips; i++) {
        vec_free(&r->chips[i].held);
        arena_free(&r->chips[i].held_words);
    }
    buf_free(&r->warnings);
    arena_free(&r->arena);
    mem_free(r);
}

void readout_set_timeout(struct readout *r, uint64_t ns)
{
    r->wait_ns = ns;
}

void readout_on_watermark(struct readout *r, void (*hook)(void *context), void *context)
{
    r->on_watermark = hook;
    r->watermark_context = context;
}

struct buf *readout_warnings(struct readout *r)
{
    return &r->warnings;
}

uint64_t readout_bytes(const struct readout *r)
{
    return r->bytes;
}
