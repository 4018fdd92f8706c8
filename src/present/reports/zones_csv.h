// zones_csv.h - zones, messages and plots of a run in the forms of tracy-csvexport, so that
// whatever reads those reads these.
//
// Two generations: 0.10 with the additions of tt-metal, and upstream 0.14. What the
// reference gets wrong is not copied: a zone without a text has an empty one, not that of
// the row before; cells that would break their row are quoted. `is_compatible` brings both
// back.
#ifndef TTP_PRESENT_REPORTS_ZONES_CSV_H
#define TTP_PRESENT_REPORTS_ZONES_CSV_H

#include "analyse/host/host_zones.h"

struct zones_csv {
    struct zone_choice choice; // by, with_open and without_empty do not count
    const char *separator;
    bool is_upstream;
    bool is_compatible;
    bool with_plots;      // behind the zones of zones_csv_unwrapped, upstream only
    const char *parent;   // in the names of zones whose text their children are given; NULL
    const char *children; // their names, separated by commas; NULL
};
struct zones_csv zones_csv_default(void);

// Statistics per place: `name,src_file,src_line,total_ns,...`. With truncate_at above 0
// also its percentile and the mean below it.
bool zones_csv_statistics(const struct trace *r, const struct zones_csv *form,
                          const char *path, struct err *e);
// A row per zone.
bool zones_csv_unwrapped(const struct trace *r, const struct zones_csv *form,
                         const char *path, struct err *e);
// A row per message, op record and signpost, by time. These two as tt-metal's readers know
// them: wrapped in backticks, those inside doubled.
bool zones_csv_messages(const struct trace *r, const struct zones_csv *form,
                        const char *path, struct err *e);

// tracy_ops_times.csv: `-u -t PARENT -x CHILDREN`.
bool zones_write_unwrapped(const struct trace *r, const char *path, const char *parent,
                           const char *children, struct err *e);
// tracy_ops_data.csv: `-m -s SEPARATOR`.
bool zones_write_messages(const struct trace *r, const char *path, const char *separator,
                          struct err *e);

#endif
