// run.c - runs and records a command from start to end.
#include "app/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text/log.h"

#include "app/run/clients.h"
#include "app/run/preload.h"

LOG_DOMAIN("app");

enum { EXIT_INTERRUPTED = 3, EXIT_COMMAND_FAILED = 4, EXIT_SIGNALLED = 128 };
static const uint64_t calibration_ns = 2000000; // of the time stamp counter, at the start

void run_problem(struct wrapped_run *r, const char *fmt, ...)
{
    char text[900];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    log_line("run: %s", text);
    buf_printf(&r->problems, "%s\n", text);
}

// --- before ----------------------------------------------------------------------------
static int tell_usage(const struct wrapped_run *r, struct err *e)
{
    // No arguments at all are a usage error; options alone do nothing.
    if (run_options_are_default(r)) {
        (void)err_set(
            e, ERR_USAGE,
            "no command given; usage: ttprof run [OPTIONS] [--] COMMAND [ARGUMENTS]");
        return 2;
    }
    struct buf b = {0};
    buf_z(&b, "Usage: ttprof run [OPTIONS] [--] COMMAND [ARGUMENTS]\n");
    return command_print(&b, e);
}

static bool tell_folders(const struct run_values *v, struct err *e)
{
    struct stat st;
    if (v->output_folder && !v->quiet)
        log_line("run: Setting profiler artifacts folder to %s", v->output_folder);
    if (!v->tools_folder)
        return true;
    if (!v->quiet)
        log_line("run: Setting tracy tool folder to %s", v->tools_folder);
    if (stat(v->tools_folder, &st) < 0)
        return err_set(e, ERR_FAILED, "Tracy tools folder %s does not exist",
                       v->tools_folder);
    return true;
}

// A file of ours must not become the stderr of log lines. The command gets its descriptors
// as they were.
static void fill_descriptors(void)
{
    int fd = 0;
    while (fd >= 0 && fd <= STDERR_FILENO)
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (fd > STDERR_FILENO)
        (void)close(fd);
}

static void start_clocks(struct wrapped_run *r)
{
    r->clock_start = run_clock_read();
    r->start_ns = r->clock_start.ns;
    r->start_time = (int64_t)time(NULL);
    // Creating the folder usually takes longer; a rate over less time is too imprecise.
    struct timespec pause = {.tv_nsec = (long)calibration_ns};
    (void)nanosleep(&pause, NULL);
    r->ticks_per_ns = run_clock_rate(r->clock_start);
}

static void tell_command(const struct wrapped_run *r)
{
    struct buf b = {0};
    for (size_t i = 0; i < r->command.n; i++)
        buf_printf(&b, "%s%s", i ? " " : "", r->command.v[i]);
    log_line("run: command: %.*s", STR(b));
    str rest = buf_view(&r->environment);
    while (rest.n) {
        str line = str_cut(&rest, '\n');
        bool is_set = memchr(line.p, '=', line.n) != NULL;
        log_line("run: %s %.*s", is_set ? "set" : "unset", STR(line));
    }
    buf_free(&b);
}

// --- after -----------------------------------------------------------------------------
int run_code(const struct wrapped_run *r)
{
    return WIFSIGNALED(r->status) ? EXIT_SIGNALLED + WTERMSIG(r->status)
                                  : WEXITSTATUS(r->status);
}

static int exit_code(const struct wrapped_run *r)
{
    if (r->was_interrupted)
        return EXIT_INTERRUPTED;
    if (r->skips_reports)
        return EXIT_COMMAND_FAILED;
    return r->v->ignore_exit_code ? 0 : run_code(r);
}

static void finish(struct wrapped_run *r)
{
    struct err e = {0};
    r->ticks_per_ns = run_clock_rate(r->clock_start);
    run_folder_close(r);
    run_settle_end(r);
    // From here on Ctrl-C ends ttprof: what is recorded is complete.
    (void)sigprocmask(SIG_SETMASK, &r->signals.mask, NULL);
    r->skips_reports = r->v->check_exit_code && run_code(r) != 0;
    if (r->skips_reports)
        log_line("run: %.*s exited with a non-zero return code", STR(r->as_given));
    if (!r->folder)
        return;
    if (r->preload[0])
        preload_remove(r->preload);
    run_outputs(r, &e);
    if (e.code != ERR_NONE)
        log_line("run: %s", e.text);
}

void run_free(struct wrapped_run *r)
{
    run_clients_free(r->clients);
    run_folder_free_page(r);
    for (size_t i = 0; i < r->variables.n; i++) {
        mem_free(r->variables.v[i].name);
        mem_free(r->variables.v[i].value);
    }
    for (size_t i = 0; i < r->owned.n; i++)
        mem_free(r->owned.v[i]);
    vec_free(&r->variables);
    vec_free(&r->owned);
    buf_free(&r->as_given);
    buf_free(&r->environment);
    buf_free(&r->problems);
    mem_free(r->command.v);
    mem_free(r->root);
    mem_free(r->folder);
    mem_free(r->logs);
    mem_free(r->process_log);
}

// --- the ways to run -------------------------------------------------------------------
// In place of this process: what the reference starts as its own target.
static int replace_process(struct wrapped_run *r)
{
    int code = 0;
    char *file = run_target_file(r, &code);
    if (!file)
        return code;
    run_environment(r);
    run_environment_apply(r);
    (void)execvp(file, (char *const *)(void *)r->command.v);
    log_line("run: %s: cannot be executed: %s", file, strerror(errno));
    code = errno == ENOENT ? 127 : 126;
    mem_free(file);
    return code;
}

static int record(struct wrapped_run *r)
{
    int code = 0;
    char *file = run_target_file(r, &code); // before creating a folder
    if (!file)
        return code;
    mem_free(file);
    fill_descriptors();
    run_signals_take(r);
    start_clocks(r);
    (void)run_folder_make(r);
    r->clients = run_clients_start(r);
    run_environment(r);
    log_info("run: recording into %s", r->folder ? r->folder : "no folder");
    if (r->v->verbose)
        tell_command(r);
    if (!run_to_end(r, &code)) {
        run_folder_remove(r);
        return code;
    }
    finish(r);
    return exit_code(r);
}

int run_whole(struct wrapped_run *r, struct words words, struct err *e)
{
    const struct run_values *v = r->v;
    if (!run_options_check(v, e) || !tell_folders(v, e))
        return 2;
    run_root(r);
    if (v->process_logs_only) {
        run_outputs(r, e);
        return 0;
    }
    if (!run_options_settle(v, &r->settings, e))
        return 2;
    if (words.n == 0)
        return tell_usage(r, e);
    if (!run_target(r, words, e))
        return 2;
    return v->no_capture_tool ? replace_process(r) : record(r);
}
