// device_analysis.h - runs the analyses of a setup over a device log.
//
// A series is the list of markers of a core, a device or an op in time order; markers of
// the same time are ordered by core, then RISC, then row. First and last markers need no
// sorting: one pass over the tracks keeps the extremes of every op. Pairs of neighbours do,
// but only the markers that can be part of a pair.
#ifndef TTP_ANALYSE_DEVICE_DEVICE_ANALYSIS_H
#define TTP_ANALYSE_DEVICE_DEVICE_ANALYSIS_H

#include "analyse/device/setup.h"
#include "analyse/fold/device_ops.h"
#include "analyse/fold/dispatch_ops.h"
#include "analyse/fold/fold.h"

#define NO_MARKER UINT32_MAX

struct result {
    uint32_t group;                // core, device, op or dispatch op
    uint32_t start, end;           // markers; NO_MARKER for sums
    uint32_t start_iter, end_iter; // adjacent: firmware start before each, or NO_MARKER
    uint64_t cycles;
};

struct stats {
    uint64_t count, max, min, sum, first;
    double average, median;
};

// The results of one core, device or op.
struct block {
    uint32_t group;
    uint32_t result, n_results;
    struct stats stats;
};

struct analysed {
    const struct analysis *analysis;
    VEC(struct result) results; // group by group
    VEC(struct block) blocks;
    VEC(uint32_t) events; // markers, by device or core, in series order
    struct stats *device; // by device: over all its blocks; count 0: none
    uint32_t *by_device;  // blocks, device by device
    size_t *first;        // by device: its start in by_device; one more at the end
};

struct device_analysis {
    const struct trace *trace;
    const struct device_ops *ops;
    const struct dispatch_ops *dispatch;
    const struct setup *setup;
    struct analysed *v; // in setup order
    bool has_ops;       // ops were detected
    bool *op_is_used;   // by op: included in the statistics
};

struct analysis_choice {
    bool detect_ops;
    bool with_incomplete_ops;
};

void device_analyse(struct device_analysis *d, const struct trace *t,
                    const struct device_ops *ops, const struct dispatch_ops *dispatch,
                    const struct setup *setup, struct analysis_choice choice);
void device_analysis_free(struct device_analysis *d);
const struct analysed *device_analysis_find(const struct device_analysis *d, str name);

// Additional numbers over all results of a device.
enum { QUANTILES = 4 };
extern const int quantile_percent[QUANTILES]; // 50, 90, 95, 99
struct more_stats {
    double deviation;           // of the population
    double quantile[QUANTILES]; // interpolated between the neighbours
};
bool device_more_stats(const struct analysed *a, uint32_t device, struct more_stats *out);

// The device that a group of this analysis belongs to.
uint32_t analysed_device(const struct device_analysis *d, const struct analysed *a,
                         uint32_t group);

// --- internal ------------------------------------------------------------------------
struct result result_of_span(const struct trace *t, uint32_t group, uint32_t start,
                             uint32_t end);
void first_last_run(struct device_analysis *d); // first and last markers, sums
void series_run(struct device_analysis *d);     // neighbours, launches, events
void blocks_make(struct device_analysis *d);    // statistics of the results

#endif
