// fidelity.h - is the math fidelity of a matmul what its data types need?
#ifndef TTP_ANALYSE_FIDELITY_H
#define TTP_ANALYSE_FIDELITY_H

#include "base/str.h"

enum verdict {
    VERDICT_UNKNOWN,
    VERDICT_NOT_APPLICABLE, // integers
    VERDICT_SUFFICIENT,
    VERDICT_TOO_HIGH,
    VERDICT_TOO_LOW,
};

// Index into a table of verdicts with their advice; fits a byte.
uint8_t fidelity_judge(str in0, str in1, str out, str fidelity);

enum verdict fidelity_verdict(uint8_t judged);
// The advice, NULL when there is none to give. For a data type that is not known the text
// names it, so the types are asked for again.
const char *fidelity_text(uint8_t judged);
// The first data type without a known width, for the text of that case; empty when none.
str fidelity_odd_datatype(str in0, str in1, str out);

#endif
