// test_device_stats.c - the statistics of a device log as text.
#include "../support/device_run.h"
#include "test.h"

#define ROW(track, id, time, name, type)                                                   \
    track "," #id "," #time ",0,0,,," name ",ZONE_" type ",1,a.cc,\n"
#define ZONE(track, from, to)                                                              \
    ROW(track, 5, from, "X", "START") ROW(track, 5, to, "X", "END")
#define X_ZONES "across = core\ntype = adjacent\nboth.risc = ANY\nboth.zone_name = X\n"

#define TEXT_IS(log, setup, more, want) text_is(S(log), (setup), (more), S(want), __LINE__)
static void text_is(str log, const char *text, bool more, str want, int line)
{
    struct arena a = {0};
    struct setup setup;
    struct err e = {0};
    struct device_run r;
    assert_true(setup_parse(&setup, str_of(text), "own.ini", &a, &e));
    struct device_how how = {.setup = &setup, .with_percentiles = more};
    assert_true(device_run(&r, log, &how));
    test_str_is(buf_view(&r.stats), want, __FILE__, line);
    device_run_free(&r);
    setup_free(&setup);
    arena_free(&a);
}

TEST(a_single_result_is_one_line)
{
    TEXT_IS(LOG_HEAD ZONE("0,1,1,BRISC", 10, 1234577), "[my zones]\n" X_ZONES, true,
            "\n=================== my zones ===================\n"
            "    Duration [cycles] =  1,234,567\n"
            "\n");
}

TEST(several_results_are_shown_as_the_setup_displays_them)
{
    TEXT_IS(LOG_HEAD ZONE("0,1,1,BRISC", 10, 20) ZONE("0,1,1,BRISC", 30, 2047),
            "[my zones]\n" X_ZONES, false,
            "\n=================== my zones ===================\n"
            "       Count          =          2\n"
            "     Average [cycles] =      1,014\n" // 1013.5: halves go to the even one
            "         Max [cycles] =      2,017\n"
            "      Median [cycles] =      1,014\n"
            "         Min [cycles] =         10\n"
            "         Sum [cycles] =      2,027\n"
            "       Range [cycles] =      2,007\n"
            "\n");
    TEXT_IS(LOG_HEAD ZONE("0,1,1,BRISC", 10, 21) ZONE("0,1,1,BRISC", 30, 40),
            "display = Min, Average, Count\n[my zones]\n" X_ZONES, false,
            "\n=================== my zones ===================\n"
            "         Min [cycles] =         10\n"
            "     Average [cycles] =         10\n" // 10.5
            "       Count          =          2\n"
            "\n");
}

TEST(percentiles_stand_below_the_other_figures)
{
    TEXT_IS(LOG_HEAD ZONE("0,1,1,BRISC", 10, 110) ZONE("0,1,1,BRISC", 200, 500),
            "display = Count\n[my zones]\n" X_ZONES, true,
            "\n=================== my zones ===================\n"
            "       Count          =          2\n"
            "      StdDev [cycles] =        100\n"
            "         P50 [cycles] =        200\n"
            "         P90 [cycles] =        280\n"
            "         P95 [cycles] =        290\n"
            "         P99 [cycles] =        298\n"
            "\n");
}

TEST(devices_come_one_after_the_other_each_with_its_analyses_in_setup_order)
{
    TEXT_IS(LOG_HEAD ZONE("3,1,1,BRISC", 10, 20) ZONE("1,1,1,BRISC", 10, 25),
            "[z]\n" X_ZONES
            "[empty]\nacross = core\ntype = adjacent\nboth.risc = ANY\n"
            "both.zone_name = Y\n[a]\n" X_ZONES,
            false,
            "\n=================== z ===================\n    Duration [cycles] =         "
            "10\n\n"
            "\n=================== a ===================\n    Duration [cycles] =         "
            "10\n\n"
            "\n=================== z ===================\n    Duration [cycles] =         "
            "15\n\n"
            "\n=================== a ===================\n    Duration [cycles] =         "
            "15\n\n");
}

