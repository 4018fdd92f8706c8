// ops_file.h - opens and scans tables of ops (ops_perf_results_*.csv): the only place that
// does, so that all commands accept and skip the same rows.
//
// An invalid row (see base/text/csv.h) is skipped and counted, as is data lost in a damaged
// compressed file. Short rows are counted, too. Only a table without a header is an error.
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

// Index of the column of that name, or -1.
int ops_file_find(const struct ops_file *f, const char *name);
// "a.csv: line 1: missing column 'OP CODE'; remedy". Returns false.
bool ops_file_fail_missing(const struct ops_file *f, const char *name, const char *remedy,
                           struct err *e);

// The line number of an offset.
size_t ops_file_line(const struct ops_file *f, uint64_t at);

// Is this text one of the spellings of a missing value?
bool ops_is_missing(str s);

#endif
