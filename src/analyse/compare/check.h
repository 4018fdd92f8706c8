// check.h - device performance checks: durations summed over tables of ops, samples per
// second, and whether they meet expectations.
#ifndef TTP_ANALYSE_COMPARE_CHECK_H
#define TTP_ANALYSE_COMPARE_CHECK_H

#include "base/data/map.h"

#include "analyse/notes.h"
#include "formats/ops_table/ops_sheet.h"

enum { CHECK_COLUMNS_MOST = 16 };

struct check_options {
    // "DEVICE KERNEL" for the column "DEVICE KERNEL DURATION [ns]"; none: the three that
    // model tests use, if present.
    const char *columns[CHECK_COLUMNS_MOST];
    size_t n_columns;
    const char *op;     // NULL: all ops
    bool has_signposts; // only rows between the first `start` and the first `stop`
    int64_t warmup;     // rows to skip
    bool is_detailed;   // over rows, not over tables
    bool is_per_op;     // detailed, for each op
    int64_t batch;
};

struct check_metric {
    str name;
    double value;
    double lower, upper; // NaN: no expectation
    bool is_outside;
};

struct check {
    struct arena arena;
    VEC(struct check_metric) metrics; // in report file order
    struct notes notes;
    struct diag diag;
};

// Each table is one iteration. On false, only check_free may be called.
bool check_tables(struct check *c, const char *const *paths, size_t n,
                  const struct check_options *options, struct err *e);
void check_free(struct check *c);

double check_samples_per_s(double ns, int64_t batch);
// Expects the metric within the margin; false: no such metric.
bool check_expect(struct check *c, str name, double expected, double margin);
// Compares with `Lower Threshold` and `Upper Threshold`.
bool check_is_outside(double value, double lower, double upper);

// --- report files of models ---

struct check_finding {
    str text;
    bool is_failure;
};
struct check_merge {
    struct arena arena;
    VEC(str) columns; // of all files, in order of first appearance
    VEC(str) cells;   // row after row; an absent cell is empty
    size_t n_rows;
    VEC(struct check_finding) findings;
};
// Reads the two lines of each file; checks every value that has thresholds.
bool check_merge_read(struct check_merge *m, const char *const *paths, size_t n,
                      struct err *e);
void check_merge_judge(struct check_merge *m);
void check_merge_free(struct check_merge *m);

// --- end to end ---

enum check_verdict { CHECK_PASS, CHECK_REGRESSION, CHECK_BASELINE };
#define CHECK_TIME_LEAST 0.80 // of the expected time; below: a new baseline is due
#define CHECK_TIME_MOST  1.0
enum check_verdict check_time(double measured, double expected);

#endif
