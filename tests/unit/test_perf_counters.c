// test_perf_counters.c - performance counters from the engine to the markers: table,
// groups, order, values.
#include "sample_copy.h"
#include "ttprof/perf_counters.h"

enum { TILES = 6, ALL = 47 }; // all groups, with bank 0 of L1
enum { WORMHOLE_ALL = 28 };   // how many of them are modelled
static const struct copy copy = {TILES, 100, 0, true};

struct row {
    int id, group, select[TT_ARCHES];
};
static const struct row rows[] = {
#define ROW(number, name, group, wormhole, blackhole)                                      \
    {number, TT_PERF_##group, {wormhole, blackhole}},
    TT_PERF_COUNTERS(ROW)};
enum { ROWS = sizeof rows / sizeof *rows };

static uint32_t asks(uint32_t groups)
{
    return TT_LEVEL_ALL | groups << TT_FLAG_COUNTER_SHIFT;
}

static size_t only_counters(found_list *found)
{
    size_t n = 0;
    for (size_t i = 0; i < found->n; i++)
        if (found->v[i].id == TT_ID_PERF_COUNTER)
            found->v[n++] = found->v[i];
    found->n = n;
    return n;
}

static uint32_t value_of(const found_list *found, uint32_t id)
{
    for (size_t i = 0; i < found->n; i++)
        if (found->v[i].trailer == id)
            return (uint32_t)found->v[i].data;
    fail_msg("counter %u is missing", id);
    return 0;
}

TEST(perf_counter_table_has_every_number_once)
{
    bool is_there[TT_PERF_IDS] = {false};
    for (size_t i = 0; i < ROWS; i++) {
        assert_in_range(rows[i].id, 1, TT_PERF_IDS - 1);
        assert_false(is_there[rows[i].id]);
        is_there[rows[i].id] = true;
        assert_true(i == 0 || rows[i].group >= rows[i - 1].group);
    }
    assert_int_equal(ROWS, TT_PERF_IDS - 1);
}

TEST(perf_counter_groups_have_their_sizes)
{
    static const int sizes[TT_ARCHES][TT_PERF_GROUP_COUNT] = {
        {3, 14, 22, 16, 16, 59, 0, 0, 0}, {3, 5, 22, 16, 16, 59, 16, 16, 16}};
    for (int arch = 0; arch < TT_ARCHES; arch++)
        for (int group = 0; group < TT_PERF_GROUP_COUNT; group++) {
            int n = 0;
            for (size_t i = 0; i < ROWS; i++)
                n += rows[i].group == group && rows[i].select[arch] != TT_NO_COUNTER;
            assert_int_equal(n, sizes[arch][group]);
        }
}

// --- on the device ---------------------------------------------------------------------
// Counters of a group that the software device models.
static const size_t modelled[TT_ARCHES][TT_PERF_GROUP_COUNT] = {
    {3, 2, 5, 5, 4, 13, 0, 0, 0}, {3, 2, 5, 6, 4, 13, 0, 0, 0}};

// Every modelled counter of the chosen groups, in the order of the table.
static void check_order(const found_list *found, int arch, uint32_t groups)
{
    size_t k = 0;
    for (size_t i = 0; i < ROWS; i++) {
        if (!(groups >> rows[i].group & 1) || !ttdev_has_counter(arch, rows[i].id))
            continue;
        assert_true(k < found->n);
        assert_int_equal(found->v[k].type, TT_PACKET_TS_DATA_16B);
        assert_int_equal(found->v[k].trailer, rows[i].id);
        k++;
    }
    assert_int_equal(found->n, k);
}

TEST(perf_counters_are_recorded_in_order_on_both_chips)
{
    static const char *const configs[] = {"board=n150 variant=prof",
                                          "board=p150 variant=full"};
    for (int arch = 0; arch < TT_ARCHES; arch++) {
        found_list found = {0};
        ttdev *t = device_open(configs[arch]);
        copy_run(t, copy, asks(ALL), TT_BRISC, &found);
        size_t n = only_counters(&found);
        assert_int_equal(n, arch == TT_WORMHOLE ? WORMHOLE_ALL : WORMHOLE_ALL + 1);
        check_order(&found, arch, ALL);
        assert_int_equal(core_control(t, 0, TT_CONTROL_L1_DROPPED), 0);
        vec_free(&found);
        ttdev_close(t);
    }
}

// One tile: unpack 36 cycles, FPU 16, pack 36 (tests of the engine say so).
TEST(perf_counters_show_what_the_engine_did)
{
    found_list found = {0};
    ttdev *t = device_open("board=n150 variant=prof");
    for (size_t run = 0; run < 3; run++) { // every program starts from 0
        copy_run(t, copy, asks(ALL), TT_BRISC, &found);
        assert_int_equal(only_counters(&found), WORMHOLE_ALL * (run + 1));
        found_list last = {found.v + WORMHOLE_ALL * run, WORMHOLE_ALL, WORMHOLE_ALL};
        assert_int_equal(value_of(&last, 1), 16 * TILES);
        assert_int_equal(value_of(&last, 2), 0);
        assert_int_equal(value_of(&last, 3), 16 * TILES);
        assert_int_equal(value_of(&last, 7), TILES);
        assert_int_equal(value_of(&last, 11), 36 * TILES);
        assert_int_equal(value_of(&last, 12), 0);
        assert_int_equal(value_of(&last, 19), 36 * TILES);
        assert_true(value_of(&last, 43) > 100 * TILES); // math waits for tiles
        for (size_t i = 1; i < last.n; i++)
            assert_true(last.v[i].data >> 32 > 100 * TILES); // reference cycles
    }
    vec_free(&found);
    ttdev_close(t);
}

// Sums of the ground truth: what the engine of the core did, by RISC.
struct truth {
    uint64_t sum[TT_RISCS];
};
static void add_truth(void *context, const ttdev_truth_event *event)
{
    struct truth *truth = context;
    if (event->kind == TTDEV_TRUTH_ENGINE_START)
        truth->sum[event->risc] -= event->cycle;
    if (event->kind == TTDEV_TRUTH_ENGINE_END)
        truth->sum[event->risc] += event->cycle;
}

// Whatever the three threads wait for, they stand first in their queues as long as they
// wait and work.
TEST(perf_counters_agree_with_the_ground_truth)
{
    static const char *const configs[] = {"board=n150 variant=prof",
                                          "board=p150 variant=prof"};
    // Waiting for tiles, and for room: then counting ends before the last are packed.
    static const struct copy copies[] = {{TILES, 100, 0, true}, {TILES, 0, 300, true}};
    for (int i = 0; i < 2 * TT_ARCHES; i++) {
        struct truth truth = {0};
        found_list found = {0};
        bool is_late = i / TT_ARCHES;
        ttdev *t = device_open(configs[i % TT_ARCHES]);
        assert_int_equal(ttdev_truth(t, add_truth, &truth), 0);
        copy_run(t, copies[is_late], asks(ALL), TT_BRISC, &found);
        assert_int_equal(ttdev_truth(t, NULL, NULL), 0);
        (void)only_counters(&found);
        uint32_t issue = 4 * TILES, math = value_of(&found, 1);
        assert_int_equal(value_of(&found, 11), truth.sum[TT_TRISC0]);
        assert_int_equal(math, truth.sum[TT_TRISC1]);
        assert_int_equal(value_of(&found, 76), truth.sum[TT_TRISC0] - issue);
        if (!is_late) {
            assert_int_equal(value_of(&found, 19), truth.sum[TT_TRISC2]);
            assert_int_equal(value_of(&found, 57), 5 * TILES); // the latency of results
        }
        // A stall has one cause, or on math and pack one of two.
        assert_int_equal(value_of(&found, 42), value_of(&found, 45));
        assert_int_equal(value_of(&found, 43), value_of(&found, 47) + value_of(&found, 65));
        assert_int_equal(value_of(&found, 44), value_of(&found, 63) + value_of(&found, 57));
        assert_true(value_of(&found, is_late ? 65 : 47) > 100 * (TILES - 2));
        assert_int_equal(value_of(&found, 36), value_of(&found, 11) + value_of(&found, 42));
        assert_int_equal(value_of(&found, 34), math + issue + value_of(&found, 47));
        assert_int_equal(value_of(&found, 41), value_of(&found, 19));
        vec_free(&found);
        ttdev_close(t);
    }
}

TEST(perf_counters_of_one_group_only)
{
    for (uint32_t group = 0; group < TT_PERF_GROUP_COUNT; group++) {
        found_list found = {0};
        ttdev *t = device_open("board=p150 variant=prof");
        copy_run(t, copy, asks(1u << group), TT_BRISC, &found);
        (void)only_counters(&found);
        assert_int_equal(found.n, modelled[TT_BLACKHOLE][group]);
        check_order(&found, TT_BLACKHOLE, 1u << group);
        uint32_t mux;
        ttdev_core core = {TTDEV_LOGICAL, {0, 0}};
        assert_int_equal(ttdev_reg_read32(t, 0, core, TT_DEBUG + TT_PERF_MUX, &mux), 0);
        static const uint32_t banks[] = {0, 0, 0, 0, 1, 0, 2, 3, 4};
        assert_int_equal(mux >> TT_PERF_MUX_SHIFT, banks[group]);
        vec_free(&found);
        ttdev_close(t);
    }
}

TEST(perf_counters_of_banks_that_exclude_each_other)
{
    found_list found = {0};
    ttdev *t = device_open("board=p150 variant=prof");
    copy_run(t, copy, asks(TT_PERF_L1_GROUPS), TT_BRISC, &found); // the first counts
    (void)only_counters(&found);
    check_order(&found, TT_BLACKHOLE, 1u << TT_PERF_L1_0);
    vec_free(&found);
    ttdev_close(t);
}

TEST(perf_counters_of_a_program_without_math_are_left_out)
{
    found_list found = {0};
    ttdev *t = device_open("board=n150 variant=prof");
    struct copy none = {TILES, 0, 0, false};
    copy_run(t, none, asks(ALL), TT_BRISC, &found);
    assert_int_equal(only_counters(&found), 0);
    copy_run(t, copy, asks(ALL), TT_BRISC, &found);
    assert_int_equal(only_counters(&found), WORMHOLE_ALL);
    copy_run(t, none, asks(ALL), TT_BRISC, &found);
    assert_int_equal(only_counters(&found), WORMHOLE_ALL);
    copy_run(t, copy, asks(0), TT_BRISC, &found);
    assert_int_equal(only_counters(&found), WORMHOLE_ALL);
    vec_free(&found);
    ttdev_close(t);
}
