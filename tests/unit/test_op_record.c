// test_op_record.c - what is told about an op, as cells. Spec: ops-report 3.1 and 6.
#include <math.h>

#include "base/text/buf.h"

#include "formats/ops_table/op_record.h"
#include "formats/ops_table/python_repr.h"
#include "test.h"

static str repr(str json, struct arena *a)
{
    struct json_read r = json_read_of(json);
    struct buf b = {0};
    (void)python_repr(&r, &b);
    str text = arena_str(a, buf_view(&b));
    buf_free(&b);
    return text;
}

TEST(python_repr_prints_values_as_python_does)
{
    struct arena a = {0};
    STR_IS(repr(S("{\"a\": \"x\", \"b\": [1, 2.50, true, false, null], \"c\": {}}"), &a),
           "{'a': 'x', 'b': [1, 2.5, True, False, None], 'c': {}}");
    STR_IS(repr(S("[18446744073709551615, -7, -0, -0.0, 1e5, 1E-5, 1e16, 0.1, 1e400, NaN, "
                  "-Infinity, 123456789012345678901234567890]"),
                &a),
           "[18446744073709551615, -7, 0, -0.0, 100000.0, 1e-05, 1e+16, 0.1, inf, nan, "
           "-inf, 123456789012345678901234567890]");
    STR_IS(repr(S("[]"), &a), "[]");
    arena_free(&a);
}

TEST(python_repr_chooses_quotes_and_escapes_as_python_does)
{
    struct arena a = {0};
    STR_IS(repr(S("\"it's\""), &a), "\"it's\"");
    STR_IS(repr(S("\"say \\\"so\\\"\""), &a), "'say \"so\"'");
    STR_IS(repr(S("\"it's \\\"so\\\"\""), &a), "'it\\'s \"so\"'");
    STR_IS(repr(S("\"a\\\\b\\n\\r\\t\\u0000\\u001b\\u007f\\/\""), &a),
           "'a\\\\b\\n\\r\\t\\x00\\x1b\\x7f/'");
    // Printable characters stay, others are escaped by their size.
    STR_IS(repr(S("\"\xC3\xA9 \\u03bc \\ud83d\\ude00\""), &a),
           "'\xC3\xA9 \xCE\xBC \xF0\x9F\x98\x80'");
    STR_IS(repr(S("\"\\u00a0\\u00ad\\u200b\\u2028\\ud800\\udb40\\udc01\""), &a),
           "'\\xa0\\xad\\u200b\\u2028\\ud800\\U000e0001'");
    arena_free(&a);
}

TEST(python_repr_of_a_cut_value_has_what_stands_before)
{
    struct arena a = {0};
    STR_IS(repr(S("{\"a\": \"x\", \"b\": [1, 2"), &a), "{'a': 'x', 'b': [1]}");
    STR_IS(repr(S("{\"a\": \"x\", \"b\": \"y"), &a), "{'a': 'x'}");
    STR_IS(repr(S("{\"a\""), &a), "{}");
    STR_IS(repr(S("\"x"), &a), "");
    arena_free(&a);
}

// --- records

