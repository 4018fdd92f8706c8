// processes.c - ports, and leftovers of earlier runs.
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text/num.h"

#include "app/doctor/checks.h"
#include "app/doctor/survey.h"
#include "app/run/run.h"
#include "record/process_log_write.h"

enum { TRACY_PORT = 8086, WEB_PORT = 8080, SHOWN = 3 };

// --- ports -----------------------------------------------------------------------------
// The variable's value; 0: not a port.
static int port_of(const char *variable, int otherwise)
{
    const char *text = getenv(variable);
    int64_t port = 0;
    if (!text || !text[0])
        return otherwise;
    return num_int(str_of(text), &port) && port > 0 && port <= UINT16_MAX ? (int)port : 0;
}

static struct check_finding no_port(const struct check_view *v, const char *variable)
{
    return (struct check_finding){
        CHECK_NOTE,
        arena_printf(v->a, "%s='%s' is not a port", variable, getenv(variable)).p,
        arena_printf(v->a, "unset %s, or set it to a number from 1 to 65535", variable).p};
}

// "8086 is free", "8086 is taken by 4711 tracy-capture"
static const char *say_port(const struct check_view *v, int port, bool *is_taken)
{
    pids who = {0};
    struct buf b = {0};
    *is_taken = survey_listeners(v->survey, port, &who);
    buf_printf(&b, "%d is %s", port, *is_taken ? "in use by " : "free");
    if (*is_taken && who.n)
        run_describe(&who, &b);
    else if (*is_taken)
        buf_z(&b, "a process that this user cannot see");
    const char *text = arena_str(v->a, buf_view(&b)).p;
    vec_free(&who);
    buf_free(&b);
    return text;
}

struct check_finding check_tracy_port(const struct check_view *v)
{
    bool is_taken = false;
    int port = port_of("TRACY_PORT", TRACY_PORT);
    if (!port)
        return no_port(v, "TRACY_PORT");
    const char *found = say_port(v, port, &is_taken);
    return (struct check_finding){
        is_taken ? CHECK_NOTE : CHECK_OK, found,
        is_taken
            ? "ttprof needs no port, but a Tracy client in the program would lose its data; 'ttprof run' gives it a free one"
            : NULL};
}

struct check_finding check_web_port(const struct check_view *v)
{
    bool is_taken = false;
    int port = port_of("TRACY_WASM_HTTP_PORT", WEB_PORT);
    if (!port)
        return no_port(v, "TRACY_WASM_HTTP_PORT");
    const char *found = say_port(v, port, &is_taken);
    return (struct check_finding){
        .found = arena_printf(v->a, "%s; ttprof starts no server", found).p};
}

// --- processes -------------------------------------------------------------------------
static const char *describe(struct arena *a, const char *before, const pids *who)
{
    struct buf b = {0};
    buf_z(&b, before);
    run_describe(who, &b);
    const char *text = arena_str(a, buf_view(&b)).p;
    buf_free(&b);
    return text;
}

// Tracy tools started by tt-metal that survive when their run dies.
struct check_finding check_tools_left(const struct check_view *v)
{
    static const char *const tools[] = {"tracy-capture", "capture-release",
                                        "tracy-csvexport", "csvexport-relea",
                                        "tracy-profiler"};
    pids found = {0};
    for (size_t i = 0; i < v->survey->processes.n; i++)
        for (size_t k = 0; k < sizeof tools / sizeof *tools; k++)
            if (str_is(v->survey->processes.v[i].name, tools[k]))
                vec_push(&found, v->survey->processes.v[i].pid);
    struct check_finding f = {.found = "no Tracy tools are running"};
    if (found.n)
        f = (struct check_finding){
            CHECK_NOTE, describe(v->a, "Tracy tools are running: ", &found),
            "ttprof needs none of them; those of a dead run occupy its port: 'kill PID'"};
    vec_free(&found);
    return f;
}

static bool has_file(const char *folder, const char *name)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    return n > 0 && (size_t)n < sizeof path && access(path, F_OK) == 0;
}

// A process that ends with its run may still be visible for a moment.
static bool still_lives(pid_t pid)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
    char target[4];
    return readlink(path, target, sizeof target) > 0;
}

struct check_finding check_processes_left(const struct check_view *v)
{
    pids found = {0};
    for (size_t i = 0; i < v->survey->processes.n; i++) {
        const struct survey_process *p = &v->survey->processes.v[i];
        if (p->run.n && still_lives(p->pid) &&
            (has_file(p->run.p, "manifest.json") || access(p->run.p, F_OK) != 0))
            vec_push(&found, p->pid);
    }
    struct check_finding f = {.found = "no process outlived its run"};
    if (found.n)
        f = (struct check_finding){
            CHECK_NOTE, describe(v->a, "running although their run has ended: ", &found),
            "they are no longer recorded; use 'kill PID' if they are not needed"};
    vec_free(&found);
    return f;
}

