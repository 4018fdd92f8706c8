// test_dispatch_ops.c - commands of dispatch cores, put together to ops.
#include "../support/device_run.h"
#include "analyse/diags.h"
#include "formats/device_log/device_log_meta.h"
#include "test.h"

#define MARK(risc, id, time, name, type, meta)                                             \
    "0,9,9," risc "," id "," time ",0,0,,," name "," type ",1,d.cc," meta "\n"
#define ON(risc, time)  MARK(risc, "1", time, "CQ-DISPATCH", "ZONE_START", "")
#define OFF(risc, time) MARK(risc, "1", time, "CQ-DISPATCH", "ZONE_END", "")
#define META(risc, time, key, value)                                                       \
    MARK(risc, "2", time, "x", "TS_DATA", "{\"" key "\":" value "}")
#define ID(risc, time, id)    META(risc, time, "workers_runtime_id", id)
#define CMD(risc, time, name) META(risc, time, "dispatch_command_type", "\"" name "\"")
#define NOTIFY                "CQ_DISPATCH_NOTIFY_SUBORDINATE_GO_SIGNAL"
#define GO                    "CQ_DISPATCH_CMD_SEND_GO_SIGNAL"

static struct device_run find(str text)
{
    struct device_run r;
    if (!device_run_read(&r, text))
        fail_msg("%s", r.e.text);
    dispatch_ops_find(&r.dispatch, &r.trace);
    assert_null(law_of_markers(&r.trace));
    return r;
}
#define FIND(rows) find(S(LOG_HEAD rows))

static void op_is(const struct device_run *r, size_t i, int64_t id, uint32_t n)
{
    assert_true(i < r->dispatch.v.n);
    assert_int_equal(id, r->dispatch.v.v[i].id);
    assert_int_equal(n, r->dispatch.v.v[i].n);
}

// The k-th element of an op.
static uint32_t element(const struct device_run *r, size_t op, uint32_t k)
{
    return r->dispatch.elements.v[r->dispatch.v.v[op].first + k];
}

TEST(meta_find_reads_texts_and_numbers_of_either_quoting)
{
    str v;
    assert_true(meta_find(S("{\"a\":\"x y\";\"b\":12}"), S("a"), &v));
    STR_IS(v, "x y");
    assert_true(meta_find(S("{\"a\":\"x y\";\"b\":12}"), S("b"), &v));
    STR_IS(v, "12");
    assert_true(meta_find(S("{'b' : 12 , 'c': 3}"), S("b"), &v));
    STR_IS(v, "12");
    assert_true(meta_find(S("{\"a\":\"MCAST;FLAG\"}"), S("a"), &v));
    STR_IS(v, "MCAST;FLAG");
}

TEST(meta_find_says_no_to_what_is_cut_or_missing)
{
    str v;
    assert_false(meta_find(S(""), S("a"), &v));
    assert_false(meta_find(S("{\"b\":1}"), S("a"), &v));
    assert_false(meta_find(S("{\"a\""), S("a"), &v));
    assert_false(meta_find(S("{\"a\":"), S("a"), &v));
    assert_false(meta_find(S("{\"a\":\"cut"), S("a"), &v));
    assert_false(meta_find(S("{\"a\":\""), S("a"), &v));
    assert_false(meta_find(S("{\"a\":}"), S("a"), &v));
}

TEST(zones_of_dispatcher_and_subordinate_are_joined_by_time)
{
    struct device_run r =
        FIND(ON("BRISC", "10") ID("BRISC", "11", "1024") CMD("BRISC", "12", NOTIFY) OFF(
            "BRISC", "40") ON("NCRISC", "20") CMD("NCRISC", "21", GO) OFF("NCRISC", "50"));
    assert_int_equal(1, r.dispatch.v.n);
    op_is(&r, 0, 1024, 7);
    static const uint64_t want[] = {10, 11, 12, 20, 21, 40, 50};
    for (uint32_t i = 0; i < 7; i++)
        assert_int_equal(want[i], r.trace.markers.time[element(&r, 0, i)]);
    device_run_free(&r);
}

