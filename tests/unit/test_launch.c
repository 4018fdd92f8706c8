// Programs on the device: what the host writes where, when a launch is refused, poison,
// traces, and what boot leaves.
#include <errno.h>
#include <stdio.h>

#include "sample_device.h"
#include "sim/program/program.h"
#include "test.h"

static const ttdev_range pair = {{0, 0}, {1, 0}}, first = {{0, 0}, {0, 0}};

// A program of one BRISC kernel on a range of cores.
static ttdev_program *program_make(ttdev *t, ttdev_range cores, uint32_t what)
{
    ttdev_program *p = ttdev_program_new(t, "p");
    assert_int_equal(ttdev_program_kernel(p, cores, TT_BRISC,
                                          kernel_load(t, "kernels/fault", TT_BRISC), 0),
                     0);
    assert_int_equal(ttdev_program_args(p, 0, cores, &what, 1), 0);
    return p;
}

static uint32_t word_at(const ttdev *t, int tile, uint32_t address)
{
    uint32_t word;
    memcpy(&word, t->chips[0].tiles[tile].l1 + address, sizeof word);
    return word;
}

static uint32_t half_at(const ttdev *t, int tile, uint32_t address)
{
    return word_at(t, tile, address & ~3u) >> (address & 2) * 8 & 0xFFFF;
}

// --- boot -------------------------------------------------------------------------------
TEST(boot_leaves_tables_and_idle_firmware)
{
    ttdev *t = device_open("board=n150 variant=off");
    const struct chip *chip = &t->chips[0];
    int last = 7 + 8 * 8; // core 7,8
    assert_int_equal(word_at(t, last, 0xA00), 7 | 8 << 8 | 25 << 16 | 26u << 24);
    assert_int_equal(word_at(t, last, 0xA04), 8 | 9 << 8 | 0 << 16 | 12u << 24);
    assert_int_equal(word_at(t, last, 0xA08) & 0xFF, 1);
    assert_int_equal(word_at(t, last, 0x4A0), 0); // DONE
    assert_int_equal(word_at(t, last, 0xB00 + 4 * TT_CONTROL_MAGIC), TT_PROFILER_MAGIC);
    assert_int_equal(word_at(t, last, 0xB00 + 4 * TT_CONTROL_FLAGS), 0);
    assert_int_equal(word_at(t, last, 0xB00 + 4 * TT_CONTROL_REGION_BYTES), 48000);
    assert_int_equal(word_at(t, last, 0xB00 + 4 * TT_CONTROL_DRAM_ADDRESS), 32);
    assert_int_equal(word_at(t, last, 0xB00 + 4 * TT_CONTROL_CORES_PER_BANK), 8);
    assert_int_equal(word_at(t, last, 0xB00 + 4 * TT_CONTROL_FLAT_ID),
                     ttdev_flat_id(t, 0, (ttdev_xy){9, 10}));
    // Bank 1 is the second gigabyte of controller 0, behind its second tile: 0-1, which is
    // 9-10 on NoC 1.
    assert_int_equal(word_at(t, last, 0xD0C0 + 4), 0 | 1 << 8);
    assert_int_equal(word_at(t, last, 0xD0C0 + TT_BANK_TABLE_NOC1 + 4), 9 | 10 << 8);
    assert_int_equal(word_at(t, last, 0xD0C0 + TT_BANK_TABLE_OFFSETS + 4), 0x40000000);
    assert_int_equal(ttdev_sleep_ns(t, 10000), 0); // polls park after a few rounds
    for (int i = 0; i < chip->n_workers; i++)
        for (unsigned r = 0; r < TT_RISCS; r++)
            assert_int_equal(chip->tiles[i].risc[r].state, RISC_PARKED);
    assert_int_equal(chip->n_launched, 0);
    ttdev_close(t);
}

