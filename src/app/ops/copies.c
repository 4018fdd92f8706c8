// copies.c - the folder of an ops report, copies of its inputs, and the archive of the
// logs.
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file/archive.h"
#include "base/file/folder.h"
#include "base/text/log.h"

#include "app/ops/parts.h"

// --- the folder ------------------------------------------------------------------------

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *ops_dated_folder(struct arena *a, const char *parent, const char *date,
                             struct err *e)
{
    enum { MOST_OF_A_SECOND = 1000 };
    if (!folder_make(parent, e))
        return NULL;
    for (int i = 1; i < MOST_OF_A_SECOND; i++) {
        const char *path = i == 1 ? arena_printf(a, "%s/%s", parent, date).p
                                  : arena_printf(a, "%s/%s-%d", parent, date, i).p;
        if (mkdir(path, folder_mode()) == 0)
            return path;
        if (errno != EEXIST) {
            (void)err_set(e, ERR_IO,
                          "%s: cannot create folder: %s; choose another one with -o", path,
                          strerror(errno));
            return NULL;
        }
    }
    (void)err_set(e, ERR_LIMIT, "%s: too many reports in one second", parent);
    return NULL;
}

const char *ops_report_folder(struct arena *a, const char *root, const char *name,
                              bool with_date, const char **stamp, struct err *e)
{
    bool has_name = name && *name;
    const char *parent = has_name ? arena_printf(a, "%s/reports/%s", root, name).p
                                  : arena_printf(a, "%s/reports", root).p;
    *stamp = has_name ? arena_printf(a, "_%s", name).p : "";
    if (!folder_make(parent, e))
        return NULL;
    if (!with_date)
        return parent;
    char date[32];
    time_t now = time(NULL);
    struct tm at;
    (void)strftime(date, sizeof date, "%Y_%m_%d_%H_%M_%S", localtime_r(&now, &at));
    const char *folder = ops_dated_folder(a, parent, date, e);
    if (folder) // readers look for the files by the folder's name
        *stamp = arena_printf(a, "%s_%s", *stamp, base_of(folder)).p;
    return folder;
}

// --- copies ------------------------------------------------------------------------------

// A run that was killed has no log of its own, only those of its attachments.
static bool is_there(const char *path)
{
    return path && access(path, F_OK) == 0;
}

static bool copy_into(const char *folder, const char *path, struct arena *a, struct err *e)
{
    if (!is_there(path))
        return true;
    const char *to = arena_printf(a, "%s/%s", folder, base_of(path)).p;
    return file_is_same(path, to) || folder_copy(path, to, e);
}

// Files of a folder, without subfolders.
static bool copy_folder(const char *from, const char *to, struct arena *a, struct err *e)
{
    DIR *d = from ? opendir(from) : NULL;
    bool ok = !d || folder_make(to, e);
    for (struct dirent *entry; ok && d && (entry = readdir(d));) {
        struct stat st;
        const char *path = arena_printf(a, "%s/%s", from, entry->d_name).p;
        if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
            ok = copy_into(to, path, a, e);
    }
    if (d)
        (void)closedir(d);
    return ok;
}

static uint64_t size_of(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

// The archive layout of 2023: host logs under ops, device logs under ops_device.
typedef VEC(struct archive_entry) entries;

static void add_entry(entries *list, const char *folder, const char *name, const char *path,
                      struct arena *a)
{
    struct stat st;
    if (path && stat(path, &st) == 0 && S_ISREG(st.st_mode))
        vec_push(list,
                 (struct archive_entry){arena_printf(a, "%s/%s", folder, name).p, path});
}

// Tables and logs of the op profiler of 2023, below their folders.
static void add_op_folder(entries *list, const struct ops_data *d, struct arena *a)
{
    const struct {
        const char *name, *path;
    } folders[] = {{"ops", d->files.folder}, {"ops_device", d->files.folder_device}};
    static const char *const files[] = {"../profile_log_host.csv", "profile_log_host.csv",
                                        "profile_log_device.csv"};
    for (size_t f = 0; f < sizeof folders / sizeof *folders; f++)
        for (size_t i = 0; folders[f].path && i < d->folder.calls.n; i++) {
            const char *call = d->folder.calls.v[i].folder;
            // The table of an op has all its calls: it goes with the first.
            bool is_first = str_ends(str_of(call), S("/1"));
            str op = {call, (size_t)(strrchr(call, '/') - call)};
            for (size_t k = is_first ? 0 : 1; k < sizeof files / sizeof *files; k++)
                add_entry(list, folders[f].name,
                          k ? arena_printf(a, "%s/%s", call, files[k]).p
                            : arena_printf(a, "%.*s/%s", STR(op), files[1]).p,
                          arena_printf(a, "%s/%s/%s", folders[f].path, call, files[k]).p,
                          a);
        }
}

static bool write_tarball(const struct ops_data *d, const struct ops_job *job,
                          struct arena *a, struct err *e)
{
    static const uint64_t most_bytes = UINT64_C(256) << 20;
    const struct {
        const char *folder, *path;
    } parts[] = {{"ops", d->files.times},
                 {"ops", d->files.data},
                 {"ops_device", d->files.device_log},
                 {"ops_device", d->files.cpp_report}};
    entries list = {0};
    uint64_t bytes = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (is_there(parts[i].path))
            add_entry(&list, parts[i].folder, base_of(parts[i].path), parts[i].path, a);
    add_op_folder(&list, d, a);
    for (size_t i = 0; i < list.n; i++)
        bytes += size_of(list.v[i].path);
    bool ok = true;
    if (bytes > most_bytes && !job->with_tarball) {
        if (!job->quiet)
            log_line(
                "%s: no archive of the logs, they have %llu MB; use --tarball to make one",
                ops_command(job), (unsigned long long)(bytes / 1000000));
    } else if (list.n) {
        const char *path = arena_printf(a, "%s/%s.tgz", job->folder, job->name).p;
        struct progress bar = progress_start("writing the archive of the logs", 100);
        ok = archive_write(path, list.v, list.n, &bar, e);
        progress_end(&bar);
    }
    vec_free(&list);
    return ok;
}

bool ops_write_copies(const struct ops_data *d, const struct ops_job *job, struct arena *a,
                      struct err *e)
{
    if (job->no_artifacts)
        return true;
    const char *npe = arena_printf(a, "%s/npe_viz", job->folder).p;
    return copy_into(job->folder, d->files.tracy, a, e) &&
           copy_into(job->folder, d->files.times, a, e) &&
           copy_into(job->folder, d->files.data, a, e) &&
           copy_folder(d->files.npe, npe, a, e) &&
           (job->has_log || (copy_into(job->folder, d->files.device_log, a, e) &&
                             write_tarball(d, job, a, e)));
}
