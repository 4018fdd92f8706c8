// counter_merge.h - merges two ops reports of the same program: the L1 banks share their
// counters, so a program must run twice to read both.
#ifndef TTP_PRESENT_REPORTS_COUNTER_MERGE_H
#define TTP_PRESENT_REPORTS_COUNTER_MERGE_H

#include <stddef.h>

#include "base/text/diag.h"
#include "base/text/err.h"

struct counter_merged {
    size_t n_columns;   // that only the second has
    size_t n_rows;      // of the first
    size_t n_matched;   // of those, found in the second
    size_t n_left_over; // rows of the second that the first does not have
};

// Writes the first table followed by the columns that only the second has. Rows match if
// they have the same GLOBAL CALL COUNT, METAL TRACE ID and METAL TRACE REPLAY SESSION ID;
// rows with equal ids match in file order. `out` may be one of the two, or "-". Unreadable
// rows are left out and counted.
bool counter_merge_csv(const char *first, const char *second, const char *out,
                       struct counter_merged *merged, struct diag *d, struct err *e);

#endif
