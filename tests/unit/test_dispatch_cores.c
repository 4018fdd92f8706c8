// test_dispatch_cores.c - what fast dispatch keeps for itself: grids, the cores of each
// queue, and that programs cannot have them.
#include <errno.h>

#include "sample_device.h"
#include "sim/access.h"
#include "sim/dispatch/cores.h"
#include "sim/noc/noc_parts.h"

// Of the board's first chip.
struct grid {
    const char *config;
    int x, y, n_tiles;
    ttdev_xy prefetcher[2], dispatcher[2]; // logical, per queue
};
static const struct grid grids[] = {
    // clang-format off
    {"board=n150 dispatch=fast cqs=2",   8, 8,  72, {{0, 8}, {2, 8}}, {{1, 8}, {3, 8}}},
    {"board=n300 dispatch=fast cqs=2",   8, 7,  64, {{0, 7}, {2, 7}}, {{1, 7}, {3, 7}}},
    {"board=galaxy dispatch=fast cqs=2", 8, 9,  80, {{0, 9}, {2, 9}}, {{1, 9}, {3, 9}}},
    {"board=p150 dispatch=fast cqs=2",  13, 10, 140, {{13, 0}, {13, 2}}, {{13, 1}, {13, 3}}},
    {"board=p100 dispatch=fast cqs=2",  11, 10, 120, {{11, 0}, {11, 2}}, {{11, 1}, {11, 3}}},
    // clang-format on
};

static void core_is(const struct chip *chip, unsigned queue, enum dispatch_role role,
                    ttdev_xy at)
{
    struct tile *tile = dispatch_core(chip, queue, role);
    assert_non_null(tile);
    assert_memory_equal(&tile->logical, &at, sizeof at);
    assert_true(dispatch_is_core(tile));
    assert_int_equal(dispatch_core_queue(tile), queue);
    ttdev_xy noc0;
    assert_true(chip_xlat(chip, at, TTDEV_LOGICAL, TTDEV_NOC0, &noc0));
    assert_memory_equal(&tile->noc0, &noc0, sizeof noc0);
}

TEST(fast_dispatch_keeps_the_last_line_of_workers)
{
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
        const struct grid *g = &grids[i];
        ttdev *t = device_open(g->config);
        const struct chip *chip = cluster_chip(t, 0);
        ttdev_info info;
        struct tt_access access;
        struct tt_chip shown;
        ttdev_access(t, &access);
        assert_int_equal(ttdev_get_info(t, 0, &info), 0);
        assert_int_equal(access.get_chip(t, 0, &shown), 0);
        assert_int_equal(info.grid.x, g->x);
        assert_int_equal(info.grid.y, g->y);
        assert_int_equal(info.n_workers, g->x * g->y);
        assert_string_equal(info.dispatch_name, "fast");
        assert_int_equal(shown.grid_x, g->x);
        assert_int_equal(shown.grid_y, g->y);
        assert_string_equal(shown.dispatch, "fast");
        assert_int_equal(chip->n_workers, g->n_tiles);
        for (unsigned q = 0; q < 2; q++) {
            core_is(chip, q, DISPATCH_PREFETCHER, g->prefetcher[q]);
            core_is(chip, q, DISPATCH_DISPATCHER, g->dispatcher[q]);
        }
        // Cores that run dispatch kernels are shown last; others of the line are not.
        size_t count[TT_CORE_DISPATCH + 1] = {0};
        for (size_t k = 0; k < shown.n_cores; k++)
            count[shown.cores[k].kind]++;
        assert_int_equal(count[TT_CORE_WORKER], g->x * g->y);
        assert_int_equal(count[TT_CORE_ETH], info.n_eth);
        assert_int_equal(count[TT_CORE_DISPATCH], 4);
        assert_int_equal(shown.cores[shown.n_cores - 1].kind, TT_CORE_DISPATCH);
        ttdev_close(t);
    }
}

TEST(slow_dispatch_keeps_nothing)
{
    ttdev *t = device_open("board=n150");
    const struct chip *chip = cluster_chip(t, 0);
    assert_null(dispatch_core(chip, 0, DISPATCH_PREFETCHER));
    for (int i = 0; i < chip->n_tiles; i++)
        assert_int_equal(dispatch_core_queue(&chip->tiles[i]), -1);
    assert_null(chip->noc->pcie);
    ttdev_close(t);
}

