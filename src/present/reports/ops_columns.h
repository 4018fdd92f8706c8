// ops_columns.h - the columns of an ops report.
//
// The set of columns depends on the data: as many tensors as the ops have, the kernel sizes
// that were recorded, the counters that were read. CSV, JSON and page use the same table.
#ifndef TTP_PRESENT_REPORTS_OPS_COLUMNS_H
#define TTP_PRESENT_REPORTS_OPS_COLUMNS_H

#include "present/reports/ops_csv.h"
#include "table/table.h"

// A row and its parts, looked up once for all of its cells; NULL: no such part.
struct ops_view {
    const struct op_row *row;
    const struct host_op *op;
    const struct device_row *device;
    const struct host_signpost *signpost;
    const struct host_replay *replay; // of a whole trace
    uint32_t record;                  // of the op; TRACE_NONE: none
};
struct ops_view ops_view(const struct op_report *r, const struct op_row *row);

// More about a column.
struct ops_more {
    struct cell (*own)(const struct column *c, const struct row *r); // its own getter
    uint32_t extra; // device column of the same name, which fills it; TRACE_NONE: none
};

// A record key that is also a column name: it fills the cell if nothing else does.
struct ops_fill {
    uint32_t column;
    str cell;
};

struct ops_columns {
    const struct ops_csv *csv;
    const struct op_report *report;
    struct arena arena;
    VEC(struct column) v;
    VEC(struct ops_more) more; // by column
    struct map sizes;          // names of kernel sizes, as in records
    VEC(struct ops_fill) fills;
    uint32_t *first_fill;  // by record, plus the end; NULL: no record has any
    uint32_t *first_child; // by host op: into host->child, plus the end; NULL: none
    struct table table;    // the rows shown; row data: struct ops_view
};

// `c` must not move: its table points into it.
void ops_columns_make(struct ops_columns *c, const struct ops_csv *csv);
void ops_columns_free(struct ops_columns *c);

// --- columns that do not depend on the data (ops_columns.c) ------------------------------
struct ops_list {
    const struct column *v; // a column without a name takes that of its device number
    size_t n;
};
extern const struct ops_list ops_head_columns; // first of all
extern const struct ops_list ops_program_columns, ops_model_columns;
extern const struct ops_list ops_state_columns, ops_net_columns, ops_site_columns,
    ops_depth_columns;

// Getters of the other columns. `arg`: enum device_number
struct cell ops_get_number(const struct column *c, const struct row *r);
struct cell ops_get_id(const struct column *c, const struct row *r);
struct cell ops_get_device(const struct column *c, const struct row *r);
// The trace and the replay session: `at` of struct device_row
struct cell ops_get_replay(const struct column *c, const struct row *r);
// `at`: offset of the list in struct op_record, `arg`: tensor * OPS_TENSOR_COLUMNS + which
enum { OPS_TENSOR_COLUMNS = 7 };
struct cell ops_get_tensor(const struct column *c, const struct row *r);
struct cell ops_get_size(const struct column *c, const struct row *r); // `arg`: in sizes
// `arg`: name of the zones inside the op
struct cell ops_get_child(const struct column *c, const struct row *r);
struct cell ops_get_child_count(const struct column *c, const struct row *r);
struct cell ops_get_child_average(const struct column *c, const struct row *r);
// Always empty: for columns that the device rows fill.
struct cell ops_get_none(const struct column *c, const struct row *r);
// The column's own cell, else that of the device rows, else the record's value of that
// name.
struct cell ops_get_filled(const struct column *c, const struct row *r);

// --- numbers and their states (ops_cells.c) ----------------------------------------------
extern const char *const ops_cell_state_names[STATES];
// The state of a device number in this row.
enum cell_state ops_number_state(const struct op_report *r, const struct op_row *row,
                                 enum device_number number);
// True if all device measurements are missing from this row.
bool ops_row_is_missing(const struct op_row *row);
extern const str ops_replay_code; // OP CODE of a whole replay
// The host op of a row; NULL: none.
const struct host_op *ops_host(const struct op_report *r, const struct op_row *row);
// The device half of a row; NULL: none.
const struct device_row *ops_device(const struct op_report *r, const struct op_row *row);
// A device number as shown; false: the cell is empty.
bool ops_number(const struct op_report *r, const struct op_row *row,
                enum device_number number, int64_t *v);
bool ops_view_number(const struct ops_view *v, enum device_number number, int64_t *out);

#endif
