// test_op_ids.c - numbers of programs and traces in the texts of a runtime.
#include "analyse/host/op_ids.h"
#include "test.h"

static void message_becomes(const char *from, const char *to)
{
    struct op_id_place places[OP_IDS_MOST];
    struct buf b = {0};
    str text = str_of(from);
    size_t n = op_ids_in_message(text, places);
    test_str_is(op_ids_raised(text, places, n, 3, 5, &b), str_of(to), __FILE__, __LINE__);
    buf_free(&b);
}

TEST(op_ids_of_an_op_are_raised_in_head_and_record)
{
    message_becomes(
        "`TT_DNN_DEVICE_OP: \"A\", 77, 1, false, 1025 ->\n"
        "{\"attributes\": {\"text\": \"\\\"global_call_count\\\": 9\"}, "
        "\"global_call_count\": 1025, \"op_code\": \"A\"}`",
        "`TT_DNN_DEVICE_OP: \"A\", 77, 1, false, 4097 ->\n"
        "{\"attributes\": {\"text\": \"\\\"global_call_count\\\": 9\"}, "
        "\"global_call_count\": 4097, \"op_code\": \"A\"}`");
}

TEST(op_ids_of_a_repeated_op_are_raised)
{
    message_becomes("`TT_DNN_DEVICE_OP: \"A, b\", 77, 0, true, 2048`",
                    "`TT_DNN_DEVICE_OP: \"A, b\", 77, 0, true, 5120`");
    message_becomes("TT_DNN_DEVICE_OP: \"A\", 77, 0, 2048",
                    "TT_DNN_DEVICE_OP: \"A\", 77, 0, 5120");
}

TEST(op_ids_of_an_op_of_the_host_keep_their_flag)
{
    message_becomes("`TT_DNN_FALL_BACK_OP:\"f\" ->\n{\"global_call_count\": 2147484672}`",
                    "`TT_DNN_FALL_BACK_OP:\"f\" ->\n{\"global_call_count\": 2147487744}`");
    assert_int_equal(1, op_id_program(2147484672));
}

TEST(op_ids_of_traces_are_raised_by_their_own_constant)
{
    message_becomes("`TT_METAL_TRACE_REPLAY: 1, 0`", "`TT_METAL_TRACE_REPLAY: 1, 5`");
    message_becomes("`TT_METAL_TRACE_ENQUEUE_PROGRAM: 0, 2, 11`",
                    "`TT_METAL_TRACE_ENQUEUE_PROGRAM: 0, 7, 14`");
}

TEST(op_ids_leave_other_texts_alone)
{
    static const char *const texts[] = {
        "half way, 12",
        "TT_SIGNPOST: TT_METAL_TRACE_BEGIN: 0, 1",
        "`TT_DNN_DEVICE_OP: \"A\", 77, 0, false, x ->\n{}`",
        "TT_METAL_TRACE_BEGIN",
        "",
        "TT_DNN_DEVICE_OP: \"A\", 1, 0, 99999999999999999999"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        message_becomes(texts[i], texts[i]);
}

TEST(op_ids_of_a_zone_are_in_its_text)
{
    struct op_id_place places[OP_IDS_MOST];
    struct buf b = {0};
    assert_int_equal(1, op_ids_in_zone(S("id:1024"), places));
    STR_IS(op_ids_raised(S("id:1024"), places, 1, 1, 0, &b), "id:2048");
    assert_int_equal(0, op_ids_in_zone(S("path:12"), places));
    assert_int_equal(0, op_ids_in_zone(S(""), places));
    buf_free(&b);
}
