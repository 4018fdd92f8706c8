// host_zones.h - statistics of host zones, one row per source location.
//
// Tracks are walked on all lanes. Only the duration of a zone is kept: 4 bytes (12 from 4.3
// s on), and only for percentiles, which are exact. All sums are integers, so the result
// does not depend on the number of lanes.
#ifndef TTP_ANALYSE_HOST_HOST_ZONES_H
#define TTP_ANALYSE_HOST_HOST_ZONES_H

#include "trace/trace.h"

enum zones_by { ZONES_BY_PLACE, ZONES_BY_PROCESS, ZONES_BY_THREAD };
enum { ZONE_PERCENTILES = 16 };

// Selects tracks and zones; a zero struct with pid and rank -1 selects all.
struct zone_choice {
    enum zones_by by;
    bool is_self;       // min, max, mean etc. of self times
    bool with_open;     // include zones without an end
    bool without_empty; // exclude zones of 0 ns
    uint64_t least_ns;  // leave shorter zones out, and rows that have no others
    bool of_lanes;      // device zones of a foreign trace instead of those of threads
    int64_t pid, rank;
    str name; // part of the name; empty: all
    bool is_exact_case;
    double percentiles[ZONE_PERCENTILES]; // 0 to 100
    size_t n_percentiles;
    double truncate_at; // truncated_mean leaves out times above this percentile
};

struct zone_row {
    uint32_t site;
    uint32_t process, track; // TRACE_NONE: of all
    // 1: times of a virtual clock are among them. Rows have no holes: they can be compared.
    uint32_t is_virtual;
    uint64_t count;
    uint64_t n_open;      // had no end
    uint64_t total, self; // ns
    // Of the quantity selected by is_self.
    uint64_t min, max;
    double mean, std;      // std: of a sample; 0 for a single zone
    double length_squares; // sum over the durations, also with is_self
    double percentiles[ZONE_PERCENTILES];
    double truncated_mean;
};
struct zone_stats {
    VEC(struct zone_row) rows; // by process, track and site
    uint64_t n_zones, n_events;
    uint64_t bytes; // used by the durations
};

void zone_stats_make(struct zone_stats *s, const struct trace *r,
                     const struct zone_choice *choice);
void zone_stats_free(struct zone_stats *s);

// Is the process, or the track, selected?
bool zone_choice_has(const struct trace *r, const struct zone_choice *choice,
                     uint32_t process);
bool zone_choice_has_track(const struct trace *r, const struct zone_choice *choice,
                           uint32_t track);
// Does s contain the text? Ignores case unless told otherwise.
bool zone_name_has(str s, str text, bool is_exact_case);

#endif
