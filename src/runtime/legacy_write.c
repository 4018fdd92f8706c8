// legacy_write.c - the files of the 2023 op profiler: a row per call of an op, and for each
// call the runtime's functions and the device's rows.
#include <sys/stat.h>

#include "runtime/legacy.h"

static const char call_head[] =
    "Name, Start timer count [ns], Stop timer count [ns], Delta timer count [ns]\n";
static const char op_head[] =
    "Name, Start timer count [ns], Stop timer count [ns], Delta timer count [ns], "
    "Global Call Count, Call Count, Stack Size, Inputs, Outputs, Math Fidelity, "
    "Compute Kernel Paths, Compute Kernel Hashes, Data Movement Kernel Paths, "
    "Data Movement Kernel Hashes, Parallelization Strategy, Preferred Name, Meta Data, "
    "Type, PM Ideal ns, PM Compute ns, PM Bandwidth ns, PM Req I BW, PM Req O BW\n";

void legacy_free(struct legacy_op *op)
{
    struct buf *const all[] = {
        &op->name,           &op->preferred,       &op->meta,          &op->inputs,
        &op->outputs,        &op->fidelity,        &op->compute_paths, &op->compute_hashes,
        &op->movement_paths, &op->movement_hashes, &op->input_rates,   &op->output_rates};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buf_free(all[i]);
    vec_free(&op->calls);
}

static void put_times(struct buf *b, str name, uint64_t start, uint64_t stop)
{
    buf_printf(b, "%.*s, %llu, %llu, %llu", STR(name), (unsigned long long)start,
               (unsigned long long)stop, (unsigned long long)(stop - start));
}

static void put_op_row(const struct legacy_op *op, struct buf *b)
{
    put_times(b, buf_view(&op->name), op->start, op->stop);
    buf_printf(b, ", %u, %u, %u", op->global_count, op->count, op->depth);
    const struct buf *const texts[] = {
        &op->inputs,         &op->outputs,        &op->fidelity,       &op->compute_paths,
        &op->compute_hashes, &op->movement_paths, &op->movement_hashes};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        buf_printf(b, ", %.*s", STR(*texts[i]));
    buf_printf(b, ", , %.*s, %.*s, %s", STR(op->preferred), STR(op->meta), op->type);
    if (op->has_model)
        buf_printf(b, ", %lld, %lld, %lld", (long long)op->ideal_ns,
                   (long long)op->compute_ns, (long long)op->bandwidth_ns);
    else
        buf_z(b, ", , , ");
    buf_printf(b, ", %.*s, %.*s\n", STR(op->input_rates), STR(op->output_rates));
}

// --- the device ------------------------------------------------------------------------
// What the profiler wrote for this call: the header, and the rows after the old ones.
static void copy_rows(const char *log, size_t before, const char *to)
{
    struct err e = {0};
    struct file f;
    if (!file_open(log, &f, &e))
        return;
    str rest = f.text;
    for (int line = 0; line < 2; line++)
        (void)str_cut(&rest, '\n');
    size_t head = f.text.n - rest.n;
    struct buf text = {0};
    buf_str(&text, (str){f.text.p, head});
    buf_str(&text, str_from(f.text, before > head ? before : head));
    legacy_append(to, "", buf_view(&text));
    buf_free(&text);
    file_close(&f);
}

static void write_device(struct buf *path, ttrt *m)
{
    struct buf log = {0};
    struct stat s;
    legacy_put_logs(&log);
    buf_z(&log, "profile_log_device.csv");
    buf_char(&log, '\0');
    size_t before = stat(log.p, &s) == 0 ? (size_t)s.st_size : 0, n = path->n;
    ttrt_read_device_profiler(m);
    if (!m->code && ttprof_dump_results(m->profiler) == 0) {
        buf_z(path, "profile_log_device.csv");
        buf_char(path, '\0');
        copy_rows(log.p, before, path->p);
        path->n = n;
    }
    buf_free(&log);
}

// --- one op ----------------------------------------------------------------------------
void legacy_write(struct legacy_op *op, struct buf *path, ttrt *m)
{
    struct buf text = {0};
    size_t n = path->n;
    for (size_t i = 0; i < op->calls.n; i++) {
        const struct legacy_call *call = &op->calls.v[i];
        put_times(&text, str_of(call->name), call->start, call->stop);
        buf_char(&text, '\n');
    }
    buf_z(path, "profile_log_host.csv");
    buf_char(path, '\0');
    legacy_append(path->p, call_head, buf_view(&text));
    text.n = 0;
    path->n = n;
    put_op_row(op, &text);
    buf_z(path, "../profile_log_host.csv");
    buf_char(path, '\0');
    legacy_append(path->p, op_head, buf_view(&text));
    buf_free(&text);
    path->n = n;
    if (m)
        write_device(path, m);
}
