// test_tracy_from_devices.c - device tracks of a trace as contexts of a Tracy trace, to a
// file and back.
#include <stdio.h>

#include "../support/tracy_dump.h"
#include "analyse/fold/pair.h"
#include "collect/sync/device_clocks.h"
#include "formats/diags.h"
#include "formats/tracy/tracy_file.h"
#include "formats/tracy/tracy_from.h"
#include "formats/tracy/tracy_trace.h"
#include "record/format/tracy_device.h"
#include "sample_log.h"
#include "trace/cursor.h"

// Two runs on a worker, one with a zone of the profiler; one on the last column of a wide
// chip; an Ethernet core of another chip.
static const char rows[] =
    "0,1,2,BRISC 1000 1024 BRISC-FW START\n"
    "0,1,2,BRISC 1100 1024 BRISC-KERNEL START\n"
    "0,1,2,BRISC 1200 1024 PROFILER-PUSH START\n"
    "0,1,2,BRISC 1300 1024 PROFILER-PUSH END\n"
    "0,1,2,BRISC 1400 1024 BRISC-KERNEL END\n"
    "0,1,2,BRISC 1500 1024 BRISC-FW END\n"
    "0,1,2,BRISC 2000 2048 BRISC-FW START\n"
    "0,1,2,BRISC 2500 2048 BRISC-FW END\n"
    "0,1,2,TRISC_1 1050 1024 TRISC-FW START\n"
    "0,1,2,TRISC_1 1450 1024 TRISC-FW END\n"
    "0,16,2,NCRISC 1060 1024 NCRISC-FW START\n"
    "0,16,2,NCRISC 1460 1024 NCRISC-FW END\n"
    "3,9,0,ERISC 5000 3072 ERISC-FW START\n"
    "3,9,0,ERISC 5900 3072 ERISC-FW END\n";

static struct sample_log log_read;
static struct device_clocks clocks;

// Chip 0 is synced, its cycle 1000 is at 0 ns without a host; chip 3 is not.
static const struct trace *start(void)
{
    struct device_clock chip = {.model = {.nominal = 1, .is_synced = true}};
    sample_log_read(&log_read, SAMPLE_CHIP, rows);
    struct trace *t = &log_read.trace;
    pair_zones(t);
    vec_push(&chip.model.epochs, ((struct clock_epoch){.cycles_per_ns = 0.5}));
    vec_push(&chip.cores, ((struct clock_core){1, 2, 0, 1}));
    vec_push(&clocks.chips, chip);
    device_clocks_attach(&clocks, t, 0);
    return t;
}

static void end(struct tracy *t)
{
    tracy_free(t);
    device_clocks_free(&clocks);
    clocks = (struct device_clocks){0};
    sample_log_end(&log_read);
}

static void make(struct tracy *t, const struct trace *from, enum tracy_generation g)
{
    tracy_start(t, NULL, 0);
    tracy_from_trace(t, from, (struct tracy_from_how){.generation = g});
}

static str name_of(const struct tracy *t, size_t context)
{
    return tracy_string(t, t->gpus.v[context].name - 1);
}

static const struct tracy_gpu_zone *zone_at(const struct tracy *t, size_t context,
                                            size_t lane, size_t i)
{
    return pile_at(&t->gpus.v[context].lanes.v[lane].zones, i);
}

static void check_zone(const struct tracy *t, const struct tracy_gpu_zone *z, int64_t from,
                       int64_t to, uint32_t children, const char *name,
                       const char *function, uint32_t colour)
{
    const struct tracy_place *p = tracy_place_of(t, z->place);
    assert_int_equal(z->start, from);
    assert_int_equal(z->end, to);
    assert_int_equal(z->cpu_start, from);
    assert_int_equal(z->cpu_end, to);
    assert_int_equal(z->children, children);
    test_str_is(tracy_place_name(t, z->place), str_of(name), __FILE__, __LINE__);
    test_str_is(tracy_ref_text(t, p->function), str_of(function), __FILE__, __LINE__);
    assert_int_equal(p->colour, colour);
}

