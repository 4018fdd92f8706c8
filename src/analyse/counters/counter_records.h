// counter_records.h - hardware counter records of a trace: a sample per core and op.
//
// A record is a data marker of BRISC with the id TT_ID_PERF_COUNTER; its metadata hold the
// counter, the cycles it ran and its count.
#ifndef TTP_ANALYSE_COUNTERS_COUNTER_RECORDS_H
#define TTP_ANALYSE_COUNTERS_COUNTER_RECORDS_H

#include "analyse/fold/device_ops.h"

struct counter_record {
    uint64_t value, cycles;
    uint32_t counter; // a number of ttprof/perf_counters.h; larger ones are in `names`
};

// The records of a core under one op, in log order.
struct counter_sample {
    uint32_t op; // index in device_ops
    int32_t x, y;
    size_t record, n_records;
};

struct counter_records {
    struct arena arena;
    struct map names; // by counter
    VEC(struct counter_record) v;
    VEC(struct counter_sample) samples; // by op, then core
    uint64_t n_odd;                     // invalid records, and those of no op
    uint32_t odd_line;                  // log line of the first one
};

void counter_records_read(struct counter_records *r, const struct trace *t,
                          const struct device_ops *ops);
void counter_records_free(struct counter_records *r);

// Parses a record's metadata: `{"counter type":"FPU_COUNTER";"ref cnt":75211;"value":512}`,
// with a name or a number as type. Public for the tests.
bool counter_record_parse(struct counter_records *r, str meta, struct counter_record *out);

#endif
