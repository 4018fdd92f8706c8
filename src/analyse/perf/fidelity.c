// fidelity.c - the table of verdicts on math fidelity.
#include "analyse/perf/fidelity.h"

#include "arch/arch.h"

enum judged {
    J_UNKNOWN,
    J_ODD_DATATYPE,
    J_INTEGERS,
    J_GOOD, // sufficient, no advice
    J_F1,
    J_F2,
    J_F3,
    J_F4,
    J_F5,
    J_F6,
    J_F7,
    J_F8,
    J_F9,
    J_F10,
};

static const struct {
    enum verdict verdict;
    const char *text;
} judgements[] = {
    // clang-format off
    [J_UNKNOWN]      = {VERDICT_UNKNOWN, NULL},
    [J_ODD_DATATYPE] = {VERDICT_UNKNOWN, NULL},
    [J_INTEGERS]     = {VERDICT_NOT_APPLICABLE, "Fidelity evaluation is not applicable for integer datatypes (UINT8, UINT16, INT32, UINT32)."},
    [J_GOOD]         = {VERDICT_SUFFICIENT, NULL},
    [J_F1]           = {VERDICT_SUFFICIENT, "HiFi2 may also work, it discards the lowest bit of the activations and has 2x the throughput of HiFi4"},
    [J_F2]           = {VERDICT_TOO_LOW, "If your matmuls are not FLOP-bound use HiFi4 with BF16 activations for full accuracy"},
    [J_F3]           = {VERDICT_TOO_LOW, "Use HiFi2 or HiFi4 with BF16 activations for improved accuracy"},
    [J_F4]           = {VERDICT_TOO_HIGH, "HiFi2 is very likely to work for BFP8 output; it discards the lowest bit of the activations and has 2x the throughput of HiFi4"},
    [J_F5]           = {VERDICT_SUFFICIENT, "LoFi might also be sufficient with BFP4 output and has almost 2x the throughput of HiFi2"},
    [J_F6]           = {VERDICT_TOO_LOW, "HiFi2 may give better accuracy for large matmuls with many intermediate accumulations"},
    [J_F7]           = {VERDICT_TOO_HIGH, "HiFi2 is sufficient for BFP8 multiplication and has 2x the throughput of HiFi4"},
    [J_F8]           = {VERDICT_TOO_LOW, "HiFi2 is recommended for accuracy; LoFi discards the lowest 2 bits of the weights"},
    [J_F9]           = {VERDICT_TOO_LOW, "HiFi2 may give slightly better accuracy for large matmuls with many intermediate accumulations"},
    [J_F10]          = {VERDICT_TOO_HIGH, "LoFi is sufficient with BFP4 weights, use it for much higher throughput"},
    // clang-format on
};

// By the needs of the data types (rows, first match) and the fidelity used.
static const struct {
    int in0, in1; // 0: any
    bool in1_or_more;
    int out_least, out_most;
    uint8_t judged[FIDELITIES];
} rules[] = {
// clang-format off
#define BY(hifi4, hifi2, lofi) {[FIDELITY_HIFI4] = (hifi4), [FIDELITY_HIFI2] = (hifi2), [FIDELITY_LOFI] = (lofi)}
    {8, 0, false, 7, 99, BY(J_F1,  J_F2,   J_F3)},
    {8, 0, false, 3, 3,  BY(J_F4,  J_F5,   J_F6)},
    {0, 7, true,  7, 99, BY(J_F7,  J_GOOD, J_F8)},
    {0, 7, true,  3, 3,  BY(J_F7,  J_F5,   J_F9)},
    {0, 3, false, 0, 99, BY(J_F10, J_F10,  J_GOOD)},
#undef BY
    // clang-format on
};

uint8_t fidelity_judge(const struct datatype_fact *in0, const struct datatype_fact *in1,
                       const struct datatype_fact *out,
                       const struct fidelity_fact *fidelity)
{
    int a = in0->mantissa, b = in1->mantissa, c = out->mantissa;
    if (in0->is_integer || in1->is_integer || out->is_integer)
        return J_INTEGERS;
    if (!a || !b || !c)
        return J_ODD_DATATYPE;
    if (!fidelity->is_valid)
        return J_UNKNOWN;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        bool in1_fits =
            rules[i].in1_or_more ? b >= rules[i].in1 : !rules[i].in1 || b == rules[i].in1;
        if ((!rules[i].in0 || a == rules[i].in0) && in1_fits && c >= rules[i].out_least &&
            c <= rules[i].out_most)
            return rules[i].judged[fidelity->fidelity];
    }
    return J_UNKNOWN;
}

enum verdict fidelity_verdict(uint8_t judged)
{
    return judgements[judged].verdict;
}
const char *fidelity_text(uint8_t judged)
{
    return judgements[judged].text;
}
bool fidelity_is_odd_datatype(uint8_t judged)
{
    return judged == J_ODD_DATATYPE;
}
