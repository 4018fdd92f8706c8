// cluster.h - the chips of one ttdev, their common time, and host access.
//
// True time is counted in femtoseconds and is what the host's virtual clock shows. A
// chip's cycle count is piecewise linear in true time; its slope may change once per
// millisecond of device time (drift).
#ifndef TTP_SIM_CLUSTER_H
#define TTP_SIM_CLUSTER_H

#include "base/text/buf.h"

#include "sim/chips.h"
#include "sim/dispatch/move.h"
#include "sim/machine.h"
#include "sim/program/zones.h"

struct pool; // threads that run tiles (pool.c)
struct replay_trace;

// An instruction trace requested through ttdev_trace_risc.
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
    struct image_copies copies;        // of kernels, for other addresses
    struct zone_table zones;           // of all images
    struct buf warnings;               // ttdev_warnings
    VEC(struct replay_trace *) traces; // replay.c
    int recording[TTDEV_MAX_CHIPS];    // trace being recorded, -1
    uint64_t origin_fs;                // true time of cycle 0 of all chips
    uint64_t true_fs;                  // all chips have reached this moment
    uint64_t host_fs;                  // the host's clock; in warp mode as of the last call
    uint64_t real_ns;                  // warp mode: real clock when the last call ended
    uint64_t simulation_ns;            // warp mode: real time of all calls that returned
    unsigned n_inside;                 // host calls that have not returned
    // warp mode: the host's clock for those who peek, perhaps on other threads; see host.c
    _Atomic(uint64_t) shown;
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
    struct err error; // of the last call that failed
};

#define FS_PER_NS 1000000u
#define FS_AT_OPEN                                                                         \
    (1000000000ull * FS_PER_NS) // true time and the host's clock when ttdev_open returns

// --- time.c ----------------------------------------------------------------------------
uint64_t chip_true_fs(const struct chip *chip, uint64_t cycle);
uint64_t chip_cycle_at(const struct chip *chip,
                       uint64_t true_fs); // first cycle not before true_fs

// --- cluster.c -------------------------------------------------------------------------
struct chip *cluster_chip(struct ttdev *t, int dev); // NULL if there is no such device
// Returns 0 or -ENOLINK.
int cluster_peer(const struct ttdev *t, int dev, int channel, int *peer_dev,
                 int *peer_channel);
bool cluster_numerics(const struct chip *chip);
// Runs all chips to a moment of true time; never goes back.
void cluster_advance(struct ttdev *t, uint64_t true_fs);
// Runs until every launched core of the chip is DONE and none of its packets is in
// flight. Returns 0, -ETIMEDOUT, -EDEADLK or -EFAULT.
int cluster_run_until_done(struct ttdev *t, int dev, uint64_t timeout_ns);
bool chip_is_done(const struct chip *chip);
// The host does nothing for a while. Returns 0, -EDEADLK if no chip can go on, or -EFAULT.
int cluster_pass(struct ttdev *t, int dev, uint64_t ns);

// --- host.c: one timed host access -----------------------------------------------------
// Return 0, or -EINVAL for a bad range.
int host_write(struct chip *chip, struct tile *tile, uint32_t address, const void *data,
               size_t bytes);
int host_read(struct chip *chip, struct tile *tile, uint32_t address, void *data,
              size_t bytes);
// Timing only: host_begin starts an access (its effect may be applied on return),
// host_end ends it.
struct host_access {
    uint64_t end_fs;
};
void host_enter(struct ttdev *t); // warp mode: adds the host's own time since the last call
void host_leave(struct ttdev *t);
uint64_t host_real_ns(void); // monotonic clock of the real machine
struct host_access host_begin(struct chip *chip, bool is_write, size_t bytes);
void host_end(struct chip *chip, struct host_access access);

// --- chip.c ----------------------------------------------------------------------------
bool chip_start(struct chip *chip); // memory, NIUs and engines of a laid-out chip
void chip_stop(struct chip *chip);
void chip_run(struct chip *chip, uint64_t until); // cycles; stops early at a fault
void chip_run_until_done(struct chip *chip, uint64_t until); // or until chip_is_done
// The end of the longest window that can contain a cycle.
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
// Runs the listed tiles to `end`; returns the ns this thread waited for others.
uint64_t pool_run(struct pool *pool, struct tile *tiles, const uint16_t *list, size_t n,
                  uint64_t end);

#endif
