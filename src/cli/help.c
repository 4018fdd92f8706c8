// help.c - prints help, manual pages and shell completion of the commands.
#include "cli/command.h"

enum { HELP_WIDTH = 92, HELP_INDENT = 30 };

// Wraps text between words, indented to column `indent`.
static void put_wrapped(struct buf *b, str text, size_t indent)
{
    size_t room = HELP_WIDTH - indent, used = 0;
    while (text.n) {
        str word = str_cut(&text, ' ');
        size_t n = str_points(word);
        if (used && used + 1 + n > room) {
            buf_char(b, '\n');
            buf_fill(b, ' ', indent);
            used = 0;
        }
        if (used) {
            buf_char(b, ' ');
            used++;
        }
        buf_str(b, word);
        used += n;
    }
    buf_char(b, '\n');
}

// "--csv FILE", "--group-by op|memory|category"
static void put_form(struct buf *b, const struct option *o)
{
    if (o->letter)
        buf_printf(b, "-%c, ", o->letter);
    buf_printf(b, "--%s", o->name);
    if (o->kind == OPTION_FLAG)
        return;
    buf_char(b, ' ');
    if (o->kind != OPTION_CHOICE) {
        buf_z(b, o->arg);
        return;
    }
    for (const char *c = o->choices; *c; c++)
        buf_char(b, *c == ' ' ? '|' : *c);
}

static void put_option(struct buf *b, const struct option *o)
{
    size_t from = b->n;
    buf_z(b, "  ");
    put_form(b, o);
    size_t n = b->n - from;
    if (n + 2 > HELP_INDENT) {
        buf_char(b, '\n');
        n = 0;
    }
    buf_fill(b, ' ', HELP_INDENT - n);
    put_wrapped(b, str_of(o->help), HELP_INDENT);
}

// All options but --help, in order; NULL after the last.
static const struct option *option_of(const struct command *c, size_t i)
{
    if (i < c->n_options)
        return &c->options[i];
    return i == c->n_options && c->reads_input ? &max_input_option : NULL;
}

void help_overview(struct buf *b)
{
    buf_z(
        b,
        "ttprof profiles programs on Tenstorrent-class accelerators and the host code that drives them.\n\nUsage: ttprof COMMAND [OPTIONS] [ARGUMENTS]\n\nCommands:\n");
    for (size_t i = 0; i < n_commands; i++)
        buf_printf(b, "  %-12s %s\n", commands[i]->name, commands[i]->what);
    buf_z(b, "\nUse 'ttprof COMMAND --help' for options and examples.\n");
}

void help_command(const struct command *c, struct buf *b)
{
    buf_printf(b, "Usage: ttprof %s %s%s\n\n", c->name, c->n_options ? "[OPTIONS] " : "",
               c->args);
    str about = str_of(c->about ? c->about : c->what);
    while (about.n) {
        str paragraph = str_cut(&about, '\n');
        put_wrapped(b, paragraph, 0);
    }
    if (c->n_parts)
        buf_z(b, "\nCommands:\n");
    for (size_t i = 0; i < c->n_parts; i++)
        buf_printf(b, "  %-*s%s\n", HELP_INDENT - 2, c->parts[i]->name, c->parts[i]->what);
    const struct option *o;
    for (size_t i = 0; (o = option_of(c, i)); i++) {
        if (o->group)
            buf_printf(b, "\n%s:\n", o->group);
        put_option(b, o);
    }
    buf_z(b, c->n_options ? "\n" : "\nOptions:\n");
    buf_printf(b, "  %-*s%s\n", HELP_INDENT - 2, "-h, --help", "show this help and exit");
    if (c->n_examples)
        buf_z(b, "\nExamples:\n");
    for (size_t i = 0; i < c->n_examples; i++)
        buf_printf(b, "  %s\n      %s\n", c->examples[i].command, c->examples[i].what);
    if (c->also)
        buf_printf(b, "\nA link named '%s' to this program runs this command.\n", c->also);
}

// --- manual pages ---

// Escapes text for troff: backslashes, hyphens, and control characters that start a line.
static void put_roff(struct buf *b, str s)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (i == 0 && (c == '.' || c == '\''))
            buf_z(b, "\\&");
        if (c == '\\')
            buf_z(b, "\\e");
        else if (c == '-')
            buf_z(b, "\\-");
        else
            buf_char(b, c);
    }
}

static void put_paragraphs(struct buf *b, const char *text)
{
    str rest = str_of(text);
    while (rest.n) {
        str paragraph = str_cut(&rest, '\n');
        buf_z(b, paragraph.n ? "" : ".PP");
        put_roff(b, paragraph);
        buf_char(b, '\n');
    }
}

