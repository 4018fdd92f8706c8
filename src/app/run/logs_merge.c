// logs_merge.c - the files of several attachments as one folder of logs, which tt-metal's
// scripts can read: they know no processes, so ids are raised to be unique, and times that
// would overlap on a chip are moved behind those of the attachment before.
#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/file/folder.h"
#include "base/text/num.h"

#include "app/run/logs.h"
#include "formats/device_log/device_log_write.h"
#include "formats/noc/noc_trace_read.h"

struct merging {
    struct wrapped_run *r;
    const struct attachments *a;
    const char *logs;
    struct arena arena;
};

static const char *path_in(struct merging *m, const struct attachment *at, const char *name)
{
    return arena_printf(&m->arena, "%s/%s/%s", m->a->run, at->folder, name).p;
}

// --- the log ---------------------------------------------------------------------------
// Attachments whose log has the same head as the first: one log has one clock.
static void keep_alike(struct merging *m, struct attachments *kept)
{
    str first = {0};
    *kept = (struct attachments){.run = m->a->run};
    for (size_t i = 0; i < m->a->v.n; i++) {
        const struct attachment *at = &m->a->v.v[i];
        struct file f;
        struct err e = {0};
        if (!at->folder)
            continue;
        const char *path = path_in(m, at, "profile_log_device.csv");
        if (!file_open(path, &f, &e)) {
            run_problem(m->r, "%s", e.text);
            continue;
        }
        str rest = f.text, head = str_cut(&rest, '\n');
        if (!first.n)
            first = arena_str(&m->arena, head);
        if (str_eq(first, head)) {
            vec_push(&kept->v, *at);
            kept->n_logs++;
        } else {
            run_problem(
                m->r,
                "%s is of another chip than the first log (%.*s): it is not in %s/profile_log_device.csv; ttprof reads it where it is",
                path, STR(str_clip(first, 80)), m->logs);
        }
        file_close(&f);
    }
}

struct chip_end {
    int64_t id;
    uint64_t last;
};

// Devices are in order of attachment.
static void separate_times(struct trace *t)
{
    VEC(struct chip_end) ends = {0};
    uint64_t *shift = mem_alloc(mem_bytes(sizeof *shift, t->devices.n + 1));
    for (size_t d = 0; d < t->devices.n; d++) {
        const struct trace_device *device = &t->devices.v[d];
        size_t c = 0;
        while (c < ends.n && ends.v[c].id != device->id)
            c++;
        if (c == ends.n)
            vec_push(&ends, (struct chip_end){.id = device->id});
        else if (device->first_time <= ends.v[c].last)
            shift[d] = ends.v[c].last + 1 - device->first_time;
        if (device->last_time + shift[d] > ends.v[c].last)
            ends.v[c].last = device->last_time + shift[d];
    }
    for (size_t k = 0; k < t->tracks.n; k++) {
        const struct trace_track *track = &t->tracks.v[k];
        uint64_t more = shift[t->cores.v[track->core].device];
        for (uint32_t i = 0; more && i < track->n_markers; i++)
            t->markers.time[track->marker + i] += more;
    }
    mem_free(shift);
    vec_free(&ends);
}

static void merge_logs(struct merging *m)
{
    struct attachments kept;
    struct trace t = {0};
    struct err e = {0};
    keep_alike(m, &kept);
    if (kept.n_logs && attachments_read_logs(&kept, &t, &e)) {
        separate_times(&t);
        (void)device_log_write(
            &t, arena_printf(&m->arena, "%s/profile_log_device.csv", m->logs).p, false, &e);
    }
    if (e.code != ERR_NONE)
        run_problem(m->r, "%s", e.text);
    trace_free(&t);
    vec_free(&kept.v); // the clocks belong to the other list
    arena_free(&kept.a);
}

// --- tables ----------------------------------------------------------------------------
// "run id,trace id,...": the first two columns of the C++ report.
static void put_report_row(struct buf *b, const struct attachment *at, str line)
{
    str rest = line, id = str_cut(&rest, ','), trace = str_cut(&rest, ',');
    int64_t v;
    if (num_int(id, &v))
        num_put_int(b, log_more_programs(v, at->more_programs));
    else
        buf_str(b, id);
    buf_char(b, ',');
    if (num_int(trace, &v))
        num_put_int(b, v + at->more_traces);
    else
        buf_str(b, trace);
    buf_printf(b, ",%.*s\n", STR(rest));
}

