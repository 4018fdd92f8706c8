// device_rows.h - what devices measured, one row per execution of a program: the device
// half of an ops report, from the C++ device report or a device log.
#ifndef TTP_FORMATS_DEVICE_ROWS_DEVICE_ROWS_H
#define TTP_FORMATS_DEVICE_ROWS_DEVICE_ROWS_H

#include "base/data/arena.h"
#include "base/data/vec.h"
#include "base/file/file.h"
#include "base/text/diag.h"
#include "base/text/err.h"

// In the order of the report's columns (device_number_columns); those after DEVICE_REPORTED
// are not columns of it.
enum device_number {
    DEVICE_CORES,
    DEVICE_CORES_AVAILABLE,
    DEVICE_SUB_DEVICE,
    DEVICE_FW_START,
    DEVICE_FW_END,
    DEVICE_LATENCY,    // as in the C++ report; the join computes it if missing
    DEVICE_LATENCY_DM, // BR/NRISC START
    DEVICE_FW,
    DEVICE_KERNEL,
    DEVICE_KERNEL_DM,
    DEVICE_CORE_MIN, // kernel duration per core
    DEVICE_CORE_MAX,
    DEVICE_CORE_AVG,
    DEVICE_FIRST_TO_LAST,
    DEVICE_BRISC,
    DEVICE_NCRISC,
    DEVICE_TRISC0,
    DEVICE_TRISC1,
    DEVICE_TRISC2,
    DEVICE_ERISC,
    DEVICE_CB_WAIT,
    DEVICE_CB_RESERVE,
    DEVICE_DISPATCH_TOTAL,
    DEVICE_DISPATCH_GO,
    DEVICE_REPORTED,
    DEVICE_KERNEL_START = DEVICE_REPORTED, // cycles
    DEVICE_KERNEL_END,
    DEVICE_DM_START,
    DEVICE_DM_END,
    DEVICE_PROFILER_NS, // the profiler's own time between the previous row and this one
    DEVICE_NUMBERS,
};
extern const char *const device_number_columns[DEVICE_NUMBERS]; // names in reports

#define DEVICE_NONE  INT64_MIN // not a number
#define DEVICE_NO_ID INT64_MIN // no trace, no session, no device

// State of a number.
enum cell_state {
    STATE_OK,
    STATE_EMPTY,    // nothing to measure
    STATE_MISSING,  // expected but missing
    STATE_REPAIRED, // an end was missing or moved; the number is what is left
    STATE_BAD,      // violates a rule (end before start, negative, beyond the span): empty
    STATES,
};

struct device_row {
    int64_t device;
    uint64_t op;            // run host id
    int64_t trace, session; // DEVICE_NO_ID
    uint32_t attachment;    // number of the attachment among all of the rows, from 0
    int64_t more_programs;  // added to the number in `op`, to make it unique
    int64_t mhz;            // its device's clock; 0: that of all rows
    int64_t v[DEVICE_NUMBERS];
    uint8_t state[DEVICE_NUMBERS]; // enum cell_state
    uint64_t line;                 // in the file
    bool is_incomplete;            // firmware did not end on every core
    // A whole replay of a trace: `op` numbers the replays of this device from 1, shifted by
    // 10 like the number of a program. It is not the id of an op.
    bool is_replay;
};

// A column that not every report has: performance counters, other generations. Cells are
// printed texts; p NULL: empty.
struct device_extra {
    str name;
    str *cell; // by row
};

struct device_rows {
    struct arena a;
    VEC(struct device_row) v;
    VEC(struct device_extra) extra; // in column order
    str arch;                       // of all devices; in the C++ report by row
    VEC(str) arch_of;               // by row; empty: no row has one
    int64_t mhz;                    // 0: unknown
    int64_t workers;                // compute cores of a device; 0: unknown
    bool is_cpp;                    // from the C++ report
    bool has_traces; // rows have trace and session; otherwise repetitions are counted
    bool is_quasar;
    VEC(uint32_t) op_of;  // by row, from a log: index in device_ops; else empty
    VEC(int64_t) devices; // ids in order of first appearance, including those without ops
    uint64_t n_dropped_markers; // missing, according to the log itself
    uint64_t n_dispatch_alone;  // programs known to dispatch cores that no core ran
    uint64_t n_sub_conflicts;   // rows with two sub-devices; the later one wins
};

static inline int64_t device_row_mhz(const struct device_rows *r,
                                     const struct device_row *row)
{
    return row->mhz > 0 ? row->mhz : r->mhz;
}

// Reads cpp_device_perf_report.csv. Columns are found by name, unknown ones are kept if a
// report may have them (`extra`); later rows of the same key win. Damaged cells are counted
// and left empty. False if the file cannot be opened or is not such a report: `r` is empty
// then.
bool device_rows_read(struct device_rows *r, const char *path, struct diag *d,
                      struct err *e);
// The same for a text in memory, which may be freed afterwards.
bool device_rows_read_text(struct device_rows *r, str text, const char *path,
                           struct diag *d, struct err *e);
void device_rows_free(struct device_rows *r);

#endif
