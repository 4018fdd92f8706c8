// command.h - commands and their options as tables. Help, completion, manual pages and "did
// you mean" are printed from the same tables that the parser uses.
#ifndef TTP_CLI_COMMAND_H
#define TTP_CLI_COMMAND_H

#include "base/text/buf.h"
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
    bool has_compatible_exit; // exits with 0, 1 or 2 only, like the tool it replaces
    int usage_exit;           // of such a command for a wrong command line; 0: 2
    const char *exit_status;  // text for the manual; NULL: the usual one
    bool stops_at_word;       // arguments after the first word belong to another command
    bool reads_input;         // takes --max-input
    // The command with the options that these arguments mean; NULL: always this one.
    const struct command *(*variant)(int argc, char **argv);
    // Returns the exit code; a set error decides it when there is one.
    int (*run)(const void *values, struct words words, struct err *e);
    const void *defaults; // initial values
    size_t values_size;
    // Of a command with subcommands, like `sim`: the first word picks one, named by both
    // words. The command itself has no options and no run.
    const struct command *const *parts;
    size_t n_parts;
};

extern const struct command cmd_report, cmd_device, cmd_info, cmd_kernel, cmd_ops,
    cmd_ops_diff, cmd_sim, cmd_arch, cmd_capture, cmd_check, cmd_convert, cmd_csvexport,
    cmd_decode, cmd_doctor, cmd_flame, cmd_help, cmd_profile, cmd_profile_this, cmd_run,
    cmd_timeline, cmd_train, cmd_version, cmd_zones;

// The options of `ttprof run`, for commands that run one.
extern const struct option_table run_option_table;

// All commands, in the order they are listed.
extern const struct command *const commands[];
extern const size_t n_commands;
const struct command *command_find(str name);
// Finds a subcommand by its word; NULL: sets an error that names the nearest.
const struct command *command_part(const struct command *c, str word, struct err *e);
// The command name nearest to a wrong one; NULL: none is near.
const char *command_suggest(str name);

// Of commands that read input.
extern const struct option max_input_option;

enum parsed { PARSED_OK, PARSED_HELP, PARSED_ERROR };
// Parses argv after the command's name into values (a copy of the defaults) and words.
enum parsed options_parse(const struct command *c, int argc, char **argv, void *values,
                          struct words *words, struct err *e);

void help_overview(struct buf *b);
void help_command(const struct command *c, struct buf *b);
void help_man(const struct command *c, struct buf *b); // NULL: the page of the program
bool help_completion(str shell, struct buf *b);

#endif
