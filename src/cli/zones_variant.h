// zones_variant.h - the options of tracy-csvexport, and the letters that mean different
// things in its two generations: the file decides, `--fork` and `--upstream` override it.
#ifndef TTP_CLI_ZONES_VARIANT_H
#define TTP_CLI_ZONES_VARIANT_H

#include "app/zones/zones.h"
#include "cli/command.h"

#define ZONES_AT(field) .at = offsetof(struct zones_values, field)

// Options of `zones` and `csvexport` alike; title: of the group that the first one begins,
// NULL: none.
// clang-format off
#define CSVEXPORT_FORMS(title) \
    {.name = "unwrap", .letter = 'u', .kind = OPTION_FLAG, ZONES_AT(unwrap), .group = (title), \
     .help = "one row per zone instead of statistics"}, \
    {.name = "messages", .letter = 'm', .kind = OPTION_FLAG, ZONES_AT(messages), \
     .help = "one row per message, signpost and op record"}, \
    {.name = "gpu", .letter = 'g', .kind = OPTION_FLAG, ZONES_AT(gpu), \
     .help = "one row per device zone of a .tracy file"}, \
    {.name = "sep", .letter = 's', .kind = OPTION_TEXT, ZONES_AT(separator), .arg = "TEXT", \
     .help = "separator between cells (default ,)"}, \
    {.name = "output", .letter = 'o', .kind = OPTION_FILE, ZONES_AT(output), .arg = "FILE", \
     .help = "output file (default: stdout)"}, \
    {.name = "compat", .kind = OPTION_FLAG, ZONES_AT(compat), \
     .help = "compatible with tracy-csvexport's errors: empty cells repeat the row above, nothing is quoted"}
#define CSVEXPORT_FORK(title) \
    {.name = "fork", .kind = OPTION_FLAG, ZONES_AT(fork), .group = (title), \
     .help = "columns and options of tt-metal's 0.10 (default for its files and for runs)"}, \
    {.name = "children", .letter = 'x', .kind = OPTION_TEXT, ZONES_AT(children), .arg = "LIST", \
     .help = "with -u: names of zones, separated by commas, to show with the text of their parent"}, \
    {.name = "parent", .letter = 't', .kind = OPTION_TEXT, ZONES_AT(parent), .arg = "TEXT", \
     .help = "with -x: the nearest enclosing zone with this in its name"}, \
    {.name = "special-parent", .letter = 'p', .kind = OPTION_TEXT, ZONES_AT(parent_too), .arg = "TEXT", \
     .help = "old name of --parent"}
#define CSVEXPORT_UPSTREAM(title) \
    {.name = "upstream", .kind = OPTION_FLAG, ZONES_AT(upstream), .group = (title), \
     .help = "columns and options of upstream 0.14 (default for its files): -p is --plot, -t is --truncated_mean"}, \
    {.name = "plot", .kind = OPTION_FLAG, ZONES_AT(plot), \
     .help = "with -u --upstream: plots and memory as rows after the zones"}, \
    {.name = "truncated_mean", .kind = OPTION_TEXT, ZONES_AT(truncated_mean), .arg = "N", .none = "90", \
     .help = "statistics with percentile N (1 to 99, default 90) and the mean of the values up to it"}
// clang-format on

// The command itself, whose letters are those of the fork, or a copy of it with those of
// upstream: -p is --plot, -t is --truncated_mean. The copy has room for the options.
const struct command *zones_choose(const struct command *c, int argc, char **argv,
                                   struct command *copy, struct option *options);

#endif
