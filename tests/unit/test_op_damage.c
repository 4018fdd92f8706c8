// test_op_damage.c - whatever is missing or wrong, the ops report is complete and says what
// became of each op.
#include <stdio.h>

#include "analyse/diags.h"
#include "sample_report.h"

TEST(op_damage_host_op_without_device_data)
{
    struct sample_report s;
    sample_report_start(&s);
    for (uint64_t base = 1; base <= 3; base++)
        sample_op(&s, 0, base);
    sample_measured(&s, 0, 1, 10000);
    sample_measured(&s, 0, 3, 30000);
    sample_join(&s);
    ROWS_ARE(&s, "1 ok, 2 not measured, 3 ok");
    COVERAGE_IS(&s, "device 0: expected 3, measured 2, 66.7 %\n");
    assert_int_equal(TRACE_NONE, s.report.rows.v[1].device);
    assert_int_equal(1, s.report.diag.entry[DIAG_OP_NOT_MEASURED].count);
    assert_string_equal("device 0: op 2048 Matmul",
                        s.report.diag.entry[DIAG_OP_NOT_MEASURED].first);
    sample_report_free(&s);
}

TEST(op_damage_no_device_data_at_all)
{
    struct sample_report s;
    sample_report_start(&s);
    sample_op(&s, 0, 1);
    host_ops_finish(&s.host);
    op_report_join(&s.report, &s.host, NULL);
    ROWS_ARE(&s, "1 no device data");
    COVERAGE_IS(&s, "device 0: expected 1, measured 0, 0 %; no device data were given\n");
    sample_report_free(&s);
}

TEST(op_damage_device_op_without_host_record)
{
    struct sample_report s;
    sample_report_start(&s);
    sample_op(&s, 0, 1);
    sample_measured(&s, 0, 9, 90000); // the order of the file does not matter
    sample_measured(&s, 1, 7, 5000);
    sample_measured(&s, 0, 8, 80000);
    sample_measured(&s, 0, 1, 10000);
    sample_join(&s);
    ROWS_ARE(&s, "1 ok | 8 no host op, 9 no host op, 7 no host op");
    assert_int_equal(1, s.report.n_rows);
    COVERAGE_IS(&s,
                "device 0: expected 1, measured 1, 100 %; 2 measured without a host op "
                "(--unmatched shows them)\n"
                "device 1: expected 0, measured 0; 1 measured without a host op "
                "(--unmatched shows them)\n");
    assert_int_equal(3, s.report.diag.entry[DIAG_OP_NO_HOST].count);
    sample_report_free(&s);
}

TEST(op_damage_trace_never_replayed)
{
    struct sample_report s;
    sample_report_start(&s);
    sample_op(&s, 0, 1);
    sample_message(&s, "TT_METAL_TRACE_BEGIN: 0, 4");
    sample_op(&s, 0, 2);
    sample_op(&s, 0, 3);
    sample_message(&s, "TT_METAL_TRACE_END: 0, 4");
    sample_measured(&s, 0, 1, 10000);
    sample_join(&s);
    ROWS_ARE(&s, "1 ok, 2 never replayed, 3 never replayed");
    COVERAGE_IS(
        &s,
        "device 0: expected 1, measured 1, 100 %; 2 captured in traces that never ran\n");
    sample_report_free(&s);
}

static void capture(struct sample_report *s, int64_t device)
{
    char text[64];
    (void)snprintf(text, sizeof text, "TT_METAL_TRACE_BEGIN: %d, 4", (int)device);
    sample_message(s, text);
    sample_op(s, device, 2);
    sample_op(s, device, 3);
    (void)snprintf(text, sizeof text, "TT_METAL_TRACE_END: %d, 4", (int)device);
    sample_message(s, text);
}

