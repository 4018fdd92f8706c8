// durations.h - all durations measured on a device, in one table.
//
// `ttprof device`, the ops report and the runtime's own report (C++) are tables over these
// rows. The first two use exact zone names and treat starts and ends of zones alike; the
// runtime's report uses words in the names, from a start to an end. A row has both rules
// side by side.
#ifndef TTP_ANALYSE_FOLD_DURATIONS_H
#define TTP_ANALYSE_FOLD_DURATIONS_H

#include "analyse/fold/analysis.h"
#include "formats/device_rows/device_rows.h"

// In the order in which analyses and columns are printed.
enum duration {
    DURATION_TRACE_FW,
    DURATION_TRACE_KERNEL,
    DURATION_TRACE_TO_TRACE_FW,
    DURATION_TRACE_TO_TRACE_KERNEL,
    DURATION_OP_TO_OP,
    DURATION_FIRST_TO_LAST,
    DURATION_PER_CORE,
    DURATION_FW,
    DURATION_KERNEL,
    DURATION_DM,
    DURATION_BRISC,
    DURATION_NCRISC,
    DURATION_TRISC0,
    DURATION_TRISC1,
    DURATION_TRISC2,
    DURATION_ERISC,
    DURATION_QUASAR_DM,
    DURATION_QUASAR_NEO,
    DURATION_DM_FW,
    DURATION_TRISC_FW,
    DURATION_CB_WAIT,
    DURATION_CB_RESERVE,
    DURATION_DISPATCH_TOTAL,
    DURATION_DISPATCH_GO,
    DURATION_COUNTERS,
    DURATIONS,
};

// Selects markers. NULL: for an end the same as the start, else any.
struct duration_rule {
    const char *zones; // comma-separated; a trailing * means "contains"
    const char *riscs; // the same for processors
    const char *phase; // of the zone
};

extern const struct duration_row {
    const char *name; // of the analysis; NULL: only in the runtime's report
    enum across across;
    enum analysis_type type;
    struct duration_rule start, end; // for the log
    struct duration_rule words,
        end_words; // for the runtime's report; NULL zones: not in it
    // Columns of the ops report; 0: none. The runtime's report has those in `heads` if
    // there are any, else these.
    enum device_number length, from, to;
    const char *heads[3];
} durations[DURATIONS];

// The time between two ops: from the end of this duration in the previous op to its start.
enum { GAP_KERNEL, GAP_DM, GAPS };
extern const struct gap {
    enum duration of;
    enum device_number column;
} gaps[GAPS];

// Header of a column of the runtime's report: the length (0), its start (1) or its end (2);
// NULL: no such column.
const char *duration_head(enum duration d, int part);

// The durations as analyses, for the log and for the runtime's report. Those without a rule
// have no names.
void durations_of_log(struct analysis v[DURATIONS], struct arena *a);
void durations_of_report(struct analysis v[DURATIONS], struct arena *a);

#endif
