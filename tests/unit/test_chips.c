// test_chips.c - grids, harvesting, coordinates, banks, clocks and links of every board.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/chips.h"
#include "test.h"

static ttdev_cfg config(const char *text)
{
    ttdev_cfg cfg;
    struct err e = {0};
    ttdev_cfg_default(&cfg);
    int rc = ttdev_cfg_parse(&cfg, text, &e);
    assert_string_equal(e.text, "");
    assert_int_equal(rc, 0);
    return cfg;
}

static struct chip *chip_of(const char *text, int number)
{
    ttdev_cfg cfg = config(text);
    struct chip *chip = mem_alloc(sizeof *chip);
    struct err e = {0};
    bool ok = chip_lay_out(chip, &cfg, number, &e);
    assert_string_equal(e.text, "");
    assert_true(ok);
    return chip;
}

static void drop(struct chip *chip)
{
    chip_lay_out_free(chip);
    mem_free(chip);
}

static const char *const all_boards[] = {
    "board=n150",
    "board=n300",
    "board=galaxy",
    "board=p100",
    "board=p150",
    "board=n150 harvest=0x155",
    "board=p150 harvest=0x1",
    "board=p100 harvest=0x2a01",
};
enum { ALL_BOARDS = sizeof all_boards / sizeof *all_boards };

static int at(const struct chip *chip, int x, int y)
{
    return x + y * chip->size_x;
}

#define XY_IS(got, want_x, want_y)                                                         \
    do {                                                                                   \
        assert_int_equal((got).x, (want_x));                                               \
        assert_int_equal((got).y, (want_y));                                               \
    } while (0)

TEST(every_board_has_the_workers_ids_and_banks_that_are_published)
{
    static const struct {
        const char *config;
        int x, y, n_flat, cores_per_bank, n_banks, n_eth;
    } want[] = {
        {"board=n150", 8, 9, 88, 8, 12, 16},    {"board=n300", 8, 8, 80, 7, 12, 16},
        {"board=galaxy", 8, 10, 96, 8, 12, 16}, {"board=p150", 14, 10, 152, 19, 8, 12},
        {"board=p100", 12, 10, 120, 18, 7, 0},
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        struct chip *chip = chip_of(want[i].config, 0);
        XY_IS(chip->grid, want[i].x, want[i].y);
        assert_int_equal(chip->n_workers, want[i].x * want[i].y);
        assert_int_equal(chip->n_flat, want[i].n_flat);
        assert_int_equal(chip->cores_per_bank, want[i].cores_per_bank);
        assert_int_equal(chip->n_banks, want[i].n_banks);
        assert_int_equal(chip->n_eth, want[i].n_eth);
        assert_int_equal(chip->n_tiles, chip->n_workers + chip->n_eth);
        drop(chip);
    }
}

TEST(a_chip_has_every_kind_of_node_at_its_place)
{
    struct chip *wormhole = chip_of("board=galaxy", 0);
    int count[NODE_HARVESTED + 1] = {0};
    for (int i = 0; i < wormhole->size_x * wormhole->size_y; i++)
        count[wormhole->nodes[i].kind]++;
    assert_int_equal(count[NODE_TENSIX], 80);
    assert_int_equal(count[NODE_ETH], 16);
    assert_int_equal(count[NODE_DRAM], 18);
    assert_int_equal(count[NODE_ROUTER], 4);
    assert_int_equal(wormhole->nodes[at(wormhole, 0, 3)].kind, NODE_PCIE);
    assert_int_equal(wormhole->nodes[at(wormhole, 0, 10)].kind, NODE_ARC);
    assert_int_equal(wormhole->nodes[at(wormhole, 0, 8)].kind, NODE_ROUTER);
    drop(wormhole);

    struct chip *blackhole = chip_of("board=p100", 0);
    assert_int_equal(blackhole->nodes[at(blackhole, 15, 5)].kind, NODE_HARVESTED);
    assert_int_equal(blackhole->nodes[at(blackhole, 14, 5)].kind, NODE_TENSIX);
    assert_int_equal(blackhole->nodes[at(blackhole, 1, 1)].kind, NODE_HARVESTED);
    assert_int_equal(blackhole->nodes[at(blackhole, 9, 6)].kind, NODE_HARVESTED);
    assert_int_equal(blackhole->nodes[at(blackhole, 11, 0)].kind, NODE_PCIE);
    assert_int_equal(blackhole->nodes[at(blackhole, 8, 0)].kind, NODE_ARC);
    assert_int_equal(blackhole->nodes[at(blackhole, 8, 7)].kind, NODE_ROUTER);
    drop(blackhole);
}

