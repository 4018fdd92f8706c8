// timeline_plan.h - what goes into the page of a timeline, and under which numbers.
//
// Kept are the zones that stand in the page one by one; the levels and the heat cover all.
#ifndef TTP_PRESENT_TIMELINE_TIMELINE_PLAN_H
#define TTP_PRESENT_TIMELINE_TIMELINE_PLAN_H

#include "base/data/threads.h"

#include "present/timeline/timeline.h"

#define TIMELINE_TIME_MOST ((UINT64_C(1) << 53) - 1) // whole numbers of a browser end here
#define TIMELINE_NOT_SHOWN UINT32_MAX
enum { TIMELINE_WINDOWS = 1024 }; // of each device

struct timeline_device {
    uint32_t device;               // of the trace
    uint64_t t0, span;             // the axis
    const uint32_t *n_kept_before; // windows kept before each one, and before the end
};

struct timeline_track {
    uint32_t track, core; // of the trace
    uint32_t device;      // of the page
    uint32_t n_depths;
    uint32_t n_kept; // zones
};

// Complete zones of a device, in cycles from its t0.
struct timeline_window {
    uint32_t device;
    uint64_t from, to;
};

struct timeline_plan {
    const struct timeline_page *page;
    struct arena arena;
    VEC(struct timeline_device) devices;
    uint32_t *device_of;               // by device of the trace; or TIMELINE_NOT_SHOWN
    VEC(struct timeline_track) tracks; // in grid order
    uint64_t n_zones, n_kept;
    VEC(struct timeline_window) windows; // empty: all zones are kept

    VEC(uint32_t) sites;   // of the trace, by site of the page
    VEC(uint32_t) names;   // strings, by name of the page
    VEC(uint32_t) name_of; // by site of the page
    uint32_t *site_of;     // by site of the trace; only what occurs
    VEC(uint32_t) runs;    // ops, by run of the page
    uint32_t *run_of;      // by op: run of the page + 1; 0 = not in the page
};

void timeline_plan_make(struct timeline_plan *p, const struct timeline_page *page);
void timeline_plan_free(struct timeline_plan *p);

// What a look at all zones tells.
struct timeline_survey {
    bool *site_occurs;           // by site of the trace
    struct timeline_cell *cells; // by device and window; NULL: all zones will be kept
};
struct timeline_cell {
    uint64_t n_start;   // zones that start in the window
    uint64_t n_carried; // and those that reach into it from before
};
enum { TIMELINE_CELLS = TIMELINE_WINDOWS + 1 }; // of a device; the last one stays empty

// Sets the depths of the tracks, too. The tables live in the arena of the plan.
struct timeline_survey timeline_survey(struct timeline_plan *p);
// Decides which windows are kept.
void timeline_keep(struct timeline_plan *p, const struct timeline_cell *cells);

// The lane's part of the tracks: whole cores, about as many zones as any other lane has.
struct range timeline_lane(const struct timeline_plan *p, struct lane lane);
unsigned timeline_lanes(const struct timeline_plan *p);

static inline uint64_t timeline_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}
static inline uint64_t timeline_most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline const struct trace_track *timeline_track_of(const struct timeline_plan *p,
                                                          size_t track)
{
    return &p->page->trace->tracks.v[p->tracks.v[track].track];
}

// Chips have cores in a grid and ops; what the host has does not.
static inline bool timeline_is_chip(const struct timeline_plan *p, uint32_t device)
{
    const struct timeline_run *run = p->page->run;
    return !run || run->groups[p->devices.v[device].device].kind == TIMELINE_CHIP;
}

// A time on the axis of a device. Whatever a log claims, it stays on the axis.
static inline uint64_t timeline_at(const struct timeline_device *d, uint64_t time)
{
    uint64_t at = time > d->t0 ? time - d->t0 : 0;
    return at < d->span ? at : d->span;
}

// The window that holds an absolute time; what lies outside belongs to the nearest one.
static inline size_t timeline_window_at(const struct timeline_device *d, uint64_t time)
{
    uint64_t at = time > d->t0 ? time - d->t0 : 0;
    return at < d->span ? (size_t)(at * TIMELINE_WINDOWS / d->span) : TIMELINE_WINDOWS - 1;
}

// The last window that a zone touches: its end is the first cycle that is not in it.
static inline size_t timeline_last_window(const struct timeline_device *d, uint64_t start,
                                          uint64_t end)
{
    return timeline_window_at(d, end > start ? end - 1 : end);
}

static inline bool timeline_keeps(const struct timeline_device *d, uint64_t start,
                                  uint64_t end)
{
    return !d->n_kept_before || d->n_kept_before[timeline_last_window(d, start, end) + 1] >
                                    d->n_kept_before[timeline_window_at(d, start)];
}

#endif
