// test_host_ops.c - messages and zones of the host become ops, traces and signposts.
#include "../support/sample_run.h"
#include "analyse/diags.h"
#include "analyse/host/host_ops.h"
#include "formats/host_run/host_run.h"
#include "test.h"
#include "trace/diags.h"

static void message(struct host_ops *h, uint64_t time, const char *text)
{
    host_ops_message(h, 0, time, str_of(text), false);
}

static void zone(struct host_ops *h, const char *name, const char *text, const char *parent,
                 uint64_t start, uint64_t duration)
{
    host_ops_zone(h, 0, str_of(name), str_of(text), str_of(parent), start, duration, 0);
}

static uint64_t found(const struct host_ops *h, int kind)
{
    return h->diag.entry[kind].count;
}

TEST(host_ops_know_every_form_of_a_message)
{
    struct host_ops h;
    host_ops_start(&h);
    message(&h, 1,
            "`TT_DNN_DEVICE_OP: \"A, \\\"b\\\"\", 18446744073709551615, 3, true, 1027 ->\n"
            "{\"op_code\": \"A\", \"op_type\": \"tt_dnn_device\", \"device_id\": 9, "
            "\"op_hash\": 1, \"global_call_count\": 5, \"program_cache_hit\": false}`");
    message(&h, 2, "TT_DNN_DEVICE_OP: \"B\", 7, 3, 2051 ->\n{\"program_cache_hit\": true}");
    message(&h, 3,
            "TT_DNN_DEVICE_OP:\"C\"\n{\"device_id\": 1, \"global_call_count\": 44, "
            "\"op_code\": \"C\", \"op_hash\": 8}");
    message(&h, 4,
            "TT_DNN_FALL_BACK_OP:\"torch.add\" ->\n{\"attributes\": null, "
            "\"global_call_count\": 2147483648, \"input_tensors\": [], \"op_code\": "
            "\"torch.add\", \"op_type\": \"python_fallback\"}");
    message(&h, 5, "TT_DNN_HOST_OP:\"old\" ->\n{\"global_call_count\": 12}");
    host_ops_finish(&h);
    assert_int_equal(5, h.ops.n);
    const struct host_op *op = h.ops.v;
    // What the head says goes before what the record says.
    assert_int_equal(1027, op[0].id);
    assert_int_equal(3, op[0].device);
    assert_true(op[0].hash == UINT64_MAX && op[0].is_hit);
    STR_IS(op[0].code, "A");
    assert_int_equal(2051, op[1].id);
    STR_IS(op[1].code, "B");
    STR_IS(op[1].type, "tt_dnn_device");
    assert_true(op[1].has_hit && op[1].is_hit);
    assert_int_equal(44, op[2].id);
    assert_int_equal(1, op[2].device);
    STR_IS(op[3].type, "python_fallback");
    assert_false(op[3].flags & HOST_OP_IS_DEVICE);
    assert_int_equal(DEVICE_NO_ID, op[3].device);
    STR_IS(op[4].type, "tt_dnn_cpu");
    STR_IS(op[4].code, "old");
    assert_int_equal(5, op[4].message_time);
    assert_int_equal(0, found(&h, DIAG_OP_MESSAGE));
    assert_int_equal(5, found(&h, DIAG_OP_NO_ZONE));
    host_ops_free(&h);
}

