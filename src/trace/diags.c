// diags.c - what the kinds of odd data in src/trace/ mean, and what to do about them.
#include "trace/diags.h"

#define ROW(kind) [kind - DIAG_TEXT_NOT_UTF8]
static const struct diag_text texts[] = {
    // clang-format off
    ROW(DIAG_TEXT_NOT_UTF8) = {"text-not-utf8", "names that are not UTF-8",
        "bytes that do not fit are shown as a replacement character; rename the zone or convert the file"},
    ROW(DIAG_ID_COLLIDES) = {"id-collides", "timer ids that stand for more than one place in the source",
        "zones are told apart by name; rename one of the zones to give it another id"},
    ROW(DIAG_CLOCK_UNKNOWN) = {"clock-unknown", "the log does not say the clock of the chip",
        "times are given in cycles only; give the clock with --mhz"},
    ROW(DIAG_HOST_LOST) = {"host-events-lost", "host events that were lost while they were recorded",
        "zones around the loss may be missing; give each thread a larger ring, let it wait when that is full, or free some disk"},
    ROW(DIAG_HOST_OPEN) = {"host-zone-open", "host zones without an end",
        "they are closed when their process was last known to live, and marked; the process was killed, or never ends them"},
    ROW(DIAG_HOST_END_ALONE) = {"host-end-alone", "ends of host zones that no zone belongs to",
        "they are left out; their begins were lost, or the program ends a zone twice or on another thread"},
    ROW(DIAG_HOST_FILE_DAMAGED) = {"host-file-damaged", "files or entries of a recording that are not what they should be",
        "what can be read is used; the disk was full, the folder is copied in part, or a newer ttprof wrote it"},
    ROW(DIAG_HOST_BLOCK_DAMAGED) = {"host-block-damaged", "blocks of host events that cannot be read",
        "their events are missing, zones around them are closed there; copy the folder again, or look at the disk"},
    ROW(DIAG_HOST_GAP) = {"host-gap", "places where host events of a thread are missing from its files",
        "zones around them are closed there; the stream could not be written, or the folder is copied in part"},
    ROW(DIAG_HOST_TIME_BACK) = {"host-time-back", "host zones that end before they begin",
        "they count as 0 ns long; the clock was changed inside them, or runs backwards"},
    ROW(DIAG_HOST_TOO_DEEP) = {"host-too-deep", "host zones nested deeper than 65536",
        "they are left out; check the program for zones that are never ended"},
    ROW(DIAG_HOST_CLOCK) = {"host-clock-unknown", "clocks that cannot be put on the time axis, and pairs that go back",
        "ticks of such a clock are taken for ns of CLOCK_MONOTONIC; the table of the process is damaged"},
    ROW(DIAG_PROCESS_LINE) = {"process-line-damaged", "lines of processes.log that are damaged or cut off",
        "they are left out, processes may lack their end or their parent; the disk was full, or the run still writes"},
    // clang-format on
};
_Static_assert(TRACE_DIAGS_END <= 24, "its range of ids is full");

const struct diag_table trace_diags = {DIAG_TEXT_NOT_UTF8, sizeof texts / sizeof *texts,
                                       texts};