TEST(the_two_chips_of_an_n300_lose_different_rows_and_one_is_remote)
{
    struct chip *first = chip_of("board=n300", 0), *second = chip_of("board=n300", 1);
    XY_IS(first->tiles[0].noc0, 1, 2);  // rows y = 1 and 8 are off
    XY_IS(second->tiles[0].noc0, 1, 2); // rows y = 1 and 3 are off
    XY_IS(first->tiles[8].noc0, 1, 3);
    XY_IS(second->tiles[8].noc0, 1, 4);
    assert_int_equal(first->nodes[at(first, 4, 8)].kind, NODE_HARVESTED);
    assert_int_equal(second->nodes[at(second, 4, 3)].kind, NODE_HARVESTED);
    assert_int_equal(first->remote, 0);
    assert_int_equal(second->remote, 1);
    drop(first);
    drop(second);
}

TEST(wormhole_workers_are_translated_to_18_18_and_rows_that_are_off_come_last)
{
    struct chip *chip = chip_of("board=n150 harvest=0x4", 0);
    ttdev_xy out;
    assert_true(chip_xlat(chip, (ttdev_xy){0, 2}, TTDEV_LOGICAL, TTDEV_VIRTUAL, &out));
    XY_IS(out, 18, 20);
    assert_true(chip_xlat(chip, (ttdev_xy){4, 2}, TTDEV_LOGICAL, TTDEV_NOC0, &out));
    XY_IS(out, 6, 4); // y = 3 is off
    assert_true(chip_xlat(chip, (ttdev_xy){6, 4}, TTDEV_NOC0, TTDEV_NOC1, &out));
    XY_IS(out, 3, 7);
    assert_int_equal(chip->translate[0][18][27], at(chip, 1, 3));
    assert_int_equal(chip->nodes[at(chip, 1, 3)].kind, NODE_HARVESTED);
    assert_int_equal(chip->nodes[at(chip, 1, 3)].tile, -1);
    assert_int_equal(chip->translate[0][18][28], -1);
    assert_int_equal(chip->translate[0][26][18], -1);
    assert_int_equal(chip->translate[0][18][3], -1);
    drop(chip);
}

TEST(untranslated_coordinates_are_those_of_the_noc_they_are_written_to)
{
    struct chip *wormhole = chip_of("board=n150", 0);
    assert_int_equal(wormhole->translate[0][0][11], at(wormhole, 0, 11));
    assert_int_equal(wormhole->translate[1][9][0], at(wormhole, 0, 11));
    assert_int_equal(wormhole->translate[0][10][0], -1);
    drop(wormhole);
    struct chip *blackhole = chip_of("board=p150", 0);
    assert_int_equal(blackhole->translate[0][8][0], at(blackhole, 8, 0));
    assert_int_equal(blackhole->translate[1][8][11], at(blackhole, 8, 0));
    // On both a worker, not the mirrored place.
    assert_int_equal(blackhole->translate[1][3][4], at(blackhole, 3, 4));
    assert_int_equal(blackhole->translate[1][0][0], -1);
    drop(blackhole);
}

