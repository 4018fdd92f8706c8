// counter_formulas.h - the metrics derived from hardware counters, as a table: almost all
// are a sum of counts over a sum of counts, or over the cycles that a counter ran.
//
// A metric of a core has no value if a counter was not recorded or the divisor is 0.
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
    // Not hardware counters:
    COUNTER_PACKER_PORT = TT_PERF_IDS, // of L1: chips name it differently
    COUNTER_SRCB_WRITTEN,              // the one used by both kinds of reports
    COUNTER_GRANTS_FIT, // needs: requests and grants of the unpacker count the same events
    COUNTER_SLOTS,
};

// In the order of the summary.
enum metric_unit { METRIC_PERCENT, METRIC_PER_CYCLE, METRIC_CYCLES, METRIC_UNITS };

struct metric {
    const char *name;
    const char *grid_name; // of the average over all cores of the chip; NULL: none
    enum metric_unit unit;
};

#define METRICS 84
const struct metric *counter_metric(size_t metric);
// The averaged counter of a metric with a grid_name.
enum counter counter_metric_counter(size_t metric);

// Counts of one core.
struct counter_values {
    double value[COUNTER_SLOTS], cycles[COUNTER_SLOTS];
    bool has[COUNTER_SLOTS];
};
// Counts of all cores and ops of a device.
struct counter_sums {
    double of[COUNTER_SLOTS];
};

// All metrics of a core; NaN: no value.
void counter_evaluate(const struct counter_values *v, const struct counter_sums *sums,
                      double out[METRICS]);

#endif
