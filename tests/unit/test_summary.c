// test_summary.c - ops grouped by what they are. Spec: perf-report 14.
#include <math.h>

#include "base/data/array.h"

#include "analyse/diags.h"
#include "analyse/perf/summary.h"
#include "sample_ops.h"
#include "test.h"

// "key count time share|" for each group; with the device in front if by device.
static str groups(const struct summary *s, struct buf *b)
{
    b->n = 0;
    for (size_t i = 0; i < s->n_groups; i++) {
        const struct summary_group *g = &s->groups[i];
        if (s->is_by_device)
            buf_printf(b, "%d:", g->device);
        buf_printf(b, "%.*s %zu %.3f %.1f|", STR(g->key), g->n_ops, g->time, g->share);
    }
    return buf_view(b);
}

static void groups_are(const struct sample_op *ops, size_t n, enum group_by by,
                       bool by_device, const char *want)
{
    struct sample_run r;
    struct summary s;
    struct buf b = {0};
    sample_run(&r, ops, n, &(struct perf_options){.no_merge_devices = by_device});
    summary_make(&s, &r.perf, by, by_device);
    test_str_is(groups(&s, &b), str_of(want), __FILE__, __LINE__);
    buf_free(&b);
    summary_free(&s);
    sample_free(&r);
}

static const struct sample_op mixed[] = {
    {.code = "Unary", .ns = "1000", .memories = {"DEV_1_L1_HEIGHT_SHARDED"}},
    {.code = "Copy", .ns = "5000", .memories = {"DEV_0_DRAM_INTERLEAVED"}},
    {.code = "Unary", .ns = "3000", .memories = {"DEV_0_L1_HEIGHT_SHARDED"}},
    {.code = "Unary", .ns = "1000"},
    {.code = "(torch) add", .type = "python_fallback", .ns = "", .device = ""},
};

TEST(summary_groups_by_op)
{
    groups_are(mixed, COUNT_OF(mixed), GROUP_BY_OP, false,
               "Copy 1 5.000 50.0|Unary 3 5.000 50.0|(torch) 1 0.000 0.0|");
}

TEST(summary_groups_by_op_and_memory)
{
    groups_are(mixed, COUNT_OF(mixed), GROUP_BY_MEMORY, false,
               "Copy (in0:dram_interleaved) 1 5.000 50.0|"
               "Unary (in0:height_sharded) 2 4.000 40.0|"
               "Unary 1 1.000 10.0|"
               "(torch) 1 0.000 0.0|");
}

TEST(summary_groups_by_category)
{
    groups_are(mixed, COUNT_OF(mixed), GROUP_BY_CATEGORY, false,
               "Compute 3 5.000 50.0|DM 1 5.000 50.0|Host 1 0.000 0.0|");
}

TEST(summary_orders_ties_by_key)
{
    const struct sample_op ops[] = {
        {.code = "b"}, {.code = "a"}, {.code = "C"}, {.code = "c", .ns = "1001"}};
    groups_are(ops, COUNT_OF(ops), GROUP_BY_OP, false,
               "c 1 1.001 25.0|C 1 1.000 25.0|a 1 1.000 25.0|b 1 1.000 25.0|");
}

TEST(summary_by_device_has_shares_of_each_device_and_drops_rows_without_one)
{
    const struct sample_op ops[] = {{.code = "a", .device = "1", .ns = "3000"},
                                    {.code = "a", .device = "0", .ns = "1000"},
                                    {.code = "b", .device = "1", .ns = "1000"},
                                    {.code = "b", .device = ""},
                                    {.code = "a", .device = "1", .ns = "1000"}};
    groups_are(ops, COUNT_OF(ops), GROUP_BY_OP, true,
               "1:a 2 4.000 80.0|0:a 1 1.000 100.0|1:b 1 1.000 20.0|");
}

TEST(summary_leaves_out_signposts_and_memories_without_a_layout)
{
    const struct sample_op ops[] = {{.code = "a", .memories = {"DRAM"}},
                                    {.code = "a", .memories = {"X_y"}},
                                    {.code = "start", .type = "signpost"},
                                    {.code = "a signpost", .type = "x"}};
    struct sample_run r;
    struct summary s;
    struct buf b = {0};
    sample_run(&r, ops, COUNT_OF(ops), &(struct perf_options){.ignore_signposts = true});
    summary_make(&s, &r.perf, GROUP_BY_MEMORY, false);
    STR_IS(groups(&s, &b), "a (in0:x_y) 1 1.000 100.0|");
    assert_int_equal(1, r.perf.diag.entry[DIAG_NOT_IN_SUMMARY].count);
    buf_free(&b);
    summary_free(&s);
    sample_free(&r);
}

