// op_report.h - the ops report: host ops joined with their measurements by id.
//
// The join is outer on the host's side: every op that the program requested has a row.
// Measurements without a host op are counted and kept separate. Each row has a state that
// says what is missing and why.
#ifndef TTP_ANALYSE_OPS_OP_REPORT_H
#define TTP_ANALYSE_OPS_OP_REPORT_H

#include "analyse/host/host_ops.h"

enum op_row_kind {
    OP_ROW_OP,
    OP_ROW_REPLAY, // of a whole trace, if the device recorded nothing else
    OP_ROW_SIGNPOST,
    OP_ROW_UNMATCHED
};

enum op_state {
    OP_OK,             // measured
    OP_HOST_ONLY,      // runs on the host: nothing to measure
    OP_CAPTURE,        // captured in a trace; its replays have their own rows
    OP_NEVER_REPLAYED, // captured in a trace that never ran
    OP_NOT_RECORDED,   // the device recorded whole replays only
    OP_NOT_MEASURED,   // the device has data of other ops only
    OP_DEVICE_MISSING, // no data of its device at all
    OP_NO_DEVICE_DATA, // no device data given
    OP_REPLAY_UNKNOWN, // a replay that the host did not report
    OP_DUPLICATE,      // several measurements instead of one
    OP_INCOMPLETE,     // markers are missing: numbers are partial
    OP_NO_HOST,        // measured, but no host op has this id
    OP_SIGNPOST,
    OP_STATES,
};
extern const char *const op_state_names[OP_STATES];   // "ok", "host only", ...
extern const char *const op_state_reasons[OP_STATES]; // a sentence for users

struct op_row {
    uint8_t kind, state;
    uint32_t host;   // index in the host's ops, replays or signposts; TRACE_NONE: none
    uint32_t device; // index in device rows; TRACE_NONE: none
    uint64_t time;   // its position
    int64_t latency, latency_dm; // ns, DEVICE_NONE: none
    // STATE_MISSING with a latency of 0: unknown, printed as 0 like in tt-metal's report.
    uint8_t latency_state, latency_dm_state;
    int64_t latency_net; // without the profiler's own time; DEVICE_NONE: unknown
    double fpu_util;     // PM FPU UTIL (%); NaN: none
};

// One line per device at the end of the report.
struct op_coverage {
    int64_t device;
    uint64_t expected; // executions requested by the host, including replays
    uint64_t measured;
    uint64_t unmatched;           // device rows without a host op
    uint64_t again;               // host ops with a repeated id
    uint64_t duplicates;          // measurements beyond the expected one
    uint64_t incomplete;          // measurements with markers missing
    uint64_t by_state[OP_STATES]; // rows
    uint64_t support_count;       // needed between two read-outs; 0: it was enough
    bool has_data;                // any data of this device were read
};

struct op_bad_cell { // emptied because it violates a rule
    uint32_t row;    // index in rows
    uint8_t number;  // enum device_number
    const char *rule;
    int64_t value;
};

struct op_report {
    const struct host_ops *host;      // NULL: only device rows
    struct device_rows *device;       // NULL: nothing was measured
    VEC(struct op_row) rows;          // in report order; unmatched ones last
    size_t n_rows;                    // without the unmatched ones
    VEC(struct op_coverage) coverage; // by device id
    VEC(struct op_bad_cell) bad;
    struct diag diag;
};

// `device` may be NULL: nothing was measured.
void op_report_join(struct op_report *r, const struct host_ops *host,
                    struct device_rows *device);
// Only device rows, sorted by device and time.
void op_report_device_only(struct op_report *r, struct device_rows *device);
void op_report_free(struct op_report *r);
// "device 3: expected 346848, measured 63104, 18.2 %; raise the program support count to
// 5500", one line per device.
void op_report_coverage_text(const struct op_report *r, struct buf *b);

#endif