// --- runs ------------------------------------------------------------------------------
struct runs {
    size_t n_led, n_left;
    struct buf left; // the first of them
};

// `ttprof run` itself does not count as a process of its run.
static bool is_led(const struct survey *s, str run, str control)
{
    for (size_t i = 0; i < s->mappings.n; i++)
        if (str_eq(s->mappings.v[i].path, control) &&
            !str_eq(s->processes.v[s->mappings.v[i].process].run, run))
            return true;
    return false;
}

static void look_at_run(const struct check_view *v, const char *folder, struct runs *r)
{
    char real[PATH_MAX];
    if (!has_file(folder, "control") || has_file(folder, "manifest.json") ||
        !realpath(folder, real))
        return;
    str control = arena_printf(v->a, "%s/control", real);
    if (is_led(v->survey, str_of(real), control)) {
        r->n_led++;
        return;
    }
    if (r->n_left < SHOWN)
        buf_printf(&r->left, "%s%s", r->n_left ? ", " : "", folder);
    r->n_left++;
}

struct check_finding check_runs_left(const struct check_view *v)
{
    struct runs r = {0};
    const char *folder = arena_printf(v->a, "%s/runs", v->root).p;
    DIR *d = opendir(folder);
    for (struct dirent *one; d && (one = readdir(d));)
        if (one->d_name[0] != '.')
            look_at_run(v, arena_printf(v->a, "%s/%s", folder, one->d_name).p, &r);
    if (d)
        (void)closedir(d);
    struct check_finding f = {.found = "all runs have ended"};
    if (r.n_led)
        f.found = arena_printf(v->a, "%zu in progress, none left behind", r.n_led).p;
    if (r.n_left) {
        if (r.n_left > SHOWN)
            buf_printf(&r.left, " and %zu more", r.n_left - SHOWN);
        f = (struct check_finding){
            CHECK_NOTE,
            arena_printf(v->a, "'ttprof run' was killed in %.*s", STR(r.left)).p,
            "the recording is readable with 'ttprof zones FOLDER'; delete the folder if you do not need it"};
    }
    buf_free(&r.left);
    return f;
}

// --- libraries -------------------------------------------------------------------------
// The library is in a temporary folder if the run folder cannot hold it.
struct check_finding check_libraries_left(const struct check_view *v)
{
    struct buf left = {0};
    size_t n = 0;
    const char *base = getenv("TMPDIR");
    if (!base || base[0] != '/')
        base = "/tmp";
    DIR *d = opendir(base);
    for (struct dirent *one; d && (one = readdir(d));) {
        if (!str_starts(str_of(one->d_name), S("ttprof-")))
            continue;
        const char *folder = arena_printf(v->a, "%s/%s", base, one->d_name).p;
        str library = arena_printf(v->a, "%s/" PRELOAD_NAME, folder);
        if (!has_file(folder, PRELOAD_NAME) || survey_maps(v->survey, library))
            continue;
        if (n < SHOWN)
            buf_printf(&left, "%s%s", n ? ", " : "", folder);
        n++;
    }
    if (d)
        (void)closedir(d);
    struct check_finding f = {.found = arena_printf(v->a, "none in %s", base).p};
    if (n > SHOWN)
        buf_printf(&left, " and %zu more", n - SHOWN);
    if (n)
        f = (struct check_finding){CHECK_NOTE, arena_str(v->a, buf_view(&left)).p,
                                   "no process uses them; they can be deleted"};
    buf_free(&left);
    return f;
}

// --- what is set already ---------------------------------------------------------------
struct check_finding check_preload(const struct check_view *v)
{
    const char *list = getenv("LD_PRELOAD");
    if (!list || !list[0])
        return (struct check_finding){.found = "not set"};
    return (struct check_finding){
        CHECK_NOTE, arena_printf(v->a, "%s", list).p,
        "'ttprof run' prepends its library; unset LD_PRELOAD if a program does not start"};
}

struct check_finding check_run_around(const struct check_view *v)
{
    const char *run = getenv("TTPROF_RUN");
    if (!run || !run[0])
        return (struct check_finding){.found = "none"};
    bool goes_on = has_file(run, "control") && !has_file(run, "manifest.json");
    if (goes_on)
        return (struct check_finding){CHECK_NOTE,
                                      arena_printf(v->a, "inside the run in %s", run).p,
                                      "a nested run is recorded separately"};
    return (struct check_finding){
        CHECK_NOTE, arena_printf(v->a, "TTPROF_RUN names %s, which has ended", run).p,
        "unset TTPROF_RUN"};
}