TEST(op_damage_more_replays_than_recorded)
{
    struct sample_report s;
    sample_report_start(&s);
    capture(&s, 0);
    sample_message(&s, "TT_METAL_TRACE_REPLAY: 0, 4");
    for (int64_t session = 1; session <= 2; session++)
        for (uint64_t base = 2; base <= 3; base++)
            sample_replayed(&s, 0, base, 4, session,
                            session * 100000 + (int64_t)base * 2000);
    sample_join(&s);
    // Those of the replay that nobody told of stand where their ops were captured.
    ROWS_ARE(&s,
             "2 capture, 2/2 replay unknown, 3 capture, 3/2 replay unknown, 2/1 ok, "
             "3/1 ok");
    COVERAGE_IS(&s,
                "device 0: expected 2, measured 2, 100 %; 2 measured in replays that the "
                "host did not report\n");
    assert_int_equal(2, s.report.diag.entry[DIAG_OP_REPLAY_UNTOLD].count);
    sample_report_free(&s);
}

TEST(op_damage_a_replay_that_was_lost_is_counted)
{
    struct sample_report s;
    sample_report_start(&s);
    capture(&s, 0);
    for (int i = 0; i < 3; i++)
        sample_message(&s, "TT_METAL_TRACE_REPLAY: 0, 4");
    sample_replayed(&s, 0, 2, 4, 1, 100000);
    sample_replayed(&s, 0, 3, 4, 1, 102000);
    sample_replayed(&s, 0, 3, 4, 3, 302000);
    sample_join(&s);
    ROWS_ARE(&s, "2 capture, 3 capture, 2/1 ok, 3/1 ok, 3/3 ok");
    COVERAGE_IS(&s, "device 0: expected 6, measured 3, 50.0 %\n");
    assert_int_equal(3, s.report.diag.entry[DIAG_OP_NOT_MEASURED].count);
    sample_report_free(&s);
}

TEST(op_damage_duplicate_ids)
{
    struct sample_report s;
    sample_report_start(&s);
    sample_op(&s, 0, 1);
    sample_op(&s, 0, 2);
    sample_message(&s, "TT_DNN_DEVICE_OP: \"Again\", 77, 0, true, 1024");
    sample_measured(&s, 0, 2, 30000);
    sample_measured(&s, 0, 2, 20000);
    sample_measured(&s, 0, 1, 10000);
    sample_join(&s);
    ROWS_ARE(&s, "1 ok, 2 duplicate, 2 duplicate");
    STR_IS(s.host.ops.v[0].code, "Again"); // the later one stands
    assert_true(s.host.ops.v[0].flags & HOST_OP_AGAIN);
    assert_int_equal(1, s.host.diag.entry[DIAG_OP_AGAIN].count);
    // By start, whatever the order of the file.
    assert_int_equal(1, s.report.rows.v[1].device);
    COVERAGE_IS(&s,
                "device 0: expected 2, measured 2, 100 %; 1 measured again; 1 with an id "
                "used before\n");
    sample_report_free(&s);
}

TEST(op_damage_most_device_rows_lost)
{
    struct sample_report s;
    sample_report_start(&s);
    for (uint64_t base = 1; base <= 1000; base++) {
        sample_op(&s, 0, base);
        if ((base - 1) % 100 < 18) // then the buffer is full until the next read
            sample_measured(&s, 0, base, (int64_t)base * 2000);
    }
    sample_join(&s);
    COVERAGE_IS(&s,
                "device 0: expected 1000, measured 180, 18.0 %; raise the program support "
                "count to 4300 (--op-support-count)\n");
    assert_int_equal(1000, s.report.n_rows);
    assert_int_equal(180, s.report.coverage.v[0].by_state[OP_OK]);
    assert_int_equal(820, s.report.coverage.v[0].by_state[OP_NOT_MEASURED]);
    // What was lost is no gap of the device: latencies go on behind it.
    assert_int_equal(1100, s.report.rows.v[1].latency);
    assert_int_equal(DEVICE_NONE, s.report.rows.v[18].latency);
    assert_int_equal(83 * 2000 - 900, s.report.rows.v[100].latency);
    sample_report_free(&s);
}

TEST(op_damage_device_log_cut_in_the_middle_of_a_line)
{
    struct sample_report s;
    sample_report_start(&s);
    for (uint64_t base = 1; base <= 4; base++)
        sample_op(&s, 0, base);
    sample_measured(&s, 0, 1, 10000);
    sample_measured(&s, 0, 2, 20000);
    struct device_row *cut = sample_measured(&s, 0, 3, 30000);
    cut->is_incomplete = true; // the log ends inside of it
    cut->state[DEVICE_FW] = cut->state[DEVICE_KERNEL] = STATE_REPAIRED;
    sample_join(&s);
    ROWS_ARE(&s, "1 ok, 2 ok, 3 incomplete, 4 not measured");
    COVERAGE_IS(&s, "device 0: expected 4, measured 3, 75.0 %; 1 with markers missing\n");
    assert_int_equal(0, s.report.bad.n);
    sample_report_free(&s);
}

