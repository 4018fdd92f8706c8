// oracle_counts.c - rows 1 to 5 and 22 of the oracle: how many zones and events come home,
// and what is lost when buffers are full.
#include <limits.h>
#include <stdio.h>

#include "oracle.h"

// 50 nops and two more instructions a round.
static void nops(struct oracle *o, ttdev_program *p, ttdev_range cores, unsigned riscs,
                 uint32_t rounds)
{
    for (unsigned risc = 0; risc < TT_RISCS; risc++)
        oracle_kernels(o, p, cores, riscs & 1u << risc, "cycle_count/nops",
                       ORACLE_ARGS(rounds, o->info.l1_buffers + 16 * risc));
}

static const char *const riscs[] = {"BRISC", "NCRISC", "TRISC_0", "TRISC_1", "TRISC_2"};

static const char *kernel_of(int risc)
{
    static char name[64];
    (void)snprintf(name, sizeof name, "%s KERNEL_START->KERNEL_END", riscs[risc]);
    return name;
}

// --- 1: a loop of known length ---------------------------------------------------------
static void cycle_count(const char *board, const char *setup, const char *variable)
{
    enum { ROUNDS = 2000, CYCLES = 52 };
    struct oracle o;
    oracle_open(&o, board, variable);
    ttdev_program *p = oracle_program(&o, "custom_cycle_count");
    nops(&o, p, oracle_one(0, 0), ORACLE_ALL_RISCS, ROUNDS);
    oracle_launch(&o, p, 1);
    oracle_detach(&o);
    oracle_analyse(&o, setup);
    oracle_check_clean(&o);
    for (int risc = 0; risc < TT_RISCS; risc++) {
        const struct stats *s = oracle_stats(&o, kernel_of(risc));
        assert_int_equal(s->count, 1);
        assert_true(s->average > CYCLES * ROUNDS / 5.0 &&
                    s->average < CYCLES * ROUNDS * 10.0);
        // The device is exact: a hundredth is more than markers and start-up code take.
        assert_true(s->average >= CYCLES * ROUNDS && s->average < CYCLES * ROUNDS * 1.01);
    }
    oracle_close(&o);
}

ROW(row_01_custom_cycle_count)
{
    cycle_count(chip->board, "test_custom_cycle_count", "TT_METAL_SLOW_DISPATCH_MODE=0");
    cycle_count(chip->board, "test_custom_cycle_count_slow_dispatch",
                "TT_METAL_SLOW_DISPATCH_MODE=1");
}

// --- 2: two read-outs ------------------------------------------------------------------
// One round of nops instead of 200 x 200: how long a kernel takes is not looked at.
ROW(row_02_multi_op)
{
    uint32_t n = oracle_programs(1000);
    struct oracle o;
    oracle_open(&o, chip->board, "TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT=1200");
    ttdev_program *p = oracle_program(&o, "multi_op");
    nops(&o, p, o.all, ORACLE_ALL_RISCS, 1);
    for (int part = 0; part < 2; part++) {
        for (uint32_t id = 1; id <= n; id++)
            oracle_launch(&o, p, id);
        oracle_read(&o);
    }
    oracle_detach(&o);
    oracle_check_lost(&o, 0, 0);
    oracle_analyse(&o, "test_multi_op");
    oracle_check_clean(&o);
    assert_int_equal(oracle_count(&o, kernel_of(TT_BRISC)),
                     (uint64_t)chip->workers * n * 2);
    oracle_close(&o);
}

// --- 3: more programs than the region has room for -------------------------------------
// The warning, word by word: it names the first RISC of the mask that lost something, and
// counts those of all Ethernet tiles, and of workers in a square.
static void check_warnings(struct oracle *o, int side, unsigned mask, uint32_t words)
{
    struct tt_chip chip;
    char first[200] = "", more[400];
    size_t n = 0;
    assert_int_equal(o->access.get_chip(o->access.device, 0, &chip), 0);
    for (size_t i = 0; i < chip.n_cores; i++)
        for (int risc = 0; risc < chip.cores[i].n_riscs; risc++) {
            bool is_used = chip.cores[i].kind != TT_CORE_WORKER ||
                           (chip.cores[i].lx < side && chip.cores[i].ly < side);
            unsigned lost = is_used ? mask >> risc & 1 : 0;
            if (lost && n == 0)
                (void)snprintf(first, sizeof first,
                               "Profiler DRAM buffers were full, markers were dropped! "
                               "device 0, worker core %d, %d, Risc %s,  bufferEndIndex = "
                               "%u",
                               chip.cores[i].vx, chip.cores[i].vy, riscs[risc], words);
            n += lost;
        }
    (void)snprintf(more, sizeof more,
                   "%s and %zu more RISCs. Please either decrease the number of ops being "
                   "profiled or run read device profiler more often\n",
                   first, n - 1);
    assert_int_equal(oracle_said(o, more), 1);
    assert_int_equal(oracle_said(o, "DRAM buffers were full"), 1);
}