static void check_zones(const struct tracy *t, size_t context)
{
    check_zone(t, zone_at(t, context, 0, 0), 0, 1000, 1, "BRISC-FW", "OP ID:1024",
               0xEE9A00);
    check_zone(t, zone_at(t, context, 0, 1), 200, 800, 1, "BRISC-KERNEL", "", 0xEE9A00);
    check_zone(t, zone_at(t, context, 0, 2), 400, 600, 0, "PROFILER-PUSH", "", 0xCD4F39);
    check_zone(t, zone_at(t, context, 0, 3), 2000, 3000, 0, "BRISC-FW", "OP ID:2048",
               0xEE9A00);
    check_zone(t, zone_at(t, context, 1, 0), 100, 900, 0, "TRISC-FW", "", 0x00E5EE);
    const struct tracy_gpu *g = &t->gpus.v[context];
    assert_int_equal(g->lanes.v[0].thread, 1 << 3 | 2 << 7);
    assert_int_equal(g->lanes.v[1].thread, TRACY_TRISC_1 | 1 << 3 | 2 << 7);
    assert_int_equal(t->threads_used.v[zone_at(t, context, 1, 0)->thread],
                     g->lanes.v[1].thread);
    assert_false(g->is_calibrated);
    assert_true(g->period == 1);
}

TEST(tracy_contents_of_devices_have_a_context_per_core_for_the_fork)
{
    struct tracy t;
    make(&t, start(), TRACY_F10);
    assert_int_equal(t.gpus.n, 3);
    STR_IS(name_of(&t, 0), "Device: 0, Logical (0,1) Physical (1,2)");
    STR_IS(name_of(&t, 1), "Device: 0, Physical (16,2)");
    STR_IS(name_of(&t, 2), "Device: 3, Physical (9,0)");
    assert_int_equal(t.gpus.v[0].type, TRACY_GPU_TENSTORRENT);
    assert_int_equal(t.gpus.v[0].n_zones, 5);
    check_zones(&t, 0);
    check_zone(&t, zone_at(&t, 2, 0, 0), 0, 900, 0, "ERISC-FW", "OP ID:3072", 0xCDCD00);
    assert_true(str_has(t.info, S("Device 3: not aligned with the host")));
    assert_false(str_has(t.info, S("Device 0:")));
    assert_int_equal(t.last_time, 3000);
    end(&t);
}

TEST(tracy_contents_of_devices_have_a_context_per_chip_upstream)
{
    struct tracy t;
    make(&t, start(), TRACY_U14);
    assert_int_equal(t.gpus.n, 2);
    STR_IS(name_of(&t, 0), "Device: 0");
    STR_IS(name_of(&t, 1), "Device: 3");
    assert_int_equal(t.gpus.v[0].type, TRACY_GPU_CUSTOM);
    assert_int_equal(t.gpus.v[0].lanes.n, 3);
    assert_int_equal(t.gpus.v[0].n_zones, 6);
    check_zones(&t, 0);
    end(&t);
}

// The names of the tracks and their zones, as readers of the file see them.
static void put_lanes(struct buf *b, const struct trace *t)
{
    struct trace_cursor *c = trace_cursor_new(t);
    for (uint32_t k = 0; k < t->tracks.n; k++) {
        if (t->tracks.v[k].kind != TRACK_LANE)
            continue;
        buf_printf(b, "%.*s\n", STR(trace_text(t, t->tracks.v[k].name)));
        trace_cursor_start(c, k);
        for (const struct trace_batch *z; (z = trace_cursor_next(c));)
            for (size_t i = 0; i < z->n_zones; i++)
                buf_printf(b, " %u %.*s %llu %llu\n", z->depth[i],
                           STR(trace_text(t, t->sites.v[z->site[i]].name)),
                           (unsigned long long)z->start[i], (unsigned long long)z->end[i]);
    }
    trace_cursor_free(c);
}

