// test_tracy_client_devices.c - zones of devices, handed to the recorder's Tracy client by
// a profiler that has no device: what the capture makes of them, in both generations.
#define TTPROF_ENABLE
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../support/tracy_laws.h"
#include "../support/tracy_stream.h"
#include "formats/tracy/capture/capture.h"
#include "record/format/tracy_device.h"
#include "record/record.h"
#include "record/tracy/devices.h"
#include "sample_server.h"
#include "ttprof/device_zones.h"

static struct sample_server server;

// --- a profiler ------------------------------------------------------------------------
static const struct ttprof_device_core cores[] = {
    {.chip = 0, .x = 1, .y = 2, .logical_x = 0, .logical_y = 1, .is_aligned = true},
    {.chip = 0, .x = 16, .y = 2, .logical_x = 12, .logical_y = 1, .is_aligned = true},
    {.chip = 3, .x = 9, .y = 0, .logical_x = -1, .logical_y = -1, .is_aligned = true},
};
enum { N_CORES = sizeof cores / sizeof *cores };

static uint32_t place(const char *name)
{
    struct ttprof_device_place p = {name, "kernel.c", strlen(name), 8, 7};
    return ttprof_device_place(&p);
}

static bool begin(bool is_last)
{
    return ttprof_device_zones_begin(&(struct ttprof_device_turn){.is_last = is_last});
}

// The server may not be served yet.
static void wait_to_begin(bool is_last)
{
    while (!begin(is_last))
        usleep(1000);
}

static bool put(uint32_t lane, uint32_t at, uint64_t start, uint64_t end, unsigned depth,
                int64_t run)
{
    return ttprof_device_zones_put(&(struct ttprof_device_zone){
        .start_ns = (uint64_t)server.welcome.begin + start,
        .end_ns = (uint64_t)server.welcome.begin + end,
        .run = run,
        .lane = lane,
        .place = at,
        .depth = (uint8_t)depth,
    });
}

// One run on a core: firmware, the kernel in it, and a zone in that; the other RISC has
// two.
static void hand_over_run(const struct ttprof_device_core *core, uint64_t from, int64_t run)
{
    uint32_t brisc = ttprof_device_lane(core, TRACY_BRISC);
    uint32_t trisc = ttprof_device_lane(core, TRACY_TRISC_2);
    put(brisc, place("BRISC-FW"), from, from + 1000, 0, run);
    put(brisc, place("BRISC-KERNEL"), from + 100, from + 900, 1, run);
    put(brisc, place("PROFILER-PUSH"), from + 200, from + 300, 2, run);
    put(brisc, place("after"), from + 300, from + 900, 2, run);
    put(trisc, place("TRISC-FW"), from + 50, from + 800, 0, run);
    put(trisc, place("next"), from + 900, from + 950, 0, run);
}

static void hand_over(void)
{
    wait_to_begin(true);
    for (int64_t run = 1; run <= 2; run++)
        for (size_t i = 0; i < N_CORES; i++)
            hand_over_run(&cores[i], 5000 * (uint64_t)run + i, run << 10);
    ttprof_device_zones_end();
}

// --- what a capture makes of it --------------------------------------------------------
static struct tracy contents;

static void capture(void)
{
    struct tracy_stream s;
    char welcome[TRACY_WELCOME_MOST];
    enum tracy_generation g = server.layouts.generation;
    stream_start(&s, g, TRACY_ON_DEMAND);
    s.bytes.n = 0;
    buf_str(&s.bytes, (str){welcome, tracy_welcome_put(g, &server.welcome, welcome)});
    buf_str(&s.bytes, (str){(char *)&server.demand, sizeof server.demand});
    for (size_t i = 0; i < server.items.n; i++) {
        bool is_last = i + 1 == server.items.n;
        size_t from = server.items.v[i].at,
               to = is_last ? server.decoded.n : server.items.v[i + 1].at;
        if (s.items.n + to - from > TRACY_BLOCK_MOST)
            stream_block(&s);
        buf_str(&s.items, (str){server.decoded.p + from, to - from});
        if (is_last)
            stream_block(&s);
    }
    tracy_start(&contents, NULL, 0);
    struct capture *c = capture_start(&contents, g, 1000);
    struct tracy_ask asks[256];
    for (size_t at = 0; at < s.bytes.n; at += 4096) {
        size_t n = s.bytes.n - at < 4096 ? s.bytes.n - at : 4096;
        assert_true(capture_feed(c, s.bytes.p + at, n));
        while (capture_asks(c, asks, 256))
            ;
    }
    assert_null(capture_trouble(c));
    capture_finish(c);
    stream_free(&s);
    for (size_t i = 0; i < contents.gpus.n; i++)
        for (size_t k = 0; k < contents.gpus.v[i].lanes.n; k++)
            assert_null(tracy_loose_lane(&contents, &contents.gpus.v[i].lanes.v[k]));
}

