// test_device_analysis.c - every kind of analysis on logs of a few rows.
#include <stdio.h>
#include <stdlib.h>

#include "../support/device_run.h"
#include "test.h"

// A log that is put together row by row, and what a setup finds in it.
struct look {
    struct buf log;
    struct arena arena;
    struct setup setup;
    struct device_run run;
    struct buf text; // of results
};

static void look_start(struct look *l)
{
    *l = (struct look){0};
    buf_z(&l->log, LOG_HEAD);
}

// Timer id: 1 plus the sum of the letters, so that the same name is the same zone.
static unsigned id_of(const char *name)
{
    unsigned id = 1;
    for (; *name; name++)
        id += (unsigned char)*name;
    return id;
}

static void put_as(struct look *l, unsigned id, const char *track, uint64_t time, int run,
                   const char *name, const char *type, uint64_t data)
{
    buf_printf(&l->log, "%s,%u,%llu,%llu,%d,,,%s,%s,1,a.cc,\n", track, id,
               (unsigned long long)time, (unsigned long long)data, run, name, type);
}

static void put(struct look *l, const char *track, uint64_t time, int run, const char *name,
                const char *type)
{
    put_as(l, id_of(name), track, time, run, name, type, 0);
}

static void start(struct look *l, const char *track, uint64_t time, const char *name)
{
    put(l, track, time, 0, name, "ZONE_START");
}

static void end(struct look *l, const char *track, uint64_t time, const char *name)
{
    put(l, track, time, 0, name, "ZONE_END");
}

// The firmware of BRISC on a core: what makes an op of a run.
static void firmware(struct look *l, const char *track, uint64_t from, uint64_t to, int run)
{
    put(l, track, from, run, "BRISC-FW", "ZONE_START");
    put(l, track, to, run, "BRISC-FW", "ZONE_END");
}

static void analyse_how(struct look *l, const char *setup, struct device_how how)
{
    struct err e = {0};
    bool ok = setup_parse(&l->setup, str_of(setup), "own.ini", &l->arena, &e);
    if (!ok)
        print_error("%s\n", e.text);
    assert_true(ok);
    how.setup = &l->setup;
    assert_true(device_run(&l->run, buf_view(&l->log), &how));
}

static void analyse(struct look *l, const char *setup)
{
    analyse_how(l, setup, (struct device_how){0});
}

static const struct analysed *found(const struct look *l, const char *name)
{
    const struct analysed *a = device_analysis_find(&l->run.analysis, str_of(name));
    assert_non_null(a);
    return a;
}

// The results of the analysis "a", as "group:cycles group:cycles".
#define RESULTS_ARE(l, literal) results_are((l), "a", (literal), __LINE__)
static void results_are(struct look *l, const char *name, const char *want, int line)
{
    const struct analysed *a = found(l, name);
    l->text.n = 0;
    for (size_t i = 0; i < a->results.n; i++)
        buf_printf(&l->text, "%s%u:%llu", i ? " " : "", a->results.v[i].group,
                   (unsigned long long)a->results.v[i].cycles);
    test_str_is(buf_view(&l->text), str_of(want), __FILE__, line);
}

static void look_end(struct look *l)
{
    device_run_free(&l->run);
    setup_free(&l->setup);
    buf_free(&l->log);
    buf_free(&l->text);
    arena_free(&l->arena);
}

#define ANALYSIS(across, type) "[a]\nacross = " across "\ntype = " type "\n"
#define X_BOTH                 "both.risc = ANY\nboth.zone_name = X\n"
#define X_THEN_Y               "both.risc = ANY\nstart.zone_name = X\nend.zone_name = Y\n"
#define B1                     "0,1,1,BRISC"
#define N1                     "0,1,1,NCRISC"
#define B2                     "0,2,1,BRISC"
#define OTHER                  "1,1,1,BRISC"

// --- adjacent ---

TEST(adjacent_with_equal_conditions_pairs_one_with_two_and_three_with_four)
{
    struct look l;
    look_start(&l);
    start(&l, B1, 10, "X");
    end(&l, B1, 15, "X");
    start(&l, B1, 27, "X");
    end(&l, B1, 40, "X");
    start(&l, B1, 100, "X");
    analyse(&l, ANALYSIS("core", "adjacent") X_BOTH);
    RESULTS_ARE(&l, "0:5 0:13");
    look_end(&l);
}