static const char whole[] =
    "{\n"
    "    \"attributes\": {\"grid\": \"{[(x=0,y=0) - (x=7,y=7)]}\", \"name\": \"it's\"},\n"
    "    \"device_id\": 3,\n"
    "    \"global_call_count\": 1027,\n"
    "    \"input_tensors\": [{\"dtype\": \"BFLOAT16\", \"layout\": \"TILE\",\n"
    "        \"shape\": {\"W\": \"1[1]\", \"X\": \"64[50]\", \"Y\": \"32[32]\", \"Z\": "
    "\"1[1]\"},\n"
    "        \"storage_type\": {\"device_id\": 3, \"memory_config\":\n"
    "            {\"buffer_type\": \"l1\", \"memory_layout\": \"Width_Sharded\"}}}],\n"
    "    \"kernel_info\": {\n"
    "        \"compute_kernels\": [\n"
    "            {\"math_fidelity\": \"LoFi\", \"name\": \"c0/1/\", \"source\": "
    "\"c0.cpp\"},\n"
    "            {\"math_fidelity\": \"HiFi2\", \"name\": \"c1/2/\", \"source\": "
    "\"c1.cpp\"}],\n"
    "        \"datamovement_kernels\": [{\"name\": \"r/3/\", \"source\": \"r.cpp\"}],\n"
    "        \"kernel_sizes\": {\"TENSIX_COMPUTE_0_max_kernel_size\": 900,\n"
    "            \"IDLE_ETH_DM_0_max_kernel_size\": 1, \"TENSIX_DM_10_max_kernel_size\": "
    "3,\n"
    "            \"TENSIX_DM_2_max_kernel_size\": 2, \"ACTIVE_ETH_DM_0_max_kernel_size\": "
    "0}},\n"
    "    \"op_code\": \"Matmul, fused\",\n"
    "    \"op_hash\": 18000000000000000001,\n"
    "    \"op_type\": \"tt_dnn_device\",\n"
    "    \"optional_input_tensors\": [{\"dtype\": \"UINT32\", \"layout\": \"ROW_MAJOR\",\n"
    "        \"shape\": {\"X\": 7}, \"storage_type\": \"HOST\"}],\n"
    "    \"output_tensors\": [],\n"
    "    \"performance_model\": {\"bandwidth_ns\": 12, \"compute_ns\": 900.5, "
    "\"ideal_ns\": 1000,\n"
    "        \"input_bws\": [0.0, 69.2828140258789], \"output_bws\": []},\n"
    "    \"program_cache_hit\": false,\n"
    "    \"program_hash\": 5,\n"
    "    \"queue_id\": [1, {\"a\": null}]\n"
    "}";

TEST(op_record_gives_the_cells_of_the_reference)
{
    struct arena a = {0};
    struct op_record r;
    op_record_read(S(whole), &a, &r);
    assert_false(r.is_damaged);
    assert_true(r.has_id && r.has_device && r.has_hash && r.has_hit);
    assert_int_equal(1027, r.id);
    assert_int_equal(3, r.device);
    assert_true(r.hash == UINT64_C(18000000000000000001));
    assert_false(r.is_hit);
    STR_IS(r.code, "Matmul; fused");
    STR_IS(r.type, "tt_dnn_device");
    STR_IS(r.attributes, "{'grid': '{[(x=0;y=0) - (x=7;y=7)]}'; 'name': \"it's\"}");
    assert_null(r.strategy.p);
    STR_IS(r.fidelity, "HiFi2");
    STR_IS(r.compute_source, "['c0.cpp'; 'c1.cpp']");
    STR_IS(r.compute_hash, "['c0/1/'; 'c1/2/']");
    STR_IS(r.movement_source, "['r.cpp']");
    STR_IS(r.movement_hash, "['r/3/']");
    STR_IS(r.ideal, "1000");
    STR_IS(r.compute, "900.5");
    REAL_IS(r.compute_ns, 900.5);
    STR_IS(r.bandwidth, "12");
    STR_IS(r.input_rates, "[0.0; 69.2828140258789]");
    STR_IS(r.output_rates, "[]");
    assert_int_equal(1, r.n_extra);
    STR_IS(r.extra[0].column, "QUEUE ID");
    STR_IS(r.extra[0].cell, "[1; {'a': None}]");
    arena_free(&a);
}

TEST(op_record_has_optional_inputs_behind_the_others)
{
    struct arena a = {0};
    struct op_record r;
    op_record_read(S(whole), &a, &r);
    assert_int_equal(2, r.n_inputs);
    assert_int_equal(0, r.n_outputs);
    assert_int_equal(0, r.n_inputs_said);
    STR_IS(r.inputs[0].size[0], "1[1]");
    STR_IS(r.inputs[0].size[1], "1[1]");
    STR_IS(r.inputs[0].size[2], "32[32]");
    STR_IS(r.inputs[0].size[3], "64[50]");
    STR_IS(r.inputs[0].layout, "TILE");
    STR_IS(r.inputs[0].dtype, "BFLOAT16");
    STR_IS(r.inputs[0].memory, "DEV_3_L1_WIDTH_SHARDED");
    assert_null(r.inputs[1].size[0].p);
    STR_IS(r.inputs[1].size[3], "7");
    STR_IS(r.inputs[1].memory, "HOST");
    arena_free(&a);
}

