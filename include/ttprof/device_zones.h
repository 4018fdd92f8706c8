// device_zones.h - hands the zones of devices to a Tracy server that is connected to this
// program (see host.h and docs/tracy.md). For profilers of devices; that of
// libttprof-runtime uses it.
//
// A hand-over is what lies between ttprof_device_zones_begin and ttprof_device_zones_end.
// The zones of a lane are in order of start, a zone before those inside it. Zones of
// different lanes may come in any order, but a zone and what is inside it must not be
// interrupted. One thread at a time hands over; others wait in begin. Nothing of it is
// recorded.
#ifndef TTPROF_DEVICE_ZONES_H
#define TTPROF_DEVICE_ZONES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct ttprof_device_turn {
    // Times are those of the clock given to ttprof_use_clock; else of CLOCK_MONOTONIC.
    bool is_program_clock;
    uint64_t now_ns; // the time of that clock now
    // Nothing follows: a slow server is waited for as long as it takes data. Otherwise at
    // most a second in all, then zones are dropped, and the server is told how many.
    bool is_last;
};
// False: nobody is connected, and nothing may follow.
bool ttprof_device_zones_begin(const struct ttprof_device_turn *turn);
void ttprof_device_zones_end(void);

struct ttprof_device_core {
    int64_t chip;                 // its id
    int32_t x, y;                 // NOC 0
    int32_t logical_x, logical_y; // -1: not known
    bool is_aligned;              // times of the chip are related to those of the host
};
// A processor of a core. `risc`: 0 to 4 of a worker, 5 of an Ethernet core, 6 a whole core,
// then any others. Returns its number, from 1; 0: there is no room.
uint32_t ttprof_device_lane(const struct ttprof_device_core *core, uint32_t risc);

struct ttprof_device_place {
    const char *name, *file; // need not end in NUL
    size_t name_bytes, file_bytes;
    uint32_t line;
};
// Returns its number, from 1; 0: there is no room.
uint32_t ttprof_device_place(const struct ttprof_device_place *place);

struct ttprof_device_zone {
    uint64_t start_ns, end_ns;
    int64_t run;          // id of the execution; 0: none
    uint32_t lane, place; // zones of lane 0 are counted as missing
    uint8_t depth;        // zones that it is inside of
    bool is_trace;        // the run is a whole trace
};
// False: the server has gone; only end may follow.
bool ttprof_device_zones_put(const struct ttprof_device_zone *zone);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
