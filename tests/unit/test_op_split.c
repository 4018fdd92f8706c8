// test_op_split.c - executions of one program, told apart by the firmware.
#include "../support/device_run.h"
#include "analyse/diags.h"
#include "test.h"

#define MARK(x, risc, id, time, name, type)                                                \
    "0," x ",1," risc "," id "," time ",0,1024,,," name "," type ",1,a.cc,\n"
#define ON(x, time)    MARK(x, "BRISC", "1", time, "BRISC-FW", "ZONE_START")
#define OFF(x, time)   MARK(x, "BRISC", "1", time, "BRISC-FW", "ZONE_END")
#define EVENT(x, time) MARK(x, "NCRISC", "9", time, "E", "TS_EVENT")

static struct device_run split(str text)
{
    struct device_run r;
    if (!device_run_read(&r, text))
        fail_msg("%s", r.e.text);
    device_ops_find(&r.ops, &r.trace);
    assert_null(law_of_ops(&r.trace, &r.ops));
    assert_null(law_of_markers(&r.trace));
    return r;
}
#define SPLIT(rows) split(S(LOG_HEAD rows))

static void op_is(const struct device_run *r, size_t i, uint64_t first, uint64_t last,
                  bool is_complete)
{
    assert_true(i < r->ops.n);
    const struct device_op *op = &r->ops.v[i];
    const struct trace_run *run = &r->trace.runs.v[op->run];
    if (run->execution != i || op->first_time != first || op->last_time != last ||
        op->is_complete != is_complete)
        fail_msg("op %zu: execution %u, %llu..%llu, %d", i, run->execution,
                 (unsigned long long)op->first_time, (unsigned long long)op->last_time,
                 op->is_complete);
    assert_int_equal(1024, run->id);
}

// How often each of the four kinds was counted.
static void odd_are(const struct device_run *r, uint64_t buffer, uint64_t corrupt,
                    uint64_t unended, uint64_t ends)
{
    assert_int_equal(buffer, trace_count(&r->trace, DIAG_FW_START_BUFFER));
    assert_int_equal(corrupt, trace_count(&r->trace, DIAG_FW_START_CORRUPT));
    assert_int_equal(unended, trace_count(&r->trace, DIAG_FW_START_UNENDED));
    assert_int_equal(ends, trace_count(&r->trace, DIAG_FW_END_TWICE));
}

TEST(a_program_that_ran_three_times_is_three_ops)
{
    struct device_run r =
        SPLIT(ON("1", "100") OFF("1", "200") ON("1", "300") OFF("1", "400") ON("1", "500")
                  OFF("1", "600") ON("2", "110") OFF("2", "210") ON("2", "290")
                      OFF("2", "390") ON("2", "510") OFF("2", "610"));
    assert_int_equal(3, r.ops.n);
    op_is(&r, 0, 100, 210, true);
    op_is(&r, 1, 290, 400, true);
    op_is(&r, 2, 500, 610, true);
    odd_are(&r, 0, 0, 0, 0);
    device_run_free(&r);
}

TEST(an_execution_may_begin_in_the_cycle_in_which_the_one_before_ends)
{
    struct device_run r =
        SPLIT(ON("1", "100") OFF("1", "200") ON("1", "200") OFF("1", "300"));
    assert_int_equal(2, r.ops.n);
    op_is(&r, 0, 100, 200, true);
    op_is(&r, 1, 200, 300, true);
    odd_are(&r, 0, 0, 0, 0);
    device_run_free(&r);
}

TEST(what_lies_between_two_executions_belongs_to_the_next)
{
    struct device_run r = SPLIT(ON("1", "100") OFF("1", "200") ON("1", "300")
                                    OFF("1", "400") EVENT("1", "150") EVENT("1", "250"));
    assert_int_equal(2, r.ops.n);
    op_is(&r, 0, 100, 200, true);
    op_is(&r, 1, 250, 400, true);
    device_run_free(&r);
}