TEST(adjacent_takes_the_newest_start_before_an_end)
{
    struct look l;
    look_start(&l);
    end(&l, B1, 5, "Y"); // nothing has started
    start(&l, B1, 10, "X");
    start(&l, B1, 20, "X");
    end(&l, B1, 50, "Y");
    end(&l, B1, 60, "Y"); // the start is used up
    start(&l, B1, 70, "X");
    analyse(&l, ANALYSIS("core", "adjacent") X_THEN_Y);
    RESULTS_ARE(&l, "0:30");
    look_end(&l);
}

TEST(adjacent_looks_at_phases_where_they_are_said)
{
    struct look l;
    look_start(&l);
    start(&l, B1, 10, "X");
    end(&l, B1, 16, "X");
    start(&l, B1, 40, "X");
    end(&l, B1, 47, "X");
    analyse(&l, ANALYSIS("core", "adjacent") X_BOTH
            "start.zone_phase = ZONE_END\nend.zone_phase = ZONE_START\n");
    RESULTS_ARE(&l, "0:24");
    look_end(&l);
}

TEST(adjacent_pairs_markers_of_several_riscs_but_not_of_several_cores_in_a_core)
{
    struct look l;
    look_start(&l);
    start(&l, B1, 10, "X");
    start(&l, N1, 15, "Y");
    start(&l, B2, 11, "X");
    start(&l, OTHER, 12, "Y");
    analyse(&l, ANALYSIS("core", "adjacent") X_THEN_Y);
    RESULTS_ARE(&l, "0:5");
    look_end(&l);
}

TEST(adjacent_across_a_device_pairs_markers_of_several_cores)
{
    struct look l;
    look_start(&l);
    start(&l, B1, 10, "X");
    start(&l, B2, 18, "Y");
    start(&l, OTHER, 12, "X");
    start(&l, OTHER, 15, "Y");
    analyse(&l, ANALYSIS("device", "adjacent") X_THEN_Y);
    RESULTS_ARE(&l, "0:8 1:3");
    look_end(&l);
}

TEST(adjacent_across_ops_stays_in_an_op)
{
    struct look l;
    look_start(&l);
    firmware(&l, B1, 1, 29, 1024);
    firmware(&l, B1, 30, 60, 2048);
    put(&l, B1, 10, 1024, "X", "ZONE_START");
    put(&l, B1, 15, 1024, "Y", "ZONE_START");
    put(&l, B1, 20, 1024, "X", "ZONE_START");
    put(&l, B1, 40, 2048, "Y", "ZONE_START");
    put(&l, B1, 41, 2048, "X", "ZONE_START");
    put(&l, B1, 55, 2048, "Y", "ZONE_START");
    analyse(&l, ANALYSIS("ops", "adjacent") X_THEN_Y);
    RESULTS_ARE(&l, "0:5 1:14");
    look_end(&l);
}

TEST(adjacent_knows_the_firmware_start_before_both_ends)
{
    struct look l;
    look_start(&l);
    start(&l, B1, 5, "X");
    start(&l, B1, 6, "Y");
    firmware(&l, B1, 10, 30, 1024);
    start(&l, N1, 20, "X");
    firmware(&l, B1, 40, 60, 2048);
    start(&l, N1, 50, "Y");
    analyse(&l, ANALYSIS("core", "adjacent") X_THEN_Y);
    RESULTS_ARE(&l, "0:1 0:30");
    const struct result *r = found(&l, "a")->results.v;
    assert_int_equal(NO_MARKER, r[0].start_iter);
    assert_int_equal(NO_MARKER, r[0].end_iter);
    assert_int_equal(10, l.run.trace.markers.time[r[1].start_iter]);
    assert_int_equal(40, l.run.trace.markers.time[r[1].end_iter]);
    look_end(&l);
}

TEST(adjacent_takes_a_star_for_a_letter)
{
    struct look l;
    look_start(&l);
    start(&l, B1, 10, "KERNEL-1");
    start(&l, B1, 20, "KERNEL-2");
    start(&l, B1, 30, "KERNEL*");
    start(&l, B1, 45, "KERNEL*");
    analyse(&l, ANALYSIS("core", "adjacent") "both.risc = ANY\nboth.zone_name = KERNEL*\n");
    RESULTS_ARE(&l, "0:15");
    look_end(&l);
}

// --- first and last ---

static void put_first_last(struct look *l)
{
    look_start(l);
    start(l, B1, 5, "Y"); // before the first start
    start(l, B1, 10, "X");
    start(l, B1, 20, "X");
    start(l, N1, 30, "Y");
    start(l, N1, 44, "Y");
    start(l, B1, 50, "X");
    start(l, B2, 7, "X");
    start(l, B2, 95, "Y");
    start(l, OTHER, 100, "Y"); // only before the start
    start(l, OTHER, 200, "X");
}

