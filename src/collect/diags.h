// diags.h - kinds of invalid data in src/collect/: in read-out and decoding.
#ifndef TTP_COLLECT_DIAGS_H
#define TTP_COLLECT_DIAGS_H

#include "base/text/diag.h"

enum collect_diag {
    DIAG_L1_DROPPED = 56,
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
    DIAG_READOUT_MISSING,
    DIAG_NOT_SYNCED,
    DIAG_EVENT_TOO_LARGE,
    COLLECT_DIAGS_END, // at most 72
};

extern const struct diag_table collect_diags;

#endif