TEST(stragglers_behind_the_last_execution_stay_in_it)
{
    struct device_run r = SPLIT(ON("1", "100") OFF("1", "200") ON("1", "300")
                                    OFF("1", "400") EVENT("1", "450") EVENT("1", "460"));
    assert_int_equal(2, r.ops.n);
    op_is(&r, 1, 300, 460, true);
    assert_int_equal(4, r.ops.v[1].n_markers);
    device_run_free(&r);
}

TEST(a_second_start_before_the_end_is_counted_and_begins_the_next_execution)
{
    struct device_run r = SPLIT(ON("1", "100") ON("1", "300") OFF("1", "400"));
    assert_int_equal(2, r.ops.n);
    op_is(&r, 0, 100, 100, false);
    op_is(&r, 1, 300, 400, true);
    odd_are(&r, 0, 0, 1, 0);
    device_run_free(&r);
}

TEST(a_second_start_while_another_core_runs_is_counted_as_corrupt)
{
    struct device_run r = SPLIT(ON("1", "100") OFF("1", "200") ON("1", "300")
                                    OFF("1", "400") ON("2", "110") OFF("2", "380"));
    odd_are(&r, 0, 1, 0, 0);
    assert_int_equal(2, r.ops.n);
    assert_non_null(
        strstr(r.trace.diag.entry[DIAG_FW_START_CORRUPT].first, "core (1, 1): op 1024"));
    device_run_free(&r);
}

TEST(a_second_start_while_other_cores_show_nothing_is_counted_as_a_full_buffer)
{
    struct device_run r = SPLIT(ON("1", "100") OFF("1", "200") ON("1", "300")
                                    OFF("1", "400") ON("2", "310") OFF("2", "410"));
    odd_are(&r, 1, 0, 0, 0);
    assert_int_equal(2, r.ops.n);
    op_is(&r, 0, 100, 200, true);
    op_is(&r, 1, 300, 410, true);
    device_run_free(&r);
}

TEST(a_second_end_is_counted_and_changes_nothing)
{
    struct device_run r = SPLIT(ON("1", "100") OFF("1", "200") OFF("1", "250")
                                    ON("2", "110") OFF("2", "300"));
    odd_are(&r, 0, 0, 0, 1);
    assert_int_equal(1, r.ops.n);
    op_is(&r, 0, 100, 300, true);
    device_run_free(&r);
}

TEST(a_last_execution_that_never_ends_is_incomplete)
{
    struct device_run r =
        SPLIT(ON("1", "100") OFF("1", "200") ON("1", "300") EVENT("1", "350"));
    assert_int_equal(2, r.ops.n);
    op_is(&r, 0, 100, 200, true);
    op_is(&r, 1, 300, 350, false);
    odd_are(&r, 0, 0, 0, 0);
    assert_int_equal(1, trace_count(&r.trace, DIAG_OP_INCOMPLETE));
    device_run_free(&r);
}

TEST(replays_of_a_trace_are_not_split)
{
    struct device_run r = SPLIT(
        "0,1,1,BRISC,1,1,0,7,3,1,BRISC-FW,ZONE_START,1,a.cc,\n"
        "0,1,1,BRISC,1,2,0,7,3,1,BRISC-FW,ZONE_END,1,a.cc,\n"
        "0,1,1,BRISC,1,3,0,7,3,2,BRISC-FW,ZONE_START,1,a.cc,\n"
        "0,1,1,BRISC,1,4,0,7,3,2,BRISC-FW,ZONE_END,1,a.cc,\n");
    assert_int_equal(2, r.trace.runs.n);
    assert_int_equal(2, r.ops.n);
    odd_are(&r, 0, 0, 0, 0);
    device_run_free(&r);
}

TEST(firmware_of_no_program_is_never_split)
{
    struct device_run r = SPLIT(
        "0,1,1,BRISC,1,1,0,0,,,BRISC-FW,ZONE_START,1,a.cc,\n"
        "0,1,1,BRISC,1,2,0,0,,,BRISC-FW,ZONE_START,1,a.cc,\n");
    assert_int_equal(1, r.trace.runs.n);
    assert_int_equal(0, r.ops.n);
    odd_are(&r, 0, 0, 0, 0);
    device_run_free(&r);
}
