// cluster.c - several chips on one timeline.
#include "sim/cluster.h"

#include <errno.h>

#include "sim/noc/noc.h"
#include "sim/report/report.h"

// Chips may run independently for less time than a message takes over a link.
enum { LINK_STEP_NS = 500 };
#define QUIET_STEP_FS (1000000ull * FS_PER_NS)

struct chip *cluster_chip(struct ttdev *t, int dev)
{
    return dev >= 0 && dev < t->n_chips ? &t->chips[dev] : NULL;
}

int cluster_peer(const struct ttdev *t, int dev, int channel, int *peer_dev,
                 int *peer_channel)
{
    for (int i = 0; i < t->n_links; i++)
        for (int end = 0; end < 2; end++) {
            const struct link *link = &t->links[i];
            if (link->dev[end] != dev || link->channel[end] != channel)
                continue;
            *peer_dev = link->dev[!end];
            *peer_channel = link->channel[!end];
            return 0;
        }
    return -ENOLINK;
}

bool cluster_numerics(const struct chip *chip)
{
    return chip->cluster->cfg.numerics;
}

// True time of the first thing to do on any chip; SIM_NEVER if there is none.
static uint64_t next_fs(const struct ttdev *t)
{
    uint64_t first = SIM_NEVER;
    for (int i = 0; i < t->n_chips; i++) {
        const struct chip *chip = &t->chips[i];
        uint64_t next = chip->has_fault ? SIM_NEVER : chip_next(chip);
        if (next == SIM_NEVER)
            continue;
        uint64_t fs = chip_true_fs(chip, next > chip->now ? next : chip->now);
        first = fs < first ? fs : first;
    }
    return first;
}

// The next common moment on the way to `target`: chips meet every 500 ns. Meetings at
// which no chip has anything to do are skipped, except the last: slices begin where a
// chip stopped, and that must not depend on whether a RISC polls or is parked.
static uint64_t next_meeting(const struct ttdev *t, uint64_t target)
{
    uint64_t next = next_fs(t), latency = t->chips[0].costs.eth_latency_ns;
    uint64_t step = (latency < LINK_STEP_NS ? latency : LINK_STEP_NS) * FS_PER_NS;
    uint64_t last = (next < target ? next : target) / step * step;
    uint64_t stop = last > t->true_fs ? last : (t->true_fs / step + 1) * step;
    return stop < target ? stop : target;
}

static void run_chips(struct ttdev *t, uint64_t moment)
{
    for (int i = 0; i < t->n_chips; i++)
        chip_run(&t->chips[i], chip_cycle_at(&t->chips[i], moment));
    if (t->n_links)
        (void)links_exchange(t);
    t->true_fs = moment;
}

void cluster_advance(struct ttdev *t, uint64_t true_fs)
{
    while (t->true_fs < true_fs)
        run_chips(t, t->n_links ? next_meeting(t, true_fs) : true_fs);
}

static bool any_fault(const struct ttdev *t)
{
    for (int i = 0; i < t->n_chips; i++)
        if (t->chips[i].has_fault)
            return true;
    return false;
}

// A single chip stops at the end of the window in which it is done; several chips meet.
static void run_towards(struct ttdev *t, struct chip *chip, uint64_t moment)
{
    if (t->n_chips > 1) {
        run_chips(t, next_meeting(t, moment));
        return;
    }
    chip_run_until_done(chip, chip_cycle_at(chip, moment));
    uint64_t reached = chip_true_fs(chip, chip->now);
    bool stops = chip_is_done(chip) || chip->has_fault;
    t->true_fs = stops && reached < moment ? reached : moment;
}

static void note_done(struct ttdev *t, struct chip *chip)
{
    for (int i = 0; i < chip->n_tiles; i++)
        if (chip->tiles[i].last_packet > chip->done_at)
            chip->done_at = chip->tiles[i].last_packet;
    if (pcie_last_write(chip) > chip->done_at)
        chip->done_at = pcie_last_write(chip);
    uint64_t fs = chip_true_fs(chip, chip->done_at + 1);
    t->host_fs = fs > t->host_fs ? fs : t->host_fs;
    if (t->n_chips == 1) // its current cycle depends on the window length
        cluster_advance(t, chip_true_fs(chip, window_end(chip->done_at)));
}

static bool serve_quiet(struct ttdev *t, int dev)
{
    t->quiet_at = t->true_fs + QUIET_STEP_FS;
    return t->quiet && t->quiet(t->quiet_context, dev) > 0;
}

int cluster_pass(struct ttdev *t, int dev, uint64_t ns)
{
    if (any_fault(t))
        return -EFAULT;
    if (next_fs(t) == SIM_NEVER && !serve_quiet(t, dev)) {
        report_deadlock(&t->chips[dev]);
        return -EDEADLK;
    }
    t->host_fs += ns * FS_PER_NS;
    cluster_advance(t, t->host_fs);
    if (t->quiet && t->true_fs >= t->quiet_at)
        (void)serve_quiet(t, dev);
    return 0;
}

static int run_until_done(struct ttdev *t, int dev, uint64_t timeout_ns)
{
    struct chip *chip = &t->chips[dev];
    uint64_t deadline = t->true_fs + timeout_ns * FS_PER_NS;
    t->quiet_at = t->true_fs + QUIET_STEP_FS;
    for (;;) {
        if (any_fault(t))
            return -EFAULT;
        if (chip_is_done(chip)) {
            note_done(t, chip);
            return 0;
        }
        if (next_fs(t) == SIM_NEVER && !serve_quiet(t, dev)) {
            report_deadlock(chip);
            return -EDEADLK;
        }
        if (t->true_fs >= deadline) {
            report_timeout(chip, timeout_ns);
            return -ETIMEDOUT;
        }
        if (t->quiet && t->true_fs >= t->quiet_at)
            (void)serve_quiet(t, dev);
        run_towards(t, chip, t->quiet && t->quiet_at < deadline ? t->quiet_at : deadline);
    }
}

int cluster_run_until_done(struct ttdev *t, int dev, uint64_t timeout_ns)
{
    int code = run_until_done(t, dev, timeout_ns);
    // The host waited the whole time.
    if (code && t->host_fs < t->true_fs)
        t->host_fs = t->true_fs;
    return code;
}
