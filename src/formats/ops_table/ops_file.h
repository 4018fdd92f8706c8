// ops_file.h - a table of ops (ops_perf_results_*.csv) as a file: the one place where such
// tables are opened and scanned, so that every command takes and leaves out the same rows.
//
// A row that cannot be taken (more cells than the header, bytes that are not UTF-8, a quote
// that never closes, a cell of over 16 MB) is left out and counted, as is what a damaged
// compressed file has lost. Only a table without a header is an error.
#ifndef TTP_FORMATS_OPS_TABLE_OPS_FILE_H
#define TTP_FORMATS_OPS_TABLE_OPS_FILE_H

#include "base/file/file.h"
#include "base/text/csv.h"
#include "base/text/diag.h"

struct ops_file {
    const char *path; // for messages
    struct file file;
    struct csv_header header;
};

// Names of columns go into the arena. On false there is only the file to close.
bool ops_file_open(struct ops_file *f, const char *path, struct arena *a, struct diag *d,
                   struct err *e);
void ops_file_close(struct ops_file *f);

// Hands the rows over; `from` and `n_slots` are those of a csv_plan.
void ops_file_scan(const struct ops_file *f, const int *from, size_t n_slots,
                   csv_take_fn *take, void *context, struct diag *d);

// The line of an offset.
size_t ops_file_line(const struct ops_file *f, uint64_t at);

// Is this text one of the ways to write that there is no value?
bool ops_is_missing(str s);

#endif