TEST(host_ops_repeats_that_tell_only_tensors_take_the_rest_from_the_first_message)
{
    struct host_ops h;
    host_ops_start(&h);
    message(&h, 1,
            "TT_DNN_DEVICE_OP: \"A\", 7, 0, false, 1024 ->\n{\"attributes\": {\"k\": "
            "\"v\"}, \"device_id\": 0, \"global_call_count\": 1024, \"input_tensors\": "
            "[{\"dtype\": \"BFLOAT16\"}, {\"dtype\": \"FLOAT32\"}], \"kernel_info\": "
            "{\"compute_kernels\": [{\"math_fidelity\": \"HiFi2\", \"name\": \"n\", "
            "\"source\": \"s.cpp\"}], \"kernel_sizes\": "
            "{\"TENSIX_DM_0_max_kernel_size\": 5}}, \"op_code\": \"A\", \"op_hash\": 7, "
            "\"op_type\": \"tt_dnn_device\", \"output_tensors\": [{\"layout\": "
            "\"TILE\"}], \"performance_model\": {\"compute_ns\": 300}}");
    message(&h, 2,
            "TT_DNN_DEVICE_OP: \"A\", 7, 0, true, 2048 ->\n{\"input_tensors\": "
            "[{\"dtype\": \"UINT32\"}], \"output_tensors\": []}");
    message(&h, 3, "TT_DNN_DEVICE_OP: \"A\", 7, 1, true, 2049 ->\n{\"input_tensors\": []}");
    message(&h, 4,
            "TT_DNN_DEVICE_OP: \"A\", 7, 0, true, 3072 ->\n{\"attributes\": {}, "
            "\"op_hash\": 7}");
    host_ops_finish(&h);
    const struct op_record *r = h.records.v;
    assert_int_equal(4, h.records.n);
    STR_IS(r[1].attributes, "{'k': 'v'}");
    STR_IS(r[1].compute_source, "['s.cpp']");
    STR_IS(r[1].fidelity, "HiFi2");
    STR_IS(r[1].type, "tt_dnn_device");
    assert_true(r[1].n_sizes == 1 && r[1].compute_ns == 300);
    assert_true(r[1].n_inputs == 1 && r[1].n_outputs == 0); // its own
    STR_IS(r[1].inputs[0].dtype, "UINT32");
    assert_int_equal(2048, h.ops.v[1].id);
    assert_true(h.ops.v[1].is_hit);
    // The program of another device was never described.
    assert_true(r[2].attributes.p == NULL && r[2].compute_source.p == NULL);
    // What is given stays, even if it is empty.
    STR_IS(r[3].attributes, "{}");
    STR_IS(r[3].inputs[0].dtype, "UINT32"); // as told last
    STR_IS(r[0].inputs[1].dtype, "FLOAT32");
    assert_int_equal(0, found(&h, DIAG_OP_CUT));
    host_ops_free(&h);
}

TEST(host_ops_repeats_share_the_record_of_their_program_and_device)
{
    struct host_ops h;
    host_ops_start(&h);
    message(&h, 1, "TT_DNN_DEVICE_OP: \"A\", 7, 0, false, 1024 ->\n{\"op_code\": \"A0\"}");
    message(&h, 2, "TT_DNN_DEVICE_OP: \"A\", 7, 1, false, 1025 ->\n{\"op_code\": \"A1\"}");
    message(&h, 3, "`TT_DNN_DEVICE_OP: \"A\", 7, 1, true, 2049`");
    message(&h, 4, "TT_DNN_DEVICE_OP: \"A\", 7, 0, 2048");
    message(&h, 5, "TT_DNN_DEVICE_OP: \"A; \\u0041\\\"\", 7, 2, 1, 2050");
    host_ops_message(&h, 1, 6, S("TT_DNN_DEVICE_OP: \"A\", 7, 0, 1, 1024"), false);
    host_ops_finish(&h);
    const struct host_op *op = h.ops.v;
    assert_int_equal(6, h.ops.n); // ids of two processes are two ops
    assert_int_equal(2, h.records.n);
    assert_int_equal(1, op[2].record);
    STR_IS(op[2].code, "A1");
    assert_true(op[2].is_hit);
    assert_int_equal(0, op[3].record);
    assert_false(op[3].has_hit);
    assert_int_equal(TRACE_NONE, op[4].record);
    STR_IS(op[4].code, "A; A\"");
    assert_true(op[4].is_hit);
    assert_int_equal(TRACE_NONE, op[5].record);
    assert_int_equal(2, found(&h, DIAG_OP_NO_RECORD));
    host_ops_free(&h);
}

TEST(host_ops_a_whole_record_is_not_replaced_by_a_cut_one)
{
    struct host_ops h;
    host_ops_start(&h);
    message(&h, 1, "TT_DNN_DEVICE_OP: \"A\", 7, 0, false, 1024 ->\n{\"op_code\": \"A\"}");
    message(&h, 2, "TT_DNN_DEVICE_OP: \"A\", 7, 0, false, 2048 ->\n{\"op_code\": \"A");
    message(&h, 3, "TT_DNN_DEVICE_OP: \"A\", 7, 0, true, 3072");
    host_ops_finish(&h);
    assert_true(h.ops.v[1].flags & HOST_OP_CUT);
    assert_int_equal(0, h.ops.v[2].record);
    assert_false(h.ops.v[2].flags & HOST_OP_CUT);
    assert_int_equal(1, found(&h, DIAG_OP_CUT));
    host_ops_free(&h);
}