// The session ends, and the capture of it is in `contents`.
static void finish(struct sample_record *r)
{
    ttprof_stop();
    server_join(&server);
    assert_true(server.has_terminated);
    capture();
    assert_int_equal(diag_total(&contents.diag), 0);
    if (r)
        sample_record_remove(r);
}

static void end(void)
{
    tracy_free(&contents);
    server_free(&server);
}

static const struct tracy_gpu_zone *zone_at(size_t context, size_t lane, size_t i)
{
    return pile_at(&contents.gpus.v[context].lanes.v[lane].zones, i);
}

static str function_of(const struct tracy_gpu_zone *z)
{
    return tracy_ref_text(&contents, tracy_place_of(&contents, z->place)->function);
}

static uint64_t n_zones(void)
{
    uint64_t n = 0;
    for (size_t i = 0; i < contents.gpus.n; i++)
        n += contents.gpus.v[i].n_zones;
    return n;
}

// Messages count what is new since the last one: `number` gets the sum.
static bool has_message(const char *part, uint64_t *number)
{
    bool has = false;
    for (size_t i = 0; i < contents.messages.n; i++) {
        const struct tracy_message *m = pile_at(&contents.messages, i);
        str text = tracy_ref_text(&contents, m->text);
        unsigned long long more = 0;
        if (!str_has(text, str_of(part)))
            continue;
        has = true;
        if (number && sscanf(text.p, "ttprof: %llu", &more) == 1)
            *number += more;
    }
    return has;
}

// --- contexts, lanes, zones ------------------------------------------------------------
static void check_run(size_t context, size_t lane, uint64_t core, const char *run,
                      size_t at)
{
    static const struct {
        uint32_t start, end, children, colour;
        const char *name;
    } want[] = {{0, 1000, 1, 0xEE9A00, "BRISC-FW"},
                {100, 900, 2, 0xEE9A00, "BRISC-KERNEL"},
                {200, 300, 0, 0xCD4F39, "PROFILER-PUSH"},
                {300, 900, 0, 0xEE9A00, "after"}};
    for (size_t i = 0; i < 4; i++) {
        const struct tracy_gpu_zone *z = zone_at(context, lane, 4 * at + i);
        int64_t from = 5000 * ((int64_t)at + 1) + (int64_t)core;
        const struct tracy_place *p = tracy_place_of(&contents, z->place);
        assert_int_equal(z->start, from + want[i].start);
        assert_int_equal(z->end, from + want[i].end);
        assert_int_equal(z->cpu_start, z->start);
        assert_int_equal(z->cpu_end, z->end);
        assert_int_equal(z->children, want[i].children);
        test_str_is(tracy_place_name(&contents, z->place), str_of(want[i].name), __FILE__,
                    __LINE__);
        STR_IS(tracy_ref_text(&contents, p->file), "kernel.c");
        assert_int_equal(p->line, 7);
        assert_int_equal(p->colour, want[i].colour);
        test_str_is(function_of(z), str_of(i ? "" : run), __FILE__, __LINE__);
    }
}

