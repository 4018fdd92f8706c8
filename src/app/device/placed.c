// placed.c - see placed.h.
#include "app/device/placed.h"

#include "base/file/folder.h"
#include "base/text/log.h"

#include "analyse/fold/pair.h"
#include "app/device/source.h"

static const char log_name[] = "profile_log_device.csv";
static const char clocks_name[] = "device_clocks.json";

static const char *folder_of(struct placed *p, const char *file)
{
    const char *slash = strrchr(file, '/');
    if (!slash)
        return ".";
    return arena_str(&p->trace.arena, (str){file, (size_t)(slash - file) + (slash == file)})
        .p;
}

// Logs of several attachments have theirs from those.
static void read_clocks(struct placed *p, const char *folder)
{
    const char *path = arena_printf(&p->trace.arena, "%s/%s", folder, clocks_name).p;
    struct err e = {0};
    if (!path_is_file(path) || attachments_have_parts(&p->attachments))
        return;
    if (device_clocks_read(&p->clocks, path, &e))
        device_clocks_attach(&p->clocks, &p->trace, 0);
    else
        log_line("%s: %s: the devices are not aligned with the host", p->command, e.text);
}

bool placed_read_log(struct placed *p, const char *path, struct err *e)
{
    struct device_source source;
    bool ok = device_source_read(&source, path, e);
    p->trace = source.trace;
    p->attachments = source.attachments;
    if (!ok)
        return false;
    pair_zones(&p->trace);
    read_clocks(p, folder_of(p, path));
    return true;
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

bool placed_read_devices(struct placed *p, const char *run)
{
    struct arena scratch = {0};
    const char *path = arena_printf(&scratch, "%s/.logs/%s", run, log_name).p;
    struct err e = {0};
    bool ok = false;
    if (path_is_file(path) || has_attachments(run)) {
        ok = placed_read_log(p, path, &e);
        if (!ok) {
            placed_free(p);
            log_line("%s: %s: the devices are left out", p->command, e.text);
        }
    }
    arena_free(&scratch);
    return ok;
}

void placed_free(struct placed *p)
{
    const char *command = p->command;
    trace_free(&p->trace);
    device_clocks_free(&p->clocks);
    attachments_free(&p->attachments);
    *p = (struct placed){.command = command};
}
