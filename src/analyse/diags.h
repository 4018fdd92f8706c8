// diags.h - kinds of odd data in src/analyse/: of markers, ops and what is worked out from
// them.
#ifndef TTP_ANALYSE_DIAGS_H
#define TTP_ANALYSE_DIAGS_H

#include "base/text/diag.h"

enum analyse_diag {
    DIAG_NEGATIVE_DURATION = 72,
    DIAG_OP_WITHOUT_CODE, // a row without an op code
    DIAG_OP_WITHOUT_DEVICE,
    DIAG_OP_MISSING_ON_DEVICE,
    DIAG_ARCH_UNKNOWN,
    DIAG_FIDELITY_UNKNOWN,
    DIAG_NO_DURATION,
    DIAG_NO_CORES,
    DIAG_NO_SIZE,
    DIAG_NO_WINDOW,
    DIAG_NOT_IN_SUMMARY,
    DIAG_END_WITHOUT_START,
    DIAG_START_WITHOUT_END,
    DIAG_TOO_DEEP,
    DIAG_META_ODD,
    DIAG_OP_INCOMPLETE,
    DIAG_FW_START_BUFFER,  // a second firmware start; other cores show nothing
    DIAG_FW_START_CORRUPT, // a second firmware start; other cores are not finished
    DIAG_FW_START_UNENDED, // a second firmware start before the first one's end
    DIAG_FW_END_TWICE,
    DIAG_MARKER_UNPAIRED,
    DIAG_MARKER_UNNAMED,
    DIAG_STEP_UNNUMBERED,
    DIAG_OP_MESSAGE,
    DIAG_OP_CUT,
    DIAG_OP_NO_RECORD,
    DIAG_OP_NO_MESSAGE,
    DIAG_OP_NO_ZONE,
    DIAG_OP_AGAIN,
    DIAG_OP_TYPE,
    DIAG_OP_ZONE,
    DIAG_TRACE_BRACKET,
    DIAG_OP_NOT_MEASURED,
    DIAG_OP_DEVICE_MISSING,
    DIAG_OP_REPLAY_UNTOLD,
    DIAG_OP_DUPLICATE,
    DIAG_OP_NO_HOST,
    DIAG_CELL_BAD,
    DIAG_COUNTER_RECORD,
    DIAG_NOC_FILE,
    DIAG_NOC_EVENT,
    DIAG_NOC_CUT,
    DIAG_NOC_NO_ROW,
    DIAG_NOC_ARCH,
    ANALYSE_DIAGS_END, // at most 128
};

extern const struct diag_table analyse_diags;

// Texts of a kind of any layer up to this one, the last that has kinds. NULL: no such kind.
const char *diag_name(int kind);
const char *diag_what(int kind);
const char *diag_remedy(int kind);

#endif