TEST(tracy_client_sends_a_device_context_per_core_to_the_fork)
{
    static const char *const names[N_CORES] = {"Device: 0, Logical (0,1) Physical (1,2)",
                                               "Device: 0, Logical (12,1) Physical (16,2)",
                                               "Device: 3, Physical (9,0)"};
    static const uint64_t lanes[N_CORES] = {1 << 3 | 2 << 7, 1 << 19 | 2 << 7,
                                            9 << 3 | 3 << 11};
    struct sample_record r = server_record(NULL);
    server_start(&server, (struct server_how){.protocol = 66});
    hand_over();
    finish(&r);
    assert_int_equal(contents.gpus.n, N_CORES);
    for (size_t i = 0; i < N_CORES; i++) {
        const struct tracy_gpu *g = &contents.gpus.v[i];
        test_str_is(tracy_string(&contents, g->name - 1), str_of(names[i]), __FILE__,
                    __LINE__);
        assert_int_equal(g->type, TRACY_GPU_TENSTORRENT);
        assert_false(g->is_calibrated);
        assert_true(g->period == 1);
        assert_int_equal(g->thread, 0);
        assert_int_equal(g->lanes.n, 2);
        assert_int_equal(g->lanes.v[0].thread, lanes[i]);
        assert_int_equal(g->lanes.v[1].thread, lanes[i] + TRACY_TRISC_2);
        assert_int_equal(g->n_zones, 12);
        check_run(i, 0, i, "OP ID:1024", 0);
        check_run(i, 0, i, "OP ID:2048", 1);
        assert_int_equal(zone_at(i, 1, 3)->start, 10900 + i);
        STR_IS(function_of(zone_at(i, 1, 0)), "");
        assert_int_equal(tracy_place_of(&contents, zone_at(i, 1, 0)->place)->colour,
                         0x98F5FF);
    }
    assert_int_equal(server_count(&server, TRACY_GPU_CALIBRATION), 0);
    assert_int_equal(contents.messages.n, 0);
    end();
}

TEST(tracy_client_sends_a_device_context_per_chip_upstream)
{
    struct sample_record r = server_record(NULL);
    server_start(&server, (struct server_how){.protocol = 82});
    hand_over();
    finish(&r);
    assert_int_equal(contents.gpus.n, 2);
    STR_IS(tracy_string(&contents, contents.gpus.v[0].name - 1), "Device: 0");
    STR_IS(tracy_string(&contents, contents.gpus.v[1].name - 1), "Device: 3");
    assert_int_equal(contents.gpus.v[0].type, TRACY_GPU_CUSTOM);
    assert_int_equal(contents.gpus.v[0].lanes.n, 4);
    assert_int_equal(contents.gpus.v[1].lanes.n, 2);
    assert_int_equal(n_zones(), 36);
    for (size_t i = 0; i < N_CORES; i++) {
        check_run(i / 2, i % 2 * 2, i, "OP ID:1024", 0);
        check_run(i / 2, i % 2 * 2, i, "OP ID:2048", 1);
    }
    end();
}

TEST(tracy_client_takes_no_zones_of_devices_without_a_server_and_announces_them_to_the_next)
{
    struct sample_record r = server_record(NULL);
    assert_false(begin(true));
    for (int g = 0; g < 3; g++) {
        server_start(&server, (struct server_how){.protocol = tracy_protocols[g % 2],
                                                  .disconnects = true});
        wait_to_begin(true);
        ttprof_device_zones_end();
        if (g == 0)
            hand_over();
        {
            TTPROF_ZONE("asks the client to end");
        }
        server_join(&server);
        capture();
        assert_int_equal(diag_total(&contents.diag), 0);
        assert_int_equal(contents.gpus.n, g % 2 ? 2 : N_CORES);
        assert_int_equal(n_zones(), g ? 0 : 36);
        end();
    }
    sample_record_end(&r);
}

TEST(tracy_client_stores_nothing_of_devices)
{
    struct sample_record r = server_record(NULL);
    struct seen_table before, after;
    struct seen_ring ring;
    server_start(&server, (struct server_how){0});
    wait_to_begin(true);
    ttprof_device_zones_end();
    assert_true(seen_table(&r, getpid(), &before));
    size_t clocks = seen_entries(&before, TT_ENTRY_CLOCK_PAIR);
    hand_over();
    assert_true(seen_table(&r, getpid(), &after));
    // The drainer adds pairs of times at any moment.
    size_t more = seen_entries(&after, TT_ENTRY_CLOCK_PAIR) - clocks;
    size_t pair = sizeof(struct tt_clock_pair) + 8;
    assert_int_equal(after.head->used, before.head->used + more * pair);
    seen_table_free(&before);
    seen_table_free(&after);
    assert_false(seen_ring(&r, getpid(), 0, &ring) && ring.n);
    finish(&r);
    assert_int_equal(n_zones(), 36);
    end();
}

