// oracle_host.c - rows 14 to 16 of the oracle, and a read-out after a deadlock.
#include <errno.h>
#include <stdio.h>

#include "base/text/num.h"

#include "oracle.h"

static double real(str s)
{
    double v = 0;
    if (!num_real(s, &v))
        fail_msg("'%.*s' is no number", STR(s));
    return v;
}

static ttdev_program *nops(struct oracle *o, ttdev_range cores, uint32_t rounds)
{
    ttdev_program *p = oracle_program(o, "nops");
    for (unsigned risc = 0; risc < TT_RISCS; risc++)
        oracle_kernels(o, p, cores, 1u << risc, "cycle_count/nops",
                       ORACLE_ARGS(rounds, o->info.l1_buffers + 16 * risc));
    return p;
}

// --- 14: clock sync --------------------------------------------------------------------
static void sync_devices(const char *board, int devices)
{
    struct oracle o;
    struct oracle_table t;
    oracle_open(&o, board, "TT_METAL_PROFILER_SYNC=1");
    assert_int_equal(o.access.n_chips, devices);
    oracle_launch(&o, nops(&o, oracle_one(0, 0), 10), 1);
    oracle_detach(&o);
    oracle_analyse(&o, "default_setup");
    oracle_table_read(&t, &o, "sync_device_info.csv");
    double mhz = (double)o.log.trace.mhz;
    assert_true(mhz > 0);
    for (int d = 0; d < devices; d++) {
        double frequency = 0;
        size_t samples = 0, relations = 0;
        for (size_t i = 0; i < t.rows; i++) {
            if ((int)real(oracle_cell(&t, i, "device id")) != d)
                continue;
            str cell = oracle_cell(&t, i, "frequency"); // in GHz
            if (cell.n) {
                frequency = real(cell);
                samples++;
                continue;
            }
            relations++;
            double ratio = real(oracle_cell(&t, i, "device_frequency_ratio"));
            assert_true(ratio > 0.9 && ratio < 1.1);
            // The device's clocks are within 50 ppm.
            assert_true(ratio > 0.9999 && ratio < 1.0001);
        }
        assert_int_equal(samples, 2 * 249); // at attach and at detach
        assert_int_equal(relations > 0, d > 0);
        assert_true(frequency * 1000 > mhz * 0.9 && frequency * 1000 < mhz * 1.1);
        assert_true(frequency * 1000 > mhz * 0.9999 && frequency * 1000 < mhz * 1.0001);
    }
    oracle_table_free(&t);
    oracle_close(&o);
}

ROW(row_14_host_device_sync)
{
    sync_devices(chip->board, 1);
    sync_devices(chip->pair, 2);
}

// --- 15: sub-devices -------------------------------------------------------------------
ROW(row_15_sub_devices)
{
    enum { MANAGER = 3, PROGRAMS = 3 };
    static const int of_program[PROGRAMS] = {0, 1, 0};
    struct oracle o;
    oracle_open(&o, chip->board, "TTPROF_LEVEL=all");
    ttdev_range left = {{0, 0}, {1, 1}}, right = {{2, 0}, {3, 1}};
    for (uint32_t i = 0; i < PROGRAMS; i++) {
        ttdev_program *p = nops(&o, of_program[i] ? right : left, 10);
        ttdev_program_sub_device(p, of_program[i], MANAGER);
        oracle_launch(&o, p, i + 1);
    }
    oracle_launch(&o, nops(&o, left, 10), PROGRAMS + 1); // of no sub-device
    oracle_detach(&o);
    oracle_analyse(&o, "default_setup");
    oracle_check_clean(&o);
    const struct trace *t = &o.log.trace;
    size_t n = 0;
    for (size_t k = 0; k < t->tracks.n; k++)
        for (uint32_t m = 0; m < t->tracks.v[k].n_markers; m++) {
            uint32_t marker = t->tracks.v[k].marker + m;
            int64_t program = t->runs.v[t->markers.run[marker]].id >> 10;
            const struct trace_datum *d = trace_datum_of(t, &t->tracks.v[k], marker);
            assert_int_equal(d && d->meta_n, program <= PROGRAMS);
            if (program > PROGRAMS)
                continue;
            char want[80];
            (void)snprintf(want, sizeof want,
                           "{\"sub_device_id\":%d;\"sub_device_manager_id\":%d}",
                           of_program[program - 1], MANAGER);
            test_str_is((str){d->meta, d->meta_n}, str_of(want), __FILE__, __LINE__);
            n++;
        }
    assert_int_equal(n, PROGRAMS * 4 * TT_RISCS * 4);
    oracle_close(&o);
}

