// command.h - commands and their options as tables. Help, completion, manual pages and "did
// you mean" are printed from the same tables that the parser uses.
#ifndef TTP_CLI_COMMAND_H
#define TTP_CLI_COMMAND_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "base/err.h"
#include "base/str.h"

enum option_kind {
    OPTION_FLAG,
    OPTION_TEXT,
    OPTION_LIST, // may be given again and again
    OPTION_FILE,
    OPTION_CHOICE,
    OPTION_INT,
    OPTION_REAL
};

struct option {
    const char *name; // long, without the dashes
    char letter;      // short form, 0: none
    enum option_kind kind;
    size_t at;           // offset of its value: bool, const char *, int64_t, double or list
    const char *arg;     // what the value is called: "FILE"
    const char *choices; // of OPTION_CHOICE, separated by blanks
    const char *help;
    const char *group; // heading in help and manual; NULL: as the option before
};

struct option_list {
    const char *v[32];
    size_t n;
};

// What the rest of the command line is.
struct words {
    const char **v;
    size_t n;
};

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

// A line of a summary: a name, and behind it in one column what there is to say.
void command_fact(struct buf *b, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
// Prints and frees the text; returns the exit code.
int command_print(struct buf *b, struct err *e);
// One line a kind of odd data: the place of the first, what, how often, what to do. With
// is_strict, any is an error.
void command_findings(const char *command, const struct diag *d, bool is_strict,
                      struct err *e);
// The profiler's folder: $TT_METAL_PROFILER_DIR, $TT_METAL_HOME/generated/profiler or
// generated/profiler.
const char *command_artifacts_root(struct arena *a);
// Should output to this descriptor be coloured, when nobody forces it?
bool colour_by_default(int fd);

#endif