TEST(blackhole_columns_that_are_off_end_up_at_the_right)
{
    struct chip *chip = chip_of("board=p150 harvest=0x41", 0); // x = 1 and 7
    XY_IS(chip->grid, 12, 10);
    ttdev_xy out;
    assert_true(chip_xlat(chip, (ttdev_xy){0, 0}, TTDEV_LOGICAL, TTDEV_NOC0, &out));
    XY_IS(out, 2, 2);
    assert_true(chip_xlat(chip, (ttdev_xy){0, 0}, TTDEV_LOGICAL, TTDEV_VIRTUAL, &out));
    XY_IS(out, 1, 2);
    assert_true(chip_xlat(chip, (ttdev_xy){7, 9}, TTDEV_LOGICAL, TTDEV_VIRTUAL, &out));
    XY_IS(out, 10, 11); // x has a gap at 8 and 9
    assert_int_equal(chip->translate[0][15][5], at(chip, 1, 5));
    assert_int_equal(chip->translate[1][16][5], at(chip, 7, 5));
    assert_false(chip_xlat(chip, (ttdev_xy){1, 5}, TTDEV_NOC0, TTDEV_LOGICAL, &out));
    drop(chip);
}

TEST(ethernet_tiles_are_found_by_channel_and_by_virtual_coordinates)
{
    struct chip *wormhole = chip_of("board=n150", 0);
    assert_int_equal(chip_eth_node(wormhole, 0), at(wormhole, 9, 0));
    assert_int_equal(chip_eth_node(wormhole, 15), at(wormhole, 4, 6));
    assert_int_equal(chip_eth_node(wormhole, 16), -1);
    assert_int_equal(chip_eth_node(wormhole, -1), -1);
    XY_IS(wormhole->tiles[wormhole->n_workers + 8].virt, 25, 17);
    drop(wormhole);
    struct chip *blackhole = chip_of("board=p150", 0);
    assert_int_equal(chip_eth_node(blackhole, 1), at(blackhole, 16, 1));
    assert_int_equal(chip_eth_node(blackhole, 12), -1);
    assert_int_equal(blackhole->translate[1][31][25], at(blackhole, 11, 1));
    assert_int_equal(blackhole->translate[0][32][25], -1);
    drop(blackhole);
}

TEST(a_place_keeps_its_meaning_through_every_coordinate_system)
{
    for (size_t b = 0; b < ALL_BOARDS; b++) {
        struct chip *chip = chip_of(all_boards[b], 0);
        for (int node = 0; node < chip->size_x * chip->size_y; node++) {
            ttdev_xy noc0 = {node % chip->size_x, node / chip->size_x};
            for (int space = TTDEV_LOGICAL; space <= TTDEV_VIRTUAL; space++) {
                ttdev_xy there, back;
                bool ok = chip_xlat(chip, noc0, TTDEV_NOC0, space, &there);
                bool is_worker = chip->nodes[node].kind == NODE_TENSIX;
                assert_int_equal(ok, space == TTDEV_LOGICAL ? is_worker : true);
                if (!ok)
                    continue;
                assert_true(chip_xlat(chip, there, space, TTDEV_NOC0, &back));
                XY_IS(back, noc0.x, noc0.y);
            }
        }
        drop(chip);
    }
}

TEST(tiles_know_their_places_and_both_nocs_reach_them_by_one_coordinate)
{
    for (size_t b = 0; b < ALL_BOARDS; b++) {
        struct chip *chip = chip_of(all_boards[b], 0);
        for (int i = 0; i < chip->n_tiles; i++) {
            const struct tile *tile = &chip->tiles[i];
            bool is_worker = i < chip->n_workers;
            assert_int_equal(tile->index, i);
            assert_ptr_equal(tile->chip, chip);
            assert_int_equal(chip->nodes[tile->node].tile, i);
            assert_int_equal(tile->node, at(chip, tile->noc0.x, tile->noc0.y));
            assert_int_equal(tile->kind, is_worker ? TILE_TENSIX : TILE_ETH);
            assert_int_equal(tile->n_riscs, is_worker ? 5 : 1);
            assert_int_equal(tile->channel, is_worker ? -1 : i - chip->n_workers);
            for (int noc = 0; noc < 2; noc++)
                assert_int_equal(chip->translate[noc][tile->virt.x][tile->virt.y],
                                 tile->node);
            if (is_worker)
                assert_int_equal(tile->logical.x + tile->logical.y * chip->grid.x, i);
        }
        drop(chip);
    }
}