TEST(every_board_and_variant_boots)
{
    static const char *const boards[] = {"board=n300 devices=2", "board=galaxy",
                                         "arch=blackhole board=p150",
                                         "arch=blackhole board=p100"};
    static const char *const variants[] = {"off", "prof", "full"};
    for (size_t i = 0; i < sizeof boards / sizeof *boards; i++)
        for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) {
            char config[80];
            (void)snprintf(config, sizeof config, "%s variant=%s", boards[i], variants[v]);
            ttdev *t = device_open(config);
            assert_int_equal(ttdev_sleep_ns(t, 10000), 0);
            for (int c = 0; c < t->n_chips; c++)
                for (int k = 0; k < t->chips[c].n_tiles; k++) {
                    const struct tile *tile = &t->chips[c].tiles[k];
                    bool is_booted = tile->kind == TILE_TENSIX || tile->is_linked;
                    assert_int_equal(tile->risc[0].state,
                                     is_booted ? RISC_PARKED : RISC_RESET);
                }
            ttdev_close(t);
        }
}

// --- what a launch writes ---
TEST(a_launch_writes_configuration_and_message)
{
    ttdev *t = device_open("board=n150 variant=off");
    ttdev_program *p = program_make(t, pair, FAULT_CASE_none);
    ttdev_image *compute = kernel_load(t, "kernels/fault", TT_TRISC1);
    const uint32_t own[] = {FAULT_CASE_none, 77}, common[] = {5, 6, 7};
    assert_int_equal(ttdev_program_kernel(p, first, TT_TRISC1, compute, 0), 1);
    assert_int_equal(ttdev_program_args(p, 1, first, own, 2), 0);
    assert_int_equal(ttdev_program_common_args(p, 1, common, 3), 0);
    assert_int_equal(ttdev_program_cb(p, pair, 0, 2, 2048, NULL), 0);
    assert_int_equal(ttdev_program_cb(p, first, 31, 3, 64, NULL), 0);
    assert_int_equal(ttdev_program_sem(p, pair, 11), 0);
    assert_int_equal(ttdev_program_sem(p, first, 12), 1);
    assert_int_equal(ttdev_launch(t, 0, p, 4711), 0);
    assert_int_equal(t->chips[0].n_launched, 2);
    assert_int_equal(ttdev_wait(t, 0, 1000000), 0);

    const uint32_t config = 0x10000, message = 0x20;
    assert_int_equal(word_at(t, 0, config), 0x28000);
    assert_int_equal(word_at(t, 0, config + 4), 4096);
    assert_int_equal(word_at(t, 0, config + 8), 2);
    assert_int_equal(word_at(t, 0, config + 12), 2048);
    assert_int_equal(word_at(t, 0, config + 16 * 31), 0x29000);
    assert_int_equal(word_at(t, 1, config + 16 * 31), 0);
    assert_int_equal(word_at(t, 1, config + 0x400), 11);
    assert_int_equal(word_at(t, 0, config + 0x410), 12);
    assert_int_equal(word_at(t, 1, config + 0x410), 0);
    assert_int_equal(word_at(t, 0, config + 0x600 + 0x400 * 3 + 4), 77);
    assert_int_equal(word_at(t, 0, config + 0x600 + 0x400 * 3 + 0x200 + 8), 7);

    assert_int_equal(word_at(t, 0, message), config);
    assert_int_equal(half_at(t, 0, message + 16), 0x400);
    assert_int_equal(half_at(t, 0, message + 28 + 12), 0x600 + 0x400 * 3);
    assert_int_equal(half_at(t, 0, message + 28 + 14), 0x600 + 0x400 * 3 + 0x200);
    assert_int_equal(word_at(t, 0, message + 52 + 12), 0x20000 - config);
    assert_int_equal(word_at(t, 0, message + 72 + 12), compute->bytes);
    assert_int_equal(word_at(t, 0, message + 104), 0x80000001);
    assert_int_equal(word_at(t, 1, message + 104), 1);
    assert_int_equal(word_at(t, 0, message + 116), 4711);
    assert_int_equal(word_at(t, 0, message + 120), 1 << TT_BRISC | 1 << TT_TRISC1);
    assert_int_equal(word_at(t, 1, message + 120), 1 << TT_BRISC);
    assert_int_equal(word_at(t, 2, message + 120), 0);
    ttdev_program_free(p);
    ttdev_close(t);
}

