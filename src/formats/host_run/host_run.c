// host_run.c - opens a run folder or a .tracy file as the host's part of a trace.
#include "formats/host_run/host_run.h"

#include "formats/host_run/host_run_files.h"
#include "formats/tracy/tracy_trace.h"

bool host_run_add(struct trace *t, const char *path, struct err *e)
{
    if (tracy_is_at(path))
        return tracy_trace_add(t, path, NULL, e);
    trace_blocks_start(t, host_run_find(path, &t->arena));
    if (host_run_read_folder(t, t->folder, e)) {
        trace_blocks_finish(t);
        host_run_read_captures(t, t->folder);
        return true;
    }
    t->sites.n = t->blocks->first_site;
    trace_blocks_free(t->blocks);
    t->blocks = NULL;
    return false;
}

bool host_run_open(struct trace *t, const char *path, struct err *e)
{
    *t = (struct trace){0};
    if (host_run_add(t, path, e))
        return true;
    trace_free(t);
    return false;
}
