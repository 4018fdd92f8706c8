// find.c - finds the input files in a profiler's root, its .logs, a run, or any folder with
// logs.
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/folder.h"
#include "base/text/log.h"

#include "app/ops/parts.h"
#include "formats/tracy/tracy_trace.h"

LOG_DOMAIN("app");

static const char *file_in(const char *folder, const char *name, struct arena *a)
{
    const char *path = arena_printf(a, "%s/%s", folder, name).p;
    return path_is_file(path) ? path : NULL;
}

static const char *folder_at(const char *path)
{
    return path_is_folder(path) ? path : NULL;
}

static const char *folder_in(const char *folder, const char *name, struct arena *a)
{
    return folder_at(arena_printf(a, "%s/%s", folder, name).p);
}

// Returns whether the folder holds any of the files.
static bool look_into(struct ops_files *f, const char *folder, struct arena *a)
{
    static const char *const logs[] = {"profile_log_device.csv",
                                       "profile_log_device.csv.zst",
                                       "profile_log_device.csv.gz"};
    f->logs = folder;
    f->times = file_in(folder, "tracy_ops_times.csv", a);
    f->data = file_in(folder, "tracy_ops_data.csv", a);
    f->cpp_report = file_in(folder, "cpp_device_perf_report.csv", a);
    f->tracy = file_in(folder, "tracy_profile_log_host.tracy", a);
    for (size_t i = 0; !f->device_log && i < sizeof logs / sizeof *logs; i++)
        f->device_log = file_in(folder, logs[i], a);
    return f->times || f->data || f->cpp_report || f->tracy || f->device_log;
}

// "a/b" -> "a", "b" -> "."
static const char *parent_of(const char *path, struct arena *a)
{
    str p = str_of(path);
    while (p.n > 1 && p.p[p.n - 1] == '/')
        p.n--;
    const char *slash = memrchr(p.p, '/', p.n);
    if (!slash)
        return ".";
    return slash == p.p ? "/" : arena_str(a, (str){p.p, (size_t)(slash - p.p)}).p;
}

static bool is_logs_folder(const char *path)
{
    str p = str_of(path);
    while (p.n > 1 && p.p[p.n - 1] == '/')
        p.n--;
    return str_is(p, ".logs") || str_ends(p, S("/.logs"));
}

// The run that published these logs, else the run of this folder, else the newest.
static void find_run(struct ops_files *f, const char *path, struct arena *a)
{
    const char *link = folder_in(f->logs, "run", a);
    if (link && host_run_is_at(link))
        f->run = link;
    else if (host_run_is_at(path))
        f->run = path;
    else if (is_logs_folder(path) && host_run_is_at(parent_of(path, a)))
        f->run = parent_of(path, a);
    else if (f->tracy && tracy_is_at(f->tracy)) // of tt-metal's own capture
        f->run = f->tracy;
}

// "gp/.logs/my_test/case1" -> "gp": reports belong into the profiler's folder.
static const char *profiler_root(const char *path, struct arena *a)
{
    for (const char *at = parent_of(path, a);; at = parent_of(at, a)) {
        if (is_logs_folder(at))
            return parent_of(at, a);
        if (strcmp(at, ".") == 0 || strcmp(at, "/") == 0)
            return parent_of(path, a);
    }
}

static void take_op_folder(struct ops_files *f, const char *path, struct arena *a)
{
    str name = str_of(path);
    while (name.n > 1 && name.p[name.n - 1] == '/')
        name.n--;
    f->folder = arena_str(a, name).p;
    f->logs = f->folder;
    f->root = profiler_root(f->folder, a);
    f->folder_device = f->folder;
    if (!str_ends(name, S("_device")))
        f->folder_device = folder_at(arena_printf(a, "%s_device", f->folder).p);
}

// A run that was killed has the logs of its attachments, but none that was merged.
static void find_unmerged(struct ops_files *f, struct arena *a)
{
    struct attachments found;
    if (f->device_log || f->cpp_report || !f->run)
        return;
    attachments_find(&found, host_run_find(f->run, a), NULL);
    if (found.n_logs)
        f->device_log = arena_printf(a, "%s/.logs/profile_log_device.csv", found.run).p;
    attachments_free(&found);
}

static void take_folder(struct ops_files *f, const char *path, struct arena *a)
{
    const char *inner = folder_in(path, ".logs", a);
    f->root = is_logs_folder(path) ? parent_of(path, a) : path;
    if (!inner || !look_into(f, inner, a)) {
        struct ops_files own = {.root = f->root};
        bool is_own = look_into(&own, path, a);
        *f = own;
        if (!is_own && inner)
            f->logs = inner;
    }
    f->npe = folder_in(f->root, "npe_viz", a);
    find_run(f, path, a);
    find_unmerged(f, a);
    // Newer tables and runs take precedence: the default folder may be left from before.
    const char *ops = f->logs ? arena_printf(a, "%s/ops", f->logs).p : path;
    if (f->times || f->data || f->run)
        return;
    if (host_folder_is_at(path))
        take_op_folder(f, path, a);
    else if (host_folder_is_at(ops))
        take_op_folder(f, ops, a);
}

// A capture: what was measured on devices is next to it, if anywhere.
static void take_capture(struct ops_files *f, const char *path, struct arena *a)
{
    struct ops_files beside = {0};
    (void)look_into(&beside, parent_of(path, a), a);
    f->device_log = beside.device_log;
    f->cpp_report = beside.cpp_report;
    f->run = path;
}

// A single file: the runtime's device report, a log, or a capture.
static void take_file(struct ops_files *f, const char *path, struct arena *a)
{
    char head[64] = "";
    FILE *file = fopen(path, "rb");
    size_t n = file ? fread(head, 1, sizeof head, file) : 0;
    if (file)
        (void)fclose(file);
    f->root = parent_of(path, a);
    f->logs = f->root;
    if (tracy_is_at(path))
        take_capture(f, path, a);
    else if (str_has((str){head, n}, S("GLOBAL CALL COUNT,")))
        f->cpp_report = path;
    else
        f->device_log = path;
}

bool ops_files_find(struct ops_files *f, const char *path, struct arena *a, struct err *e)
{
    struct stat st;
    *f = (struct ops_files){0};
    if (stat(path, &st) != 0)
        return err_set(e, ERR_IO,
                       "%s: %s; name a profiler folder, its .logs, a run or a device log",
                       path, strerror(errno));
    if (S_ISDIR(st.st_mode))
        take_folder(f, path, a);
    else
        take_file(f, path, a);
    log_info("ops: %s: device log %s, runtime's report %s", path,
             f->device_log ? f->device_log : "-", f->cpp_report ? f->cpp_report : "-");
    return true;
}
