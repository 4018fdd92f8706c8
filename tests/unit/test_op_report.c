// test_op_report.c - the join of host ops and measurements: order, replays, latencies,
// rules, speed.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "analyse/diags.h"
#include "sample_report.h"

// --- order -------------------------------------------------------------------------------
static void make_mixed(struct sample_report *s)
{
    sample_report_start(s);
    sample_op(s, 0, 1);
    sample_op(s, 1, 1);
    sample_message(s, "TT_SIGNPOST: loop");
    for (int device = 0; device < 2; device++) {
        char text[64];
        (void)snprintf(text, sizeof text, "TT_METAL_TRACE_BEGIN: %d, 0", device);
        sample_message(s, text);
        sample_op(s, device, 2);
        sample_op(s, device, 3);
        (void)snprintf(text, sizeof text, "TT_METAL_TRACE_END: %d, 0", device);
        sample_message(s, text);
    }
    for (int i = 0; i < 2; i++) {
        sample_message(s, "TT_METAL_TRACE_REPLAY: 0, 0");
        s->time -= 10; // at the same time
        sample_message(s, "TT_METAL_TRACE_REPLAY: 1, 0");
        s->time -= 10;
        sample_message(s, "TT_SIGNPOST: replayed");
    }
    for (int64_t device = 0; device < 2; device++) {
        sample_measured(s, device, 1, 10000);
        for (int64_t session = 1; session <= 2; session++)
            for (uint64_t base = 2; base <= 3; base++)
                sample_replayed(s, device, base, 0, session,
                                session * 20000 + (int64_t)base * 2000);
    }
}

TEST(op_report_rows_stand_in_the_order_of_the_host)
{
    struct sample_report s;
    make_mixed(&s);
    sample_join(&s);
    ROWS_ARE(&s,
             "1 ok, 1 ok, loop signpost, 2 capture, 3 capture, 2 capture, 3 capture, "
             "2/1 ok, 3/1 ok, 2/1 ok, 3/1 ok, replayed signpost, "
             "2/2 ok, 3/2 ok, 2/2 ok, 3/2 ok, replayed signpost");
    COVERAGE_IS(&s,
                "device 0: expected 5, measured 5, 100 %\n"
                "device 1: expected 5, measured 5, 100 %\n");
    // A replay's row has the host's op and its own numbers.
    const struct op_row *row = &s.report.rows.v[9];
    assert_int_equal(2 << 10 | 1, s.host.ops.v[row->host].id);
    assert_int_equal(1, s.device.v.v[row->device].device);
    assert_int_equal(24050 - 10950, s.report.rows.v[7].latency);
    assert_int_equal(DEVICE_NONE, s.report.rows.v[3].latency);
    REAL_IS(row->fpu_util, 33.333);
    sample_report_free(&s);
}

TEST(op_report_does_not_depend_on_the_order_of_device_rows)
{
    struct sample_report plain, mixed;
    make_mixed(&plain);
    sample_measured(&plain, 0, 1, 700); // measured twice
    sample_measured(&plain, 1, 9, 800); // of nobody
    sample_measured(&plain, 0, 8, 900);
    sample_join(&plain);
    str want = sample_rows(&plain);
    for (unsigned seed = 1; seed < 30; seed++) {
        make_mixed(&mixed);
        sample_measured(&mixed, 0, 1, 700);
        sample_measured(&mixed, 1, 9, 800);
        sample_measured(&mixed, 0, 8, 900);
        srand(seed);
        for (size_t i = mixed.device.v.n; i-- > 1;) {
            size_t other = (size_t)rand() % (i + 1);
            struct device_row keep = mixed.device.v.v[i];
            mixed.device.v.v[i] = mixed.device.v.v[other];
            mixed.device.v.v[other] = keep;
        }
        sample_join(&mixed);
        test_str_is(sample_rows(&mixed), want, __FILE__, __LINE__);
        for (size_t i = 0; i < plain.report.rows.n; i++)
            assert_int_equal(plain.report.rows.v[i].latency,
                             mixed.report.rows.v[i].latency);
        sample_report_free(&mixed);
    }
    sample_report_free(&plain);
}