TEST(host_ops_between_begin_and_end_belong_to_a_trace)
{
    struct host_ops h;
    host_ops_start(&h);
    message(&h, 1, "`TT_METAL_TRACE_BEGIN: 0, 5`");
    message(&h, 2, "TT_DNN_DEVICE_OP: \"A\", 7, 0, 0, 1024");
    message(&h, 3, "TT_DNN_DEVICE_OP: \"A\", 7, 1, 0, 1025"); // of another device
    message(&h, 4, "TT_METAL_TRACE_ENQUEUE_PROGRAM: 0, 5, 1");
    message(&h, 5, "TT_METAL_TRACE_END: 0, 5");
    message(&h, 6, "TT_DNN_DEVICE_OP: \"A\", 7, 0, 0, 2048");
    message(&h, 9, "TT_METAL_TRACE_REPLAY: 0, 5");
    message(&h, 8, "TT_METAL_TRACE_REPLAY: 0, 5");
    message(&h, 10, "TT_METAL_TRACE_RELEASE: 0, 5");
    host_ops_finish(&h);
    assert_int_equal(5, h.ops.v[0].trace);
    assert_int_equal(DEVICE_NO_ID, h.ops.v[1].trace);
    assert_int_equal(DEVICE_NO_ID, h.ops.v[2].trace);
    assert_int_equal(2, h.replays.n);
    assert_int_equal(8, h.replays.v[0].time);
    assert_int_equal(0, found(&h, DIAG_TRACE_BRACKET));
    assert_int_equal(0, found(&h, DIAG_OP_MESSAGE));
    host_ops_free(&h);
}

TEST(host_ops_odd_brackets_of_traces_are_counted)
{
    struct host_ops h;
    host_ops_start(&h);
    message(&h, 1, "TT_METAL_TRACE_END: 0, 1"); // no begin
    message(&h, 2, "TT_METAL_TRACE_BEGIN: 0, 1");
    message(&h, 3, "TT_METAL_TRACE_BEGIN: 0, 2"); // inside
    message(&h, 4, "TT_DNN_DEVICE_OP: \"A\", 7, 0, 0, 1024");
    message(&h, 5, "TT_METAL_TRACE_END: 0, 9");   // another one
    message(&h, 6, "TT_METAL_TRACE_BEGIN: 0, 3"); // no end
    message(&h, 7, "TT_METAL_TRACE_BEGIN: zero, 3");
    message(&h, 8, "TT_METAL_TRACE_BEGIN");
    host_ops_finish(&h);
    assert_int_equal(2, h.ops.v[0].trace);
    assert_int_equal(4, found(&h, DIAG_TRACE_BRACKET));
    assert_string_equal("device 0: trace 1 ends without a begin",
                        h.diag.entry[DIAG_TRACE_BRACKET].first);
    assert_int_equal(2, found(&h, DIAG_OP_MESSAGE));
    host_ops_free(&h);
}

TEST(host_ops_signposts_keep_all_that_was_written)
{
    struct host_ops h;
    host_ops_start(&h);
    message(&h, 1, "`TT_SIGNPOST: start: a, b\nfirst: line\nsecond, TT_METAL_OP`");
    message(&h, 2, "TT_SIGNPOST: stop");
    message(&h, 3, "TT_SIGNPOST: TT_DNN_DEVICE_OP");
    message(&h, 4, "MLIR_OP_LOCATION;loc(unknown)");
    message(&h, 5, "anything else");
    host_ops_finish(&h);
    assert_int_equal(3, h.signposts.n);
    STR_IS(h.signposts.v[0].header, "start: a; b");
    STR_IS(h.signposts.v[0].text, "first: line\nsecond; TT_METAL_OP");
    STR_IS(h.signposts.v[1].header, "stop");
    assert_null(h.signposts.v[1].text.p);
    STR_IS(h.signposts.v[2].header, "TT_DNN_DEVICE_OP");
    assert_int_equal(0, h.ops.n);
    assert_int_equal(0, diag_total(&h.diag));
    host_ops_free(&h);
}

TEST(host_ops_of_several_zones_take_the_last_one)
{
    struct host_ops h;
    host_ops_start(&h);
    zone(&h, "TT_DNN_DEVICE_OP", "id:1024", "", 7, 3);
    zone(&h, "TT_DNN_DEVICE_OP", "id:1024", "", 500, 9);
    host_ops_finish(&h);
    assert_int_equal(1, h.ops.n);
    assert_int_equal(500, h.ops.v[0].start);
    assert_int_equal(500, h.ops.v[0].message_time); // there is no message to place it by
    host_ops_free(&h);
}

TEST(host_ops_have_whole_characters_only)
{
    struct host_ops h;
    host_ops_start(&h);
    message(&h, 1, "TT_SIGNPOST: \xC3\xA9\xC3x\n\xFF\xC3");
    host_ops_finish(&h);
    STR_IS(h.signposts.v[0].header, "\xC3\xA9\xEF\xBF\xBDx");
    STR_IS(h.signposts.v[0].text, "\xEF\xBF\xBD\xEF\xBF\xBD");
    assert_int_equal(1, found(&h, DIAG_TEXT_NOT_UTF8));
    host_ops_free(&h);
}