static void put_man_option(struct buf *b, const struct option *o)
{
    if (o->group) {
        buf_z(b, ".SS ");
        put_roff(b, str_of(o->group));
        buf_char(b, '\n');
    }
    struct buf form = {0};
    put_form(&form, o);
    buf_z(b, ".TP\n.B ");
    put_roff(b, buf_view(&form));
    buf_char(b, '\n');
    put_roff(b, str_of(o->help));
    buf_char(b, '\n');
    buf_free(&form);
}

static void put_man_part(struct buf *b, const struct command *part)
{
    buf_printf(b, ".SS ttprof %s %s%s\n", part->name, part->n_options ? "[OPTIONS] " : "",
               part->args);
    put_paragraphs(b, part->about ? part->about : part->what);
    const struct option *o;
    for (size_t i = 0; (o = option_of(part, i)); i++) {
        struct option plain = *o;
        plain.group = NULL;
        put_man_option(b, &plain);
    }
}

static void put_exit_codes(const struct command *c, struct buf *b)
{
    buf_z(b, ".SH EXIT STATUS\n");
    if (c && c->exit_status) {
        put_paragraphs(b, c->exit_status);
        return;
    }
    buf_z(
        b,
        c && c->has_compatible_exit
            ? "0 on success, even if nothing is left to show; 1 if an input cannot be "
              "read, an output cannot be written, or \\-\\-strict found odd data; 2 for a "
              "bad command line.\n"
            : "0 on success; 1 if a check failed; 2 for a bad command line; 3 for a system error; 4 if an input has the wrong format; 5 if a limit was reached.\n");
}

static void put_environment(struct buf *b)
{
    buf_z(b,
          ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nif set and not empty, no colors are used "
          "unless \\-\\-color is given\n.TP\n.B TTPROF_THREADS\nnumber of threads; does "
          "not change results\n");
}

void help_man(const struct command *c, struct buf *b)
{
    if (!c) {
        buf_z(b,
              ".TH TTPROF 1 \"\" \"ttprof " TTPROF_VERSION
              "\" \"ttprof manual\"\n"
              ".SH NAME\nttprof \\- profiler for many\\-core accelerators and their hosts\n"
              ".SH SYNOPSIS\n.B ttprof\nCOMMAND [OPTIONS] [ARGUMENTS]\n.SH COMMANDS\n");
        for (size_t i = 0; i < n_commands; i++)
            buf_printf(b, ".TP\n.B %s\n%s; see ttprof\\-%s(1)\n", commands[i]->name,
                       commands[i]->what, commands[i]->name);
        put_exit_codes(NULL, b);
        put_environment(b);
        return;
    }
    buf_printf(b, ".TH TTPROF-%s 1 \"\" \"ttprof " TTPROF_VERSION "\" \"ttprof manual\"\n",
               c->name);
    buf_printf(b, ".SH NAME\nttprof\\-%s \\- %s\n.SH SYNOPSIS\n.B ttprof %s\n%s%s\n",
               c->name, c->what, c->name, c->n_options ? "[OPTIONS] " : "", c->args);
    buf_z(b, ".SH DESCRIPTION\n");
    put_paragraphs(b, c->about ? c->about : c->what);
    if (c->n_options)
        buf_z(b, ".SH OPTIONS\n");
    const struct option *o;
    for (size_t i = 0; (o = option_of(c, i)); i++)
        put_man_option(b, o);
    if (c->n_parts)
        buf_z(b, ".SH COMMANDS\n");
    for (size_t i = 0; i < c->n_parts; i++)
        put_man_part(b, c->parts[i]);
    if (c->n_examples)
        buf_z(b, ".SH EXAMPLES\n");
    for (size_t i = 0; i < c->n_examples; i++) {
        buf_z(b, ".TP\n.B ");
        put_roff(b, str_of(c->examples[i].command));
        buf_char(b, '\n');
        put_roff(b, str_of(c->examples[i].what));
        buf_char(b, '\n');
    }
    put_exit_codes(c, b);
    put_environment(b);
}

// --- completion ---

static void put_names(struct buf *b)
{
    for (size_t i = 0; i < n_commands; i++)
        buf_printf(b, "%s%s", i ? " " : "", commands[i]->name);
}

// The name as part of a shell function name: "sim_run".
static void put_function(struct buf *b, const struct command *c)
{
    buf_z(b, "_ttprof_");
    for (const char *p = c->name; *p; p++)
        buf_char(b, *p == ' ' ? '_' : *p);
}

// A command with subcommands: the second word picks the function.
static void bash_parts(const struct command *c, struct buf *b)
{
    put_function(b, c);
    buf_z(b, "() {\n    if ((COMP_CWORD == 2)); then\n        COMPREPLY=($(compgen -W '");
    for (size_t i = 0; i < c->n_parts; i++)
        buf_printf(b, "%s ", c->parts[i]->name + strlen(c->name) + 1);
    buf_z(b, "--help' -- \"$1\"))\n    elif declare -F \"");
    put_function(b, c);
    buf_z(b, "_${COMP_WORDS[2]}\" >/dev/null; then\n        \"");
    put_function(b, c);
    buf_z(b, "_${COMP_WORDS[2]}\" \"$1\" \"$2\"\n    fi\n}\n");
}

