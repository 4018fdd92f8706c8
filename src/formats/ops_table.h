// ops_table.h - the table of ops that tt-metal writes (ops_perf_results_*.csv): one row per
// op and device, with signposts and host ops between them. Every header variant is read;
// several files, one per host, become one table.
//
// Cells stay where they are in the mapped files. The table knows for each column whether it
// is there and what type all its cells have together, because outputs depend on that.
#ifndef TTP_FORMATS_OPS_TABLE_H
#define TTP_FORMATS_OPS_TABLE_H

#include "base/csv.h"
#include "base/diag.h"
#include "base/file.h"

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
    OPS_IN0_W, // W, Z, Y, X stand in this order for each of the three tensors
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

struct ops_file {
    const char *path;
    struct file file;
    size_t first_row;
    int64_t max_device; // -1: no device id at all
};

struct ops_table {
    struct arena arena; // decoded cells
    struct ops_file *files;
    size_t n_files;
    size_t n_rows;
    enum ops_version version;
    enum ops_type type[OPS_COLUMNS];
    csv_cell *cell[OPS_COLUMNS]; // NULL when no file has the column
    int32_t *device;             // of each row, counted through all files; OPS_NO_DEVICE
};

#define OPS_NO_DEVICE (-1)

enum ops_load { OPS_LOADED, OPS_FAILED, OPS_DEVICES_DIFFER, OPS_NO_DEVICE_COLUMN };

// Reads and checks the files. Not OPS_LOADED: e->text says why; the two last are the ones
// the reference prints on standard output. In any case the table must be freed.
enum ops_load ops_table_load(const char *const *paths, size_t n_paths, struct ops_table *t,
                             struct diag *d, struct err *e);
void ops_table_free(struct ops_table *t);

// The decoded text of a cell; false when it is missing (empty, `nan`, `N/A` ...). Where
// quotes must be undone the text is put in the arena: lanes that read the same table at once
// bring their own.
bool ops_text_in(const struct ops_table *t, enum ops_column c, size_t row, struct arena *a,
                 str *out);
bool ops_text(struct ops_table *t, enum ops_column c, size_t row, str *out); // the table's
// As a number. A cell that is none is counted in `d` and counts as missing.
bool ops_real(struct ops_table *t, enum ops_column c, size_t row, struct diag *d, double *out);
// A tensor dimension: a number, cut to an integer, or the padded size of `P[L]`.
bool ops_dimension(struct ops_table *t, enum ops_column c, size_t row, int64_t *out);

const char *ops_column_name(enum ops_column c);
// "a.csv: line 12: column 'CORE COUNT'", for findings.
str ops_place(struct ops_table *t, enum ops_column c, size_t row);

// Is this text one of the ways to write that there is no value?
bool ops_is_missing(str s);

#endif
