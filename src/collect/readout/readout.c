// readout.c - one read-out of a chip: wait, read what is filled, reset.
#include "collect/readout/readout.h"

#include <errno.h>

#include "base/text/log.h"

#include "collect/readout/readout_parts.h"

LOG_DOMAIN("collect");

enum { DONE_POLLS = 10, DONE_POLL_NS = 10 * 1000 * 1000 };

static void load_zones(struct readout *r)
{
    size_t n = r->access.n_zones(r->access.device);
    for (; r->n_zones < n; r->n_zones++) {
        struct tt_zone z;
        if (r->access.get_zone(r->access.device, r->n_zones, &z) == 0)
            names_add_assigned(&r->c->names, z.id, str_of(z.name), str_of(z.file), z.line);
    }
}

// Dispatch kernels run for the whole session: they report themselves when they are done. On
// a core that answers DONE without that, none has run.
static bool is_dispatch_done(struct readout *r, const struct core_read *read)
{
    const struct tt_core *core = &r->chips[read->chip].info.cores[read->core];
    if (!r->access.is_busy(r->access.device, (int)read->chip, core))
        return true;
    for (int i = 0; i < DONE_POLLS; i++) {
        uint32_t done = 0;
        if (core_l1_read(r, read->chip, read->core,
                         core->control + 4 * TT_CONTROL_PROFILER_DONE, &done,
                         sizeof done) &&
            done == 1)
            return true;
        (void)r->access.sleep_ns(r->access.device, DONE_POLL_NS);
    }
    buf_printf(&r->warnings,
               "Device profiling never finished on device %d, worker core %d, %d\n",
               r->chips[read->chip].info.id, core->vx, core->vy);
    return false;
}

static bool is_busy(struct readout *r, const struct core_read *read, enum read_state state,
                    bool is_quiet)
{
    const struct tt_core *core = &r->chips[read->chip].info.cores[read->core];
    if (core->kind == TT_CORE_DISPATCH)
        return state != READ_ONLY_DISPATCH || !is_dispatch_done(r, read);
    return !is_quiet && r->access.is_busy(r->access.device, (int)read->chip, core);
}

int readout_wait(struct readout *r, int chip)
{
    r->c->n_drains++;
    return r->access.wait(r->access.device, chip, r->wait_ns);
}

static bool wait_for_programs(struct readout *r, int chip)
{
    int rc = readout_wait(r, chip);
    r->chips[chip].is_stuck = rc != 0;
    r->c->chips.v[chip].n_not_started =
        rc && r->access.n_not_started ? r->access.n_not_started(r->access.device, chip) : 0;
    if (rc == 0)
        return true;
    const char *why = r->access.error(r->access.device);
    const char *what = rc == -EDEADLK     ? "deadlock"
                       : rc == -ETIMEDOUT ? "timeout"
                                          : "a core stopped";
    buf_printf(&r->warnings,
               "device %d: its programs did not end (%s): their profile is partial\n",
               r->chips[chip].info.id, why && *why ? why : what);
    return false;
}

// Selects the cores of a pass: all, dispatch cores last; or dispatch cores only.
static bool is_in_pass(const struct readout *r, const struct tt_core *core, int pass,
                       enum read_state state)
{
    bool is_dispatch = core->kind == TT_CORE_DISPATCH;
    if (is_dispatch && !r->c->options.dispatch)
        return false;
    return pass == (int)is_dispatch && (is_dispatch || state != READ_ONLY_DISPATCH);
}

static void warn_of_unreadable(struct readout *r, int chip, size_t n)
{
    const char *why = r->access.error(r->access.device);
    if (n)
        buf_printf(&r->warnings, "device %d: cannot read %zu cores%s%s\n",
                   r->chips[chip].info.id, n, why && *why ? ": " : "", why ? why : "");
}

typedef VEC(struct dump_core) dump_cores;

