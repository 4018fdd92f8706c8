// test_device_ops.c - which markers make an op, in which order, and whether it is whole.
#include "../support/device_run.h"
#include "analyse/diags.h"
#include "test.h"

#define MARK(chip, x, risc, id, time, run, name, type)                                     \
    chip "," x ",1," risc "," id "," time ",0," run ",,," name "," type ",1,a.cc,\n"
#define FW(x, from, to, run)                                                               \
    MARK("0", x, "BRISC", "1", from, run, "BRISC-FW", "ZONE_START")                        \
    MARK("0", x, "BRISC", "1", to, run, "BRISC-FW", "ZONE_END")

static struct device_run find(str text)
{
    struct device_run r;
    if (!device_run_read(&r, text))
        fail_msg("%s", r.e.text);
    device_ops_find(&r.ops, &r.trace);
    assert_null(law_of_ops(&r.trace, &r.ops));
    assert_int_equal(r.ops.n_incomplete, trace_count(&r.trace, DIAG_OP_INCOMPLETE));
    return r;
}
#define FIND(rows) find(S(LOG_HEAD rows))

static void op_is(const struct device_run *r, size_t i, int64_t id, uint64_t first,
                  uint64_t last, bool is_complete)
{
    assert_true(i < r->ops.n);
    const struct device_op *op = &r->ops.v[i];
    if (r->trace.runs.v[op->run].id != id || op->first_time != first ||
        op->last_time != last || op->is_complete != is_complete)
        fail_msg("op %zu: id %lld, %llu..%llu, %d", i,
                 (long long)r->trace.runs.v[op->run].id, (unsigned long long)op->first_time,
                 (unsigned long long)op->last_time, op->is_complete);
}

TEST(ops_stand_by_the_first_time_of_their_ids)
{
    struct device_run r = FIND(FW("1", "500", "600", "1") FW("1", "100", "200", "2")
                                   FW("2", "90", "210", "2") FW("1", "300", "400", "3"));
    assert_int_equal(3, r.ops.n);
    op_is(&r, 0, 2, 90, 210, true);
    op_is(&r, 1, 3, 300, 400, true);
    op_is(&r, 2, 1, 500, 600, true);
    assert_int_equal(2, r.ops.v[0].n_cores);
    assert_int_equal(4, r.ops.v[0].n_markers);
    device_run_free(&r);
}

TEST(markers_with_the_id_0_are_in_no_op)
{
    struct device_run r = FIND(FW("1", "100", "200", "0") FW("1", "300", "400", "5"));
    assert_int_equal(1, r.ops.n);
    op_is(&r, 0, 5, 300, 400, true);
    device_run_free(&r);
}

TEST(an_op_is_complete_when_the_firmware_has_ended_on_each_of_its_cores)
{
    struct device_run r =
        FIND(FW("1", "100", "200", "1") MARK("0", "2", "BRISC", "1", "110", "1", "BRISC-FW",
                                             "ZONE_START") FW("3", "100", "200", "2")
                 MARK("0", "4", "NCRISC", "3", "150", "2", "N", "TS_EVENT"));
    assert_int_equal(2, r.ops.n);
    assert_false(r.ops.v[0].is_complete); // core 2 has not ended
    assert_false(r.ops.v[1].is_complete); // core 4 shows no firmware
    assert_int_equal(2, r.ops.n_incomplete);
    device_run_free(&r);
}

TEST(an_end_before_its_start_completes_nothing)
{
    struct device_run r =
        FIND(MARK("0", "1", "BRISC", "1", "100", "1", "BRISC-FW", "ZONE_END")
                 MARK("0", "1", "BRISC", "1", "200", "1", "BRISC-FW", "ZONE_START"));
    assert_int_equal(1, r.ops.n);
    op_is(&r, 0, 1, 100, 200, false);
    device_run_free(&r);
}

TEST(firmware_with_the_timer_id_0_does_not_count)
{
    struct device_run r =
        FIND(MARK("0", "1", "BRISC", "0", "100", "1", "BRISC-FW", "ZONE_START")
                 MARK("0", "1", "BRISC", "0", "200", "1", "BRISC-FW", "ZONE_END"));
    op_is(&r, 0, 1, 100, 200, false);
    device_run_free(&r);
}

TEST(each_kind_of_core_has_a_processor_that_speaks_for_it)
{
#define BOTH(x, risc, name, run)                                                           \
    MARK("0", x, risc, "1", "100", run, name, "ZONE_START")                                \
    MARK("0", x, risc, "1", "200", run, name, "ZONE_END")
    struct device_run r = FIND(
        BOTH("1", "ERISC", "ERISC-FW", "1") BOTH("2", "TENSIX_RISC_AGG", "TRACE-FW", "2")
            BOTH("3", "QUASAR_DM0", "DM0-FW", "3") BOTH("4", "NCRISC", "NCRISC-FW", "4")
                BOTH("5", "NCRISC", "BRISC-FW", "5"));
    for (size_t i = 0; i < 5; i++) // 4 and 5: the wrong zone, the wrong processor
        assert_int_equal(r.trace.runs.v[r.ops.v[i].run].id < 4, r.ops.v[i].is_complete);
    device_run_free(&r);
}