TEST(session_first_last_across_a_core_goes_from_its_first_start_to_its_last_end)
{
    struct look l;
    put_first_last(&l);
    analyse(&l, ANALYSIS("core", "session_first_last") X_THEN_Y);
    RESULTS_ARE(&l, "0:34 1:88");
    look_end(&l);
}

TEST(session_first_last_across_a_device_goes_over_its_cores)
{
    struct look l;
    put_first_last(&l);
    analyse(&l, ANALYSIS("device", "session_first_last") X_THEN_Y);
    RESULTS_ARE(&l, "0:88");
    look_end(&l);
}

TEST(first_last_needs_two_markers)
{
    struct look l;
    look_start(&l);
    start(&l, B1, 10, "X");
    start(&l, B2, 10, "X");
    start(&l, B2, 10, "X2");
    analyse(&l, ANALYSIS("core", "session_first_last") X_BOTH
            "[b]\n"
            "across = device\n"
            "type = op_first_last\n" X_BOTH);
    RESULTS_ARE(&l, "");
    results_are(&l, "b", "0:0", __LINE__); // two markers of one time are two
    look_end(&l);
}

TEST(op_first_last_gives_one_result_for_each_op_in_the_order_of_the_ops)
{
    struct look l;
    look_start(&l);
    firmware(&l, B1, 100, 190, 2048);
    firmware(&l, B2, 101, 191, 2048);
    firmware(&l, B1, 10, 90, 9216);
    put(&l, B1, 110, 2048, "X", "ZONE_START");
    put(&l, B2, 170, 2048, "X", "ZONE_END");
    put(&l, B1, 20, 9216, "X", "ZONE_START");
    put(&l, B1, 25, 9216, "X", "ZONE_END");
    put(&l, B1, 999, 0, "X", "ZONE_END"); // of no op
    analyse(&l, ANALYSIS("ops", "op_first_last") X_BOTH);
    RESULTS_ARE(&l, "0:5 1:60");
    look_end(&l);
}

TEST(op_core_first_last_gives_one_result_for_each_core_of_an_op_by_first_sight)
{
    struct look l;
    look_start(&l);
    firmware(&l, B1, 12, 90, 1024);
    firmware(&l, B2, 10, 91, 1024);
    put(&l, B1, 20, 1024, "X", "ZONE_START");
    put(&l, N1, 27, 1024, "X", "ZONE_END");
    put(&l, B2, 30, 1024, "X", "ZONE_START");
    put(&l, B2, 80, 1024, "X", "ZONE_END");
    firmware(&l, "0,3,1,BRISC", 5, 92, 1024); // has one X only
    put(&l, "0,3,1,BRISC", 30, 1024, "X", "ZONE_START");
    firmware(&l, B1, 100, 190, 2048);
    put(&l, B1, 120, 2048, "X", "ZONE_START");
    put(&l, B1, 121, 2048, "X", "ZONE_END");
    analyse(&l, ANALYSIS("ops", "op_core_first_last") X_BOTH);
    RESULTS_ARE(&l, "0:50 0:7 1:1"); // the second core was seen first
    assert_int_equal(2, found(&l, "a")->blocks.n);
    look_end(&l);
}

TEST(a_star_at_the_end_of_a_name_means_that_it_is_contained)
{
    struct look l;
    look_start(&l);
    firmware(&l, B1, 1, 99, 1024);
    put(&l, B1, 10, 1024, "MY-KERNEL-1", "ZONE_START");
    put(&l, B1, 20, 1024, "KERNEL", "ZONE_START");
    put(&l, B1, 30, 1024, "KERNE", "ZONE_START");
    static const char stars[] = "both.risc = ANY\nboth.zone_name = NOSUCH, KERNEL*\n";
    static const char *const types[] = {"op_first_last", "session_first_last",
                                        "op_core_first_last"};
    struct buf setup = {0};
    for (int i = 0; i < 3; i++)
        buf_printf(&setup, "[%s]\nacross = ops\ntype = %s\n%s", types[i], types[i], stars);
    buf_printf(&setup, "[a]\nacross = core\ntype = session_first_last\n%s", stars);
    buf_char(&setup, '\0');
    analyse(&l, setup.p);
    for (int i = 0; i < 3; i++)
        results_are(&l, types[i], "0:10", __LINE__);
    RESULTS_ARE(&l, "0:10");
    buf_free(&setup);
    look_end(&l);
}

