// test_op_fit.c - op records that are too long for a message of Tracy.
#include <stdio.h>
#include <stdlib.h>

#include "base/text/buf.h"

#include "formats/ops_table/op_message.h"
#include "formats/ops_table/op_record.h"
#include "record/format/op_fit.h"
#include "test.h"

static char out[OP_FIT_BYTES];

static str fit(const char *text, size_t most, enum op_fit want)
{
    enum op_fit how;
    size_t n = op_fit(text, strlen(text), out, most, &how);
    assert_int_equal(how, want);
    return (str){out, n};
}

#define HEAD "TT_DNN_DEVICE_OP: \"Matmul\", 77, 0, true, 1024 ->\n"
#define RECORD                                                                             \
    HEAD                                                                                   \
        "{\n    \"attributes\": {\"a b\": \"1 `2\"},\n    \"kernel_info\": {},\n    \"op_hash\": 77\n}"

TEST(op_records_that_fit_are_only_put_in_backticks)
{
    STR_IS(fit("", 2, OP_FIT_WHOLE), "``");
    STR_IS(fit("a`b\n{ }", 100, OP_FIT_WHOLE), "`a``b\n{ }`");
    STR_IS(fit("`a``b\n{ }`", 100, OP_FIT_WHOLE), "`a``b\n{ }`");
    STR_IS(fit("`cut", 100, OP_FIT_WHOLE), "`cut`");
    assert_int_equal(fit(RECORD, sizeof RECORD + 2, OP_FIT_WHOLE).n, sizeof RECORD + 2);
}

TEST(op_records_lose_blanks_then_kernels_then_attributes)
{
    STR_IS(fit(RECORD, sizeof RECORD + 1, OP_FIT_COMPACT),
           "`" HEAD
           "{\"attributes\":{\"a b\":\"1 ``2\"},\"kernel_info\":{},\"op_hash\":77}`");
    STR_IS(fit(RECORD, sizeof HEAD + 46, OP_FIT_NO_KERNELS),
           "`" HEAD "{\"attributes\":{\"a b\":\"1 ``2\"},\"op_hash\":77}`");
    STR_IS(fit(RECORD, sizeof HEAD + 16, OP_FIT_FEW_TENSORS), "`" HEAD "{\"op_hash\":77}`");
    assert_int_equal(fit(RECORD, sizeof HEAD + 13, OP_FIT_NOT).n, 0);
    STR_IS(fit("{ \"attributes\" : [ ] }", 4, OP_FIT_FEW_TENSORS), "`{}`");
    STR_IS(fit("`h ->\n{ \"x`` \": [ 1 , { } ] }`", 24, OP_FIT_COMPACT),
           "`h ->\n{\"x`` \":[1,{}]}`");
}

static void put_tensors(struct buf *b, const char *key, int n)
{
    buf_printf(b, "  \"%s\": [ ", key);
    for (int i = 0; i < n; i++)
        buf_printf(b, "%s{ \"layout\": \"%d\" }", i ? ", " : "", i);
    buf_z(b, " ],\n");
}

TEST(op_records_keep_eight_tensors_of_each_list_and_say_how_many_there_were)
{
    struct arena a = {0};
    struct buf b = {0};
    struct op_message m;
    struct op_record r;
    buf_z(&b, HEAD "{ \"global_call_count\": 1024,\n");
    put_tensors(&b, "input_tensors", 100);
    put_tensors(&b, "optional_input_tensors", 0);
    put_tensors(&b, "output_tensors", 8);
    buf_z(&b, "  \"op_hash\": 77 }");
    buf_char(&b, '\0');
    str made = fit(b.p, 1000, OP_FIT_FEW_TENSORS);
    assert_true(op_message_parse(made, &m));
    assert_int_equal(m.id, 1024);
    assert_int_equal(m.hash, 77);
    str json = m.json;
    op_record_read(json, &a, &r);
    assert_false(r.is_damaged);
    assert_int_equal(r.n_inputs, 8);
    assert_int_equal(r.n_inputs_said, 100);
    STR_IS(r.inputs[7].layout, "7");
    assert_int_equal(r.n_outputs, 8);
    assert_int_equal(r.n_outputs_said, 0);
    assert_int_equal(r.n_extra, 0);
    buf_free(&b);
    arena_free(&a);
}

TEST(op_records_that_are_not_json_are_not_shortened)
{
    static const char *const bad[] = {"h ->\n{   \"a\": [1, 2",
                                      "h ->\n{   \"a\": 1}  x",
                                      "h ->\n{   \"a\": \"cut\\",
                                      "h ->\n{   \"a\": \"x\ny\"}",
                                      "h ->\n{   \"a\" 1      }",
                                      "h ->\n{   \"a\": [1,]  }",
                                      "h ->\n{   \"a\": {\"b\"} }",
                                      "h ->\n{   \"a\": ]      }",
                                      "h, without a record    ",
                                      "h ->\n{   \"a\": [}       ",
                                      "h ->\n[   1,    2,   3   ]",
                                      "h ->\n{   , \"a\": 1      }",
                                      "h ->\n{   \"input_tensors\": [1, 2,,3]}",
                                      "h ->\n{   \"a\":           }"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(fit(bad[i], strlen(bad[i]) - 1, OP_FIT_NOT).n, 0);
}

TEST(op_records_of_any_depth_are_looked_into_without_recursion)
{
    enum { DEEP = 200000 };
    struct buf b = {0};
    enum op_fit how;
    for (int depth = OP_FIT_DEPTH - 2; depth <= DEEP;
         depth = depth < 200 ? depth + 2 : depth + DEEP) {
        b.n = 0;
        buf_z(&b, "{   \"a\":   ");
        buf_fill(&b, '[', (size_t)depth);
        buf_fill(&b, ']', (size_t)depth);
        buf_z(&b, "}");
        size_t n = op_fit(b.p, b.n, out, b.n < sizeof out ? b.n : sizeof out, &how);
        assert_int_equal(how, depth < OP_FIT_DEPTH ? OP_FIT_COMPACT : OP_FIT_NOT);
        assert_int_equal(n, how == OP_FIT_NOT ? 0 : (size_t)2 * (size_t)depth + 8);
    }
    buf_free(&b);
}
