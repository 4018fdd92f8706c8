// diags.c - descriptions and remedies of the findings of src/trace/.
#include "trace/diags.h"

#define ROW(kind) [(kind)-DIAG_TEXT_NOT_UTF8]
static const struct diag_text texts[] = {
    // clang-format off
    ROW(DIAG_TEXT_NOT_UTF8) = {"text-not-utf8", "names that are not UTF-8",
        "invalid bytes are shown as a replacement character; rename the zone or convert the file"},
    ROW(DIAG_ID_COLLIDES) = {"id-collides", "timer ids that stand for more than one source location",
        "zones are distinguished by name; rename one of the zones to give it another id"},
    ROW(DIAG_CLOCK_UNKNOWN) = {"clock-unknown", "the log does not state the clock of the chip",
        "times are in cycles only; set the clock with --mhz"},
    ROW(DIAG_HOST_LOST) = {"host-events-lost", "lost host events",
        "zones around the loss may be missing; use larger rings or --policy block, or free disk space"},
    ROW(DIAG_HOST_OPEN) = {"host-zone-open", "host zones without an end",
        "they are closed when their process was last known to be alive, and marked; the process was killed, or never ends them"},
    ROW(DIAG_HOST_END_ALONE) = {"host-end-alone", "ends of host zones without a start",
        "they are ignored; their starts were lost, or the program ends a zone twice or on another thread"},
    ROW(DIAG_HOST_FILE_DAMAGED) = {"host-file-damaged", "files or entries of a recording that are invalid",
        "what can be read is used; the disk was full, the folder was copied in part, or a newer ttprof wrote it"},
    ROW(DIAG_HOST_BLOCK_DAMAGED) = {"host-block-damaged", "blocks of host events that cannot be read",
        "their events are missing, zones around them are closed there; copy the folder again, or check the disk"},
    ROW(DIAG_HOST_GAP) = {"host-gap", "places where host events of a thread are missing from its files",
        "zones around them are closed there; the stream could not be written, or the folder was copied in part"},
    ROW(DIAG_HOST_TIME_BACK) = {"host-time-back", "host zones that end before they begin",
        "they count as 0 ns long; the clock changed inside them, or runs backwards"},
    ROW(DIAG_HOST_TOO_DEEP) = {"host-too-deep", "host zones nested deeper than 65536",
        "they are skipped; check the program for zones that are never ended"},
    ROW(DIAG_HOST_CLOCK) = {"host-clock-unknown", "clocks that cannot be aligned, and clock pairs that go back",
        "ticks of such a clock are treated as ns of CLOCK_MONOTONIC; the table of the process is damaged"},
    ROW(DIAG_PROCESS_LINE) = {"process-line-damaged", "damaged or truncated lines of processes.log",
        "they are skipped, processes may lack their end or their parent; the disk was full, or the run is still writing"},
    ROW(DIAG_HOST_FILE_CUT) = {"host-file-missing", "files of a recording that are missing or shorter than when they were written",
        "what can be read is used; the folder was copied in part, or something deleted or cut its files: copy it again"},
    ROW(DIAG_HOST_MISSING) = {"host-events-missing", "recorded host events that are missing from the files",
        "their zones are missing; copy the folder again, or check the disk"},
    ROW(DIAG_HOST_TEXT_MISSING) = {"host-text-missing", "long texts of host events that are missing from the files",
        "they are empty; copy the folder again, or check the disk"},
    // clang-format on
};
_Static_assert(TRACE_DIAGS_END <= 24, "its range of ids is full");

const struct diag_table trace_diags = {DIAG_TEXT_NOT_UTF8, sizeof texts / sizeof *texts,
                                       texts};
