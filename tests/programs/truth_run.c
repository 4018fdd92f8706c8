// truth_run.c TRUTH WORKLOAD CONFIG [SETTING=VALUE ...] - runs a workload of ops as
// `ttprof sim run` does, profiled as the environment says, and writes down what the device
// really did. Settings: size, runs, loops, grid_x, grid_y.
//
// Lines of the file: "op", one for each op and chip as the runtime enqueued it; "core", one
// for each launch on a core: the clocks that its markers hold, by RISC, when its kernels
// began and ended, what it moved from and to DRAM without the profiler's own traffic, how
// many products of tiles its engine made, and when the profiler wrote.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/num.h"

#include "runtime/parts.h"
#include "ttprof/engine_ops.h"
#include "ttprof/profiler.h"
#include "workloads/workloads.h"

enum { READS = 4 }; // of a clock, that are remembered: halves are read more than once
enum { CHIPS = 2, SIDE = 32 };
enum slot { FW_START, FW_END, KERNEL_START, KERNEL_END, SLOTS };

struct core {
    int chip, x, y;
    bool is_eth; // its only RISC counts as the first
    uint32_t id; // the op's, without the chip
    uint64_t slot[TT_RISCS][SLOTS];
    uint64_t entry[TT_RISCS], exit[TT_RISCS];
    uint64_t read[TT_RISCS][READS];
    uint32_t n_reads[TT_RISCS];
    uint64_t bytes_read, bytes_written, products;
    uint64_t push_first, push_last; // of the profiler's own writes, until the next launch
};

struct truth {
    uint64_t dram_buffers; // below are the profiler's
    int chip_id[CHIPS];
    struct tile {
        uint32_t buffers; // where markers are stored
        bool is_eth;
        size_t latest; // place in cores + 1
    } tiles[CHIPS][SIDE][SIDE];
    VEC(struct core) cores;
    struct buf ops;
    uint64_t n_unread; // stores of a time that no clock showed
};

// --- hearing -----------------------------------------------------------------------------
static struct core *core_of(struct truth *t, const ttdev_truth_event *e)
{
    size_t place = t->tiles[e->dev][e->x][e->y].latest;
    return place ? &t->cores.v[place - 1] : NULL;
}

static void launch(struct truth *t, const ttdev_truth_event *e)
{
    struct tile *tile = &t->tiles[e->dev][e->x][e->y];
    vec_push(&t->cores, ((struct core){.chip = t->chip_id[e->dev],
                                       .x = e->x,
                                       .y = e->y,
                                       .is_eth = tile->is_eth,
                                       .id = (uint32_t)e->argument}));
    tile->latest = t->cores.n;
}

// The slots of main and child zones are the firmware's; their low words come last.
static void take_store(struct truth *t, struct core *c, const ttdev_truth_event *e)
{
    uint32_t address = (uint32_t)(e->argument >> 32), low = (uint32_t)e->argument;
    uint32_t word = (address - t->tiles[e->dev][e->x][e->y].buffers) / 4;
    uint32_t risc = word / TT_CHUNK_WORDS, at = word % TT_CHUNK_WORDS;
    if (risc != e->risc || at < TT_CHUNK_GUARANTEED || at >= TT_CHUNK_CUSTOM || !(at & 1) ||
        low == TT_MARKER_VALID)
        return;
    for (uint32_t i = 0; i < READS; i++) {
        if ((uint32_t)c->read[risc][i] != low)
            continue;
        c->slot[risc][(at - TT_CHUNK_GUARANTEED) / 2] = c->read[risc][i];
        return;
    }
    t->n_unread++;
}

static void take_write(const struct truth *t, struct core *c, const ttdev_truth_event *e)
{
    if (e->argument >= t->dram_buffers) {
        c->bytes_written += e->pc;
        return;
    }
    c->push_first = c->push_first ? c->push_first : e->cycle;
    c->push_last = e->cycle;
}

static void hear(void *context, const ttdev_truth_event *e)
{
    struct truth *t = context;
    if (e->dev >= CHIPS)
        return;
    if (e->kind == TTDEV_TRUTH_LAUNCH) {
        launch(t, e);
        return;
    }
    struct core *c = e->risc < TT_RISCS ? core_of(t, e) : NULL;
    if (!c)
        return;
    switch (e->kind) {
    case TTDEV_TRUTH_KERNEL_ENTRY: c->entry[e->risc] = e->cycle; break;
    case TTDEV_TRUTH_KERNEL_EXIT: c->exit[e->risc] = e->cycle; break;
    case TTDEV_TRUTH_CLOCK_READ:
        c->read[e->risc][c->n_reads[e->risc]++ % READS] = e->argument;
        break;
    case TTDEV_TRUTH_MARKER_STORE: take_store(t, c, e); break;
    case TTDEV_TRUTH_ENGINE_START: c->products += e->argument == TT_MATH_MATMUL; break;
    case TTDEV_TRUTH_DRAM_READ:
        c->bytes_read += e->argument >= t->dram_buffers ? e->pc : 0;
        break;
    case TTDEV_TRUTH_DRAM_WRITE: take_write(t, c, e); break;
    default: break;
    }
}

