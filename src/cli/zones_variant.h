// zones_variant.h - letters that mean different things in the two generations of
// tracy-csvexport: the file decides, `--fork` and `--upstream` override it.
#ifndef TTP_CLI_ZONES_VARIANT_H
#define TTP_CLI_ZONES_VARIANT_H

#include "cli/command.h"

// The command itself, whose letters are those of the fork, or a copy of it with those of
// upstream: -p is --plot, -t is --truncated_mean. The copy has room for the options.
const struct command *zones_choose(const struct command *c, int argc, char **argv,
                                   struct command *copy, struct option *options);

#endif