TEST(op_report_ops_without_a_zone_stand_at_their_message)
{
    struct sample_report s;
    sample_report_start(&s);
    sample_op(&s, 0, 1);
    sample_message(&s, "TT_DNN_DEVICE_OP: \"A\", 7, 0, 0, 2048");
    sample_op(&s, 0, 3);
    sample_message(&s, "TT_DNN_FALL_BACK_OP:\"f\" ->\n{\"global_call_count\": 2147487744}");
    sample_join(&s);
    ROWS_ARE(&s, "1 device missing, 2 device missing, 3 device missing, 2097156 host only");
    COVERAGE_IS(&s,
                "device 0: expected 3, measured 0, 0 %; no data of this device\n"
                "host: 1 op, nothing to measure\n");
    sample_report_free(&s);
}

// --- whole replays -----------------------------------------------------------------------
// Ops 1 and 2 outside of traces, 3 and 4 in traces 0 and 5; three replays.
static void make_traces(struct sample_report *s)
{
    sample_report_start(s);
    sample_op(s, 0, 1);
    sample_op(s, 0, 2);
    sample_message(s, "TT_METAL_TRACE_BEGIN: 0, 0");
    sample_op(s, 0, 3);
    sample_message(s, "TT_METAL_TRACE_END: 0, 0");
    sample_message(s, "TT_METAL_TRACE_BEGIN: 0, 5");
    sample_op(s, 0, 4);
    sample_message(s, "TT_METAL_TRACE_END: 0, 5");
    sample_message(s, "TT_METAL_TRACE_REPLAY: 0, 0");
    sample_message(s, "TT_METAL_TRACE_REPLAY: 0, 5");
    sample_message(s, "TT_METAL_TRACE_REPLAY: 0, 0");
}

static const char replays_only[] =
    "device 0: expected 3, measured 3, 100 %; 2 outside replays, which the trace profiler "
    "does not record\n";

TEST(op_report_whole_replays_are_rows_of_their_own)
{
    struct sample_report s;
    make_traces(&s);
    sample_whole_replay(&s, 0, 1, 0, 1, 10000);
    sample_whole_replay(&s, 0, 2, 5, 1, 20000);
    sample_whole_replay(&s, 0, 3, 0, 2, 30000);
    sample_join(&s);
    ROWS_ARE(&s,
             "1 not recorded, 2 not recorded, 3 capture, 4 capture, "
             "trace 0/1 ok, trace 5/1 ok, trace 0/2 ok");
    test_str_is(sample_coverage(&s), str_of(replays_only), __FILE__, __LINE__);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(TRACE_NONE, s.report.rows.v[i].device);
    assert_int_equal(9100, s.report.rows.v[5].latency);
    sample_report_free(&s);
}

TEST(op_report_whole_replays_without_a_trace_are_found_by_their_number)
{
    struct sample_report s;
    make_traces(&s);
    for (int64_t number = 3; number >= 1; number--) // in any order
        sample_whole_replay(&s, 0, (uint64_t)number, DEVICE_NO_ID, DEVICE_NO_ID,
                            number * 10000);
    sample_join(&s);
    ROWS_ARE(&s,
             "1 not recorded, 2 not recorded, 3 capture, 4 capture, "
             "trace 0/1 ok, trace 5/1 ok, trace 0/2 ok");
    test_str_is(sample_coverage(&s), str_of(replays_only), __FILE__, __LINE__);
    sample_report_free(&s);
}

TEST(op_report_whole_replays_of_a_program_that_reports_no_traces_are_measured)
{
    struct sample_report s;
    sample_report_start(&s);
    sample_op(&s, 0, 1);
    sample_whole_replay(&s, 0, 2, 7, 2, 20000);
    sample_whole_replay(&s, 0, 1, 7, 1, 10000);
    sample_join(&s);
    ROWS_ARE(&s, "1 not recorded, trace 7/1 ok, trace 7/2 ok");
    COVERAGE_IS(
        &s,
        "device 0: expected 2, measured 2, 100 %; 1 outside replays, which the trace "
        "profiler does not record\n");
    sample_report_free(&s);
}