// --- 16: figures of programs -----------------------------------------------------------
// Every measured analysis of a program equals the report's column of its name.
static void check_program(const struct oracle *o, const struct ttprof_program_perf *p)
{
    struct oracle_table t;
    size_t measured = 0, rows = 0;
    oracle_table_read(&t, o, "cpp_device_perf_report.csv");
    for (size_t i = 0; i < t.rows; i++) {
        if ((uint64_t)real(oracle_cell(&t, i, "GLOBAL CALL COUNT")) != p->runtime_id)
            continue;
        rows++;
        for (size_t k = 0; k < p->n_analyses; k++) {
            const struct ttprof_analysis *a = &p->analyses[k];
            str cell = oracle_cell(&t, i, a->name);
            bool is_measured = a->start != UINT64_MAX;
            assert_int_equal(cell.n > 0, is_measured);
            if (!is_measured)
                continue;
            assert_int_equal((uint64_t)real(cell), a->duration_ns);
            measured++;
        }
        assert_int_equal((uint32_t)real(oracle_cell(&t, i, "CORE COUNT")), p->n_cores);
        assert_int_equal((uint32_t)real(oracle_cell(&t, i, "AVAILABLE WORKER CORE COUNT")),
                         p->n_available_cores);
    }
    assert_int_equal(rows, 1);
    assert_true(measured >= 8); // firmware, kernels, and one of each RISC
    oracle_table_free(&t);
}

ROW(row_16_perf_data)
{
    const struct ttprof_program_perf *v;
    size_t n = 7;
    struct oracle o;
    oracle_open(&o, chip->board, "TT_METAL_PROFILER_MID_RUN_DUMP=1",
                "TT_METAL_PROFILER_CPP_POST_PROCESS=1");
    ttdev_program *one = nops(&o, oracle_one(0, 0), 10), *all = nops(&o, o.all, 20);
    assert_int_equal(ttprof_latest_programs_perf_data(o.p, 0, &v, &n), 0);
    assert_int_equal(n, 0);
    oracle_launch(&o, one, 1);
    assert_int_equal(ttprof_all_programs_perf_data(o.p, 0, &v, &n), 0);
    assert_int_equal(n, 0);
    oracle_read(&o);
    assert_int_equal(ttprof_latest_programs_perf_data(o.p, 0, &v, &n), 0);
    assert_int_equal(n, 1);
    assert_int_equal(v[0].n_cores, 1);
    check_program(&o, &v[0]);
    oracle_launch(&o, all, 2);
    oracle_launch(&o, one, 3);
    oracle_read(&o);
    assert_int_equal(ttprof_latest_programs_perf_data(o.p, 0, &v, &n), 0);
    assert_int_equal(n, 2);
    assert_int_equal(v[0].n_cores, chip->workers);
    check_program(&o, &v[0]);
    check_program(&o, &v[1]);
    oracle_read(&o); // nothing ran since
    assert_int_equal(ttprof_latest_programs_perf_data(o.p, 0, &v, &n), 0);
    assert_int_equal(n, 0);
    assert_int_equal(ttprof_all_programs_perf_data(o.p, 0, &v, &n), 0);
    assert_int_equal(n, 3);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(v[i].runtime_id, (i + 1) << 10);
        assert_true(v[i].trace_id == TTPROF_NONE && v[i].trace_counter == TTPROF_NONE);
        assert_int_equal(v[i].n_available_cores, chip->workers);
        check_program(&o, &v[i]);
    }
    oracle_close(&o);
}

// --- a read-out after a deadlock -------------------------------------------------------
ROW(extra_readout_after_a_deadlock)
{
    enum { BUFFER = 3 };
    ttdev_range four = {{0, 0}, {1, 1}};
    struct oracle o;
    oracle_open(&o, chip->board, "TTPROF_LEVEL=all");
    oracle_launch(&o, nops(&o, four, 10), 1);
    ttdev_program *p = oracle_program(&o, "deadlock");
    assert_int_equal(ttdev_program_cb(p, four, BUFFER, 2, 2048, NULL), 0);
    oracle_kernel(&o, p, four, TT_BRISC, "deadlock/work", NULL, 0);
    oracle_kernel(&o, p, oracle_one(1, 1), TT_NCRISC, "deadlock/wait", ORACLE_ARGS(BUFFER));
    assert_int_equal(ttdev_launch(o.t, 0, p, 2), 0);
    assert_int_equal(ttdev_wait(o.t, 0, 1000000000), -EDEADLK);
    oracle_detach(&o);
    oracle_analyse(&o, "default_setup");
    const struct trace *t = &o.log.trace;
    size_t work = 0, waits = 0, first = 0;
    for (size_t k = 0; k < t->tracks.n; k++)
        for (uint32_t m = 0; m < t->tracks.v[k].n_markers; m++) {
            uint32_t marker = t->tracks.v[k].marker + m;
            work += str_is(trace_name_of(t, marker), "WORK");
            waits += str_is(trace_name_of(t, marker), "WAIT-FOR-EVER");
            first += t->runs.v[t->markers.run[marker]].id == 1 << 10;
        }
    assert_int_equal(first, 4 * TT_RISCS * 4); // the program before is whole
    assert_int_equal(work, 4 * 2);             // also that of the core that hangs
    assert_true(waits >= 1);                   // the wait has begun
    assert_true(oracle_said(&o, "partial") + oracle_said(&o, "not done") > 0);
    oracle_close(&o);
}
