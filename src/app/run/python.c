// python.c - Python programs in a run: the agent that records their functions, and what it
// could not record.
//
// The interpreter finds the agent by itself: a folder with a sitecustomize stands first in
// PYTHONPATH of all processes. So the command stays what it is, and its children are
// recorded like itself.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/file/folder.h"

#include "app/run/outputs.h"
#include "app/run/run.h"

#define AGENT "libttprof-python.so"

// --- where it is -------------------------------------------------------------------------
// Of the library and of sitecustomize.py, from the folder of this program.
static const struct {
    const char *library, *site;
} layouts[] = {
    {".", "python/site"}, // build folder
    {TTPROF_LIBRARIES_FROM_PROGRAM, TTPROF_LIBRARIES_FROM_PROGRAM "/ttprof/site"}, // prefix
    {"../lib", "../site"},                                                         // wheel
};

struct places {
    char library[PATH_MAX], site[PATH_MAX]; // folders
};

// Whether folder/path is a folder with this file; its path without dots and links.
static bool resolve(const char *folder, const char *path, const char *file, char *out)
{
    struct buf b = {0};
    buf_printf(&b, "%s/%s%c", folder, path, '\0');
    bool is_there = realpath(b.p, out) != NULL;
    b.n = 0;
    buf_printf(&b, "%s/%s%c", out, file, '\0');
    is_there = is_there && path_is_file(b.p);
    buf_free(&b);
    return is_there;
}

static bool find(struct places *at)
{
    char program[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n <= 0)
        return false;
    program[n] = '\0';
    *strrchr(program, '/') = '\0';
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (resolve(program, layouts[i].library, AGENT, at->library) &&
            resolve(program, layouts[i].site, "sitecustomize.py", at->site))
            return true;
    return false;
}

// --- before the run ----------------------------------------------------------------------
static void put_path(struct wrapped_run *r, const char *site)
{
    const char *theirs = getenv("PYTHONPATH");
    str rest = str_of(theirs ? theirs : "");
    struct buf b = {0};
    if (str_eq(str_cut(&rest, ':'), str_of(site))) // a run within a run
        return;
    buf_printf(&b, "%s%s%s%c", site, theirs && *theirs ? ":" : "", theirs ? theirs : "",
               '\0');
    run_environment_set(r, "PYTHONPATH", b.p);
    buf_free(&b);
}

static void put_list(struct wrapped_run *r, const char *name, const struct option_list *l)
{
    struct buf b = {0};
    for (size_t i = 0; i < l->n; i++)
        buf_printf(&b, "%s%s", i ? "," : "", l->v[i]);
    buf_char(&b, '\0');
    run_environment_set(r, name, l->n ? b.p : NULL);
    buf_free(&b);
}

static void put_settings(struct wrapped_run *r)
{
    char depth[24];
    (void)snprintf(depth, sizeof depth, "%lld", (long long)r->v->python_depth);
    put_list(r, "TTPROF_PYTHON_INCLUDE", &r->v->python_include);
    put_list(r, "TTPROF_PYTHON_EXCLUDE", &r->v->python_exclude);
    run_environment_set(r, "TTPROF_PYTHON_DEPTH",
                        r->v->python_depth == RUN_NOT_GIVEN ? NULL : depth);
}

void run_python_set(struct wrapped_run *r)
{
    struct places at = {0};
    const char *mode = r->v->partial && r->v->lines ? "partial,lines"
                       : r->v->partial              ? "partial"
                                                    : "functions";
    bool is_wanted = r->control && !r->v->no_python && TTPROF_HAS_AGENT;
    bool is_there = is_wanted && find(&at);
    bool is_on = is_there && !strchr(at.site, ':');
    run_environment_set(r, "TTPROF_PYTHON", is_on ? mode : NULL);
    if (is_on) {
        put_path(r, at.site);
        run_environment_set(r, "TTPROF_LIBRARY", at.library);
    }
    put_settings(r);
    if (is_there && !is_on)
        run_problem(r, "Python is not recorded: PYTHONPATH cannot hold %s", at.site);
    else if (is_wanted && !is_there && r->is_python)
        run_problem(r, "Python is not recorded: there is no " AGENT " beside ttprof");
}

// --- after it ----------------------------------------------------------------------------
// Whether a word of an interpreter's command line keeps it from finding the agent;
// *is_last: the options end here. An option with a value of its own takes the next word,
// too.
static bool is_isolating(str word, bool *is_last, bool *takes_next)
{
    *is_last = word.n < 2 || word.p[0] != '-' || word.p[1] == '-';
    *takes_next = false;
    for (size_t i = 1; !*is_last && i < word.n; i++) {
        char c = word.p[i];
        if (c == 'I' || c == 'S' || c == 'E')
            return true;
        if (c == 'c' || c == 'm')
            *is_last = true;
        *takes_next = (c == 'X' || c == 'W') && i + 1 == word.n;
        if (strchr("cmXW", c))
            break;
    }
    return false;
}

static bool is_isolated(const struct process_exec *x)
{
    bool is_last = false, takes_next = false;
    if (!str_starts(str_base_name(x->path), S("python")))
        return false;
    for (size_t i = 1; i < x->words.n && !is_last; i++) {
        if (takes_next) {
            takes_next = false;
            continue;
        }
        if (is_isolating(x->words.v[i], &is_last, &takes_next))
            return true;
    }
    return false;
}

static void tell_isolated(struct wrapped_run *r, const struct trace *host)
{
    size_t n = 0;
    uint32_t first = 0;
    for (size_t i = 0; i < host->log.processes.n; i++) {
        const struct process *p = &host->log.processes.v[i];
        bool is = false;
        for (size_t k = 0; k < p->programs.n; k++)
            is |= is_isolated(&p->programs.v[k]);
        if (is && n++ == 0)
            first = p->pid;
    }
    if (n == 1)
        run_problem(r, "process %u: Python with -I, -S or -E is not recorded", first);
    else if (n)
        run_problem(r, "process %u and %zu more: Python with -I, -S or -E is not recorded",
                    first, n - 1);
}

// Each sentence once, with the first process that said it.
static void tell_log(struct wrapped_run *r, str text)
{
    VEC(str) told = {0};
    while (text.n) {
        str line = str_cut(&text, '\n'), pid = str_cut(&line, '\t');
        bool is_known = false;
        for (size_t i = 0; i < told.n; i++)
            is_known |= str_eq(told.v[i], line);
        if (is_known || !line.n)
            continue;
        vec_push(&told, line);
        run_problem(r, "process %.*s: Python: %.*s", STR(pid), STR(line));
    }
    vec_free(&told);
}

void run_python_tell(struct wrapped_run *r, const struct run_facts *f)
{
    struct buf path = {0};
    struct err e = {0};
    struct file log = {0};
    if (r->v->no_python || !TTPROF_HAS_AGENT)
        return;
    if (f->has_host)
        tell_isolated(r, &f->host);
    buf_printf(&path, "%s/" TT_PYTHON_LOG "%c", r->folder, '\0');
    if (path_is_file(path.p) && file_open(path.p, &log, &e)) {
        tell_log(r, log.text);
        file_close(&log);
    }
    buf_free(&path);
}
