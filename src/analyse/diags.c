// diags.c - what the kinds of odd data in src/analyse/ mean, and what to do about them.
#include "analyse/diags.h"

#include "collect/diags.h"
#include "formats/diags.h"
#include "trace/diags.h"

#define ROW(kind) [(kind)-DIAG_NEGATIVE_DURATION]
static const struct diag_text texts[] = {
    // clang-format off
    ROW(DIAG_NEGATIVE_DURATION) = {"negative-duration", "negative durations",
        "they are kept and distort the shares; check the run that wrote them"},
    ROW(DIAG_OP_WITHOUT_CODE) = {"op-without-code", "rows without an op code",
        "they are kept with an empty name; check the run that wrote them"},
    ROW(DIAG_OP_WITHOUT_DEVICE) = {"op-without-device", "device ops without a device id",
        "they are kept as rows without a device; check the run that wrote them"},
    ROW(DIAG_OP_MISSING_ON_DEVICE) = {"op-missing-on-device", "ops that not every device ran",
        "do not trust the merged rows of these ops; check each device with --no-merge-devices"},
    ROW(DIAG_ARCH_UNKNOWN) = {"arch-unknown", "architectures without a table of peaks",
        "DRAM % and FLOPs % are empty; 'ttprof arch' lists the known ones"},
    ROW(DIAG_FIDELITY_UNKNOWN) = {"fidelity-unknown", "matmuls or convolutions without a known math fidelity",
        "their FLOPs % and Bound are empty; record the run with MATH FIDELITY"},
    ROW(DIAG_NO_DURATION) = {"no-duration", "device ops without a duration above zero",
        "their time is 0 and their rates are empty; check that the device profiler was on for the whole run"},
    ROW(DIAG_NO_CORES) = {"no-cores", "matmuls without a core count above zero",
        "their FLOPs % is meaningless; record the run with CORE COUNT"},
    ROW(DIAG_NO_SIZE) = {"no-size", "matmuls or convolutions without all sizes, memories and data types",
        "their derived cells are empty; record the run with tensor columns"},
    ROW(DIAG_NO_WINDOW) = {"no-window", "convolutions without window_hw",
        "their derived cells are empty; record the run with ATTRIBUTES"},
    ROW(DIAG_NOT_IN_SUMMARY) = {"not-in-summary", "ops left out of the stacked report: their input 0 memory has no layout",
        "group without the memory: --group-by op"},
    ROW(DIAG_END_WITHOUT_START) = {"end-without-start", "zone ends without a start",
        "they make no zone; the buffer was full when the zone began: profile fewer ops or read out more often"},
    ROW(DIAG_START_WITHOUT_END) = {"start-without-end", "zone starts without an end",
        "the zones are closed at the last marker before the next op and marked; the buffer was full: profile fewer ops or read out more often"},
    ROW(DIAG_TOO_DEEP) = {"too-deep", "zones nested deeper than 127",
        "they are drawn at depth 127; check the kernel for zones that are never closed"},
    ROW(DIAG_META_ODD) = {"meta-odd", "metadata that cannot be read",
        "it is ignored; the row is used without it"},
    ROW(DIAG_OP_INCOMPLETE) = {"op-incomplete", "ops without a firmware start and end on each of their cores",
        "they are left out of the op statistics, see --incomplete-ops; the buffer was full: profile fewer ops or read out more often"},
    ROW(DIAG_FW_START_BUFFER) = {"second-fw-start-buffer", "second firmware starts of an op before other cores have reported any activity on it",
        "treated as another execution of the op; decrease the number of ops being profiled or read the device profiler more often"},
    ROW(DIAG_FW_START_CORRUPT) = {"second-fw-start-corrupt", "second firmware starts of an op before other cores are finished with it",
        "treated as another execution of the op; the data may be corrupt, retry the run"},
    ROW(DIAG_FW_START_UNENDED) = {"second-fw-start-unended", "second firmware starts of an op before its firmware end",
        "treated as another execution of the op; the data may be corrupt, retry the run"},
    ROW(DIAG_FW_END_TWICE) = {"second-fw-end", "second firmware ends of an op",
        "they are ignored; the data may be corrupt, retry the run"},
    ROW(DIAG_MARKER_UNPAIRED) = {"marker-unpaired", "unpaired zone markers of the training program",
        "their zones are not in the tables; close each zone on every path"},
    ROW(DIAG_MARKER_UNNAMED) = {"marker-unnamed", "marker ops without an identifier",
        "they count as markers of no phase; check their ATTRIBUTES"},
    ROW(DIAG_STEP_UNNUMBERED) = {"step-unnumbered", "phases after the last iteration marker",
        "they are left out of the phase times; end the run with a complete step"},
    ROW(DIAG_OP_MESSAGE) = {"op-message-damaged", "op or trace messages that cannot be read",
        "they are skipped; check the first one"},
    ROW(DIAG_OP_CUT) = {"op-record-cut", "truncated or damaged op records",
        "cells after the cut are empty; messages of the reference end at 64 KiB, 'ttprof run' has no such limit"},
    ROW(DIAG_OP_NO_RECORD) = {"op-without-record", "repeats of an op that was never described",
        "their rows have name, hash and ids; record from the start of the program, or set TT_METAL_PROFILER_NO_CACHE_OP_INFO=1"},
    ROW(DIAG_OP_NO_MESSAGE) = {"op-without-message", "ops known only by a zone",
        "their rows have host times and measurements; their messages were lost or not recorded: use 'ttprof run -r'"},
    ROW(DIAG_OP_NO_ZONE) = {"op-without-zone", "ops without a zone on the host",
        "their host times are empty; they are sorted by the time of their message"},
    ROW(DIAG_OP_AGAIN) = {"op-id-again", "op ids that the host used more than once",
        "the later record is used; ids restart after 2097151 ops"},
    ROW(DIAG_OP_TYPE) = {"op-type-unknown", "ops of an unknown type",
        "they are kept unchanged"},
    ROW(DIAG_OP_ZONE) = {"op-zone-odd", "zones of ops without a number, and calls inside unknown ops",
        "they are skipped; the text of an op's zone is 'id:' and its number"},
    ROW(DIAG_TRACE_BRACKET) = {"trace-bracket-odd", "trace captures that do not end as they began",
        "an op belongs to the trace that began last; check where the program begins and ends captures"},
    ROW(DIAG_OP_NOT_MEASURED) = {"op-not-measured", "executions of ops that were not measured on their device",
        "their device cells are empty; raise the program support count if the coverage says so, otherwise 'ttprof device' on the log shows what was dropped"},
    ROW(DIAG_OP_DEVICE_MISSING) = {"op-device-missing", "executions of ops on devices without any data",
        "their device cells are empty; check that each device was profiled, and that all its files exist"},
    ROW(DIAG_OP_REPLAY_UNTOLD) = {"op-replay-untold", "executions in replays that the host did not report",
        "they are sorted by the time of their capture; record with TT_METAL_PROFILER_TRACE_TRACKING=1"},
    ROW(DIAG_OP_DUPLICATE) = {"op-measured-again", "extra measurements of an op",
        "each has a row; the log may contain two runs, or an id was used again"},
    ROW(DIAG_OP_NO_HOST) = {"op-without-host", "measurements without a host op",
        "only --unmatched shows them in the table"},
    ROW(DIAG_CELL_BAD) = {"cell-bad", "cells that violate a rule, such as an end before its start",
        "they are left empty; the list of bad cells has the details"},
    ROW(DIAG_COUNTER_RECORD) = {"counter-record-odd", "records of hardware counters that cannot be read or belong to no op",
        "their metrics are empty; check the metadata of the rows with the id 9090"},
    ROW(DIAG_NOC_FILE) = {"noc-trace-damaged", "NoC traces that cannot be read completely",
        "the part before the damage is used, so the NoC columns are too low; collect the traces again"},
    ROW(DIAG_NOC_EVENT) = {"noc-event-odd", "entries of NoC traces without a size or tiles",
        "they are ignored in the NoC columns; check the file, or the chip that the log names"},
    ROW(DIAG_NOC_CUT) = {"noc-transfer-cut", "transfers of the largest size in a NoC trace, 8160 bytes",
        "they may have been larger, so the NoC columns may be too low; move less per command"},
    ROW(DIAG_NOC_NO_ROW) = {"noc-trace-unused", "NoC traces of ops that were not measured",
        "they are not used; remove traces of older runs from the folder"},
    ROW(DIAG_NOC_ARCH) = {"noc-arch-unknown", "NoC traces of a chip whose NoC is unknown",
        "its NoC columns are empty; 'ttprof arch' lists the known chips"},
    // clang-format on
};
_Static_assert(ANALYSE_DIAGS_END <= 128, "its range of ids is full");

const struct diag_table analyse_diags = {DIAG_NEGATIVE_DURATION,
                                         sizeof texts / sizeof *texts, texts};

static const struct diag_text *text_of(int kind)
{
    static const struct diag_table *const tables[] = {&trace_diags, &formats_diags,
                                                      &collect_diags, &analyse_diags};
    static const struct diag_text none;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (kind >= tables[i]->first && kind < tables[i]->first + tables[i]->n)
            return &tables[i]->texts[kind - tables[i]->first];
    return &none;
}

const char *diag_name(int kind)
{
    return text_of(kind)->name;
}
const char *diag_what(int kind)
{
    return text_of(kind)->what;
}
const char *diag_remedy(int kind)
{
    return text_of(kind)->remedy;
}