TEST(brisc_and_ncrisc_get_different_nocs)
{
    ttdev *t = device_open("board=n150 variant=off");
    ttdev_program *p = ttdev_program_new(t, "p");
    ttdev_image *image = kernel_load(t, "kernels/fault", TT_NCRISC);
    uint32_t what = FAULT_CASE_none;
    assert_int_equal(ttdev_program_kernel(p, first, TT_NCRISC, image, 0), 0);
    assert_int_equal(ttdev_program_args(p, 0, first, &what, 1), 0);
    assert_int_equal(ttdev_launch(t, 0, p, 1), 0);
    assert_int_equal(ttdev_wait(t, 0, 1000000), 0);
    assert_int_equal(t->chips[0].tiles[0].l1[0x20 + TT_LAUNCH_BRISC_NOC], 1);
    ttdev_program_free(p);
    ttdev_close(t);
}

// Configuration, text, message: three accesses for one core, two when the text is there.
TEST(a_launch_costs_host_accesses)
{
    ttdev *t = device_open("board=n150 variant=off host_jitter_ns=0");
    ttdev_program *p = program_make(t, pair, FAULT_CASE_none);
    uint64_t before = t->n_accesses;
    assert_int_equal(ttdev_launch(t, 0, p, 1), 0);
    assert_int_equal(t->n_accesses - before, 2 + 1 + 2);
    assert_int_equal(ttdev_wait(t, 0, 1000000), 0);
    uint64_t start = ttdev_host_ns(t);
    before = t->n_accesses;
    assert_int_equal(ttdev_launch(t, 0, p, 2), 0);
    assert_int_equal(t->n_accesses - before, 2 + 2);
    // Four writes of 400 ns; one argument, or message and go word, at 8 bytes a ns.
    assert_in_range(ttdev_host_ns(t) - start, 1636, 1639);
    assert_int_equal(ttdev_wait(t, 0, 1000000), 0);
    // Text that was overwritten is brought again.
    uint32_t nop = 0x13;
    ttdev_core core = {TTDEV_LOGICAL, {1, 0}};
    assert_int_equal(ttdev_l1_write(t, 0, core, 0x12004, &nop, sizeof nop), 0);
    before = t->n_accesses;
    assert_int_equal(ttdev_launch(t, 0, p, 3), 0);
    assert_int_equal(t->n_accesses - before, 2 + 1 + 2);
    assert_int_equal(ttdev_wait(t, 0, 1000000), 0);
    ttdev_program_free(p);
    ttdev_close(t);
}

// --- refusals ---
TEST(a_core_that_still_runs_is_not_launched_again)
{
    ttdev *t = device_open("board=n150 variant=off");
    ttdev_program *p = program_make(t, pair, FAULT_CASE_take_long);
    ttdev_program *other = program_make(t, (ttdev_range){{2, 0}, {3, 0}}, FAULT_CASE_none);
    assert_int_equal(ttdev_launch(t, 0, p, 1), 0);
    assert_int_equal(ttdev_launch(t, 0, p, 2), -EBUSY);
    assert_string_equal(ttdev_error(t),
                        "device 0: core 0,0 still runs the previous program");
    assert_int_equal(ttdev_launch(t, 0, other, 3), 0); // other cores are free
    assert_int_equal(ttdev_wait(t, 0, 5000000), 0);
    assert_int_equal(ttdev_launch(t, 0, p, 4), 0);
    assert_int_equal(ttdev_wait(t, 0, 5000000), 0);
    ttdev_program_free(p);
    ttdev_program_free(other);
    ttdev_close(t);
}

TEST(cores_and_devices_that_are_not_there_are_refused)
{
    ttdev *t = device_open("board=n150 variant=off");
    ttdev_program *p = program_make(t, (ttdev_range){{7, 8}, {7, 9}}, FAULT_CASE_none);
    assert_int_equal(ttdev_launch(t, 0, p, 1), -ENODEV);
    assert_string_equal(ttdev_error(t), "program 'p': device 0 has no core 7,9");
    assert_int_equal(ttdev_launch(t, 1, p, 1), -ENODEV);
    assert_string_equal(ttdev_error(t), "no device 1");
    assert_int_equal(t->chips[0].n_launched, 0);
    ttdev_program_free(p);
    ttdev_close(t);
}

