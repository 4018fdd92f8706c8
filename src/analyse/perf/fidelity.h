// fidelity.h - does a matmul use the math fidelity that its data types need?
#ifndef TTP_ANALYSE_PERF_FIDELITY_H
#define TTP_ANALYSE_PERF_FIDELITY_H

#include "analyse/perf/facts.h"

enum verdict {
    VERDICT_UNKNOWN,
    VERDICT_NOT_APPLICABLE, // integers
    VERDICT_SUFFICIENT,
    VERDICT_TOO_HIGH,
    VERDICT_TOO_LOW,
};

// Index into a table of verdicts with their advice; fits a byte.
uint8_t fidelity_judge(const struct datatype_fact *in0, const struct datatype_fact *in1,
                       const struct datatype_fact *out,
                       const struct fidelity_fact *fidelity);

enum verdict fidelity_verdict(uint8_t judged);
// The advice, NULL if there is none.
const char *fidelity_text(uint8_t judged);
// Is the verdict unknown because of a data type?
bool fidelity_is_odd_datatype(uint8_t judged);

#endif
