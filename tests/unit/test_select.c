// test_select.c - parts of a log: what stays, what goes, what is still known of the whole.
#include "../support/device_run.h"
#include "test.h"

#define ROW(track, id, time, run, name, type)                                              \
    track "," #id "," #time ",0," #run ",,," name ",ZONE_" type ",1,a.cc,\n"
#define DATUM(track, time, data, run)                                                      \
    track ",9," #time "," #data "," #run ",,,D,TS_DATA,1,a.cc,\n"
// The firmware and the kernel of an op on a core.
#define OP(core, run, fw, kernel, kernel_end, fw_end)                                      \
    ROW(core ",BRISC", 7, fw, run, "BRISC-FW", "START")                                    \
    ROW(core ",BRISC", 8, kernel, run, "BRISC-KERNEL", "START")                            \
    ROW(core ",BRISC", 8, kernel_end, run, "BRISC-KERNEL", "END")                          \
    ROW(core ",BRISC", 7, fw_end, run, "BRISC-FW", "END")

// Two devices, two cores on the first; three ops; data and a zone of no op.
// clang-format off
static const char log_text[] =
    LOG_HEAD
    OP("0,1,1", 1024, 100, 110, 180, 190)
    OP("0,2,1", 1024, 105, 115, 185, 195)
    ROW("0,2,1,TRISC_0", 8, 120, 1024, "TRISC-KERNEL", "START")
    ROW("0,2,1,TRISC_0", 8, 130, 1024, "TRISC-KERNEL", "END")
    OP("0,1,1", 2048, 200, 210, 280, 290)
    DATUM("0,1,1,BRISC", 215, 77, 2048)
    DATUM("0,1,1,BRISC", 115, 66, 1024)
    OP("1,1,1", 1025, 5000, 5010, 5020, 5030)
    ROW("0,1,1,NCRISC", 5, 150, 0, "IDLE", "START")
    ROW("0,1,1,NCRISC", 5, 260, 0, "IDLE", "END");
// clang-format on

struct part {
    struct device_run run;
    struct buf times;
};

static bool take(struct part *p, struct selection s)
{
    *p = (struct part){0};
    return device_run(&p->run, str_of(log_text), &(struct device_how){.selection = s});
}

static void part_free(struct part *p)
{
    device_run_free(&p->run);
    buf_free(&p->times);
}

// The times that are left, track by track: "0 1,1 BRISC: 100 190; ...".
#define ONLY(...)        ((struct selection){__VA_ARGS__})
#define LEFT(what, want) left((what), (want), __LINE__)
static void left(struct selection s, const char *want, int line)
{
    struct part p;
    assert_true(take(&p, s));
    const struct trace *t = &p.run.trace;
    for (size_t k = 0; k < t->tracks.n; k++) {
        const struct trace_track *track = &t->tracks.v[k];
        const struct trace_core *core = &t->cores.v[track->core];
        buf_printf(&p.times, "%s%lld %d,%d %.*s:", k ? "; " : "",
                   (long long)t->devices.v[core->device].id, core->x, core->y,
                   STR(trace_text(t, track->risc)));
        for (uint32_t m = track->marker; m < track->marker + track->n_markers; m++)
            buf_printf(&p.times, " %llu", (unsigned long long)t->markers.time[m]);
    }
    test_str_is(buf_view(&p.times), str_of(want), __FILE__, line);
    const char *broken = law_of_markers(t);
    if (broken)
        fail_msg("%s", broken);
    part_free(&p);
}

#define CORE_1_OF_1024 "0 1,1 BRISC: 100 110 115 180 190"
#define CORE_2_OF_1024 "0 2,1 BRISC: 105 115 185 195; 0 2,1 TRISC_0: 120 130"

TEST(a_selection_of_nothing_is_empty)
{
    struct selection s = {0};
    assert_true(selection_is_empty(&s));
    const char **fields[] = {&s.device, &s.core,      &s.risc, &s.zone,
                             &s.op,     &s.run_range, &s.from, &s.to};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        *fields[i] = "1";
        assert_false(selection_is_empty(&s));
        *fields[i] = NULL;
    }
}

TEST(a_device_is_chosen_by_its_id)
{
    LEFT(ONLY(.device = "1"), "1 1,1 BRISC: 5000 5010 5020 5030");
    LEFT(ONLY(.device = "[1-9]|7"), "1 1,1 BRISC: 5000 5010 5020 5030");
    LEFT(ONLY(.device = "2"), "");
}