TEST(host_ops_take_ticks_off_where_a_program_put_them)
{
    struct host_ops h;
    host_ops_start(&h);
    message(&h, 1, "`TT_SIGNPOST: a ``b``\n```"); // as a run has it
    message(&h, 2, "TT_SIGNPOST: a ``b``\n`");    // as it stood in a table
    host_ops_finish(&h);
    assert_int_equal(2, h.signposts.n);
    STR_IS(h.signposts.v[0].header, "a `b`");
    STR_IS(h.signposts.v[0].text, "`");
    STR_IS(h.signposts.v[1].header, "a ``b``");
    STR_IS(h.signposts.v[1].text, "`");
    host_ops_free(&h);
}

TEST(host_ops_messages_that_cannot_be_read_are_counted)
{
    struct host_ops h;
    host_ops_start(&h);
    message(&h, 1, "TT_DNN_DEVICE_OP: \"A\", 7, 0");
    message(&h, 2, "TT_DNN_DEVICE_OP");
    message(&h, 3, "TT_DNN_FALL_BACK_OP:\"f\" ->\n{\"attributes\": null, \"glob");
    message(&h, 4, "");
    message(&h, 5, "`");
    host_ops_finish(&h);
    assert_int_equal(0, h.ops.n);
    assert_int_equal(3, found(&h, DIAG_OP_MESSAGE));
    assert_string_equal("TT_DNN_DEVICE_OP: \"A\", 7, 0",
                        h.diag.entry[DIAG_OP_MESSAGE].first);
    host_ops_free(&h);
}

TEST(host_ops_zones_give_host_times_and_calls_inside)
{
    struct host_ops h;
    host_ops_start(&h);
    zone(&h, "TT_DNN_DEVICE_OP", "id:1024", "", 100, 50); // before its message: no matter
    message(&h, 1, "TT_DNN_DEVICE_OP: \"A\", 7, 0, 0, 1024");
    message(&h, 2, "TT_DNN_DEVICE_OP: \"A\", 7, 0, 0, 2048");
    zone(&h, "TT_DNN_DEVICE_OP", "a:b:id: 2048", "", 150, 7);
    zone(&h, "TT_DNN_DEVICE_OP", "id:2048", "", 160, 8); // of two the last one stands
    zone(&h, "TT_DNN_DEVICE_OP", "no number", "", 200, 1);
    zone(&h, "write_buffer", "", "id:2048", 120, 3);
    zone(&h, "CompileProgram", "", "id:1024", 110, 20);
    zone(&h, "write_buffer", "", "id:1024", 130, 4);
    zone(&h, "write_buffer", "", "id:1024", 140, 6);
    zone(&h, "never", "", "id:99", 140, 6); // an op that nobody knows
    zone(&h, "outside", "", "", 140, 6);
    host_ops_finish(&h);
    assert_int_equal(2, h.ops.n);
    assert_int_equal(100, h.ops.v[0].start);
    assert_int_equal(50, h.ops.v[0].duration);
    assert_int_equal(160, h.ops.v[1].start);
    assert_int_equal(2, h.n_zones_alone);
    assert_int_equal(2, found(&h, DIAG_OP_ZONE));
    assert_int_equal(2, h.children.keys.n);
    STR_IS(h.children.keys.v[0], "CompileProgram");
    STR_IS(h.children.keys.v[1], "write_buffer");
    assert_int_equal(3, h.child.n);
    assert_int_equal(20, h.child.v[0].total);
    assert_int_equal(1, h.child.v[1].name);
    assert_int_equal(10, h.child.v[1].total);
    assert_int_equal(2, h.child.v[1].count);
    assert_int_equal(1, h.child.v[2].op);
    assert_int_equal(3, h.child.v[2].total);
    host_ops_free(&h);
}

TEST(host_ops_zones_without_a_message_become_ops)
{
    struct host_ops h;
    host_ops_start(&h);
    message(&h, 1, "TT_DNN_DEVICE_OP: \"A\", 7, 2, 0, 1026");
    zone(&h, "TT_DNN_DEVICE_OP", "id:2050", "", 100, 50);
    zone(&h, "TT_DNN_FALLBACK_OP", "id:2147484672", "", 200, 50);
    host_ops_finish(&h);
    assert_int_equal(3, h.ops.n);
    assert_int_equal(HOST_OP_IS_DEVICE | HOST_OP_NO_MESSAGE, h.ops.v[1].flags);
    assert_int_equal(2, h.ops.v[1].device); // an id carries its device
    STR_IS(h.ops.v[2].type, "python_fallback");
    assert_int_equal(HOST_OP_NO_MESSAGE, h.ops.v[2].flags);
    assert_int_equal(2, found(&h, DIAG_OP_NO_MESSAGE));
    host_ops_free(&h);
}

