// prop_sync.c - clock sync on the software device: what the models state bounds what is
// true, on chips with other frequencies, offsets, drifts and latencies every time.
//
// The truth is the cluster's own arithmetic of cycles and time, which the sync has no way
// to see: it goes through the access table only.
//
// TTPROF_SYNC_RUNS=FROM:COUNT makes other runs than the usual 200.
#include <math.h>
#include <string.h>

#include "collect/sync/sync.h"
#include "prop.h"
#include "sim/cluster.h"

enum {
    LAW_ANSWERS,
    LAW_TIME,
    LAW_FIGURES,
    LAW_RATE,
    LAW_EPOCH,
    LAW_BETWEEN,
    LAW_OUTSIDE,
    LAW_PAIR,
    LAW_TIGHTER,
    LAW_CAUSAL,
    LAW_SAME,
    LAWS
};
static struct law laws[LAWS] = {
    [LAW_ANSWERS] = {.name = "every chip has an epoch after every sync, no sample missing"},
    [LAW_TIME] = {.name = "a sync takes under 0.3 s of host time, however many chips"},
    [LAW_FIGURES] = {.name = "a chip on the bus is known to 0.5 us and 0.5 ppm"},
    [LAW_RATE] = {.name = "a frequency is off by no more than is stated"},
    [LAW_EPOCH] = {.name = "the stated error holds during an epoch"},
    [LAW_BETWEEN] = {.name = "the stated error holds between two epochs"},
    [LAW_OUTSIDE] = {.name = "the stated error holds before and after the epochs"},
    [LAW_PAIR] = {.name = "two chips are no further apart than is stated of the pair"},
    [LAW_TIGHTER] = {.name = "links tell more of a pair than the host's samples"},
    [LAW_CAUSAL] = {.name =
                        "what is sent after one chip's time arrives later by another's"},
    [LAW_SAME] = {.name = "the same run gives the same log"},
};

struct trial {
    uint64_t seed;
    char config[300];
    double drift;
    ttdev *t;
    struct tt_access access;
    struct sync *sync;
    uint64_t opened, ended; // host ns
    uint64_t epoch_end[2];
};

static double random_real(struct random *r, double from, double to)
{
    return from + (to - from) * ((double)(random_bits(r) >> 11) * 0x1p-53);
}

// --- the truth -------------------------------------------------------------------------
static uint64_t true_cycle(const struct trial *x, int chip, uint64_t host_ns)
{
    const struct chip *c = &x->t->chips[chip];
    return c->boot_cycles + chip_cycle_at(c, host_ns * FS_PER_NS);
}

static double true_since(const struct trial *x, int chip, uint64_t cycle, uint64_t host_ns)
{
    const struct chip *c = &x->t->chips[chip];
    uint64_t fs = chip_true_fs(c, cycle - c->boot_cycles);
    return (double)(int64_t)(fs - host_ns * FS_PER_NS) / FS_PER_NS;
}

static double true_rate(const struct trial *x, int chip, uint64_t from, uint64_t to)
{
    return (double)(true_cycle(x, chip, to) - true_cycle(x, chip, from)) /
           (double)(to - from);
}

// --- a run -----------------------------------------------------------------------------
static bool open_trial(struct trial *x, struct random *r)
{
    static const char *const boards[] = {
        "board=n300",
        "board=n300",
        "board=n150",
        "board=n300",
        "arch=blackhole board=p150 devices=2 links=line",
    };
    static const double drifts[] = {0, 0.05, -0.2, 0.5, -1};
    struct err e = {0};
    ttdev_cfg cfg;
    x->drift = drifts[random_below(r, 5)];
    const char *board = boards[random_below(r, 5)];
    double ppm = random_real(r, -50, 50), other = random_real(r, -50, 50);
    uint64_t boot = random_bits(r) >> (24 + random_below(r, 16));
    int n = snprintf(x->config, sizeof x->config,
                     "%s seed=%llu drift_ppm_s=%g ppm=%.3f boot_cycles=%llu", board,
                     (unsigned long long)x->seed, x->drift, ppm, (unsigned long long)boot);
    if (!strstr(board, "n150"))
        (void)snprintf(x->config + n, sizeof x->config - (size_t)n,
                       " ppm=%.3f:%.3f boot_cycles=%llu:%llu", ppm, other,
                       (unsigned long long)boot, (unsigned long long)boot / 3);
    ttdev_cfg_default(&cfg);
    if (ttdev_cfg_parse(&cfg, x->config, &e) || ttdev_open(&cfg, &x->t, &e))
        return law_check(&laws[LAW_ANSWERS], false, "%s: %s", x->config, e.text);
    struct profiler_options o = {.sync = true, .sync_spacing_us = 1000};
    ttdev_access(x->t, &x->access);
    x->sync = sync_new(&x->access, &o);
    x->opened = ttdev_host_ns(x->t);
    return true;
}

