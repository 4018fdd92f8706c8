// write.c - the files of an ops report: the table, times between ops, documents.
#include "base/file/folder.h"
#include "base/text/log.h"

#include "app/ops/parts.h"
#include "present/device/op_to_op_csv.h"
#include "present/page/ops_doc.h"
#include "present/reports/counter_merge.h"
#include "present/reports/ops_columns.h"

struct ops_csv ops_data_csv(const struct ops_data *d, const struct ops_job *job)
{
    return (struct ops_csv){.report = &d->report,
                            .is_device_only = d->is_device_only,
                            .with_unmatched = job->with_unmatched,
                            .more = job->more,
                            .sources = d->sources.v,
                            .n_sources = d->sources.n,
                            .findings = &d->diag};
}

// With the columns that only the other report has, if there is one.
static bool write_table(struct ops_data *d, const struct ops_job *job, const char *path,
                        struct err *e)
{
    struct ops_csv csv = ops_data_csv(d, job);
    struct ops_columns columns;
    struct counter_merged m;
    struct diag odd = {0};
    if (!job->merged)
        return ops_csv_write(&csv, path, e);
    ops_columns_make(&columns, &csv);
    bool ok = counter_merge_write(&columns.table, job->merged, path, &m, &odd, e);
    if (ok && !job->quiet)
        log_line("%s: %s: added %zu columns of %s to %zu of %zu rows", ops_command(job),
                 path, m.n_columns, job->merged, m.n_matched, columns.table.n_rows);
    ops_columns_free(&columns);
    if (ok)
        command_findings(ops_command(job), &odd, job->strict, e);
    return ok;
}

// --- times between ops by core ---------------------------------------------------------

bool ops_data_has_op_to_op(const struct ops_data *d)
{
    return d->has_report && d->device && d->is_device_only;
}

static bool write_op_to_op(struct ops_data *d, const struct ops_job *job, struct arena *a,
                           struct err *e)
{
    struct setup setup = {0};
    struct device_analysis analysis = {0};
    struct analysis_choice choice = {.detect_ops = true};
    if (!ops_data_has_op_to_op(d))
        return true;
    if (!setup_load(&setup, "default_setup", &d->arena, e))
        return false;
    size_t n = 0;
    for (size_t i = 0; i < setup.analyses.n; i++)
        if (str_is(setup.analyses.v[i].name, "op2op"))
            setup.analyses.v[n++] = setup.analyses.v[i];
    setup.analyses.n = n;
    device_analyse(&analysis, &d->device->trace, &d->device->ops, &d->device->dispatch,
                   &setup, choice);
    const char *path = arena_printf(a, "%s/per_core_op_to_op_times%s.csv", job->folder,
                                    job->stamp ? job->stamp : "")
                           .p;
    bool ok = op_to_op_write(&analysis, job->compat, path, e);
    if (ok && !job->quiet)
        log_line("%s: Device only per core op to op times csv generated at: %s",
                 ops_command(job), path);
    device_analysis_free(&analysis);
    setup_free(&setup);
    return ok;
}

bool ops_write_folder(struct ops_data *d, const struct ops_job *job, struct arena *a,
                      const char **csv, struct err *e)
{
    const char *path = arena_printf(a, "%s/%s.csv", job->folder, job->name).p;
    if (!folder_make(job->folder, e) || !write_table(d, job, path, e))
        return false;
    if (!job->quiet)
        log_line("%s: %s csv generated at: %s", ops_command(job),
                 d->is_device_only ? "Device only OPs" : "OPs", path);
    *csv = path;
    return write_op_to_op(d, job, a, e) && ops_write_copies(d, job, a, e);
}

// --- documents -------------------------------------------------------------------------

static bool write_json(const struct ops_csv *table, const char *path, struct err *e)
{
    struct out o;
    if (!out_open(&o, path, e))
        return false;
    ops_doc_json(table, &o);
    return out_close(&o, e);
}

bool ops_write_documents(struct ops_data *d, const struct ops_job *job, struct err *e)
{
    struct ops_csv table = ops_data_csv(d, job);
    const struct {
        const char *path, *what;
    } files[] = {{job->csv, "table"}, {job->json, "JSON"}, {job->html, "page"}};
    if ((job->csv && !write_table(d, job, job->csv, e)) ||
        (job->json && !write_json(&table, job->json, e)) ||
        (job->html && !ops_doc_html(&table, job->html, e)))
        return false;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (files[i].path && strcmp(files[i].path, "-") != 0 && !job->quiet)
            log_line("%s: %s written to %s", ops_command(job), files[i].what,
                     files[i].path);
    return true;
}
