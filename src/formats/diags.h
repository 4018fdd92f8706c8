// diags.h - kinds of invalid data in src/formats/: in files that are read.
#ifndef TTP_FORMATS_DIAGS_H
#define TTP_FORMATS_DIAGS_H

#include "base/text/diag.h"

enum formats_diag {
    DIAG_NOT_A_NUMBER = 24, // a cell that must hold a number holds something else
    DIAG_ABSURD_NUMBER,     // a number no device can have produced
    DIAG_LOG_CUT,
    DIAG_HEADER_ODD,
    DIAG_ROW_DAMAGED,
    DIAG_MARKER_TYPE,
    DIAG_TIME_WENT_BACK,
    DIAG_DUPLICATE_ROW,
    DIAG_TABLE_ROW,
    DIAG_TABLE_SHORT,
    DIAG_TABLE_CUT,
    DIAG_DEVICE_REPORT_CUT,
    DIAG_DEVICE_ROW_DAMAGED,
    DIAG_DEVICE_ROW_WITHOUT_ID,
    DIAG_DEVICE_ROW_AGAIN,
    DIAG_DEVICE_COLUMN,
    DIAG_CAPTURE_HEADER,
    DIAG_CAPTURE_ROW,
    DIAG_MESSAGE_CUT,
    DIAG_MESSAGE_UNTIMED,
    DIAG_TRACY_DAMAGED,
    DIAG_TRACY_REFERENCE, // to an entry that the file does not have
    DIAG_TRACY_LEFT_OUT,
    DIAG_TRACY_ODD,
    DIAG_TRACY_UNWRITTEN, // what a file that is written cannot hold
    DIAG_TRACY_OP_LONG,   // an op record that a message cannot hold
    DIAG_TRACY_CLOCK,     // a capture whose place on the axis of its run is not known
    FORMATS_DIAGS_END,    // at most 56
};

extern const struct diag_table formats_diags;

#endif
