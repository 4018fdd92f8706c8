// main.c - the command table and dispatch.
#include <errno.h>
#include <signal.h>

#include "base/data/mem.h"
#include "base/file/file.h"
#include "base/file/mapping.h"
#include "base/file/temporary.h"
#include "base/text/log.h"

#include "cli/command.h"

// For the recorder, of which this program has a copy for its workloads: see
// record/process.c.
extern const char ttprof_listens_in_runs_only;
const char ttprof_listens_in_runs_only = 1;

const struct command *const commands[] = {
    &cmd_run,      &cmd_capture,   &cmd_profile, &cmd_profile_this, &cmd_zones,
    &cmd_flame,    &cmd_csvexport, &cmd_convert, &cmd_timeline,     &cmd_ops,
    &cmd_ops_diff, &cmd_report,    &cmd_train,   &cmd_check,        &cmd_device,
    &cmd_decode,   &cmd_info,      &cmd_kernel,  &cmd_sim,          &cmd_arch,
    &cmd_doctor,   &cmd_help,      &cmd_version};
const size_t n_commands = sizeof commands / sizeof *commands;

const struct command *command_find(str name)
{
    for (size_t i = 0; i < n_commands; i++)
        if (str_is(name, commands[i]->name))
            return commands[i];
    return NULL;
}

const char *command_suggest(str name)
{
    const char *nearest = NULL;
    unsigned best = 3;
    for (size_t i = 0; i < n_commands; i++) {
        unsigned d = str_distance(name, str_of(commands[i]->name), best);
        if (d < best) {
            best = d;
            nearest = commands[i]->name;
        }
    }
    return nearest;
}

// "sim run" -> "run"
static str part_word(const struct command *c, size_t i)
{
    return str_from(str_of(c->parts[i]->name), strlen(c->name) + 1);
}

const struct command *command_part(const struct command *c, str word, struct err *e)
{
    const struct command *nearest = NULL;
    unsigned best = 3;
    for (size_t i = 0; i < c->n_parts; i++) {
        unsigned d = str_distance(word, part_word(c, i), best);
        if (d < best) {
            best = d;
            nearest = c->parts[i];
        }
    }
    if (nearest && best == 0)
        return nearest;
    if (nearest)
        (void)err_set(e, ERR_USAGE, "unknown command '%s %.*s'; did you mean 'ttprof %s'?",
                      c->name, STR(word), nearest->name);
    else
        (void)err_set(e, ERR_USAGE,
                      "unknown command '%s %.*s'; 'ttprof %s --help' lists all", c->name,
                      STR(word), c->name);
    return NULL;
}

static void do_nothing(int signal)
{
    (void)signal;
}

// A reader of stdout that stops reading, such as `head`, must not keep a command from
// writing its files: the write fails instead of ending the program. Programs started by
// this one get the default back, because a handler does not survive exec().
static void survive_closed_pipe(void)
{
    struct sigaction before, handler = {.sa_handler = do_nothing, .sa_flags = SA_RESTART};
    if (sigaction(SIGPIPE, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
        (void)sigaction(SIGPIPE, &handler, NULL);
}

// Ends the program as the signal would have done, or tells why printing failed.
static void check_stdout(struct err *e)
{
    struct sigaction now;
    int why = out_stdout_error();
    if (why == EPIPE && sigaction(SIGPIPE, NULL, &now) == 0 &&
        now.sa_handler == do_nothing) {
        (void)signal(SIGPIPE, SIG_DFL);
        (void)raise(SIGPIPE);
    }
    if (why)
        (void)out_fail("stdout", why, e);
}

static int dispatch(const struct command *c, int argc, char **argv, struct err *e)
{
    if (c->n_parts && argc > 0 && argv[0][0] != '-') {
        const struct command *part = command_part(c, str_of(argv[0]), e);
        if (part)
            return dispatch(part, argc - 1, argv + 1, e);
        log_line("%s", e->text);
        return err_exit_code(e->code);
    }
    if (c->variant)
        c = c->variant(argc, argv);
    void *values = mem_alloc(c->values_size);
    struct words words = {0};
    struct buf help = {0};
    int code = 0;
    switch (options_parse(c, argc, argv, values, &words, e)) {
    case PARSED_OK: code = c->run(values, words, e); break;
    case PARSED_HELP:
        help_command(c, &help);
        code = command_print(&help, e);
        break;
    case PARSED_ERROR: break;
    }
    mem_free(words.v);
    mem_free(values);
    (void)mapping_check(e); // the cause of whatever else was found
    if (e->code == ERR_NONE)
        check_stdout(e);
    if (e->code == ERR_NONE)
        return code;
    log_line("%s: %s", c->name, e->text);
    bool is_usage = e->code == ERR_USAGE;
    if (!c->has_compatible_exit)
        return err_exit_code(e->code);
    return !is_usage ? 1 : c->usage_exit ? c->usage_exit : 2;
}

// The command for the link this program was called by, such as "tt-perf-report".
static const struct command *by_link(const char *program)
{
    const char *slash = program ? strrchr(program, '/') : NULL;
    str base = str_of(slash ? slash + 1 : program);
    for (size_t i = 0; i < n_commands; i++)
        if (commands[i]->also && str_is(base, commands[i]->also))
            return commands[i];
    return NULL;
}

static int fail_no_command(const char *name)
{
    const char *nearest = command_suggest(str_of(name));
    if (nearest)
        log_line("unknown command '%s'; did you mean 'ttprof %s'?", name, nearest);
    else
        log_line("unknown command '%s'; 'ttprof help' lists all", name);
    return 2;
}

int main(int argc, char **argv)
{
    struct err e = {0};
    mapping_guard();
    survive_closed_pipe();
    temporary_remove_on_signals();
    const struct command *c = by_link(argc ? argv[0] : "");
    if (c)
        return dispatch(c, argc - 1, argv + 1, &e);
    if (argc < 2) {
        struct buf b = {0};
        help_overview(&b);
        (void)command_print(&b, &e);
        return 2;
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        name = "version";
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    c = command_find(str_of(name));
    return c ? dispatch(c, argc - 2, argv + 2, &e) : fail_no_command(name);
}