TEST(first_and_last_marker_of_a_zone_get_the_name_of_the_command)
{
    struct device_run r =
        FIND(ON("BRISC", "10") ID("BRISC", "11", "7") CMD("BRISC", "12", "CMD_A")
                 OFF("BRISC", "20") ON("BRISC", "30") CMD("BRISC", "31", "CMD_B")
                     OFF("BRISC", "40"));
    static const char *const want[] = {"CMD_A", "x", "x", "CMD_A", "CMD_B", "x", "CMD_B"};
    op_is(&r, 0, 7, 7);
    for (uint32_t i = 0; i < 7; i++)
        assert_true(str_is(trace_name_of(&r.trace, element(&r, 0, i)), want[i]));
    // Only the name is another.
    const struct trace_site *s = trace_site_of(&r.trace, element(&r, 0, 0));
    assert_int_equal(MARKER_ZONE_START, s->type);
    assert_int_equal(1, s->timer_id);
    device_run_free(&r);
}

TEST(behind_the_signal_to_the_subordinate_zones_are_of_no_op)
{
    struct device_run r = FIND(ON("BRISC", "10") ID("BRISC", "11", "7") CMD(
        "BRISC", "12", NOTIFY) OFF("BRISC", "20") ON("BRISC", "30") OFF("BRISC", "40"));
    assert_int_equal(1, r.dispatch.v.n);
    op_is(&r, 0, 7, 4);
    device_run_free(&r);
}

TEST(only_the_first_time_of_a_program_counts)
{
    struct device_run r =
        FIND(ON("BRISC", "10") ID("BRISC", "11", "7") OFF("BRISC", "20") ON("BRISC", "30")
                 ID("BRISC", "31", "8") OFF("BRISC", "40") ON("BRISC", "50")
                     ID("BRISC", "51", "7") OFF("BRISC", "60"));
    assert_int_equal(2, r.dispatch.v.n);
    op_is(&r, 0, 7, 3);
    op_is(&r, 1, 8, 3);
    device_run_free(&r);
}

TEST(ops_of_the_dispatcher_that_have_no_partner_are_kept)
{
    struct device_run r = FIND(
        ON("BRISC", "10") ID("BRISC", "11", "7") CMD("BRISC", "12", NOTIFY)
            OFF("BRISC", "20") ON("BRISC", "30") ID("BRISC", "31", "8") OFF("BRISC", "40")
                ON("NCRISC", "15") CMD("NCRISC", "16", GO) OFF("NCRISC", "17"));
    assert_int_equal(2, r.dispatch.v.n);
    op_is(&r, 0, 7, 7);
    op_is(&r, 1, 8, 3);
    device_run_free(&r);
}

// A replay notifies of a go signal that belongs to no program.
TEST(the_kth_notice_belongs_to_the_kth_go_signal)
{
    struct device_run r = FIND(
        ON("BRISC", "10") ID("BRISC", "11", "7") CMD("BRISC", "12", NOTIFY)
            OFF("BRISC", "14") ON("BRISC", "20") CMD("BRISC", "21", NOTIFY)
                OFF("BRISC", "22") ON("BRISC", "30") ID("BRISC", "31", "8")
                    CMD("BRISC", "32", NOTIFY) OFF("BRISC", "40") ON("NCRISC", "1")
                        CMD("NCRISC", "2", "CQ_DISPATCH_SET_GO_SIGNAL_NOC_DATA")
                            OFF("NCRISC", "3") ON("NCRISC", "15") CMD("NCRISC", "16", GO)
                                OFF("NCRISC", "17") ON("NCRISC", "23")
                                    CMD("NCRISC", "24", GO) OFF("NCRISC", "25")
                                        ON("NCRISC", "35") CMD("NCRISC", "36", GO)
                                            OFF("NCRISC", "37"));
    assert_int_equal(2, r.dispatch.v.n);
    op_is(&r, 0, 7, 7);
    op_is(&r, 1, 8, 7);
    assert_int_equal(15, r.trace.markers.time[element(&r, 0, 4)]);
    assert_int_equal(35, r.trace.markers.time[element(&r, 1, 3)]);
    device_run_free(&r);
}

