// test_arch.c - tables of chips.
#include "arch/arch.h"
#include "test.h"
#include "ttprof/layout.h"

static void peaks_are(const char *name, int64_t cores, double dram, double hifi4,
                      double hifi2, double lofi)
{
    const struct arch *arch = arch_find(arch_all(), str_of(name));
    assert_non_null(arch);
    assert_int_equal(cores, arch->cores);
    REAL_IS(arch->dram_gb_s, dram);
    REAL_IS(arch->tflops[FIDELITY_HIFI4], hifi4);
    REAL_IS(arch->tflops[FIDELITY_HIFI3], hifi4 * 4 / 3);
    REAL_IS(arch->tflops[FIDELITY_HIFI2], hifi2);
    REAL_IS(arch->tflops[FIDELITY_LOFI], lofi);
}

TEST(arch_peaks_are_those_of_the_specification_to_the_last_bit)
{
    peaks_are("wormhole", 64, 288, 74.0 / 72, 148.0 / 72, 262.0 / 72);
    peaks_are("blackhole", 130, 512, 4096 * 1.35 / 1000 / 4, 4096 * 1.35 / 1000 / 2,
              4096 * 1.35 / 1000);
    peaks_are("bh20", 20, 512, 4096 * 1.35 / 1000 / 4, 4096 * 1.35 / 1000 / 2,
              4096 * 1.35 / 1000);
    peaks_are("n1", 20, 120, 4096 * 0.65 / 1000 / 4, 4096 * 0.65 / 1000 / 2,
              4096 * 0.65 / 1000);
}

TEST(arch_entries_all_say_where_their_figures_come_from)
{
    struct arch_list all = arch_all();
    assert_true(all.n >= 4);
    for (size_t i = 0; i < all.n; i++) {
        assert_true(all.v[i].product.n && all.v[i].date.n && all.v[i].source.n);
        assert_true(all.v[i].cores > 0 && all.v[i].dram_gb_s > 0 && all.v[i].clock_mhz > 0);
        assert_true(all.v[i].tflops[FIDELITY_LOFI] > all.v[i].tflops[FIDELITY_HIFI2]);
        assert_true(all.v[i].tflops[FIDELITY_HIFI2] > all.v[i].tflops[FIDELITY_HIFI3]);
        assert_true(all.v[i].tflops[FIDELITY_HIFI3] > all.v[i].tflops[FIDELITY_HIFI4]);
    }
}

TEST(arch_find_takes_names_and_aliases_in_any_case)
{
    struct arch_list all = arch_all();
    STR_IS(arch_find(all, S("WormHole_B0"))->name, "wormhole");
    STR_IS(arch_find(all, S("BLACKHOLE"))->name, "blackhole");
    assert_null(arch_find(all, S("wormhole_b")));
    assert_null(arch_find(all, S("")));
}

static struct arch_list parsed(struct arena *a, str text)
{
    struct arch_list list = {0};
    struct err e = {0};
    if (!arch_parse(text, "x.ini", a, &list, &e))
        fail_msg("%s", e.text);
    return list;
}

TEST(arch_parse_reads_sections_of_keys_and_values)
{
    struct arena a = {0};
    struct arch_list l = parsed(&a, S("# a comment\r\n"
                                      "[one]\r\n"
                                      "  aliases = uno eins \n"
                                      "product=One = 1\n"
                                      "cores = 12\n"
                                      "\n"
                                      "[two]\n"
                                      "clock_mhz = 1.5e3"));
    assert_int_equal(2, l.n);
    STR_IS(l.v[0].name, "one");
    STR_IS(l.v[0].product, "One = 1");
    assert_int_equal(12, l.v[0].cores);
    REAL_IS(l.v[1].clock_mhz, 1500);
    assert_int_equal(0, l.v[1].cores);
    assert_ptr_equal(&l.v[0], arch_find(l, S("Eins")));
    assert_ptr_equal(&l.v[0], arch_find(l, S("uno")));
    assert_ptr_equal(&l.v[1], arch_find(l, S("TWO")));
    arena_free(&a);
}

TEST(arch_parse_evaluates_products_from_left_to_right)
{
    struct arena a = {0};
    struct arch_list l = parsed(&a, S("[x]\nhifi4 = 1/3*3\nhifi2 = 100 / 3 / 7 * 2\n"
                                      "lofi = 0.1*3\n"));
    REAL_IS(l.v[0].tflops[FIDELITY_HIFI4], 1.0 / 3 * 3);
    REAL_IS(l.v[0].tflops[FIDELITY_HIFI2], 100.0 / 3 / 7 * 2);
    REAL_IS(l.v[0].tflops[FIDELITY_LOFI], 0.1 * 3);
    arena_free(&a);
}

TEST(arch_parse_adds_to_what_is_already_in_the_list)
{
    struct arena a = {0};
    struct arch_list l = parsed(&a, S("[x]\ncores = 1\n"));
    struct err e;
    assert_true(arch_parse(S("[y]\ncores = 2\n"), "y.ini", &a, &l, &e));
    assert_int_equal(2, l.n);
    STR_IS(l.v[0].name, "x");
    assert_int_equal(1, l.v[0].cores);
    STR_IS(l.v[1].name, "y");
    arena_free(&a);
}

