// test_sim_config.c - key=value text into a configuration, and what is refused.
#include <errno.h>
#include <math.h>

#include "sim/chips.h"
#include "test.h"

static ttdev_cfg parsed(const char *text)
{
    ttdev_cfg cfg;
    struct err e = {0};
    ttdev_cfg_default(&cfg);
    int rc = ttdev_cfg_parse(&cfg, text, &e);
    assert_string_equal(e.text, "");
    assert_int_equal(rc, 0);
    return cfg;
}

static void refused(const char *text, const char *want)
{
    ttdev_cfg cfg, before;
    struct err e = {0};
    ttdev_cfg_default(&cfg);
    before = cfg;
    assert_int_equal(ttdev_cfg_parse(&cfg, text, &e), -EINVAL);
    assert_string_equal(e.text, want);
    assert_memory_equal(&cfg, &before, sizeof cfg);
}

TEST(the_default_device_is_one_n150_in_virtual_time)
{
    ttdev_cfg cfg = parsed("");
    assert_int_equal(cfg.arch, TT_WORMHOLE);
    assert_int_equal(cfg.board, TTDEV_N150);
    assert_int_equal(cfg.n_devices, 1);
    assert_int_equal(cfg.links, TTDEV_LINKS_DEFAULT);
    assert_int_equal(cfg.quantum, 32);
    assert_int_equal(cfg.threads, 1);
    assert_int_equal(cfg.clock_mode, TTDEV_DET);
    assert_int_equal(cfg.host_read_ns, 1200);
    assert_int_equal(cfg.host_write_ns, 400);
    assert_int_equal(cfg.host_jitter_ns, 150);
    REAL_IS(cfg.host_bytes_per_ns, 8);
    assert_int_equal(cfg.dispatch, TTDEV_DISPATCH_AUTO);
    assert_int_equal(cfg.cqs, 1);
    assert_int_equal(cfg.ring_bytes, 70656);
    assert_int_equal(cfg.host_enqueue_ns, 1500);
    assert_int_equal(cfg.host_poll_ns, 200);
    REAL_IS(cfg.host_copy_bytes_per_ns, 10);
    assert_true(cfg.numerics && cfg.strict && cfg.park);
    assert_false(cfg.icache || cfg.l0 || cfg.poison);
    assert_int_equal(cfg.variant, TTDEV_OFF);
    assert_int_equal(cfg.region_bytes, 48000);
    assert_int_equal(cfg.region_buffers, 1);
    assert_false(cfg.harvest_is_set || cfg.ppm_is_set || cfg.boot_is_set);
}