TEST(banks_have_the_published_endpoints)
{
    struct chip *wormhole = chip_of("board=n150", 0);
    assert_int_equal(wormhole->bank_bytes, 0x40000000);
    assert_int_equal(wormhole->banks[0].node[0], at(wormhole, 0, 11));
    assert_int_equal(wormhole->banks[1].node[1], at(wormhole, 0, 1));
    assert_int_equal(wormhole->banks[1].controller, 0);
    assert_int_equal(wormhole->banks[1].offset, 0x40000000);
    assert_int_equal(wormhole->banks[7].node[0], at(wormhole, 5, 9));
    assert_int_equal(wormhole->banks[11].node[0], at(wormhole, 5, 7));
    drop(wormhole);
    struct chip *blackhole = chip_of("board=p150", 0);
    assert_true(blackhole->bank_bytes == 4278190080);
    assert_int_equal(blackhole->banks[0].node[0], at(blackhole, 0, 11));
    assert_int_equal(blackhole->banks[0].node[1], at(blackhole, 0, 1));
    assert_int_equal(blackhole->banks[3].node[0], at(blackhole, 0, 5));
    assert_int_equal(blackhole->translate[1][18][23], at(blackhole, 9, 6));
    drop(blackhole);
}

TEST(every_bank_is_reached_on_both_nocs_by_a_coordinate_kernels_can_write)
{
    for (size_t b = 0; b < ALL_BOARDS; b++) {
        struct chip *chip = chip_of(all_boards[b], 0);
        for (int i = 0; i < chip->n_banks; i++)
            for (int noc = 0; noc < 2; noc++) {
                const struct bank *bank = &chip->banks[i];
                int node = bank->node[noc], space = TTDEV_VIRTUAL;
                assert_int_equal(chip->nodes[node].kind, NODE_DRAM);
                assert_int_equal(chip->nodes[node].tile, bank->controller);
                if (chip->arch == TT_WORMHOLE && noc == 1)
                    space = TTDEV_NOC1; // passes through
                ttdev_xy xy, noc0 = {node % chip->size_x, node / chip->size_x};
                assert_true(chip_xlat(chip, noc0, TTDEV_NOC0, space, &xy));
                assert_int_equal(chip->translate[noc][xy.x][xy.y], node);
            }
        drop(chip);
    }
}

TEST(buffers_of_programs_start_behind_the_profilers_part_of_a_bank)
{
    struct chip *wormhole = chip_of("board=n150", 0), *blackhole = chip_of("board=p150", 0);
    assert_int_equal(wormhole->dram_buffers, 1966080);
    assert_int_equal(blackhole->dram_buffers, 4849664);
    drop(wormhole);
    drop(blackhole);
}

TEST(profiler_ids_count_by_x_then_y)
{
    for (size_t b = 0; b < ALL_BOARDS; b++) {
        struct chip *chip = chip_of(all_boards[b], 0);
        int next = 0;
        for (int x = 0; x < chip->size_x; x++)
            for (int y = 0; y < chip->size_y; y++) {
                int node = at(chip, x, y), kind = chip->nodes[node].kind;
                bool has_id = kind == NODE_TENSIX || kind == NODE_ETH;
                assert_int_equal(chip->flat[node], has_id ? next++ : -1);
            }
        assert_int_equal(next, chip->n_flat);
        drop(chip);
    }
}

