// dies.c - the two dies and the products made of them. The figures are those of the
// vendor's public documentation.
#include "sim/dies.h"

#include "sim/chips.h"

static const struct board_facts boards[BOARDS] = {
    // clang-format off
    //                 name      arch          chips banks channels harvest
    [TTDEV_N150]   = {"n150",   TT_WORMHOLE,  1,    12,   16,      {0x200, 0x200}},
    [TTDEV_N300]   = {"n300",   TT_WORMHOLE,  2,    12,   16,      {0x041, 0x005}},
    [TTDEV_GALAXY] = {"galaxy", TT_WORMHOLE,  1,    12,   16,      {0, 0}},
    // Two columns off: x = 15, 16. Which bank is missing is our choice: the last.
    [TTDEV_P100]   = {"p100",   TT_BLACKHOLE, 1,    7,    0,       {0x3000, 0x3000}},
    // 12 of the 14 Ethernet tiles can be used; which is our choice: channels 0 .. 11.
    [TTDEV_P150]   = {"p150",   TT_BLACKHOLE, 1,    8,    12,      {0, 0}},
    // clang-format on
};

static const struct die dies[TT_ARCHES] =
    {
        // clang-format off
    [TT_WORMHOLE] = {
        .name = "wormhole_b0",
        .hz = 1000e6,
        .columns = {1, 2, 3, 4, 6, 7, 8, 9},
        .n_columns = 8,
        .rows = {1, 2, 3, 4, 5, 7, 8, 9, 10, 11},
        .n_rows = 10,
        .eth = {{9, 0}, {1, 0}, {8, 0}, {2, 0}, {7, 0}, {3, 0}, {6, 0}, {4, 0},
                {9, 6}, {1, 6}, {8, 6}, {2, 6}, {7, 6}, {3, 6}, {6, 6}, {4, 6}},
        .n_eth = 16,
        .pcie = {{0, 3}},
        .n_pcie = 1,
        .arc = {0, 10},
        .dram = {{{0, 0}, {0, 1}, {0, 11}}, {{0, 5}, {0, 6}, {0, 7}},
                 {{5, 0}, {5, 1}, {5, 11}}, {{5, 2}, {5, 9}, {5, 10}},
                 {{5, 3}, {5, 4}, {5, 8}},  {{5, 5}, {5, 6}, {5, 7}}},
        .n_controllers = 6,
        .views_per_controller = 2,
        .view_bytes = 0x40000000,
        .endpoint = {{2, 2}, {1, 1}, {0, 0}, {2, 2}, {1, 1}, {2, 2},
                     {0, 0}, {1, 1}, {2, 2}, {0, 0}, {0, 0}, {2, 2}},
    },
    [TT_BLACKHOLE] = {
        .name = "blackhole",
        .hz = 1350e6,
        .columns = {1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16},
        .n_columns = 14,
        .rows = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
        .n_rows = 10,
        .eth = {{1, 1}, {16, 1}, {2, 1}, {15, 1}, {3, 1}, {14, 1}, {4, 1},
                {13, 1}, {5, 1}, {12, 1}, {6, 1}, {11, 1}, {7, 1}, {10, 1}},
        .n_eth = 14,
        .pcie = {{2, 0}, {11, 0}},
        .n_pcie = 2,
        .arc = {8, 0},
        .dram = {{{0, 0}, {0, 1}, {0, 11}}, {{0, 2}, {0, 10}, {0, 3}},
                 {{0, 9}, {0, 4}, {0, 8}},  {{0, 5}, {0, 7}, {0, 6}},
                 {{9, 0}, {9, 1}, {9, 11}}, {{9, 2}, {9, 10}, {9, 3}},
                 {{9, 9}, {9, 4}, {9, 8}},  {{9, 5}, {9, 7}, {9, 6}}},
        .n_controllers = 8,
        .views_per_controller = 1,
        .view_bytes = 4278190080,
        .endpoint = {{2, 1}, {0, 1}, {0, 1}, {0, 1}, {2, 1}, {2, 1}, {2, 1}, {2, 1}},
    },
        // clang-format on
};

const struct die *chip_die(int arch)
{
    return &dies[arch];
}

const struct board_facts *chip_board_facts(int board)
{
    return &boards[board];
}

const char *chip_arch_name(int arch)
{
    return dies[arch].name;
}

const char *chip_board_name(int board)
{
    return boards[board].name;
}

double chip_nominal_hz(int arch)
{
    return dies[arch].hz;
}