TEST(a_device_that_stopped_at_a_fault_takes_no_program)
{
    ttdev *t = device_open("board=n150 variant=off");
    ttdev_program *p = program_make(t, pair, FAULT_CASE_illegal);
    assert_int_equal(ttdev_launch(t, 0, p, 1), 0);
    assert_int_equal(ttdev_wait(t, 0, 1000000), -EFAULT);
    assert_int_equal(ttdev_launch(t, 0, p, 2), -EFAULT);
    assert_string_equal(ttdev_error(t), "device 0 has stopped at a fault");
    // What is there can still be read.
    uint32_t magic = 0;
    ttdev_core core = {TTDEV_LOGICAL, {0, 0}};
    assert_int_equal(ttdev_l1_read(t, 0, core, 0xB00 + 20, &magic, sizeof magic), 0);
    assert_int_equal(magic, TT_PROFILER_MAGIC);
    ttdev_program_free(p);
    ttdev_close(t);
}

// --- poison, traces ---
TEST(poison_fills_the_memory_of_launched_cores)
{
    ttdev *t = device_open("board=n150 variant=off poison=on");
    ttdev_program *p = program_make(t, first, FAULT_CASE_none);
    assert_int_equal(ttdev_launch(t, 0, p, 1), 0);
    assert_int_equal(ttdev_wait(t, 0, 1000000), 0);
    assert_int_equal(word_at(t, 0, 0x28000), 0xDEADBEEF);
    assert_int_equal(word_at(t, 0, tt_layouts[TT_WORMHOLE].l1_bytes - 4), 0xDEADBEEF);
    assert_int_equal(word_at(t, 1, 0x28000), 0);
    ttdev_program_free(p);
    ttdev_close(t);
}

struct launches {
    uint64_t ids[16];
    int n;
};

static void note_launch(void *context, const ttdev_truth_event *event)
{
    struct launches *l = context;
    if (event->kind == TTDEV_TRUTH_LAUNCH && l->n < 16)
        l->ids[l->n++] = event->argument;
}

TEST(a_trace_replays_launches_with_their_ids)
{
    ttdev *t = device_open("board=n150 variant=off");
    ttdev_program *p = program_make(t, first, FAULT_CASE_none);
    struct launches seen = {0};
    assert_int_equal(ttdev_trace_end(t, 0), -EINVAL);
    assert_int_equal(ttdev_trace_begin(t, 0), 0);
    assert_int_equal(ttdev_trace_begin(t, 0), -EBUSY);
    assert_int_equal(ttdev_launch(t, 0, p, 21), 0);
    assert_int_equal(ttdev_wait(t, 0, 1000000), 0);
    assert_int_equal(ttdev_launch(t, 0, p, 22), 0);
    assert_int_equal(ttdev_wait(t, 0, 1000000), 0);
    int trace = ttdev_trace_end(t, 0);
    assert_int_equal(trace, 0);
    ttdev_program_free(p); // the trace has its own
    assert_int_equal(ttdev_truth(t, note_launch, &seen), 0);
    assert_int_equal(ttdev_trace_replay(t, 0, trace, 1000000), 0);
    assert_int_equal(ttdev_trace_replay(t, 0, trace, 1000000), 0);
    assert_int_equal(ttdev_trace_replay(t, 0, trace + 1, 1000000), -EINVAL);
    assert_int_equal(seen.n, 4);
    assert_int_equal(seen.ids[0], 21);
    assert_int_equal(seen.ids[1], 22);
    assert_int_equal(seen.ids[3], 22);
    ttdev_close(t);
}

// --- the profiler's words and DRAM -----------------------------------------------------
TEST(the_addresses_of_all_riscs_start_at_the_profilers_dram)
{
    ttdev *t = device_open("board=n300 region_bytes=4096");
    const int tiles[] = {0, 63, t->chips[0].n_workers + 8}; // workers, a linked channel
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++) {
        uint32_t control = i < 2 ? 0xB00 : 0x3E510;
        for (int risc = 0; risc < TT_RISCS; risc++) {
            uint32_t word = (uint32_t)TT_CONTROL_DRAM_ADDRESS_OF(risc);
            assert_int_equal(word_at(t, tiles[i], control + 4 * word), 32);
        }
        assert_int_equal(word_at(t, tiles[i], control + 4 * TT_CONTROL_REGION_BYTES), 4096);
    }
    ttdev_close(t);
}