static void put_row(struct buf *b, const struct attachment *at, str line)
{
    (void)at;
    buf_printf(b, "%.*s\n", STR(line));
}

// Tables of all attachments below one head. `once`: the same row is not repeated.
static const struct table_file {
    const char *name;
    void (*put)(struct buf *b, const struct attachment *at, str line);
    bool has_head, once;
} table_files[] = {
    {"cpp_device_perf_report.csv", put_report_row, true, false},
    {"memory_records.csv", put_row, true, false},
    {"sync_device_info.csv", put_row, true, false},
    {"zone_ids.csv", put_row, true, true},
    {"zone_src_locations.log", put_row, false, true},
    {"new_zone_src_locations.log", put_row, false, true},
};

static void add_table(struct merging *m, const struct table_file *f,
                      const struct attachment *at, struct out *o, struct map *seen)
{
    struct file in;
    struct err ignored = {0}; // not every attachment has every table
    if (!file_open(path_in(m, at, f->name), &in, &ignored))
        return;
    str rest = in.text;
    bool is_first = o->total + o->b.n == 0;
    if (f->has_head) {
        str head = str_cut(&rest, '\n');
        if (is_first)
            put_row(&o->b, at, head);
    }
    while (rest.n) {
        str line = str_cut(&rest, '\n');
        size_t known = seen->keys.n;
        if (f->once && map_put_copy(seen, line.p, line.n, &m->arena) < known)
            continue;
        f->put(&o->b, at, line);
        out_flush_some(o);
    }
    file_close(&in);
}

static void merge_table(struct merging *m, const struct table_file *f)
{
    struct out o;
    struct err e = {0};
    struct map seen = {0};
    bool has_any = false;
    for (size_t i = 0; i < m->a->v.n; i++)
        has_any |=
            m->a->v.v[i].folder && access(path_in(m, &m->a->v.v[i], f->name), R_OK) == 0;
    if (has_any && out_open(&o, arena_printf(&m->arena, "%s/%s", m->logs, f->name).p, &e)) {
        for (size_t i = 0; i < m->a->v.n; i++)
            if (m->a->v.v[i].folder)
                add_table(m, f, &m->a->v.v[i], &o, &seen);
        (void)out_close(&o, &e);
    }
    if (e.code != ERR_NONE)
        run_problem(m->r, "%s", e.text);
    map_free(&seen);
}

// --- NoC traces ------------------------------------------------------------------------
// "noc_trace_dev0_Matmul_ID1024.json": the id is also in every entry.
static void put_noc_text(struct buf *b, str text, int64_t more)
{
    static const str key = {"\"run_host_id\":", sizeof "\"run_host_id\":" - 1};
    while (text.n) {
        const char *hit = memmem(text.p, text.n, key.p, key.n);
        size_t n = hit ? (size_t)(hit - text.p) + key.n : text.n;
        buf_str(b, (str){text.p, n});
        text = str_from(text, n);
        str digits = {text.p, 0};
        while (digits.n < text.n && (text.p[digits.n] == ' ' ||
                                     (text.p[digits.n] >= '0' && text.p[digits.n] <= '9')))
            digits.n++;
        int64_t id;
        if (!hit || !num_int(str_trim(digits), &id))
            continue;
        num_put_int(b, log_more_programs(id, more));
        text = str_from(text, digits.n);
    }
}

// A number in a name: its digits follow `tag`.
static str digits_after(str name, const char *tag)
{
    str rest, digits = {0};
    if (!str_after(name, str_of(tag), &rest))
        return digits;
    digits = (str){rest.p, 0};
    while (digits.n < rest.n && rest.p[digits.n] >= '0' && rest.p[digits.n] <= '9')
        digits.n++;
    return digits;
}