TEST(summary_warns_once_of_each_op_without_a_category)
{
    const struct sample_op ops[] = {
        {.code = "Odd x"}, {.code = "Odd y"}, {.code = "MatmulDeviceOperation"}};
    struct sample_run r;
    struct summary s;
    sample_run(&r, ops, COUNT_OF(ops), NULL);
    size_t before = r.perf.notes.list.n;
    summary_make(&s, &r.perf, GROUP_BY_OP, false);
    assert_int_equal(before + 1, r.perf.notes.list.n);
    STR_IS(
        r.perf.notes.list.v[before].text,
        "Warning: Unclassified operation 'Odd' found. Please add to OPERATION_CATEGORIES "
        "for proper classification.");
    assert_int_equal(2, s.n_groups);
    STR_IS(s.groups[0].key, "Odd");
    assert_int_equal(2, s.groups[0].n_ops);
    assert_int_equal(CATEGORY_OTHER, s.groups[0].category);
    assert_int_equal(CATEGORY_COMPUTE, s.groups[1].category);
    summary_free(&s);
    sample_free(&r);
}

TEST(summary_knows_the_ops_of_our_own_runtime)
{
    const struct sample_op ops[] = {
        {.code = "SGDFusedDeviceOperation", .attributes = "['kernel/ops/sgd.brisc.c']"},
        {.code = "ProfilerNoopOperation", .attributes = "['kernel/ops/noop.brisc.c']"},
        {.code = "TraceReplay"},
        {.code = "AllGatherAsyncDeviceOperation", .attributes = "['ttnn/cpp/x.cpp']"}};
    struct sample_run r;
    struct summary s;
    sample_run(&r, ops, COUNT_OF(ops), NULL);
    size_t before = r.perf.notes.list.n;
    summary_make(&s, &r.perf, GROUP_BY_OP, false);
    // Of others, those that tt-perf-report does not know are unknown here, too.
    assert_int_equal(before + 1, r.perf.notes.list.n);
    assert_true(str_has(r.perf.notes.list.v[before].text, S("'AllGatherAsyncDevice")));
    for (size_t i = 0; i < s.n_groups; i++)
        assert_int_equal(s.groups[i].category,
                         str_is(s.groups[i].key, "SGDFusedDeviceOperation")
                             ? CATEGORY_COMPUTE
                             : CATEGORY_OTHER);
    summary_free(&s);
    sample_free(&r);
}

TEST(summary_knows_the_categories_of_all_listed_ops)
{
    static const struct {
        const char *code;
        enum category category;
    } listed[] = {
        {"AllGatherMatmul", CATEGORY_COMPUTE},
        {"SDPAOperation", CATEGORY_COMPUTE},
        {"GridSampleOperationDeviceOperation", CATEGORY_COMPUTE},
        {"IntImg", CATEGORY_COMPUTE},
        {"PagedUpdateCacheDeviceOperation", CATEGORY_DM},
        {"PagedUpdateCacheDeviceOperationDeviceOperation", CATEGORY_DM},
        {"HaloDeviceOperation", CATEGORY_DM},
        {"ReduceScatter", CATEGORY_DM},
        {"PadDeviceOperation", CATEGORY_TM},
        {"UntilizeWithUnpaddingDeviceOperation", CATEGORY_TM},
        {"NlpCreateHeadsDeviceOperation", CATEGORY_TM},
        {"(torch)", CATEGORY_HOST},
        {"Pad", CATEGORY_OTHER},
        {"matmul", CATEGORY_OTHER},
        {"DeviceOperation", CATEGORY_OTHER},
    };
    for (size_t i = 0; i < COUNT_OF(listed); i++) {
        struct sample_run r;
        struct summary s;
        sample_run(&r, &(struct sample_op){.code = listed[i].code}, 1, NULL);
        summary_make(&s, &r.perf, GROUP_BY_OP, false);
        assert_int_equal(1, s.n_groups);
        if (s.groups[0].category != listed[i].category)
            fail_msg("%s is %s", listed[i].code, category_name(s.groups[0].category));
        summary_free(&s);
        sample_free(&r);
    }
    assert_string_equal("Compute", category_name(CATEGORY_COMPUTE));
    assert_string_equal("TM", category_name(CATEGORY_TM));
    assert_string_equal("DM", category_name(CATEGORY_DM));
    assert_string_equal("Host", category_name(CATEGORY_HOST));
    assert_string_equal("Other", category_name(CATEGORY_OTHER));
}

