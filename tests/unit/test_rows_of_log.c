// test_rows_of_log.c - the device's half of an ops report, from small device logs.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../support/device_rows_laws.h"
#include "test.h"

struct look {
    struct buf log;
    struct device_run run;
    struct device_rows r;
    struct buf text;
};

static void look_start(struct look *l, const char *mhz)
{
    *l = (struct look){0};
    buf_printf(
        &l->log,
        "ARCH: wormhole_b0, CHIP_FREQ[MHz]: %s, Max Compute Cores: 64\n" LOG_NAMES_LINE,
        mhz);
}

static unsigned id_of(str name)
{
    unsigned id = 1;
    for (size_t i = 0; i < name.n; i++)
        id += (unsigned char)name.p[i];
    return id;
}

// "chip,x,y,RISC time run[/trace/replay] zone type [data [meta]]" in lines.
static void put(struct look *l, const char *rows)
{
    for (str rest = str_of(rows); rest.n;) {
        str row = str_cut(&rest, '\n');
        str track = str_cut(&row, ' '), time = str_cut(&row, ' '), run = str_cut(&row, ' ');
        str id = str_cut(&run, '/'), trace = str_cut(&run, '/');
        str zone = str_cut(&row, ' '), type = str_cut(&row, ' '), data = str_cut(&row, ' ');
        buf_printf(&l->log, "%.*s,%u,%.*s,%.*s,%.*s,%.*s,%.*s,%.*s,%.*s,1,a.cc,%.*s\n",
                   STR(track), id_of(zone), STR(time), STR(data), STR(id), STR(trace),
                   STR(run), STR(zone), STR(type), STR(row));
    }
}

static void zone(struct look *l, const char *track, const char *run, const char *name,
                 unsigned from, unsigned to)
{
    char rows[256];
    (void)snprintf(rows, sizeof rows, "%s %u %s %s ZONE_START\n%s %u %s %s ZONE_END\n",
                   track, from, run, name, track, to, run, name);
    put(l, rows);
}

static void holds(const char *broken)
{
    if (broken)
        fail_msg("not so: %s", broken);
}

static void measure(struct look *l)
{
    struct device_how how = {.with_incomplete_ops = true};
    assert_true(device_run(&l->run, buf_view(&l->log), &how));
    device_rows_measure(&l->r, &l->run.trace, &l->run.ops, &l->run.dispatch,
                        (struct device_rows_choice){0});
    holds(law_of_measured(&l->run, &l->r));
    holds(law_of_states(&l->r));
}

static void number_is(const struct look *l, size_t row, enum device_number n, int64_t want,
                      enum cell_state state)
{
    assert_int_equal(want, l->r.v.v[row].v[n]);
    assert_int_equal(state, l->r.v.v[row].state[n]);
}

static void look_end(struct look *l)
{
    device_rows_free(&l->r);
    device_run_free(&l->run);
    buf_free(&l->log);
    buf_free(&l->text);
}

// Firmware and kernel of a core: BRISC works from + 10 to to - 10.
static void core(struct look *l, const char *track, const char *run, unsigned from,
                 unsigned to)
{
    zone(l, track, run, "BRISC-FW", from, to);
    zone(l, track, run, "BRISC-KERNEL", from + 10, to - 10);
}

