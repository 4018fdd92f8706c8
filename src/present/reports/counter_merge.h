// counter_merge.h - two ops reports of the same program become one: the banks of L1 share
// their counters, so that a program runs twice to see both.
#ifndef TTP_PRESENT_REPORTS_COUNTER_MERGE_H
#define TTP_PRESENT_REPORTS_COUNTER_MERGE_H

#include <stddef.h>

#include "base/text/diag.h"
#include "base/text/err.h"

struct counter_merged {
    size_t n_columns;   // that only the second has
    size_t n_rows;      // of the first
    size_t n_matched;   // of them, found in the second
    size_t n_left_over; // rows of the second that the first does not have
};

// Writes the first table with the columns that only the second has behind its own. Rows
// belong together that have the same GLOBAL CALL COUNT, METAL TRACE ID and METAL TRACE
// REPLAY SESSION ID; several with the same ids in the order in which they stand. `out` may
// be one of the two, or "-". Rows that cannot be read are left out and counted.
bool counter_merge_csv(const char *first, const char *second, const char *out,
                       struct counter_merged *merged, struct diag *d, struct err *e);

#endif