TEST(op_report_whole_replays_may_be_lost_repeated_or_unknown)
{
    struct sample_report s;
    make_traces(&s);
    sample_whole_replay(&s, 0, 9, DEVICE_NO_ID, DEVICE_NO_ID, 60000); // never reported
    sample_whole_replay(&s, 0, 3, 0, 2, 50000);
    sample_whole_replay(&s, 0, 3, 0, 2, 30000);
    sample_whole_replay(&s, 0, 1, 0, 1, 10000);
    s.device.v.v[3].is_incomplete = true;
    sample_join(&s);
    ROWS_ARE(&s,
             "1 not recorded, 2 not recorded, 3 capture, 4 capture, "
             "trace 0/1 incomplete, trace 0/2 ok, trace 0/2 duplicate, "
             "trace /9 replay unknown");
    COVERAGE_IS(&s,
                "device 0: expected 3, measured 2, 66.7 %; 2 outside replays, which the "
                "trace profiler does not record; 1 measured in replays that the host did "
                "not report; 1 measured again; 1 with markers missing\n");
    assert_int_equal(30000, s.device.v.v[s.report.rows.v[5].device].v[DEVICE_FW_START]);
    assert_int_equal(1, s.report.diag.entry[DIAG_OP_NOT_MEASURED].count);
    assert_int_equal(1, s.report.diag.entry[DIAG_OP_REPLAY_UNTOLD].count);
    sample_report_free(&s);
}

// --- which measurement ------------------------------------------------------------------
TEST(op_report_takes_the_trace_that_the_host_knows_else_any)
{
    struct sample_report s;
    sample_report_start(&s);
    sample_op(&s, 0, 1);
    sample_op(&s, 0, 2); // nobody told of traces
    sample_measured(&s, 0, 1, 10000);
    sample_replayed(&s, 0, 1, 3, 1, 20000);
    sample_replayed(&s, 0, 2, 3, 1, 30000);
    sample_replayed(&s, 0, 2, 3, 2, 40000);
    sample_join(&s);
    ROWS_ARE(&s, "1 ok, 2 capture, 2/1 ok, 2/2 ok | 1/1 no host op");
    COVERAGE_IS(&s,
                "device 0: expected 3, measured 3, 100 %; 1 measured without a host op "
                "(--unmatched shows them)\n");
    sample_report_free(&s);
}

TEST(op_report_one_replay_measured_twice_is_a_duplicate)
{
    struct sample_report s;
    sample_report_start(&s);
    sample_message(&s, "TT_METAL_TRACE_BEGIN: 0, 0");
    sample_op(&s, 0, 1);
    sample_message(&s, "TT_METAL_TRACE_END: 0, 0");
    sample_message(&s, "TT_METAL_TRACE_REPLAY: 0, 0");
    sample_message(&s, "TT_METAL_TRACE_REPLAY: 0, 0");
    sample_replayed(&s, 0, 1, 0, 2, 30000);
    sample_replayed(&s, 0, 1, 0, 1, 20000);
    sample_replayed(&s, 0, 1, 0, 1, 10000);
    sample_join(&s);
    ROWS_ARE(&s, "1 capture, 1/1 duplicate, 1/1 duplicate, 1/2 ok");
    COVERAGE_IS(&s, "device 0: expected 2, measured 2, 100 %; 1 measured again\n");
    assert_int_equal(1, s.report.diag.entry[DIAG_OP_DUPLICATE].count);
    sample_report_free(&s);
}

