// run_rows_series.h - what a process has as a whole: frames, plots, memory. Threads tell of
// them in any order.
#ifndef TTP_PRESENT_TIMELINE_RUN_ROWS_SERIES_H
#define TTP_PRESENT_TIMELINE_RUN_ROWS_SERIES_H

#include "present/timeline/run_rows.h"
#include "trace/cursor.h"

struct series_event {
    uint64_t time;
    uint32_t name; // string of the run: of the set of frames, the plot, the pool
    uint32_t kind; // enum tt_host_event
    uint64_t at;   // address
    size_t order;  // in which it came: equal times stay as they were
    double value;  // of a plot; bytes
};
struct run_series {
    VEC(struct series_event) frames, points, memory;
};

void series_take(struct run_series *s, const struct trace_event *ev);
// Adds the frames and plots to the rows and frees the series.
void series_put(struct run_series *s, struct run_rows *r, uint32_t device);

#endif
