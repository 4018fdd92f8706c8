// device_rows_parts.h - what the files that make device rows share.
#ifndef TTP_FORMATS_DEVICE_LOG_DEVICE_ROWS_PARTS_H
#define TTP_FORMATS_DEVICE_LOG_DEVICE_ROWS_PARTS_H

#include "formats/device_log/device_rows.h"

#define DEVICE_ROWS_ID "GLOBAL CALL COUNT" // every header names it

// What a column of the C++ report is for.
enum device_place_kind {
    PLACE_IGNORED,
    PLACE_OP,
    PLACE_DEVICE,
    PLACE_TRACE,
    PLACE_SESSION,
    PLACE_ARCH,
    PLACE_NUMBER,
    PLACE_EXTRA,
    PLACE_UNKNOWN
};
struct device_place {
    enum device_place_kind kind;
    bool is_quasar; // an extra column that only Quasar has
    uint32_t index; // of the number, or of the extra column
};
struct device_place device_rows_place(str name); // the index of an extra column is not told

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