TEST(op_report_a_trace_measured_without_sessions_has_no_capture_rows)
{
    struct sample_report s;
    sample_report_start(&s);
    sample_message(&s, "TT_METAL_TRACE_BEGIN: 0, 0");
    sample_op(&s, 0, 1);
    sample_op(&s, 0, 2);
    sample_message(&s, "TT_METAL_TRACE_END: 0, 0");
    for (int i = 0; i < 9; i++)
        sample_message(&s, "TT_METAL_TRACE_REPLAY: 0, 0");
    sample_measured(&s, 0, 1, 10000);
    sample_join(&s);
    ROWS_ARE(&s, "1 ok, 2 not measured");
    COVERAGE_IS(&s, "device 0: expected 2, measured 1, 50.0 %\n");
    sample_report_free(&s);
}

TEST(op_report_logs_without_traces_have_sessions_by_repetition)
{
    struct sample_report s;
    sample_report_start(&s);
    s.device.has_traces = false;
    sample_message(&s, "TT_METAL_TRACE_BEGIN: 0, 6");
    sample_op(&s, 0, 1);
    sample_op(&s, 0, 2);
    sample_message(&s, "TT_METAL_TRACE_END: 0, 6");
    for (int i = 0; i < 3; i++)
        sample_message(&s, "TT_METAL_TRACE_REPLAY: 0, 6");
    // The first op of the second replay was lost.
    sample_measured(&s, 0, 2, 70000);
    sample_measured(&s, 0, 1, 60000);
    sample_measured(&s, 0, 2, 50000);
    sample_measured(&s, 0, 2, 30000);
    sample_measured(&s, 0, 1, 20000);
    sample_join(&s);
    ROWS_ARE(&s, "1 capture, 2 capture, 1/1 ok, 2/1 ok, 2/2 ok, 1/3 ok, 2/3 ok");
    assert_int_equal(6, s.device.v.v[0].trace);
    COVERAGE_IS(&s, "device 0: expected 6, measured 5, 83.3 %\n");
    sample_report_free(&s);
}

TEST(op_report_a_process_without_data_does_not_change_the_room_of_others)
{
    struct sample_report s;
    sample_report_start(&s);
    for (uint64_t base = 1; base <= 3; base++)
        host_ops_message(&s.host, 1, base, S("TT_DNN_DEVICE_OP: \"A\", 7, 0, 0, 1024"),
                         false);
    sample_op(&s, 0, 2);
    sample_measured(&s, 0, 2, 10000);
    sample_join(&s);
    COVERAGE_IS(&s, "device 0: expected 2, measured 1, 50.0 %; 1 with an id used before\n");
    sample_report_free(&s);
}

// In a run the ids of all processes are unique; without it nobody knows whose they are.
TEST(op_report_a_measurement_is_of_one_op_even_if_its_id_repeats)
{
    struct sample_report s;
    sample_report_start(&s);
    sample_message(&s, "TT_DNN_DEVICE_OP: \"A\", 7, 0, 0, 1024");
    host_ops_message(&s.host, 1, 2000, S("TT_DNN_DEVICE_OP: \"B\", 8, 0, 0, 1024"), false);
    sample_measured(&s, 0, 1, 20000);
    sample_measured(&s, 0, 1, 10000);
    sample_join(&s);
    ROWS_ARE(&s, "1 duplicate, 1 duplicate, 1 not measured");
    COVERAGE_IS(&s, "device 0: expected 2, measured 1, 50.0 %; 1 measured again\n");
    sample_report_free(&s);
}

// --- latencies --------------------------------------------------------------------------
TEST(op_report_latency_of_a_log_is_rounded_half_to_even)
{
    struct sample_report s;
    sample_report_start(&s);
    s.device.mhz = 2000;
    const int64_t starts[] = {0, 1901, 3804, 5709};
    for (uint64_t base = 1; base <= 4; base++) {
        sample_op(&s, 0, base);
        sample_measured(&s, 0, base, starts[base - 1]);
    }
    sample_join(&s);
    const struct op_row *rows = s.report.rows.v;
    assert_int_equal(0, rows[0].latency);
    assert_int_equal(500, rows[1].latency);    // 500.5
    assert_int_equal(502, rows[2].latency);    // 501.5
    assert_int_equal(502, rows[3].latency);    // 502.5
    assert_int_equal(506, rows[1].latency_dm); // 505.5
    sample_report_free(&s);
}

