// advice.h - what to try next, per op.
#ifndef TTP_ANALYSE_PERF_ADVICE_H
#define TTP_ANALYSE_PERF_ADVICE_H

#include "analyse/perf/perf.h"

enum { ADVICE_MOST = 8 };

// A gap above this (in us) gets advice and is shown in red.
#define ADVICE_HIGH_GAP 6.5

// Returns the advice for a matmul, in order; nothing for any other op.
size_t advice_for(const struct perf *p, const struct op *o, struct arena *a,
                  str out[ADVICE_MOST]);

bool op_has_high_gap(const struct op *o);

#endif