TEST(a_condition_names_one_risc_or_any)
{
    struct look l;
    look_start(&l);
    start(&l, B1, 10, "X");
    start(&l, N1, 20, "X");
    start(&l, B1, 40, "X");
    start(&l, N1, 80, "X");
    analyse(&l, ANALYSIS("core", "session_first_last") X_BOTH
            "start.risc = NCRISC\nend.risc = BRISC\n");
    RESULTS_ARE(&l, "0:20");
    look_end(&l);
}

TEST(a_core_in_a_condition_is_heeded_across_devices_and_ops_but_not_in_a_core)
{
    struct look l;
    look_start(&l);
    firmware(&l, B1, 1, 99, 1024);
    firmware(&l, B2, 2, 98, 1024);
    put(&l, B1, 10, 1024, "X", "ZONE_START");
    put(&l, B2, 20, 1024, "X", "ZONE_START");
    put(&l, B2, 50, 1024, "X", "ZONE_END");
    put(&l, B1, 70, 1024, "X", "ZONE_END");
    analyse(&l, ANALYSIS("ops", "op_first_last") X_BOTH
            "both.core = 2, 1\n"
            "[device]\nacross = device\ntype = adjacent\n" X_BOTH
            "both.core = 2, 1\n"
            "[any]\nacross = ops\ntype = op_first_last\n" X_BOTH
            "both.core = ANY\n"
            "[core]\nacross = core\ntype = session_first_last\n" X_BOTH
            "both.core = 2, 1\n");
    RESULTS_ARE(&l, "0:30");
    results_are(&l, "device", "0:30", __LINE__);
    results_are(&l, "any", "0:60", __LINE__);
    results_are(&l, "core", "0:60 1:30", __LINE__);
    look_end(&l);
}

// --- launches ---

TEST(launch_first_last_cuts_a_core_at_each_firmware_start_of_brisc)
{
    struct look l = {0};
    buf_z(&l.log, "Chip clock is at 1.2 GHz\n" LOG_LEGACY_NAMES
                  "0, 1, 1, NCRISC, 1, 5\n" // before the first launch
                  "0, 1, 1, NCRISC, 4, 8\n"
                  "0, 1, 1, BRISC, 1, 10\n"
                  "0, 1, 1, NCRISC, 1, 12\n"
                  "0, 1, 1, BRISC, 4, 20\n"
                  "0, 1, 1, NCRISC, 4, 23\n"
                  "0, 1, 1, BRISC, 1, 40\n"
                  "0, 1, 1, BRISC, 4, 47\n"
                  "0, 1, 1, BRISC, 1, 60\n"   // never ends
                  "0, 1, 1, TRISC_0, 7, 70\n" // another place
                  "0, 2, 1, NCRISC, 1, 10\n"  // no launch at all
                  "0, 2, 1, NCRISC, 4, 20\n");
    analyse(
        &l,
        ANALYSIS(
            "core",
            "launch_first_last") "both.risc = ANY\nstart.timer_id = 1\nend.timer_id = 4\n");
    RESULTS_ARE(&l, "0:13 0:7");
    look_end(&l);
}

TEST(the_set_of_2023_counts_from_the_first_marker_of_the_chip)
{
    struct device_run r;
    str log = S("Chip clock is at 1.2 GHz\n" LOG_LEGACY_NAMES
                "0, 1, 1, BRISC, 1, 100\n"
                "0, 1, 1, BRISC, 4, 150\n"
                "0, 2, 1, BRISC, 1, 130\n"
                "0, 2, 1, BRISC, 4, 190\n"
                "1, 1, 1, BRISC, 1, 70\n"
                "1, 1, 1, BRISC, 4, 75\n");
    assert_true(device_run(&r, log, NULL));
    const struct analysed *a = device_analysis_find(&r.analysis, S("T0 -> BRISC FW start"));
    static const uint64_t want[] = {0, 30, 0};
    assert_int_equal(3, a->results.n);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(want[i], a->results.v[i].cycles);
    a = device_analysis_find(&r.analysis, S("T0 -> ANY CORE ANY RISC FW end"));
    assert_int_equal(90, a->device[0].max);
    assert_int_equal(5, a->device[1].max);
    device_run_free(&r);
}

// --- sums and events ---

static void datum(struct look *l, const char *track, uint64_t time, int run,
                  const char *name, const char *type, uint64_t data)
{
    put_as(l, id_of(name), track, time, run, name, type, data);
}

