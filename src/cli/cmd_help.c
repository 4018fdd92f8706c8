// cmd_help.c - help and version.
#include "cli/command.h"

struct help_values {
    bool man;
    const char *completion;
};

static const struct option help_options[] = {
    {.name = "man",
     .kind = OPTION_FLAG,
     .at = offsetof(struct help_values, man),
     .help = "print the manual page (troff) of COMMAND, or of the program",
     .group = "Options"},
    {.name = "completion",
     .kind = OPTION_CHOICE,
     .at = offsetof(struct help_values, completion),
     .choices = "bash zsh fish",
     .help = "print the completion script of a shell"},
};

static int run_help(const void *values, struct words words, struct err *e)
{
    const struct help_values *v = values;
    struct buf b = {0};
    const struct command *c = NULL;
    if (words.n) {
        c = command_find(str_of(words.v[0]));
        const char *nearest = command_suggest(str_of(words.v[0]));
        if (!c && nearest)
            (void)err_set(e, ERR_USAGE, "unknown command '%s'; did you mean '%s'?",
                          words.v[0], nearest);
        else if (!c)
            (void)err_set(e, ERR_USAGE, "unknown command '%s'; 'ttprof help' lists all",
                          words.v[0]);
        if (!c)
            return 2;
        if (words.n > 1 && !(c = command_part(c, str_of(words.v[1]), e)))
            return 2;
    }
    if (v->completion)
        (void)help_completion(str_of(v->completion), &b);
    else if (v->man)
        help_man(c, &b);
    else if (c)
        help_command(c, &b);
    else
        help_overview(&b);
    return command_print(&b, e);
}

static int run_version(const void *values, struct words words, struct err *e)
{
    (void)values;
    (void)words;
    struct buf b = {0};
    buf_z(&b, "ttprof " TTPROF_VERSION "\n");
    return command_print(&b, e);
}

static const struct example help_examples[] = {
    {"ttprof help report", "options and examples of a command"},
    {"ttprof help --man report | man -l -", "show the manual page without installing it"},
};

static const struct help_values help_defaults = {0};

const struct command cmd_help = {
    .name = "help",
    .args = "[COMMAND [PART]]",
    .what = "show help for a command",
    .options = help_options,
    .n_options = sizeof help_options / sizeof *help_options,
    .examples = help_examples,
    .n_examples = sizeof help_examples / sizeof *help_examples,
    .most_words = 2,
    .run = run_help,
    .defaults = &help_defaults,
    .values_size = sizeof help_defaults,
};

const struct command cmd_version = {
    .name = "version",
    .args = "",
    .what = "print the version",
    .run = run_version,
};
