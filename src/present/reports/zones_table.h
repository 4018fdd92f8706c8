// zones_table.h - the columns of `ttprof zones`.
#ifndef TTP_PRESENT_REPORTS_ZONES_TABLE_H
#define TTP_PRESENT_REPORTS_ZONES_TABLE_H

#include "analyse/host/host_zones.h"
#include "table/table.h"

enum { ZONES_COLUMNS = 17 + ZONE_PERCENTILES };

struct zones_view {
    const struct trace *run;
    const struct zone_stats *stats;
    const struct zone_choice *choice;
    struct column columns[ZONES_COLUMNS];
    char names[ZONE_PERCENTILES][2][24]; // "P50", "P50 [ns]"
    struct table table;
};

// The view must not move: its table points into it.
void zones_view_make(struct zones_view *v, const struct trace *r,
                     const struct zone_stats *s, const struct zone_choice *choice);

#endif