TEST(sum_adds_the_data_of_exactly_these_markers)
{
    struct look l;
    look_start(&l);
    firmware(&l, B1, 1, 50, 1024);
    firmware(&l, B1, 60, 99, 2048);
    datum(&l, "0,1,1,TRISC_0", 10, 1024, "WAIT", "ZONE_TOTAL", 40);
    datum(&l, "0,1,1,TRISC_0", 20, 1024, "WAIT", "ZONE_TOTAL", 2);
    datum(&l, "0,1,1,TRISC_0", 20, 1024, "WAITING", "ZONE_TOTAL", 1000);
    datum(&l, "0,1,1,TRISC_1", 20, 1024, "WAIT", "ZONE_TOTAL", 1000);
    datum(&l, "0,1,1,TRISC_0", 70, 2048, "WAIT", "ZONE_TOTAL", 0); // no result
    datum(&l, "0,2,1,TRISC_0", 70, 0, "WAIT", "ZONE_TOTAL", 5);    // of no op
    static const char wait[] =
        "type = sum\nmarker.risc = TRISC_0\n"
        "marker.zone_name = WAIT\n";
    struct buf setup = {0};
    buf_printf(&setup, "[a]\nacross = ops\n%s[core]\nacross = core\n%s", wait, wait);
    buf_printf(&setup, "[device]\nacross = device\n%s", wait);
    buf_z(&setup,
          "[star]\nacross = ops\ntype = sum\nmarker.risc = ANY\n"
          "marker.zone_name = WAI*\n");
    buf_char(&setup, '\0');
    analyse(&l, setup.p);
    RESULTS_ARE(&l, "0:42");
    results_are(&l, "core", "0:42 1:5", __LINE__);
    results_are(&l, "device", "0:47", __LINE__);
    results_are(&l, "star", "", __LINE__);
    assert_int_equal(NO_MARKER, found(&l, "a")->results.v[0].start);
    buf_free(&setup);
    look_end(&l);
}

TEST(event_gathers_events_and_data_of_a_risc_in_time_order_and_measures_nothing)
{
    struct look l;
    look_start(&l);
    datum(&l, B2, 30, 0, "E", "TS_EVENT", 0);
    datum(&l, B1, 40, 0, "D", "TS_DATA", 7);
    datum(&l, B1, 10, 0, "E", "TS_EVENT", 0);
    datum(&l, N1, 20, 0, "E", "TS_EVENT", 0);
    datum(&l, B1, 25, 0, "S", "ZONE_TOTAL", 7);
    start(&l, B1, 5, "X");
    analyse(&l,
            "[a]\nacross = device\ntype = event\nmarker.risc = BRISC\n"
            "[any]\nacross = device\ntype = event\nmarker.risc = ANY\n"
            "[core]\nacross = core\ntype = event\nmarker.risc = ANY\n"
            "[eth]\nacross = device\ntype = event\nmarker.risc = ERISC\n");
    static const struct {
        const char *name;
        uint64_t times[4];
        size_t n;
    } want[] = {{"a", {10, 30, 40}, 3},
                {"any", {10, 20, 30, 40}, 4},
                {"core", {30, 10, 20, 40}, 4}, // core by core: the second one stood first
                {"eth", {0}, 0}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const struct analysed *a = found(&l, want[i].name);
        assert_int_equal(want[i].n, a->events.n);
        for (size_t k = 0; k < want[i].n; k++)
            assert_int_equal(want[i].times[k], l.run.trace.markers.time[a->events.v[k]]);
        assert_int_equal(0, a->results.n);
        assert_int_equal(0, a->device[0].count);
    }
    look_end(&l);
}

// --- ties and ids ---