// Where the log tells executions apart, each has its own op.
TEST(executions_of_a_program_are_ops_of_their_own_beside_replays)
{
    struct device_run r =
        FIND("0,1,1,BRISC,9,1,0,7,0,1,BRISC-FW,ZONE_START,1,d.cc,\n" ON("BRISC", "10")
                 ID("BRISC", "11", "7") OFF("BRISC", "20") ON("BRISC", "30")
                     ID("BRISC", "31", "8") OFF("BRISC", "40") ON("BRISC", "50")
                         ID("BRISC", "51", "7") OFF("BRISC", "60"));
    assert_int_equal(3, r.dispatch.v.n);
    op_is(&r, 0, 7, 3);
    op_is(&r, 1, 8, 3);
    op_is(&r, 2, 7, 3);
    assert_int_equal(r.dispatch.v.v[0].nth, 0);
    assert_int_equal(r.dispatch.v.v[2].nth, 1);
    device_run_free(&r);
}

// One marker has no length, even if it begins and ends what is asked for.
TEST(a_span_of_a_dispatch_op_has_two_markers)
{
    static str commands[] = {{"A", 1}, {"B", 1}};
    struct device_run r = FIND(ON("BRISC", "10") ID("BRISC", "11", "7") CMD(
        "BRISC", "12", "A") OFF("BRISC", "20") CMD("BRISC", "30", "B") OFF("BRISC", "40"));
    static const struct {
        size_t command;
        str phase;
        uint64_t first, last; // 0: there is none
    } cases[] = {{0, {"", 0}, 10, 20}, {1, {"", 0}, 30, 40}, {1, {"ZONE_END", 8}, 0, 0}};
    assert_int_equal(1, r.dispatch.v.n);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct condition c = {.names = &commands[cases[i].command],
                              .n_names = 1,
                              .risc = S("ANY"),
                              .phase = cases[i].phase,
                              .timer_id = -1};
        struct analysis a = {.start = c, .end = c};
        uint32_t first = 0, last = 0;
        bool is_there = dispatch_op_span(&r.dispatch, &r.trace, 0, &a, &first, &last);
        assert_int_equal(is_there, cases[i].last != 0);
        if (is_there) {
            assert_int_equal(r.trace.markers.time[first], cases[i].first);
            assert_int_equal(r.trace.markers.time[last], cases[i].last);
        }
    }
    device_run_free(&r);
}

TEST(a_zone_that_never_ends_is_in_no_op)
{
    struct device_run r = FIND(ON("BRISC", "10") ID("BRISC", "11", "7"));
    assert_int_equal(0, r.dispatch.v.n);
    device_run_free(&r);
}

TEST(worker_cores_have_no_dispatch_ops)
{
    struct device_run r = FIND(
        "0,9,9,BRISC,1,1,0,0,,,W,ZONE_START,1,a.cc,\n"
        "0,9,9,BRISC,2,2,0,0,,,x,TS_DATA,1,a.cc,{\"workers_runtime_id\":7}\n"
        "0,9,9,BRISC,1,3,0,0,,,W,ZONE_END,1,a.cc,\n");
    assert_int_equal(0, r.dispatch.v.n);
    STR_IS(trace_name_of(&r.trace, r.trace.tracks.v[0].marker), "W");
    device_run_free(&r);
}

TEST(meta_data_that_cannot_be_read_is_counted)
{
    struct device_run r = FIND(ON("BRISC", "10") ID("BRISC", "11", "\"seven\"") META(
        "BRISC", "12", "dispatch_command_type", "") OFF("BRISC", "20"));
    assert_int_equal(2, trace_count(&r.trace, DIAG_META_ODD));
    assert_int_equal(0, r.dispatch.v.n);
    device_run_free(&r);
}

// The largest id has no next one.
TEST(a_go_signal_behind_the_largest_id_does_not_overflow)
{
    struct device_run r = FIND(ON("BRISC", "10") ID("BRISC", "11", "9223372036854775807")
                                   CMD("BRISC", "12", GO) OFF("BRISC", "20"));
    assert_int_equal(1, r.dispatch.v.n);
    op_is(&r, 0, INT64_MAX, 4);
    device_run_free(&r);
}