TEST(rows_of_log_measures_an_op_over_cores_and_processors)
{
    struct look l;
    look_start(&l, "1000");
    core(&l, "0,1,1,BRISC", "1024", 100, 200);
    core(&l, "0,1,2,BRISC", "1024", 105, 255);
    zone(&l, "0,1,1,NCRISC", "1024", "NCRISC-KERNEL", 108, 150);
    zone(&l, "0,1,1,TRISC_0", "1024", "TRISC-KERNEL", 104, 160);
    zone(&l, "0,1,2,TRISC_2", "1024", "TRISC-KERNEL", 120, 250);
    zone(&l, "0,0,1,ERISC", "1024", "ERISC-FW", 130, 150);
    zone(&l, "0,0,1,ERISC", "1024", "ERISC-KERNEL", 140, 145);
    put(&l,
        "0,1,1,TRISC_0 161 1024 CB-COMPUTE-WAIT-FRONT ZONE_TOTAL 30\n"
        "0,1,2,TRISC_0 161 1024 CB-COMPUTE-WAIT-FRONT ZONE_TOTAL 12\n"
        "0,1,2,TRISC_2 251 1024 CB-COMPUTE-RESERVE-BACK ZONE_TOTAL 7\n");
    measure(&l);
    assert_int_equal(1, l.r.v.n);
    static const struct {
        enum device_number number;
        int64_t value;
    } want[] = {
        {DEVICE_CORES, 3},       {DEVICE_FW_START, 100},     {DEVICE_FW_END, 255},
        {DEVICE_FW, 155},        {DEVICE_KERNEL_START, 104}, {DEVICE_KERNEL_END, 250},
        {DEVICE_KERNEL, 146},    {DEVICE_DM_START, 108},     {DEVICE_DM_END, 250},
        {DEVICE_KERNEL_DM, 142}, {DEVICE_CORE_MIN, 5},       {DEVICE_CORE_MAX, 135},
        {DEVICE_CORE_AVG, 75},   {DEVICE_FIRST_TO_LAST, 36}, {DEVICE_BRISC, 135},
        {DEVICE_NCRISC, 42},     {DEVICE_TRISC0, 56},        {DEVICE_TRISC2, 130},
        {DEVICE_ERISC, 5},       {DEVICE_CB_WAIT, 42},       {DEVICE_CB_RESERVE, 7},
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        number_is(&l, 0, want[i].number, want[i].value, STATE_OK);
    number_is(&l, 0, DEVICE_TRISC1, DEVICE_NONE, STATE_EMPTY);
    number_is(&l, 0, DEVICE_CORES_AVAILABLE, DEVICE_NONE, STATE_EMPTY);
    number_is(&l, 0, DEVICE_PROFILER_NS, DEVICE_NONE, STATE_EMPTY);
    STR_IS(l.r.arch, "wormhole_b0");
    assert_int_equal(1000, l.r.mhz);
    assert_int_equal(64, l.r.workers);
    look_end(&l);
}

TEST(rows_of_log_rounds_halves_to_even)
{
    struct look l;
    look_start(&l, "2000");
    zone(&l, "0,1,1,BRISC", "1024", "BRISC-FW", 100, 105);     // 2.5 ns
    zone(&l, "0,1,1,BRISC", "1024", "BRISC-KERNEL", 101, 104); // 1.5
    measure(&l);
    number_is(&l, 0, DEVICE_FW, 2, STATE_OK);
    number_is(&l, 0, DEVICE_KERNEL, 2, STATE_OK);
    look_end(&l);
}

TEST(rows_of_log_has_cycles_but_no_lengths_without_a_clock)
{
    struct look l;
    look_start(&l, "?");
    core(&l, "0,1,1,BRISC", "1024", 100, 200);
    measure(&l);
    number_is(&l, 0, DEVICE_FW_START, 100, STATE_OK);
    number_is(&l, 0, DEVICE_FW, DEVICE_NONE, STATE_MISSING);
    number_is(&l, 0, DEVICE_CORE_AVG, DEVICE_NONE, STATE_MISSING);
    look_end(&l);
}

TEST(rows_of_log_orders_rows_by_device_and_start_and_knows_traces)
{
    struct look l;
    look_start(&l, "1000");
    core(&l, "7,1,1,BRISC", "2055", 100, 200);
    core(&l, "7,1,1,BRISC", "3079/4/1", 300, 400);
    core(&l, "7,1,1,BRISC", "4103/4/1", 500, 600);
    core(&l, "7,1,1,BRISC", "3079/4/2", 700, 800);
    core(&l, "0,1,1,BRISC", "1024", 50, 90);
    measure(&l);
    assert_int_equal(5, l.r.v.n);
    static const int64_t want[][4] = {{7, 2055, DEVICE_NO_ID, DEVICE_NO_ID},
                                      {7, 3079, 4, 1},
                                      {7, 4103, 4, 1},
                                      {7, 3079, 4, 2},
                                      {0, 1024, DEVICE_NO_ID, DEVICE_NO_ID}};
    for (size_t i = 0; i < 5; i++) {
        const struct device_row *row = &l.r.v.v[i];
        assert_int_equal(want[i][0], row->device);
        assert_int_equal(want[i][1], row->op);
        assert_int_equal(want[i][2], row->trace);
        assert_int_equal(want[i][3], row->session);
    }
    assert_true(l.r.has_traces);
    assert_int_equal(2, l.r.devices.n);
    assert_int_equal(7, l.r.devices.v[0]);
    look_end(&l);
}

TEST(rows_of_log_marks_what_a_missing_end_or_start_has_spoilt)
{
    struct look l;
    look_start(&l, "1000");
    core(&l, "0,1,1,BRISC", "1024", 100, 200);
    core(&l, "0,1,2,BRISC", "1024", 100, 200);
    put(&l,
        "0,1,1,TRISC_0 120 1024 TRISC-KERNEL ZONE_START\n" // no end on one core
        "0,1,2,TRISC_0 120 1024 TRISC-KERNEL ZONE_START\n"
        "0,1,2,TRISC_0 150 1024 TRISC-KERNEL ZONE_END\n"
        "0,1,2,TRISC_1 150 1024 TRISC-KERNEL ZONE_START\n"); // no end at all
    core(&l, "0,1,1,BRISC", "2048", 300, 400);
    put(&l, "0,1,1,NCRISC 350 2048 NCRISC-KERNEL ZONE_END\n"); // no start
    core(&l, "0,1,1,BRISC", "3072", 500, 600);
    measure(&l);
    number_is(&l, 0, DEVICE_TRISC0, 30, STATE_REPAIRED);
    number_is(&l, 0, DEVICE_TRISC1, DEVICE_NONE, STATE_MISSING);
    number_is(&l, 0, DEVICE_KERNEL, 80, STATE_REPAIRED);
    number_is(&l, 0, DEVICE_CORE_MAX, 80, STATE_REPAIRED);
    number_is(&l, 0, DEVICE_BRISC, 80, STATE_OK);
    number_is(&l, 0, DEVICE_FIRST_TO_LAST, 40, STATE_OK);
    number_is(&l, 0, DEVICE_FW, 100, STATE_OK);
    number_is(&l, 1, DEVICE_NCRISC, DEVICE_NONE, STATE_MISSING);
    number_is(&l, 1, DEVICE_KERNEL, 80, STATE_REPAIRED);
    number_is(&l, 1, DEVICE_FIRST_TO_LAST, DEVICE_NONE, STATE_EMPTY);
    number_is(&l, 2, DEVICE_KERNEL, 80, STATE_OK);
    number_is(&l, 2, DEVICE_CORE_AVG, 80, STATE_OK);
    for (size_t i = 0; i < 3; i++)
        assert_false(l.r.v.v[i].is_incomplete);
    look_end(&l);
}

TEST(rows_of_log_begins_ops_with_a_start_when_the_clock_went_back)
{
    struct look l;
    look_start(&l, "1000");
    core(&l, "0,1,1,BRISC", "1024", 10100, 10200);
    put(&l,
        "0,1,2,BRISC 10100 1024 BRISC-FW ZONE_START\n"
        "0,1,2,BRISC 10110 1024 BRISC-KERNEL ZONE_START\n"
        "0,1,2,BRISC 190 1024 BRISC-KERNEL ZONE_END\n"
        "0,1,2,BRISC 200 1024 BRISC-FW ZONE_END\n");
    measure(&l);
    number_is(&l, 0, DEVICE_FW_START, 10100, STATE_REPAIRED);
    number_is(&l, 0, DEVICE_FW, 100, STATE_REPAIRED);
    number_is(&l, 0, DEVICE_KERNEL, 80, STATE_REPAIRED);
    number_is(&l, 0, DEVICE_BRISC, 80, STATE_REPAIRED);
    number_is(&l, 0, DEVICE_CORE_MAX, 80, STATE_REPAIRED);
    look_end(&l);
}

TEST(rows_of_log_keeps_ops_whose_firmware_did_not_end)
{
    struct look l;
    look_start(&l, "1000");
    put(&l, "0,1,1,BRISC 100 1024 BRISC-FW ZONE_START\n");
    core(&l, "0,1,1,BRISC", "2048", 300, 400);
    measure(&l);
    assert_int_equal(2, l.r.v.n);
    assert_true(l.r.v.v[0].is_incomplete);
    number_is(&l, 0, DEVICE_FW_START, 100, STATE_REPAIRED);
    number_is(&l, 0, DEVICE_FW_END, DEVICE_NONE, STATE_MISSING);
    number_is(&l, 0, DEVICE_FW, DEVICE_NONE, STATE_MISSING);
    number_is(&l, 0, DEVICE_KERNEL, DEVICE_NONE, STATE_EMPTY);
    assert_false(l.r.v.v[1].is_incomplete);
    number_is(&l, 1, DEVICE_FW, 100, STATE_OK);
    look_end(&l);
}

TEST(rows_of_log_finds_sub_devices_in_meta_data)
{
    struct look l;
    look_start(&l, "1000");
    core(&l, "0,1,1,BRISC", "1024", 100, 200);
    put(&l, "0,1,1,BRISC 150 1024 X TS_DATA 1 {\"sub_device_id\": 3}\n");
    core(&l, "0,1,1,BRISC", "2048/5/1", 300, 400);
    put(&l,
        "0,1,1,BRISC 350 2048/5/1 X TS_DATA 1 {'sub_device_id': 1; 'a': 2}\n"
        "0,1,2,BRISC 340 2048/5/1 X TS_DATA 1 {'sub_device_id': 2}\n");
    core(&l, "0,1,1,BRISC", "2048/5/2", 500, 600);
    measure(&l);
    number_is(&l, 0, DEVICE_SUB_DEVICE, 3, STATE_OK);
    number_is(&l, 1, DEVICE_SUB_DEVICE, 2, STATE_OK); // the later line
    number_is(&l, 2, DEVICE_SUB_DEVICE, DEVICE_NONE, STATE_EMPTY);
    assert_int_equal(1, l.r.n_sub_conflicts);
    look_end(&l);
}

TEST(rows_of_log_gives_sub_devices_to_the_rows_of_a_cpp_report)
{
    struct look l;
    look_start(&l, "1000");
    core(&l, "0,1,1,BRISC", "1024", 100, 200);
    put(&l,
        "0,1,1,BRISC 150 1024 X TS_DATA 1 {\"sub_device_id\": 3}\n"
        "0,1,1,BRISC 350 2048/5/2 X TS_DATA 1 {'a': 2; 'sub_device_id': 1}\n"
        "0,1,1,BRISC 360 2048/5/1 X TS_DATA 1 {'a': 2}\n");
    struct diag d = {0};
    struct err e = {0};
    struct device_rows r;
    assert_true(device_rows_read_text(&r,
                                      S("GLOBAL CALL COUNT,METAL TRACE ID,METAL TRACE "
                                        "REPLAY SESSION ID,DEVICE ID\n"
                                        "2048,5,1,0\n2048,5,2,0\n1024,,,0\n1024,,,1\n"),
                                      "report", &d, &e));
    device_rows_add_sub_devices(&r, &(struct file){.text = buf_view(&l.log)});
    device_rows_add_sub_devices(&r, &(struct file){0}); // nothing there: nothing happens
    static const int64_t want[] = {DEVICE_NONE, 1, 3, DEVICE_NONE};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(want[i], r.v.v[i].v[DEVICE_SUB_DEVICE]);
    device_rows_free(&r);
    look_end(&l);
}

TEST(rows_of_log_tells_the_profilers_own_time_between_ops)
{
    struct look l;
    look_start(&l, "1000");
    core(&l, "0,1,1,BRISC", "1024", 100, 200);
    core(&l, "0,1,2,BRISC", "1024", 100, 250);                       // kernels end at 240
    zone(&l, "0,1,1,BRISC", "2048", "PROFILER-DRAM-PUSH", 205, 260); // 20 in the gap
    zone(&l, "0,1,2,BRISC", "2048", "PROFILER-DRAM-PUSH", 252, 287);
    core(&l, "0,1,1,BRISC", "2048", 290, 400);
    core(&l, "0,1,1,BRISC", "3072", 500, 600);
    measure(&l);
    number_is(&l, 0, DEVICE_PROFILER_NS, DEVICE_NONE, STATE_EMPTY);
    number_is(&l, 1, DEVICE_PROFILER_NS, 35, STATE_OK);
    number_is(&l, 2, DEVICE_PROFILER_NS, DEVICE_NONE, STATE_EMPTY); // no zone tells
    look_end(&l);
}

TEST(rows_of_log_takes_only_the_analyses_that_are_asked_for)
{
    struct look l;
    look_start(&l, "1000");
    core(&l, "0,1,1,BRISC", "1024", 100, 200);
    measure(&l);
    device_rows_free(&l.r);
    const char *const one[] = {"device_kernel_duration"};
    device_rows_measure(&l.r, &l.run.trace, &l.run.ops, NULL,
                        (struct device_rows_choice){.analyses = one, .n_analyses = 1});
    number_is(&l, 0, DEVICE_KERNEL, 80, STATE_OK);
    number_is(&l, 0, DEVICE_CORES, 1, STATE_OK);
    number_is(&l, 0, DEVICE_FW, DEVICE_NONE, STATE_EMPTY);
    number_is(&l, 0, DEVICE_FW_START, DEVICE_NONE, STATE_EMPTY);
    number_is(&l, 0, DEVICE_CORE_MIN, DEVICE_NONE, STATE_EMPTY);
    assert_true(device_rows_knows("device_kernel_duration"));
    assert_true(device_rows_knows("trace_fw_duration"));
    assert_false(device_rows_knows("device_kernel"));
    look_end(&l);
}

TEST(rows_of_log_adds_what_dispatch_cores_did_to_the_first_execution)
{
    struct look l;
    look_start(&l, "1000");
    core(&l, "0,1,1,BRISC", "1024", 1000, 2000);
    core(&l, "0,1,1,BRISC", "1024", 3000, 4000);
    put(&l,
        "0,9,9,BRISC 100 0 CQ-DISPATCH ZONE_START\n"
        "0,9,9,BRISC 105 0 x TS_DATA 1 {\"workers_runtime_id\":1024}\n"
        "0,9,9,BRISC 106 0 y TS_DATA 1 {\"dispatch_command_type\":"
        "\"CQ_DISPATCH_CMD_WRITE_PACKED\"}\n"
        "0,9,9,BRISC 140 0 CQ-DISPATCH ZONE_END\n"
        "0,9,9,BRISC 200 0 CQ-DISPATCH ZONE_START\n"
        "0,9,9,BRISC 205 0 x TS_DATA 1 {\"workers_runtime_id\":9216}\n"
        "0,9,9,BRISC 240 0 CQ-DISPATCH ZONE_END\n");
    measure(&l);
    assert_int_equal(2, l.r.v.n);
    number_is(&l, 0, DEVICE_DISPATCH_TOTAL, 40, STATE_OK);
    number_is(&l, 0, DEVICE_DISPATCH_GO, DEVICE_NONE, STATE_EMPTY);
    number_is(&l, 1, DEVICE_DISPATCH_TOTAL, DEVICE_NONE, STATE_EMPTY);
    assert_int_equal(1, l.r.n_dispatch_alone);
    look_end(&l);
}

TEST(rows_of_log_does_not_depend_on_the_number_of_threads)
{
    struct look l;
    look_start(&l, "1350");
    for (unsigned op = 0; op < 30; op++)
        for (unsigned c = 0; c < 7; c++) {
            char track[32], run[16];
            (void)snprintf(track, sizeof track, "%u,1,%u,BRISC", op % 2, c + 1);
            (void)snprintf(run, sizeof run, "%u", (op / 3 + 1) << 10 | op % 2);
            core(&l, track, run, 1000 * op + 17 * c % 40, 1000 * op + 500 + 31 * c % 90);
        }
    // What only the last core tells must arrive, too.
    put(&l,
        "0,1,7,NCRISC 100 1024 NCRISC-KERNEL ZONE_START\n"
        "0,1,7,TRISC_0 161 1024 CB-COMPUTE-WAIT-FRONT ZONE_TOTAL 30\n"
        "0,1,1,BRISC 150 1024 X TS_DATA 1 {\"sub_device_id\": 3}\n"
        "0,1,7,BRISC 150 1024 X TS_DATA 1 {\"sub_device_id\": 4}\n");
    measure(&l);
    for (unsigned n = 1; n < 9; n++) {
        char number[16];
        struct device_rows r;
        (void)snprintf(number, sizeof number, "%u", n);
        assert_int_equal(0, setenv("TTPROF_THREADS", number, 1));
        device_rows_measure(&r, &l.run.trace, &l.run.ops, &l.run.dispatch,
                            (struct device_rows_choice){0});
        assert_true(device_rows_are_same(&l.r, &r));
        device_rows_free(&r);
    }
    assert_int_equal(0, unsetenv("TTPROF_THREADS"));
    look_end(&l);
}