static void check_sizes(str sizes, const char *const *names, size_t n)
{
    struct arena a = {0};
    struct op_record r;
    str json = arena_printf(&a, "{\"kernel_info\":{\"kernel_sizes\":%.*s}}", STR(sizes));
    op_record_read(json, &a, &r);
    assert_false(r.is_damaged);
    assert_int_equal(n, r.n_sizes);
    for (size_t i = 0; i < n; i++)
        test_str_is(r.sizes[i].name, str_of(names[i]), __FILE__, __LINE__);
    arena_free(&a);
}

TEST(op_record_orders_kernel_sizes_by_class_and_number)
{
    static const char *const now[] = {
        "TENSIX DM 0",     "TENSIX DM 2",   "TENSIX DM 10", "TENSIX COMPUTE 0",
        "ACTIVE ETH DM 0", "IDLE ETH DM 0", "DRAM DM 0"};
    check_sizes(
        S("{\"DRAM_DM_0_max_kernel_size\":1,\"IDLE_ETH_DM_0_max_kernel_size\":1,"
          "\"TENSIX_DM_10_max_kernel_size\":1,\"TENSIX_COMPUTE_0_max_kernel_size\":1,"
          "\"TENSIX_DM_2_max_kernel_size\":1,\"ACTIVE_ETH_DM_0_max_kernel_size\":1,"
          "\"TENSIX_DM_0_max_kernel_size\":1}"),
        now, 7);
    static const char *const before[] = {"BRISC",   "NCRISC",  "TRISC 0",
                                         "TRISC 1", "TRISC 2", "ERISC"};
    check_sizes(S("{\"brisc_max_kernel_size\":1504,\"erisc_max_kernel_size\":0,"
                  "\"ncrisc_max_kernel_size\":1056,\"trisc_0_max_kernel_size\":2028,"
                  "\"trisc_1_max_kernel_size\":1304,\"trisc_2_max_kernel_size\":2100}"),
                before, 6);
}

TEST(op_record_takes_other_forms_of_records)
{
    struct arena a = {0};
    struct op_record r;
    // 2024: path in place of source, sizes as numbers.
    op_record_read(S("{\"attributes\":null,\"kernel_info\":{\"compute_kernels\":[],"
                     "\"datamovement_kernels\":[{\"name\":\"n\",\"path\":\"a,b.cpp\"}]},"
                     "\"parallelization_strategy\":\"MULTI_CORE\","
                     "\"output_tensors\":[{\"shape\":{\"W\":1,\"Z\":2,\"Y\":3,\"X\":4}}],"
                     "\"output_tensors_original_count\":12,"
                     "\"optional_input_tensors_original_count\":9,"
                     "\"program_hash\":77,\"program_cache_hit\":1}"),
                   &a, &r);
    assert_false(r.is_damaged);
    STR_IS(r.attributes, "None");
    STR_IS(r.strategy, "MULTI_CORE");
    STR_IS(r.compute_source, "[]");
    STR_IS(r.movement_source, "['a;b.cpp']");
    assert_null(r.fidelity.p);
    assert_int_equal(0, r.n_sizes);
    STR_IS(r.outputs[0].size[2], "3");
    assert_int_equal(12, r.n_outputs_said);
    assert_int_equal(9, r.n_inputs_said);
    assert_true(r.has_hash && r.hash == 77 && r.has_hit && r.is_hit);
    assert_true(isnan(r.compute_ns));
    // Without kernels nothing is said about them.
    op_record_read(S("{\"op_code\":\"a\"}"), &a, &r);
    assert_false(r.is_damaged);
    assert_null(r.compute_source.p);
    assert_false(r.has_id || r.has_device || r.has_hash || r.has_hit);
    arena_free(&a);
}

