// diags.c - kinds of invalid data in src/formats/: what they mean and what to do.
#include "formats/diags.h"

#define ROW(kind) [(kind)-DIAG_NOT_A_NUMBER]
static const struct diag_text texts[] = {
    // clang-format off
    ROW(DIAG_NOT_A_NUMBER) = {"not-a-number", "cells that are not a number where one is required",
        "they are treated as missing; correct the cell or export the file again"},
    ROW(DIAG_ABSURD_NUMBER) = {"absurd-number", "numbers that no device can have measured",
        "they are treated as missing; check the run that wrote them"},
    ROW(DIAG_LOG_CUT) = {"log-cut", "the log is truncated",
        "the part before the cut is used; copy the file again, or wait until it is written"},
    ROW(DIAG_HEADER_ODD) = {"header-odd", "header lines that are damaged or unknown",
        "their content is unknown, or columns are identified by position; check the first two lines of the log"},
    ROW(DIAG_ROW_DAMAGED) = {"row-damaged", "rows that are not markers",
        "they are skipped; check the line, the disk or the program that wrote it"},
    ROW(DIAG_MARKER_TYPE) = {"marker-type-unknown", "markers of an unknown type",
        "they are kept but make no zone; a newer ttprof may know them"},
    ROW(DIAG_TIME_WENT_BACK) = {"time-went-back", "rows that are earlier than the previous row of the same RISC",
        "rows are sorted by time; expected in appended dumps, otherwise the clock was reset or has wrapped"},
    ROW(DIAG_DUPLICATE_ROW) = {"duplicate-row", "duplicate rows",
        "they are used once; a buffer was read twice, or a log was appended to itself"},
    ROW(DIAG_TABLE_ROW) = {"table-row-damaged", "rows of the table that cannot be read",
        "they are skipped; export the table again, or check the line"},
    ROW(DIAG_TABLE_SHORT) = {"table-row-short", "rows of the table with fewer cells than its header",
        "the missing cells are empty; if a row was split, its parts are wrong: export the table again"},
    ROW(DIAG_TABLE_CUT) = {"table-cut", "the table does not end with a line feed",
        "its last cell may lack characters; copy the file again, or wait until it is written"},
    ROW(DIAG_DEVICE_REPORT_CUT) = {"device-report-cut", "the device report is truncated",
        "cells after the cut are empty, the last one may lack digits; copy the file again, or wait until it is written"},
    ROW(DIAG_DEVICE_ROW_DAMAGED) = {"device-row-damaged", "rows of the device report that do not fit their header",
        "cells that cannot be assigned are skipped; a dump was killed while writing, or the file was edited"},
    ROW(DIAG_DEVICE_ROW_WITHOUT_ID) = {"device-row-without-id", "rows of the device report without an op id or a device id",
        "they are skipped: their op is unknown"},
    ROW(DIAG_DEVICE_ROW_AGAIN) = {"device-row-again", "rows of the device report with the ids of an earlier row",
        "the later row is used; the same program was dumped twice, or a report of another run was appended"},
    ROW(DIAG_DEVICE_COLUMN) = {"device-column-unknown", "unknown columns of the device report",
        "they are ignored; a newer ttprof may know them"},
    ROW(DIAG_CAPTURE_HEADER) = {"capture-header", "tables of a host capture that are empty or have no header",
        "their columns are identified by position; export the capture again"},
    ROW(DIAG_CAPTURE_ROW) = {"capture-row-damaged", "rows of a table of host zones that cannot be read",
        "they are skipped; check the line, or export the capture again"},
    ROW(DIAG_MESSAGE_CUT) = {"message-cut", "truncated messages in a table of the host capture",
        "the part before the cut is used; messages of the reference end at 64 KiB, 'ttprof run' has no such limit"},
    ROW(DIAG_MESSAGE_UNTIMED) = {"message-untimed", "messages in a table of the host capture without a time",
        "they are placed at its start; the table is truncated, or is not a table of messages"},
    ROW(DIAG_TRACY_DAMAGED) = {"tracy-damaged", "the .tracy file is truncated or damaged",
        "the part before the damage is used; copy the file again, or repeat the capture"},
    ROW(DIAG_TRACY_REFERENCE) = {"tracy-reference", "references in a .tracy file to texts, places or messages that it does not have",
        "they are left out, names are shown as ???; the file is damaged, or its writer is faulty"},
    ROW(DIAG_TRACY_LEFT_OUT) = {"tracy-left-out", "parts of a Tracy trace that nothing here shows",
        "callstacks, samples, images, context switches and symbols are kept by 'ttprof convert' from one .tracy file to another"},
    // clang-format on
};
_Static_assert(FORMATS_DIAGS_END <= 48, "its range of ids is full");

const struct diag_table formats_diags = {DIAG_NOT_A_NUMBER, sizeof texts / sizeof *texts,
                                         texts};
