// oracle_fast.c - the profiler and fast dispatch: programs that never end behind a queue,
// a profiler that comes late, and launches by the host in between.
#include <errno.h>
#include <stdio.h>

#include "oracle.h"

#define OPTION "TT_METAL_DEVICE_PROFILER_DISPATCH=1"
#define LEVEL  "TTPROF_LEVEL=all"
enum { BUFFER = 3, WAIT_NS = 1000000000 };
static const ttdev_range four = {{0, 0}, {1, 1}};

static ttdev_program *nops(struct oracle *o)
{
    ttdev_program *p = oracle_program(o, "nops");
    oracle_kernels(o, p, four, ORACLE_ALL_RISCS, "cycle_count/nops",
                   ORACLE_ARGS(10, o->info.l1_buffers));
    return p;
}

// One of its cores waits for ever.
static ttdev_program *stuck(struct oracle *o)
{
    ttdev_program *p = oracle_program(o, "stuck");
    assert_int_equal(ttdev_program_cb(p, four, BUFFER, 2, 2048, NULL), 0);
    oracle_kernel(o, p, four, TT_BRISC, "deadlock/work", NULL, 0);
    oracle_kernel(o, p, oracle_one(1, 1), TT_NCRISC, "deadlock/wait", ORACLE_ARGS(BUFFER));
    return p;
}

static void enqueue(struct oracle *o, ttdev_program *p, uint32_t id)
{
    if (ttdev_launch(o->t, 0, p, id))
        fail_msg("%s", ttdev_error(o->t));
}

// Markers of a program in the log of a chip, all cores and RISCs.
static size_t markers_of(const struct oracle *o, int chip, uint32_t id)
{
    const struct trace *t = &o->log.trace;
    size_t n = 0;
    for (size_t k = 0; k < t->tracks.n; k++)
        for (uint32_t m = 0; m < t->tracks.v[k].n_markers; m++)
            n += t->runs.v[t->markers.run[t->tracks.v[k].marker + m]].id ==
                 (int64_t)(id << 10 | (uint32_t)chip);
    return n;
}
// Start and end of firmware and kernel.
enum { WHOLE = 4 * TT_RISCS * 4 };

// --- programs that never end -----------------------------------------------------------
static void check_not_started(const struct oracle *o, const char *want)
{
    struct file f;
    struct err e = {0};
    assert_true(file_open(oracle_path(o, "profiler_health.json"), &f, &e));
    assert_true(str_has(f.text, str_of(want)));
    file_close(&f);
}

static void check_partial(struct oracle *o, const char *queue_text)
{
    assert_int_equal(ttdev_wait(o->t, 0, WAIT_NS), -EDEADLK);
    assert_non_null(strstr(ttdev_fault(o->t, 0), queue_text));
    oracle_detach(o);
    assert_int_equal(oracle_said(o, "their profile is partial"), 1);
    oracle_analyse(o, "default_setup");
}

FAST_ROW(deadlock_of_program_3_of_5_leaves_the_profile_of_those_before)
{
    static const char *const options[] = {"TT_METAL_DEVICE_PROFILER_DISPATCH=0", OPTION};
    for (int i = 0; i < 2; i++) {
        struct oracle o;
        oracle_open(&o, chip->board, LEVEL, options[i]);
        ttdev_program *p = nops(&o), *bad = stuck(&o);
        for (uint32_t id = 1; id <= 5; id++)
            enqueue(&o, id == 3 ? bad : p, id);
        check_partial(&o, "queue 0: program 'stuck' (id 3) is not done\n");
        assert_int_equal(markers_of(&o, 0, 1), WHOLE);
        assert_int_equal(markers_of(&o, 0, 2), WHOLE);
        assert_true(markers_of(&o, 0, 3) > 0 && markers_of(&o, 0, 3) < WHOLE);
        assert_int_equal(markers_of(&o, 0, 4) + markers_of(&o, 0, 5), 0);
        check_not_started(&o, "\"programs_not_started\":2,");
        oracle_close(&o);
    }
}