static void hear_op(void *context, const struct rt_op *op, int device, uint32_t id,
                    bool is_hit)
{
    struct truth *t = context;
    (void)device;
    buf_printf(&t->ops, "op,%u,%s,%d,%llu,%llu\n", id, op->code, is_hit,
               (unsigned long long)op->flops, (unsigned long long)op->bytes);
}

// --- telling -----------------------------------------------------------------------------
static void put_core(struct buf *b, const struct core *c)
{
    buf_printf(b, "core,%d,%u,%d,%d,%d,%llu,%llu,%llu,%llu,%llu", c->chip, c->id, c->x,
               c->y, c->is_eth, (unsigned long long)c->bytes_read,
               (unsigned long long)c->bytes_written, (unsigned long long)c->products,
               (unsigned long long)c->push_first, (unsigned long long)c->push_last);
    for (int risc = 0; risc < TT_RISCS; risc++) {
        for (int i = 0; i < SLOTS; i++)
            buf_printf(b, ",%llu", (unsigned long long)c->slot[risc][i]);
        buf_printf(b, ",%llu,%llu", (unsigned long long)c->entry[risc],
                   (unsigned long long)c->exit[risc]);
    }
    buf_char(b, '\n');
}

static bool write_truth(const struct truth *t, const char *path)
{
    struct buf b = {0};
    buf_str(&b, buf_view(&t->ops));
    for (size_t i = 0; i < t->cores.n; i++)
        put_core(&b, &t->cores.v[i]);
    buf_printf(&b, "unread,%llu\n", (unsigned long long)t->n_unread);
    FILE *f = fopen(path, "w");
    bool is_written = f && fwrite(b.p, 1, b.n, f) == b.n;
    is_written = f && fclose(f) == 0 && is_written;
    buf_free(&b);
    return is_written;
}

// --- the run -----------------------------------------------------------------------------
static bool set(struct run *r, const struct workload *w, char **words)
{
    static const struct {
        const char *name;
        int id;
    } names[] = {{"size", SETTING_SIZE},
                 {"runs", SETTING_RUNS},
                 {"loops", SETTING_LOOPS},
                 {"grid_x", SETTING_GRID_X},
                 {"grid_y", SETTING_GRID_Y}};
    for (size_t i = 0; i < w->n_settings; i++)
        r->setting[w->settings[i].id] = w->settings[i].normal;
    for (; *words; words++) {
        str value = str_of(*words);
        str name = str_cut(&value, '=');
        bool is_known = false;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (str_is(name, names[i].name))
                is_known = num_int(value, &r->setting[names[i].id]);
        if (!is_known)
            return false;
    }
    return true;
}

static void find_tiles(struct truth *t, const struct tt_access *access, int n)
{
    for (int i = 0; i < CHIPS && i < n; i++) {
        struct tt_chip chip;
        if (access->get_chip(access->device, i, &chip) < 0)
            continue;
        t->chip_id[i] = chip.id;
        for (size_t k = 0; k < chip.n_cores; k++)
            t->tiles[i][chip.cores[k].x][chip.cores[k].y] =
                (struct tile){.buffers = chip.cores[k].buffers,
                              .is_eth = chip.cores[k].kind == TT_CORE_ETH};
    }
}

static bool run(struct run *r, const struct workload *w, ttdev_cfg *cfg, struct truth *t,
                const char *path)
{
    struct ttprof_device_needs needs;
    struct tt_access access;
    ttprof_profiler *profiler = NULL;
    char why[256] = "";
    if (ttprof_profiler_needs(&needs, why) < 0)
        run_fail(r, "%s", why);
    if (needs.is_enabled) {
        cfg->variant = needs.variant;
        cfg->region_bytes = needs.region_bytes;
        cfg->region_buffers = needs.region_buffers;
    }
    run_open(r, w, cfg);
    if (r->has_failed)
        return false;
    rt_clock_start(r->t);
    ttdev_access(r->t, &access);
    find_tiles(t, &access, r->info.n_devices);
    t->dram_buffers = r->info.dram_buffers;
    if (ttprof_profiler_attach(&access, &profiler, why) < 0)
        run_fail(r, "%s", why);
    else
        w->run(r);
    if (ttprof_profiler_detach(profiler) < 0)
        run_fail(r, "the profile is not complete");
    rt_clock_stop(r->t);
    return write_truth(t, path) && !r->n_failures;
}

int main(int argc, char **argv)
{
    struct truth truth = {0};
    struct run r = {
        .timeout_ns = 1000000000, .hear = hear, .hear_op = hear_op, .hear_context = &truth};
    ttdev_cfg cfg;
    struct err e = {0};
    const struct workload *w = argc > 3 ? workload_find(str_of(argv[2])) : NULL;
    ttdev_cfg_default(&cfg);
    if (!w || ttdev_cfg_parse(&cfg, argv[3], &e) < 0 || !set(&r, w, argv + 4)) {
        (void)fprintf(stderr, "truth_run TRUTH WORKLOAD CONFIG [SETTING=VALUE ...] %s\n",
                      e.text);
        return 2;
    }
    bool is_fine = run(&r, w, &cfg, &truth, argv[1]);
    if (r.failures.n)
        (void)fprintf(stderr, "%.*s", STR(r.failures));
    run_close(&r);
    vec_free(&truth.cores);
    buf_free(&truth.ops);
    return !is_fine;
}
