// dump_facts.c - names, places and clocks for the files of a dump.
#include <math.h>

#include "base/file/folder.h"

#include "profiler/device_dump.h"
#include "profiler/device_profiler.h"
#include "trace/clock_model.h"
#include "ttprof/profiler_words.h"

static const struct chip_record *chip_of(const struct collection *c, int64_t id)
{
    for (size_t i = 0; i < c->chips.n; i++)
        if (c->chips.v[i].id == id)
            return &c->chips.v[i];
    return NULL;
}

static const struct chip_record *chip_of_run(const struct dump_facts *f,
                                             const struct trace_run *run)
{
    return chip_of(f->c, f->t->devices.v[run->device].id);
}

// --- runs ------------------------------------------------------------------------------

enum { CHIP_BITS = 10 }; // below the program's number in a run host id

str dump_op_name(const void *facts, const struct trace_run *run)
{
    const struct dump_facts *f = facts;
    const struct chip_record *chip = chip_of_run(f, run);
    const struct program_record *p =
        chip && run->id > 0 && !run->is_replay
            ? collection_program(chip, (uint32_t)(run->id >> CHIP_BITS))
            : NULL;
    return p && p->name < f->c->strings.keys.n ? f->c->strings.keys.v[p->name] : S("");
}

int64_t dump_available_cores(const void *facts, const struct trace_run *run)
{
    const struct chip_record *chip = chip_of_run(facts, run);
    return chip ? chip->max_compute_cores : 0;
}

// --- places ----------------------------------------------------------------------------

// Wormhole coordinates from here on are virtual; smaller ones are NoC coordinates.
enum { WORMHOLE_VIRTUAL = 16, FROM_VIRTUAL = 2 };

static const struct tt_core *core_at(const struct chip_record *chip, int x, int y)
{
    for (size_t i = 0; i < chip->n_cores; i++)
        if (chip->cores[i].x == x && chip->cores[i].y == y)
            return &chip->cores[i];
    return NULL;
}

// Without a device: uses the known cores; coordinates that are not virtual are computed.
static bool to_noc0_by_table(const struct chip_record *chip, int from, int x, int y,
                             int *out_x, int *out_y)
{
    *out_x = from == 1 ? chip->noc_x - 1 - x : x;
    *out_y = from == 1 ? chip->noc_y - 1 - y : y;
    if (from != FROM_VIRTUAL)
        return *out_x >= 0 && *out_y >= 0 && *out_x < chip->noc_x && *out_y < chip->noc_y;
    for (size_t i = 0; i < chip->n_cores; i++)
        if (chip->cores[i].vx == x && chip->cores[i].vy == y) {
            *out_x = chip->cores[i].x;
            *out_y = chip->cores[i].y;
            return true;
        }
    return false;
}

static bool to_noc0(const void *facts, int64_t id, int noc, int x, int y, int *out_x,
                    int *out_y)
{
    const struct dump_facts *f = facts;
    const struct chip_record *chip = chip_of(f->c, id);
    if (!chip)
        return false;
    bool is_virtual =
        chip->arch != TT_WORMHOLE || x >= WORMHOLE_VIRTUAL || y >= WORMHOLE_VIRTUAL;
    int from = is_virtual ? FROM_VIRTUAL : noc;
    const struct tt_access *a = f->c->access;
    if (a && a->to_noc0)
        return a->to_noc0(a->device, (int)(chip - f->c->chips.v), from, x, y, out_x,
                          out_y) == 0;
    return to_noc0_by_table(chip, from, x, y, out_x, out_y);
}

static bool is_worker(const void *facts, int64_t id, int x, int y)
{
    const struct dump_facts *f = facts;
    const struct chip_record *chip = chip_of(f->c, id);
    const struct tt_core *core = chip ? core_at(chip, x, y) : NULL;
    return core && core->kind == TT_CORE_WORKER;
}

static int eth_channel(const void *facts, int64_t id, int x, int y)
{
    const struct dump_facts *f = facts;
    const struct chip_record *chip = chip_of(f->c, id);
    const struct tt_core *core = chip ? core_at(chip, x, y) : NULL;
    return core && core->kind == TT_CORE_ETH ? core->lx : -1;
}

// --- clocks ----------------------------------------------------------------------------

// Times in a trace count from the last timestamp wraparound before the device was opened.
static uint64_t turns_before(const struct chip_record *chip)
{
    return chip->clock_at_open >> TT_MARKER_TIME_BITS << TT_MARKER_TIME_BITS;
}

static bool is_synced(const struct chip_record *chip)
{
    return chip->clock && chip->clock->is_synced && chip->clock->epochs.n;
}

