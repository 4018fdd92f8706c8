// device_dump.c - the files of a profiled device: decode once, write everything.
//
// The first dump of a process replaces the files of an older process; later ones append
// rows, so that all dumps together are the run. A file that cannot be written does not stop
// the others; the first error is reported.
#include "profiler/device_dump.h"

#include <stdio.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/file/folder.h"
#include "base/text/csv.h"
#include "base/text/log.h"

#include "analyse/perf/perf_data.h"
#include "collect/decode/decode.h"
#include "formats/device_log/device_log_write.h"
#include "profiler/collection_health.h"
#include "profiler/cpp_report_csv.h"
#include "profiler/device_profiler.h"
#include "profiler/device_zones.h"

// State kept from one dump to the next.
struct dump_memory {
    struct cpp_last *last; // by chip
    uint64_t n_rows, n_ops, n_incomplete;
    bool has_warned_of_noc;
};

struct dump {
    struct collection *c;
    struct trace trace;
    struct device_ops ops;
    struct dump_facts facts;
    struct dump_memory *memory;
    struct buf *messages;
    struct perf_data *perf;
    bool append, is_last;
    char logs[sizeof((struct profiler_options *)0)->folder + 16];
    char path[sizeof((struct profiler_options *)0)->folder + 64];
    struct err *e;
    bool is_failed;
};

static const char *path_of(struct dump *d, const char *name)
{
    (void)snprintf(d->path, sizeof d->path, "%s%s", d->logs, name);
    return d->path;
}

static void check(struct dump *d, bool ok, const struct err *e)
{
    if (!ok && !d->is_failed) {
        d->is_failed = true;
        *d->e = *e;
    }
}

// --- parts -----------------------------------------------------------------------------

static const char log_name[] = "profile_log_device.csv";
static const char report_name[] = "cpp_device_perf_report.csv";
static const char new_names[] = "new_zone_src_locations.log";

static void delete_in(const char *logs, const char *name)
{
    char path[sizeof((struct profiler_options *)0)->folder + 64];
    (void)snprintf(path, sizeof path, "%s%s", logs, name);
    (void)unlink(path);
}

void collection_delete_files(const struct profiler_options *o)
{
    char logs[sizeof o->folder + 16];
    profiler_logs_folder(o, logs, sizeof logs);
    delete_in(logs, log_name);
    delete_in(logs, report_name);
}

static bool write_log(struct dump *d, struct err *e)
{
    return device_log_write(&d->trace, path_of(d, log_name), d->append, e);
}

static bool write_names(struct dump *d, struct err *e)
{
    struct zone_names *n = &d->c->names;
    if (!d->append)
        delete_in(d->logs, new_names);
    return names_write_ids(n, path_of(d, "zone_ids.csv"), e) &&
           names_write_log(n, path_of(d, new_names), e) &&
           names_write_log(n, path_of(d, "zone_src_locations.log"), e);
}

static bool is_reported(const struct dump *d)
{
    const struct profiler_options *o = &d->c->options;
    return o->cpp_post_process && !o->accumulate && !d->trace.is_legacy;
}

// Queries during the run return the same figures as the report. The summary is only printed
// for a single device: with several it would be unreadable.
static bool write_report(struct dump *d, struct err *e)
{
    const struct profiler_options *o = &d->c->options;
    if (!is_reported(d))
        return true;
    struct cpp_facts facts = {dump_op_name, dump_available_cores, &d->facts};
    struct cpp_report r;
    cpp_report_make_next(&r, &d->trace, &d->ops, d->memory->last, d->c->chips.n);
    bool ok =
        o->no_files || cpp_report_put(&r, &facts, path_of(d, report_name), d->append, e);
    struct perf_data own = {0};
    struct perf_data *perf = d->perf ? d->perf : &own;
    perf_data_add(perf, &r, dump_available_cores, &d->facts);
    if (d->c->chips.n == 1 && d->ops.n) // a dump may have no new ops
        perf_data_describe(perf, d->c->chips.v[0].id, d->messages);
    perf_data_free(&own);
    cpp_report_free(&r);
    return ok;
}

static bool write_noc(struct dump *d, struct err *e)
{
    const struct profiler_options *o = &d->c->options;
    if (!o->noc_events)
        return true;
    const char *folder = *o->noc_folder ? o->noc_folder : d->logs;
    struct noc_facts facts = dump_noc_facts(&d->facts);
    struct noc_totals totals;
    if (!d->memory->has_warned_of_noc)
        buf_z(
            d->messages,
            "Profiler NoC events are enabled; this can add 1-15% cycle overhead to typical operations!\n");
    d->memory->has_warned_of_noc = true;
    bool ok = folder_make(folder, e) &&
              noc_trace_write(&d->trace, &facts, folder, d->messages, &totals, e);
    // Later executions of a program take the name of the earlier ones.
    if (ok && totals.replaced && d->append)
        buf_printf(
            d->messages,
            "%zu NoC traces replaced older ones: their programs ran before under the same ids\n",
            totals.replaced);
    if (ok && totals.unknown)
        buf_printf(d->messages, "%llu NoC events are of an unknown kind\n",
                   (unsigned long long)totals.unknown);
    return ok;
}

