// counter_walk.h - walks the hardware counter samples op by op: metrics of an op's cores,
// and their statistics.
#ifndef TTP_ANALYSE_COUNTERS_COUNTER_WALK_H
#define TTP_ANALYSE_COUNTERS_COUNTER_WALK_H

#include "analyse/counters/counter_formulas.h"
#include "analyse/counters/counter_metrics.h"
#include "analyse/counters/counter_records.h"

enum metric_stat { METRIC_MIN, METRIC_MEDIAN, METRIC_MAX, METRIC_AVG, METRIC_STATS };
extern const char *const metric_stat_names[METRIC_STATS]; // "Min" and so on

struct op_metrics {
    uint32_t op;
    double stat[METRICS][METRIC_STATS]; // over cores; NaN: no core has a value
    double sum[COUNTER_SLOTS];          // of the counts of all cores
};

struct counter_walk {
    struct counter_records records;
    struct counter_sums *sums; // by device
    const struct trace *t;
    const struct device_ops *ops;
    enum counter_mode mode;
    size_t at;               // next sample
    VEC(double) values;      // metrics, core by core
    VEC(double) one_of_each; // of one metric, by core
};

void counter_walk_start(struct counter_walk *w, const struct trace *t,
                        const struct device_ops *ops, enum counter_mode mode);
// Advances to the next op; false at the end.
bool counter_walk_next(struct counter_walk *w, struct op_metrics *m);
void counter_walk_end(struct counter_walk *w);
uint32_t counter_walk_device(const struct counter_walk *w, size_t sample); // index

// Compensated mean in the given order: the same result wherever it is computed.
double mean_compensated(const double *v, size_t n);

#endif