TEST(markers_of_one_time_stand_in_the_order_of_cores_then_riscs_then_rows)
{
    static const struct {
        const char *x, *y;
        const char *want; // across the device
    } cases[] = {{B1, B2, "0:0"}, {B2, B1, ""}, {B1, N1, "0:0"}, {N1, B1, ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct look l;
        look_start(&l);
        start(&l, B1, 1, "order"); // of first appearance
        start(&l, N1, 1, "order");
        start(&l, B2, 1, "order");
        start(&l, cases[i].y, 10, "Y");
        start(&l, cases[i].x, 10, "X");
        analyse(&l, ANALYSIS("device", "adjacent") X_THEN_Y
                "[session]\nacross = device\ntype = session_first_last\n" X_THEN_Y);
        RESULTS_ARE(&l, cases[i].want);
        results_are(&l, "session", cases[i].want, __LINE__);
        look_end(&l);
    }
}

TEST(rows_of_one_time_on_one_risc_keep_the_order_of_the_log)
{
    struct look l;
    look_start(&l);
    start(&l, B1, 10, "X");
    start(&l, B1, 10, "Y");
    start(&l, B2, 10, "Y");
    start(&l, B2, 10, "X");
    analyse(&l, ANALYSIS("core", "adjacent") X_THEN_Y
            "[session]\nacross = core\ntype = session_first_last\n" X_THEN_Y);
    RESULTS_ARE(&l, "0:0");
    results_are(&l, "session", "0:0", __LINE__);
    look_end(&l);
}

TEST(timer_id_zero_is_part_of_no_op_but_of_its_core)
{
    struct look l;
    look_start(&l);
    firmware(&l, B1, 1, 99, 1024);
    put_as(&l, 0, B1, 10, 1024, "X", "ZONE_START", 0);
    put_as(&l, 5, B1, 20, 1024, "X", "ZONE_START", 0);
    put_as(&l, 5, B1, 50, 1024, "X", "ZONE_END", 0);
    put_as(&l, 0, B1, 60, 1024, "X", "ZONE_END", 3);
    analyse(&l, ANALYSIS("ops", "op_first_last") X_BOTH
            "[per core]\nacross = ops\ntype = op_core_first_last\n" X_BOTH
            "[adjacent]\nacross = ops\ntype = adjacent\n" X_BOTH
            "[sum]\nacross = ops\ntype = sum\nmarker.risc = ANY\nmarker.zone_name = X\n"
            "[core]\nacross = core\ntype = session_first_last\n" X_BOTH
            "[zero]\nacross = core\ntype = adjacent\n" X_BOTH "both.timer_id = 0\n");
    RESULTS_ARE(&l, "0:30");
    results_are(&l, "per core", "0:30", __LINE__);
    results_are(&l, "adjacent", "0:30", __LINE__);
    results_are(&l, "sum", "", __LINE__);
    results_are(&l, "core", "0:50", __LINE__);
    results_are(&l, "zero", "0:50", __LINE__);
    look_end(&l);
}

// --- ops ---

static void put_unfinished(struct look *l)
{
    look_start(l);
    firmware(l, B1, 1, 50, 1024);
    put(l, B1, 10, 1024, "X", "ZONE_START");
    put(l, B1, 14, 1024, "X", "ZONE_END");
    put(l, B1, 60, 2048, "BRISC-FW", "ZONE_START");
    put(l, B1, 70, 2048, "X", "ZONE_START");
    put(l, B1, 79, 2048, "X", "ZONE_END");
}

TEST(ops_without_an_end_take_part_only_when_asked_for)
{
    struct look l;
    put_unfinished(&l);
    analyse(&l, ANALYSIS("ops", "op_first_last") X_BOTH);
    RESULTS_ARE(&l, "0:4");
    look_end(&l);
    put_unfinished(&l);
    analyse_how(&l, ANALYSIS("ops", "op_first_last") X_BOTH,
                (struct device_how){.with_incomplete_ops = true});
    RESULTS_ARE(&l, "0:4 1:9");
    look_end(&l);
}

TEST(without_op_detection_there_are_results_of_cores_and_devices_only)
{
    static const char text[] = ANALYSIS("ops", "op_first_last") X_BOTH
        "[per core]\nacross = ops\ntype = op_core_first_last\n" X_BOTH
        "[adjacent]\nacross = ops\ntype = adjacent\n" X_BOTH
        "[core]\nacross = core\ntype = adjacent\n" X_BOTH;
    for (int by_setup = 0; by_setup < 2; by_setup++) {
        struct look l;
        struct buf setup = {0};
        put_unfinished(&l);
        buf_printf(&setup, "detect_ops = %s\n%s", by_setup ? "no" : "yes", text);
        buf_char(&setup, '\0');
        analyse_how(&l, setup.p, (struct device_how){.no_op_detection = !by_setup});
        RESULTS_ARE(&l, "");
        results_are(&l, "per core", "", __LINE__);
        results_are(&l, "adjacent", "", __LINE__);
        results_are(&l, "core", "0:4 0:9", __LINE__);
        buf_free(&setup);
        look_end(&l);
    }
}

// --- statistics ---

// Zones X of these lengths on a core, one after the other.
static void put_zones(struct look *l, const char *track, const uint64_t *lengths, size_t n)
{
    uint64_t time = 1000;
    for (size_t i = 0; i < n; i++) {
        start(l, track, time, "X");
        end(l, track, time + lengths[i], "X");
        time += lengths[i] + 100;
    }
}

TEST(the_statistics_of_a_core_are_those_of_its_results)
{
    struct look l;
    look_start(&l);
    put_zones(&l, B1, (const uint64_t[]){7, 3, 40, 4}, 4);
    analyse(&l, ANALYSIS("core", "adjacent") X_BOTH);
    const struct analysed *a = found(&l, "a");
    assert_int_equal(1, a->blocks.n);
    const struct stats *s = &a->blocks.v[0].stats;
    assert_int_equal(4, s->count);
    assert_int_equal(40, s->max);
    assert_int_equal(3, s->min);
    assert_int_equal(54, s->sum);
    assert_int_equal(7, s->first);
    REAL_IS(s->average, 13.5);
    REAL_IS(s->median, 5.5);
    look_end(&l);
}

TEST(the_median_of_a_device_is_the_median_of_the_medians)
{
    struct look l;
    look_start(&l);
    put_zones(&l, B1, (const uint64_t[]){1, 2, 900}, 3);           // 2
    put_zones(&l, B2, (const uint64_t[]){10, 20}, 2);              // 15
    put_zones(&l, "0,3,1,BRISC", (const uint64_t[]){100}, 1);      // 100
    put_zones(&l, "0,4,1,BRISC", (const uint64_t[]){30, 31}, 2);   // 30.5
    put_zones(&l, OTHER, (const uint64_t[]){5, 6, 7, 8, 1000}, 5); // 7
    analyse(&l, ANALYSIS("core", "adjacent") X_BOTH);
    const struct stats *s = found(&l, "a")->device;
    REAL_IS(s[0].median, 22.75); // of all results it would be 25
    assert_int_equal(8, s[0].count);
    assert_int_equal(1094, s[0].sum);
    assert_int_equal(900, s[0].max);
    assert_int_equal(1, s[0].min);
    REAL_IS(s[0].average, 136.75);
    REAL_IS(s[1].median, 7);
    assert_int_equal(5, s[1].count);
    look_end(&l);
}

TEST(percentiles_are_of_all_results_and_lie_between_neighbours)
{
    struct look l;
    look_start(&l);
    put_zones(&l, B1, (const uint64_t[]){40, 10}, 2);
    put_zones(&l, B2, (const uint64_t[]){20, 30, 50}, 3);
    put_zones(&l, OTHER, (const uint64_t[]){6}, 1);
    analyse(&l, ANALYSIS("core", "adjacent") X_BOTH
            "[none]\n"
            "across = core\n"
            "type = adjacent\n"
            "both.risc = ANY\n"
            "both.zone_name = nosuch\n");
    struct more_stats m;
    assert_true(device_more_stats(found(&l, "a"), 0, &m));
    static const double want[QUANTILES] = {30, 46, 48, 49.6};
    for (int q = 0; q < QUANTILES; q++)
        assert_true(m.quantile[q] > want[q] - 1e-9 && m.quantile[q] < want[q] + 1e-9);
    assert_true(m.deviation * m.deviation > 199.999 && m.deviation * m.deviation < 200.001);
    assert_true(device_more_stats(found(&l, "a"), 1, &m));
    REAL_IS(m.deviation, 0);
    REAL_IS(m.quantile[3], 6);
    assert_false(device_more_stats(found(&l, "none"), 0, &m));
    assert_null(device_analysis_find(&l.run.analysis, S("nosuch")));
    look_end(&l);
}

// --- many ---

static void put_many(struct look *l)
{
    uint64_t random = 7;
    look_start(l);
    for (int op = 1; op <= 6; op++)
        for (int core = 0; core < 9; core++) {
            char track[64];
            (void)snprintf(track, sizeof track, "%d,%d,%d,BRISC", core % 2, core / 3 + 1,
                           core % 3 + 1);
            uint64_t time = (uint64_t)op * 100000;
            put(l, track, time, op * 1024, "BRISC-FW", "ZONE_START");
            for (int i = 0; i < 40; i++) {
                random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
                time += random >> 61; // often 0: ties
                put(l, track, time, op * 1024, random >> 60 & 1 ? "X" : "Y",
                    random >> 59 & 1 ? "ZONE_START" : "ZONE_END");
                put_as(l, 9, track, time, op * 1024, "S", "ZONE_TOTAL", random >> 50);
            }
            put(l, track, time, op * 1024, "E", "TS_EVENT");
            put(l, track, time + 1, op * 1024, "BRISC-FW", "ZONE_END");
        }
}

static const char many[] =
    "[adjacent]\nacross = core\ntype = adjacent\n" X_THEN_Y
    "[device]\nacross = device\ntype = adjacent\n" X_BOTH
    "[ops]\nacross = ops\ntype = adjacent\n" X_THEN_Y
    "[session]\nacross = device\ntype = session_first_last\n" X_THEN_Y
    "[core]\nacross = core\ntype = session_first_last\n" X_THEN_Y
    "[op]\nacross = ops\ntype = op_first_last\n" X_THEN_Y
    "[per core]\nacross = ops\ntype = op_core_first_last\n" X_THEN_Y
    "[sum]\nacross = ops\ntype = sum\nmarker.risc = BRISC\nmarker.zone_name = S\n"
    "[events]\nacross = core\ntype = event\nmarker.risc = ANY\n";

static void same_result(const struct result *x, const struct result *y)
{
    assert_int_equal(x->group, y->group);
    assert_int_equal(x->start, y->start);
    assert_int_equal(x->end, y->end);
    assert_int_equal(x->start_iter, y->start_iter);
    assert_int_equal(x->end_iter, y->end_iter);
    assert_int_equal(x->cycles, y->cycles);
}

TEST(any_number_of_lanes_gives_the_same_results)
{
    struct look one;
    put_many(&one);
    (void)setenv("TTPROF_THREADS", "1", 1);
    analyse(&one, many);
    static const char *const lanes[] = {"2", "3", "8", "30"};
    for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++) {
        struct look l;
        put_many(&l);
        (void)setenv("TTPROF_THREADS", lanes[i], 1);
        analyse(&l, many);
        for (size_t a = 0; a < one.setup.analyses.n; a++) {
            const struct analysed *x = &one.run.analysis.v[a], *y = &l.run.analysis.v[a];
            assert_int_equal(x->results.n, y->results.n);
            assert_true(x->results.n + x->events.n > 0);
            for (size_t r = 0; r < x->results.n; r++)
                same_result(&x->results.v[r], &y->results.v[r]);
            assert_int_equal(x->events.n, y->events.n);
            for (size_t k = 0; k < x->events.n; k++)
                assert_int_equal(x->events.v[k], y->events.v[k]);
            for (size_t d = 0; d < 2; d++) {
                assert_int_equal(x->device[d].sum, y->device[d].sum);
                REAL_IS(y->device[d].median, x->device[d].median);
            }
        }
        test_str_is(buf_view(&l.run.stats), buf_view(&one.run.stats), __FILE__, __LINE__);
        look_end(&l);
    }
    (void)unsetenv("TTPROF_THREADS");
    look_end(&one);
}

