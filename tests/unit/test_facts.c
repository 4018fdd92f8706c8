// test_facts.c - what texts say.
#include "analyse/perf/facts.h"
#include "arch/arch.h"
#include "test.h"

// One text and the facts about it.
struct known {
    struct map texts;
    struct facts facts;
};

static void known_make(struct known *k, str text)
{
    *k = (struct known){0};
    (void)map_put(&k->texts, text);
    facts_make(&k->facts, &k->texts);
}

static void known_free(struct known *k)
{
    facts_free(&k->facts);
    map_free(&k->texts);
}

static struct code_fact code(str text)
{
    struct known k;
    known_make(&k, text);
    struct code_fact c = *fact_code(&k.facts, 0);
    assert_ptr_equal(fact_code(&k.facts, 0), &k.facts.codes[0]);
    known_free(&k);
    return c;
}

TEST(facts_class_ops_by_parts_of_their_names)
{
    assert_int_equal(OP_MATMUL, code(S("Matmul")).class);
    assert_int_equal(OP_MATMUL, code(S("ttnn::AllGatherMatmulAsync")).class);
    assert_int_equal(OP_MATMUL, code(S("MatmulConv2d")).class);
    assert_int_equal(OP_CONV, code(S("OptimizedConvNew")).class);
    assert_int_equal(OP_CONV, code(S("Conv2dDeviceOperation")).class);
    assert_int_equal(OP_HALO, code(S("HaloDeviceOperation")).class);
    assert_int_equal(OP_PLAIN, code(S("Halo")).class);
    assert_int_equal(OP_PLAIN, code(S("matmul")).class);
    assert_int_equal(OP_PLAIN, code(S("")).class);
}

TEST(facts_know_hosts_signposts_and_collectives)
{
    assert_true(code(S("(torch) add")).is_host);
    assert_false(code(S("torch")).is_host);
    assert_true(code(S("a signpost b")).is_signpost);
    assert_false(code(S("Signpost")).is_signpost);
    assert_true(code(S("AllGatherAsync")).is_collective);
    assert_true(code(S("ReduceScatter")).is_collective);
    assert_true(code(S("xAllReduce")).is_collective);
    assert_false(code(S("Reduce")).is_collective);
    assert_true(code(S("AllGatherMatmul")).is_collective);
    assert_true(code(S("AllGatherMatmul")).is_matmul);
}

TEST(facts_split_the_names_that_carry_sizes)
{
    assert_true(code(S("Matmul")).is_split);
    assert_true(code(S("OptimizedConvNew")).is_split);
    assert_true(code(S("Conv2dDeviceOperation")).is_split);
    assert_true(code(S("HaloDeviceOperation")).is_split);
    assert_false(code(S("Conv2d")).is_split);
    assert_false(code(S("Softmax")).is_split);
}

static struct attribute_fact attributes(str text)
{
    struct known k;
    known_make(&k, text);
    struct attribute_fact a = *fact_attributes(&k.facts, 0);
    known_free(&k);
    return a;
}

TEST(facts_read_block_sizes_behind_a_program_config)
{
    struct attribute_fact a =
        attributes(S("program_config=X(in0_block_w=4;out_subblock_h=2;out_subblock_w=12;"
                     "in0_block_w=9)"));
    assert_int_equal(4, a.block_w);
    assert_int_equal(2, a.subblock_h);
    assert_int_equal(12, a.subblock_w);
    assert_false(a.is_dram_sharded);
}

TEST(facts_read_no_block_sizes_without_a_program_config)
{
    struct attribute_fact a = attributes(S("in0_block_w=4;out_subblock_h=2"));
    assert_int_equal(OP_NO_BLOCK, a.block_w);
    assert_int_equal(OP_NO_BLOCK, a.subblock_h);
}

TEST(facts_take_the_first_key_that_has_digits_behind_it)
{
    struct attribute_fact a = attributes(
        S("program_config in0_block_w=?;in0_block_w=3;out_subblock_h= 1;out_subblock_w="));
    assert_int_equal(3, a.block_w);
    assert_int_equal(OP_NO_BLOCK, a.subblock_h);
    assert_int_equal(OP_NO_BLOCK, a.subblock_w);
    a = attributes(S("program_config in0_block_w=99999999999999999999"));
    assert_int_equal(OP_NO_BLOCK, a.block_w);
}

TEST(facts_see_dram_sharded_matmuls)
{
    assert_true(attributes(S("x=MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig(y)"))
                    .is_dram_sharded);
    assert_false(
        attributes(S("MatmulMultiCoreReuseMultiCastProgramConfig")).is_dram_sharded);
}

static void datatype_is(str name, const char *brief, double bytes, int mantissa,
                        bool is_integer)
{
    struct known k;
    known_make(&k, name);
    const struct datatype_fact *d = fact_datatype(&k.facts, 0);
    test_str_is(d->brief, str_of(brief), __FILE__, __LINE__);
    REAL_IS(d->bytes, bytes);
    assert_int_equal(mantissa, d->mantissa);
    assert_int_equal(is_integer, d->is_integer);
    known_free(&k);
}

TEST(facts_know_sizes_and_short_names_of_data_types)
{
    datatype_is(S("FLOAT32"), "FP32", 4, 23, false);
    datatype_is(S("BFLOAT16"), "BF16", 2, 8, false);
    datatype_is(S("BFLOAT8_B"), "BFP8", 1, 7, false);
    datatype_is(S("BFLOAT4_B"), "BFP4", 0.5, 3, false);
    datatype_is(S("FP8_E4M3"), "FP8_E4M3", 1, 0, false);
    datatype_is(S("UINT8"), "UINT8", 1, 0, true);
    datatype_is(S("UINT16"), "UINT16", 2, 0, true);
    datatype_is(S("INT32"), "INT32", 4, 0, true);
    datatype_is(S("UINT32"), "UINT32", 4, 0, true);
    datatype_is(S("ROW"), "ROW", 4, 0, false);
    datatype_is(S(""), "", 4, 0, false);
}

TEST(facts_know_where_a_memory_is)
{
    struct known k;
    known_make(&k, S("DEV_1_DRAM_INTERLEAVED"));
    assert_true(fact_memory(&k.facts, 0)->is_dram);
    known_free(&k);
    known_make(&k, S("DEV_0_L1_HEIGHT_SHARDED"));
    assert_false(fact_memory(&k.facts, 0)->is_dram);
    known_free(&k);
}

TEST(facts_know_which_fidelity_a_text_names)
{
    struct known k;
    known_make(&k, S("LoFi"));
    assert_true(fact_fidelity(&k.facts, 0)->is_valid);
    assert_int_equal(FIDELITY_LOFI, fact_fidelity(&k.facts, 0)->fidelity);
    known_free(&k);
    known_make(&k, S("lofi"));
    assert_false(fact_fidelity(&k.facts, 0)->is_valid);
    known_free(&k);
}
