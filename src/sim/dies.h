// dies.h - what is on the silicon: places (NOC0) by kind.
#ifndef TTP_SIM_DIES_H
#define TTP_SIM_DIES_H

#include <stdint.h>

enum {
    DIE_CONTROLLERS = 8,
    DIE_PORTS = 3,
    DIE_CHANNELS = 16,
    DIE_LINES = 14,
    DIE_VIEWS = 12
};

struct place {
    int8_t x, y;
};

struct die {
    const char *name;
    double hz;
    int8_t columns[DIE_LINES], rows[DIE_LINES]; // x and y of the Tensix tiles
    int n_columns, n_rows;
    struct place eth[DIE_CHANNELS]; // by channel
    int n_eth;
    struct place pcie[2], arc;
    int n_pcie;
    struct place dram[DIE_CONTROLLERS][DIE_PORTS];
    int n_controllers, views_per_controller;
    uint64_t view_bytes;
    uint8_t endpoint[DIE_VIEWS][2]; // of a view: port per NoC
};

const struct die *chip_die(int arch);

#endif
