// command.h - commands and their options as tables. Help, completion, manual pages and "did
// you mean" are printed from the same tables that the parser uses.
#ifndef TTP_CLI_COMMAND_H
#define TTP_CLI_COMMAND_H

#include "base/data/arena.h"
#include "base/text/buf.h"
#include "base/text/diag.h"
#include "base/text/err.h"
#include "base/text/str.h"

#include "app/app.h"
#include "app/options.h"

struct example {
    const char *command;
    const char *what;
};

struct command {
    const char *name;
    const char *args;  // "CSV..."
    const char *what;  // one line
    const char *about; // paragraphs, NULL: none
    const struct option *options;
    size_t n_options;
    const struct example *examples;
    size_t n_examples;
    size_t least_words, most_words;
    const char *also;         // name of a link that runs this command; NULL: none
    bool has_compatible_exit; // the reference knows 0, 1 and 2 only
    const char *exit_status;  // for the manual, where it is neither; NULL: as all
    bool stops_at_word;       // all behind the first word belongs to another command
    // Returns the exit code; a set error decides it when there is one.
    int (*run)(const void *values, struct words words, struct err *e);
    const void *defaults; // values before any option was read
    size_t values_size;
    // Of a command in several parts, as `sim run`: the first word picks one, whose name is
    // both words. It has no options of its own and no run.
    const struct command *const *parts;
    size_t n_parts;
};

extern const struct command cmd_report, cmd_device, cmd_info, cmd_kernel, cmd_ops,
    cmd_ops_diff, cmd_sim, cmd_arch, cmd_check, cmd_decode, cmd_doctor, cmd_help,
    cmd_profile, cmd_profile_this, cmd_run, cmd_timeline, cmd_train, cmd_version, cmd_zones;

// The options of `ttprof run`, for commands that run one.
extern const struct option_table run_option_table;

// All commands, in the order they are listed.
extern const struct command *const commands[];
extern const size_t n_commands;
const struct command *command_find(str name);
// One of the parts by its own word; NULL: an error that names the nearest is set.
const struct command *command_part(const struct command *c, str word, struct err *e);
// The nearest name to a wrong one, NULL when none is near.
const char *command_suggest(str name);

enum parsed { PARSED_OK, PARSED_HELP, PARSED_ERROR };
// Reads argv behind the command's name into values (a copy of the defaults) and words.
enum parsed options_parse(const struct command *c, int argc, char **argv, void *values,
                          struct words *words, struct err *e);

void help_overview(struct buf *b);
void help_command(const struct command *c, struct buf *b);
void help_man(const struct command *c, struct buf *b); // NULL: the page of the program
bool help_completion(str shell, struct buf *b);

#endif
