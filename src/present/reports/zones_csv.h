// zones_csv.h - zones, messages and plots of a run in the formats of tracy-csvexport, so
// that existing readers work unchanged.
//
// Two versions: 0.10 with tt-metal's additions, and upstream 0.14. Two bugs are fixed: a
// zone without a text has an empty cell, not the text of the row before; cells that would
// break their row are quoted. `is_compatible` restores both.
#ifndef TTP_PRESENT_REPORTS_ZONES_CSV_H
#define TTP_PRESENT_REPORTS_ZONES_CSV_H

#include "analyse/host/host_zones.h"

struct zones_csv {
    struct zone_choice choice; // by, with_open and without_empty are ignored
    const char *separator;
    bool is_upstream;
    bool is_compatible;
    bool with_plots;      // after the zones of zones_csv_unwrapped, upstream only
    const char *parent;   // substring of zones whose text their children inherit, or NULL
    const char *children; // names of these children, comma-separated, or NULL
    bool is_own_parent;   // parents have their own text in the column of their parent's
};
struct zones_csv zones_csv_default(void);

// Statistics per source location: `name,src_file,src_line,total_ns,...`. With truncate_at
// above 0, also that percentile and the mean below it.
bool zones_csv_statistics(const struct trace *r, const struct zones_csv *form,
                          const char *path, struct err *e);
// A row per zone.
bool zones_csv_unwrapped(const struct trace *r, const struct zones_csv *form,
                         const char *path, struct err *e);
// A row per zone of a device lane, of traces that have them.
bool zones_csv_lanes(const struct trace *r, const struct zones_csv *form, const char *path,
                     struct err *e);
// A row per message, op record and signpost, by time. The latter two are wrapped in
// backticks, with inner ones doubled, as tt-metal's readers expect.
bool zones_csv_messages(const struct trace *r, const struct zones_csv *form,
                        const char *path, struct err *e);

// tracy_ops_times.csv: `-u -t PARENT -x CHILDREN`, as tt-metal writes it since June 2026.
bool zones_write_unwrapped(const struct trace *r, const char *path, const char *parent,
                           const char *children, struct err *e);
// tracy_ops_data.csv: `-m -s SEPARATOR`.
bool zones_write_messages(const struct trace *r, const char *path, const char *separator,
                          struct err *e);

#endif