// For the dump: words of this read-out alone, at the start of their regions. Invalid values
// are kept as they are.
static void note_core(dump_cores *list, const struct readout *r,
                      const struct core_read *read, size_t first, bool is_read)
{
    struct dump_core core = {
        .core = read->core, .is_read = is_read, .is_partial = read->is_busy && is_read};
    memcpy(core.control, read->since, sizeof core.control);
    memset(core.control + TT_CONTROL_HOST_END, 0, TT_RISCS * sizeof(uint32_t));
    for (int risc = 0; risc < TT_RISCS; risc++)
        core.control[TT_CONTROL_DRAM_ADDRESS_OF(risc)] =
            core.control[TT_CONTROL_DRAM_ADDRESS];
    for (size_t i = first; i < r->c->blocks.n; i++) {
        const struct word_block *b = &r->c->blocks.v[i];
        if (b->source == BLOCK_DRAM)
            core.control[TT_CONTROL_HOST_END + b->risc] = (uint32_t)(b->n + b->n_missing);
        if (b->source == BLOCK_L1)
            core.control[TT_CONTROL_DEVICE_END + b->risc] = (uint32_t)(b->n + b->n_missing);
    }
    if (is_read && memcmp(read->raw, read->control, sizeof read->raw) != 0)
        memcpy(core.control, read->raw, sizeof core.control);
    vec_push(list, core);
}

static void write_dump(struct readout *r, int chip, dump_cores *list, size_t first)
{
    struct err e = {0};
    if (r->dump && !dump_write(r->dump, (uint32_t)chip, list->v, list->n, first, &e)) {
        buf_printf(&r->warnings, "%s; no further raw words are written\n", e.text);
        dump_writer_free(r->dump);
        r->dump = NULL;
    }
    vec_free(list);
}

static void read_one_core(struct readout *r, struct core_read *read, dump_cores *list,
                          size_t *n_unreadable)
{
    size_t first = r->c->blocks.n;
    bool is_read = core_read_control(r, read);
    if (is_read)
        core_read_all(r, read);
    else
        ++*n_unreadable;
    if (r->dump)
        note_core(list, r, read, first, is_read);
}

static void read_cores(struct readout *r, int chip, enum read_state state, bool is_quiet)
{
    const struct tt_chip *info = &r->chips[chip].info;
    struct core_read read = {.chip = (uint32_t)chip};
    dump_cores list = {0};
    size_t n_unreadable = 0, first = r->c->blocks.n;
    (void)readout_clock(&r->access, chip, &read.clock);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < info->n_cores; i++)
            if (is_in_pass(r, &info->cores[i], pass, state)) {
                read.core = (uint32_t)i;
                read.is_busy = is_busy(r, &read, state, is_quiet);
                read_one_core(r, &read, &list, &n_unreadable);
            }
    full_buffers_warn(&read.full, info->id, &r->warnings);
    warn_of_unreadable(r, chip, n_unreadable);
    log_debug("chip %d: read-out %llu: %zu buffers with markers, %zu cores unreadable",
              chip, (unsigned long long)r->c->n_readouts, r->c->blocks.n - first,
              n_unreadable);
    write_dump(r, chip, &list, first);
}

static bool check_request(const struct readout *r, int chip, struct err *e)
{
    if (chip < 0 || chip >= r->access.n_chips)
        return err_set(e, ERR_USAGE, "no chip %d; the device has %d", chip,
                       r->access.n_chips);
    if (r->chips[chip].is_recording)
        return err_set(e, ERR_FAILED,
                       "cannot read device profiler data while a trace is being recorded");
    return true;
}

void readout_now(struct readout *r, int chip, enum read_state state)
{
    if (state == READ_ONLY_DISPATCH && !r->c->options.dispatch)
        return;
    r->is_reading = true;
    load_zones(r);
    bool is_quiet = state == READ_ONLY_DISPATCH || wait_for_programs(r, chip);
    stall_take_held(r, chip);
    read_cores(r, chip, state, is_quiet);
    r->c->n_readouts++;
    r->chips[chip].n_launches = 0;
    r->chips[chip].n_most = r->cap / TT_CHUNK_WORDS;
    r->is_reading = false;
}

void readout_end_dispatch(struct readout *r)
{
    for (int i = 0; i < r->access.n_chips && r->access.end_dispatch; i++) {
        if (r->chips[i].is_stuck)
            continue;
        int rc = r->access.end_dispatch(r->access.device, i);
        if (rc != 0 && rc != -ENOSYS)
            buf_printf(&r->warnings, "device %d: its dispatch kernels did not end: %s\n",
                       r->chips[i].info.id, r->access.error(r->access.device));
    }
}

bool readout_chip(struct readout *r, int chip, enum read_state state, struct err *e)
{
    if (!check_request(r, chip, e))
        return false;
    readout_now(r, chip, state);
    return true;
}

bool readout_all(struct readout *r, enum read_state state, struct err *e)
{
    for (int i = 0; i < r->access.n_chips; i++)
        if (!check_request(r, i, e))
            return false;
    for (int i = 0; i < r->access.n_chips; i++)
        readout_now(r, i, state);
    return true;
}
