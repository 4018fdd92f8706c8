// perf_data.h - durations of programs during a run: those of the last dump, and all so far.
#ifndef TTP_ANALYSE_PERF_PERF_DATA_H
#define TTP_ANALYSE_PERF_PERF_DATA_H

#include "analyse/ops/cpp_report.h"
#include "ttprof/profiler.h"

struct perf_set {
    int64_t chip;                                // id
    VEC(struct ttprof_program_perf) latest, all; // by firmware start, end, duration
};

struct perf_data {
    struct arena arena; // the analyses
    VEC(struct perf_set) chips;
    VEC(uint64_t) buckets; // of the last summary
    bool goes_on;          // the next dump's rows join the latest
};

void perf_data_free(struct perf_data *p);
// Adds a dump: its rows become the latest. `available_cores` is as in the report.
void perf_data_add(struct perf_data *p, const struct cpp_report *r,
                   int64_t (*available_cores)(const void *context,
                                              const struct trace_run *run),
                   const void *context);
// NULL: no dump has data of the chip.
const struct perf_set *perf_data_of(const struct perf_data *p, int64_t chip);
// Nonzero kernel durations. `min` and `max` 0: the range of the data, or 100 to 10 000 000
// ns if there are none. The buckets live until the next call.
void perf_data_summary(struct perf_data *p, int64_t chip, bool latest, uint64_t min,
                       uint64_t max, size_t n_buckets, struct ttprof_duration_summary *out);
// Formats for a log: count, minimum, mean, maximum, and the buckets as bars.
void perf_data_describe(struct perf_data *p, int64_t chip, struct buf *b);

#endif
