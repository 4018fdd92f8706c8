// device_rows_parts.h - shared by the files that make device rows.
#ifndef TTP_FORMATS_DEVICE_ROWS_DEVICE_ROWS_PARTS_H
#define TTP_FORMATS_DEVICE_ROWS_DEVICE_ROWS_PARTS_H

#include "formats/device_rows/device_rows.h"

// The use of a column of the C++ report.
enum device_place_kind {
    PLACE_IGNORED,
    PLACE_OP,
    PLACE_DEVICE,
    PLACE_TRACE,
    PLACE_SESSION,
    PLACE_REPLAY, // only rows of whole replays have a number here
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
struct device_place
device_rows_place(str name); // does not set the index of an extra column

// A row without ids and numbers.
struct device_row device_row_none(void);
// Call when all numbers are set: marks those missing because an end is missing, and whether
// the row is complete.
void device_row_settle(struct device_row *row);

// Quasar has other processors, whose columns replace others.
bool device_rows_arch_is_quasar(str arch);
bool device_rows_is_quasar_column(str name);
// Turns the cycles of the two kinds of processors into the gaps between ops that a report
// shows; drops columns without a Quasar row.
void device_rows_shape_quasar(struct device_rows *r);

#endif
