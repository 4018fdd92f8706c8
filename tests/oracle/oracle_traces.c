// oracle_traces.c - rows 8 to 10 and 21 of the oracle: recorded programs that are replayed.
//
// The device runs programs while it records them, so each traced id has also one run
// without a trace.
#include <stdio.h>

#include "oracle.h"

// --- what the log says of replays ------------------------------------------------------
struct replays {
    int64_t id, trace;
    uint64_t counters; // bit c: a replay with this number
    size_t markers;
};
typedef VEC(struct replays) replay_list;

static struct replays *find_id(replay_list *list, int64_t id)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].id == id)
            return &list->v[i];
    vec_push(list, (struct replays){.id = id, .trace = -1});
    return &list->v[list->n - 1];
}

// Programs of one track; each belongs to one trace at most.
static void programs_of(const struct trace *t, const struct trace_track *k,
                        replay_list *list)
{
    for (uint32_t m = k->marker; m < k->marker + k->n_markers; m++) {
        const struct trace_run *run = &t->runs.v[t->markers.run[m]];
        struct replays *r = find_id(list, run->id);
        r->markers++;
        assert_int_equal(run->trace_id < 0, run->trace_counter < 0);
        if (run->trace_id < 0)
            continue;
        assert_true(r->trace < 0 || r->trace == run->trace_id);
        assert_in_range(run->trace_counter, 1, 63);
        r->trace = run->trace_id;
        r->counters |= UINT64_C(1) << run->trace_counter;
    }
}

struct trace_counts {
    size_t traced, others, tracks;
};

// Every track tells the same of every program; what it tells is counted.
static struct trace_counts check_replays(const struct trace *t, uint64_t counters)
{
    struct trace_counts counts = {.tracks = t->tracks.n};
    replay_list all = {0};
    for (size_t i = 0; i < t->tracks.n; i++) {
        replay_list list = {0};
        programs_of(t, &t->tracks.v[i], &list);
        programs_of(t, &t->tracks.v[i], &all);
        for (size_t k = 0; k < list.n; k++)
            assert_int_equal(list.v[k].counters, list.v[k].trace < 0 ? 0 : counters);
        vec_free(&list);
    }
    for (size_t k = 0; k < all.n; k++) {
        counts.traced += all.v[k].trace >= 0;
        counts.others += all.v[k].trace < 0;
    }
    vec_free(&all);
    return counts;
}

// --- programs --------------------------------------------------------------------------
static ttdev_program *tick(struct oracle *o, ttdev_range cores)
{
    ttdev_program *p = oracle_program(o, "tick");
    for (unsigned risc = 0; risc < TT_RISCS; risc++)
        oracle_kernels(o, p, cores, 1u << risc, "multi_op/tick",
                       ORACLE_ARGS(o->info.l1_buffers + 16 * risc));
    return p;
}

// Launches with n ids from `id` on, remembered under the number that is returned.
static int record(struct oracle *o, ttdev_program *p, uint32_t id, uint32_t n)
{
    assert_int_equal(ttdev_trace_begin(o->t, 0), 0);
    for (uint32_t i = 0; i < n; i++)
        oracle_launch(o, p, id + i);
    return oracle_end_trace(o);
}

// --- 8 and 9 ---------------------------------------------------------------------------
ROW_OF_BOTH(row_08_trace_run_with_several_ids)
{
    struct oracle o;
    oracle_open(&o, chip->board, "TTPROF_LEVEL=all");
    ttdev_program *p = tick(&o, o.all);
    for (uint32_t id = 101; id <= 104; id++) // the untraced ones
        oracle_launch(&o, p, id);
    int first = record(&o, p, 1, 3), second = record(&o, p, 4, 2);
    for (int i = 0; i < 3; i++) {
        oracle_replay(&o, first);
        oracle_replay(&o, second);
    }
    oracle_detach(&o);
    oracle_analyse(&o, "default_setup");
    oracle_check_clean(&o);
    struct trace_counts n = check_replays(&o.log.trace, 0xE);
    assert_int_equal(n.traced, 5);
    assert_int_equal(n.others, 4);
    assert_int_equal(n.tracks, chip->workers * TT_RISCS);
    oracle_close(&o);
}

ROW_OF_BOTH(row_09_trace_run_mixed_with_other_programs)
{
    struct oracle o;
    oracle_open(&o, chip->board, "TTPROF_LEVEL=all");
    ttdev_program *p = tick(&o, o.all);
    uint32_t other = 101;
    int trace = record(&o, p, 1, 10);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 6; k++)
            oracle_launch(&o, p, other++);
        oracle_replay(&o, trace);
    }
    oracle_detach(&o);
    oracle_analyse(&o, "default_setup");
    oracle_check_clean(&o);
    struct trace_counts n = check_replays(&o.log.trace, 0x6);
    assert_int_equal(n.traced, 10);
    assert_int_equal(n.others, 12);
    assert_int_equal(n.tracks, chip->workers * TT_RISCS);
    oracle_close(&o);
}