TEST(more_analyses_than_fit_in_one_pass_are_all_done)
{
    enum { N = 200 };
    static const char *const types[] = {"op_first_last", "op_core_first_last", "sum",
                                        "adjacent"};
    struct look l;
    struct buf setup = {0};
    look_start(&l);
    firmware(&l, B1, 1, 900000, 1024);
    for (int i = 0; i < N; i++) {
        char name[16];
        bool is_sum = i % 4 == 2;
        (void)snprintf(name, sizeof name, "Z%03d", i);
        datum(&l, B1, 1000 + (uint64_t)i, 1024, name, "ZONE_START", 0);
        datum(&l, B1, 5000 + 3 * (uint64_t)i, 1024, name, "ZONE_END",
              is_sum ? 7000 + (uint64_t)i : 0);
        buf_printf(&setup,
                   "[%s]\nacross = ops\ntype = %s\nboth.risc = ANY\n"
                   "both.zone_name = %s\n",
                   name, types[i % 4], name);
    }
    buf_char(&setup, '\0');
    analyse(&l, setup.p);
    for (int i = 0; i < N; i++) {
        char name[16], want[32];
        (void)snprintf(name, sizeof name, "Z%03d", i);
        (void)snprintf(want, sizeof want, "0:%d", i % 4 == 2 ? 7000 + i : 4000 + 2 * i);
        results_are(&l, name, want, __LINE__);
    }
    buf_free(&setup);
    look_end(&l);
}

TEST(a_log_without_rows_gives_no_results)
{
    struct look l;
    look_start(&l);
    analyse(&l, many);
    for (size_t a = 0; a < l.setup.analyses.n; a++)
        assert_int_equal(0, l.run.analysis.v[a].results.n);
    assert_int_equal(0, l.run.stats.n);
    look_end(&l);
}
