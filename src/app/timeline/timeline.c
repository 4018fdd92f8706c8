// timeline.c - a run as an interactive page: `ttprof timeline`.
#include "app/timeline/timeline.h"

#include "base/file/folder.h"
#include "base/text/log.h"
#include "base/text/num.h"

#include "app/app.h"
#include "app/device/placed.h"
#include "formats/host_run/host_run.h"
#include "present/timeline/timeline.h"

struct job {
    const struct timeline_values *v;
    struct arena arena;
    struct timeline_page page;
    struct timeline_run run;
    struct placed placed;
    struct device_ops ops;
    struct notes notes;
    VEC(uint32_t) pids;
    struct err *e;
};

static const char log_name[] = "profile_log_device.csv";

// --- what is there -----------------------------------------------------------------------

static const char *in_folder(struct job *j, const char *folder, const char *name)
{
    return arena_printf(&j->arena, "%s/%s", folder, name).p;
}

static bool read_pids(struct job *j)
{
    for (size_t i = 0; i < j->v->processes.n; i++) {
        int64_t pid;
        const char *text = j->v->processes.v[i];
        if (!num_int(str_of(text), &pid) || pid <= 0 || pid > UINT32_MAX)
            return err_set(j->e, ERR_USAGE, "--process: '%s' is not a process id", text);
        vec_push(&j->pids, (uint32_t)pid);
    }
    j->run.pids = j->pids.v;
    j->run.n_pids = j->pids.n;
    return true;
}

// An unknown name would produce an empty page without a reason.
static bool check_pids(struct job *j)
{
    const struct trace *t = &j->placed.trace;
    for (size_t i = 0; i < j->pids.n; i++) {
        bool is_known = process_log_find(&t->log, j->pids.v[i], 0) != PROCESS_NONE;
        for (size_t k = 0; k < t->processes.n; k++)
            is_known |= t->processes.v[k].pid == j->pids.v[i];
        if (!is_known)
            return err_set(
                j->e, ERR_USAGE,
                "--process: no process %u in '%s'; 'ttprof zones --by process' lists them",
                j->pids.v[i], j->run.path);
    }
    return true;
}

static void find_ops(struct job *j)
{
    device_ops_find(&j->ops, &j->placed.trace);
    j->page.ops = &j->ops;
}

// RUN is a run folder, a .tracy file, a folder with device files, or a device log.
static bool read_input(struct job *j, const char *input)
{
    j->run.path = input;
    const char *own = in_folder(j, input, log_name);
    const char *published = in_folder(j, in_folder(j, input, ".logs"), log_name);
    const char *log = path_is_file(own) ? own : NULL;
    if (!path_is_folder(input) && !host_run_is_at(input))
        log = input;
    if (!log && (host_run_is_at(input) || !path_is_file(published))) {
        if (!j->v->no_device &&
            placed_read_devices(&j->placed, host_run_find(input, &j->arena)))
            find_ops(j);
        if (!host_run_add(&j->placed.trace, input, j->e))
            return false;
        if (j->placed.trace.folder)
            j->run.path = j->placed.trace.folder;
        return true;
    }
    if (!placed_read_log(&j->placed, log ? log : published, j->e))
        return false;
    find_ops(j);
    return true;
}

// --- the page ----------------------------------------------------------------------------

static void print_warnings(const struct job *j)
{
    for (size_t i = 0; i < j->notes.list.n; i++)
        if (j->notes.list.v[i].level != NOTE_INFO)
            log_line("timeline: %.*s", STR(j->notes.list.v[i].text));
}

// Findings are among the page's warnings already.
static void check_strict(struct job *j)
{
    uint64_t n = diag_total(trace_findings(&j->placed.trace));
    if (j->v->strict && n)
        (void)err_set(j->e, ERR_FAILED, "--strict: found odd data (%llu in all)",
                      (unsigned long long)n);
}

static bool write_page(struct job *j)
{
    const struct trace *t = &j->placed.trace;
    if (!j->page.ops && !t->tracks.n && !t->log.processes.n)
        log_line("timeline: nothing was recorded in '%s'", j->run.path);
    j->page.trace = t;
    j->page.notes = &j->notes;
    j->page.max_zones = (uint64_t)j->v->max_zones;
    j->page.run = &j->run;
    bool ok = timeline_write(&j->page, j->v->output, j->e);
    print_warnings(j);
    if (ok && strcmp(j->v->output, "-") != 0)
        log_line("timeline: the page is %s", j->v->output);
    return ok;
}

static void free_job(struct job *j)
{
    device_ops_free(&j->ops);
    placed_free(&j->placed);
    notes_free(&j->notes);
    vec_free(&j->pids);
    arena_free(&j->arena);
}

int timeline_command(const struct timeline_values *values, struct words words,
                     struct err *e)
{
    struct job j = {.v = values, .placed.command = "timeline", .e = e};
    const char *input = words.n ? words.v[0] : command_artifacts_root(&j.arena);
    if (j.v->max_zones < 1)
        (void)err_set(e, ERR_USAGE, "--max-zones must be positive, got %lld",
                      (long long)j.v->max_zones);
    else if (read_pids(&j) && read_input(&j, input) && check_pids(&j) && write_page(&j))
        check_strict(&j);
    free_job(&j);
    return err_exit_code(e->code);
}
