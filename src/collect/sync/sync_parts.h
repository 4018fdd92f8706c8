// sync_parts.h - shared by the files of the sync: samples and epochs, rounds over links.
#ifndef TTP_COLLECT_SYNC_SYNC_PARTS_H
#define TTP_COLLECT_SYNC_SYNC_PARTS_H

#include "base/data/arena.h"

#include "collect/sync/sync.h"
#include "collect/sync/sync_tree.h"
#include "ttprof/sync_words.h"

enum {
    SYNC_SAMPLES = 249,      // per epoch, as in tt-metal
    SYNC_LISTED = 1 << 18,   // samples per chip kept for the file
    SYNC_BURSTS = 2,         // rounds over links before and after the host's samples
    SYNC_KERNEL_ID = 0xFFFF, // run id of the kernels started here
};
#define SYNC_SECOND_NS UINT64_C(1000000000)

struct sync_sample {
    uint64_t before, after; // host ns around the write
    uint64_t stamp;
    uint32_t word; // as written
    uint32_t epoch;
    bool has_stamp, is_kept;
};

// Result of one epoch for a chip.
struct sync_result {
    uint32_t epoch;          // number, from 0
    bool is_host_known;      // `host` is valid
    bool is_linked;          // the model follows the root's clock over links
    struct clock_epoch host; // from the host's samples alone
    struct relation to_root; // from links; unknown without
    double off_ns;           // distance of the model from what the links say
    double change_ns;        // error added by a change of to_root since the last epoch
};

struct sync_chip {
    struct tt_chip chip;
    size_t core; // index of logical core (0,0)
    bool has_core;
    uint64_t start; // host ns: when its first sync started
    VEC(struct sync_sample) samples;
    size_t first; // sample of the epoch under way
    VEC(struct sync_result) results;
    struct clock_model model;
    bool is_full; // keep no more samples
    // The current epoch.
    bool is_running;   // the kernel
    bool is_sampled;   // no failure so far
    uint32_t n_taken;  // samples of the kernel that were read
    size_t next_stamp; // first sample that the next stamp can belong to
};

struct sync_edge {
    int chip; // the child; the rest is in its place
    VEC(struct sync_point) points;
    size_t burst[SYNC_BURSTS + 1]; // where each burst's points begin
};

struct sync {
    struct tt_access table;
    const struct tt_access *access; // the table
    uint64_t spacing_ns;
    bool is_adaptive, is_wanted;
    struct arena arena;
    struct sync_chip *chips;
    struct tree_place *places;
    int *order; // parents before children
    struct tt_link *links;
    size_t n_links;
    VEC(struct sync_edge) edges;
    uint32_t serial; // of rounds over links
    uint32_t n_epochs;
    uint64_t last_ns; // host: end of the last epoch
    struct buf log;
};

// sync_sample.c: takes the host's samples of all chips; a failure is in e, and the chip has
// fewer samples or none.
bool sync_take_samples(struct sync *s, struct err *e);
// Fits a line to the stamped samples of the current epoch.
bool sync_fit_chip(struct sync_chip *c, struct clock_epoch *out);

// sync_pairs.c: one burst of rounds over every edge; failures are logged.
void sync_take_rounds(struct sync *s, size_t burst);
// Relations to the roots from this epoch's rounds, by chip.
void sync_relate(struct sync *s, struct relation *to_root);

// sync_models.c: adds the epoch to the chip's model if anything is known; roots first.
void sync_put_result(struct sync *s, int chip, struct sync_result *r);

// sync_write.c: the device cycle at the start of its first sync, by this line.
double sync_delay(const struct sync_chip *c, const struct clock_epoch *e);

const char *sync_why(const struct sync *s, int code); // text of a failed access

#endif
