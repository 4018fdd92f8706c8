// counter_metrics.h - metrics of an op from hardware counters: utilisations, stalls, rates,
// per core and then over all cores of the op.
#ifndef TTP_ANALYSE_COUNTERS_COUNTER_METRICS_H
#define TTP_ANALYSE_COUNTERS_COUNTER_METRICS_H

#include "analyse/fold/device_ops.h"
#include "formats/device_rows/device_rows.h"

enum counter_mode { COUNTERS_FULL, COUNTERS_DEVICE_ONLY };

// Adds a column to `rows` for every metric that has a value. rows->v[i] is the op
// op_of_row[i] of `ops`. Invalid records are counted.
void counter_metrics_add(struct device_rows *rows, const struct trace *t,
                         const struct device_ops *ops, const uint32_t *op_of_row,
                         enum counter_mode mode, struct diag *d);
// Appends tt-metal's tables, one set per device.
void counter_metrics_text(const struct trace *t, const struct device_ops *ops,
                          struct buf *b);
// Is there any record of a counter?
bool counter_metrics_are_there(const struct trace *t);

#endif