// --- times -----------------------------------------------------------------------------
TEST(tracy_client_keeps_the_times_of_lanes_that_come_one_after_the_other)
{
    const uint64_t second = 1000000000, hour = 3600 * second;
    for (int g = 0; g < 2; g++) {
        struct sample_record r = server_record(NULL);
        server_start(&server, (struct server_how){.protocol = tracy_protocols[g]});
        wait_to_begin(true);
        for (uint32_t risc = 0; risc < 5; risc++) {
            uint32_t lane = ttprof_device_lane(&cores[0], risc);
            for (uint64_t i = 0; i < 4; i++)
                put(lane, place("zone"), i * hour + risc, i * hour + 3 * second, 0, 0);
        }
        ttprof_device_zones_end();
        finish(&r);
        assert_int_equal(contents.gpus.v[0].overflow, 0);
        assert_int_equal(contents.gpus.v[0].lanes.n, 5);
        for (size_t risc = 0; risc < 5; risc++)
            for (size_t i = 0; i < 4; i++) {
                const struct tracy_gpu_zone *z = zone_at(0, risc, i);
                assert_int_equal(z->start, i * hour + risc);
                assert_int_equal(z->end, i * hour + 3 * second);
            }
        end();
    }
}

TEST(tracy_client_moves_device_times_to_the_beginning_and_leaves_out_useless_ones)
{
    struct sample_record r = server_record(NULL);
    uint64_t n = 0;
    server_start(&server, (struct server_how){.protocol = 82});
    wait_to_begin(true);
    uint32_t lane = ttprof_device_lane(&cores[0], 0);
    put(lane, place("early"), (uint64_t)-500, 500, 0, 0);
    put(lane, place("inside"), (uint64_t)-400, 900, 1, 0); // longer than the one around it
    put(lane, place("before"), (uint64_t)-9000, (uint64_t)-8000, 0, 0);
    put(lane, place("never"), 1000, UINT64_C(1) << 50, 0, 0);
    put(lane, place("late"), 2000, 3000, 0, 0);
    ttprof_device_zones_end();
    finish(&r);
    assert_int_equal(contents.gpus.v[0].lanes.v[0].zones.n, 4);
    static const int64_t want[4][2] = {{0, 500}, {0, 500}, {0, 0}, {2000, 3000}};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(zone_at(0, 0, i)->start, want[i][0]);
        assert_int_equal(zone_at(0, 0, i)->end, want[i][1]);
    }
    assert_true(has_message("their times are useless", &n));
    assert_int_equal(n, 1);
    end();
}

static uint64_t slow_now(void *context)
{
    return __atomic_add_fetch((uint64_t *)context, 1000, __ATOMIC_RELAXED);
}

TEST(tracy_client_puts_devices_on_the_clock_of_the_program)
{
    static uint64_t clock = 7000000;
    struct sample_record r = server_record(NULL);
    server_start(&server, (struct server_how){0});
    ttprof_use_virtual_clock(slow_now, &clock);
    uint64_t start = ttprof_now();
    {
        TTPROF_ZONE("host");
    }
    uint64_t stop = ttprof_now();
    wait_to_begin(true);
    ttprof_device_zones_end();
    assert_true(ttprof_device_zones_begin(&(struct ttprof_device_turn){
        .is_program_clock = true, .now_ns = stop, .is_last = true}));
    ttprof_device_zones_put(&(struct ttprof_device_zone){
        .start_ns = start,
        .end_ns = stop,
        .lane = ttprof_device_lane(&cores[0], 0),
        .place = place("device"),
    });
    ttprof_device_zones_end();
    ttprof_use_clock(NULL, NULL);
    finish(&r);
    const struct tracy_zone *host = pile_at(&contents.threads.v[0].zones, 0);
    const struct tracy_gpu_zone *device = zone_at(0, 0, 0);
    assert_int_equal(device->end - device->start, stop - start);
    assert_true(device->start < host->start && host->end < device->end);
    end();
}