TEST(the_flat_ids_of_cores_do_not_depend_on_dispatch)
{
    ttdev *slow = device_open("board=p150"),
          *fast = device_open("board=p150 dispatch=fast");
    for (int x = 0; x < 17; x++)
        for (int y = 0; y < 12; y++)
            assert_int_equal(ttdev_flat_id(slow, 0, (ttdev_xy){x, y}),
                             ttdev_flat_id(fast, 0, (ttdev_xy){x, y}));
    ttdev_close(slow);
    ttdev_close(fast);
}

static int launch_on(ttdev *t, ttdev_xy at)
{
    ttdev_range core = {at, at};
    ttdev_program *p = ttdev_program_new(t, "p");
    assert_int_equal(ttdev_program_kernel(p, core, TT_BRISC,
                                          kernel_load(t, "kernels/fault", TT_BRISC), 0),
                     0);
    int code = ttdev_launch(t, 0, p, 1);
    ttdev_program_free(p);
    return code;
}

TEST(programs_cannot_have_dispatch_cores)
{
    ttdev *t = device_open("board=n150 dispatch=fast");
    assert_int_equal(launch_on(t, (ttdev_xy){5, 8}), -ENODEV);
    assert_string_equal(
        ttdev_error(t),
        "device 0: core 5,8 is a dispatch core (dispatch=slow gives it back)");
    assert_int_equal(launch_on(t, (ttdev_xy){5, 9}), -ENODEV);
    assert_string_equal(ttdev_error(t), "program 'p': device 0 has no core 5,9");
    // A word of the core's L1 can be reached all the same.
    ttdev_core core = {TTDEV_LOGICAL, {5, 8}};
    uint32_t word = 77, got = 0;
    assert_int_equal(ttdev_l1_write(t, 0, core, 0x40000, &word, 4), 0);
    assert_int_equal(ttdev_l1_read(t, 0, core, 0x40000, &got, 4), 0);
    assert_int_equal(got, 77);
    ttdev_close(t);
    t = device_open("board=p150 dispatch=fast");
    assert_int_equal(launch_on(t, (ttdev_xy){13, 9}), -ENODEV);
    assert_string_equal(
        ttdev_error(t),
        "device 0: core 13,9 is a dispatch core (dispatch=slow gives it back)");
    ttdev_close(t);
}

static int chosen(const char *text, const char *slow_mode)
{
    ttdev_cfg cfg;
    struct err e = {0};
    ttdev_cfg_default(&cfg);
    assert_int_equal(ttdev_cfg_parse(&cfg, text, &e), 0);
    ttdev_cfg_choose_dispatch(&cfg, slow_mode);
    return cfg.dispatch;
}

TEST(auto_is_fast_unless_the_environment_or_the_device_says_slow)
{
    assert_int_equal(chosen("", NULL), TTDEV_DISPATCH_FAST);
    assert_int_equal(chosen("", ""), TTDEV_DISPATCH_SLOW);
    assert_int_equal(chosen("poison=on", NULL), TTDEV_DISPATCH_SLOW);
    assert_int_equal(chosen("board=n150 harvest=0x1ff", NULL), TTDEV_DISPATCH_SLOW);
    assert_int_equal(chosen("board=n150 harvest=0xff", NULL), TTDEV_DISPATCH_FAST);
    assert_int_equal(chosen("dispatch=slow", NULL), TTDEV_DISPATCH_SLOW);
    assert_int_equal(chosen("dispatch=fast", "1"), TTDEV_DISPATCH_FAST);
}

TEST(two_queues_need_fast_dispatch)
{
    ttdev_cfg cfg;
    struct err e = {0};
    ttdev *t = NULL;
    ttdev_cfg_default(&cfg);
    assert_int_equal(ttdev_cfg_parse(&cfg, "cqs=2", &e), 0);
    assert_int_equal(ttdev_open(&cfg, &t, &e), -EINVAL);
    assert_string_equal(e.text, "cqs=2: needs dispatch=fast");
}
