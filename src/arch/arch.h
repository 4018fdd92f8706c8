// arch.h - chip data from arch/*.ini: peaks, the places of tiles, and boards.
//
// The files are embedded in the binary. Each entry states the source and date of its
// figures.
#ifndef TTP_ARCH_ARCH_H
#define TTP_ARCH_ARCH_H

#include <stdint.h>

#include "base/data/arena.h"
#include "base/text/err.h"

enum fidelity { FIDELITY_HIFI4, FIDELITY_HIFI3, FIDELITY_HIFI2, FIDELITY_LOFI, FIDELITIES };

enum {
    DIE_SIDE_MOST = 32,   // columns or rows of a NoC
    DIE_PLACES_MOST = 48, // tiles of a kind
    DIE_PORTS = 3,        // tiles of a DRAM controller
    DIE_BOARDS_MOST = 4
};

struct die_place {
    int16_t x, y; // of NoC 0
};

struct die_lines {
    int n;
    int8_t v[DIE_SIDE_MOST];
};

struct die_places {
    int n;
    struct die_place v[DIE_PLACES_MOST];
};

enum die_harvest { DIE_ROWS_OFF, DIE_COLUMNS_OFF };

// The layout of the silicon. All zero: not in the table.
struct die {
    struct die_place size;          // of either NoC, in tiles
    struct die_lines columns, rows; // x and y of the workers
    struct die_places dram;         // DIE_PORTS tiles of each controller
    struct die_places eth;          // by channel
    struct die_places pcie, arc;
    int harvest; // enum die_harvest: lines of workers that may be switched off
    // A bank is a part of a controller's memory.
    uint32_t banks_per_controller;
    uint64_t bank_bytes;
    struct die_lines bank_port[2]; // by NoC: the port of its controller for each bank
    // First of the translated coordinates of a kind; 0-0: they are those of NoC 0.
    struct die_place virtual_workers, virtual_eth, virtual_dram, virtual_pcie;
};

// How programs get onto the cores: the host writes to each of them, or cores on the chip do
// it and are not offered to programs.
enum dispatch { DISPATCH_SLOW, DISPATCH_FAST, DISPATCHES };

// A board: how many chips, and how much of each is enabled.
struct board {
    char name[12];
    int chip; // struct arch.device
    int n_devices, n_banks;
    int n_channels;      // usable Ethernet channels, from 0
    int pcie;            // which of the die's PCIe tiles leads to the host
    uint32_t harvest[2]; // lines that are off on even and odd chips, a bit each
    struct die_place grid[DISPATCHES]; // workers offered by its first chip
};

struct arch {
    str name;
    str aliases; // separated by blanks
    str product;
    str date, source;
    str usual_board;
    str grid;      // "8x8": of the usual board with fast dispatch; empty when not known
    int64_t cores; // the same
    double clock_mhz;
    double dram_gb_s;
    double tflops[FIDELITIES]; // per core
    str noc_source;
    double noc_link_bytes; // per cycle; 0: not known
    double eth_gb_s;       // of a link, in one direction
    str die_source;
    struct die die;
    struct board boards[DIE_BOARDS_MOST];
    int n_boards;
    str board_grids;         // "p100 12x10 slow 11x10 fast; p150 ..."
    int device;              // TT_WORMHOLE, TT_BLACKHOLE; -1: there is no such device
    const char *device_name; // "wormhole_b0": as devices and logs call it
};

struct arch_list {
    struct arch *v;
    size_t n;
};

// All known chips, in the order of their files and sections; read once.
struct arch_list arch_all(void);
// By name or alias, any case; NULL when unknown.
const struct arch *arch_find(struct arch_list list, str name);
// The chip of a device: TT_WORMHOLE, TT_BLACKHOLE.
const struct arch *arch_of_device(int device);
// A board of any chip by its name; NULL when unknown.
const struct board *arch_board(str name);

const char *dispatch_name(enum dispatch dispatch); // "slow", "fast"
// The logical grid of a chip with some lines off. This is the only place where workers are
// counted: fast dispatch keeps one more line of them for itself.
struct die_place die_grid(const struct die *die, uint32_t off, enum dispatch dispatch);

// "HiFi4" and so on; false for anything else.
bool fidelity_parse(str s, enum fidelity *f);
const char *fidelity_name(enum fidelity f);

// Reads one ini text; `file` is for messages. Public for the tests.
bool arch_parse(str text, const char *file, struct arena *a, struct arch_list *list,
                struct err *e);

#endif
