// copies.c - the folder of an ops report, copies of its inputs, and the archive of the
// logs.
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

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
        if (mkdir(path, 0777) == 0)
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

static bool copy_into(const char *folder, const char *path, struct arena *a, struct err *e)
{
    if (!path)
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
enum { ARCHIVE_MOST = 4 };

static bool write_tarball(const struct ops_data *d, const struct ops_job *job,
                          struct arena *a, struct err *e)
{
    static const uint64_t most_bytes = UINT64_C(256) << 20;
    const struct {
        const char *folder, *path;
    } parts[ARCHIVE_MOST] = {{"ops", d->files.times},
                             {"ops", d->files.data},
                             {"ops_device", d->files.device_log},
                             {"ops_device", d->files.cpp_report}};
    struct archive_entry entries[ARCHIVE_MOST];
    uint64_t bytes = 0;
    size_t n = 0;
    for (size_t i = 0; i < ARCHIVE_MOST; i++) {
        if (!parts[i].path)
            continue;
        const char *name =
            arena_printf(a, "%s/%s", parts[i].folder, base_of(parts[i].path)).p;
        entries[n++] = (struct archive_entry){name, parts[i].path};
        bytes += size_of(parts[i].path);
    }
    if (bytes > most_bytes && !job->with_tarball) {
        if (!job->quiet)
            log_line(
                "%s: no archive of the logs, they have %llu MB; use --tarball to make one",
                ops_command(job), (unsigned long long)(bytes / 1000000));
        return true;
    }
    if (!n)
        return true;
    const char *path = arena_printf(a, "%s/%s.tgz", job->folder, job->name).p;
    struct progress bar = progress_start("writing the archive of the logs", 100);
    bool ok = archive_write(path, entries, n, &bar, e);
    progress_end(&bar);
    return ok;
}

bool ops_write_copies(const struct ops_data *d, const struct ops_job *job, struct arena *a,
                      struct err *e)
{
    if (job->no_artifacts)
        return true;
    const char *npe = arena_printf(a, "%s/npe_viz", job->folder).p;
    return copy_into(job->folder, d->files.tracy, a, e) &&
           copy_into(job->folder, d->files.device_log, a, e) &&
           copy_folder(d->files.npe, npe, a, e) && write_tarball(d, job, a, e);
}