ROW(row_03_multi_op_buffer_overflow)
{
    uint32_t n = oracle_programs(1400), most = oracle_programs(1000);
    struct oracle o;
    char count[60];
    (void)snprintf(count, sizeof count, "TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT=%u", most);
    oracle_open(&o, chip->board, count); // 1000 is the default
    ttdev_program *whole = oracle_program(&o, "all"), *part = oracle_program(&o, "movers");
    nops(&o, whole, o.all, ORACLE_ALL_RISCS, 1);
    nops(&o, part, o.all, ORACLE_MOVERS, 1);
    for (uint32_t i = 0; i < n; i++)
        oracle_launch(&o, i % 5 == 0 ? whole : part, i + 1);
    oracle_read(&o);
    oracle_detach(&o);
    check_warnings(&o, INT_MAX, ORACLE_MOVERS, 12 * most);
    oracle_check_lost(&o, 0, (uint64_t)chip->workers * 2 * (n - most) * 4);
    oracle_analyse(&o, "test_multi_op_buffer_overflow");
    for (int risc = 0; risc < TT_RISCS; risc++)
        assert_int_equal(oracle_count(&o, kernel_of(risc)),
                         (uint64_t)chip->workers * (risc < TT_TRISC0 ? most : n / 5));
    oracle_close(&o);
}

// --- 4: full vectors -------------------------------------------------------------------
enum {
    FULL_LAUNCHES = 23,
    FULL_ZONES = 125,
    TRIED_ZONES = 150,
    LOST_MARKERS = 2 * (TRIED_ZONES - FULL_ZONES),
};

static void fill(struct oracle *o, ttdev_range cores, uint32_t launches)
{
    ttdev_program *p = oracle_program(o, "full_buffer");
    oracle_kernels(o, p, cores, ORACLE_ALL_RISCS, "kernels/profile_full",
                   ORACLE_ARGS(TRIED_ZONES));
    for (int c = oracle_channel(o, -1); c >= 0; c = oracle_channel(o, c))
        oracle_kernel(o, p, oracle_one(c, 0), TTDEV_ERISC, "kernels/profile_full_eth",
                      ORACLE_ARGS(TRIED_ZONES));
    for (uint32_t id = 1; id <= launches; id++)
        oracle_launch(o, p, id);
}

ROW(row_04_full_buffer)
{
    uint64_t workers = (uint64_t)chip->pair_workers, links = (uint64_t)chip->links;
    struct oracle o;
    oracle_open(&o, chip->pair, "TTPROF_LEVEL=all");
    fill(&o, o.all, FULL_LAUNCHES);
    oracle_detach(&o);
    assert_int_equal(oracle_said(&o, "DRAM buffers were full"), 0);
    oracle_check_lost(&o, (workers * TT_RISCS + links) * FULL_LAUNCHES * LOST_MARKERS, 0);
    oracle_analyse(&o, "test_full_buffer");
    oracle_check_clean(&o);
    assert_int_equal(oracle_count(&o, "Marker Repeat"),
                     (workers * TT_RISCS + links) * FULL_LAUNCHES * FULL_ZONES);
    assert_int_equal(oracle_count(&o, "Marker Repeat ETH"),
                     links * FULL_LAUNCHES * FULL_ZONES);
    oracle_close(&o);
}

// One more launch: its zones are lost and counted, 250 markers per RISC; its guaranteed
// markers are kept. On a few cores: each has buffers of its own.
ROW(row_04_full_buffer_once_more)
{
    enum { SIDE = 2, TRACKS_OF_WORKERS = SIDE * SIDE * TT_RISCS };
    uint64_t tracks = TRACKS_OF_WORKERS + (uint64_t)chip->links;
    uint64_t l1 = LOST_MARKERS * (FULL_LAUNCHES + 1);
    struct oracle o;
    char text[100];
    oracle_open(&o, chip->pair, "TTPROF_LEVEL=all");
    fill(&o, (ttdev_range){{0, 0}, {SIDE - 1, SIDE - 1}}, FULL_LAUNCHES + 1);
    oracle_detach(&o);
    check_warnings(&o, SIDE, ORACLE_ALL_RISCS, FULL_LAUNCHES * 512 + 12);
    oracle_analyse(&o, "test_full_buffer");
    oracle_check_clean(&o);
    assert_int_equal(oracle_count(&o, "Marker Repeat"),
                     tracks * FULL_LAUNCHES * FULL_ZONES);
    size_t kernels = 0;
    const struct trace *t = &o.log.trace;
    for (size_t i = 0; i < t->tracks.n; i++)
        for (uint32_t m = 0; m < t->tracks.v[i].n_markers; m++)
            kernels += str_has(trace_name_of(t, t->tracks.v[i].marker + m), S("-KERNEL"));
    assert_int_equal(kernels, tracks * (FULL_LAUNCHES + 1) * 2);
    oracle_check_lost(&o, tracks * l1, tracks * 250);
    struct file f;
    struct err e = {0};
    assert_true(file_open(oracle_path(&o, "profiler_health.json"), &f, &e));
    (void)snprintf(text, sizeof text, "\"l1_dropped\":%llu,\"dram_dropped\":250,",
                   (unsigned long long)l1);
    size_t n = 0;
    for (str rest = f.text, after; str_after(rest, str_of(text), &after); rest = after)
        n++;
    assert_int_equal(n, tracks);
    file_close(&f);
    oracle_close(&o);
}

