// test_advice.c - what to try next. Spec: perf-report 12.2.
#include "analyse/perf/advice.h"
#include "sample_ops.h"
#include "test.h"

// A matmul of 1000 x 2880 weights of one byte in DRAM: 288 GB/s, the peak of a wormhole,
// when it takes 10000 ns. `rows` of input 0 set the arithmetic.
static struct sample_op matmul(const char *rows, const char *ns)
{
    return (struct sample_op){
        .code = "Matmul",
        .fidelity = "HiFi2",
        .ns = ns,
        .sizes = {"1", "1", rows, "1000", "1", "1", "1000", "2880", "1", "1", rows, "2880"},
        .datatypes = {"BFLOAT8_B", "BFLOAT8_B", "BFLOAT8_B"},
        .memories = {"DEV_0_L1_INTERLEAVED", "DEV_0_DRAM_INTERLEAVED", "DEV_0_L1_X"}};
}

// The texts for this op, joined with " / ", and its bound.
static void advice_is(struct sample_op op, enum bound bound, const char *want)
{
    struct sample_run r;
    sample_run(&r, &op, 1, NULL);
    assert_int_equal(bound, r.perf.ops[0].bound);
    struct arena a = {0};
    struct buf b = {0};
    str texts[ADVICE_MOST];
    size_t n = advice_for(&r.perf, &r.perf.ops[0], &a, texts);
    for (size_t i = 0; i < n; i++) {
        buf_z(&b, i ? " / " : "");
        buf_str(&b, texts[i]);
    }
    test_str_is(buf_view(&b), str_of(want), __FILE__, __LINE__);
    buf_free(&b);
    arena_free(&a);
    sample_free(&r);
}

#define SHARDED                                                                            \
    "Try a DRAM-sharded program config "                                                   \
    "(MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig) to improve throughput "       \
    "further"
#define TOO_HIGH                                                                           \
    "HiFi2 is sufficient for BFP8 multiplication and has 2x the throughput of HiFi4"
#define TOO_LOW                                                                            \
    "HiFi2 is recommended for accuracy; LoFi discards the lowest 2 bits of the weights"

TEST(advice_for_dram_bound_matmuls_is_to_shard_them)
{
    advice_is(matmul("32", "10000"), BOUND_DRAM, SHARDED);
    struct sample_op sharded = matmul("32", "10000");
    sharded.attributes = "MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig";
    sharded.sizes[2] = "8";
    advice_is(sharded, BOUND_DRAM, "");
}

TEST(advice_for_dram_bound_matmuls_asks_for_more_fidelity_only_where_it_is_free)
{
    struct sample_op o = matmul("32", "10000");
    o.fidelity = "LoFi";
    advice_is(o, BOUND_DRAM, SHARDED " / " TOO_LOW);
    o.sizes[2] = o.sizes[10] = "192"; // 47 % of the arithmetic
    advice_is(o, BOUND_DRAM, SHARDED);
    o = matmul("32", "10000");
    o.fidelity = "HiFi4";
    advice_is(o, BOUND_DRAM, SHARDED " / " TOO_HIGH);
}

TEST(advice_for_matmuls_bound_by_both_is_that_for_dram)
{
    advice_is(matmul("160", "10000"), BOUND_BOTH, SHARDED);
}

TEST(advice_for_flop_bound_matmuls_is_a_larger_grid)
{
    advice_is(matmul("320", "20000"), BOUND_FLOP, "");
    struct sample_op o = matmul("320", "20000");
    o.cores = "48";
    advice_is(o, BOUND_FLOP, "Increase grid size (currently using 48)");
    o.cores = "48.0";
    o.fidelity = "HiFi4";
    advice_is(o, BOUND_FLOP, "Increase grid size (currently using 48.0) / " TOO_HIGH);
}

TEST(advice_for_slow_matmuls_without_a_program_config_is_to_write_one)
{
    const char *config =
        "No program_config specified, try using one to override in0_block_w "
        "and out_subblock_h/w";
    struct sample_op o = matmul("32", "100000");
    advice_is(o, BOUND_SLOW, config);
    o.fidelity = "LoFi"; // no word about that without a config
    advice_is(o, BOUND_SLOW, config);
}

TEST(advice_for_slow_matmuls_looks_at_place_blocks_and_fidelity)
{
    struct sample_op o = matmul("32", "100000");
    o.attributes = "program_config(in0_block_w=2;out_subblock_h=1;out_subblock_w=2)";
    advice_is(o, BOUND_SLOW, "in0_block_w=2 and output subblock 1x2 look good 🤷");
    o.fidelity = "LoFi";
    o.attributes = "program_config(in0_block_w=1;out_subblock_h=1;out_subblock_w=1)";
    advice_is(o, BOUND_SLOW,
              "in0_block_w=1 is small, try in0_block_w=2 or above / Output subblock 1x1 is "
              "small, try out_subblock_h * out_subblock_w >= 2 if possible / " TOO_LOW);
    o.fidelity = "HiFi2";
    o.attributes = "program_config(in0_block_w=4)";
    advice_is(o, BOUND_SLOW, "No output subblock size found");
    o.attributes = "program_config(out_subblock_h=4;out_subblock_w=1)";
    advice_is(o, BOUND_SLOW, "No inner dim block size found");
    o.sizes[3] = o.sizes[6] = "100";
    o.memories[0] = "DEV_0_DRAM_INTERLEAVED";
    advice_is(o, BOUND_SLOW,
              "If possible place input 0 in L1 (currently in DEV_0_DRAM_INTERLEAVED) / No "
              "inner dim block size found");
}

TEST(advice_names_the_first_data_type_that_fidelity_says_nothing_about)
{
    struct sample_op o = matmul("32", "100000");
    o.attributes = "program_config(in0_block_w=2;out_subblock_h=1;out_subblock_w=2)";
    o.datatypes[1] = "FP8_E4M3";
    o.datatypes[2] = "ROW";
    advice_is(
        o, BOUND_SLOW,
        "in0_block_w=2 and output subblock 1x2 look good 🤷 / Datatype FP8_E4M3 is not "
        "supported for fidelity evaluation.");
}

TEST(advice_is_for_matmuls_only)
{
    advice_is((struct sample_op){.code = "Softmax"}, BOUND_NONE, "");
    advice_is((struct sample_op){.code = "(torch) x"}, BOUND_HOST, "");
    advice_is((struct sample_op){.code = "Matmul"}, BOUND_NONE, "");
}

TEST(advice_calls_gaps_high_from_above_6500_ns)
{
    const struct sample_op ops[] = {{.code = "a", .gap = "9000"}, // nothing before it
                                    {.code = "b", .gap = "6500"},
                                    {.code = "c", .gap = "6501"},
                                    {.code = "d"}};
    struct sample_run r;
    sample_run(&r, ops, 4, NULL);
    assert_false(op_has_high_gap(&r.perf.ops[0]));
    assert_false(op_has_high_gap(&r.perf.ops[1]));
    assert_true(op_has_high_gap(&r.perf.ops[2]));
    assert_false(op_has_high_gap(&r.perf.ops[3]));
    sample_free(&r);
}