TEST(op_damage_message_cut_at_its_limit)
{
    struct sample_report s;
    sample_report_start(&s);
    host_ops_message(
        &s.host, 0, s.time,
        S("TT_DNN_DEVICE_OP: \"Matmul\", 5, 0, false, 1024 ->\n"
          "{\"attributes\": {\"a\": \"b\"}, \"device_id\": 0, \"global_call_co"),
        true);
    sample_message(&s, "TT_DNN_DEVICE_OP: \"Matmul\", 5, 0, true, 2048");
    sample_message(&s, "TT_DNN_DEVICE_OP: \"Softmax\", 6, 0, true, 3072");
    // Its message was swallowed by the cut: only the zone is left.
    host_ops_zone(&s.host, 0, S("TT_DNN_DEVICE_OP"), S("id:4096"), (str){0}, 2000, 5, 0);
    for (uint64_t base = 1; base <= 4; base++)
        sample_measured(&s, 0, base, (int64_t)base * 10000);
    sample_join(&s);
    ROWS_ARE(&s, "1 ok, 2 ok, 3 ok, 4 ok");
    COVERAGE_IS(&s, "device 0: expected 4, measured 4, 100 %\n");
    const struct host_op *ops = s.host.ops.v;
    assert_true(ops[0].flags & HOST_OP_CUT);
    STR_IS(ops[0].code, "Matmul");
    STR_IS(ops[0].type, "tt_dnn_device");
    STR_IS(s.host.records.v[ops[0].record].attributes, "{'a': 'b'}");
    assert_int_equal(ops[0].record, ops[1].record); // what is left of it serves, too
    assert_true(ops[1].is_hit);
    assert_true(ops[2].flags & HOST_OP_NO_RECORD);
    STR_IS(ops[2].code, "Softmax");
    assert_int_equal(6, ops[2].hash);
    assert_true(ops[3].flags & HOST_OP_NO_MESSAGE);
    STR_IS(ops[3].code, "unknown");
    assert_int_equal(1, s.host.diag.entry[DIAG_OP_CUT].count);
    assert_int_equal(1, s.host.diag.entry[DIAG_OP_NO_RECORD].count);
    assert_int_equal(1, s.host.diag.entry[DIAG_OP_NO_MESSAGE].count);
    sample_report_free(&s);
}

TEST(op_damage_clock_going_back)
{
    struct sample_report s;
    sample_report_start(&s);
    for (uint64_t base = 1; base <= 4; base++)
        sample_op(&s, 0, base);
    sample_measured(&s, 0, 1, 10000);
    sample_measured(&s, 0, 2, 5000); // the device was reset
    struct device_row *back = sample_measured(&s, 0, 3, 20000);
    back->v[DEVICE_FW_END] = 300;
    back->v[DEVICE_FW] = -19700;
    sample_measured(&s, 0, 4, 30000);
    sample_join(&s);
    ROWS_ARE(&s, "1 ok, 2 ok, 3 ok, 4 ok");
    COVERAGE_IS(&s, "device 0: expected 4, measured 4, 100 %\n");
    const struct op_row *rows = s.report.rows.v;
    assert_int_equal(DEVICE_NONE, rows[1].latency);
    assert_int_equal(STATE_BAD, rows[1].latency_state);
    assert_int_equal(14100, rows[2].latency);
    const struct device_row *third = &s.device.v.v[2];
    assert_int_equal(DEVICE_NONE, third->v[DEVICE_FW_END]);
    assert_int_equal(DEVICE_NONE, third->v[DEVICE_FW]);
    assert_int_equal(STATE_BAD, third->state[DEVICE_FW]);
    assert_int_equal(20000, third->v[DEVICE_FW_START]);
    assert_int_equal(900, third->v[DEVICE_KERNEL]);
    assert_int_equal(4, s.report.bad.n); // two latencies, an end, a duration
    assert_int_equal(4, s.report.diag.entry[DIAG_CELL_BAD].count);
    size_t n_of_row[4] = {0};
    for (size_t i = 0; i < s.report.bad.n; i++)
        n_of_row[s.report.bad.v[i].row]++;
    assert_int_equal(2, n_of_row[1]);
    assert_int_equal(2, n_of_row[2]);
    sample_report_free(&s);
}

