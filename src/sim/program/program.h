// program.h - the contents of a program and how it is launched.
//
// program.c builds the description and checks what it can without a chip; launch.c writes
// it to the cores of one chip and sends GO; replay.c records launches.
#ifndef TTP_SIM_PROGRAM_PROGRAM_H
#define TTP_SIM_PROGRAM_PROGRAM_H

#include "base/data/arena.h"

#include "sim/cluster.h"

// Arguments have their own arena because they can all be set anew.
struct program_args {
    ttdev_range cores;
    const uint32_t *words;
    uint32_t n;
};

struct program_kernel {
    ttdev_range cores;
    int risc; // TT_BRISC.., TTDEV_ERISC
    int noc;
    const struct ttdev_image *image;
    struct program_args common;    // for all cores of the kernel
    VEC(struct program_args) args; // the last one that contains a core counts
};

struct program_cb {
    ttdev_range cores;
    uint32_t cb, address, pages, page_bytes;
};

struct program_sem {
    ttdev_range cores;
    uint32_t initial;
};

struct ttdev_program {
    struct ttdev *cluster;
    struct arena arena, words; // words: argument values
    const char *name;
    int sub_device, manager; // -1: none
    bool is_dispatch;        // runs on dispatch cores
    uint32_t l1_end;
    VEC(struct program_kernel) kernels;
    VEC(struct program_cb) cbs;
    VEC(struct program_sem) sems;
};

enum { PROGRAM_ARGS = TT_CONFIG_COMMON / 4 }; // words; same for own and common arguments

static inline bool range_has(ttdev_range range, ttdev_xy at)
{
    return at.x >= range.from.x && at.x <= range.to.x && at.y >= range.from.y &&
           at.y <= range.to.y;
}

// A copy unaffected by later changes to the program.
struct ttdev_program *program_copy(const struct ttdev_program *p);

// Sets t->error and returns `code`, so a call can end with it.
int cluster_error(struct ttdev *t, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

// launch.c: ttdev_launch without recording it.
struct launch_news { // extra facts for the event hook
    int trace;       // being recorded or replayed, or -1
    bool is_replay;
    bool is_only; // reported and checked, but not run
};
// If `news` is NULL, the event hook is not called.
int program_launch(struct chip *chip, const struct ttdev_program *p, uint32_t run_id,
                   const struct launch_news *news);
// Calls the event hook, if there is one.
void cluster_tell(struct ttdev *t, const struct tt_event *event);
// -EBUSY and an error text if a launched core (of the tile or the whole chip) has not
// answered DONE.
int tile_check_idle(struct tile *tile);
int chip_check_idle(struct chip *chip);
// The host's part of a start: writes the signal (TT_GO_*) to the go message; the tile
// counts as launched until it answers DONE.
void tile_go(struct tile *tile, uint32_t signal);
uint32_t tile_go_address(const struct tile *tile);
// The tile at a worker's logical place or, for TTDEV_ERISC, of a linked channel; or NULL.
struct tile *chip_core(struct chip *chip, ttdev_xy at, int risc);

// replay.c
void replay_remember(struct ttdev *t, int dev, const struct ttdev_program *p,
                     uint32_t run_id);
void replay_close(struct ttdev *t); // drops all traces
// Whether the device is recording a trace whose launches do not run.
bool replay_is_only(const struct ttdev *t, int dev);

#endif