static void close_trial(struct trial *x)
{
    sync_free(x->sync);
    ttdev_close(x->t);
}

static bool run_epoch(struct trial *x, int number)
{
    struct err e = {0};
    uint64_t before = ttdev_host_ns(x->t);
    bool is_run = sync_run(x->sync, &e);
    x->epoch_end[number] = ttdev_host_ns(x->t);
    double seconds = (double)(x->epoch_end[number] - before) / 1e9;
    (void)law_check(&laws[LAW_ANSWERS], is_run, "%s: %s", x->config, e.text);
    (void)law_check(&laws[LAW_TIME], seconds < 0.3, "%s: %.3f s", x->config, seconds);
    for (int i = 0; i < x->access.n_chips && is_run; i++) {
        const struct clock_model *m = sync_model(x->sync, i);
        is_run = law_check(&laws[LAW_ANSWERS],
                           m->is_synced && m->epochs.n == (size_t)number + 1 &&
                               m->epochs.v[number].n_missing == 0,
                           "%s: chip %d: %zu epochs", x->config, i, m->epochs.n);
    }
    return is_run;
}

// --- laws ------------------------------------------------------------------------------
static double error_at(const struct trial *x, int chip, uint64_t host_ns, double *stated)
{
    const struct clock_model *m = sync_model(x->sync, chip);
    uint64_t cycle = true_cycle(x, chip, host_ns);
    *stated = clock_model_error_ns(m, cycle);
    return clock_model_since(m, cycle, host_ns) - true_since(x, chip, cycle, host_ns);
}

static double largest[LAWS], ratio[LAWS]; // what was seen, for the figures at the end

static void check_at(const struct trial *x, int law, uint64_t from, uint64_t to, int n)
{
    for (int chip = 0; chip < x->access.n_chips; chip++)
        for (int i = 0; i <= n; i++) {
            uint64_t at = from + (to - from) * (uint64_t)i / (uint64_t)n;
            double stated, off = error_at(x, chip, at, &stated);
            largest[law] = fmax(largest[law], fabs(off));
            ratio[law] = fmax(ratio[law], fabs(off) / stated);
            (void)law_check(&laws[law], fabs(off) <= stated,
                            "%s: chip %d at %.3f s: off by %.0f ns, stated %.0f", x->config,
                            chip, (double)(at - x->opened) / 1e9, off, stated);
        }
}

static void check_rates(const struct trial *x)
{
    for (int chip = 0; chip < x->access.n_chips; chip++) {
        const struct clock_epoch *e = &sync_model(x->sync, chip)->epochs.v[0];
        double truth = true_rate(x, chip, x->opened, x->epoch_end[0]);
        double off = fabs(e->cycles_per_ns / truth - 1);
        bool is_local = !x->t->chips[chip].remote;
        // A clock that changes has no one frequency to be compared with.
        if (x->drift != 0)
            continue;
        largest[LAW_RATE] = fmax(largest[LAW_RATE], off * 1e6);
        ratio[LAW_RATE] = fmax(ratio[LAW_RATE], off / e->rate_error);
        (void)law_check(&laws[LAW_RATE], off <= e->rate_error,
                        "%s: chip %d: %.3f ppm off, stated %.3f", x->config, chip,
                        off * 1e6, e->rate_error * 1e6);
        if (is_local)
            (void)law_check(&laws[LAW_FIGURES], e->error_ns < 500 && off < 0.5e-6,
                            "%s: chip %d: stated %.0f ns, %.3f ppm off", x->config, chip,
                            e->error_ns, off * 1e6);
    }
}

