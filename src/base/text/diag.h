// diag.h - odd data is counted, marked and explained; the work goes on.
//
// Each kind of oddity has one row in the table of diag.c: its sentence and its remedy. The
// place and the text of the first one are kept, so that a person can look at it.
#ifndef TTP_BASE_TEXT_DIAG_H
#define TTP_BASE_TEXT_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum diag_kind {
    DIAG_NOT_A_NUMBER,  // a cell that must hold a number holds something else
    DIAG_ABSURD_NUMBER, // a number no device can have produced
    DIAG_NEGATIVE_DURATION,
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
    // device logs
    DIAG_LOG_CUT,
    DIAG_HEADER_ODD,
    DIAG_ROW_DAMAGED,
    DIAG_TEXT_NOT_UTF8,
    DIAG_MARKER_TYPE,
    DIAG_ID_COLLIDES,
    DIAG_TIME_WENT_BACK,
    DIAG_DUPLICATE_ROW,
    DIAG_END_WITHOUT_START,
    DIAG_START_WITHOUT_END,
    DIAG_TOO_DEEP,
    DIAG_META_ODD,
    DIAG_OP_INCOMPLETE,
    DIAG_FW_START_BUFFER,  // a second firmware start; other cores show nothing
    DIAG_FW_START_CORRUPT, // a second firmware start; other cores are not finished
    DIAG_FW_START_UNENDED, // a second firmware start before the first one's end
    DIAG_FW_END_TWICE,
    DIAG_CLOCK_UNKNOWN,
    // the device profiler's read-out and decoding
    DIAG_L1_DROPPED,
    DIAG_DRAM_DROPPED,
    DIAG_ZONE_UNKNOWN,
    DIAG_IDENTITY_FOREIGN,
    DIAG_PACKET_TYPE,
    DIAG_WORDS_CUT,
    DIAG_RUN_PARTIAL,
    DIAG_REPLAY_UNKNOWN,
    DIAG_COUNTER_UNKNOWN,
    DIAG_STALLED,
    DIAG_CORE_UNREADABLE,
    DIAG_NOT_SYNCED,
    // what host processes recorded
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
    // analyses of ops reports
    DIAG_TABLE_ROW,
    DIAG_MARKER_UNPAIRED,
    DIAG_MARKER_UNNAMED,
    DIAG_STEP_UNNUMBERED,
    // the runtime's device report
    DIAG_DEVICE_REPORT_CUT,
    DIAG_DEVICE_ROW_DAMAGED,
    DIAG_DEVICE_ROW_WITHOUT_ID,
    DIAG_DEVICE_ROW_AGAIN,
    DIAG_DEVICE_COLUMN,
    // ops: the host's half, and the join with what was measured
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
    // tables exported from a host capture
    DIAG_CAPTURE_HEADER,
    DIAG_CAPTURE_ROW,
    DIAG_MESSAGE_CUT,
    DIAG_MESSAGE_UNTIMED,
    // hardware counters and NoC traces
    DIAG_COUNTER_RECORD,
    DIAG_NOC_FILE,
    DIAG_NOC_EVENT,
    DIAG_NOC_CUT,
    DIAG_NOC_NO_ROW,
    DIAG_NOC_ARCH,
    DIAG_KINDS,
};

struct diag_entry {
    uint64_t count;
    uint64_t line;   // of the first; 0 = not said
    char first[160]; // place and text of the first, "a.csv: line 12: column 'X': 'text'"
};

struct diag {
    struct diag_entry entry[DIAG_KINDS];
};

// Counts one; true for the first of its kind, whose place the caller then notes.
bool diag_count(struct diag *d, enum diag_kind kind);
void diag_note(struct diag *d, enum diag_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

const char *diag_name(enum diag_kind kind);
const char *diag_what(enum diag_kind kind);
const char *diag_remedy(enum diag_kind kind);
uint64_t diag_total(const struct diag *d);

#endif