// --- 10: one firmware and one kernel zone for a whole replay ---------------------------
static void device_trace(const char *board, bool is_whole_grid)
{
    enum { REPLAYS = 5 };
    struct oracle o;
    oracle_open(&o, board, "TT_METAL_TRACE_PROFILER=1");
    ttdev_program *p = tick(&o, is_whole_grid ? o.all : oracle_one(0, 0));
    int trace = record(&o, p, 1, oracle_programs(100));
    for (int i = 0; i < REPLAYS; i++)
        oracle_replay(&o, trace);
    oracle_detach(&o);
    oracle_analyse(&o, "default_setup");
    oracle_check_clean(&o);
    assert_int_equal(oracle_count(&o, "trace_fw_duration"), REPLAYS);
    assert_int_equal(oracle_count(&o, "trace_kernel_duration"), REPLAYS);
    // A start and an end of both on every core that ran, and of the push before each replay
    // but the first; nothing else.
    size_t cores = is_whole_grid ? (size_t)o.info.n_workers : 1;
    assert_int_equal(o.log.trace.tracks.n, cores);
    assert_int_equal(o.log.trace.n_rows, cores * (REPLAYS * 4 + (REPLAYS - 1) * 2));
    oracle_close(&o);
}

ROW_OF_BOTH(row_10_device_trace)
{
    device_trace(chip->board, true);
    device_trace(chip->board, false);
}

// --- 21: sums fill the region of two RISCs sooner --------------------------------------
static void copy_program(struct oracle *o, ttdev_program *p, uint32_t tiles)
{
    ttdev_range one = oracle_one(0, 0);
    for (int cb = 0; cb < 2; cb++)
        assert_int_equal(ttdev_program_cb(p, one, cb, 2, 2048, NULL), 0);
    // BRISC is slow to bring tiles, NCRISC slower to take them: both waits are there.
    oracle_kernel(o, p, one, TT_BRISC, "kernels/profile_feed", ORACLE_ARGS(tiles, 300));
    oracle_kernel(o, p, one, TT_NCRISC, "kernels/profile_feed", ORACLE_ARGS(tiles, 900));
    oracle_kernels(o, p, one, ORACLE_COMPUTE, "kernels/profile_copy", ORACLE_ARGS(tiles));
}

// In which ops an analysis has a result that is not 0: the first one without, and how many
// have one.
static size_t ops_with(const struct oracle *o, const char *analysis, size_t *first_without)
{
    const struct analysed *a = device_analysis_find(&o->log.analysis, str_of(analysis));
    size_t n = 0, ops = oracle_ops(o);
    bool has[1000] = {false};
    assert_true(a && ops < sizeof has);
    for (size_t i = 0; i < a->results.n; i++)
        if (a->results.v[i].cycles && !has[a->results.v[i].group]) {
            has[a->results.v[i].group] = true;
            n++;
        }
    // In the order in which they ran.
    const struct device_op *v = o->log.ops.v;
    *first_without = ops;
    for (size_t i = 0; i < ops; i++) {
        size_t rank = 0;
        for (size_t k = 0; k < ops; k++)
            rank += v[k].first_time < v[i].first_time;
        if (!has[i] && rank < *first_without)
            *first_without = rank;
    }
    return n;
}

ROW_OF_BOTH(row_21_support_count_with_sums)
{
    enum { COUNT = 200, OPS = 100, REPLAYS = 5, TILES = 4, FOUND = COUNT * 64 / 48 };
    static const char *const sums[] = {"device_compute_cb_wait_front",
                                       "device_compute_cb_reserve_back"};
    struct oracle o;
    oracle_open(&o, chip->board, "TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT=200",
                "TT_METAL_PROFILER_SUM=1");
    ttdev_program *p = oracle_program(&o, "copy");
    copy_program(&o, p, TILES);
    int trace = record(&o, p, 1, OPS);
    for (int i = 0; i < REPLAYS; i++)
        oracle_replay(&o, trace);
    oracle_detach(&o);
    oracle_analyse(&o, "default_setup");
    assert_int_equal(FOUND, 266);
    assert_int_equal(oracle_ops(&o), FOUND);
    for (int i = 0; i < 2; i++) {
        size_t first_without;
        assert_int_equal(ops_with(&o, sums[i], &first_without), COUNT);
        assert_int_equal(first_without, COUNT);
    }
    assert_int_equal(
        oracle_said(&o, "Risc BRISC,  bufferEndIndex = 3192 and 4 more RISCs. "), 1);
    oracle_close(&o);
}
