// folders.c - the newest table of ops below a folder.
#include "app/ops/folders.h"

#include <dirent.h>

#include "base/file/folder.h"

#include "app/app.h"

static bool is_table(str name)
{
    static const char *const ends[] = {".csv", ".csv.gz", ".csv.zst"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (str_starts(name, S("ops_perf_results")) && str_ends(name, str_of(ends[i])))
            return true;
    return false;
}

// The table with the last name in byte order, or that of the last subfolder that `has` one.
typedef const char *find_fn(const char *path, struct arena *a);

static const char *last_in(const char *folder, bool wants_tables, find_fn *has,
                           struct arena *a)
{
    DIR *d = opendir(folder);
    const char *best = NULL, *found = NULL;
    for (struct dirent *entry; d && (entry = readdir(d));) {
        str name = str_of(entry->d_name);
        if (name.p[0] == '.' || (best && strcmp(name.p, best) <= 0))
            continue;
        const char *path = arena_printf(a, "%s/%s", folder, name.p).p;
        const char *table = NULL;
        if (wants_tables)
            table = is_table(name) && !path_is_folder(path) ? path : NULL;
        else if (path_is_folder(path))
            table = has(path, a);
        if (table) {
            best = arena_str(a, name).p;
            found = table;
        }
    }
    if (d)
        (void)closedir(d);
    return found;
}

static const char *table_in(const char *folder, struct arena *a)
{
    return last_in(folder, true, NULL, a);
}

const char *ops_report_find(const char *path, struct arena *a, struct err *e)
{
    if (!path)
        path = command_artifacts_root(a);
    else if (!path_is_folder(path))
        return path;
    const char *found = table_in(path, a);
    if (!found)
        found = last_in(arena_printf(a, "%s/reports", path).p, false, table_in, a);
    if (!found)
        found = last_in(path, false, table_in, a);
    if (!found)
        (void)err_set(
            e, ERR_IO,
            "%s: no ops_perf_results_*.csv here, in its subfolders or in reports/; make one with 'ttprof ops'",
            path);
    return found;
}