TEST(op_report_latency_is_not_measured_from_one_attachment_to_the_next)
{
    struct sample_report s;
    sample_report_start(&s);
    for (uint64_t base = 1; base <= 4; base++)
        sample_op(&s, 0, base);
    sample_measured(&s, 0, 1, 10000);
    sample_measured(&s, 0, 2, 12000);
    sample_measured(&s, 0, 3, 11500)->attachment = 1; // another clock
    struct device_row *row = sample_measured(&s, 0, 4, 14000);
    row->attachment = 1;
    row->mhz = 500;
    sample_join(&s);
    ROWS_ARE(&s, "1 ok, 2 ok, 3 ok, 4 ok");
    const struct op_row *rows = s.report.rows.v;
    assert_int_equal(0, rows[0].latency);
    assert_int_equal(1100, rows[1].latency);
    assert_int_equal(0, rows[2].latency);
    assert_int_equal(3200, rows[3].latency); // 1600 cycles of its own clock
    assert_int_equal(0, s.report.bad.n);
    COVERAGE_IS(&s, "device 0: expected 4, measured 4, 100 %\n");
    sample_report_free(&s);
}

TEST(op_report_latency_of_the_cpp_report_is_what_it_says)
{
    struct sample_report s;
    sample_report_start(&s);
    s.device.is_cpp = true;
    s.device.mhz = 0;
    for (uint64_t base = 1; base <= 4; base++)
        sample_op(&s, 0, base);
    struct device_row *row = sample_measured(&s, 0, 1, 10000);
    row->v[DEVICE_DM_START] = row->v[DEVICE_DM_END] = DEVICE_NONE;
    row = sample_measured(&s, 0, 2, 20000);
    row->v[DEVICE_LATENCY] = 77;
    row->state[DEVICE_LATENCY] = STATE_OK;
    row = sample_measured(&s, 0, 3, 30000); // by the clock of the first row
    row->v[DEVICE_FW] = 2000;
    row = sample_measured(&s, 0, 4, 30100);
    sample_join(&s);
    const struct op_row *rows = s.report.rows.v;
    assert_int_equal(0, rows[0].latency);
    assert_int_equal(STATE_OK, rows[0].latency_state);
    assert_int_equal(0, rows[0].latency_dm); // as the reference has it
    assert_int_equal(STATE_MISSING, rows[0].latency_dm_state);
    assert_int_equal(77, rows[1].latency);
    assert_int_equal(0, rows[1].latency_dm); // none is before it
    assert_int_equal(STATE_OK, rows[1].latency_dm_state);
    assert_int_equal(9100, rows[2].latency);
    assert_int_equal(DEVICE_NONE, rows[3].latency); // they overlap
    assert_int_equal(STATE_BAD, rows[3].latency_state);
    assert_int_equal(2, s.report.bad.n);
    assert_int_equal(DEVICE_LATENCY, s.report.bad.v[0].number);
    assert_int_equal(30150 - 30950, s.report.bad.v[0].value);
    sample_report_free(&s);
}

TEST(op_report_latency_beyond_all_numbers_is_empty)
{
    struct sample_report s;
    sample_report_start(&s);
    s.device.is_cpp = true;
    s.device.mhz = 0;
    sample_op(&s, 0, 1);
    sample_op(&s, 0, 2);
    struct device_row *row = sample_measured(&s, 0, 1, 1);
    row->v[DEVICE_FW_END] = 2; // a clock of 4e18 ns to a cycle
    row->v[DEVICE_FW] = INT64_C(4000000000000000000);
    (void)sample_measured(&s, 0, 2, INT64_C(4000000000000000000));
    sample_join(&s);
    assert_int_equal(DEVICE_NONE, s.report.rows.v[1].latency);
    assert_int_equal(STATE_BAD, s.report.rows.v[1].latency_state);
    sample_report_free(&s);
}