static void refused(str text, const char *message)
{
    struct arena a = {0};
    struct arch_list l = {0};
    struct err e = {0};
    assert_false(arch_parse(text, "x.ini", &a, &l, &e));
    assert_int_equal(ERR_FORMAT, e.code);
    assert_string_equal(message, e.text);
    arena_free(&a);
}

TEST(arch_parse_says_in_which_line_what_is_wrong)
{
    refused(S("[x]\ncolour = red\n"), "x.ini: line 2: unknown key 'colour'");
    refused(S("[x]\n\ncores = many\n"), "x.ini: line 3: 'cores' is not a number: 'many'");
    refused(S("[x]\ncores = 1.5\n"), "x.ini: line 2: 'cores' is not a number: '1.5'");
    refused(S("[x]\nhifi4 = 74/\n"), "x.ini: line 2: 'hifi4' is not a number: '74/'");
    refused(S("[x]\nhifi4 =\n"), "x.ini: line 2: 'hifi4' is not a number: ''");
    refused(S("[x]\nhifi4 = 74//72\n"), "x.ini: line 2: 'hifi4' is not a number: '74//72'");
    refused(S("[x]\nnoc_grid = 4\n"),
            "x.ini: line 2: 'noc_grid' is not what it should be: '4'");
    refused(S("[x]\nnoc_grid = 4x4\neth_tiles = 1-1 2-4\n"),
            "x.ini: line 4: [x]: tiles outside of noc_grid, or banks without a port");
    refused(S("[x]\nnoc_grid = 4x4\ndram_tiles = 1-1 2-2\n"),
            "x.ini: line 4: [x]: tiles outside of noc_grid, or banks without a port");
    refused(S("[x]\nboard = b 1 2 3 0 0\n"),
            "x.ini: line 2: 'board' is not a name and six numbers: 'b 1 2 3 0 0'");
    refused(S("[x]\nusual_board = b\n"), "x.ini: line 3: [x]: no board 'b'");
    refused(S("[]\n"), "x.ini: line 1: a section is written [name]");
    refused(S("[x\n"), "x.ini: line 1: a section is written [name]");
    refused(S("[\n"), "x.ini: line 1: a section is written [name]");
    refused(S("cores = 1\n"), "x.ini: line 1: expected 'key = value' in a section");
    refused(S("[x]\ncores\n"), "x.ini: line 2: expected 'key = value' in a section");
}

TEST(arch_boards_are_those_of_their_chip)
{
    const struct board *b = arch_board(S("n300"));
    assert_non_null(b);
    assert_int_equal(b->chip, TT_WORMHOLE);
    assert_int_equal(b->n_devices, 2);
    assert_int_equal(b->n_banks, 12);
    assert_int_equal(b->n_channels, 16);
    assert_int_equal(b->harvest[0], 0x41);
    assert_int_equal(b->harvest[1], 5);
    assert_null(arch_board(S("e150")));
}

TEST(arch_counts_the_workers_of_a_board_for_either_dispatch)
{
    static const struct {
        const char *name;
        int slow_x, slow_y, fast_x, fast_y;
    } want[] = {{"n150", 8, 9, 8, 8},
                {"n300", 8, 8, 8, 7},
                {"galaxy", 8, 10, 8, 9},
                {"p100", 12, 10, 11, 10},
                {"p150", 14, 10, 13, 10}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const struct board *b = arch_board(str_of(want[i].name));
        assert_int_equal(b->grid[DISPATCH_SLOW].x, want[i].slow_x);
        assert_int_equal(b->grid[DISPATCH_SLOW].y, want[i].slow_y);
        assert_int_equal(b->grid[DISPATCH_FAST].x, want[i].fast_x);
        assert_int_equal(b->grid[DISPATCH_FAST].y, want[i].fast_y);
    }
    const struct arch *chip = arch_find(arch_all(), S("blackhole"));
    STR_IS(chip->grid, "13x10");
    STR_IS(chip->board_grids, "p100 12x10 slow 11x10 fast; p150 14x10 slow 13x10 fast");
}

// Kernels have the size of the NoC as a constant.
TEST(arch_grids_are_those_that_kernels_are_built_with)
{
    for (int i = 0; i < TT_ARCHES; i++) {
        const struct arch *arch = arch_of_device(i);
        assert_int_equal(arch->device, i);
        assert_int_equal(arch->die.size.x, tt_layouts[i].noc_grid_x);
        assert_int_equal(arch->die.size.y, tt_layouts[i].noc_grid_y);
        assert_int_equal((int)arch->noc_link_bytes, (int)tt_layouts[i].noc_flit_bytes);
    }
    assert_string_equal(arch_of_device(TT_WORMHOLE)->device_name, "wormhole_b0");
    assert_string_equal(arch_of_device(TT_BLACKHOLE)->device_name, "blackhole");
}

TEST(arch_fidelities_have_exact_names)
{
    enum fidelity f;
    for (int i = 0; i < FIDELITIES; i++) {
        assert_true(fidelity_parse(str_of(fidelity_name((enum fidelity)i)), &f));
        assert_int_equal(i, f);
    }
    assert_true(fidelity_parse(S("HiFi2"), &f));
    assert_int_equal(FIDELITY_HIFI2, f);
    assert_false(fidelity_parse(S("hifi2"), &f));
    assert_false(fidelity_parse(S("HiFi5"), &f));
    assert_false(fidelity_parse(S(""), &f));
}