TEST(a_core_is_chosen_by_its_place)
{
    LEFT(ONLY(.core = "2,1"), CORE_2_OF_1024);
    LEFT(ONLY(.core = "2,*"), CORE_2_OF_1024);
    LEFT(ONLY(.core = "9,9 | [2-3],? "), CORE_2_OF_1024);
    LEFT(ONLY(.core = "2"), "");
}

TEST(a_risc_is_chosen_by_its_name)
{
    LEFT(ONLY(.risc = "NCRISC"), "0 1,1 NCRISC: 150 260");
    LEFT(ONLY(.risc = "N*|TRISC_?"), "0 2,1 TRISC_0: 120 130; 0 1,1 NCRISC: 150 260");
    LEFT(ONLY(.risc = "nCRISC"), "");
}

TEST(a_zone_is_chosen_by_its_name)
{
    LEFT(ONLY(.zone = "TRISC-*|IDLE"), "0 2,1 TRISC_0: 120 130; 0 1,1 NCRISC: 150 260");
    LEFT(ONLY(.zone = "*-KERNEL", .device = "1"), "1 1,1 BRISC: 5010 5020");
    LEFT(ONLY(.zone = ""), "");
}

TEST(an_op_is_chosen_by_its_run_id)
{
    LEFT(ONLY(.op = "1024"), CORE_1_OF_1024 "; " CORE_2_OF_1024);
    LEFT(ONLY(.op = "20*|0"), "0 1,1 BRISC: 200 210 215 280 290; 0 1,1 NCRISC: 150 260");
    LEFT(ONLY(.op = "102?", .device = "1"), "1 1,1 BRISC: 5000 5010 5020 5030");
}

TEST(a_range_of_run_ids_holds_both_its_ends)
{
    LEFT(ONLY(.run_range = "1024-1024"), CORE_1_OF_1024 "; " CORE_2_OF_1024);
    LEFT(ONLY(.run_range = "1025-2048"),
         "0 1,1 BRISC: 200 210 215 280 290; 1 1,1 BRISC: 5000 5010 5020 5030");
    LEFT(ONLY(.run_range = "2048-"), "0 1,1 BRISC: 200 210 215 280 290");
    LEFT(ONLY(.run_range = " - 1 "), "0 1,1 NCRISC: 150 260");
    LEFT(ONLY(.run_range = "9-8"), "");
}

TEST(an_op_is_in_a_window_as_a_whole_and_markers_of_no_op_by_their_time)
{
    // The op 1024 goes from 100 to 195.
    LEFT(ONLY(.from = "100", .to = "195"),
         CORE_1_OF_1024 "; " CORE_2_OF_1024 "; 0 1,1 NCRISC: 150");
    LEFT(ONLY(.from = "101", .to = "195"), "0 1,1 NCRISC: 150");
    LEFT(ONLY(.from = "100", .to = "194"), "0 1,1 NCRISC: 150");
    LEFT(ONLY(.from = "151", .to = "290"),
         "0 1,1 BRISC: 200 210 215 280 290; 0 1,1 NCRISC: 260");
    LEFT(ONLY(.from = "291"), "1 1,1 BRISC: 5000 5010 5020 5030");
    LEFT(ONLY(.to = "99"), "");
}

TEST(a_relative_window_counts_from_the_first_marker_of_each_device)
{
    LEFT(ONLY(.from = "+0", .to = "+30"), "1 1,1 BRISC: 5000 5010 5020 5030");
    LEFT(ONLY(.from = "+0", .to = "+95", .device = "0"),
         CORE_1_OF_1024 "; " CORE_2_OF_1024 "; 0 1,1 NCRISC: 150");
    LEFT(ONLY(.from = "+1", .to = "+999"),
         "0 1,1 BRISC: 200 210 215 280 290; 0 1,1 NCRISC: 150 260");
    LEFT(ONLY(.to = "+9223372036854775807", .risc = "NCRISC"), "0 1,1 NCRISC: 150 260");
}

TEST(all_conditions_must_fit)
{
    LEFT(ONLY(.device = "0", .core = "1,1", .risc = "BRISC", .zone = "*KERNEL", .op = "2*",
              .run_range = "2000-3000", .from = "200", .to = "290"),
         "0 1,1 BRISC: 210 280");
}