TEST(op_report_latency_without_the_profilers_own_time)
{
    struct sample_report s;
    sample_report_start(&s);
    for (uint64_t base = 1; base <= 3; base++) {
        sample_op(&s, 0, base);
        sample_measured(&s, 0, base, (int64_t)base * 2000);
    }
    s.device.v.v[1].v[DEVICE_PROFILER_NS] = 400;
    s.device.v.v[2].v[DEVICE_PROFILER_NS] = 4000;
    sample_join(&s);
    assert_int_equal(DEVICE_NONE, s.report.rows.v[0].latency_net);
    assert_int_equal(1100, s.report.rows.v[1].latency);
    assert_int_equal(700, s.report.rows.v[1].latency_net);
    assert_int_equal(0, s.report.rows.v[2].latency_net);
    sample_report_free(&s);
}

TEST(op_report_fpu_util_is_rounded_as_text_is)
{
    struct sample_report s;
    sample_report_start(&s);
    const int64_t kernels[] = {900, 0, 960000, DEVICE_NONE, 7};
    for (uint64_t base = 1; base <= 5; base++) {
        sample_op(&s, 0, base);
        struct device_row *row = sample_measured(&s, 0, base, (int64_t)base * 2000000);
        row->v[DEVICE_KERNEL] = kernels[base - 1];
        row->state[DEVICE_FW] = STATE_REPAIRED; // no rule
    }
    sample_join(&s);
    REAL_IS(s.report.rows.v[0].fpu_util, 33.333);
    REAL_IS(s.report.rows.v[1].fpu_util, 0.0);
    REAL_IS(s.report.rows.v[2].fpu_util, 0.031); // 0.03125
    assert_true(isnan(s.report.rows.v[3].fpu_util));
    REAL_IS(s.report.rows.v[4].fpu_util, 4285.714);
    sample_report_free(&s);
}