static void check_pair(const struct trial *x, uint64_t from, uint64_t to)
{
    if (x->access.n_chips < 2)
        return;
    double stated = sync_pair_error_ns(x->sync, 0, 1), unused;
    double by_host = clock_model_worst_ns(sync_model(x->sync, 0)) +
                     clock_model_worst_ns(sync_model(x->sync, 1));
    for (int i = 0; i <= 40; i++) {
        uint64_t at = from + (to - from) * (uint64_t)i / 40;
        double apart = error_at(x, 0, at, &unused) - error_at(x, 1, at, &unused);
        largest[LAW_PAIR] = fmax(largest[LAW_PAIR], fabs(apart));
        ratio[LAW_PAIR] = fmax(ratio[LAW_PAIR], fabs(apart) / stated);
        (void)law_check(&laws[LAW_PAIR], fabs(apart) <= stated,
                        "%s: %.0f ns apart, stated %.0f", x->config, apart, stated);
    }
    if (x->t->chips[1].remote)
        (void)law_check(&laws[LAW_TIGHTER], stated < by_host, "%s: %.0f ns, host %.0f",
                        x->config, stated, by_host);
}

// --- the all-gather between two epochs -------------------------------------------------
// The kernel of workloads/allgather2 on both ends of the first link; both clocks at send
// and at receive come back.
enum { PART_BYTES = 1024, MARK = 0x600DDA7A };

static const struct tt_core *eth_core(const struct tt_chip *chip, int channel,
                                      size_t *index)
{
    for (*index = 0; *index < chip->n_cores; (*index)++) {
        const struct tt_core *core = &chip->cores[*index];
        if (core->kind == TT_CORE_ETH && core->lx == channel)
            return core;
    }
    return NULL;
}

// One end of the link.
struct end {
    int chip;
    struct tt_chip about;
    const struct tt_core *core;
    size_t index;            // of the core
    uint32_t in, log, hello; // its L1
};

static bool find_end(const struct tt_access *a, int chip, int channel, struct end *end)
{
    static const uint32_t none[4];
    *end = (struct end){.chip = chip};
    if (a->get_chip(a->device, chip, &end->about))
        return false;
    end->core = eth_core(&end->about, channel, &end->index);
    end->in = tt_layouts[end->about.arch].eth_buffers + PART_BYTES + 64;
    end->log = end->in + PART_BYTES + 64;
    end->hello = end->log + 64;
    return end->core &&
           a->l1_write(a->device, chip, end->core, end->in + PART_BYTES, none, 16) == 0 &&
           a->l1_write(a->device, chip, end->core, end->hello, none, 16) == 0;
}

static bool start_end(const struct tt_access *a, const struct end *end, uint32_t number)
{
    const struct tt_layout *l = &tt_layouts[end->about.arch];
    const struct tt_core *worker = &end->about.cores[0];
    const uint32_t args[] = {(uint32_t)worker->vx,
                             (uint32_t)worker->vy,
                             l->buffers,
                             l->buffers + PART_BYTES,
                             PART_BYTES,
                             number,
                             l->eth_buffers,
                             end->in,
                             end->log,
                             MARK,
                             end->hello};
    struct tt_kernel kernel = {.image = "allgather2/gather",
                               .risc = TT_RISCS,
                               .core = end->index,
                               .args = args,
                               .n_args = sizeof args / sizeof *args};
    return a->launch(a->device, end->chip, &kernel, 1, 1) == 0;
}