// Records are in order of arrival; the file is rewritten each time.
bool collection_write_memory(const struct collection *c, struct err *e)
{
    char path[sizeof c->options.folder + 64];
    if (!c->options.memory || c->options.no_files)
        return true;
    profiler_logs_folder(&c->options, path, sizeof path);
    if (!folder_make(path, e))
        return false;
    size_t n = strlen(path);
    (void)snprintf(path + n, sizeof path - n, "memory_records.csv");
    struct out o;
    if (!out_open(&o, path, e))
        return false;
    buf_z(&o.b, "host time [ns],device id,pool,name,event,address,bytes\n");
    for (size_t i = 0; i < c->memory.n; i++) {
        const struct memory_record *m = &c->memory.v[i];
        buf_printf(&o.b, "%llu,%d,Device %d %.*s,", (unsigned long long)m->host_ns, m->chip,
                   m->chip, STR(c->strings.keys.v[m->pool]));
        csv_put(&o.b, c->strings.keys.v[m->name]);
        buf_printf(&o.b, ",%s,%llu,%llu\n", m->is_alloc ? "alloc" : "free",
                   (unsigned long long)m->address, (unsigned long long)m->bytes);
        out_flush_some(&o);
    }
    return out_close(&o, e);
}

static bool write_memory(struct dump *d, struct err *e)
{
    return collection_write_memory(d->c, e);
}

static bool write_health(struct dump *d, struct err *e)
{
    char log[sizeof d->path];
    (void)snprintf(log, sizeof log, "%s%s", d->logs, log_name);
    struct health h;
    health_of_collection(&h, d->c);
    h.log = log;
    h.rows = d->memory->n_rows;
    h.ops = d->memory->n_ops;
    h.incomplete_ops = d->memory->n_incomplete;
    bool ok = health_write(&h, path_of(d, "profiler_health.json"), e);
    health_free(&h);
    return ok;
}

// --- the dump --------------------------------------------------------------------------

static void remember(struct dump *d)
{
    struct collection *c = d->c;
    if (!c->dump) {
        c->dump = push_one(&c->arena, struct dump_memory);
        c->dump->last = push_many(&c->arena, struct cpp_last, c->chips.n + 1);
        for (size_t i = 0; i < c->chips.n; i++)
            c->dump->last[i].device = c->chips.v[i].id;
    }
    d->memory = c->dump;
}

static void decode(struct dump *d, struct decoder *decoder)
{
    decoder_run(decoder, &d->trace, d->is_last);
    collection_drop_blocks(d->c);
    struct buf *warnings = decoder_warnings(decoder);
    buf_str(d->messages, buf_view(warnings));
    warnings->n = 0;
    d->facts = (struct dump_facts){d->c, &d->trace};
    d->trace.path = log_name;
}

static uint64_t rows_of(const struct dump *d)
{
    uint64_t n = 0;
    for (size_t k = 0; k < d->trace.tracks.n; k++)
        n += d->trace.tracks.v[k].n_markers;
    return n;
}

static void find_ops(struct dump *d)
{
    if (!d->trace.is_legacy)
        device_ops_find(&d->ops, &d->trace);
    d->memory->n_rows += rows_of(d);
    d->memory->n_ops += d->ops.n;
    d->memory->n_incomplete += d->ops.n_incomplete;
    diag_add(&d->c->diag, &d->trace.diag);
    collection_count_odd(d->c);
}

static void write_files(struct dump *d)
{
    static bool (*const parts[])(struct dump * d, struct err * e) = {
        write_log, write_names, write_memory, write_noc};
    struct err e = {0};
    bool has_files = !d->c->options.no_files;
    bool ok = !has_files || folder_make(d->logs, &e);
    check(d, ok, &e);
    has_files &= ok;
    if (!d->append && has_files)
        collection_delete_files(&d->c->options);
    for (size_t i = 0; has_files && i < sizeof parts / sizeof *parts; i++)
        check(d, parts[i](d, &e), &e);
    // Ops may split runs, so files by run are written first.
    find_ops(d);
    if (has_files || d->c->options.no_files)
        check(d, write_report(d, &e), &e);
    if (has_files)
        check(d, write_health(d, &e), &e);
}

static void sum_up(const struct dump *d, struct dump_totals *totals)
{
    struct health h;
    health_of_collection(&h, d->c);
    totals->markers = h.markers;
    totals->dropped_l1 = h.l1_dropped;
    totals->dropped_dram = h.dram_dropped;
    totals->rows = rows_of(d);
    health_free(&h);
}

bool collection_write_files(struct collection *c, struct decoder *decoder, bool is_last,
                            bool append, struct dump_totals *totals, struct err *e)
{
    struct buf own = {0};
    struct dump d = {.c = c,
                     .append = append,
                     .is_last = is_last,
                     .perf = totals->perf,
                     .messages = totals->messages ? totals->messages : &own,
                     .e = e};
    profiler_logs_folder(&c->options, d.logs, sizeof d.logs);
    remember(&d);
    decode(&d, decoder);
    write_files(&d);
    if (is_last)
        collection_health_text(c, d.messages);
    sum_up(&d, totals);
    device_zones_send(c, &d.trace, is_last);
    log_text(buf_view(&own), false);
    buf_free(&own);
    device_ops_free(&d.ops);
    trace_free(&d.trace);
    return !d.is_failed;
}