TEST(data_stay_with_their_markers)
{
    struct part p;
    assert_true(take(&p, (struct selection){.op = "2048"}));
    const struct trace *t = &p.run.trace;
    assert_int_equal(1, t->data.n);
    assert_int_equal(77, t->data.v[0].data);
    assert_int_equal(215, t->markers.time[t->data.v[0].marker]);
    part_free(&p);
}

TEST(zones_stay_where_their_markers_stay)
{
    struct part p;
    assert_true(take(&p, (struct selection){.zone = "*KERNEL", .core = "2,1"}));
    const struct trace *t = &p.run.trace;
    assert_int_equal(2, t->zones.n);
    assert_int_equal(115, t->zones.start[0]);
    assert_int_equal(185, t->zones.end[0]);
    assert_int_equal(120, t->zones.start[1]);
    assert_int_equal(1, t->tracks.v[1].n_zones);
    part_free(&p);
    // A zone of no op must lie in the window as a whole.
    assert_true(take(&p, (struct selection){.risc = "NCRISC", .to = "259"}));
    assert_int_equal(0, p.run.trace.zones.n);
    assert_int_equal(1, p.run.trace.markers.n);
    part_free(&p);
    assert_true(take(&p, (struct selection){.risc = "NCRISC", .to = "260"}));
    assert_int_equal(1, p.run.trace.zones.n);
    part_free(&p);
}

TEST(what_has_nothing_left_is_gone_and_the_rest_is_numbered_anew)
{
    struct part p;
    assert_true(take(&p, (struct selection){.device = "1"}));
    const struct trace *t = &p.run.trace;
    assert_int_equal(1, t->devices.n);
    assert_int_equal(1, t->devices.v[0].id);
    assert_int_equal(1, t->cores.n);
    assert_int_equal(0, t->cores.v[0].device);
    assert_int_equal(5000, t->devices.v[0].first_time);
    assert_int_equal(5030, t->devices.v[0].last_time);
    assert_int_equal(1, p.run.ops.n);
    assert_int_equal(1025, t->runs.v[p.run.ops.v[0].run].id);
    part_free(&p);
}

TEST(spans_are_those_of_what_is_left)
{
    struct part p;
    assert_true(take(&p, (struct selection){.device = "0", .zone = "*KERNEL"}));
    assert_int_equal(110, p.run.trace.devices.v[0].first_time);
    assert_int_equal(280, p.run.trace.devices.v[0].last_time);
    part_free(&p);
}

TEST(whether_an_op_is_complete_stays_as_it_was_in_the_whole_log)
{
    struct part p;
    assert_true(take(&p, (struct selection){.zone = "*KERNEL"})); // no firmware is left
    assert_int_equal(3, p.run.ops.n);
    assert_int_equal(0, p.run.ops.n_incomplete);
    part_free(&p);
    static const char cut[] = LOG_HEAD OP("0,1,1", 1024, 100, 110, 180, 190)
        ROW("0,2,1,BRISC", 7, 100, 1024, "BRISC-FW", "START");
    struct device_run r;
    assert_true(device_run(&r, str_of(cut), &(struct device_how){.selection.core = "1,1"}));
    assert_int_equal(1, r.ops.n_incomplete); // although its firmware ended on this core
    assert_int_equal(1, r.ops.v[0].n_cores);
    device_run_free(&r);
}

#define NO_TIME                                                                            \
    " is not a time; use cycles as in the log, or +N cycles from the first marker of a "   \
    "device"

TEST(what_is_no_window_or_range_is_a_usage_error)
{
    static const struct {
        struct selection s;
        const char *message;
    } cases[] = {
        {{.from = "x"}, "--from: 'x'" NO_TIME},
        {{.from = "-1"}, "--from: '-1'" NO_TIME},
        {{.to = ""}, "--to: ''" NO_TIME},
        {{.to = "+"}, "--to: '+'" NO_TIME},
        {{.to = "9223372036854775808"}, "--to: '9223372036854775808'" NO_TIME},
        {{.run_range = "5"}, "--run-id: '5' is not a range; use 'A-B', 'A-' or '-B'"},
        {{.run_range = "-"}, "--run-id: '-' is not a range; use 'A-B', 'A-' or '-B'"},
        {{.run_range = "1-2-3"},
         "--run-id: '1-2-3' is not a range; use 'A-B', 'A-' or '-B'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct part p;
        assert_false(take(&p, cases[i].s));
        assert_int_equal(ERR_USAGE, p.run.e.code);
        test_str_is(str_of(p.run.e.text), str_of(cases[i].message), __FILE__, __LINE__);
        part_free(&p);
    }
}
