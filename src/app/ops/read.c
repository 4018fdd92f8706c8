// read.c - reads the input files and joins host and device data.
//
// Unreadable inputs are reported and left out: a partial report is better than none.
#include <unistd.h>

#include "base/text/log.h"

#include "analyse/counters/counter_metrics.h"
#include "analyse/noc/noc_load.h"
#include "analyse/ops/rows_of_log.h"
#include "app/ops/parts.h"

const char *ops_command(const struct ops_job *job)
{
    return job->command ? job->command : "ops";
}

static void add_source(struct ops_data *d, const char *path)
{
    if (path)
        vec_push(&d->sources, path);
}

// --- the host's half -------------------------------------------------------------------

const char *ops_children(const char *more, struct arena *a)
{
    static const char always[] = "CompileProgram,HWCommandQueue_write_buffer";
    return more && *more ? arena_printf(a, "%s,%s", always, more).p : always;
}

static void read_tables(struct ops_data *d, const struct ops_job *job, struct host_ops *h)
{
    struct err own = {0};
    if (!d->files.times && !d->files.data)
        return;
    if (!host_ops_read_tables(h, d->files.times, d->files.data, &own))
        log_line("%s: %s", ops_command(job), own.text);
    add_source(d, d->files.data);
    add_source(d, d->files.times);
}

// The run that published the logs; NULL: there is none.
static const struct trace *find_run(struct ops_data *d, const struct ops_job *job)
{
    struct err own = {0};
    if (!d->files.run)
        return NULL;
    d->has_run = host_run_open(&d->run, d->files.run, &own);
    if (!d->has_run)
        log_line("%s: %s", ops_command(job), own.text);
    return d->has_run ? &d->run : NULL;
}

static void read_folder(struct ops_data *d, const struct ops_job *job, struct host_ops *h)
{
    struct err own = {0};
    if (!host_folder_read(&d->folder, h, d->files.folder, &own))
        log_line("%s: %s", ops_command(job), own.text);
    host_ops_finish(h);
    add_source(d, d->files.folder);
}

static void read_host(struct ops_data *d, const struct ops_job *job, struct host_ops *h)
{
    const struct trace *run = job->run;
    host_ops_start(h);
    if (!run && d->files.folder) {
        read_folder(d, job, h);
        return;
    }
    if (!run) {
        read_tables(d, job, h);
        host_ops_finish(h);
        run = h->ops.n ? NULL : find_run(d, job);
        if (!run)
            return;
        diag_add(&d->diag, &h->diag);
        host_ops_free(h);
        host_ops_start(h);
    }
    host_ops_read_run(h, run, ops_children(job->children, &d->arena));
    host_ops_finish(h);
    add_source(d, run->path);
}

static void read_hosts(struct ops_data *d, const struct ops_job *job)
{
    if (!job->timed) {
        read_host(d, job, &d->host);
    } else {
        read_host(d, job, &d->measured);
        d->has_measured = true;
        host_ops_start(&d->host);
        host_ops_read_run(&d->host, job->timed, ops_children(job->children, &d->arena));
        host_ops_finish(&d->host);
        add_source(d, job->timed->path);
    }
    d->has_host = true;
}

// --- the devices' half -----------------------------------------------------------------

static void add_sub_devices(struct ops_data *d, const struct ops_job *job)
{
    struct file f;
    struct err ignored = {0}; // without the log there are no sub devices
    bool has_text = job->device && !attachments_have_parts(&job->device->attachments);
    if (has_text) {
        device_rows_add_sub_devices(&d->rows, &job->device->trace.files.v[0]);
    } else if (d->files.device_log && file_open(d->files.device_log, &f, &ignored)) {
        device_rows_add_sub_devices(&d->rows, &f);
        file_close(&f);
    }
}

static bool read_cpp_report(struct ops_data *d, const struct ops_job *job)
{
    struct err own = {0};
    d->has_rows = device_rows_read(&d->rows, d->files.cpp_report, &d->diag, &own);
    if (!d->has_rows) {
        log_line("%s: %s; using the device log instead", ops_command(job), own.text);
        device_rows_free(&d->rows);
        return false;
    }
    if (job->analyses.n)
        log_line("%s: --device-analysis-types has no effect: the numbers come from %s",
                 ops_command(job), d->files.cpp_report);
    for (size_t i = 0; i < d->rows.v.n; i++)
        d->rows.v.v[i].attachment = attachments_of_run(&d->attachments, d->rows.v.v[i].op,
                                                       &d->rows.v.v[i].more_programs);
    add_sub_devices(d, job);
    add_source(d, d->files.cpp_report);
    return true;
}

