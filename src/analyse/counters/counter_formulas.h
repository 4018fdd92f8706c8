// counter_formulas.h - the metrics made of hardware counters, as a table: almost all are a
// sum of counts over a sum of counts, or over the cycles that a counter ran.
//
// A metric of a core has no value where one of its counters was not recorded, or where
// there is nothing to divide by.
#ifndef TTP_ANALYSE_COUNTERS_COUNTER_FORMULAS_H
#define TTP_ANALYSE_COUNTERS_COUNTER_FORMULAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ttprof/perf_counters.h"

enum counter {
#define NUMBER(number, name, group, wormhole, blackhole) COUNTER_##name = (number),
    TT_PERF_COUNTERS(NUMBER)
#undef NUMBER
    // Not of the hardware:
    COUNTER_PACKER_PORT = TT_PERF_IDS, // of L1: the chips have it under different names
    COUNTER_SRCB_WRITTEN,              // which one the two kinds of reports take
    COUNTER_GRANTS_FIT, // needs: requests and grants of the unpacker count the same thing
    COUNTER_SLOTS,
};

// In the order in which the summary shows them.
enum metric_unit { METRIC_PERCENT, METRIC_PER_CYCLE, METRIC_CYCLES, METRIC_UNITS };

struct metric {
    const char *name;
    const char *grid_name; // of the average over all cores that the chip has; NULL: none
    enum metric_unit unit;
};

#define METRICS 84
const struct metric *counter_metric(size_t metric);
// Of a metric with a grid_name: the counter that is averaged.
enum counter counter_metric_counter(size_t metric);

// What one core counted.
struct counter_values {
    double value[COUNTER_SLOTS], cycles[COUNTER_SLOTS];
    bool has[COUNTER_SLOTS];
};
// What all cores and ops of a device counted together.
struct counter_sums {
    double of[COUNTER_SLOTS];
};

// All metrics of a core; NaN: no value.
void counter_evaluate(const struct counter_values *v, const struct counter_sums *sums,
                      double out[METRICS]);

#endif
