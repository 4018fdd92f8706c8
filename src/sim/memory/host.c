// host.c - the time a host access takes: it lasts W, takes effect somewhere in its second
// half, and all chips run meanwhile.
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "sim/cluster.h"
#include "sim/tile/tile.h"

uint64_t host_real_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// What peekers see is one word, so that it is consistent: between two calls the difference
// to real time, with the top bit set; else the time, which stands.
#define SHOWN_RUNS UINT64_C(0x8000000000000000)

static void show_clock(struct ttdev *t)
{
    uint64_t ns = t->host_fs / FS_PER_NS;
    atomic_store(&t->shown,
                 t->n_inside ? ns : ((ns - t->real_ns) & ~SHOWN_RUNS) | SHOWN_RUNS);
}

// Time spent in a device hook belongs to the call that ran it.
void host_enter(struct ttdev *t)
{
    if (t->n_inside++ || t->cfg.clock_mode != TTDEV_WARP)
        return;
    uint64_t now = host_real_ns();
    t->host_fs += (now - t->real_ns) * FS_PER_NS;
    t->real_ns = now;
    show_clock(t);
    cluster_advance(t, t->host_fs);
}

void host_leave(struct ttdev *t)
{
    bool was_inside = t->n_inside > 0;
    t->n_inside -= was_inside;
    if (t->cfg.clock_mode != TTDEV_WARP)
        return;
    uint64_t now = host_real_ns();
    t->simulation_ns += was_inside ? now - t->real_ns : 0; // else the device was opened
    t->real_ns = now;
    show_clock(t);
}

uint64_t ttdev_simulation_ns(const ttdev *t)
{
    return t->simulation_ns;
}

uint64_t ttdev_host_peek(const ttdev *t)
{
    if (t->cfg.clock_mode != TTDEV_WARP)
        return t->host_fs / FS_PER_NS;
    for (;;) {
        uint64_t shown = atomic_load(&t->shown);
        if (!(shown & SHOWN_RUNS))
            return shown;
        uint64_t now = (host_real_ns() + shown) & ~SHOWN_RUNS;
        if (atomic_load(&t->shown) == shown) // else a call came between
            return now;
    }
}

// A number in [0, 1).
static double fraction(uint64_t random)
{
    return (double)(random >> 11) * 0x1p-53;
}

struct host_access host_begin(struct chip *chip, bool is_write, size_t bytes)
{
    struct ttdev *t = chip->cluster;
    const ttdev_cfg *cfg = &t->cfg;
    host_enter(t);
    uint64_t number = t->n_accesses++;
    double jitter = cfg->host_jitter_ns * fraction(sim_random(cfg->seed, number, 1));
    double ns = (is_write ? cfg->host_write_ns : cfg->host_read_ns) +
                (double)bytes / cfg->host_bytes_per_ns + jitter;
    if (chip->remote)
        ns *= REMOTE_FACTOR;
    double effect = ns * (0.5 + fraction(sim_random(cfg->seed, number, 2)) / 2);
    cluster_advance(t, t->host_fs + (uint64_t)(effect * FS_PER_NS));
    return (struct host_access){t->host_fs + (uint64_t)(ns * FS_PER_NS)};
}

void host_end(struct chip *chip, struct host_access access)
{
    struct ttdev *t = chip->cluster;
    t->host_fs = access.end_fs;
    cluster_advance(t, access.end_fs);
    host_leave(t);
}

static bool is_inside(const struct tile *tile, uint32_t address, size_t bytes)
{
    return address <= tile->l1_bytes && bytes <= tile->l1_bytes - address;
}

static void truth_access(struct tile *tile, uint32_t address)
{
    if (tile->chip->has_truth)
        tile_truth(tile, TT_RISCS, TTDEV_TRUTH_HOST_ACCESS, tile->chip->now, address, 0);
}

int host_write(struct chip *chip, struct tile *tile, uint32_t address, const void *data,
               size_t bytes)
{
    if (!is_inside(tile, address, bytes))
        return -EINVAL;
    struct host_access access = host_begin(chip, true, bytes);
    truth_access(tile, address);
    tile_stand(tile, chip->now);
    tile_write(tile, address, data, (uint32_t)bytes);
    host_end(chip, access);
    return 0;
}

int host_read(struct chip *chip, struct tile *tile, uint32_t address, void *data,
              size_t bytes)
{
    if (!is_inside(tile, address, bytes))
        return -EINVAL;
    struct host_access access = host_begin(chip, false, bytes);
    truth_access(tile, address);
    memcpy(data, tile->l1 + address, bytes);
    host_end(chip, access);
    return 0;
}
