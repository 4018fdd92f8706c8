// device_log.h - reads profile_log_device.csv of every version into a trace.
//
// Line 1 describes the chip, line 2 the columns, every other line is a marker:
// comma-separated cells, never quoted. Columns are found by name, so that all versions
// since 2023 read alike. The text is split into ranges at line ends, each lane reads its
// own range, and the results are merged in range order: the trace does not depend on the
// number of lanes.
#ifndef TTP_FORMATS_DEVICE_LOG_DEVICE_LOG_H
#define TTP_FORMATS_DEVICE_LOG_DEVICE_LOG_H

#include "trace/trace.h"

enum log_field {
    LOG_CHIP,
    LOG_X,
    LOG_Y,
    LOG_RISC,
    LOG_TIMER_ID,
    LOG_TIME,
    LOG_NEEDED, // fields before this are in every log
    LOG_DATA = LOG_NEEDED,
    LOG_RUN,
    LOG_TRACE,
    LOG_COUNTER,
    LOG_NAME,
    LOG_TYPE,
    LOG_LINE,
    LOG_FILE,
    LOG_META,
    LOG_FIELDS,
};

enum { RUN_COLUMNS_MOST = 3 };

struct log_head {
    int column[LOG_FIELDS]; // -1: not in the log
    size_t n_columns;
    size_t body;        // offset of the first row
    uint32_t body_line; // its line, from 1
    bool is_named;      // the first six columns are named
    bool is_plain;      // columns in the order of all logs since 2024: the fast path
    int n_run;          // plain: columns between data and zone name
    bool has_phases;    // begin/end/sum, and timer ids with the phase in the upper bits
};

// Opens and reads a log. On false the trace can only be freed; e says what and where.
bool device_log_read(struct trace *t, const char *path, struct err *e);

// One of several logs, each written by one attachment to devices. Program and trace numbers
// start again in every process: what is added makes them unique in the trace.
struct log_part {
    const char *path; // outlives the trace
    uint32_t pid, attachment;
    int64_t more_programs, more_traces;
};
// Reads several logs into one trace. A chip is another device in every log.
bool device_logs_read(struct trace *t, const struct log_part *parts, size_t n,
                      struct err *e);
// The run id of a program after adding to its number; 0 stays no program.
int64_t log_more_programs(int64_t run_id, int64_t more);

// The same for a text in memory, which must outlive the trace.
bool device_log_read_text(struct trace *t, str text, const char *path, struct err *e);

// Parts, for tests and for each other.
bool log_fail(struct err *e); // not a device log
bool log_head_parse(str text, struct trace *t, struct log_head *h, struct err *e);

#endif
