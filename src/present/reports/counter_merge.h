// counter_merge.h - merges two ops reports of the same program: the L1 banks share their
// counters, so a program must run twice to read both.
#ifndef TTP_PRESENT_REPORTS_COUNTER_MERGE_H
#define TTP_PRESENT_REPORTS_COUNTER_MERGE_H

#include "base/text/diag.h"

#include "table/table.h"

struct counter_merged {
    size_t n_columns; // that only the second has
    size_t n_matched; // rows of the first, found in the second
};

// Writes the first table followed by the columns that only the report in `second` has. Rows
// match if they have the same GLOBAL CALL COUNT, METAL TRACE ID and METAL TRACE REPLAY
// SESSION ID; rows with equal ids match in order. Unreadable rows are left out and counted.
bool counter_merge_write(const struct table *first, const char *second, const char *path,
                         struct counter_merged *merged, struct diag *d, struct err *e);

#endif