static bool gather(const struct trial *x, uint64_t clocks[2][2])
{
    const struct tt_access *a = &x->access;
    struct end ends[2];
    struct tt_link link;
    bool ok = a->get_link(a->device, 0, &link) == 0 &&
              find_end(a, link.chip, link.channel, &ends[0]) &&
              find_end(a, link.peer_chip, link.peer_channel, &ends[1]);
    for (uint32_t i = 0; i < 2; i++)
        ok = ok && start_end(a, &ends[i], i);
    for (int i = 0; i < 2; i++)
        ok = ok && a->wait(a->device, ends[i].chip, 1000000000) == 0;
    for (int i = 0; i < 2; i++)
        ok = ok && a->l1_read(a->device, ends[i].chip, ends[i].core, ends[i].log,
                              clocks[ends[i].chip], 16) == 0;
    return law_check(&laws[LAW_CAUSAL], ok, "%s: %s", x->config, a->error(a->device));
}

// From send to receive passes what the link needs: by the models as in truth, to within
// what is stated of the pair.
static void check_causal(const struct trial *x, uint64_t clocks[2][2])
{
    double stated = sync_pair_error_ns(x->sync, 0, 1);
    for (int from = 0; from < 2; from++) {
        uint64_t send = clocks[from][0], receive = clocks[!from][1];
        double flight = clock_model_since(sync_model(x->sync, !from), receive, x->opened) -
                        clock_model_since(sync_model(x->sync, from), send, x->opened);
        double truth =
            true_since(x, !from, receive, x->opened) - true_since(x, from, send, x->opened);
        (void)law_check(&laws[LAW_CAUSAL], flight > 0 && fabs(flight - truth) <= stated,
                        "%s: chip %d to %d in %.0f ns, in truth %.0f, stated %.0f",
                        x->config, from, !from, flight, truth, stated);
    }
}

// The other run of the same seed writes the same log.
static void check_same(const struct trial *x)
{
    static struct buf last;
    str log = buf_view(sync_log(x->sync));
    if (last.n)
        (void)law_check(&laws[LAW_SAME], str_eq(log, buf_view(&last)), "%s", x->config);
    if (last.n)
        buf_free(&last);
    else
        buf_str(&last, log);
}

static void play(uint64_t seed)
{
    uint64_t clocks[2][2] = {{0}};
    struct random r = {seed * UINT64_C(0x9E3779B97F4A7C15)};
    struct trial x = {.seed = seed};
    if (!open_trial(&x, &r))
        return;
    if (run_epoch(&x, 0)) {
        (void)ttdev_sleep_ns(x.t, (uint64_t)random_real(&r, 0, 2e9));
        bool is_gathered = x.access.n_chips > 1 && gather(&x, clocks);
        (void)ttdev_sleep_ns(x.t, (uint64_t)random_real(&r, 0, 2e9));
        check_at(&x, LAW_EPOCH, x.opened, x.epoch_end[0], 20);
        check_at(&x, LAW_OUTSIDE, x.opened, ttdev_host_ns(x.t), 20);
        check_rates(&x);
        uint64_t before = ttdev_host_ns(x.t);
        if (run_epoch(&x, 1)) {
            (void)ttdev_sleep_ns(x.t, 2000000000);
            x.ended = ttdev_host_ns(x.t);
            check_at(&x, LAW_BETWEEN, x.epoch_end[0], before, 40);
            check_at(&x, LAW_EPOCH, before, x.epoch_end[1], 20);
            check_at(&x, LAW_OUTSIDE, x.epoch_end[1], x.ended, 20);
            check_pair(&x, x.opened, x.epoch_end[1]);
            if (is_gathered)
                check_causal(&x, clocks);
        }
    }
    if (seed % 20 == 0)
        check_same(&x);
    close_trial(&x);
}

int main(void)
{
    unsigned long long from = 1, count = prop_rounds(200);
    const char *runs = getenv("TTPROF_SYNC_RUNS");
    if (runs)
        (void)sscanf(runs, "%llu:%llu", &from, &count);
    for (unsigned long long seed = from; seed < from + count; seed++)
        for (int i = 0; i < (seed % 20 ? 1 : 2); i++)
            play(seed);
    for (int i = 0; i < LAWS; i++)
        if (largest[i] > 0)
            (void)printf("# %s: at most %.3f, %.2f of what is stated\n", laws[i].name,
                         largest[i], ratio[i]);
    return laws_report(laws, LAWS);
}
