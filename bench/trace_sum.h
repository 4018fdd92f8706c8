// trace_sum.h - one number over a trace: nobody can leave work out without changing it.
#ifndef TTP_BENCH_TRACE_SUM_H
#define TTP_BENCH_TRACE_SUM_H

#include "trace/trace.h"

static inline uint64_t trace_sum(const struct trace *t)
{
    uint64_t sum = 0;
    for (size_t k = 0; k < t->tracks.n; k++)
        for (uint32_t i = 0; i < t->tracks.v[k].n_markers; i++) {
            size_t m = t->tracks.v[k].marker + i;
            sum = sum * 31 + t->markers.time[m] + t->markers.line[m];
            sum += (uint64_t)t->markers.site[m] << 32 | t->markers.run[m];
        }
    return sum;
}

#endif
