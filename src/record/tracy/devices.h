// devices.h - zones of devices on their way to a server: a bounded queue of zones, and the
// tables that they refer to. The tables stay from one server to the next, as long as the
// program listens.
//
//   device_queue.c   for profilers: include/ttprof/device_zones.h
//   device.c         for the sender: zones become items
#ifndef TTP_RECORD_TRACY_DEVICES_H
#define TTP_RECORD_TRACY_DEVICES_H

#include "record/format/tracy_device.h"
#include "record/record.h"

#pragma GCC visibility push(hidden)

enum {
    DEVICE_CORES = TRACY_CONTEXTS_F10,
    DEVICE_LANES = 1 << 19,
    DEVICE_PLACES = 1 << 16,
    DEVICE_TEXTS = 1 << 24, // bytes of names and files
    DEVICE_QUEUE = 1 << 18, // zones
    DEVICE_DEPTH = 256
};

struct device_core {
    struct tracy_core core;
    uint32_t chip; // number among the chips
    bool is_aligned;
};
struct device_lane {
    uint32_t core, risc;
};
struct device_place {
    struct recorder_piece name, file;
    uint32_t line;
};
struct device_zone {
    uint64_t start, end; // ns of CLOCK_MONOTONIC
    int64_t run;
    uint32_t lane, place; // numbers from 1, place 0: none
    uint8_t depth, is_trace;
};

// Entries are there before a zone refers to them; they never change.
struct device_tables {
    uint32_t n_cores, n_chips, n_lanes, n_places; // atomic
    struct device_core cores[DEVICE_CORES];
    struct device_lane lanes[DEVICE_LANES];
    struct device_place places[DEVICE_PLACES];
};
const struct device_tables *recorder_devices(void); // NULL: none yet

// For the sender. Zones are taken from the next hand-over on.
void recorder_devices_open(void);
void recorder_devices_close(void); // what is in the queue stays
bool recorder_devices_next(struct device_zone *zone);
bool recorder_devices_have_some(void);   // false if closed
uint64_t recorder_devices_dropped(void); // since the last call
void recorder_devices_forget(void);      // when closed: frees all memory
void recorder_devices_fork_child(void);

#pragma GCC visibility pop
#endif
