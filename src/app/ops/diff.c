// diff.c - compares two tables of ops: `ttprof ops-diff`.
#include "app/ops/diff.h"

#include "base/file/folder.h"

#include "app/app.h"
#include "app/ops/folders.h"
#include "present/reports/ops_diff_text.h"

// The runtime's own report in a profiler folder.
static const char *device_report_in(const char *folder, struct arena *a, struct err *e)
{
    static const char *const places[] = {"/.logs", "", "/logs"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *path =
            arena_printf(a, "%s%s/cpp_device_perf_report.csv", folder, places[i]).p;
        if (path_is_file(path))
            return path;
    }
    (void)err_set(
        e, ERR_IO,
        "%s: no cpp_device_perf_report.csv here or in .logs; name the table to compare with",
        folder);
    return NULL;
}

static bool find_tables(struct words words, const char *path[2], struct arena *a,
                        struct err *e)
{
    const char *first = words.n ? words.v[0] : command_artifacts_root(a);
    if (words.n == 1 && !path_is_folder(first))
        return err_set(
            e, ERR_USAGE,
            "'%s' is not a folder; name two tables, or a folder with a report and a device report",
            first);
    path[0] = ops_report_find(first, a, e);
    if (!path[0])
        return false;
    path[1] =
        words.n > 1 ? ops_report_find(words.v[1], a, e) : device_report_in(first, a, e);
    return path[1] != NULL;
}

int ops_diff_command(const struct diff_values *v, struct words words, struct err *e)
{
    struct ops_diff_options o = {.most = (size_t)v->most, .is_ids_only = v->ids_only};
    struct arena a = {0};
    struct ops_diff d = {0};
    struct buf b = {0};
    const char *path[2] = {0};
    int code = 0;
    if (v->most < 1)
        (void)err_set(e, ERR_USAGE, "--max-differences must be positive");
    else if (find_tables(words, path, &a, e) && ops_diff(&d, path[0], path[1], &o, e)) {
        ops_diff_text(&d, &b);
        code = command_print(&b, e);
        for (int i = 0; i < 2; i++)
            command_findings("ops-diff", &d.side[i].diag, false, e);
        if (!code && d.n_differences)
            code = err_exit_code(ERR_FAILED);
    }
    ops_diff_free(&d);
    arena_free(&a);
    return code;
}
