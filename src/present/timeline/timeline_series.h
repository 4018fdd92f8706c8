// timeline_series.h - frames, plots and memory of a whole process. Threads report them in
// any order.
#ifndef TTP_PRESENT_TIMELINE_TIMELINE_SERIES_H
#define TTP_PRESENT_TIMELINE_TIMELINE_SERIES_H

#include "present/timeline/timeline_rows.h"
#include "trace/cursor.h"

struct series_event {
    uint64_t time;
    uint32_t name; // string of the trace: of the set of frames, the plot, the pool
    uint32_t kind; // enum tt_host_event
    uint64_t at;   // address
    size_t order;  // of arrival: keeps the sort stable
    double value;  // of a plot; bytes
};
struct timeline_series {
    VEC(struct series_event) frames, points, memory;
};

void timeline_series_take(struct timeline_series *s, const struct trace_event *ev);
// Adds the frames and plots to the rows and frees the series.
void timeline_series_put(struct timeline_series *s, struct timeline_plan *p,
                         uint32_t group);

#endif