// --- clocks ------------------------------------------------------------------------------
TEST(clocks_start_anywhere_and_differ_by_seed_and_chip_but_not_by_run)
{
    struct chip *a = chip_of("board=n300", 0), *b = chip_of("board=n300", 1);
    struct chip *again = chip_of("board=n300", 0), *other = chip_of("board=n300 seed=2", 0);
    assert_true(a->boot_cycles >= 1000000 && a->boot_cycles <= 1000000000);
    assert_true(a->boot_cycles == again->boot_cycles && a->period_fs == again->period_fs);
    assert_true(a->boot_cycles != b->boot_cycles && a->boot_cycles != other->boot_cycles);
    for (int seed = 0; seed < 50; seed++) {
        char text[40];
        (void)snprintf(text, sizeof text, "seed=%d", seed);
        struct chip *chip = chip_of(text, 0);
        assert_in_range(chip->period_fs, 999950, 1000050);
        drop(chip);
    }
    drop(a);
    drop(b);
    drop(again);
    drop(other);
}

TEST(clocks_are_what_the_configuration_says)
{
    struct chip *chip =
        chip_of("board=n300 boot_cycles=5:0xffffffff ppm=10:-20 hz=500e6", 1);
    assert_int_equal(chip->boot_cycles, 0xffffffff);
    assert_int_equal(chip->period_fs, 2000040);
    assert_int_equal(chip->drift_fs, 0);
    assert_int_equal(chip->drift_ms, 1);
    drop(chip);
    struct chip *blackhole = chip_of("board=p150 ppm=0", 0);
    assert_int_equal(blackhole->period_fs, 740741);
    drop(blackhole);
}

TEST(a_slow_drift_is_a_femtosecond_every_few_milliseconds)
{
    struct chip *slow = chip_of("ppm=0 drift_ppm_s=2", 0);
    assert_int_equal(slow->drift_fs, -1);
    assert_int_equal(slow->drift_ms, 500);
    drop(slow);
    struct chip *back = chip_of("ppm=0 drift_ppm_s=-0.001", 0);
    assert_int_equal(back->drift_fs, 1);
    assert_int_equal(back->drift_ms, 1000000);
    drop(back);
    struct chip *fast = chip_of("ppm=0 hz=1e8 drift_ppm_s=1000", 0);
    assert_int_equal(fast->drift_fs, -10);
    assert_int_equal(fast->drift_ms, 1);
    drop(fast);
}

TEST(tiles_start_together_unless_a_skew_is_asked_for)
{
    struct chip *none = chip_of("board=n150", 0),
                *some = chip_of("board=n150 tile_skew=3", 0);
    bool is_seen[4] = {false};
    for (int i = 0; i < none->n_tiles; i++) {
        assert_int_equal(none->tiles[i].skew, 0);
        assert_in_range(some->tiles[i].skew, 0, 3);
        is_seen[some->tiles[i].skew] = true;
    }
    assert_true(is_seen[0] && is_seen[1] && is_seen[2] && is_seen[3]);
    drop(none);
    drop(some);
}

TEST(chance_depends_on_every_bit_of_every_input)
{
    uint64_t base = sim_random(1, 2, 3);
    assert_true(base == sim_random(1, 2, 3));
    assert_true(sim_random(0, 0, 0) != 0);
    assert_true(sim_random(0, 1, 0) != sim_random(1, 0, 0));
    assert_true(sim_random(0, 1, 0) != sim_random(0, 0, 1));
    for (int bit = 0; bit < 64; bit++) {
        uint64_t flip = (uint64_t)1 << bit;
        uint64_t v[3] = {sim_random(1 ^ flip, 2, 3), sim_random(1, 2 ^ flip, 3),
                         sim_random(1, 2, 3 ^ flip)};
        for (int i = 0; i < 3; i++)
            assert_in_range(__builtin_popcountll(v[i] ^ base), 12, 52);
    }
}

TEST(chance_is_even_over_counted_inputs)
{
    int buckets[16] = {0};
    for (uint64_t i = 0; i < 16000; i++)
        buckets[sim_random(7, 0, i) % 16]++;
    for (int i = 0; i < 16; i++)
        assert_in_range(buckets[i], 850, 1150);
}

