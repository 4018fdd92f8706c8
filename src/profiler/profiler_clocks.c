// profiler_clocks.c - the chips' clock models, for showing host and device on one axis.
#include "profiler/profiler_clocks.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "collect/sync/device_clocks.h"
#include "ttprof/host.h"

static uint64_t monotonic_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// A device does not say which clock its host times are from; compare the times.
static bool is_monotonic(const struct tt_access *a)
{
    uint64_t before = monotonic_ns(), now = a->host_ns(a->device);
    return now >= before && now <= monotonic_ns();
}

static struct device_clock clock_of(const struct chip_record *chip)
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

bool profiler_write_clocks(const struct collection *c, struct err *e)
{
    char path[sizeof c->options.folder + 64];
    if (c->options.no_files || !c->access)
        return true;
    profiler_logs_folder(&c->options, path, sizeof path);
    size_t n = strlen(path);
    (void)snprintf(path + n, sizeof path - n, "device_clocks.json");
    struct device_clocks clocks = {.is_program_clock = !is_monotonic(c->access)};
    // A pid is only of use if the process records; without it the output is deterministic.
    if (ttprof_is_recording())
        clocks.pid = (uint32_t)getpid();
    for (size_t i = 0; i < c->chips.n; i++)
        vec_push(&clocks.chips, clock_of(&c->chips.v[i]));
    bool ok = device_clocks_write(&clocks, path, e);
    device_clocks_free(&clocks);
    return ok;
}
