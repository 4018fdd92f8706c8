// timeline.c - a run as an interactive page: `ttprof timeline`.
#include "app/timeline/timeline.h"

#include "base/file/folder.h"
#include "base/text/log.h"
#include "base/text/num.h"

#include "analyse/fold/pair.h"
#include "app/app.h"
#include "app/device/source.h"
#include "collect/sync/device_clocks.h"
#include "formats/host_run/host_run.h"
#include "present/timeline/timeline.h"

struct job {
    const struct timeline_values *v;
    struct arena arena;
    struct timeline_page page;
    struct timeline_run run;
    struct trace trace;
    struct device_ops ops;
    struct attachments attachments; // of a run with several logs
    struct device_clocks clocks;
    struct notes notes;
    VEC(uint32_t) pids;
    struct err *e;
};

static const char log_name[] = "profile_log_device.csv";
static const char clocks_name[] = "device_clocks.json";

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
    const struct trace *t = &j->trace;
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

static bool read_log(struct job *j, const char *path, struct err *e)
{
    struct device_source source;
    bool ok = device_source_read(&source, path, e);
    j->trace = source.trace;
    j->attachments = source.attachments;
    if (!ok)
        return false;
    pair_zones(&j->trace);
    device_ops_find(&j->ops, &j->trace);
    j->page.ops = &j->ops;
    return true;
}

// The clock files are next to the log. Without them the chips are drawn too, marked as not
// aligned.
static void read_clocks(struct job *j, const char *folder)
{
    const char *path = in_folder(j, folder, clocks_name);
    struct err e = {0};
    if (!path_is_file(path) || attachments_have_parts(&j->attachments))
        return;
    if (device_clocks_read(&j->clocks, path, &e))
        device_clocks_attach(&j->clocks, &j->trace, 0);
    else
        log_line("timeline: %s: the devices are not aligned with the host", e.text);
}

static const char *folder_of(struct job *j, const char *file)
{
    const char *slash = strrchr(file, '/');
    if (!slash)
        return ".";
    return arena_str(&j->arena, (str){file, (size_t)(slash - file) + (slash == file)}).p;
}

// A run that was killed has no merged log.
static bool has_attachments(const char *run)
{
    struct attachments a;
    attachments_find(&a, run, NULL);
    bool has_any = a.n_logs > 0;
    attachments_free(&a);
    return has_any;
}

// An unreadable log still leaves the host's part.
static void read_device(struct job *j, const char *folder)
{
    const char *logs = in_folder(j, folder, ".logs");
    const char *path = in_folder(j, logs, log_name);
    struct err e = {0};
    if (j->v->no_device || (!path_is_file(path) && !has_attachments(folder)))
        return;
    if (read_log(j, path, &e)) {
        read_clocks(j, logs);
        return;
    }
    trace_free(&j->trace);
    log_line("timeline: %s: the page has no devices", e.text);
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
        read_device(j, host_run_find(input, &j->arena));
        if (!host_run_add(&j->trace, input, j->e))
            return false;
        if (j->trace.folder)
            j->run.path = j->trace.folder;
        return true;
    }
    log = log ? log : published;
    if (!read_log(j, log, j->e))
        return false;
    read_clocks(j, folder_of(j, log));
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
    uint64_t n = diag_total(trace_findings(&j->trace));
    if (j->v->strict && n)
        (void)err_set(j->e, ERR_FAILED, "--strict: found odd data (%llu in all)",
                      (unsigned long long)n);
}

static bool write_page(struct job *j)
{
    const struct trace *t = &j->trace;
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
    trace_free(&j->trace);
    device_clocks_free(&j->clocks);
    attachments_free(&j->attachments);
    notes_free(&j->notes);
    vec_free(&j->pids);
    arena_free(&j->arena);
}

int timeline_command(const struct timeline_values *values, struct words words,
                     struct err *e)
{
    struct job j = {.v = values, .e = e};
    const char *input = words.n ? words.v[0] : command_artifacts_root(&j.arena);
    if (j.v->max_zones < 1)
        (void)err_set(e, ERR_USAGE, "--max-zones must be positive, got %lld",
                      (long long)j.v->max_zones);
    else if (read_pids(&j) && read_input(&j, input) && check_pids(&j) && write_page(&j))
        check_strict(&j);
    free_job(&j);
    return err_exit_code(e->code);
}
