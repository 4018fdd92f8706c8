// host_ops.h - the host's half of an ops report: which ops a program requested, their
// records, host times; signposts, traces and their replays.
//
// Fed with messages and zones from the exported tables (tracy_csv.h) or from a run folder
// (host_run.h). Invalid input is never fatal.
#ifndef TTP_ANALYSE_HOST_HOST_OPS_H
#define TTP_ANALYSE_HOST_HOST_OPS_H

#include "base/data/map.h"
#include "base/data/vec.h"
#include "base/text/diag.h"
#include "base/text/err.h"

#include "formats/device_rows/device_rows.h"
#include "formats/ops_table/op_record.h"
#include "trace/trace.h"

enum {
    HOST_OP_IS_DEVICE = 1,    // runs on a device: measurements are expected
    HOST_OP_CUT = 2,          // truncated record; what precedes the cut is used
    HOST_OP_NO_RECORD = 4,    // repeats an op that was never described
    HOST_OP_NO_MESSAGE = 8,   // known only from a zone
    HOST_OP_NO_ZONE = 16,     // no host times
    HOST_OP_AGAIN = 32,       // the id was used before: the later record wins
    HOST_OP_UNKNOWN_TYPE = 64 // unknown op type
};

struct host_op {
    uint64_t id;
    int64_t device;  // DEVICE_NO_ID: none
    uint32_t record; // index; TRACE_NONE: none
    uint32_t flags;
    uint32_t process; // in the run; 0 for tables
    uint32_t depth;   // number of op zones around it
    str code, type;   // cells
    uint64_t hash;
    bool has_hash, has_hit, is_hit;
    int64_t trace;         // that captured it; DEVICE_NO_ID: none
    uint64_t message_time; // ns since the capture's start
    uint64_t start, duration;
};
struct host_signpost {
    uint64_t time;
    str header, text; // cells; text p NULL: none
};
struct host_replay {
    int64_t device, trace;
    uint64_t time;
    uint32_t attachment; // see struct device_row; 0 for tables without a run
};
struct host_child {    // time in zones of that name inside an op
    uint32_t op, name; // name: index in `children`
    uint64_t count, total;
};

struct host_ops {
    struct arena a;
    VEC(struct op_record) records;
    VEC(struct host_op) ops; // by message; those with only a zone last
    VEC(struct host_signpost) signposts;
    VEC(struct host_replay) replays; // by time
    struct map children;             // names, sorted by host_ops_finish
    VEC(struct host_child) child;    // by op, then name
    uint64_t n_zones_alone;          // children of unknown ops, op zones without an id
    struct diag diag;
    struct host_ops_inner *inner;
};

void host_ops_start(struct host_ops *h);
void host_ops_message(struct host_ops *h, uint32_t process, uint64_t time, str text,
                      bool is_cut);
// parent: special_parent_text
void host_ops_zone(struct host_ops *h, uint32_t process, str name, str text, str parent,
                   uint64_t start, uint64_t duration, uint32_t depth);
void host_ops_finish(struct host_ops *h);
void host_ops_free(struct host_ops *h);

// Reads tracy_ops_times.csv and tracy_ops_data.csv; NULL for a missing one is not an error.
// If one cannot be read, the other still is.
bool host_ops_read_tables(struct host_ops *h, const char *times, const char *data,
                          struct err *e);
// children: names of zones whose time is summed, comma-separated.
void host_ops_read_run(struct host_ops *h, const struct trace *r, const char *children);

#endif