static struct sample_op matmul(const char *device, const char *ns)
{
    return (struct sample_op){
        .code = "Matmul",
        .device = device,
        .fidelity = "HiFi4",
        .ns = ns,
        .sizes = {"1", "1", "64", "64", "1", "1", "64", "64", "1", "1", "64", "64"},
        .datatypes = {"BFLOAT16", "BFLOAT16", "BFLOAT16"},
        .memories = {"A_L1_X", "A_L1_X", "A_L1_X"}};
}

static double flops_of(double ns)
{
    return 64.0 * 64 * 64 * 2 / (ns * 1e-9) / (74.0 / 72 * 1e12 * 64) * 100;
}

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

TEST(summary_has_the_statistics_of_flops)
{
    const struct sample_op ops[] = {matmul("0", "1000"),
                                    matmul("0", "2000"),
                                    matmul("0", "4000"),
                                    {.code = "Matmul", .ns = "500"}};
    struct sample_run r;
    struct summary s;
    sample_run(&r, ops, COUNT_OF(ops), NULL);
    summary_make(&s, &r.perf, GROUP_BY_OP, false);
    const struct summary_group *g = &s.groups[0];
    double f1 = flops_of(1000), f2 = flops_of(2000), f4 = flops_of(4000);
    double mean = (f1 + f2 + f4) / 3;
    double squares =
        (f1 - mean) * (f1 - mean) + (f2 - mean) * (f2 - mean) + (f4 - mean) * (f4 - mean);
    assert_int_equal(4, g->n_ops);
    assert_int_equal(3, g->n_flops);
    REAL_IS(g->flops_min, f4);
    REAL_IS(g->flops_max, f1);
    assert_true(is_near(g->flops_mean, mean));
    assert_true(is_near(g->flops_std, sqrt(squares / 2)));
    assert_true(g->has_weighted);
    assert_true(is_near(g->flops_weighted, (f1 * 1 + f2 * 2 + f4 * 4) / 7));
    summary_free(&s);
    sample_free(&r);
}

TEST(summary_weights_flops_over_all_devices_of_a_key)
{
    const struct sample_op ops[] = {matmul("0", "1000"), matmul("1", "4000")};
    struct sample_run r;
    struct summary s;
    sample_run(&r, ops, COUNT_OF(ops), &(struct perf_options){.no_merge_devices = true});
    summary_make(&s, &r.perf, GROUP_BY_OP, true);
    assert_int_equal(2, s.n_groups);
    double weighted = (flops_of(1000) * 1 + flops_of(4000) * 4) / 5;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(1, s.groups[i].n_flops);
        assert_true(is_near(s.groups[i].flops_weighted, weighted));
    }
    summary_free(&s);
    sample_free(&r);
}

TEST(summary_of_nothing_but_zeros_has_no_total)
{
    struct sample_run r;
    struct summary s;
    sample_run(&r, &(struct sample_op){.code = "a", .ns = ""}, 1, NULL);
    summary_make(&s, &r.perf, GROUP_BY_OP, false);
    assert_int_equal(1, s.n_groups);
    assert_false(s.has_total);
    assert_false(s.has_time);
    REAL_IS(s.groups[0].share, 0);
    summary_free(&s);
    sample_free(&r);
}

TEST(summary_of_no_ops_is_empty)
{
    struct sample_run r;
    struct summary s;
    sample_run(&r, NULL, 0, NULL);
    summary_make(&s, &r.perf, GROUP_BY_MEMORY, false);
    assert_int_equal(0, s.n_groups);
    summary_free(&s);
    sample_free(&r);
}

TEST(summary_leaves_out_a_signpost_that_is_named_like_a_host_op)
{
    static const struct sample_op ops[] = {
        {.code = "Unary", .ns = "1000"},
        {.code = "(torch) add", .type = "signpost", .ns = "", .device = ""},
    };
    struct sample_run r;
    struct summary s;
    struct buf b = {0};
    sample_run(&r, ops, COUNT_OF(ops), &(struct perf_options){.ignore_signposts = true});
    summary_make(&s, &r.perf, GROUP_BY_OP, false);
    STR_IS(groups(&s, &b), "Unary 1 1.000 100.0|");
    buf_free(&b);
    summary_free(&s);
    sample_free(&r);
}

TEST(summary_takes_the_first_word_of_an_op_code_that_starts_with_blanks)
{
    static const struct sample_op ops[] = {{.code = " Unary x", .ns = "1000"},
                                           {.code = "Unary", .ns = "1000"}};
    groups_are(ops, COUNT_OF(ops), GROUP_BY_OP, false, "Unary 2 2.000 100.0|");
}
