// sample_report.h - small ops reports, put together in memory: ops of a host, and what was
// measured of them at 1000 MHz.
#ifndef TTP_TESTS_SAMPLE_REPORT_H
#define TTP_TESTS_SAMPLE_REPORT_H

#include "analyse/ops/op_report.h"
#include "test.h"

struct sample_report {
    struct host_ops host;
    struct device_rows device;
    struct op_report report;
    uint64_t time; // of the next message
    struct buf text;
};

void sample_report_start(struct sample_report *s);
void sample_report_free(struct sample_report *s);

// The id of the op with this number on that device.
uint64_t sample_op_id(uint64_t base, int64_t device);
void sample_message(struct sample_report *s, const char *text);
// An op with its record and its zone; hash = base.
void sample_op(struct sample_report *s, int64_t device, uint64_t base);
// 1000 cycles of firmware from `start` on; its kernel begins 50 later and ends 50 earlier.
struct device_row *sample_measured(struct sample_report *s, int64_t device, uint64_t base,
                                   int64_t start);
struct device_row *sample_replayed(struct sample_report *s, int64_t device, uint64_t base,
                                   int64_t trace, int64_t session, int64_t start);
// A whole replay, as the trace profiler measures it.
void sample_whole_replay(struct sample_report *s, int64_t device, uint64_t number,
                         int64_t trace, int64_t session, int64_t start);
void sample_join(struct sample_report *s);

// "base[/session] state" or "trace id/session state" of each row, unmatched ones behind " |
// ", and the coverage lines.
#define ROWS_ARE(s, literal) test_str_is(sample_rows(s), S(literal), __FILE__, __LINE__)
#define COVERAGE_IS(s, literal)                                                            \
    test_str_is(sample_coverage(s), S(literal), __FILE__, __LINE__)
str sample_rows(struct sample_report *s);
str sample_coverage(struct sample_report *s);

#endif
