// sim_tile.h - one tile with its RISCs and nothing around it: no firmware, no network, no
// other tiles. Programs are words put into the RISC's kernel slot.
#ifndef TTP_TESTS_SIM_TILE_H
#define TTP_TESTS_SIM_TILE_H

#include <stdlib.h>
#include <string.h>

#include "sim/chips.h"
#include "sim/cluster.h"
#include "sim/rv32/rv32.h"
#include "sim/tile/park.h"
#include "sim/tile/tile.h"

struct sim_tile {
    struct ttdev cluster;
    struct chip chip;
    struct tile tile;
    struct ttdev_image image[TT_RISCS];
    uint64_t next; // chip.next of the only tile
};

static inline void sim_tile_open_as(struct sim_tile *s, int arch, const ttdev_cfg *cfg)
{
    memset(s, 0, sizeof *s);
    s->cluster.cfg = *cfg;
    s->cluster.chips = &s->chip;
    s->cluster.n_chips = 1;
    s->chip.cluster = &s->cluster;
    s->chip.arch = arch;
    s->chip.layout = &tt_layouts[arch];
    s->chip.tiles = &s->tile;
    s->chip.n_tiles = s->chip.n_workers = 1;
    s->chip.period_fs = 1000000;
    s->chip.is_strict = cfg->strict;
    s->chip.next = &s->next;
    costs_default(&s->chip.costs, arch);
    s->tile.chip = &s->chip;
    s->tile.kind = TILE_TENSIX;
    s->tile.n_riscs = TT_RISCS;
    if (!tile_start(&s->tile))
        abort();
}

static inline void sim_tile_open(struct sim_tile *s, int arch)
{
    ttdev_cfg cfg;
    ttdev_cfg_default(&cfg);
    sim_tile_open_as(s, arch, &cfg);
}

static inline void sim_tile_close(struct sim_tile *s)
{
    tile_stop(&s->tile);
    for (unsigned i = 0; i < TT_RISCS; i++)
        mem_free(s->image[i].ops);
}

// Puts the program into L1 and the RISC at its start, at cycle 0 with all registers zero.
static inline struct risc *sim_tile_load(struct sim_tile *s, unsigned risc, uint32_t base,
                                         const uint32_t *words, size_t n)
{
    struct ttdev_image *image = &s->image[risc];
    struct risc *r = &s->tile.risc[risc];
    mem_free(image->ops);
    *image = (struct ttdev_image){.name = (char *)"test",
                                  .arch = s->chip.arch,
                                  .risc = (int)risc,
                                  .base = base,
                                  .bytes = (uint32_t)n * 4,
                                  .code_bytes = (uint32_t)n * 4,
                                  .entry = base,
                                  .ops = mem_alloc(mem_bytes(sizeof *image->ops, n + 1))};
    rv_decode(words, n, base, image->ops);
    memcpy(s->tile.l1 + base, words, n * 4);
    r->tile->code_from = 0;
    mem_free(r->code[CODE_KERNEL].own);
    r->code[CODE_KERNEL] = (struct code){
        .base = base, .bytes = image->code_bytes, .ops = image->ops, .image = image};
    s->tile.fault = (struct fault){0};
    rv_reset(r, base, 0);
    r->instructions = 0;
    return r;
}

// Runs all RISCs of the tile until none does, or to `end`.
static inline void sim_tile_run(struct sim_tile *s, uint64_t end)
{
    for (uint64_t at = s->tile.now; at < end && s->tile.fault.kind == FAULT_NONE;) {
        bool runs = s->tile.events.n > 0;
        for (unsigned i = 0; i < TT_RISCS; i++)
            runs |= s->tile.risc[i].state == RISC_RUNS;
        if (!runs)
            return;
        at = at + 16 < end ? at + 16 : end;
        tile_run(&s->tile, at);
        s->chip.now = at;
    }
}

// Every instruction of the RISC is shown to `step`; NULL: no longer.
static inline void sim_tile_trace(struct sim_tile *s, unsigned risc,
                                  void (*step)(void *context, const ttdev_step *step),
                                  void *context)
{
    struct risc *r = &s->tile.risc[risc];
    s->cluster.steps = (struct step_request){
        .risc = step ? r : NULL, .to = SIM_NEVER, .step = step, .context = context};
    park_forget(r);
}

#endif