FAST_ROW(deadlock_in_a_replay_leaves_the_profile_of_programs_before)
{
    struct oracle o;
    oracle_open(&o, chip->board, LEVEL);
    ttdev_program *p = nops(&o), *bad = stuck(&o);
    assert_int_equal(ttdev_trace_begin_only(o.t, 0), 0);
    enqueue(&o, p, 11);
    enqueue(&o, bad, 12);
    enqueue(&o, p, 13);
    int trace = oracle_end_trace(&o);
    enqueue(&o, p, 1);
    assert_int_equal(ttdev_trace_replay(o.t, 0, trace, WAIT_NS), 0);
    check_partial(&o, "queue 0: program 'stuck' (id 12) is not done\n");
    assert_int_equal(markers_of(&o, 0, 1), WHOLE);
    assert_int_equal(markers_of(&o, 0, 11), WHOLE);
    assert_true(markers_of(&o, 0, 12) > 0);
    assert_int_equal(markers_of(&o, 0, 13), 0);
    check_not_started(&o, "\"programs_not_started\":1,");
    oracle_close(&o);
}

FAST_ROW(deadlock_on_one_chip_of_two_leaves_the_profile_of_the_other)
{
    struct oracle o;
    oracle_open(&o, chip->pair, LEVEL);
    ttdev_program *p = nops(&o), *bad = stuck(&o);
    for (uint32_t id = 1; id <= 3; id++) {
        enqueue(&o, p, id);
        assert_int_equal(ttdev_launch(o.t, 1, id == 2 ? bad : p, id), 0);
    }
    assert_int_equal(ttdev_wait(o.t, 0, WAIT_NS), 0);
    assert_int_equal(ttdev_wait(o.t, 1, WAIT_NS), -EDEADLK);
    oracle_detach(&o);
    assert_int_equal(oracle_said(&o, "their profile is partial"), 1);
    oracle_analyse(&o, "default_setup");
    for (uint32_t id = 1; id <= 3; id++)
        assert_int_equal(markers_of(&o, 0, id), WHOLE);
    assert_int_equal(markers_of(&o, 1, 1), WHOLE);
    assert_int_equal(markers_of(&o, 1, 3), 0);
    check_not_started(&o, "\"programs_not_started\":1,");
    oracle_close(&o);
}

// --- a profiler that comes late --------------------------------------------------------
FAST_ROW(programs_from_before_the_profiler_was_attached_leave_no_rows)
{
    static const char *const options[] = {"TT_METAL_DEVICE_PROFILER_DISPATCH=0", OPTION};
    for (int i = 0; i < 2; i++) {
        struct oracle o;
        oracle_open_device(&o, chip->board, (const char *const[]){LEVEL, options[i], NULL});
        ttdev_program *p = nops(&o);
        enqueue(&o, p, 1);
        enqueue(&o, p, 2); // not done yet
        oracle_attach(&o);
        for (uint32_t id = 3; id <= 5; id++)
            enqueue(&o, p, id);
        oracle_detach(&o);
        assert_int_equal(oracle_said(&o, "never finished"), 0);
        oracle_analyse(&o, "default_setup");
        oracle_check_clean(&o);
        assert_int_equal(markers_of(&o, 0, 1) + markers_of(&o, 0, 2), 0);
        for (uint32_t id = 3; id <= 5; id++)
            assert_int_equal(markers_of(&o, 0, id), WHOLE);
        oracle_close(&o);
    }
}

// --- times of dispatch cores -----------------------------------------------------------
// Values of the clock that RISCs of dispatch cores have read, in order.
struct clock_read {
    uint64_t value;
    int16_t x, y;
    uint8_t risc;
};
struct clock_reads {
    VEC(struct clock_read) v;
};

static void note_read(void *context, const ttdev_truth_event *event)
{
    struct clock_reads *reads = context;
    struct clock_read read = {event->argument, event->x, event->y, event->risc};
    if (event->kind == TTDEV_TRUTH_CLOCK_READ && event->is_dispatch)
        vec_push(&reads->v, read);
}

static const char *const risc_names[] = {"BRISC", "NCRISC"};

// Every marker's time is what its RISC has read, in the same order.
static size_t check_times(const struct trace *t, const struct trace_track *k,
                          const struct clock_reads *reads)
{
    const struct trace_core *core = &t->cores.v[k->core];
    str risc = trace_text(t, k->risc);
    size_t at = 0, n = 0;
    for (uint32_t m = k->marker; m < k->marker + k->n_markers; m++) {
        while (at < reads->v.n &&
               !(reads->v.v[at].value == t->markers.time[m] &&
                 reads->v.v[at].x == core->x && reads->v.v[at].y == core->y &&
                 str_is(risc, risc_names[reads->v.v[at].risc % 2])))
            at++;
        if (at == reads->v.n)
            fail_msg("marker %u of %.*s at %llu is no clock read of its RISC", m,
                     (int)risc.n, risc.p, (unsigned long long)t->markers.time[m]);
        n++;
    }
    return n;
}

