// timeline_plan.h - the contents of a timeline page and their numbering.
//
// A page has groups of rows: for a device log, a group per device with a row per RISC; for
// a run, groups of the host come first. Rows refer to zones in columns: those of the trace
// for a device log, otherwise those that a walk over all tracks has put on the page's axis.
//
// "Kept" zones are in the page individually; the levels and the heat cover all zones.
#ifndef TTP_PRESENT_TIMELINE_TIMELINE_PLAN_H
#define TTP_PRESENT_TIMELINE_TIMELINE_PLAN_H

#include "base/data/threads.h"

#include "present/timeline/timeline.h"
#include "trace/device_axis.h"

#define TIMELINE_TIME_MOST ((UINT64_C(1) << 53) - 1) // largest exact integer in JavaScript
#define TIMELINE_NOT_SHOWN UINT32_MAX
enum { TIMELINE_WINDOWS = 1024 }; // of each group

enum timeline_kind {
    TIMELINE_CHIP,
    TIMELINE_PROCESS,   // its threads
    TIMELINE_PROCESSES, // a row per process with the programs it ran
    TIMELINE_KINDS
};

struct timeline_group {
    enum timeline_kind kind;
    int64_t id;                    // of the chip or process; several may have the same
    str label, about;              // about: shown beside its rows, may be empty
    bool is_loose;                 // its clock is not aligned with the axis
    double error_ns;               // of its times; 0: exact, they define the axis
    struct device_axis clock;      // of a chip
    int64_t mhz;                   // of a chip, for the page of a log; 0: unknown
    uint64_t t0, span;             // the axis
    const uint32_t *n_kept_before; // by window and for the end: kept windows before it
};

struct timeline_row {
    uint32_t group;
    uint32_t core; // of the trace; unused for host rows
    uint32_t track;
    int32_t x, y;
    str label;
    bool is_dispatch;
    size_t zone, n_zones; // first one and how many
    uint32_t n_depths;
    uint32_t n_kept; // zones
};

struct timeline_site {
    str name, file, function;
    int64_t line;
    uint32_t colour; // 0xRRGGBB; 0: none
};

enum timeline_mark_kind { TIMELINE_MESSAGE, TIMELINE_SIGNPOST };
struct timeline_mark {
    uint64_t time;
    uint32_t row;
    uint32_t kind, level, colour;
    str text;
};
struct timeline_frame {
    uint64_t start, end;
    uint32_t group;
    str name;
    bool is_open; // its end was not recorded
};
struct timeline_plot {
    uint32_t group;
    str name;
    const uint64_t *times; // in order
    const double *values;
    size_t n;
};

// Complete zones of a group, in time from its t0.
struct timeline_window {
    uint32_t group;
    uint64_t from, to;
};

struct timeline_plan {
    const struct timeline_page *page;
    struct arena arena;
    VEC(struct timeline_group) groups;
    VEC(struct timeline_row) rows; // in grid order
    uint32_t *group_of;            // by device of the trace; or TIMELINE_NOT_SHOWN
    VEC(struct timeline_site) all_sites;
    const uint64_t *start, *end; // of zones
    const uint32_t *site;        // in all_sites
    const uint32_t *run;         // of chips
    const uint32_t *text;        // of host zones: number + 1; 0 = none
    const uint8_t *depth;        // with ZONE_REPAIRED
    uint64_t n_zones, n_kept;
    VEC(struct timeline_window) windows; // empty: all zones are kept

    VEC(uint32_t) sites;          // in all_sites, by site of the page
    struct map names;             // of the page
    VEC(uint32_t) name_of;        // by site of the page
    uint32_t *site_of;            // by number in all_sites; only sites that occur
    VEC(uint32_t) runs;           // ops, by run of the page
    uint32_t *run_of;             // by op: run of the page + 1; 0 = not in the page
    struct timeline_rows *of_run; // only for the page of a run; else NULL
};

void timeline_plan_make(struct timeline_plan *p, const struct timeline_page *page);
void timeline_plan_free(struct timeline_plan *p);

// timeline_chips.c: the groups and rows of a device log, with its own sites and zones.
void timeline_add_devices(struct timeline_plan *p);
uint64_t timeline_on_axis(const struct device_axis *a, uint64_t cycle);

// timeline_marks.c: more keys of a group and of a site, and "unit", "texts", "marks",
// "frames" and "plots".
void timeline_put_group(const struct timeline_group *g, struct json *j);
void timeline_put_site(const struct timeline_site *s, struct json *j);
void timeline_put_marks(const struct timeline_plan *p, struct json *j, struct out *o);

// The result of a pass over all zones.
struct timeline_survey {
    bool *site_occurs;           // in all_sites
    struct timeline_cell *cells; // by group and window; NULL: all zones will be kept
};
struct timeline_cell {
    uint64_t n_start;   // zones that start in the window
    uint64_t n_carried; // zones that reach into it from before
};
enum { TIMELINE_CELLS = TIMELINE_WINDOWS + 1 }; // of a group; the last one stays empty

// Also sets the depths of the rows. The tables live in the plan's arena.
struct timeline_survey timeline_survey(struct timeline_plan *p);
// Decides which windows are kept.
void timeline_keep(struct timeline_plan *p, const struct timeline_cell *cells);

// The lane's share of the rows: whole cores, about the same number of zones per lane.
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

// Chips have ops and cores in a grid; host groups do not.
static inline bool timeline_is_chip(const struct timeline_plan *p, uint32_t group)
{
    return p->groups.v[group].kind == TIMELINE_CHIP;
}

// Rows of one core are adjacent and handled by one lane.
static inline bool timeline_is_new_core(const struct timeline_plan *p, size_t row)
{
    const struct timeline_row *v = p->rows.v;
    return row == 0 || v[row].core != v[row - 1].core || !timeline_is_chip(p, v[row].group);
}

// A time on the axis of a group; clamped, since a log may claim anything.
static inline uint64_t timeline_at(const struct timeline_group *g, uint64_t time)
{
    uint64_t at = time > g->t0 ? time - g->t0 : 0;
    return at < g->span ? at : g->span;
}

// The window that holds an absolute time; times outside belong to the nearest window.
static inline size_t timeline_window_at(const struct timeline_group *g, uint64_t time)
{
    uint64_t at = time > g->t0 ? time - g->t0 : 0;
    return at < g->span ? (size_t)(at * TIMELINE_WINDOWS / g->span) : TIMELINE_WINDOWS - 1;
}

// The last window that a zone touches; its end is exclusive.
static inline size_t timeline_last_window(const struct timeline_group *g, uint64_t start,
                                          uint64_t end)
{
    return timeline_window_at(g, end > start ? end - 1 : end);
}

static inline bool timeline_keeps(const struct timeline_group *g, uint64_t start,
                                  uint64_t end)
{
    return !g->n_kept_before || g->n_kept_before[timeline_last_window(g, start, end) + 1] >
                                    g->n_kept_before[timeline_window_at(g, start)];
}

#endif