TEST(the_profilers_part_of_dram_grows_with_its_regions)
{
    static const struct {
        const char *config;
        uint64_t profiler, buffers;
    } cases[] = {
        {"board=n150", 1920000, 30 * 65536},
        {"board=n150 region_buffers=2", 3840000, 59 * 65536},
        {"board=n150 region_bytes=2064", 82560, 2 * 65536},
        {"board=p150", 4800000, 74 * 65536},
        {"board=p150 region_bytes=480000", 48000000, 733 * 65536},
        {"board=n150 region_bytes=26843536", 1073741440, 16384 * 65536},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ttdev *t = device_open(cases[i].config);
        ttdev_info info;
        assert_int_equal(ttdev_get_info(t, 0, &info), 0);
        assert_int_equal(info.profiler_bytes, cases[i].profiler);
        assert_int_equal(info.dram_buffers, cases[i].buffers);
        assert_true(info.dram_buffers <= info.bank_bytes);
        ttdev_close(t);
    }
}

TEST(regions_that_do_not_fit_a_bank_are_refused_with_the_most_that_does)
{
    ttdev_cfg cfg;
    struct err e = {0};
    ttdev *t = NULL;
    ttdev_cfg_default(&cfg);
    assert_int_equal(ttdev_cfg_parse(&cfg, "region_bytes=26843552", &e), 0);
    assert_int_equal(ttdev_open(&cfg, &t, &e), -EINVAL);
    assert_string_equal(e.text,
                        "region_bytes=26843552: 40 regions do not fit in a DRAM bank of "
                        "1073741824 bytes; the maximum is region_bytes=26843536");
    assert_int_equal(ttdev_cfg_parse(&cfg, "region_bytes=48010", &e), -EINVAL);
    assert_string_equal(e.text, "region_bytes=48010: expected a multiple of 16");
}

// Every store of a RISC into a marker buffer is in the ground truth, on Ethernet tiles too,
// and nothing behind their one buffer is.
struct stores {
    uint32_t address[64];
    uint8_t risc[64];
    int n;
};

static void note_store(void *context, const ttdev_truth_event *event)
{
    struct stores *s = context;
    if (event->kind != TTDEV_TRUTH_MARKER_STORE || s->n == 64)
        return;
    s->risc[s->n] = event->risc;
    s->address[s->n++] = (uint32_t)(event->argument >> 32);
}

TEST(stores_into_marker_buffers_are_in_the_ground_truth)
{
    static const struct {
        int risc;
        const char *image;
        uint32_t at[2];
        int n; // of two words at each
    } cases[] = {
        {TT_BRISC, "kernels/stores", {0xC00, 0x33FC}, 3}, // the last word; then firmware's
        {TTDEV_ERISC, "kernels/stores_eth", {0x3E610, 0x3EE0C}, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ttdev *t = device_open("board=n300");
        struct stores seen = {0};
        bool is_eth = cases[i].risc == TTDEV_ERISC;
        ttdev_range at = is_eth ? (ttdev_range){{8, 0}, {8, 0}} : first;
        ttdev_program *p = ttdev_program_new(t, "p");
        ttdev_image *image = kernel_load(t, cases[i].image, cases[i].risc);
        assert_int_equal(ttdev_program_kernel(p, at, cases[i].risc, image, 0), 0);
        assert_int_equal(ttdev_program_args(p, 0, at, cases[i].at, 2), 0);
        assert_int_equal(ttdev_truth(t, note_store, &seen), 0);
        assert_int_equal(ttdev_launch(t, 0, p, 1), 0);
        assert_int_equal(ttdev_wait(t, 0, 1000000), 0);
        assert_int_equal(seen.n, cases[i].n);
        assert_int_equal(seen.address[0], cases[i].at[0]);
        assert_int_equal(seen.address[1], cases[i].at[0] + 4);
        assert_int_equal(seen.address[2], cases[i].at[1]);
        assert_int_equal(seen.risc[2], 0);
        ttdev_program_free(p);
        ttdev_close(t);
    }
}