// --- rules ------------------------------------------------------------------------------
TEST(op_report_numbers_that_cannot_be_right_are_emptied_and_listed)
{
    static const struct {
        enum device_number number;
        int64_t value;
        const char *rule; // NULL: it may be right
    } cases[] = {
        {DEVICE_KERNEL, 1001, NULL},
        {DEVICE_KERNEL, 1002, "the kernel is longer than its firmware"},
        {DEVICE_KERNEL_DM, 902, "it is longer than the whole kernel"},
        {DEVICE_CORE_MAX, 901, NULL},
        {DEVICE_CORE_MAX, 902, "one core is longer than the whole kernel"},
        {DEVICE_TRISC1, 902, "one RISC is longer than the whole kernel"},
        {DEVICE_BRISC, -1, "it is negative"},
        {DEVICE_CB_WAIT, 5000000, NULL}, // a sum over cores
        {DEVICE_FW, 11200, "it is longer than the device's total time"},
        {DEVICE_FIRST_TO_LAST, 11200, "it is longer than the device's total time"},
        {DEVICE_SUB_DEVICE, -1, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sample_report s;
        sample_report_start(&s);
        sample_op(&s, 0, 1);
        sample_op(&s, 0, 2);
        sample_measured(&s, 0, 1, 10000);
        struct device_row *row = sample_measured(&s, 0, 2, 20000);
        row->v[cases[i].number] = cases[i].value;
        row->state[cases[i].number] = STATE_OK;
        sample_join(&s);
        row = &s.device.v.v[1];
        assert_int_equal(cases[i].rule != NULL, s.report.bad.n);
        assert_int_equal(cases[i].rule ? DEVICE_NONE : cases[i].value,
                         row->v[cases[i].number]);
        if (cases[i].rule) {
            assert_string_equal(cases[i].rule, s.report.bad.v[0].rule);
            assert_int_equal(cases[i].value, s.report.bad.v[0].value);
            assert_int_equal(1, s.report.bad.v[0].row);
            assert_int_equal(STATE_BAD, row->state[cases[i].number]);
        }
        sample_report_free(&s);
    }
}

// --- coverage ---------------------------------------------------------------------------
TEST(op_report_advises_room_only_where_room_was_missing)
{
    struct sample_report s;
    sample_report_start(&s);
    for (uint64_t base = 1; base <= 500; base++) {
        sample_op(&s, 0, base);
        if (base != 100) // more were kept behind it than up to it
            sample_measured(&s, 0, base, (int64_t)base * 2000);
    }
    sample_join(&s);
    COVERAGE_IS(&s, "device 0: expected 500, measured 499, 99.8 %\n");
    sample_report_free(&s);
}

// Each core has its own room, so that a few are kept on cores that have had less to do.
TEST(op_report_advises_room_for_all_between_two_reads)
{
    struct sample_report s;
    sample_report_start(&s);
    for (uint64_t base = 0; base < 3000; base++) {
        sample_op(&s, 0, base + 1);
        if (base % 300 < 100 || base % 300 == 150 || base % 300 == 299)
            sample_measured(&s, 0, base + 1, (int64_t)base * 2000);
    }
    sample_join(&s);
    COVERAGE_IS(&s,
                "device 0: expected 3000, measured 1020, 34.0 %; raise the program support "
                "count to 3000 (--op-support-count)\n");
    sample_report_free(&s);
}

TEST(op_report_shares_are_never_rounded_to_all_or_none)
{
    struct sample_report s;
    sample_report_start(&s);
    for (uint64_t base = 1; base <= 4000; base++) {
        sample_op(&s, 0, base);
        sample_op(&s, 1, base);
        if (base != 4000)
            sample_measured(&s, 0, base, (int64_t)base * 2000);
    }
    sample_measured(&s, 1, 1, 2000);
    sample_join(&s);
    COVERAGE_IS(&s,
                "device 0: expected 4000, measured 3999, 99.9 %; raise the program "
                "support count to 4000 (--op-support-count)\n"
                "device 1: expected 4000, measured 1, 0.1 %; raise the program support "
                "count to 180000 (--op-support-count)\n");
    sample_report_free(&s);
}

// --- device rows alone ------------------------------------------------------------------
TEST(op_report_of_devices_alone_goes_device_by_device)
{
    struct sample_report s;
    sample_report_start(&s);
    s.device.mhz = 1350;
    sample_measured(&s, 3, 2, 30000);
    sample_measured(&s, 1, 1, 10000);
    sample_measured(&s, 3, 1, 20000);
    sample_measured(&s, 1, 2, 12000);
    op_report_device_only(&s.report, &s.device);
    ROWS_ARE(&s, "1 ok, 2 ok, 1 ok, 2 ok");
    const struct op_row *rows = s.report.rows.v;
    assert_int_equal(3, s.device.v.v[rows[0].device].device);
    assert_int_equal(0, rows[0].latency);
    assert_int_equal(6741, rows[1].latency); // 9100 cycles
    assert_int_equal(0, rows[2].latency);
    assert_int_equal(815, rows[3].latency); // 1100
    COVERAGE_IS(&s, "device 1: measured 2\ndevice 3: measured 2\n");
    sample_report_free(&s);
}

// --- speed ------------------------------------------------------------------------------
static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

// It takes a tenth of a second; what is quadratic takes minutes.
TEST(op_report_joins_many_ops_in_no_time)
{
    enum { OPS = 350000 };
    struct sample_report s;
    sample_report_start(&s);
    char text[96], zone[32];
    for (uint64_t base = 1; base <= OPS; base++) {
        unsigned long long id = sample_op_id(base, (int64_t)(base % 8));
        int n =
            snprintf(text, sizeof text, "TT_DNN_DEVICE_OP: \"Matmul\", 5, %d, true, %llu",
                     (int)(base % 8), id);
        host_ops_message(&s.host, 0, base * 100, (str){text, (size_t)n}, false);
        n = snprintf(zone, sizeof zone, "id:%llu", id);
        host_ops_zone(&s.host, 0, S("TT_DNN_DEVICE_OP"), (str){zone, (size_t)n}, (str){0},
                      base * 100 - 20, 10, 0);
        sample_measured(&s, (int64_t)(base % 8), base, (int64_t)base * 2000);
    }
    host_ops_finish(&s.host);
    double start = seconds();
    op_report_join(&s.report, &s.host, &s.device);
    double took = seconds() - start;
    print_message("# joined %d ops in %.3f s\n", OPS, took);
    assert_int_equal(OPS, s.report.n_rows);
    assert_int_equal(OPS / 8, s.report.coverage.v[3].measured);
    assert_true(took < 60);
    sample_report_free(&s);
}

// --- whatever comes ---------------------------------------------------------------------
static unsigned pick(unsigned n)
{
    return (unsigned)rand() % n;
}

// Captures that do not end, replays of traces that nobody captured, ids that come again.
static void tell_anything(struct sample_report *s)
{
    static const char *const trace_words[] = {"BEGIN", "END", "REPLAY", "RELEASE"};
    for (unsigned i = 0, n = pick(60); i < n; i++) {
        char text[64];
        if (pick(3)) {
            sample_op(s, pick(3), 1 + pick(25));
            continue;
        }
        (void)snprintf(text, sizeof text, "TT_METAL_TRACE_%s: %u, %u", trace_words[pick(4)],
                       pick(3), pick(2));
        sample_message(s, pick(5) ? text : "TT_SIGNPOST: here");
    }
}

static void measure_anything(struct sample_report *s)
{
    s->device.has_traces = pick(3);
    s->device.is_cpp = pick(2);
    for (unsigned i = 0, n = pick(80); i < n; i++) {
        bool is_traced = s->device.has_traces && pick(2);
        struct device_row *row = sample_replayed(
            s, pick(4), 1 + pick(30), is_traced ? (int64_t)pick(2) : DEVICE_NO_ID,
            is_traced ? (int64_t)pick(4) : DEVICE_NO_ID, pick(100000));
        if (pick(6) == 0)
            row->v[pick(DEVICE_NUMBERS)] = pick(2) ? DEVICE_NONE : (int64_t)pick(9) - 5;
        row->is_incomplete = pick(9) == 0;
    }
}

TEST(op_report_loses_and_invents_nothing)
{
    for (unsigned seed = 1; seed <= 500; seed++) {
        struct sample_report s;
        srand(seed);
        sample_report_start(&s);
        tell_anything(&s);
        measure_anything(&s);
        sample_join(&s);
        const struct op_report *r = &s.report;
        unsigned of_host[64] = {0}, of_device[80] = {0};
        uint64_t n_signposts = 0;
        for (size_t i = 0; i < r->rows.n; i++) {
            const struct op_row *row = &r->rows.v[i];
            if (row->kind == OP_ROW_OP)
                of_host[row->host]++;
            n_signposts += row->kind == OP_ROW_SIGNPOST;
            if (row->device != TRACE_NONE)
                of_device[row->device]++;
            assert_int_equal(row->kind == OP_ROW_UNMATCHED, i >= r->n_rows);
            assert_true(i == 0 || i >= r->n_rows || row->time >= row[-1].time);
            assert_true(row->latency >= 0 || row->latency == DEVICE_NONE);
        }
        for (size_t i = 0; i < s.host.ops.n; i++)
            assert_true(of_host[i] >= 1);
        for (size_t i = 0; i < s.device.v.n; i++)
            assert_int_equal(1, of_device[i]);
        assert_int_equal(s.host.signposts.n, n_signposts);
        for (size_t i = 0; i < r->coverage.n; i++)
            assert_true(r->coverage.v[i].measured <= r->coverage.v[i].expected);
        for (size_t i = 0; i < r->bad.n; i++)
            assert_true(r->bad.v[i].row < r->rows.n);
        (void)sample_coverage(&s);
        sample_report_free(&s);
    }
}
