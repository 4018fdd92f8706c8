// arch.h - what a chip can do at best: grids, clocks and peaks, from arch/*.ini.
//
// The files are part of the binary. Each entry says when and where its figures were taken.
#ifndef TTP_ANALYSE_ARCH_H
#define TTP_ANALYSE_ARCH_H

#include "base/arena.h"
#include "base/err.h"

enum fidelity { FIDELITY_HIFI4, FIDELITY_HIFI3, FIDELITY_HIFI2, FIDELITY_LOFI, FIDELITIES };

struct arch {
    str name;
    str aliases; // separated by blanks
    str product;
    str date, source;
    str grid; // "8x8", empty when not known
    int64_t cores;
    double clock_mhz;
    double dram_gb_s;
    double tflops[FIDELITIES]; // per core
    // The NoC; empty and 0 where the table has nothing. Places are "x-y" of NoC 0.
    str noc_source;
    str noc_grid;                    // "10x12": tiles, of each of the two
    double noc_link_bytes;           // per cycle
    str worker_columns, worker_rows; // numbers separated by blanks
    str dram_tiles;                  // of a controller, then a comma and those of the next
    str eth_tiles;                   // by channel
    double eth_gb_s;                 // of a link, in one direction
};

struct arch_list {
    struct arch *v;
    size_t n;
};

// All known chips, in the order of their files and sections.
struct arch_list arch_all(struct arena *a);
// By name or alias, any case; NULL when unknown.
const struct arch *arch_find(struct arch_list list, str name);

// "HiFi4" and so on; false for anything else.
bool fidelity_parse(str s, enum fidelity *f);
const char *fidelity_name(enum fidelity f);

// Reads one ini text; `file` is for messages. Public for the tests.
bool arch_parse(str text, const char *file, struct arena *a, struct arch_list *list,
                struct err *e);

#endif
