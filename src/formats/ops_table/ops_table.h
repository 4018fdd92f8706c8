// ops_table.h - the table of ops that tt-metal writes (ops_perf_results_*.csv): one row per
// op and device, with signposts and host ops between them. Every header variant is read;
// several files, one per host, become one table.
//
// The rows are decoded once, while their text is in the cache, into columns: numbers as
// doubles, sizes as integers, text interned to 32-bit ids. Nothing reads the files again.
#ifndef TTP_FORMATS_OPS_TABLE_OPS_TABLE_H
#define TTP_FORMATS_OPS_TABLE_OPS_TABLE_H

#include <math.h>

#include "base/data/map.h"

#include "formats/ops_table/ops_file.h"

enum ops_column {
    OPS_OP_CODE,
    OPS_OP_TYPE,
    OPS_CALL_COUNT,
    OPS_DEVICE_ID,
    OPS_DEVICE_ARCH,
    OPS_ATTRIBUTES,
    OPS_FIDELITY,
    OPS_CORE_COUNT,
    OPS_WORKER_CORES,
    OPS_HOST_START,
    OPS_GAP,
    OPS_DURATION,
    OPS_IN0_W, // W, Z, Y, X are in this order for each of the three tensors
    OPS_IN0_Z,
    OPS_IN0_Y,
    OPS_IN0_X,
    OPS_IN1_W,
    OPS_IN1_Z,
    OPS_IN1_Y,
    OPS_IN1_X,
    OPS_OUT0_W,
    OPS_OUT0_Z,
    OPS_OUT0_Y,
    OPS_OUT0_X,
    OPS_IN0_DATATYPE,
    OPS_IN1_DATATYPE,
    OPS_OUT0_DATATYPE,
    OPS_IN0_MEMORY,
    OPS_IN1_MEMORY,
    OPS_OUT0_MEMORY,
    OPS_COLUMNS,
};

// v1: INPUT_0_W; v2: INPUT_0_W_PAD[LOGICAL]; v2.1: also arch and worker cores.
enum ops_version { OPS_V1, OPS_V2, OPS_V2_1 };

enum ops_type { OPS_ABSENT, OPS_INTEGER, OPS_FLOAT, OPS_TEXT };

struct ops_host { // from one file
    size_t first_row;
    int64_t max_device; // -1: no device id
};

#define OPS_NO_DEVICE (-1)
#define OPS_NO_SIZE   INT32_MIN
#define OPS_NO_TEXT   0 // the id of a missing text

// One column, in the form of its kind; the pointers of the other kinds are NULL.
struct ops_values {
    enum ops_type type;
    double *number; // NaN: missing
    int64_t *exact; // HOST START TS also as an integer: a double may not hold it
    int32_t *size;  // OPS_NO_SIZE: missing
    uint32_t *text; // OPS_NO_TEXT: missing
};

struct ops_table {
    struct arena arena;
    struct ops_file *files;
    struct ops_host *hosts; // by file
    size_t n_files;
    size_t n_rows, cap;
    enum ops_version version;
    struct ops_values column[OPS_COLUMNS];
    uint64_t *at;       // offset of each row in its file
    int32_t *device;    // of each row, numbered over all files; OPS_NO_DEVICE
    struct map strings; // ids to texts; 0 is the missing one
};

enum ops_load { OPS_LOADED, OPS_FAILED, OPS_DEVICES_DIFFER, OPS_NO_DEVICE_COLUMN };

// Reads and checks the files. Not OPS_LOADED: e->text says why; the last two go to stdout,
// like in tt-perf-report. The table must be freed in any case.
enum ops_load ops_table_load(const char *const *paths, size_t n_paths, struct ops_table *t,
                             struct diag *d, struct err *e);
void ops_table_free(struct ops_table *t);

// Cells; false if missing (empty, `nan`, `N/A` ..., or invalid for the column).
static inline bool ops_text(const struct ops_table *t, enum ops_column c, size_t row,
                            str *out)
{
    uint32_t id = t->column[c].text ? t->column[c].text[row] : OPS_NO_TEXT;
    *out = t->strings.keys.v[id];
    return id != OPS_NO_TEXT;
}
// 0 is the missing text; equal ids are equal texts.
static inline uint32_t ops_text_id(const struct ops_table *t, enum ops_column c, size_t row)
{
    return t->column[c].text ? t->column[c].text[row] : OPS_NO_TEXT;
}
static inline bool ops_number(const struct ops_table *t, enum ops_column c, size_t row,
                              double *out)
{
    *out = t->column[c].number ? t->column[c].number[row] : NAN;
    return !isnan(*out);
}
// A tensor dimension: a number truncated to an integer, or the padded size of `P[L]`.
static inline bool ops_size(const struct ops_table *t, enum ops_column c, size_t row,
                            int64_t *out)
{
    *out = t->column[c].size ? t->column[c].size[row] : OPS_NO_SIZE;
    return *out != OPS_NO_SIZE;
}
static inline bool ops_is_absent(const struct ops_table *t, enum ops_column c)
{
    return t->column[c].type == OPS_ABSENT;
}

// The text of a row up to its first line end, for what no column says.
str ops_row_text(const struct ops_table *t, size_t row);
const char *ops_column_name(enum ops_column c);
// "a.csv: line 12: column 'CORE COUNT'", for findings.
str ops_place(struct ops_table *t, enum ops_column c, size_t row);

#endif