TEST(without_results_there_is_no_text)
{
    TEXT_IS(LOG_HEAD, "[my zones]\n" X_ZONES, true, "");
    TEXT_IS(LOG_HEAD ROW("0,1,1,BRISC", 5, 10, "X", "START"), "[my zones]\n" X_ZONES, true,
            "");
}

TEST(numbers_wider_than_their_column_are_written_out)
{
    TEXT_IS(LOG_HEAD ZONE("0,1,1,BRISC", 1, 1234567890124), "[my zones]\n" X_ZONES, false,
            "\n=================== my zones ===================\n"
            "    Duration [cycles] = 1,234,567,890,123\n"
            "\n");
}

// --- 2023 ---

// The n-th line of a text, from 0.
static str line_of(str text, size_t n)
{
    while (n--)
        (void)str_cut(&text, '\n');
    return str_cut(&text, '\n');
}

static str head_of(str s, size_t n)
{
    return n < s.n ? (str){s.p, n} : s;
}

TEST(a_log_of_2023_has_units_everywhere_and_a_map_of_the_cores)
{
    struct arena a = {0};
    struct setup setup;
    struct err e = {0};
    struct device_run r;
    assert_true(setup_parse(&setup,
                            S("display = Count, Max\ndetect_ops = no\n[kernels]\n"
                              "across = core\ntype = adjacent\nboth.risc = ANY\n"
                              "start.timer_id = 2\nend.timer_id = 3\n"
                              "[all]\nacross = device\ntype = session_first_last\n"
                              "both.risc = ANY\nstart.timer_id = 2\nend.timer_id = 3\n"),
                            "own.ini", &a, &e));
    str log = S("Chip clock is at 1.2 GHz\n" LOG_LEGACY_NAMES
                "0, 0, 0, BRISC, 2, 100\n"
                "0, 0, 0, BRISC, 3, 1334\n"
                "0, 11, 9, BRISC, 2, 100\n"
                "0, 11, 9, BRISC, 3, 110\n"
                "0, 11, 9, BRISC, 2, 200\n"
                "0, 11, 9, BRISC, 3, 2225\n");
    assert_true(device_run(&r, log, &(struct device_how){.setup = &setup}));
    str text = buf_view(&r.stats);
    STR_IS(line_of(text, 1), "=================== kernels ===================");
    STR_IS(line_of(text, 2), "       Count [cycles] =          3");
    STR_IS(line_of(text, 3), "         Max [cycles] =      2,025");
    STR_IS(line_of(text, 4), "");
    // The map: numbers, a rule, DRAM, five rows, DRAM, five rows, three blank lines.
    str numbers = line_of(text, 5);
    assert_int_equal(8 + 12 * 17, numbers.n);
    STR_IS(str_trim(str_from(numbers, 8 + 11 * 17)), "11");
    str rule = line_of(text, 6);
    assert_int_equal(8 + 204, rule.n);
    STR_IS(head_of(rule, 10), "        ==");
    str dram = line_of(text, 7);
    STR_IS(head_of(dram, 8 + 2 * 17), "                    DRAM0              ---");
    STR_IS(str_trim(str_from(dram, 8 + 9 * 17)), "DRAM3              ---              ---");
    str row = line_of(text, 8);
    STR_IS(head_of(row, 8 + 2 * 17), " 0|| ---            1,234                X");
    STR_IS(head_of(line_of(text, 9), 8), " 1|| ARC");
    STR_IS(head_of(line_of(text, 11), 8), " 3|| PCI");
    dram = line_of(text, 13);
    STR_IS(head_of(dram, 8 + 17), "     ---            DRAM4");
    row = line_of(text, 18);
    STR_IS(head_of(row, 8), " 9|| ---");
    STR_IS(str_from(row, 8 + 11 * 17), "      1,018\u00b11,007"); // 1017.5, (2025 - 10) / 2
    for (size_t i = 19; i < 23; i++)
        STR_IS(line_of(text, i), "");
    // An analysis of the whole device has no map.
    STR_IS(line_of(text, 23), "=================== all ===================");
    STR_IS(line_of(text, 24), "    Duration [cycles] =      2,125");
    STR_IS(line_of(text, 25), "");
    STR_IS(line_of(text, 26), "");
    device_run_free(&r);
    setup_free(&setup);
    arena_free(&a);
}
