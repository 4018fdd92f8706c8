// fuzz_sim_config.c - any bytes as the device's configuration, as a cost file and as a file
// of links. What can be read describes a chip that can be laid out.
#include <string.h>

#include "../support/memory_file.h"
#include "fuzz.h"
#include "sim/chips.h"

static void check_line(bool ok, const char *err)
{
    must(ok == (err[0] == '\0'));
    must(!strchr(err, '\n') && strlen(err) < sizeof(struct err));
}

static void lay_out(ttdev_cfg cfg)
{
    struct err e = {0};
    cfg.costs_file[0] = '\0'; // a path that the fuzzer made up
    if (cfg.dispatch != TTDEV_DISPATCH_FAST)
        cfg.cqs = 1; // the one thing that depends on who opens the device
    struct chip *chip = mem_alloc(sizeof *chip);
    must(chip_lay_out(chip, &cfg, cfg.n_devices - 1, &e));
    must(chip->grid.x > 0 && chip->grid.y > 0 &&
         chip->n_workers >= chip->grid.x * chip->grid.y);
    must(chip->n_flat == chip->n_tiles);
    must(chip->cores_per_bank * chip->n_banks >= chip->n_flat);
    must(chip->period_fs > 0 && chip->drift_ms > 0);
    for (int i = 0; i < chip->n_tiles; i++)
        must(chip->tiles[i].skew <= cfg.tile_skew);
    chip_lay_out_free(chip);
    mem_free(chip);
}

static void check_links(ttdev_cfg cfg)
{
    struct link links[128];
    struct err e = {0};
    int n = cluster_links(&cfg, links, 128, &e);
    check_line(n >= 0, e.text);
    const struct board *board = chip_board(cfg.board);
    for (int i = 0; i < n; i++)
        for (int end = 0; end < 2; end++) {
            must(links[i].dev[end] >= 0 && links[i].dev[end] < cfg.n_devices);
            must(links[i].channel[end] >= 0 && links[i].channel[end] < board->n_channels);
        }
}

// The terminated text.
static void as_config(const char *text)
{
    struct err e = {0};
    ttdev_cfg cfg;
    ttdev_cfg_default(&cfg);
    int rc = ttdev_cfg_parse(&cfg, text, &e);
    check_line(rc == 0, e.text);
    if (rc != 0)
        return;
    lay_out(cfg);
    if (cfg.links != TTDEV_LINKS_FILE)
        check_links(cfg);
}

static void as_costs(str text)
{
    struct err e = {0};
    struct sim_costs costs;
    costs_default(&costs, TT_BLACKHOLE);
    bool ok = costs_parse(&costs, text.p, text.n, &e);
    check_line(ok, e.text);
    must(costs.alu > 0 && costs.noc_write_base >= SIM_LOOKAHEAD);
}

static void as_links(str text)
{
    struct memory_file f = memory_file_make(text);
    ttdev_cfg cfg;
    ttdev_cfg_default(&cfg);
    cfg.n_devices = 5;
    cfg.links = TTDEV_LINKS_FILE;
    (void)snprintf(cfg.links_file, sizeof cfg.links_file, "%s", f.path);
    check_links(cfg);
    memory_file_free(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = mem_alloc(size + 1);
    if (size)
        memcpy(text, data, size);
    as_config(text);
    as_costs((str){text, size});
    as_links((str){text, size});
    mem_free(text);
    return 0;
}
