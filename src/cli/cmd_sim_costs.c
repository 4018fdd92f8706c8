// cmd_sim_costs.c - the figures of the cycle model with their sources: `ttprof sim costs`.
#include "cli/cmd_sim.h"
#include "sim/tile/costs.h"

static const struct {
    const char *name;
    uint32_t wormhole, blackhole;
    const char *what;
} rows[] = {
#define ROW(name, wormhole, blackhole, what) {#name, (wormhole), (blackhole), (what)},
    SIM_COSTS(ROW)
#undef ROW
};

static int run_costs(const void *values, struct words words, struct err *e)
{
    (void)values, (void)words;
    struct buf b = {0};
    buf_printf(&b, "%-22s %8s  %9s  %s\n", "name", "wormhole", "blackhole",
               "source and meaning");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        buf_printf(&b, "%-22s %8u  %9u  %s\n", rows[i].name, rows[i].wormhole,
                   rows[i].blackhole, rows[i].what);
    return command_print(&b, e);
}

static const struct example costs_examples[] = {
    {"ttprof sim costs", "list every figure"},
};

const struct command cmd_sim_costs = {
    .name = "sim costs",
    .args = "",
    .what = "list the figures of the cycle model and their sources",
    .about =
        "D: documented by the vendor. M: measured on silicon and published. P: estimated, "
        "no published figure was found. A file with 'name = value' lines changes them for "
        "a run: --device costs=FILE.",
    .examples = costs_examples,
    .n_examples = sizeof costs_examples / sizeof *costs_examples,
    .run = run_costs,
};
