// ops_file.h - opens and scans tables of ops (ops_perf_results_*.csv): the only place that
// does, so that all commands accept and skip the same rows.
//
// An invalid row (more cells than the header, bytes that are not UTF-8, an unclosed quote,
// a cell of over 16 MB) is skipped and counted, as is data lost in a damaged compressed
// file. Only a table without a header is an error.
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

// Column names go into the arena. On false, only the file must be closed.
bool ops_file_open(struct ops_file *f, const char *path, struct arena *a, struct diag *d,
                   struct err *e);
void ops_file_close(struct ops_file *f);

// Passes the rows on; `from` and `n_slots` are those of a csv_plan.
void ops_file_scan(const struct ops_file *f, const int *from, size_t n_slots,
                   csv_take_fn *take, void *context, struct diag *d);

// The line number of an offset.
size_t ops_file_line(const struct ops_file *f, uint64_t at);

// Is this text one of the spellings of a missing value?
bool ops_is_missing(str s);

#endif