// --- from a run folder ---------------------------------------------------------------
// An op around
// another one, with calls inside; texts come when all inside is over.
static void add_ops(struct sample_run *run, uint32_t pid, uint64_t start)
{
    struct sample_process *p = sample_process(run, pid, start);
    uint32_t op = sample_location(p, "TT_DNN_DEVICE_OP", "run", "a.c", 1);
    uint32_t compile = sample_location(p, "CompileProgram", "compile", "a.c", 2);
    uint32_t other = sample_location(p, "other", "other", "a.c", 3);
    struct sample_words w = {0};
    sample_text(&w, TT_SIGNPOST, start + 10, 0, "go, now\nwith: text\nand more");
    sample_begin(&w, start + 100, op);
    sample_begin(&w, start + 110, other);
    sample_begin(&w, start + 120, compile);
    sample_end(&w, start + 150);
    sample_end(&w, start + 160);
    sample_begin(&w, start + 200, op);
    sample_begin(&w, start + 210, compile);
    sample_end(&w, start + 217);
    sample_text(&w, TT_ZONE_TEXT, start + 220, 0, "id:2048");
    sample_end(&w, start + 250);
    sample_begin(&w, start + 260, compile);
    sample_end(&w, start + 265);
    sample_text(&w, TT_ZONE_TEXT, start + 270, 0, "id:1024");
    sample_end(&w, start + 300);
    sample_begin(&w, start + 400, compile); // in no op
    sample_end(&w, start + 450);
    sample_text(&w, TT_OP, start + 500, 0,
                "TT_DNN_DEVICE_OP: \"A\", 7, 0, false, 1024 ->\n{\"op_code\": \"A\"}");
    sample_text(&w, TT_OP, start + 510, 0, "`TT_DNN_DEVICE_OP: \"A\", 7, 0, true, 2048`");
    sample_text(&w, TT_MESSAGE, start + 520, 0, "TT_METAL_TRACE_REPLAY: 0, 3");
    sample_ring(p, 1, &w);
    sample_words_free(&w);
}

TEST(host_ops_of_a_run_folder_belong_to_their_process)
{
    struct sample_run run;
    struct trace r;
    struct host_ops h;
    struct err e = {0};
    sample_run_start(&run);
    add_ops(&run, 100, 1000);
    add_ops(&run, 200, 9000);
    sample_run_write(&run);
    if (!host_run_open(&r, run.path, &e))
        fail_msg("%s", e.text);
    host_ops_start(&h);
    host_ops_read_run(&h, &r, "CompileProgram, WriteBuffer");
    host_ops_finish(&h);
    assert_int_equal(4, h.ops.n);
    assert_int_equal(0, diag_total(&h.diag));
    for (uint32_t i = 0; i < 4; i += 2) {
        const struct host_op *op = &h.ops.v[i];
        uint64_t start = op->message_time - 500;
        assert_int_equal(i / 2, op->process);
        assert_int_equal(1024 + 2 * 1024 * op->process, op->id); // unique in the run
        assert_int_equal(start + 100, op->start);
        assert_int_equal(200, op->duration);
        assert_int_equal(0, op->depth);
        assert_int_equal(op->id + 1024, op[1].id);
        assert_int_equal(op->record, op[1].record);
        assert_int_equal(50, op[1].duration);
        assert_int_equal(1, op[1].depth);
        const struct host_child *c = &h.child.v[2 * i];
        assert_int_equal(i, c->op);
        assert_int_equal(35, c->total);
        assert_int_equal(2, c->count);
        assert_int_equal(200, c[1].total); // its own zone
        assert_int_equal(7, c[2].total);
        assert_int_equal(50, c[3].total);
    }
    assert_int_equal(8000, h.ops.v[2].start - h.ops.v[0].start);
    assert_int_equal(8, h.child.n);
    assert_int_equal(2, h.children.keys.n);
    STR_IS(h.children.keys.v[1], "TT_DNN_DEVICE_OP");
    assert_int_equal(2, h.replays.n);
    assert_int_equal(2, h.signposts.n);
    STR_IS(h.signposts.v[0].header, "go; now");
    STR_IS(h.signposts.v[0].text, "with: text\nand more");
    host_ops_free(&h);
    trace_free(&r);
    sample_run_free(&run);
}
