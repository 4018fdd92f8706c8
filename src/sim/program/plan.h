// plan.h - which core gets what of a program, and the launch message that tells it: what
// both ways to launch have in common.
#ifndef TTP_SIM_PROGRAM_PLAN_H
#define TTP_SIM_PROGRAM_PLAN_H

#include "sim/program/program.h"

// What one tile gets from a program.
struct plan {
    struct tile *tile; // NULL: nothing
    const struct program_kernel *kernel[TT_RISCS];
    bool has_kernel;
};

struct launch {
    struct chip *chip;
    const struct ttdev_program *program;
    struct plan *plans; // by tile
    uint32_t run_id;
    bool is_timeless; // the host's accesses take no time, as at boot
};

// Assigns the program's parts to tiles; -ENODEV if one of them does not exist.
int launch_plan(struct launch *l);
void launch_unplan(struct launch *l);
// -EBUSY if a tile of the launch still runs.
int launch_check_idle(const struct launch *l);
void launch_write(const struct launch *l); // launch.c: to the cores, then GO

static inline bool tile_is_eth(const struct tile *tile)
{
    return tile->kind == TILE_ETH;
}
// A tile's position in the ranges of a program.
ttdev_xy tile_place(const struct tile *tile);
uint32_t tile_config(const struct tile *tile); // address of the fixed config area
// The arguments of a core: the last ones given for it; NULL if there are none.
const struct program_args *kernel_args(const struct program_kernel *kernel, ttdev_xy at);
// A circular buffer as the firmware reads it.
enum { CB_CONFIG_WORDS = 4 };
void cb_config(const struct program_cb *cb, uint32_t words[CB_CONFIG_WORDS]);

// Where a program's parts lie on its cores.
struct placing {
    uint32_t base;                            // of the config area
    uint32_t sems, cbs;                       // offsets from base, like all below
    uint32_t own[TT_RISCS], common[TT_RISCS]; // arguments
    uint32_t entry[TT_RISCS];                 // of the kernels
    bool is_from_host; // launched by the host, not by a dispatch core
};
// The places of a launch by the host: they are the same for every program.
struct placing placing_fixed(const struct plan *plan);
void launch_message(uint8_t message[TT_LAUNCH_BYTES], const struct launch *l,
                    const struct plan *plan, const struct placing *where);

#endif
