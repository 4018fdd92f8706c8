// source.c - reads a device log and finds its ops.
#include "app/device/source.h"

#include "base/file/folder.h"
#include "base/text/log.h"

#include "analyse/fold/pair.h"
#include "formats/device_log/device_log.h"
#include "formats/host_run/host_run.h"

static const char log_name[] = "profile_log_device.csv";

// A run, a folder with runs, a profiler's root, or a folder of logs: the folder of its log;
// NULL: it is none of them.
static const char *find_logs(const char *path, struct arena *a)
{
    const char *own = arena_printf(a, "%s/%s", path, log_name).p;
    const char *published = arena_printf(a, "%s/.logs/%s", path, log_name).p;
    if (path_is_file(own))
        return path;
    if (path_is_file(published))
        return arena_printf(a, "%s/.logs", path).p;
    const char *logs = arena_printf(a, "%s/.logs", host_run_find(path, a)).p;
    return path_is_folder(logs) ? logs : NULL;
}

static const char *folder_of(const char *file, struct arena *a)
{
    const char *slash = strrchr(file, '/');
    return slash ? arena_str(a, (str){file, (size_t)(slash - file)}).p : ".";
}

// Those of the run whose .logs this is; a log of one attachment is read alone.
static void find_attachments(struct device_source *s, const char *folder)
{
    str f = str_of(folder);
    bool is_of_run = str_is(f, ".logs") || str_ends(f, S("/.logs"));
    if (is_of_run)
        attachments_find(&s->attachments, folder, NULL);
}

bool device_source_read(struct device_source *s, const char *path, struct err *e)
{
    *s = (struct device_source){.path = path};
    struct arena *a = &s->trace.arena;
    const char *folder = strcmp(path, "-") == 0 ? NULL
                         : path_is_folder(path) ? find_logs(path, a)
                                                : folder_of(path, a);
    if (folder && path_is_folder(path))
        s->path = arena_printf(a, "%s/%s", folder, log_name).p;
    if (folder)
        find_attachments(s, folder);
    if (!attachments_have_parts(&s->attachments))
        return device_log_read(&s->trace, s->path, e);
    bool ok = attachments_read_logs(&s->attachments, &s->trace, e);
    attachments_place(&s->attachments, &s->trace);
    return ok;
}

bool device_source_find(struct device_source *s, const struct selection *selection,
                        bool with_dispatch, struct err *e)
{
    pair_zones(&s->trace);
    device_ops_find(&s->ops, &s->trace);
    if (selection && !selection_is_empty(selection)) {
        if (!trace_select(&s->trace, &s->ops, selection, e))
            return false;
        if (!s->trace.tracks.n)
            log_line(
                "device: no marker matches --device, --core, --risc, --zone, --op, --run-id, --from and --to; 'ttprof info' shows what the log contains");
    }
    if (with_dispatch)
        dispatch_ops_find(&s->dispatch, &s->trace);
    return true;
}

void device_source_free(struct device_source *s)
{
    dispatch_ops_free(&s->dispatch);
    device_ops_free(&s->ops);
    trace_free(&s->trace);
    attachments_free(&s->attachments);
    *s = (struct device_source){0};
}