// --- 5: data and events ----------------------------------------------------------------
ROW(row_05_timestamped_events)
{
    enum { LAUNCHES = 2, ROUNDS = 150, KEPT = 100 };
    uint64_t links = (uint64_t)chip->links;
    struct oracle o;
    oracle_open(&o, chip->pair, "TTPROF_LEVEL=all");
    assert_int_equal(o.info.n_workers, chip->pair_workers);
    assert_int_equal(o.info.n_eth, chip->links);
    ttdev_program *p = oracle_program(&o, "timestamped_events");
    oracle_kernels(&o, p, o.all, ORACLE_ALL_RISCS, "kernels/profile_stamps",
                   ORACLE_ARGS(ROUNDS));
    for (int c = oracle_channel(&o, -1); c >= 0; c = oracle_channel(&o, c))
        oracle_kernel(&o, p, oracle_one(c, 0), TTDEV_ERISC, "kernels/profile_stamps_eth",
                      ORACLE_ARGS(ROUNDS));
    for (uint32_t id = 1; id <= LAUNCHES; id++)
        oracle_launch(&o, p, id);
    oracle_detach(&o);
    // Of a round that does not fit, its zone, datum and event.
    oracle_check_lost(&o,
                      ((uint64_t)chip->pair_workers * TT_RISCS + links) * LAUNCHES *
                          (ROUNDS - KEPT / 2) * 4,
                      0);
    oracle_analyse(&o, "test_timestamped_events");
    oracle_check_clean(&o);
    assert_int_equal(oracle_events(&o, "all_events"),
                     ((uint64_t)chip->pair_workers * TT_RISCS + links) * LAUNCHES * KEPT);
    assert_int_equal(oracle_events(&o, "erisc_events"), links * LAUNCHES * KEPT);
    // The values, too: 2^32 + i, as often as i fitted.
    const struct trace *t = &o.log.trace;
    for (size_t k = 0; k < t->tracks.n; k++)
        for (uint32_t i = 0; i < t->tracks.v[k].n_data; i++)
            assert_int_equal(t->data.v[t->tracks.v[k].datum + i].data,
                             (1ull << 32) + i % (KEPT / 2));
    oracle_close(&o);
}

// --- 22: programs per region -----------------------------------------------------------
static size_t ids_in_report(struct oracle *o)
{
    struct oracle_table t;
    struct map ids = {0};
    oracle_table_read(&t, o, "cpp_device_perf_report.csv");
    for (size_t i = 0; i < t.rows; i++)
        (void)map_put(&ids, oracle_cell(&t, i, "GLOBAL CALL COUNT"));
    size_t n = ids.keys.n;
    map_free(&ids);
    oracle_table_free(&t);
    return n;
}

// On one core: every core has a region of its own.
ROW_OF_BOTH(row_22_support_count)
{
    static const struct {
        uint32_t count, programs, found;
    } cases[] = {{10, 100, 43},
                 {100, 10000, 100},
                 {1000, 10000, 1000},
                 {5000, 10000, 5000},
                 {10000, 10000, 10000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct oracle o;
        char count[60];
        bool is_small = cases[i].count < 1000;
        uint32_t most = is_small ? cases[i].count : oracle_programs(cases[i].count);
        uint32_t found = is_small ? cases[i].found : most;
        uint32_t n = i ? oracle_programs(cases[i].programs) : cases[i].programs;
        (void)snprintf(count, sizeof count, "TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT=%u",
                       most);
        oracle_open(&o, chip->board, count, "TT_METAL_PROFILER_CPP_POST_PROCESS=1");
        assert_int_equal(
            oracle_said(&o,
                        "Profiler program support count must be >= 43. Increasing "
                        "program support count from 10 to 43."),
            i == 0);
        ttdev_program *p = oracle_program(&o, "multi_op");
        nops(&o, p, oracle_one(0, 0), ORACLE_ALL_RISCS, 1);
        for (uint32_t id = 1; id <= n; id++)
            oracle_launch(&o, p, id);
        oracle_detach(&o);
        assert_int_equal(ids_in_report(&o), found);
        oracle_close(&o);
    }
}
