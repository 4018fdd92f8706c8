// diags.c - kinds of invalid data in src/collect/: what they mean and what to do.
#include "collect/diags.h"

#define ROW(kind) [(kind)-DIAG_L1_DROPPED]
static const struct diag_text texts[] = {
    // clang-format off
    ROW(DIAG_L1_DROPPED) = {"dropped-in-l1", "markers that did not fit in the L1 buffer of their RISC",
        "they are lost; record fewer zones per program, or set TTPROF_OVERFLOW=stall"},
    ROW(DIAG_DRAM_DROPPED) = {"dropped-in-dram", "recorded markers that did not fit in DRAM",
        "they are lost; read the device profiler more often, profile fewer ops, or raise TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT"},
    ROW(DIAG_ZONE_UNKNOWN) = {"zone-unknown", "markers with an unknown location id",
        "they are kept without a name; decode them with the zone_ids.csv or zone_src_locations.log of their build"},
    ROW(DIAG_IDENTITY_FOREIGN) = {"identity-foreign", "runs in a buffer that belong to another core or RISC",
        "they are skipped up to the next run of this RISC; a kernel wrote past its buffer, or the dump is mixed up"},
    ROW(DIAG_PACKET_TYPE) = {"packet-type", "words that are not markers",
        "the rest of their run is skipped; a kernel wrote into the profiler's buffer, or the dump is damaged"},
    ROW(DIAG_WORDS_CUT) = {"words-cut", "markers or runs cut off by the end of their buffer",
        "they are skipped; the dump is shorter than its control vector says, or the buffer was full"},
    ROW(DIAG_RUN_PARTIAL) = {"run-partial", "cores that were read before their program had finished",
        "their open zones end at the last marker; check what the cores are waiting for"},
    ROW(DIAG_REPLAY_UNKNOWN) = {"replay-unknown", "runs of trace replays that the host does not know",
        "they have no trace id; record the replays with the device profiler on, or add them to dump.json"},
    ROW(DIAG_COUNTER_UNKNOWN) = {"counter-unknown", "performance counters with an unknown number",
        "they are kept without a name; the dump is damaged, or newer than this program"},
    ROW(DIAG_STALLED) = {"stalled", "times that a RISC waited for the host to make room",
        "the wait is part of its zones; record less, or read out more often"},
    ROW(DIAG_CORE_UNREADABLE) = {"core-unreadable", "cores whose control vector or buffers could not be read or are invalid",
        "their markers are missing; check the device, or the files of the dump"},
    ROW(DIAG_READOUT_MISSING) = {"readout-missing", "read-outs of a dump that are missing or cannot be read",
        "their markers are missing; copy the whole folder of the dump again"},
    ROW(DIAG_NOT_SYNCED) = {"not-synced", "chips whose clock was not synced with the host",
        "times of different chips cannot be compared; set TT_METAL_PROFILER_SYNC=1"},
    ROW(DIAG_EVENT_TOO_LARGE) = {"event-too-large", "events that were not recorded because their number is above 65535",
        "pass DeviceRecordEvent a number of 16 bits, or use DeviceTimestampedData"},
    // clang-format on
};
_Static_assert(COLLECT_DIAGS_END <= 72, "its range of ids is full");

const struct diag_table collect_diags = {DIAG_L1_DROPPED, sizeof texts / sizeof *texts,
                                         texts};