static void bash_command(const struct command *c, struct buf *b)
{
    if (c->n_parts) {
        for (size_t i = 0; i < c->n_parts; i++)
            bash_command(c->parts[i], b);
        bash_parts(c, b);
        return;
    }
    put_function(b, c);
    buf_z(b, "() {\n    local cur=$1 prev=$2\n    case $prev in\n");
    const struct option *o;
    for (size_t i = 0; (o = option_of(c, i)); i++) {
        if (o->kind == OPTION_CHOICE)
            buf_printf(b,
                       "    --%s) COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return ;;\n",
                       o->name, o->choices);
        else if (o->kind == OPTION_FILE)
            buf_printf(b, "    --%s) COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n",
                       o->name);
        else if (o->kind != OPTION_FLAG)
            buf_printf(b, "    --%s) COMPREPLY=(); return ;;\n", o->name);
    }
    buf_z(b, "    esac\n    if [[ $cur == -* ]]; then\n        COMPREPLY=($(compgen -W '");
    for (size_t i = 0; (o = option_of(c, i)); i++)
        buf_printf(b, "--%s ", o->name);
    buf_z(b,
          "--help' -- \"$cur\"))\n    else\n        COMPREPLY=($(compgen -f -- \"$cur\"))\n"
          "    fi\n}\n");
    if (c->also)
        buf_printf(
            b,
            "_ttprof_as_%s() { _ttprof_%s \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD-1]}\"; }\n"
            "complete -o filenames -F _ttprof_as_%s %s\n",
            c->name, c->name, c->name, c->also);
}

static void bash_completion(struct buf *b)
{
    buf_z(b, "# bash completion for ttprof, printed by 'ttprof help --completion bash'\n");
    for (size_t i = 0; i < n_commands; i++)
        bash_command(commands[i], b);
    buf_z(b,
          "_ttprof() {\n    local cur=${COMP_WORDS[COMP_CWORD]}\n"
          "    if ((COMP_CWORD == 1)); then\n        COMPREPLY=($(compgen -W '");
    put_names(b);
    buf_z(b,
          " --help --version' -- \"$cur\"))\n    elif declare -F "
          "\"_ttprof_${COMP_WORDS[1]}\" >/dev/null; then\n        "
          "\"_ttprof_${COMP_WORDS[1]}\" \"$cur\" \"${COMP_WORDS[COMP_CWORD-1]}\"\n"
          "    fi\n}\ncomplete -o filenames -F _ttprof ttprof\n");
}

static void fish_option(const char *command, const struct option *o, struct buf *b)
{
    buf_printf(b, "complete -c ttprof -n '__fish_seen_subcommand_from %s' -l %s", command,
               o->name);
    if (o->kind == OPTION_CHOICE)
        buf_printf(b, " -x -a '%s'", o->choices);
    else if (o->kind != OPTION_FLAG)
        buf_z(b, " -r");
    buf_z(b, "\n");
}

// Options of a command and its subcommands (fish matches the command's word only).
static void fish_options(const char *command, const struct command *c, struct buf *b)
{
    const struct option *o;
    for (size_t i = 0; (o = option_of(c, i)); i++)
        fish_option(command, o, b);
    for (size_t i = 0; i < c->n_parts; i++) {
        buf_printf(
            b, "complete -c ttprof -n '__fish_seen_subcommand_from %s' -a %s -d \"%s\"\n",
            command, c->parts[i]->name + strlen(c->name) + 1, c->parts[i]->what);
        fish_options(command, c->parts[i], b);
    }
}

static void fish_completion(struct buf *b)
{
    buf_z(b, "# fish completion for ttprof, printed by 'ttprof help --completion fish'\n");
    for (size_t i = 0; i < n_commands; i++) {
        const struct command *c = commands[i];
        buf_printf(b, "complete -c ttprof -n __fish_use_subcommand -a %s -d \"%s\"\n",
                   c->name, c->what);
        fish_options(c->name, c, b);
    }
}

static void zsh_completion(struct buf *b)
{
    buf_z(b,
          "#compdef ttprof\n# zsh completion, printed by 'ttprof help --completion zsh'\n"
          "autoload -U +X bashcompinit && bashcompinit\n");
    bash_completion(b);
}

bool help_completion(str shell, struct buf *b)
{
    static const struct {
        const char *shell;
        void (*put)(struct buf *b);
    } shells[] = {
        {"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        if (str_is(shell, shells[i].shell)) {
            shells[i].put(b);
            return true;
        }
    }
    return false;
}
