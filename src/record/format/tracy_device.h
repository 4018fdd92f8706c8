// tracy_device.h - how devices appear in Tracy, as tt-metal's client has it: names of
// contexts, lanes, texts and colours of zones. The client in the recorder and the writer
// and readers of .tracy files share it.
//
// Towards the fork every core is a context with a lane per processor; upstream has too few
// context ids for that: there a chip is a context, with a lane per processor of each core.
#ifndef TTP_RECORD_FORMAT_TRACY_DEVICE_H
#define TTP_RECORD_FORMAT_TRACY_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/format/tracy_items.h"

#pragma GCC visibility push(hidden)

enum tracy_risc {
    TRACY_BRISC,
    TRACY_NCRISC,
    TRACY_TRISC_0,
    TRACY_TRISC_1,
    TRACY_TRISC_2,
    TRACY_ERISC,
    TRACY_CORE_AGG,
    TRACY_OTHER_RISC, // and those after it
};
// By the name in a device log; TRACY_OTHER_RISC: none of them.
uint32_t tracy_risc_of(const char *name, size_t n);
const char *tracy_risc_name(uint32_t risc); // of a lane, below TRACY_OTHER_RISC

struct tracy_core {
    int64_t chip;
    int32_t x, y;                 // NOC 0
    int32_t logical_x, logical_y; // below 0: not known
};
// risc | x << 3 | y << 7 | chip << 11. A bit of x, of y or of the chip that has no room
// there is further up, so that different processors have different lanes.
uint64_t tracy_lane_of(const struct tracy_core *core, uint32_t risc);
void tracy_lane_parts(uint64_t lane, struct tracy_core *core, uint32_t *risc);

// The forks have a context for each core, of a type of their own; upstream, whose context
// ids are short, has one for each chip.
bool tracy_has_core_contexts(enum tracy_generation generation);
enum { TRACY_GPU_TENSTORRENT = 6, TRACY_GPU_CUSTOM = 7, TRACY_GPU_TENSTORRENT_14 = 11 };
uint8_t tracy_device_type(enum tracy_generation generation);

enum { TRACY_DEVICE_NAME_MOST = 128 };
// "Device: 0, Logical (0,1) Physical (1,2)", upstream "Device: 0". Returns its length.
size_t tracy_device_name(char name[TRACY_DEVICE_NAME_MOST],
                         enum tracy_generation generation, const struct tracy_core *core);

// Source locations are scarce: only the zones of the firmware that surround a run name it.
bool tracy_names_run(const char *zone, size_t n);
enum { TRACY_RUN_TEXT_MOST = 48 };
// "OP ID:1024", of a whole trace "TRACE ID:1024"; no run: "". Returns its length.
size_t tracy_run_text(char text[TRACY_RUN_TEXT_MOST], int64_t run, bool is_trace);
uint32_t tracy_zone_colour(const char *zone, size_t n, uint32_t risc); // 0xRRGGBB

enum {
    TRACY_CONTEXTS_F10 = 65535,
    TRACY_CONTEXTS_U14 = 255,
    // Of the made source locations: so many may be of zones that name their run. Beyond
    // them such zones have a location without it.
    TRACY_RUN_PLACES = 24 * 1024,
};
extern const char tracy_shared_name[]; // of the location of zones that have no room at all

#pragma GCC visibility pop
#endif