// The time of another chip on the clock of the first one.
static uint64_t corrected_time(const void *facts, int64_t id, uint64_t time)
{
    const struct dump_facts *f = facts;
    const struct chip_record *chip = chip_of(f->c, id), *root = f->c->chips.v;
    if (!chip || chip == root || !is_synced(chip) || !is_synced(root))
        return time;
    // Relative to a nearby instant: current host times do not fit a double.
    uint64_t near = root->clock->epochs.v[0].host;
    double ns = clock_model_since(chip->clock, time + turns_before(chip), near);
    uint64_t cycle = clock_model_cycle(root->clock, near + (uint64_t)llround(ns));
    return cycle > turns_before(root) ? cycle - turns_before(root) : 0;
}

struct noc_facts dump_noc_facts(const struct dump_facts *facts)
{
    return (struct noc_facts){.to_noc0 = to_noc0,
                              .is_worker = is_worker,
                              .eth_channel = eth_channel,
                              .op_name = dump_op_name,
                              .corrected = corrected_time,
                              .context = facts};
}

// --- wiring ----------------------------------------------------------------------------

static const struct {
    int arch;
    size_t chips, workers; // workers: at most
    const char *name;
} clusters[] = {
    {TT_WORMHOLE, 1, 72, "N150"},      {TT_WORMHOLE, 2, 64, "N300"},
    {TT_WORMHOLE, 8, 64, "T3K"},       {TT_WORMHOLE, 32, 80, "GALAXY"},
    {TT_BLACKHOLE, 1, 120, "P100"},    {TT_BLACKHOLE, 1, 140, "P150"},
    {TT_BLACKHOLE, 2, 140, "P150_X2"}, {TT_BLACKHOLE, 4, 140, "P150_X4"},
    {TT_BLACKHOLE, 8, 140, "P150_X8"},
};

static const char *cluster_type(const struct collection *c)
{
    size_t workers = 0;
    for (size_t i = 0; i < c->chips.v[0].n_cores; i++)
        workers += c->chips.v[0].cores[i].kind != TT_CORE_ETH;
    for (size_t i = 0; i < sizeof clusters / sizeof *clusters; i++)
        if (clusters[i].arch == c->chips.v[0].arch && clusters[i].chips == c->chips.n &&
            workers <= clusters[i].workers)
            return clusters[i].name;
    return "CUSTOM";
}

// Ethernet tiles by channel, on NOC 0.
static size_t find_channels(const struct chip_record *chip, struct noc_channel out[16])
{
    static const int8_t wormhole[] = {9, 1, 8, 2, 7, 3, 6, 4};
    static const int8_t blackhole[] = {1, 16, 2, 15, 3, 14, 4, 13, 5, 12, 6, 11, 7, 10};
    bool is_wormhole = chip->arch == TT_WORMHOLE;
    size_t n = is_wormhole ? 2 * sizeof wormhole : sizeof blackhole;
    for (size_t i = 0; i < n; i++) {
        int x = is_wormhole ? wormhole[i % sizeof wormhole] : blackhole[i];
        int y = is_wormhole ? (i < sizeof wormhole ? 0 : 6) : 1;
        out[i] = (struct noc_channel){(int)i, x, y};
    }
    return n;
}

bool collection_write_topology(const struct collection *c, struct err *e)
{
    struct arena arena = {0};
    struct noc_channel channels[16];
    char logs[sizeof c->options.folder + 16];
    if (!c->options.noc_events || c->options.no_files || !c->chips.n)
        return true;
    profiler_logs_folder(&c->options, logs, sizeof logs);
    const char *folder = *c->options.noc_folder ? c->options.noc_folder : logs;
    struct noc_topology n = {.cluster_type = cluster_type(c),
                             .rows = 1,
                             .n_chips = c->chips.n,
                             .channels = channels,
                             .n_channels = find_channels(&c->chips.v[0], channels)};
    for (int rows = 1; (size_t)rows * (size_t)rows <= c->chips.n; rows++)
        if (c->chips.n % (size_t)rows == 0)
            n.rows = rows;
    n.columns = (int)c->chips.n / n.rows;
    struct noc_chip *chips = push_many(&arena, struct noc_chip, c->chips.n);
    for (int i = 0; (size_t)i < c->chips.n; i++)
        chips[i] = (struct noc_chip){.id = c->chips.v[i].id,
                                     .mesh_row = i / n.columns,
                                     .mesh_column = i % n.columns,
                                     .eth_x = i % n.columns,
                                     .eth_y = i / n.columns};
    n.chips = chips;
    bool ok = folder_make(folder, e) && noc_topology_write(&n, folder, e);
    arena_free(&arena);
    return ok;
}
