// op_report.h - the ops report: host ops and what was measured of them, joined by id.
//
// The join is outer on the host's side: every op that the program asked for has a row. What
// was measured without a host op is counted, and kept apart. Each row has a state that says
// what is missing and why.
#ifndef TTP_ANALYSE_OPS_OP_REPORT_H
#define TTP_ANALYSE_OPS_OP_REPORT_H

#include "analyse/host/host_ops.h"

enum op_row_kind { OP_ROW_OP, OP_ROW_SIGNPOST, OP_ROW_UNMATCHED };

enum op_state {
    OP_OK,             // measured
    OP_HOST_ONLY,      // runs on the host: nothing to be measured
    OP_CAPTURE,        // recorded into a trace; its replays are rows of their own
    OP_NEVER_REPLAYED, // recorded into a trace that never ran
    OP_NOT_MEASURED,   // the device has data of other ops, not of this one
    OP_DEVICE_MISSING, // no data of its device at all
    OP_NO_DEVICE_DATA, // no device data were given
    OP_REPLAY_UNKNOWN, // a replay that the host did not tell of
    OP_DUPLICATE,      // several measurements where one was expected
    OP_INCOMPLETE,     // markers are missing: numbers are what is left
    OP_NO_HOST,        // measured, but no host op has this id
    OP_SIGNPOST,
    OP_STATES,
};
extern const char *const op_state_names[OP_STATES];   // "ok", "host only", ...
extern const char *const op_state_reasons[OP_STATES]; // a sentence for people

struct op_row {
    uint8_t kind, state;
    uint32_t host;               // index in host ops or signposts; TRACE_NONE: none
    uint32_t device;             // index in device rows; TRACE_NONE: none
    uint64_t time;               // its place
    int64_t latency, latency_dm; // ns, DEVICE_NONE: none
    // STATE_MISSING with a latency of 0: nothing to tell it from, the reference prints 0.
    uint8_t latency_state, latency_dm_state;
    int64_t latency_net; // without the profiler's own time; DEVICE_NONE: not known
    double fpu_util;     // PM FPU UTIL (%); NaN: none
};

// One line per device at the end of the report.
struct op_coverage {
    int64_t device;
    uint64_t expected; // executions that the host asked for, replays counted
    uint64_t measured;
    uint64_t unmatched;           // device rows without a host op
    uint64_t again;               // host ops whose id was used before
    uint64_t duplicates;          // measurements beyond the one that was expected
    uint64_t incomplete;          // measurements with markers missing
    uint64_t by_state[OP_STATES]; // rows
    uint64_t support_count; // that would have been needed between two reads; 0: enough
    bool has_data;          // something was read of this device
};

struct op_bad_cell { // left empty because it broke a rule
    uint32_t row;    // index in rows
    uint8_t number;  // enum device_number
    const char *rule;
    int64_t value;
};

struct op_report {
    const struct host_ops *host;      // NULL: device rows alone
    struct device_rows *device;       // NULL: nothing was measured
    VEC(struct op_row) rows;          // in the order of the report; unmatched ones behind
    size_t n_rows;                    // without the unmatched ones
    VEC(struct op_coverage) coverage; // by device id
    VEC(struct op_bad_cell) bad;
    struct diag diag;
};

// `device` may be NULL: nothing was measured.
void op_report_join(struct op_report *r, const struct host_ops *host,
                    struct device_rows *device);
// Device rows alone, device by device in order of time.
void op_report_device_only(struct op_report *r, struct device_rows *device);
void op_report_free(struct op_report *r);
// "device 3: expected 346848, measured 63104, 18.2 %; raise the program support count to
// 5500", a line per device.
void op_report_coverage_text(const struct op_report *r, struct buf *b);

#endif