TEST(dispatch_cores_need_no_firmware_and_do_not_lengthen_an_op)
{
    struct device_run r = FIND(FW("1", "100", "200", "1") MARK(
        "0", "9", "BRISC", "7", "50", "1", "CQ-DISPATCH", "ZONE_START"));
    op_is(&r, 0, 1, 100, 200, true);
    assert_int_equal(1, r.ops.v[0].n_cores);
    device_run_free(&r);
}

TEST(an_op_on_dispatch_cores_alone_is_never_complete)
{
    struct device_run r =
        FIND(MARK("0", "9", "BRISC", "7", "50", "1", "CQ-DISPATCH", "ZONE_START")
                 MARK("0", "9", "BRISC", "7", "60", "1", "CQ-DISPATCH", "ZONE_END"));
    op_is(&r, 0, 1, 50, 60, false);
    assert_int_equal(0, r.ops.v[0].n_cores);
    device_run_free(&r);
}

// At the same time the core decides, whichever of its processors saw the op.
TEST(ops_that_begin_together_stand_in_the_order_of_cores)
{
    struct device_run r =
        FIND(FW("1", "10", "20", "3") FW("2", "100", "200", "2")
                 MARK("0", "1", "NCRISC", "5", "100", "1", "N", "ZONE_START")
                     MARK("0", "1", "NCRISC", "5", "150", "1", "N", "ZONE_END"));
    op_is(&r, 0, 3, 10, 20, true);
    op_is(&r, 1, 1, 100, 150, false);
    op_is(&r, 2, 2, 100, 200, true);
    device_run_free(&r);
}

TEST(replays_of_a_trace_are_ops_of_their_own)
{
#define REPLAY(from, to, counter)                                                          \
    "0,1,1,BRISC,1," from ",0,7,3," counter                                                \
    ",BRISC-FW,ZONE_START,1,a.cc,\n"                                                       \
    "0,1,1,BRISC,1," to ",0,7,3," counter ",BRISC-FW,ZONE_END,1,a.cc,\n"
    struct device_run r = FIND(REPLAY("100", "200", "1") REPLAY("300", "400", "2")
                                   FW("1", "220", "240", "8"));
    assert_int_equal(3, r.ops.n);
    op_is(&r, 0, 7, 100, 200, true);
    op_is(&r, 1, 7, 300, 400, true); // executions of an id stand together
    op_is(&r, 2, 8, 220, 240, true);
    assert_int_equal(2, r.trace.runs.v[r.ops.v[1].run].trace_counter);
    assert_int_equal(0, r.trace.runs.v[r.ops.v[1].run].execution);
    device_run_free(&r);
}

TEST(ops_stand_device_by_device_even_where_ids_are_the_same)
{
    struct device_run r =
        FIND(MARK("4", "1", "BRISC", "1", "900", "7", "BRISC-FW", "ZONE_START")
                 MARK("4", "1", "BRISC", "1", "950", "7", "BRISC-FW", "ZONE_END")
                     FW("1", "100", "200", "7") FW("1", "300", "400", "8"));
    assert_int_equal(3, r.ops.n);
    assert_int_equal(0, r.ops.first[0]);
    assert_int_equal(1, r.ops.first[1]);
    assert_int_equal(3, r.ops.first[2]);
    op_is(&r, 0, 7, 900, 950, true);
    op_is(&r, 1, 7, 100, 200, true);
    device_run_free(&r);
}

TEST(a_log_without_rows_has_no_ops)
{
    struct device_run r = FIND("");
    assert_int_equal(0, r.ops.n);
    device_run_free(&r);
}

TEST(what_was_complete_stays_so_when_markers_are_taken_away)
{
    struct device_run r = FIND(FW("1", "100", "200", "1") MARK(
        "0", "1", "BRISC", "1", "300", "2", "BRISC-FW", "ZONE_START"));
    static const struct selection ends = {.from = "+0", .zone = "BRISC-FW"};
    pair_zones(&r.trace);
    assert_true(trace_select(&r.trace, &r.ops, &ends, &r.e));
    device_ops_again(&r.ops, &r.trace);
    assert_int_equal(2, r.ops.n);
    assert_int_equal(1, r.ops.n_incomplete); // and what was not stays so
    r.trace.tracks.v[0].n_markers = 1;       // only the first start is left
    device_ops_again(&r.ops, &r.trace);
    assert_int_equal(1, r.ops.n);
    op_is(&r, 0, 1, 100, 100, true);
    assert_int_equal(0, r.ops.n_incomplete);
    device_run_free(&r);
}

TEST(markers_that_are_no_op_become_none_when_the_ops_beside_them_are_taken_away)
{
    struct device_run r =
        FIND(REPLAY("100", "200", "1")
                 MARK("0", "9", "BRISC", "7", "150", "7", "CQ-DISPATCH", "ZONE_START")
                     MARK("0", "9", "BRISC", "7", "160", "7", "CQ-DISPATCH", "ZONE_END"));
    static const struct selection dispatch = {.zone = "CQ-DISPATCH"};
    assert_int_equal(1, r.ops.n);
    pair_zones(&r.trace);
    assert_true(trace_select(&r.trace, &r.ops, &dispatch, &r.e));
    assert_int_equal(0, r.ops.n);
    device_run_free(&r);
}
