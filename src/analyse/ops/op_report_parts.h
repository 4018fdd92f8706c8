// op_report_parts.h - internals of op_report: the tables of the join.
#ifndef TTP_ANALYSE_OPS_OP_REPORT_PARTS_H
#define TTP_ANALYSE_OPS_OP_REPORT_PARTS_H

#include "base/data/sort.h"

#include "analyse/ops/op_report.h"

struct device_key {
    int64_t device;
    uint64_t op;
};
struct bad_number { // in a device row; the report's rows do not exist yet
    uint32_t device_row;
    uint8_t number;
    const char *rule;
    int64_t value;
};
struct traced_row { // an execution in a replay
    uint32_t device_rank;
    uint64_t op;
    int64_t session, start;
    struct op_row row;
};
// Device rows of one host op, as the join uses them.
typedef VEC(uint32_t) candidate_list;

struct op_join {
    struct op_report *r;
    const struct host_ops *host;
    struct device_rows *device; // may be NULL
    // device rows by device and op: chains
    struct device_key *keys;
    struct map by_key;
    VEC(uint32_t) first;   // by key
    uint32_t *next;        // by device row
    uint32_t *key_of;      // by host op; MAP_NONE: not measured
    uint32_t *coverage_of; // by device row: index of its device
    uint32_t *clock_of;    // by device row: its device in one attachment
    size_t n_clocks;
    bool *is_taken;              // by device row
    bool *has_sessions;          // by coverage: rows have a replay number
    bool *has_replays;           // by coverage: rows of whole replays
    struct host_replay *replays; // by device, trace, time
    candidate_list candidates;
    VEC(struct traced_row) traced;
    VEC(struct keyed) executions; // a: measured, b: buffer; key: time
    struct map buffers;           // of a device, filled by a process: coverage, process
    struct arena keys_of_buffers;
    VEC(struct bad_number) bad;
};

// op_report_match.c
void op_join_index(struct op_join *j);
// Fills j->candidates, sorted by session and start.
void op_join_find(struct op_join *j, uint32_t host_op);
// The number of replays that the host reported; *times: the first of them.
size_t op_join_replays(const struct op_join *j, int64_t device, int64_t trace,
                       const struct host_replay **first);
// Derives sessions for logs without them.
void op_join_number_sessions(struct op_join *j);
int64_t device_row_start(const struct device_row *row);
void op_join_free(struct op_join *j);

// op_report_rows.c
struct op_row op_row_make(enum op_row_kind kind, enum op_state state, uint64_t time);
void op_join_put(struct op_join *j, struct op_coverage *c, struct op_row row); // c: or NULL
void op_join_add(struct op_join *j, uint32_t host_op);
// `process`: whose programs share the device's buffer.
void op_join_expect(struct op_join *j, struct op_coverage *c, uint32_t process,
                    uint64_t time, bool is_measured);

// op_report_replays.c
void op_join_add_replays(struct op_join *j);

// op_report_rules.c
void op_join_check_rules(struct op_join *j);
void op_join_place_bad(struct op_join *j);

// op_report_latency.c
void op_report_latencies(struct op_report *r, const uint32_t *clock_of, size_t n_clocks);
double op_report_fpu_util(double compute_ns, int64_t kernel_ns);

// op_report_coverage.c
uint32_t op_coverage_at(const struct op_report *r, int64_t device); // TRACE_NONE: none
// Adds a line for each device that ops ran on or that has data.
void op_join_list_devices(struct op_join *j);
void op_join_count_support(struct op_join *j);
void op_join_count_findings(struct op_join *j);

#endif