TEST(every_key_sets_its_field)
{
    ttdev_cfg cfg = parsed(
        "arch=blackhole,board=p100 devices=2\n"
        "harvest=0x3:5\tlinks=none hz=1.2e9 ppm=-3.5:4 drift_ppm_s=0.25\r\n"
        "boot_cycles=4294917296:0x10 tile_skew=7 quantum=32 threads=4 "
        "clockmode=warp host_read_ns=1 host_write_ns=2 host_jitter_ns=3 "
        "host_bytes_per_ns=0.5 dispatch=auto cqs=2 ring_bytes=4096 host_enqueue_ns=4 "
        "host_poll_ns=5 host_copy_bytes_per_ns=0.25 seed=0xffffffffffffffff costs=a/b.txt "
        "variant=full numerics=off mode=interp strict=off icache=on l0=on "
        "poison=on park=off dram_cap=3G,region_bytes=4096 region_buffers=2");
    assert_int_equal(cfg.arch, TT_BLACKHOLE);
    assert_int_equal(cfg.board, TTDEV_P100);
    assert_int_equal(cfg.n_devices, 2);
    assert_true(cfg.harvest_is_set && cfg.ppm_is_set && cfg.boot_is_set);
    assert_int_equal(cfg.harvest[0], 3);
    assert_int_equal(cfg.harvest[1], 5);
    assert_int_equal(cfg.links, TTDEV_LINKS_NONE);
    REAL_IS(cfg.hz, 1.2e9);
    REAL_IS(cfg.ppm[0], -3.5);
    REAL_IS(cfg.ppm[1], 4);
    REAL_IS(cfg.drift_ppm_s, 0.25);
    assert_int_equal(cfg.boot_cycles[0], 4294917296);
    assert_int_equal(cfg.boot_cycles[1], 16);
    assert_int_equal(cfg.tile_skew, 7);
    assert_int_equal(cfg.quantum, 32);
    assert_int_equal(cfg.threads, 4);
    assert_int_equal(cfg.clock_mode, TTDEV_WARP);
    assert_int_equal(cfg.host_read_ns, 1);
    assert_int_equal(cfg.host_write_ns, 2);
    assert_int_equal(cfg.host_jitter_ns, 3);
    REAL_IS(cfg.host_bytes_per_ns, 0.5);
    assert_int_equal(cfg.cqs, 2);
    assert_int_equal(cfg.ring_bytes, 4096);
    assert_int_equal(cfg.host_enqueue_ns, 4);
    assert_int_equal(cfg.host_poll_ns, 5);
    REAL_IS(cfg.host_copy_bytes_per_ns, 0.25);
    assert_true(cfg.seed == UINT64_MAX);
    assert_string_equal(cfg.costs_file, "a/b.txt");
    assert_int_equal(cfg.variant, TTDEV_FULL);
    assert_false(cfg.numerics || cfg.strict || cfg.park);
    assert_true(cfg.icache && cfg.l0 && cfg.poison);
    assert_true(cfg.dram_cap == (uint64_t)3 << 30);
    assert_int_equal(cfg.region_bytes, 4096);
    assert_int_equal(cfg.region_buffers, 2);
}

TEST(a_board_implies_chip_and_number_and_an_arch_implies_a_board)
{
    ttdev_cfg cfg = parsed("board=n300");
    assert_int_equal(cfg.n_devices, 2);
    cfg = parsed("board=n300 devices=8");
    assert_int_equal(cfg.n_devices, 8);
    cfg = parsed("board=p150");
    assert_int_equal(cfg.arch, TT_BLACKHOLE);
    cfg = parsed("arch=blackhole");
    assert_int_equal(cfg.board, TTDEV_P150);
    cfg = parsed("arch=wormhole");
    assert_int_equal(cfg.board, TTDEV_N150);
    cfg = parsed("arch=wormhole board=galaxy");
    assert_int_equal(cfg.board, TTDEV_GALAXY);
}

TEST(a_second_text_goes_over_the_first)
{
    ttdev_cfg cfg = parsed("board=n300 harvest=0x3 ppm=1:2 seed=9");
    struct err e = {0};
    assert_int_equal(ttdev_cfg_parse(&cfg, "threads=2", &e), 0);
    assert_int_equal(cfg.n_devices, 2);
    assert_true(cfg.harvest_is_set);
    assert_int_equal(ttdev_cfg_parse(&cfg, "arch=wormhole", &e), 0);
    assert_int_equal(cfg.board, TTDEV_N300);
    assert_int_equal(ttdev_cfg_parse(&cfg, "arch=blackhole", &e), 0);
    assert_int_equal(cfg.board, TTDEV_P150);
    assert_int_equal(cfg.n_devices, 1);
    assert_false(cfg.harvest_is_set);
    assert_int_equal(cfg.seed, 9);
    assert_int_equal(cfg.threads, 2);
}

TEST(one_value_of_a_list_holds_for_every_device)
{
    ttdev_cfg cfg = parsed("ppm=7 devices=3 boot_cycles=1:2:3");
    for (int i = 0; i < 3; i++) {
        REAL_IS(cfg.ppm[i], 7);
        assert_int_equal(cfg.boot_cycles[i], i + 1);
    }
    refused("ppm=1:2 devices=3", "ppm: 2 values for 3 devices");
    refused("harvest=1:2", "harvest: 2 values for 1 device");
}

