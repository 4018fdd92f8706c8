// threads.h - the same function on N lanes, each with its own range of the work.
//
// Lanes share only read-only data; results are merged in the order of the ranges, so that
// they do not depend on the number of lanes.
#ifndef TTP_BASE_DATA_THREADS_H
#define TTP_BASE_DATA_THREADS_H

#include <stddef.h>

struct lane {
    unsigned index, n;
};

// The number of lanes for so many items: TTPROF_THREADS if set; else one below `worth`
// items, where more lanes would not pay off, and otherwise the cores this process may use.
unsigned threads_for(size_t items, size_t worth);

// Calls work(lane, context) for lane 0..n-1 and returns when all are done. Lane 0 runs on
// the caller's thread; a thread that cannot be started runs there too, one after the other.
void threads_run(unsigned n, void (*work)(struct lane lane, void *context), void *context);

// The lane's part of 0..total: contiguous, in order of the lanes, sizes differ by at
// most 1.
struct range {
    size_t from, to;
};
struct range lane_range(struct lane lane, size_t total);

#endif