TEST(op_damage_end_without_start)
{
    struct sample_report s;
    sample_report_start(&s);
    for (uint64_t base = 1; base <= 3; base++)
        sample_op(&s, 0, base);
    sample_measured(&s, 0, 1, 10000);
    struct device_row *d = sample_measured(&s, 0, 2, 20000);
    const enum device_number lost[] = {DEVICE_FW_START, DEVICE_FW, DEVICE_KERNEL_START,
                                       DEVICE_KERNEL};
    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++) {
        d->v[lost[i]] = DEVICE_NONE;
        d->state[lost[i]] = STATE_MISSING;
    }
    d->is_incomplete = true;
    sample_measured(&s, 0, 3, 30000);
    sample_join(&s);
    ROWS_ARE(&s, "1 ok, 2 incomplete, 3 ok");
    COVERAGE_IS(&s, "device 0: expected 3, measured 3, 100 %; 1 with markers missing\n");
    assert_int_equal(DEVICE_NONE, s.report.rows.v[1].latency);
    assert_int_equal(STATE_MISSING, s.report.rows.v[1].latency_state);
    assert_int_equal(0, s.report.bad.n);
    sample_report_free(&s);
}

TEST(op_damage_one_device_of_four_missing)
{
    struct sample_report s;
    sample_report_start(&s);
    for (uint64_t base = 1; base <= 2; base++)
        for (int64_t device = 0; device < 4; device++)
            sample_op(&s, device, base);
    for (int64_t device = 0; device < 4; device++)
        for (uint64_t base = 1; base <= 2; base++)
            if (device != 2)
                sample_measured(&s, device, base, (int64_t)base * 10000);
    sample_join(&s);
    ROWS_ARE(&s, "1 ok, 1 ok, 1 device missing, 1 ok, 2 ok, 2 ok, 2 device missing, 2 ok");
    COVERAGE_IS(&s,
                "device 0: expected 2, measured 2, 100 %\n"
                "device 1: expected 2, measured 2, 100 %\n"
                "device 2: expected 2, measured 0, 0 %; no data of this device\n"
                "device 3: expected 2, measured 2, 100 %\n");
    assert_int_equal(2, s.report.diag.entry[DIAG_OP_DEVICE_MISSING].count);
    assert_int_equal(0, s.report.diag.entry[DIAG_OP_NOT_MEASURED].count);
    sample_report_free(&s);
}

TEST(op_damage_unknown_columns_and_an_unknown_op_type)
{
    struct sample_report s;
    sample_report_start(&s);
    sample_op(&s, 0, 1);
    sample_message(&s,
                   "TT_DNN_DEVICE_OP: \"Odd\", 9, 0, false, 2048 ->\n"
                   "{\"op_code\": \"Odd\", \"op_type\": \"tt_dnn_quantum\", "
                   "\"moon_phase\": [1, {\"x\": 2}], \"device_id\": 0}");
    sample_measured(&s, 0, 1, 10000);
    sample_measured(&s, 0, 2, 20000);
    str cells[2] = {S("7"), {0}};
    vec_push(&s.device.extra,
             (struct device_extra){.name = S("DEVICE MOON PHASE"), .cell = cells});
    sample_join(&s);
    ROWS_ARE(&s, "1 ok, 2 ok");
    COVERAGE_IS(&s, "device 0: expected 2, measured 2, 100 %\n");
    assert_true(s.host.ops.v[1].flags & HOST_OP_UNKNOWN_TYPE);
    STR_IS(s.host.ops.v[1].type, "tt_dnn_quantum");
    assert_int_equal(1, s.host.diag.entry[DIAG_OP_TYPE].count);
    sample_report_free(&s);
}
