// diag.c - the table of oddities.
#include "base/text/diag.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/text/str.h"

static const struct {
    const char *name; // for programs; never changes
    const char *what;
    const char *remedy;
} kinds[DIAG_KINDS] = {
    // clang-format off
    [DIAG_NOT_A_NUMBER]         = {"not-a-number", "cells that should hold a number do not",
                                   "they count as missing; correct the cell or export the file again"},
    [DIAG_ABSURD_NUMBER]        = {"absurd-number", "numbers that no device can have measured",
                                   "they count as missing; look at the run that wrote them"},
    [DIAG_NEGATIVE_DURATION]    = {"negative-duration", "durations below zero",
                                   "they are kept and spoil the shares; look at the run that wrote them"},
    [DIAG_OP_WITHOUT_CODE]      = {"op-without-code", "rows without an op code",
                                   "they are kept with an empty name; look at the run that wrote them"},
    [DIAG_OP_WITHOUT_DEVICE]    = {"op-without-device", "device ops without a device id",
                                   "they are kept as rows without a device; look at the run that wrote them"},
    [DIAG_OP_MISSING_ON_DEVICE] = {"op-missing-on-device", "ops that not every device ran",
                                   "do not trust the merged rows of these ops; look at each device with --no-merge-devices"},
    [DIAG_ARCH_UNKNOWN]         = {"arch-unknown", "architectures without a table of peaks",
                                   "DRAM % and FLOPs % are empty; 'ttprof arch' lists the known ones"},
    [DIAG_FIDELITY_UNKNOWN]     = {"fidelity-unknown", "matmuls or convolutions without a known math fidelity",
                                   "their FLOPs % and Bound are empty; record the run with MATH FIDELITY"},
    [DIAG_NO_DURATION]          = {"no-duration", "device ops without a duration above zero",
                                   "their time is 0 and their rates are empty; check that the device profiler was on for the whole run"},
    [DIAG_NO_CORES]             = {"no-cores", "matmuls without a core count above zero",
                                   "their FLOPs % says nothing; record the run with CORE COUNT"},
    [DIAG_NO_SIZE]              = {"no-size", "matmuls or convolutions without all sizes, memories and data types",
                                   "their derived cells are empty; record the run with tensor columns"},
    [DIAG_NO_WINDOW]            = {"no-window", "convolutions without window_hw",
                                   "their derived cells are empty; record the run with ATTRIBUTES"},
    [DIAG_NOT_IN_SUMMARY]       = {"not-in-summary", "ops left out of the stacked report: their input 0 memory has no layout",
                                   "group without the memory: --group-by op"},
    [DIAG_LOG_CUT]              = {"log-cut", "the log ends in the middle",
                                   "what stands before the cut is used; copy the file again, or wait until it is written"},
    [DIAG_HEADER_ODD]           = {"header-odd", "header lines that are damaged or unknown",
                                   "what they should say is unknown, or columns are taken by their place; check the first two lines of the log"},
    [DIAG_ROW_DAMAGED]          = {"row-damaged", "rows that are no markers",
                                   "they are left out; look at the line, the disk or the program that wrote it"},
    [DIAG_TEXT_NOT_UTF8]        = {"text-not-utf8", "names that are not UTF-8",
                                   "bytes that do not fit are shown as a replacement character; rename the zone or convert the file"},
    [DIAG_MARKER_TYPE]          = {"marker-type-unknown", "markers of a type this program does not know",
                                   "they are kept and take part in no zone; a newer ttprof may know them"},
    [DIAG_ID_COLLIDES]          = {"id-collides", "timer ids that stand for more than one place in the source",
                                   "zones are told apart by name; rename one of the zones to give it another id"},
    [DIAG_TIME_WENT_BACK]       = {"time-went-back", "rows that are earlier than the row before them on the same RISC",
                                   "rows are sorted by time; expected where dumps are appended, else the clock was reset or has wrapped"},
    [DIAG_DUPLICATE_ROW]        = {"duplicate-row", "rows that stand in the log twice",
                                   "they are used once; a buffer was read out again, or a log was appended to itself"},
    [DIAG_END_WITHOUT_START]    = {"end-without-start", "zone ends without a start",
                                   "they make no zone; the buffer was full when the zone began: profile fewer ops or read out more often"},
    [DIAG_START_WITHOUT_END]    = {"start-without-end", "zone starts without an end",
                                   "the zones are closed at the last marker before the next op and marked; the buffer was full: profile fewer ops or read out more often"},
    [DIAG_TOO_DEEP]             = {"too-deep", "zones nested deeper than 127",
                                   "they are drawn at depth 127; check the kernel for zones that are never closed"},
    [DIAG_META_ODD]             = {"meta-odd", "meta data that cannot be read",
                                   "it is ignored; the row is used without it"},
    [DIAG_OP_INCOMPLETE]        = {"op-incomplete", "ops without a firmware start and end on each of their cores",
                                   "they are left out of the op statistics, see --incomplete-ops; the buffer was full: profile fewer ops or read out more often"},
    [DIAG_FW_START_BUFFER]      = {"second-fw-start-buffer", "second firmware starts of an op before other cores have reported any activity on it",
                                   "taken as another execution of the op; decrease the number of ops being profiled or read the device profiler more often"},
    [DIAG_FW_START_CORRUPT]     = {"second-fw-start-corrupt", "second firmware starts of an op before other cores are finished with it",
                                   "taken as another execution of the op; the data may be corrupt, retry the run"},
    [DIAG_FW_START_UNENDED]     = {"second-fw-start-unended", "second firmware starts of an op before its firmware end",
                                   "taken as another execution of the op; the data may be corrupt, retry the run"},
    [DIAG_FW_END_TWICE]         = {"second-fw-end", "second firmware ends of an op",
                                   "they are ignored; the data may be corrupt, retry the run"},
    [DIAG_CLOCK_UNKNOWN]        = {"clock-unknown", "the log does not say the clock of the chip",
                                   "times are given in cycles only; give the clock with --mhz"},
    [DIAG_L1_DROPPED]           = {"dropped-in-l1", "markers that found no room in the L1 buffer of their RISC",
                                   "they are not recorded; record fewer zones per program, or set TTPROF_OVERFLOW=stall"},
    [DIAG_DRAM_DROPPED]         = {"dropped-in-dram", "recorded markers that found no room in DRAM",
                                   "they are lost; read the device profiler more often, profile fewer ops, or raise TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT"},
    [DIAG_ZONE_UNKNOWN]         = {"zone-unknown", "markers with an id that no known location has",
                                   "they are kept without a name; decode them together with zone_ids.csv or the zone_src_locations.log of their build"},
    [DIAG_IDENTITY_FOREIGN]     = {"identity-foreign", "runs in a buffer that say they are of another core or RISC",
                                   "they are left out up to the next run of this RISC; a kernel wrote past its buffer, or the dump is mixed up"},
    [DIAG_PACKET_TYPE]          = {"packet-type", "words that are no marker",
                                   "the rest of their run is left out; a kernel wrote into the profiler's buffer, or the dump is damaged"},
    [DIAG_WORDS_CUT]            = {"words-cut", "markers or runs cut off by the end of their buffer",
                                   "they are left out; the dump is shorter than its control vector says, or the buffer was full"},
    [DIAG_RUN_PARTIAL]          = {"run-partial", "cores that were read before their program was done",
                                   "their open zones end at the last marker that was there; look at what the cores are waiting for"},
    [DIAG_REPLAY_UNKNOWN]       = {"replay-unknown", "runs of trace replays that the host does not know of",
                                   "they have no trace id; record the replays with the device profiler on, or add them to dump.json"},
    [DIAG_COUNTER_UNKNOWN]      = {"counter-unknown", "performance counters with a number that no counter has",
                                   "they are kept without a name; the dump is damaged, or newer than this program"},
    [DIAG_STALLED]              = {"stalled", "times a RISC waited for the host to make room",
                                   "the waiting is inside its zones; record less, or read out more often"},
    [DIAG_CORE_UNREADABLE]      = {"core-unreadable", "cores whose control vector or buffers could not be read, or made no sense",
                                   "their markers are missing; look at the device, or at the files of the dump"},
    [DIAG_NOT_SYNCED]           = {"not-synced", "chips whose clock was not put on the host's time line",
                                   "times of different chips cannot be compared; set TT_METAL_PROFILER_SYNC=1"},
    [DIAG_HOST_LOST]            = {"host-events-lost", "host events that were lost while they were recorded",
                                   "zones around the loss may be missing; give each thread a larger ring, let it wait when that is full, or free some disk"},
    [DIAG_HOST_OPEN]            = {"host-zone-open", "host zones without an end",
                                   "they are closed when their process was last known to live, and marked; the process was killed, or never ends them"},
    [DIAG_HOST_END_ALONE]       = {"host-end-alone", "ends of host zones that no zone belongs to",
                                   "they are left out; their begins were lost, or the program ends a zone twice or on another thread"},
    [DIAG_HOST_FILE_DAMAGED]    = {"host-file-damaged", "files or entries of a recording that are not what they should be",
                                   "what can be read is used; the disk was full, the folder is copied in part, or a newer ttprof wrote it"},
    [DIAG_HOST_BLOCK_DAMAGED]   = {"host-block-damaged", "blocks of host events that cannot be read",
                                   "their events are missing, zones around them are closed there; copy the folder again, or look at the disk"},
    [DIAG_HOST_GAP]             = {"host-gap", "places where host events of a thread are missing from its files",
                                   "zones around them are closed there; the stream could not be written, or the folder is copied in part"},
    [DIAG_HOST_TIME_BACK]       = {"host-time-back", "host zones that end before they begin",
                                   "they count as 0 ns long; the clock was changed inside them, or runs backwards"},
    [DIAG_HOST_TOO_DEEP]        = {"host-too-deep", "host zones nested deeper than 65536",
                                   "they are left out; check the program for zones that are never ended"},
    [DIAG_HOST_CLOCK]           = {"host-clock-unknown", "clocks that cannot be put on the time axis, and pairs that go back",
                                   "ticks of such a clock are taken for ns of CLOCK_MONOTONIC; the table of the process is damaged"},
    [DIAG_PROCESS_LINE]         = {"process-line-damaged", "lines of processes.log that are damaged or cut off",
                                   "they are left out, processes may lack their end or their parent; the disk was full, or the run still writes"},
    [DIAG_TABLE_ROW]            = {"table-row-damaged", "rows of the table that do not fit its header",
                                   "they are left out; export the table again, or look at the line"},
    [DIAG_MARKER_UNPAIRED]      = {"marker-unpaired", "zone markers of the training program without their other half",
                                   "their zones are not in the tables; close each zone on every path"},
    [DIAG_MARKER_UNNAMED]       = {"marker-unnamed", "marker ops without an identifier",
                                   "they count as markers of no phase; look at their ATTRIBUTES"},
    [DIAG_STEP_UNNUMBERED]      = {"step-unnumbered", "phases behind the last marker of an iteration",
                                   "they are left out of the phase times; let the run end with a whole step"},
    [DIAG_DEVICE_REPORT_CUT]    = {"device-report-cut", "the device report ends in the middle of a line",
                                   "cells behind the cut are empty, the last one may lack digits; copy the file again, or wait until it is written"},
    [DIAG_DEVICE_ROW_DAMAGED]   = {"device-row-damaged", "rows of the device report that do not fit their header",
                                   "cells that nobody can place are left out; a dump was killed while it wrote, or the file was edited"},
    [DIAG_DEVICE_ROW_WITHOUT_ID] = {"device-row-without-id", "rows of the device report without an op id or a device id",
                                   "they are left out: nothing says which op they are about"},
    [DIAG_DEVICE_ROW_AGAIN]     = {"device-row-again", "rows of the device report with the ids of an earlier row",
                                   "the later row counts; the same program was dumped twice, or a report of another run was appended"},
    [DIAG_DEVICE_COLUMN]        = {"device-column-unknown", "columns of the device report that this program does not know",
                                   "they are passed over; a newer ttprof may know them"},
    [DIAG_OP_MESSAGE]           = {"op-message-damaged", "messages about ops or traces that cannot be read",
                                   "they are left out; look at the first one"},
    [DIAG_OP_CUT]               = {"op-record-cut", "records of ops that are cut off or damaged",
                                   "cells behind the cut are empty; messages of the reference end at 64 KiB, 'ttprof run' has no such limit"},
    [DIAG_OP_NO_RECORD]         = {"op-without-record", "ops that repeat one that was never described",
                                   "their rows have name, hash and ids; record from the program's start, or set TT_METAL_PROFILER_NO_CACHE_OP_INFO=1"},
    [DIAG_OP_NO_MESSAGE]        = {"op-without-message", "ops of which only a zone tells",
                                   "their rows have host times and what was measured; their messages were lost, or nobody asked for them: 'ttprof run -r' does"},
    [DIAG_OP_NO_ZONE]           = {"op-without-zone", "ops without a zone on the host",
                                   "their host times are empty, they stand at the time of their message"},
    [DIAG_OP_AGAIN]             = {"op-id-again", "op ids that the host used more than once",
                                   "the later record stands; ids begin anew after 2097151 ops"},
    [DIAG_OP_TYPE]              = {"op-type-unknown", "ops of a type that is not known",
                                   "they are kept as they are"},
    [DIAG_OP_ZONE]              = {"op-zone-odd", "zones of ops without a number, and calls inside of ops that are not known",
                                   "they are left out; the text of an op's zone is 'id:' and its number"},
    [DIAG_TRACE_BRACKET]        = {"trace-bracket-odd", "captures of traces that do not end as they began",
                                   "an op belongs to the trace that began last; check the program's begin and end of captures"},
    [DIAG_OP_NOT_MEASURED]      = {"op-not-measured", "executions of ops that their device did not measure",
                                   "their device cells are empty; raise the program support count where the coverage says so, else 1000 programs had room: 'ttprof device' on the log tells what was dropped"},
    [DIAG_OP_DEVICE_MISSING]    = {"op-device-missing", "executions of ops on devices without any data",
                                   "their device cells are empty; check that the profiler was on for each device, and that its files are all there"},
    [DIAG_OP_REPLAY_UNTOLD]     = {"op-replay-untold", "executions in replays that the host did not tell of",
                                   "they stand at the time of their capture; record with TT_METAL_PROFILER_TRACE_TRACKING=1"},
    [DIAG_OP_DUPLICATE]         = {"op-measured-again", "measurements beyond the one that was expected of an op",
                                   "each has a row; two runs may be in one log, or an id was used again"},
    [DIAG_OP_NO_HOST]           = {"op-without-host", "measurements without an op of the host",
                                   "they are in the table with --unmatched only"},
    [DIAG_CELL_BAD]             = {"cell-bad", "cells that break a rule, such as an end before its start",
                                   "they are left empty; the list of bad cells says which and why"},
    [DIAG_CAPTURE_HEADER]       = {"capture-header", "tables of a host capture that are empty or lack their header line",
                                   "their columns are taken by their place; export the capture again"},
    [DIAG_CAPTURE_ROW]          = {"capture-row-damaged", "rows of a table of host zones that cannot be read",
                                   "they are left out; look at the line, or export the capture again"},
    [DIAG_MESSAGE_CUT]          = {"message-cut", "messages in a table of the host capture that are cut off",
                                   "what stands before the cut is used; messages of the reference end at 64 KiB, 'ttprof run' has no such limit"},
    [DIAG_MESSAGE_UNTIMED]      = {"message-untimed", "messages in a table of the host capture without a time",
                                   "they count as at its start; the table is cut off, or not one of messages"},
    [DIAG_COUNTER_RECORD]       = {"counter-record-odd", "records of hardware counters that cannot be read, or are of no op",
                                   "what is made of them is empty; look at the meta data of the rows with the id 9090"},
    [DIAG_NOC_FILE]             = {"noc-trace-damaged", "NoC traces that cannot be read, or not to their end",
                                   "what stands before the damage is used, the NoC columns then say too little; collect the traces again"},
    [DIAG_NOC_EVENT]            = {"noc-event-odd", "entries of NoC traces that do not say what is moved, or between which tiles",
                                   "they move nothing in the NoC columns; look at the file, or at the chip that the log names"},
    [DIAG_NOC_CUT]              = {"noc-transfer-cut", "transfers of the largest size that a NoC trace can say, 8160 bytes",
                                   "they may have been larger, the NoC columns then say too little; move less per command"},
    [DIAG_NOC_NO_ROW]           = {"noc-trace-unused", "NoC traces of ops that were not measured",
                                   "they are not used; remove traces of older runs from the folder"},
    [DIAG_NOC_ARCH]             = {"noc-arch-unknown", "NoC traces of a chip whose NoC is not in the tables",
                                   "its NoC columns are empty; 'ttprof arch' lists the known chips"},
    // clang-format on
};

bool diag_count(struct diag *d, enum diag_kind kind)
{
    return d->entry[kind].count++ == 0;
}

void diag_note(struct diag *d, enum diag_kind kind, const char *fmt, ...)
{
    // It may go into a document: a text that does not fit is cut between two characters,
    // and bytes that are none become '?'.
    char text[2 * sizeof d->entry[kind].first];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    str first = str_clip(str_of(text), sizeof d->entry[kind].first - 1);
    for (size_t at = 0, tail; at < first.n; at = tail + 1) {
        (void)str_bad_utf8(first, at, &tail);
        if (tail < first.n)
            text[tail] = '?';
    }
    memcpy(d->entry[kind].first, first.p, first.n);
    d->entry[kind].first[first.n] = '\0';
}

const char *diag_name(enum diag_kind kind)
{
    return kinds[kind].name;
}
const char *diag_what(enum diag_kind kind)
{
    return kinds[kind].what;
}
const char *diag_remedy(enum diag_kind kind)
{
    return kinds[kind].remedy;
}

uint64_t diag_total(const struct diag *d)
{
    uint64_t total = 0;
    for (int k = 0; k < DIAG_KINDS; k++)
        total += d->entry[k].count;
    return total;
}