// --- links -------------------------------------------------------------------------------
static int links_of(const char *text, struct link *links)
{
    ttdev_cfg cfg = config(text);
    struct err e = {0};
    int n = cluster_links(&cfg, links, 128, &e);
    assert_string_equal(e.text, "");
    return n;
}

static void link_is(struct link got, int dev, int channel, int to_dev, int to_channel)
{
    assert_int_equal(got.dev[0], dev);
    assert_int_equal(got.channel[0], channel);
    assert_int_equal(got.dev[1], to_dev);
    assert_int_equal(got.channel[1], to_channel);
}

TEST(default_links_follow_the_board_and_the_number_of_chips)
{
    struct link links[128];
    assert_int_equal(links_of("board=n150", links), 0);
    assert_int_equal(links_of("board=n300", links), 2);
    link_is(links[0], 0, 8, 1, 0);
    link_is(links[1], 0, 9, 1, 1);
    assert_int_equal(links_of("board=n300 devices=8", links), 20); // 2 x 4: 10 neighbours
    assert_int_equal(links_of("board=p150 devices=4", links), 8);
    link_is(links[6], 3, 8, 0, 0);
    assert_int_equal(links_of("board=p100 devices=4", links), 0);
    assert_int_equal(links_of("board=n150 devices=2", links), 4); // a ring, both ways round
}

TEST(rings_and_lines_join_neighbours)
{
    struct link links[128];
    assert_int_equal(links_of("devices=3 links=line", links), 4);
    link_is(links[2], 1, 8, 2, 0);
    assert_int_equal(links_of("devices=3 links=ring", links), 6);
    link_is(links[5], 2, 9, 0, 1);
    assert_int_equal(links_of("devices=32 links=ring", links), 64);
    assert_int_equal(links_of("devices=3 links=none", links), 0);
    assert_int_equal(links_of("devices=1 links=ring", links), 0);
}

TEST(no_channel_has_two_links)
{
    static const char *const shapes[] = {"board=n300", "devices=8", "devices=2 links=ring",
                                         "devices=32", "board=p150 devices=8"};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        bool is_taken[TTDEV_MAX_CHIPS][16] = {{false}};
        struct link links[128];
        int n = links_of(shapes[s], links);
        for (int i = 0; i < n; i++)
            for (int end = 0; end < 2; end++) {
                bool *taken = &is_taken[links[i].dev[end]][links[i].channel[end]];
                assert_false(*taken);
                *taken = true;
            }
    }
}

// A file that is there for one test.
static void with_file(const char *text, char path[64])
{
    (void)snprintf(path, 64, "/tmp/ttprof-test-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    (void)close(fd);
}

static int links_from(const char *text, struct link *links, struct err *e)
{
    char path[64];
    with_file(text, path);
    ttdev_cfg cfg = config("board=n150 devices=3");
    cfg.links = TTDEV_LINKS_FILE;
    (void)snprintf(cfg.links_file, sizeof cfg.links_file, "%s", path);
    *e = (struct err){0};
    int n = cluster_links(&cfg, links, 4, e);
    (void)unlink(path);
    const char *rest = strstr(e->text, path);
    if (rest)
        memmove(e->text, rest + strlen(path) + 2, strlen(rest + strlen(path) + 2) + 1);
    return n;
}

TEST(links_are_read_from_a_file)
{
    struct link links[4];
    struct err e = {0};
    int n = links_from("# a triangle\n0 1 1 2\n\n 1\t3  2 4 # back\r\n2 5 0 6", links, &e);
    assert_string_equal(e.text, "");
    assert_int_equal(n, 3);
    link_is(links[0], 0, 1, 1, 2);
    link_is(links[1], 1, 3, 2, 4);
    link_is(links[2], 2, 5, 0, 6);
}

TEST(a_line_of_the_links_file_that_makes_no_sense_is_named)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"0 1 1\n", "line 1: expected device channel device channel"},
        {"\n0 1 1 x\n", "line 2: expected device channel device channel"},
        {"0 1 1 1 9\n", "line 1: expected four numbers"},
        {"0 1 3 1\n", "line 1: device 3: there are only 3"},
        {"-1 1 2 1\n", "line 1: device -1: there are only 3"},
        {"0 16 1 1\n", "line 1: channel 16: n150 has only 16"},
        {"0 1 1 1\n2 3 0 1\n", "line 2: device 0 channel 1 already has a link"},
        {"0 1 0 2\n", "line 1: device 0 is linked to itself"},
        {"0 1 1 1\n0 2 1 2\n0 3 1 3\n0 4 1 4\n0 5 1 5\n", "line 5: more than 4 links"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct link links[4];
        struct err e = {0};
        assert_int_equal(links_from(cases[i].text, links, &e), -1);
        assert_string_equal(e.text, cases[i].want);
    }
}

