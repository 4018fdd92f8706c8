// diags.c - what the kinds of odd data in src/formats/ mean, and what to do about them.
#include "formats/diags.h"

#define ROW(kind) [kind - DIAG_NOT_A_NUMBER]
static const struct diag_text texts[] = {
    // clang-format off
    ROW(DIAG_NOT_A_NUMBER) = {"not-a-number", "cells that should hold a number do not",
        "they count as missing; correct the cell or export the file again"},
    ROW(DIAG_ABSURD_NUMBER) = {"absurd-number", "numbers that no device can have measured",
        "they count as missing; look at the run that wrote them"},
    ROW(DIAG_LOG_CUT) = {"log-cut", "the log ends in the middle",
        "what stands before the cut is used; copy the file again, or wait until it is written"},
    ROW(DIAG_HEADER_ODD) = {"header-odd", "header lines that are damaged or unknown",
        "what they should say is unknown, or columns are taken by their place; check the first two lines of the log"},
    ROW(DIAG_ROW_DAMAGED) = {"row-damaged", "rows that are no markers",
        "they are left out; look at the line, the disk or the program that wrote it"},
    ROW(DIAG_MARKER_TYPE) = {"marker-type-unknown", "markers of a type this program does not know",
        "they are kept and take part in no zone; a newer ttprof may know them"},
    ROW(DIAG_TIME_WENT_BACK) = {"time-went-back", "rows that are earlier than the row before them on the same RISC",
        "rows are sorted by time; expected where dumps are appended, else the clock was reset or has wrapped"},
    ROW(DIAG_DUPLICATE_ROW) = {"duplicate-row", "rows that stand in the log twice",
        "they are used once; a buffer was read out again, or a log was appended to itself"},
    ROW(DIAG_TABLE_ROW) = {"table-row-damaged", "rows of the table that do not fit its header",
        "they are left out; export the table again, or look at the line"},
    ROW(DIAG_DEVICE_REPORT_CUT) = {"device-report-cut", "the device report ends in the middle of a line",
        "cells behind the cut are empty, the last one may lack digits; copy the file again, or wait until it is written"},
    ROW(DIAG_DEVICE_ROW_DAMAGED) = {"device-row-damaged", "rows of the device report that do not fit their header",
        "cells that nobody can place are left out; a dump was killed while it wrote, or the file was edited"},
    ROW(DIAG_DEVICE_ROW_WITHOUT_ID) = {"device-row-without-id", "rows of the device report without an op id or a device id",
        "they are left out: nothing says which op they are about"},
    ROW(DIAG_DEVICE_ROW_AGAIN) = {"device-row-again", "rows of the device report with the ids of an earlier row",
        "the later row counts; the same program was dumped twice, or a report of another run was appended"},
    ROW(DIAG_DEVICE_COLUMN) = {"device-column-unknown", "columns of the device report that this program does not know",
        "they are passed over; a newer ttprof may know them"},
    ROW(DIAG_CAPTURE_HEADER) = {"capture-header", "tables of a host capture that are empty or lack their header line",
        "their columns are taken by their place; export the capture again"},
    ROW(DIAG_CAPTURE_ROW) = {"capture-row-damaged", "rows of a table of host zones that cannot be read",
        "they are left out; look at the line, or export the capture again"},
    ROW(DIAG_MESSAGE_CUT) = {"message-cut", "messages in a table of the host capture that are cut off",
        "what stands before the cut is used; messages of the reference end at 64 KiB, 'ttprof run' has no such limit"},
    ROW(DIAG_MESSAGE_UNTIMED) = {"message-untimed", "messages in a table of the host capture without a time",
        "they count as at its start; the table is cut off, or not one of messages"},
    // clang-format on
};
_Static_assert(FORMATS_DIAGS_END <= 48, "its range of ids is full");

const struct diag_table formats_diags = {DIAG_NOT_A_NUMBER, sizeof texts / sizeof *texts,
                                         texts};