// The name with raised numbers; NULL: not the name of a trace. The trace's number is the
// upper half of its part, the replay the lower one.
static const char *noc_name(struct merging *m, const struct attachment *at,
                            const char *name)
{
    struct noc_trace_name ids;
    struct buf b = {0};
    str text = str_of(name);
    if (!noc_trace_name_parse(text, &ids))
        return NULL;
    str id = digits_after(text, "_ID"), trace = digits_after(text, "_traceID");
    for (str next;
         id.p && (next = digits_after(str_from(text, (size_t)(id.p - text.p)), "_ID")).p;)
        id = next; // an op may be named so
    int64_t v;
    size_t from = id.p ? (size_t)(id.p - text.p) : text.n;
    buf_str(&b, (str){name, from});
    if (id.p) {
        num_put_int(&b, log_more_programs((int64_t)ids.op, at->more_programs));
        from += id.n;
    }
    if (trace.p && (size_t)(trace.p - text.p) >= from && num_int(trace, &v)) {
        buf_str(&b, (str){name + from, (size_t)(trace.p - text.p) - from});
        num_put_int(&b, v + (at->more_traces << 32));
        from = (size_t)(trace.p - text.p) + trace.n;
    }
    buf_str(&b, str_from(text, from));
    const char *raised = arena_str(&m->arena, buf_view(&b)).p;
    buf_free(&b);
    return raised;
}

static void merge_noc_trace(struct merging *m, const struct attachment *at,
                            const char *name)
{
    struct file f;
    struct out o;
    struct err e = {0};
    const char *to = noc_name(m, at, name);
    if (to && file_open(path_in(m, at, name), &f, &e)) {
        if (out_open(&o, arena_printf(&m->arena, "%s/%s", m->logs, to).p, &e)) {
            put_noc_text(&o.b, f.text, at->more_programs);
            (void)out_close(&o, &e);
        }
        file_close(&f);
    }
    if (e.code != ERR_NONE)
        run_problem(m->r, "%s", e.text);
}

static void merge_noc_traces(struct merging *m)
{
    for (size_t i = 0; i < m->a->v.n; i++) {
        const struct attachment *at = &m->a->v.v[i];
        DIR *d = at->folder ? opendir(path_in(m, at, "")) : NULL;
        for (const struct dirent *entry; d && (entry = readdir(d));)
            if (str_starts(str_of(entry->d_name), S("noc_trace_")))
                merge_noc_trace(m, at, entry->d_name);
        if (d)
            (void)closedir(d);
    }
}

// --- the rest --------------------------------------------------------------------------
// How the chips are connected: the first attachment's, as all use the same machine.
static void copy_first(struct merging *m, const char *name)
{
    struct err e = {0};
    for (size_t i = 0; i < m->a->v.n; i++) {
        const struct attachment *at = &m->a->v.v[i];
        if (!at->folder || access(path_in(m, at, name), R_OK) != 0)
            continue;
        if (!folder_copy(path_in(m, at, name),
                         arena_printf(&m->arena, "%s/%s", m->logs, name).p, &e))
            run_problem(m->r, "%s", e.text);
        return;
    }
}

// One object per attachment, as each wrote it.
static void merge_health(struct merging *m)
{
    struct out o;
    struct err e = {0};
    static const char name[] = "profiler_health.json";
    if (!out_open(&o, arena_printf(&m->arena, "%s/%s", m->logs, name).p, &e)) {
        run_problem(m->r, "%s", e.text);
        return;
    }
    buf_z(&o.b, "{\"attachments\": [");
    bool is_first = true;
    for (size_t i = 0; i < m->a->v.n; i++) {
        struct file f;
        const struct attachment *at = &m->a->v.v[i];
        struct err ignored = {0};
        if (!at->folder || !file_open(path_in(m, at, name), &f, &ignored))
            continue;
        buf_printf(&o.b, "%s\n%.*s", is_first ? "" : ",", STR(str_trim(f.text)));
        is_first = false;
        out_flush_some(&o);
        file_close(&f);
    }
    buf_z(&o.b, "]}\n");
    if (!out_close(&o, &e))
        run_problem(m->r, "%s", e.text);
}

void run_logs_merge(struct wrapped_run *r, const struct attachments *a, const char *logs)
{
    struct merging m = {.r = r, .a = a, .logs = logs};
    merge_logs(&m);
    for (size_t i = 0; i < sizeof table_files / sizeof *table_files; i++)
        merge_table(&m, &table_files[i]);
    merge_noc_traces(&m);
    copy_first(&m, "topology.json");
    copy_first(&m, "cluster_coordinates.json");
    merge_health(&m);
    arena_free(&m.arena);
}