TEST(links_that_cannot_be_are_refused)
{
    struct link links[4];
    struct err e = {0};
    ttdev_cfg cfg = config("board=p100 devices=2 links=ring");
    assert_int_equal(cluster_links(&cfg, links, 4, &e), -1);
    assert_string_equal(e.text, "links: p100 has no Ethernet");
    cfg = config("devices=3 links=file:/nowhere/links");
    assert_int_equal(cluster_links(&cfg, links, 4, &e), -1);
    assert_non_null(strstr(e.text, "/nowhere/links"));
    cfg = config("devices=4 links=ring");
    assert_int_equal(cluster_links(&cfg, links, 4, &e), -1);
    assert_string_equal(e.text, "links: more than 4");
}

// --- costs -------------------------------------------------------------------------------
TEST(costs_differ_by_chip)
{
    struct sim_costs wormhole, blackhole;
    costs_default(&wormhole, TT_WORMHOLE);
    costs_default(&blackhole, TT_BLACKHOLE);
    assert_int_equal(wormhole.alu, 1);
    assert_int_equal(wormhole.noc_read_other, 270);
    assert_int_equal(blackhole.noc_read_other, 329);
    assert_int_equal(blackhole.engine_pack_bytes, 64);
}

TEST(a_cost_file_overrides_what_it_names)
{
    char path[64], text[80];
    with_file("# ours\ndram_latency = 99 # less\n\nalu=2\r\n", path);
    (void)snprintf(text, sizeof text, "costs=%s", path);
    struct chip *chip = chip_of(text, 0);
    (void)unlink(path);
    assert_int_equal(chip->costs.dram_latency, 99);
    assert_int_equal(chip->costs.alu, 2);
    assert_int_equal(chip->costs.mul, 2);
    drop(chip);
}

TEST(a_cost_that_makes_no_sense_is_named_and_changes_nothing)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"alu", "line 1: expected name = value"},
        {"= 3", "line 1: expected name = value"},
        {"alu = 3\nnoc_write_hops = 4",
         "line 2: unknown cost 'noc_write_hops'; did you "
         "mean 'noc_write_hop'?"},
        {"alu = 0", "line 1: alu: expected an integer from 1 to 1000000"},
        {"alu = 1.5", "line 1: alu: expected an integer from 1 to 1000000"},
        {"alu =", "line 1: alu: expected an integer from 1 to 1000000"},
        {"noc_write_base = 31",
         "line 1: noc_write_base: expected an integer from 32 to 1000000"},
        {"loads_in_flight = 9", "line 1: loads_in_flight: expected an integer from 1 to 8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sim_costs costs, before;
        struct err e = {0};
        costs_default(&costs, TT_WORMHOLE);
        before = costs;
        assert_false(costs_parse(&costs, cases[i].text, strlen(cases[i].text), &e));
        assert_string_equal(e.text, cases[i].want);
        assert_memory_equal(&costs, &before, sizeof costs);
    }
    ttdev_cfg cfg = config("costs=/nowhere/costs");
    struct chip *chip = mem_alloc(sizeof *chip);
    struct err e = {0};
    assert_false(chip_lay_out(chip, &cfg, 0, &e));
    assert_non_null(strstr(e.text, "/nowhere/costs"));
    drop(chip);
}