FAST_ROW(row_12_zones_of_dispatch_cores_have_the_times_of_their_clock_reads)
{
    struct oracle o;
    struct clock_reads reads = {0};
    oracle_open(&o, chip->board, LEVEL, OPTION);
    assert_int_equal(ttdev_truth(o.t, note_read, &reads), 0);
    ttdev_program *p = nops(&o);
    assert_int_equal(ttdev_trace_begin(o.t, 0), 0);
    for (uint32_t id = 1; id <= 5; id++)
        enqueue(&o, p, id);
    int trace = oracle_end_trace(&o);
    for (int i = 0; i < 4; i++)
        assert_int_equal(ttdev_trace_replay(o.t, 0, trace, WAIT_NS), 0);
    oracle_detach(&o);
    assert_int_equal(ttdev_truth(o.t, NULL, NULL), 0);
    oracle_analyse(&o, "default_setup");
    const struct trace *t = &o.log.trace;
    size_t n = 0;
    for (size_t k = 0; k < t->tracks.n; k++)
        if (t->cores.v[t->tracks.v[k].core].is_dispatch)
            n += check_times(t, &t->tracks.v[k], &reads);
    assert_true(n >= 2 * 25 * (7 + 6 + 1)); // zones of 25 programs
    vec_free(&reads.v);
    oracle_close(&o);
}

// --- accumulated chunks beside dispatch cores --------------------------------------------
static size_t rows_of(const struct oracle *o, bool is_dispatch, const char *name)
{
    const struct trace *t = &o->log.trace;
    size_t n = 0;
    for (size_t k = 0; k < t->tracks.n; k++) {
        const struct trace_track *track = &t->tracks.v[k];
        if (t->cores.v[track->core].is_dispatch != is_dispatch)
            continue;
        for (uint32_t m = track->marker; m < track->marker + track->n_markers; m++)
            n += !name || str_has(trace_name_of(t, m), str_of(name));
    }
    return n;
}

// Workers keep their chunks from program to program; dispatch cores record as usual.
FAST_ROW(row_17_accumulate_with_dispatch)
{
    uint32_t ops = oracle_programs(1000);
    struct oracle o;
    oracle_open(&o, chip->board, LEVEL, OPTION, "TT_METAL_PROFILER_ACCUMULATE=1",
                "TT_METAL_PROFILER_CPP_POST_PROCESS=1");
    ttdev_program *p = oracle_program(&o, "nops");
    oracle_kernels(&o, p, oracle_one(0, 0), ORACLE_ALL_RISCS, "cycle_count/nops",
                   ORACLE_ARGS(1, o.info.l1_buffers));
    for (uint32_t id = 1; id <= ops; id++)
        enqueue(&o, p, id);
    oracle_detach(&o);
    oracle_analyse(&o, "test_dispatch_cores");
    size_t pushes = rows_of(&o, false, "PROFILER-");
    assert_int_equal(rows_of(&o, false, NULL) - pushes, ops * TT_RISCS * 4);
    assert_true(rows_of(&o, true, NULL) >= ops * 2 * (5 + 1));
    assert_false(oracle_has_file(&o, "cpp_device_perf_report.csv"));
    oracle_close(&o);
}

// --- launches by the host --------------------------------------------------------------
FAST_ROW(launches_of_the_host_between_those_of_the_queue)
{
    struct oracle o;
    oracle_open(&o, chip->board, LEVEL, "TT_METAL_PROFILER_SYNC=1");
    ttdev_program *p = nops(&o);
    assert_int_equal(ttdev_trace_begin_only(o.t, 0), 0);
    enqueue(&o, p, 11);
    int trace = oracle_end_trace(&o);
    for (uint32_t id = 1; id <= 9; id++) {
        enqueue(&o, p, id);
        if (id % 4 == 0)
            assert_int_equal(ttdev_trace_replay(o.t, 0, trace, WAIT_NS), 0);
        if (id % 3 == 0)
            oracle_read(&o); // synchronises the clocks
    }
    oracle_detach(&o);
    oracle_analyse(&o, "default_setup");
    for (uint32_t id = 1; id <= 9; id++)
        assert_int_equal(markers_of(&o, 0, id), WHOLE);
    assert_int_equal(markers_of(&o, 0, 11), 2 * WHOLE);
    oracle_close(&o);
}