static bool read_log(struct ops_data *d, const struct ops_job *job, struct err *e)
{
    struct device_source *s = job->device;
    if (!s) {
        s = &d->own;
        if (!device_source_read(s, d->files.device_log, e) ||
            !device_source_find(s, NULL, true, e))
            return false;
    }
    d->device = s;
    struct device_rows_choice choice = {job->analyses.v, job->analyses.n, job->compat};
    device_rows_measure(&d->rows, &s->trace, &s->ops, &s->dispatch, choice);
    d->has_rows = true;
    if (counter_metrics_are_there(&s->trace)) {
        enum counter_mode mode = d->is_device_only ? COUNTERS_DEVICE_ONLY : COUNTERS_FULL;
        counter_metrics_add(&d->rows, &s->trace, &s->ops, d->rows.op_of.v, mode, &d->diag);
        if (!job->quiet)
            counter_metrics_text(&s->trace, &s->ops, &d->counters);
    }
    diag_add(&d->diag, &s->trace.diag);
    add_source(d, d->files.device_log);
    return true;
}

static void free_log(struct ops_data *d)
{
    device_source_free(&d->own);
    d->device = NULL;
}

static void tell_fallback(const struct ops_data *d, const struct ops_job *job)
{
    if (d->files.cpp_report || job->force_legacy || job->quiet || d->is_device_only ||
        job->run || d->has_run)
        return;
    log_line(
        "%s: Device perf report %s/cpp_device_perf_report.csv not found. Falling back to legacy device-log parsing, this will take longer.",
        ops_command(job), d->files.logs);
}

static bool read_devices(struct ops_data *d, const struct ops_job *job, struct err *e)
{
    if (d->folder.calls.n) {
        ops_folder_measure(d, job);
        add_source(d, d->files.folder_device);
        return true;
    }
    bool prefers_log = d->is_device_only || job->force_legacy;
    bool takes_cpp = d->files.cpp_report && !(prefers_log && d->files.device_log);
    if (takes_cpp && !job->force_legacy && read_cpp_report(d, job))
        return true;
    if (!d->files.device_log)
        return true;
    tell_fallback(d, job);
    if (read_log(d, job, e))
        return true;
    if (d->is_device_only)
        return false; // nothing else is there
    log_line("%s: %s; the report has no device numbers", ops_command(job), e->text);
    *e = (struct err){0};
    free_log(d);
    return true;
}

// --- both ------------------------------------------------------------------------------

static void stitch(struct ops_data *d, const struct ops_job *job)
{
    struct op_stitch s = {0};
    op_stitch(&d->rows, &d->measured, &d->host, &s);
    if (!job->quiet || s.n_names)
        log_line("%s: matched %llu ops of both runs", ops_command(job),
                 (unsigned long long)s.n_matched);
    if (s.n_names)
        log_line(
            "%s: the runs differ: %s; %llu ops have no device numbers, %llu measurements are left out",
            ops_command(job), s.first, (unsigned long long)s.n_host_only,
            (unsigned long long)s.n_rows_out);
}

// process_ops_logs.py takes the number of a whole replay for the id of an op.
static void take_replays_for_ops(struct device_rows *rows)
{
    for (size_t i = 0; i < rows->v.n; i++)
        rows->v.v[i].is_replay = false;
}

static void join(struct ops_data *d, const struct ops_job *job)
{
    struct device_rows *rows = d->has_rows ? &d->rows : NULL;
    if (rows && job->with_noc && !noc_load_is_there(d->files.logs))
        log_line("%s: no noc_trace_*.json in %s: the NoC and DRAM columns are empty",
                 ops_command(job), d->files.logs);
    else if (rows && job->with_noc)
        noc_load_add(rows, d->files.logs, &d->diag);
    if (rows && job->compat)
        take_replays_for_ops(rows);
    if (d->has_measured && rows)
        stitch(d, job);
    for (size_t i = 0; i < d->host.replays.n; i++)
        d->host.replays.v[i].attachment =
            attachments_of_trace(&d->attachments, d->host.replays.v[i].trace);
    if (d->is_device_only)
        op_report_device_only(&d->report, rows);
    else
        op_report_join(&d->report, &d->host, rows);
    d->has_report = true;
    diag_add(&d->diag, &d->host.diag);
    diag_add(&d->diag, &d->report.diag);
}

bool ops_data_read(struct ops_data *d, const struct ops_job *job, struct err *e)
{
    if (!ops_files_find(&d->files, job->logs, &d->arena, e))
        return false;
    attachments_find(&d->attachments, d->files.logs, job->run);
    read_hosts(d, job);
    d->is_device_only = job->device_only || !d->host.ops.n;
    if (!read_devices(d, job, e))
        return false;
    if (!d->is_device_only)
        free_log(d); // may be gigabytes, and is no longer needed
    if (d->is_device_only && !d->has_rows)
        return true;
    join(d, job);
    return true;
}

void ops_data_free(struct ops_data *d)
{
    if (d->has_report)
        op_report_free(&d->report);
    if (d->has_rows)
        device_rows_free(&d->rows);
    free_log(d);
    if (d->has_host)
        host_ops_free(&d->host);
    if (d->has_measured)
        host_ops_free(&d->measured);
    if (d->has_run)
        trace_free(&d->run);
    host_folder_free(&d->folder);
    attachments_free(&d->attachments);
    vec_free(&d->sources);
    buf_free(&d->counters);
    arena_free(&d->arena);
}