TEST(tracy_files_of_devices_come_back_as_they_were)
{
    static const char want[] =
        "device 0 core 1-2 BRISC\n"
        " 2 PROFILER-PUSH 400 600\n"
        " 1 BRISC-KERNEL 200 800\n"
        " 0 BRISC-FW 0 1000\n"
        " 0 BRISC-FW 2000 3000\n"
        "device 0 core 1-2 TRISC_1\n"
        " 0 TRISC-FW 100 900\n"
        "device 0 core 16-2 NCRISC\n"
        " 0 NCRISC-FW 120 920\n"
        "device 3 core 9-0 ERISC\n"
        " 0 ERISC-FW 0 900\n";
    for (int g = 0; g < 2; g++) {
        struct tracy there, back;
        struct buf before = {0}, after = {0}, lanes = {0};
        struct trace read = {0};
        struct err e = {0};
        struct diag diag = {0};
        struct tracy_write_how how = tracy_write_usual((enum tracy_generation)g);
        how.diag = &diag;
        make(&there, start(), (enum tracy_generation)g);
        assert_true(tracy_write(&there, "unit-devices.tracy", how, &e));
        assert_true(
            tracy_read(&back, "unit-devices.tracy", (struct tracy_read_how){0}, &e));
        assert_int_equal(remove("unit-devices.tracy"), 0);
        assert_int_equal(diag_total(&diag), 0);
        tracy_dump(&before, &there);
        tracy_dump(&after, &back);
        str a = buf_view(&before), b = buf_view(&after);
        const char *from_a = strstr(a.p, "\ngpu "), *from_b = strstr(b.p, "\ngpu ");
        const char *to_a = strstr(a.p, "\nmem "), *to_b = strstr(b.p, "\nmem ");
        assert_true(from_a && from_b && to_a && to_b);
        assert_int_equal(to_a - from_a, to_b - from_b);
        assert_memory_equal(from_a, from_b, (size_t)(to_a - from_a));
        tracy_trace(&read, &back, "unit-devices.tracy", NULL);
        put_lanes(&lanes, &read);
        test_str_is(buf_view(&lanes), str_of(want), __FILE__, __LINE__);
        trace_free(&read);
        buf_free(&before);
        buf_free(&after);
        buf_free(&lanes);
        end(&there);
    }
}

TEST(tracy_contents_of_devices_name_runs_as_long_as_there_are_places)
{
    enum { RUNS = TRACY_RUN_PLACES + 10 };
    struct buf many = {0};
    struct tracy t;
    for (unsigned i = 1; i <= RUNS; i++)
        buf_printf(&many,
                   "0,1,2,BRISC %u %u BRISC-FW START\n0,1,2,BRISC %u %u BRISC-FW END\n",
                   i * 100, i, i * 100 + 50, i);
    buf_char(&many, '\0');
    sample_log_read(&log_read, SAMPLE_CHIP, many.p);
    pair_zones(&log_read.trace);
    make(&t, &log_read.trace, TRACY_U14);
    assert_int_equal(t.gpus.v[0].n_zones, RUNS);
    assert_int_equal(t.made_places.n, TRACY_RUN_PLACES + 1);
    STR_IS(tracy_ref_text(&t,
                          tracy_place_of(&t, zone_at(&t, 0, 0, RUNS - 1)->place)->function),
           "");
    STR_IS(tracy_place_name(&t, zone_at(&t, 0, 0, RUNS - 1)->place), "BRISC-FW");
    buf_free(&many);
    end(&t);
}

TEST(lanes_of_devices_are_distinct_and_come_back)
{
    for (int x = 0; x < 64; x += 7)
        for (int y = 0; y < 64; y += 9)
            for (int64_t chip = 0; chip < 4096; chip += 585)
                for (uint32_t risc = 0; risc < 32; risc += 5) {
                    struct tracy_core is = {chip, x, y, 0, 0}, back;
                    uint32_t risc_back;
                    uint64_t lane = tracy_lane_of(&is, risc);
                    tracy_lane_parts(lane, &back, &risc_back);
                    assert_int_equal(back.x, x);
                    assert_int_equal(back.y, y);
                    assert_int_equal(back.chip, chip);
                    assert_int_equal(risc_back, risc);
                    assert_true(lane <= UINT32_MAX);
                    if (x < 16 && y < 16 && chip < 256 && risc < 8)
                        assert_int_equal(lane, risc | (uint64_t)x << 3 | (uint64_t)y << 7 |
                                                   (uint64_t)chip << 11);
                }
}
