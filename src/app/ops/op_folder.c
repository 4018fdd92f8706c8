// op_folder.c - the device logs in a folder of the op profiler of 2023: one per call of an
// op.
#include "base/text/log.h"

#include "analyse/ops/rows_of_log.h"
#include "app/ops/parts.h"

// The rows of one call belong to it, whatever their ids are in the run that was measured.
static void add_rows(struct device_rows *to, const struct device_rows *from,
                     const struct host_folder_call *call)
{
    if (!to->v.n) {
        to->mhz = from->mhz;
        to->workers = from->workers;
        to->arch = arena_str(&to->a, from->arch);
        to->has_traces = true; // nothing here is a replay
    }
    for (size_t i = 0; i < from->v.n; i++) {
        struct device_row row = from->v.v[i];
        row.op = call->id;
        row.device = call->device;
        row.trace = row.session = DEVICE_NO_ID;
        row.is_replay = false;
        vec_push(&to->v, row);
    }
}

static void read_call(struct ops_data *d, const struct ops_job *job,
                      const struct host_folder_call *call, const char *path)
{
    struct device_source s = {0};
    struct device_rows rows = {0};
    struct err e = {0};
    struct device_rows_choice choice = {job->analyses.v, job->analyses.n, job->compat};
    if (!device_source_read(&s, path, &e) || !device_source_find(&s, NULL, true, &e)) {
        log_line("%s: %s", ops_command(job), e.text);
    } else {
        if (s.trace.is_legacy)
            device_rows_of_call(&rows, &s.trace);
        else
            device_rows_measure(&rows, &s.trace, &s.ops, &s.dispatch, choice);
        add_rows(&d->rows, &rows, call);
        diag_add(&d->diag, &s.trace.diag);
    }
    device_rows_free(&rows);
    device_source_free(&s);
}

void ops_folder_measure(struct ops_data *d, const struct ops_job *job)
{
    for (size_t i = 0; d->files.folder_device && i < d->folder.calls.n; i++) {
        const struct host_folder_call *call = &d->folder.calls.v[i];
        const char *path = host_folder_file(d->files.folder_device, call->folder,
                                            "profile_log_device.csv", &d->arena);
        if (call->device != DEVICE_NO_ID && path)
            read_call(d, job, call, path);
    }
    d->has_rows = d->rows.v.n > 0;
}
