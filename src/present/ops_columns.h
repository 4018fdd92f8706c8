// ops_columns.h - the columns of an ops report, and the cell of a row in each.
//
// Which columns there are depends on the data: as many tensors as the ops have, the sizes
// of kernels that were told, counters that were read. CSV, JSON and page walk the same
// list.
#ifndef TTP_PRESENT_OPS_COLUMNS_H
#define TTP_PRESENT_OPS_COLUMNS_H

#include "present/ops_csv.h"
#include "present/table.h"

// What gives the cells of a column.
enum ops_source {
    OPS_CODE,
    OPS_TYPE,
    OPS_ID,
    OPS_DEVICE,
    OPS_ARCH,
    OPS_HOST_START,
    OPS_HOST_END,
    OPS_HOST_DURATION,
    OPS_NUMBER, // index: enum device_number
    OPS_TRACE,
    OPS_SESSION,
    OPS_HASH,
    OPS_HIT,
    OPS_FPU_UTIL,
    OPS_EXTRA, // only a column of the device rows, see `extra`
    OPS_CHILD, // index: name of the zones
    OPS_ROW_STATE,
    OPS_CELL_STATES,
    OPS_NET,
    OPS_DEPTH,
    OPS_CHILD_COUNT,
    OPS_CHILD_AVERAGE,
    // What the op's record says: the same for all ops that share it.
    OPS_RECORD_TEXT, // index: offset in struct op_record
    OPS_INPUT,       // index: tensor * OPS_TENSOR_COLUMNS + which
    OPS_OUTPUT,
    OPS_SIZE, // index: name of the kernel size
};
enum { OPS_TENSOR_COLUMNS = 7 };

struct ops_column {
    str name;
    enum ops_source source;
    uint32_t index;
    uint32_t extra; // device column of the same name, which fills it; HOST_NONE: none
    enum cell_kind type;
    enum unit unit;
    bool is_main;  // shown by the page at once; the others on demand
    bool has_more; // `extra`, or a key of some record, may fill it
};

// A key of a record that is the name of a column: it fills the cell where nothing else
// does.
struct ops_fill {
    uint32_t column;
    str cell;
};

struct ops_columns {
    const struct ops_csv *csv;
    const struct op_report *report;
    struct arena arena;
    VEC(struct ops_column) v;
    struct map sizes; // names of kernel sizes, as in records
    VEC(struct ops_fill) fills;
    uint32_t *first_fill;  // by record; one more at the end. NULL: no record has any
    uint32_t *first_child; // by host op: in host->child; one more at the end. NULL: none
};

void ops_columns_make(struct ops_columns *c, const struct ops_csv *csv);
void ops_columns_free(struct ops_columns *c);
// Rows that are shown: the unmatched ones stand behind the others.
size_t ops_columns_rows(const struct ops_columns *c);

// A row and its parts, looked up once for all of its cells; NULL: it has no such part.
struct ops_view {
    const struct op_row *row;
    const struct host_op *op;
    const struct device_row *device;
    const struct host_signpost *signpost;
    uint32_t record; // of the op; HOST_NONE: it has none
};
struct ops_view ops_view(const struct op_report *r, const struct op_row *row);
// Texts may live in the scratch.
struct cell ops_cell(const struct ops_columns *c, const struct ops_view *view,
                     size_t column, struct arena *scratch);
// Is its cell the same for all ops that share a record?
static inline bool ops_column_is_shared(const struct ops_column *c)
{
    return c->source >= OPS_RECORD_TEXT && c->extra == HOST_NONE;
}

// --- states ------------------------------------------------------------------------------
extern const char *const ops_cell_state_names[STATES];
// What became of a device's number in this row.
enum cell_state ops_number_state(const struct op_report *r, const struct op_row *row,
                                 enum device_number number);
// Is everything that a device measures missing from this row?
bool ops_row_is_missing(const struct op_row *row);
// The host op of a row; NULL: it is none.
const struct host_op *ops_host(const struct op_report *r, const struct op_row *row);
// The device's half of a row; NULL: it has none.
const struct device_row *ops_device(const struct op_report *r, const struct op_row *row);
// A number of the device as it is shown; false: the cell is empty.
bool ops_number(const struct op_report *r, const struct op_row *row,
                enum device_number number, int64_t *v);

#endif
