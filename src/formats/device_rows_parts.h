// device_rows_parts.h - what the files that make device rows share.
#ifndef TTP_FORMATS_DEVICE_ROWS_PARTS_H
#define TTP_FORMATS_DEVICE_ROWS_PARTS_H

#include "formats/device_rows.h"

// A row without ids and numbers.
struct device_row device_row_none(void);
// When all numbers are there: which ones are missing because an end is, and whether the row
// is whole.
void device_row_settle(struct device_row *row);

// Quasar has other processors, whose columns stand in the place of others.
bool device_rows_arch_is_quasar(str arch);
bool device_rows_is_quasar_column(str name);
// Cycles of the two kinds of processors become the gaps between ops that a report shows;
// what no Quasar left goes away.
void device_rows_shape_quasar(struct device_rows *r);

#endif
