// chart.h - the stacked report as a picture.
#ifndef TTP_PRESENT_PAGE_CHART_H
#define TTP_PRESENT_PAGE_CHART_H

#include "base/text/err.h"

#include "analyse/perf/summary.h"

// One stacked bar, or a 100 % bar for each device if the summary is by device. Default
// colours are shades of the category; classic ones are a cycle of 20 in table order.
// Output is deterministic on one machine. Times that are not positive numbers count as
// zero.
bool chart_write_png(const struct summary *s, bool classic_colors, const char *path,
                     struct err *e);

#endif
