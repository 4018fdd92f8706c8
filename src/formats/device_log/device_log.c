// device_log.c - splits the text into lanes.
#include "formats/device_log/device_log.h"

#include "base/data/threads.h"
#include "base/text/progress.h"

#include "formats/device_log/device_log_merge.h"
#include "formats/device_log/device_log_meta.h"
#include "formats/device_log/device_log_sort.h"
#include "formats/diags.h"

enum { WORTH_LANES = 4 << 20 }; // a second lane pays off from this many bytes of log

static void read_lane(struct lane lane, void *context)
{
    struct log_lane *lanes = context;
    log_lane_read(&lanes[lane.index]);
}

// Splits the text at line ends into ranges of about the same size.
static void cut_ranges(struct log_lane *lanes, unsigned n, str text, size_t body)
{
    size_t at = body;
    for (unsigned i = 0; i < n; i++) {
        size_t to = body + lane_range((struct lane){i, n}, text.n - body).to;
        if (to < at)
            to = at;
        const char *hit = to < text.n && to > body
                              ? memchr(text.p + to - 1, '\n', text.n - to + 1)
                              : NULL;
        if (i + 1 == n || !hit)
            to = text.n;
        else
            to = (size_t)(hit - text.p) + 1;
        lanes[i].from = at;
        lanes[i].to = to;
        at = to;
    }
}

// The chip's facts are the first log's. Logs of 2023 have other columns: they do not mix.
static bool read_head(struct trace *t, struct log_source *s, bool is_first, struct err *e)
{
    struct trace own = *t;
    t->path = s->part.path;
    t->mhz = t->max_compute_cores = 0;
    if (!log_head_parse(s->text, t, &s->head, e))
        return false;
    s->mhz = t->mhz;
    s->max_compute_cores = t->max_compute_cores;
    if (is_first)
        return true;
    bool is_alike = own.is_legacy == t->is_legacy;
    t->path = own.path;
    t->arch = own.arch;
    t->mhz = own.mhz;
    t->max_compute_cores = own.max_compute_cores;
    t->dispatch = own.dispatch;
    t->is_legacy = own.is_legacy;
    t->has_trace_columns |= own.has_trace_columns;
    return is_alike ||
           err_set(e, ERR_FORMAT,
                   "logs with six columns (2023) and with columns by name do not mix");
}

static unsigned count_lanes(const struct log_source *s)
{
    return threads_for(s->text.n - s->head.body, WORTH_LANES);
}

static struct log_lane *make_lanes(struct trace *t, const struct log_source *sources,
                                   size_t n, unsigned *n_lanes)
{
    unsigned total = 0;
    for (size_t i = 0; i < n; i++)
        total += count_lanes(&sources[i]);
    struct log_lane *lanes = mem_alloc(mem_bytes(sizeof *lanes, total));
    *n_lanes = 0;
    for (size_t i = 0; i < n; i++) {
        const struct log_source *s = &sources[i];
        struct log_lane *first = lanes + *n_lanes;
        unsigned own = count_lanes(s);
        for (unsigned k = 0; k < own; k++) {
            first[k].source = s;
            first[k].head = &s->head;
            first[k].text = s->text;
            first[k].is_legacy = t->is_legacy;
            first[k].is_mapped = s->is_mapped;
        }
        cut_ranges(first, own, s->text, s->head.body);
        *n_lanes += own;
    }
    return lanes;
}

static bool read_sources(struct trace *t, struct log_source *sources, size_t n,
                         struct err *e)
{
    unsigned n_lanes;
    bool is_named = false;
    for (size_t i = 0; i < n; i++) {
        if (!read_head(t, &sources[i], i == 0, e))
            return n == 1 ? false : err_in(e, "%s", sources[i].part.path);
        is_named |= sources[i].head.is_named;
    }
    struct progress bar = progress_start("reading the device log", sources[0].text.n);
    struct log_lane *lanes = make_lanes(t, sources, n, &n_lanes);
    lanes[0].bar = &bar;
    log_slice(t, lanes, n_lanes);
    log_lanes_run(n_lanes, read_lane, lanes);
    bool ok = log_merge(t, lanes, n_lanes, e);
    for (unsigned i = 0; i < n_lanes; i++)
        log_lane_free(&lanes[i]);
    mem_free(lanes);
    if (ok && !is_named && t->n_rows && !t->tracks.n)
        ok = log_fail(e);
    if (ok) {
        log_sort(t);
        log_meta_raise_programs(t);
        trace_finish(t);
    }
    progress_end(&bar);
    return ok;
}

bool device_log_read_text(struct trace *t, str text, const char *path, struct err *e)
{
    struct log_source s = {.part.path = path, .text = text};
    for (size_t i = 0; i < t->files.n; i++)
        s.is_mapped |= t->files.v[i].is_mapped && t->files.v[i].text.p == text.p;
    return read_sources(t, &s, 1, e);
}

bool device_logs_read(struct trace *t, const struct log_part *parts, size_t n,
                      struct err *e)
{
    struct log_source *sources = mem_alloc(mem_bytes(sizeof *sources, n));
    bool ok = true;
    for (size_t i = 0; i < n && ok; i++) {
        struct file f;
        ok = file_open(parts[i].path, &f, e);
        if (!ok)
            break;
        vec_push(&t->files, f);
        sources[i] =
            (struct log_source){.part = parts[i], .text = f.text, .is_mapped = f.is_mapped};
    }
    if (ok && !read_sources(t, sources, n, e))
        ok = n == 1 && err_in(e, "%s", parts[0].path);
    for (size_t i = 0; ok && i < n; i++)
        if (t->files.v[i].damage)
            trace_odd(t, TRACE_NO_TRACK, DIAG_LOG_CUT, 1, 0, str_of(t->files.v[i].damage));
    mem_free(sources);
    return ok;
}

bool device_log_read(struct trace *t, const char *path, struct err *e)
{
    struct log_part part = {.path = path};
    return device_logs_read(t, &part, 1, e);
}
