// profiler_clocks.c - the chips' clock models, for showing host and device on one axis.
#include "profiler/profiler_clocks.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "ttprof/host.h"

static uint64_t monotonic_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// A device does not say which clock its host times are from; compare the times.
bool profiler_has_program_clock(const struct collection *c)
{
    uint64_t before = monotonic_ns(), now = c->access->host_ns(c->access->device);
    return now < before || now > monotonic_ns();
}

struct device_clock profiler_clock_of(const struct chip_record *chip)
{
    struct device_clock c = {.chip = chip->id};
    const struct clock_model *known = chip->clock;
    c.model.nominal = known ? known->nominal : (double)chip->mhz / 1000;
    if (!known || !known->epochs.n) {
        clock_model_assume(&c.model, chip->clock_at_open, chip->host_at_open);
        return c;
    }
    c.model.is_synced = known->is_synced;
    for (size_t i = 0; i < known->epochs.n; i++)
        vec_push(&c.model.epochs, known->epochs.v[i]);
    return c;
}

static void add_cores(struct device_clock *c, const struct chip_record *chip)
{
    for (size_t i = 0; i < chip->n_cores; i++) {
        const struct tt_core *core = &chip->cores[i];
        vec_push(&c->cores, ((struct clock_core){core->x, core->y, core->lx, core->ly}));
    }
}

static void count_number(struct clocks_numbers *n, uint32_t number)
{
    if (!n->end || number < n->first)
        n->first = number;
    if (number >= n->end)
        n->end = number + 1;
}

static void count_numbers(const struct collection *c, struct device_clocks *clocks)
{
    for (size_t i = 0; i < c->chips.n; i++) {
        const struct chip_record *chip = &c->chips.v[i];
        for (size_t k = 0; k < chip->programs.n; k++)
            count_number(&clocks->programs, chip->programs.v[k].base);
        for (size_t k = 0; k < chip->traces.n; k++)
            count_number(&clocks->traces, (uint32_t)chip->traces.v[k].id);
        // The trace profiler numbers replays like programs.
        for (size_t k = 0; c->options.trace_only && k < chip->replayed.n; k++)
            count_number(&clocks->programs, (uint32_t)k + 1);
    }
}

bool profiler_write_clocks(const struct collection *c, struct err *e)
{
    char path[sizeof c->options.folder + 64];
    if (c->options.no_files || !c->access)
        return true;
    profiler_logs_folder(&c->options, path, sizeof path);
    size_t n = strlen(path);
    (void)snprintf(path + n, sizeof path - n, "device_clocks.json");
    struct device_clocks clocks = {.is_program_clock = profiler_has_program_clock(c)};
    // A pid is only of use if the process records; without it the output is deterministic.
    if (ttprof_is_recording() || c->attachment)
        clocks.pid = (uint32_t)getpid();
    clocks.attachment = c->attachment;
    clocks.attached_ns = c->attached_ns;
    count_numbers(c, &clocks);
    for (size_t i = 0; i < c->chips.n; i++) {
        vec_push(&clocks.chips, profiler_clock_of(&c->chips.v[i]));
        add_cores(&clocks.chips.v[i], &c->chips.v[i]);
    }
    bool ok = device_clocks_write(&clocks, path, e);
    device_clocks_free(&clocks);
    return ok;
}