TEST(op_record_takes_values_of_other_kinds_as_they_are)
{
    struct arena a = {0};
    struct op_record r;
    op_record_read(S("{\"op_code\": 5, \"global_call_count\": \"x\", \"device_id\": null, "
                     "\"input_tensors\": {}, \"output_tensors\": [1, {\"storage_type\": "
                     "{\"device_id\": 0}}], \"kernel_info\": [], \"performance_model\": 3, "
                     "\"op_hash\": -1, \"attributes\": [\"a,b\"], \"metal_trace_id\": 4}"),
                   &a, &r);
    assert_false(r.is_damaged);
    STR_IS(r.code, "5");
    STR_IS(r.attributes, "['a;b']");
    assert_false(r.has_id || r.has_device || r.has_hash);
    assert_int_equal(0, r.n_inputs);
    assert_int_equal(2, r.n_outputs);
    assert_null(r.outputs[1].memory.p);
    assert_null(r.compute_source.p);
    STR_IS(r.extra[0].column, "METAL TRACE ID");
    arena_free(&a);
}

// --- damage

static void check_prefix_list(str part, str all)
{
    // A list that is cut has its first elements, and is closed.
    if (part.p && !str_eq(part, all)) {
        assert_true(part.n >= 2 && part.n < all.n);
        part.n--;
        assert_true(str_starts(all, part));
    }
}

static void check_same_or_none(str part, str all)
{
    if (part.p)
        assert_true(str_eq(part, all));
}

static void check_part(const struct op_record *p, const struct op_record *all)
{
    assert_true(p->is_damaged);
    assert_true(!p->has_id || p->id == all->id);
    assert_true(!p->has_device || p->device == all->device);
    assert_true(!p->has_hash || p->hash == all->hash);
    check_same_or_none(p->code, all->code);
    check_same_or_none(p->type, all->type);
    check_prefix_list(p->attributes, all->attributes);
    check_prefix_list(p->compute_source, all->compute_source);
    check_prefix_list(p->compute_hash, all->compute_hash);
    check_prefix_list(p->movement_source, all->movement_source);
    check_same_or_none(p->ideal, all->ideal);
    check_same_or_none(p->compute, all->compute);
    check_prefix_list(p->input_rates, all->input_rates);
    assert_true(isnan(p->compute_ns) || p->compute_ns == all->compute_ns);
    assert_true(p->n_inputs <= all->n_inputs && p->n_sizes <= all->n_sizes);
    for (size_t i = 0; i < p->n_inputs; i++) {
        for (int k = 0; k < 4; k++)
            check_same_or_none(p->inputs[i].size[k], all->inputs[i].size[k]);
        check_same_or_none(p->inputs[i].memory, all->inputs[i].memory);
        check_same_or_none(p->inputs[i].dtype, all->inputs[i].dtype);
    }
}

TEST(op_record_cut_anywhere_has_what_stands_before_the_cut)
{
    struct arena a = {0};
    struct op_record all, r;
    op_record_read(S(whole), &a, &all);
    for (size_t n = 0; n < sizeof whole - 1; n++) {
        struct arena_mark m = arena_mark(&a);
        op_record_read((str){whole, n}, &a, &r);
        check_part(&r, &all);
        str before = {whole, n};
        // A key whose value is whole has been taken.
        assert_int_equal(str_has(before, S("\"device_id\": 3,")), r.has_device);
        assert_int_equal(str_has(before, S("\"op_hash\": 18000000000000000001,")),
                         r.has_hash);
        assert_int_equal(str_has(before, S("\"Matmul, fused\"")), r.code.p != NULL);
        if (str_has(before, S("\"it's\"}")))
            assert_true(str_eq(r.attributes, all.attributes));
        arena_rewind(&a, m);
    }
    arena_free(&a);
}

TEST(op_record_that_is_no_object_or_goes_on_is_damaged)
{
    static const char *const odd[] = {"", "[]", "5", "{}x", "{\"op_code\":\"a\"}}", "null"};
    struct arena a = {0};
    struct op_record r;
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        op_record_read(str_of(odd[i]), &a, &r);
        assert_true(r.is_damaged);
    }
    op_record_read(S("{\"op_code\":\"a\"}}"), &a, &r);
    STR_IS(r.code, "a");
    arena_free(&a);
}
