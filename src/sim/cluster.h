// cluster.h - the chips of one ttdev together, their common time, and how the host gets in.
//
// True time is counted in femtoseconds and is what the host's virtual clock shows. A chip's
// cycle count is a straight line over true time whose slope may step once per millisecond
// of device time (drift).
#ifndef TTP_SIM_CLUSTER_H
#define TTP_SIM_CLUSTER_H

#include "base/text/buf.h"

#include "sim/chips.h"
#include "sim/machine.h"
#include "sim/program/zones.h"

struct pool; // threads that run tiles (pool.c)
struct replay_trace;

// An instruction trace that somebody asked for (ttdev_trace_risc).
struct step_request {
    struct risc *risc;
    uint64_t from, to; // cycles since reset
    void (*step)(void *context, const ttdev_step *step);
    void *context;
};

struct ttdev {
    ttdev_cfg cfg;
    struct chip *chips;
    int n_chips;
    struct link links[128];
    int n_links;
    VEC(struct ttdev_image *) images;
    struct zone_table zones;           // of all images
    struct buf warnings;               // ttdev_warnings
    VEC(struct replay_trace *) traces; // replay.c
    int recording[TTDEV_MAX_CHIPS];    // trace being recorded, -1
    uint64_t origin_fs;                // true time of cycle 0 of all chips
    uint64_t true_fs;                  // all chips have reached this moment
    uint64_t host_fs;                  // the host's clock; warp: at the last call
    uint64_t real_ns;                  // warp: the real clock when the last call ended
    unsigned n_inside;                 // calls of the host that have not returned
    uint64_t n_accesses;
    int (*quiet)(void *context, int dev);
    void *quiet_context;
    uint64_t quiet_at; // true time of the next regular call
    tt_event_hook event;
    void *event_context;
    ttdev_truth_cb truth;
    void *truth_context;
    struct pool *pool; // NULL: one thread
    struct step_request steps;
    uint64_t windows, barrier_ns;
    struct err error; // of the last negative return
};

#define FS_PER_NS 1000000u
#define FS_AT_OPEN                                                                         \
    (1000000000ull * FS_PER_NS) // true time and the host's clock when ttdev_open returns

// --- time.c ----------------------------------------------------------------------------
uint64_t chip_true_fs(const struct chip *chip, uint64_t cycle);
uint64_t chip_cycle_at(const struct chip *chip, uint64_t true_fs); // first one not before

// --- cluster.c -------------------------------------------------------------------------
struct chip *cluster_chip(struct ttdev *t, int dev); // NULL: no such device
// 0, or -ENOLINK.
int cluster_peer(const struct ttdev *t, int dev, int channel, int *peer_dev,
                 int *peer_channel);
bool cluster_numerics(const struct chip *chip);
// Lets all chips run to a moment of true time (never back).
void cluster_advance(struct ttdev *t, uint64_t true_fs);
// Runs until every launched core of the chip is DONE and no packet is in flight on it.
// 0, -ETIMEDOUT, -EDEADLK, -EFAULT.
int cluster_run_until_done(struct ttdev *t, int dev, uint64_t timeout_ns);
bool chip_is_done(const struct chip *chip);

// --- host.c: one access of the host, with its time -------------------------------------
// 0, -EINVAL (range).
int host_write(struct chip *chip, struct tile *tile, uint32_t address, const void *data,
               size_t bytes);
int host_read(struct chip *chip, struct tile *tile, uint32_t address, void *data,
              size_t bytes);
// Just the time: begins an access (the effect may be applied when it returns), ends it.
struct host_access {
    uint64_t end_fs;
};
void host_enter(struct ttdev *t); // warp: the host's own time since the last call passes
void host_leave(struct ttdev *t);
uint64_t host_real_ns(void); // monotonic, of the machine this runs on
struct host_access host_begin(struct chip *chip, bool is_write, size_t bytes);
void host_end(struct chip *chip, struct host_access access);

// --- chip.c ----------------------------------------------------------------------------
bool chip_start(struct chip *chip); // memory, NIUs, engines of a laid-out chip
void chip_stop(struct chip *chip);
void chip_run(struct chip *chip, uint64_t until); // cycles; stops early at a fault
void chip_run_until_done(struct chip *chip, uint64_t until); // or until chip_is_done
// The end of the longest window that a cycle can lie in.
static inline uint64_t window_end(uint64_t cycle)
{
    return (cycle / SIM_LONGEST_WINDOW + 1) * SIM_LONGEST_WINDOW;
}
uint64_t chip_next(const struct chip *chip); // first cycle with something to do
void chip_flush_truth(struct chip *chip);
uint64_t chip_hash(struct chip *chip); // ttdev_state_hash

// --- pool.c: threads that run tiles ----------------------------------------------------
struct pool *pool_new(unsigned threads);
void pool_free(struct pool *pool);
// Runs the tiles of the list to `end`; returns ns that this thread waited for others.
uint64_t pool_run(struct pool *pool, struct tile *tiles, const uint16_t *list, size_t n,
                  uint64_t end);
// Copies the image into the tile's L1 and lets the RISC execute it.
void chip_bind_code(struct tile *tile, unsigned risc, int which,
                    const struct ttdev_image *image);

#endif
