// test_fidelity.c - the whole table of perf-report 12.1.
#include "analyse/perf/fidelity.h"
#include "arch/arch.h"
#include "test.h"

#define F1                                                                                 \
    "HiFi2 may also work, it discards the lowest bit of the activations and has 2x the "   \
    "throughput of HiFi4"
#define F2                                                                                 \
    "If your matmuls are not FLOP-bound use HiFi4 with BF16 activations for full accuracy"
#define F3 "Use HiFi2 or HiFi4 with BF16 activations for improved accuracy"
#define F4                                                                                 \
    "HiFi2 is very likely to work for BFP8 output; it discards the lowest bit of the "     \
    "activations and has 2x the throughput of HiFi4"
#define F5                                                                                 \
    "LoFi might also be sufficient with BFP4 output and has almost 2x the throughput of "  \
    "HiFi2"
#define F6                                                                                 \
    "HiFi2 may give better accuracy for large matmuls with many intermediate "             \
    "accumulations"
#define F7 "HiFi2 is sufficient for BFP8 multiplication and has 2x the throughput of HiFi4"
#define F8                                                                                 \
    "HiFi2 is recommended for accuracy; LoFi discards the lowest 2 bits of the weights"
#define F9                                                                                 \
    "HiFi2 may give slightly better accuracy for large matmuls with many intermediate "    \
    "accumulations"
#define F10 "LoFi is sufficient with BFP4 weights, use it for much higher throughput"

// Data types and fidelities as the facts about their names.
struct judge {
    struct map names;
    struct facts facts;
};

static void judge_make(struct judge *j)
{
    static const char *const names[] = {
        "",      "FLOAT32", "BFLOAT16", "BFLOAT8_B", "BFLOAT4_B", "UINT8", "UINT16",
        "INT32", "UINT32",  "FP8_E4M3", "HiFi4",     "HiFi3",     "HiFi2", "LoFi"};
    *j = (struct judge){0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        (void)map_put(&j->names, str_of(names[i]));
    facts_make(&j->facts, &j->names);
}

static void judge_free(struct judge *j)
{
    facts_free(&j->facts);
    map_free(&j->names);
}

static uint8_t judged(struct judge *j, const char *in0, const char *in1, const char *out,
                      const char *fidelity)
{
    struct facts *f = &j->facts;
    return fidelity_judge(fact_datatype(f, map_get(&j->names, str_of(in0))),
                          fact_datatype(f, map_get(&j->names, str_of(in1))),
                          fact_datatype(f, map_get(&j->names, str_of(out))),
                          fact_fidelity(f, map_get(&j->names, str_of(fidelity))));
}

struct answer {
    enum verdict verdict;
    const char *text;
};

static void answer_is(uint8_t judged, struct answer want)
{
    assert_int_equal(want.verdict, fidelity_verdict(judged));
    if (want.text)
        assert_string_equal(want.text, fidelity_text(judged));
    else
        assert_null(fidelity_text(judged));
}

TEST(fidelity_follows_the_table_for_every_combination_of_types)
{
    static const char *const types[] = {"FLOAT32", "BFLOAT16", "BFLOAT8_B", "BFLOAT4_B"};
    static const int bits[] = {23, 8, 7, 3};
    static const char *const fidelities[] = {"HiFi4", "HiFi2", "LoFi"};
    static const struct answer table[5][3] = {
        {{VERDICT_SUFFICIENT, F1}, {VERDICT_TOO_LOW, F2}, {VERDICT_TOO_LOW, F3}},
        {{VERDICT_TOO_HIGH, F4}, {VERDICT_SUFFICIENT, F5}, {VERDICT_TOO_LOW, F6}},
        {{VERDICT_TOO_HIGH, F7}, {VERDICT_SUFFICIENT, NULL}, {VERDICT_TOO_LOW, F8}},
        {{VERDICT_TOO_HIGH, F7}, {VERDICT_SUFFICIENT, F5}, {VERDICT_TOO_LOW, F9}},
        {{VERDICT_TOO_HIGH, F10}, {VERDICT_TOO_HIGH, F10}, {VERDICT_SUFFICIENT, NULL}},
    };
    struct judge j;
    judge_make(&j);
    for (int i = 0; i < 4 * 4 * 4; i++) {
        int a = i / 16, b = i / 4 % 4, c = i % 4;
        int line = bits[a] == 8 && bits[c] >= 7   ? 0
                   : bits[a] == 8                 ? 1
                   : bits[b] >= 7 && bits[c] >= 7 ? 2
                   : bits[b] >= 7                 ? 3
                                                  : 4;
        for (int f = 0; f < 3; f++)
            answer_is(judged(&j, types[a], types[b], types[c], fidelities[f]),
                      table[line][f]);
    }
    judge_free(&j);
}

TEST(fidelity_is_not_applicable_where_any_type_is_an_integer)
{
    static const char *const integers[] = {"UINT8", "UINT16", "INT32", "UINT32"};
    const struct answer want = {
        VERDICT_NOT_APPLICABLE,
        "Fidelity evaluation is not applicable for integer datatypes "
        "(UINT8, UINT16, INT32, UINT32)."};
    struct judge j;
    judge_make(&j);
    for (size_t i = 0; i < 4; i++) {
        answer_is(judged(&j, integers[i], "BFLOAT16", "BFLOAT16", "HiFi4"), want);
        answer_is(judged(&j, "BFLOAT16", integers[i], "BFLOAT16", "LoFi"), want);
        answer_is(judged(&j, "BFLOAT16", "FP8_E4M3", integers[i], ""), want);
    }
    judge_free(&j);
}

TEST(fidelity_is_unknown_for_types_it_says_nothing_about)
{
    struct judge j;
    judge_make(&j);
    const struct answer unknown = {VERDICT_UNKNOWN, NULL};
    uint8_t first = judged(&j, "FP8_E4M3", "BFLOAT16", "BFLOAT16", "HiFi4");
    uint8_t last = judged(&j, "BFLOAT16", "BFLOAT16", "", "HiFi4");
    answer_is(first, unknown);
    answer_is(last, unknown);
    assert_true(fidelity_is_odd_datatype(first));
    assert_true(fidelity_is_odd_datatype(last));
    judge_free(&j);
}

TEST(fidelity_is_unknown_for_hifi3_and_for_names_that_are_no_fidelity)
{
    struct judge j;
    judge_make(&j);
    static const char *const odd[] = {"HiFi3", "", "INT32"};
    for (size_t i = 0; i < 3; i++) {
        uint8_t got = judged(&j, "BFLOAT16", "BFLOAT16", "BFLOAT16", odd[i]);
        answer_is(got, (struct answer){VERDICT_UNKNOWN, NULL});
        assert_false(fidelity_is_odd_datatype(got));
    }
    judge_free(&j);
}
