// diags.h - kinds of findings in src/trace/: names, clocks and recordings of host
// processes.
#ifndef TTP_TRACE_DIAGS_H
#define TTP_TRACE_DIAGS_H

#include "base/text/diag.h"

enum trace_diag {
    DIAG_TEXT_NOT_UTF8 = 0,
    DIAG_ID_COLLIDES,
    DIAG_CLOCK_UNKNOWN,
    DIAG_HOST_LOST,
    DIAG_HOST_OPEN,
    DIAG_HOST_END_ALONE,
    DIAG_HOST_FILE_DAMAGED,
    DIAG_HOST_BLOCK_DAMAGED,
    DIAG_HOST_GAP,
    DIAG_HOST_TIME_BACK,
    DIAG_HOST_TOO_DEEP,
    DIAG_HOST_CLOCK,
    DIAG_PROCESS_LINE,
    DIAG_HOST_FILE_CUT,
    DIAG_HOST_MISSING,
    DIAG_HOST_TEXT_MISSING,
    TRACE_DIAGS_END, // at most 24
};

extern const struct diag_table trace_diags;

#endif