// --- limits ----------------------------------------------------------------------------
TEST(tracy_client_stays_within_the_places_of_a_server)
{
    enum { RUNS = 30000, NAMES = 20000 };
    for (int g = 0; g < 2; g++) {
        struct sample_record r = server_record(NULL);
        uint64_t n = 0;
        server_start(&server, (struct server_how){.protocol = tracy_protocols[g]});
        wait_to_begin(true);
        uint32_t lane = ttprof_device_lane(&cores[0], 0), firmware = place("BRISC-FW");
        for (int i = 0; i < RUNS; i++)
            put(lane, firmware, (uint64_t)i * 100, (uint64_t)i * 100 + 10, 0, i + 1);
        for (int i = 0; i < NAMES; i++) {
            char name[16];
            (void)snprintf(name, sizeof name, "zone %d", i);
            put(lane, place(name), (uint64_t)i * 100 + 20, (uint64_t)i * 100 + 30, 0, 1);
        }
        ttprof_device_zones_end();
        finish(&r);
        assert_int_equal(n_zones(), RUNS + NAMES);
        assert_int_equal(contents.made_places.n, TRACY_PLACES_MOST);
        STR_IS(function_of(zone_at(0, 0, TRACY_RUN_PLACES - 1)), "OP ID:24576");
        STR_IS(function_of(zone_at(0, 0, TRACY_RUN_PLACES)), "");
        STR_IS(tracy_place_name(&contents, zone_at(0, 0, RUNS - 1)->place), "BRISC-FW");
        STR_IS(tracy_place_name(&contents, zone_at(0, 0, RUNS)->place), "zone 0");
        assert_true(has_message("no name of their own", &n));
        // One place is that of the firmware without a run, one is shared.
        assert_int_equal(n, NAMES - (TRACY_PLACES_MOST - TRACY_RUN_PLACES - 2));
        end();
    }
}

TEST(tracy_client_says_how_many_devices_upstream_cannot_have)
{
    struct sample_record r = server_record(NULL);
    uint64_t n = 0;
    server_start(&server, (struct server_how){.protocol = 82});
    wait_to_begin(true);
    for (int chip = 0; chip < 300; chip++) {
        struct ttprof_device_core core = {.chip = chip, .x = 1, .y = 1, .is_aligned = true};
        put(ttprof_device_lane(&core, 0), place("zone"), 10, 20, 0, 0);
    }
    ttprof_device_zones_end();
    finish(&r);
    assert_int_equal(contents.gpus.n, 255);
    assert_int_equal(n_zones(), 255);
    assert_true(has_message("too many devices", &n));
    assert_int_equal(n, 45);
    end();
}

TEST(tracy_client_says_which_devices_are_not_aligned)
{
    struct sample_record r = server_record(NULL);
    server_start(&server, (struct server_how){.protocol = 82});
    wait_to_begin(true);
    for (int x = 1; x < 4; x++) {
        struct ttprof_device_core core = {.chip = 9, .x = x, .y = 1};
        put(ttprof_device_lane(&core, 0), place("zone"), 10, 20, 0, 0);
    }
    ttprof_device_zones_end();
    finish(&r);
    assert_int_equal(contents.messages.n, 1);
    assert_true(has_message("device 9 is not aligned with the host", NULL));
    end();
}

// --- servers that are slow or go -------------------------------------------------------
TEST(tracy_client_drops_device_zones_for_a_slow_server_and_says_how_many)
{
    struct sample_record r = server_record(NULL);
    uint64_t n = 0, total = (uint64_t)DEVICE_QUEUE * 4;
    server_start(&server, (struct server_how){.stalls = true});
    wait_to_begin(false);
    uint32_t lane = ttprof_device_lane(&cores[0], 0), at = place("zone");
    for (uint64_t i = 0; i < total; i++)
        assert_true(put(lane, at, i * 100, i * 100 + i % 90, 0, 0));
    ttprof_device_zones_end();
    __atomic_store_n(&server.may_go, 1, __ATOMIC_RELEASE);
    finish(&r);
    assert_true(has_message("the server is too slow", &n));
    assert_true(n > 0);
    assert_int_equal(n_zones() + n, total);
    end();
}

TEST(tracy_client_survives_servers_that_leave_during_a_hand_over)
{
    struct sample_record r = server_record(NULL);
    for (int64_t leaves = 1; leaves < 3000; leaves = leaves * 3 + 1) {
        server_start(&server, (struct server_how){.leaves_after = leaves,
                                                  .protocol = tracy_protocols[leaves % 2]});
        bool is_begun = false; // it may go before that
        while (!is_begun &&
               __atomic_load_n(&server.n_items, __ATOMIC_ACQUIRE) < (uint64_t)leaves)
            is_begun = begin(true);
        uint32_t lane = is_begun ? ttprof_device_lane(&cores[0], 0) : 0;
        uint32_t at = is_begun ? place("zone") : 0;
        for (uint64_t i = 0; is_begun && put(lane, at, i * 100, i * 100 + 99, i % 2, 0);)
            i++; // until it has gone
        if (is_begun)
            ttprof_device_zones_end();
        server_join(&server);
        server_free(&server);
    }
    server_start(&server, (struct server_how){.protocol = 82});
    hand_over();
    finish(&r);
    assert_int_equal(n_zones(), 36);
    end();
}