TEST(links_may_come_from_a_file)
{
    ttdev_cfg cfg = parsed("links=file:/a/b:c");
    assert_int_equal(cfg.links, TTDEV_LINKS_FILE);
    assert_string_equal(cfg.links_file, "/a/b:c");
    refused("links=file:", "links=file:: expected default, ring, line, none or file:PATH");
    refused("links=star", "links=star: expected default, ring, line, none or file:PATH");
}

TEST(an_unknown_key_is_named_with_the_nearest_known_one)
{
    refused("bord=n150", "unknown key 'bord'; did you mean 'board'?");
    refused("seed=1 host_read=3", "unknown key 'host_read'; did you mean 'host_read_ns'?");
    refused("=3", "unknown key ''; did you mean 'hz'?");
    refused("park", "expected key=value, found 'park'");
    refused("\x1b[31m=1", "unknown key '?[31m'; did you mean 'ppm'?");
}

TEST(contradictions_are_refused)
{
    refused("board=p150 arch=wormhole",
            "board=p150 is a blackhole board, not arch=wormhole");
    refused("arch=blackhole board=n300",
            "board=n300 is a wormhole board, not arch=blackhole");
}

TEST(a_bad_value_is_answered_with_what_was_expected)
{
    static const char *const cases[][2] = {
        {"arch=wormhole_b0", "arch=wormhole_b0: expected wormhole or blackhole"},
        {"board=", "board=: expected n150, n300, galaxy, p100 or p150"},
        {"quantum=20", "quantum=20: expected 8, 16 or 32"},
        {"quantum=4", "quantum=4: expected 8, 16 or 32"},
        {"devices=0", "devices=0: expected an integer from 1 to 32"},
        {"devices=33", "devices=33: expected an integer from 1 to 32"},
        {"devices=-1", "devices=-1: expected an integer from 1 to 32"},
        {"seed=18446744073709551616",
         "seed=18446744073709551616: expected an integer, decimal or 0x.."},
        {"seed=0x", "seed=0x: expected an integer, decimal or 0x.."},
        {"numerics=yes", "numerics=yes: expected off or on"},
        {"clockmode=real", "clockmode=real: expected det or warp"},
        {"variant=on", "variant=on: expected off, prof or full"},
        {"mode=native", "mode=native: not available; use mode=interp"},
        {"mode=fast", "mode=fast: expected interp"},
        {"ppm=nan",
         "ppm=nan: expected a number, or one per device separated by ':', from "
         "-10000 to 10000"},
        {"ppm=1:",
         "ppm=1:: expected a number, or one per device separated by ':', from "
         "-10000 to 10000"},
        {"harvest=0x4000",
         "harvest=0x4000: expected a mask, or one per device separated by ':', up to "
         "0x3fff"},
        {"hz=-1", "hz=-1: expected a number from 0 to 100000000000"},
        {"hz=5", "hz=5: expected 0 (nominal) or 1e6 to 1e11"},
        {"host_bytes_per_ns=0",
         "host_bytes_per_ns=0: expected a number from 0.001 to 1000000"},
        {"dram_cap=99999999999G",
         "dram_cap=99999999999G: expected a number of bytes such as "
         "4096, 64K, 512M or 2G"},
        {"region_bytes=2048",
         "region_bytes=2048: expected an integer from 2064 to 1073741824"},
        {"region_bytes=2072", "region_bytes=2072: expected a multiple of 16"},
        {"dispatch=quick", "dispatch=quick: expected auto, fast or slow"},
        {"cqs=3", "cqs=3: expected an integer from 1 to 2"},
        {"dispatch=slow cqs=2", "cqs=2: dispatch=slow has no command queues"},
        {"ring_bytes=4095", "ring_bytes=4095: expected an integer from 4096 to 98304"},
        {"ring_bytes=5000", "ring_bytes=5000: expected a multiple of 16"},
        {"host_poll_ns=0", "host_poll_ns=0: expected an integer from 1 to 1000000000"},
        {"poison=on dispatch=fast",
         "poison=on: not with dispatch=fast, which writes the next programs to L1 while one "
         "runs"},
        {"harvest=0x1ff dispatch=fast",
         "harvest=0x1ff: dispatch=fast takes the last of the 10 rows of wormhole"},
        {"region_buffers=3", "region_buffers=3: expected an integer from 1 to 2"},
        {"dram_cap=G",
         "dram_cap=G: expected a number of bytes such as 4096, 64K, 512M or 2G"},
        {"costs=", "costs=: expected a path of at most 255 bytes"},
        {"harvest=0x3ff",
         "harvest=0x3ff: wormhole has 10 rows and must keep one: expected a mask below "
         "0x3ff"},
        {"board=p150 harvest=0x3fff",
         "harvest=0x3fff: blackhole has 14 columns and must keep one: expected a mask "
         "below 0x3fff"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(cases[i][0], cases[i][1]);
}

TEST(a_struct_filled_by_hand_passes_the_same_checks)
{
    struct err e = {0};
    ttdev_cfg cfg = parsed("");
    assert_true(config_check(&cfg, &e));
    cfg.quantum = 12;
    assert_false(config_check(&cfg, &e));
    assert_string_equal(e.text, "quantum=12: expected 8, 16 or 32");
    cfg = parsed("");
    cfg.board = 9;
    assert_false(config_check(&cfg, &e));
    assert_string_equal(e.text, "board: expected n150, n300, galaxy, p100 or p150");
    cfg = parsed("");
    cfg.arch = TT_BLACKHOLE;
    assert_false(config_check(&cfg, &e));
    assert_string_equal(e.text, "board=n150 is a wormhole board, not arch=blackhole");
    cfg = parsed("ppm=0");
    cfg.ppm[0] = NAN;
    assert_false(config_check(&cfg, &e));
    cfg = parsed("");
    cfg.n_devices = 0;
    assert_false(config_check(&cfg, &e));
    assert_string_equal(e.text, "devices: expected an integer from 1 to 32");
}

TEST(visible_chips_are_sorted_and_keep_what_they_are_on_the_board)
{
    ttdev_cfg cfg;
    struct err e = {0};
    ttdev *t;
    ttdev_cfg_default(&cfg);
    assert_int_equal(
        0, ttdev_cfg_parse(&cfg, "board=n300 boot_cycles=1000:2000 harvest=0x41:0x5", &e));
    assert_int_equal(0, ttdev_cfg_visible(&cfg, " 1 ", &e));
    assert_int_equal(0, ttdev_open(&cfg, &t, &e));
    ttdev_info info;
    assert_int_equal(0, ttdev_get_info(t, 0, &info));
    assert_int_equal(1, info.n_devices);
    assert_int_equal(0x5, info.harvest);
    assert_int_equal(0, info.n_eth); // its links lead to a chip that is not visible
    assert_in_range(ttdev_clock(t, 0), 2000, 100000000);
    ttdev_close(t);
    assert_int_equal(0, ttdev_cfg_visible(&cfg, "1,0", &e));
    assert_int_equal(0, cfg.visible[0]);
    assert_int_equal(0, ttdev_cfg_visible(&cfg, NULL, &e));
    assert_int_equal(0, cfg.n_visible);
}

TEST(visible_chips_must_be_different_chips_of_the_board)
{
    static const char *const lists[] = {"x", "-1", "0,0", "32", "1,,0", "0;1"};
    ttdev_cfg cfg;
    ttdev *t;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct err e = {0};
        ttdev_cfg_default(&cfg);
        assert_int_equal(-EINVAL, ttdev_cfg_visible(&cfg, lists[i], &e));
        assert_non_null(strstr(e.text, "TT_VISIBLE_DEVICES"));
    }
    struct err e = {0};
    assert_int_equal(0, ttdev_cfg_visible(&cfg, "1", &e));
    assert_int_equal(-EINVAL, ttdev_open(&cfg, &t, &e));
    assert_non_null(strstr(e.text, "no chip 1: the board has 1"));
}
