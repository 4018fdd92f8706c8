// device_stats.h - the statistics of a device log as text: device_stats.txt.
#ifndef TTP_PRESENT_DEVICE_DEVICE_STATS_H
#define TTP_PRESENT_DEVICE_DEVICE_STATS_H

#include "base/text/buf.h"

#include "analyse/device/device_analysis.h"

// `more` adds standard deviation and percentiles below the reference's figures.
void device_stats_text(const struct device_analysis *d, bool more, struct buf *b);

#endif
