// perf_data.c - rows of the runtime's report, kept for queries during the run.
#include "analyse/perf/perf_data.h"

#include <stdlib.h>

#include "base/data/sort.h"

enum {
    QUANTUM = 100, // ns: bucket widths are multiples of this
    RANGE_MIN = 100,
    RANGE_MAX = 10000000, // used when there are no data
    SHOWN_BUCKETS = 10,
    BAR_WIDTH = 40,
};

void perf_data_free(struct perf_data *p)
{
    for (size_t i = 0; i < p->chips.n; i++) {
        vec_free(&p->chips.v[i].latest);
        vec_free(&p->chips.v[i].all);
    }
    vec_free(&p->chips);
    vec_free(&p->buckets);
    arena_free(&p->arena);
    *p = (struct perf_data){0};
}

// --- programs ------------------------------------------------------------------------

static uint64_t id_or_none(int64_t id)
{
    return id < 0 ? TTPROF_NONE : (uint64_t)id;
}

static struct ttprof_program_perf program_perf(struct perf_data *p,
                                               const struct cpp_report *r, uint32_t op)
{
    const struct trace_run *run = &r->trace->runs.v[r->ops->v[op].run];
    struct cpp_row row;
    cpp_report_row(r, op, &row);
    struct ttprof_analysis *a = push_many(&p->arena, struct ttprof_analysis, CPP_ANALYSES);
    for (int i = 0; i < CPP_ANALYSES; i++) {
        nanos duration;
        a[i] = (struct ttprof_analysis){duration_head(cpp_columns[i], 0), UINT64_MAX, 0, 0};
        if (!cpp_report_duration(r, &row.span[i], &duration))
            continue;
        a[i].start = row.span[i].start.v;
        a[i].end = row.span[i].end.v;
        a[i].duration_ns = (uint64_t)duration.v;
    }
    return (struct ttprof_program_perf){
        .runtime_id = (uint64_t)run->id,
        .trace_id = id_or_none(run->trace_id),
        .trace_counter = id_or_none(run->trace_counter),
        .analyses = a,
        .n_analyses = CPP_ANALYSES,
        .n_cores = row.n_cores,
    };
}

static int by_firmware(const void *a, const void *b)
{
    const struct ttprof_program_perf *x = a, *y = b;
    const struct ttprof_analysis *f = &x->analyses[CPP_FIRMWARE],
                                 *g = &y->analyses[CPP_FIRMWARE];
    SORT_BY(f, g, start);
    SORT_BY(f, g, end);
    SORT_BY(f, g, duration_ns);
    SORT_BY(x, y, runtime_id);
    SORT_BY(x, y, trace_id);
    SORT_BY(x, y, trace_counter);
    return 0;
}

static struct perf_set *set_of(struct perf_data *p, int64_t chip)
{
    for (size_t i = 0; i < p->chips.n; i++)
        if (p->chips.v[i].chip == chip)
            return &p->chips.v[i];
    vec_push(&p->chips, (struct perf_set){.chip = chip});
    return &p->chips.v[p->chips.n - 1];
}

const struct perf_set *perf_data_of(const struct perf_data *p, int64_t chip)
{
    for (size_t i = 0; i < p->chips.n; i++)
        if (p->chips.v[i].chip == chip)
            return &p->chips.v[i];
    return NULL;
}

void perf_data_add(struct perf_data *p, const struct cpp_report *r,
                   int64_t (*available_cores)(const void *context,
                                              const struct trace_run *run),
                   const void *context)
{
    const struct trace *t = r->trace;
    for (size_t i = 0; i < p->chips.n && !p->goes_on; i++)
        p->chips.v[i].latest.n = 0;
    for (size_t d = 0; d < t->devices.n; d++) {
        struct perf_set *set = set_of(p, t->devices.v[d].id);
        for (size_t i = r->ops->first[d]; i < r->ops->first[d + 1]; i++) {
            struct ttprof_program_perf program = program_perf(p, r, (uint32_t)i);
            int64_t available = available_cores(context, &t->runs.v[r->ops->v[i].run]);
            program.n_available_cores = (uint32_t)(available < 0 ? 0 : available);
            vec_push(&set->latest, program);
            vec_push(&set->all, program);
        }
        if (set->latest.n)
            qsort(set->latest.v, set->latest.n, sizeof *set->latest.v, by_firmware);
        if (set->all.n)
            qsort(set->all.v, set->all.n, sizeof *set->all.v, by_firmware);
    }
}

// --- summaries -----------------------------------------------------------------------

__extension__ typedef unsigned __int128 u128;

// Rounds to the nearest multiple of the quantum, or up if that would not cover the range.
static uint64_t bucket_width(uint64_t span, size_t n)
{
    uint64_t needed = span / n + (span % n != 0);
    uint64_t width = (needed + QUANTUM / 2) / QUANTUM * QUANTUM;
    width = width < QUANTUM ? QUANTUM : width;
    if ((u128)width * n < span)
        width = (needed + QUANTUM - 1) / QUANTUM * QUANTUM;
    return width;
}

static uint64_t kernel_duration(const struct ttprof_program_perf *program)
{
    return program->analyses[CPP_KERNEL].duration_ns;
}

static void count_durations(const struct ttprof_program_perf *v, size_t n,
                            struct ttprof_duration_summary *out)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t ns = kernel_duration(&v[i]);
        if (ns == 0)
            continue;
        out->min_ns = out->count == 0 || ns < out->min_ns ? ns : out->min_ns;
        out->max_ns = ns > out->max_ns ? ns : out->max_ns;
        out->count++;
        sum += (double)ns;
    }
    out->avg_ns = out->count ? sum / (double)out->count : 0;
}

static void fill_buckets(const struct ttprof_program_perf *v, size_t n, uint64_t *buckets,
                         struct ttprof_duration_summary *out)
{
    u128 end = (u128)out->bucket_width * out->n_buckets + out->bucket_start;
    for (size_t i = 0; i < n; i++) {
        uint64_t ns = kernel_duration(&v[i]);
        if (ns == 0)
            continue;
        if (ns < out->bucket_start)
            out->underflow++;
        else if (ns >= end)
            out->overflow++;
        else
            buckets[(ns - out->bucket_start) / out->bucket_width]++;
    }
}

void perf_data_summary(struct perf_data *p, int64_t chip, bool latest, uint64_t min,
                       uint64_t max, size_t n_buckets, struct ttprof_duration_summary *out)
{
    const struct perf_set *set = perf_data_of(p, chip);
    size_t n = !set ? 0 : latest ? set->latest.n : set->all.n;
    const struct ttprof_program_perf *v = !n ? NULL : latest ? set->latest.v : set->all.v;
    *out = (struct ttprof_duration_summary){0};
    count_durations(v, n, out);
    uint64_t from = min ? min : out->count ? out->min_ns : RANGE_MIN;
    uint64_t to = max ? max : out->count ? out->max_ns : RANGE_MAX;
    to = to < from ? from : to;
    p->buckets.n = 0;
    vec_reserve(&p->buckets, n_buckets + 1);
    memset(p->buckets.v, 0, (n_buckets + 1) * sizeof *p->buckets.v);
    out->buckets = p->buckets.v;
    out->n_buckets = n_buckets;
    if (n_buckets == 0)
        return;
    out->bucket_width = bucket_width(to - from, n_buckets);
    out->bucket_start = from / out->bucket_width * out->bucket_width;
    fill_buckets(v, n, p->buckets.v, out);
}

static void put_bar(struct buf *b, uint64_t count, uint64_t most)
{
    size_t filled = most ? (size_t)((double)count / (double)most * BAR_WIDTH + 0.5) : 0;
    buf_fill(b, '#', filled);
    buf_fill(b, ' ', BAR_WIDTH - filled);
}

void perf_data_describe(struct perf_data *p, int64_t chip, struct buf *b)
{
    struct ttprof_duration_summary s;
    long long id = (long long)chip;
    perf_data_summary(p, chip, true, 0, 0, SHOWN_BUCKETS, &s);
    if (s.count == 0) {
        buf_printf(
            b,
            "Device kernel duration perf summary (device=%lld): no 'DEVICE KERNEL DURATION [ns]' samples found in this dump\n",
            id);
        return;
    }
    unsigned long long start = s.bucket_start, width = s.bucket_width;
    unsigned long long end = start + width * s.n_buckets;
    buf_printf(
        b,
        "Device kernel duration perf summary (device=%lld): count=%llu, min=%lluns, avg=%.1fns, max=%lluns\n",
        id, (unsigned long long)s.count, (unsigned long long)s.min_ns, s.avg_ns,
        (unsigned long long)s.max_ns);
    buf_printf(
        b,
        "Device kernel duration perf histogram (device=%lld): (buckets=%zu, bucket_size=%lluns, range=[%llu..%llu), underflow(<%lluns)=%llu, overflow(>=%lluns)=%llu)\n",
        id, s.n_buckets, width, start, end, start, (unsigned long long)s.underflow, end,
        (unsigned long long)s.overflow);
    uint64_t most = 0;
    for (size_t i = 0; i < s.n_buckets; i++)
        most = s.buckets[i] > most ? s.buckets[i] : most;
    for (size_t i = 0; i < s.n_buckets; i++) {
        buf_printf(b, "  [%12llu .. %12llu) |", start + width * i, start + width * (i + 1));
        put_bar(b, s.buckets[i], most);
        buf_printf(b, "| %8llu\n", (unsigned long long)s.buckets[i]);
    }
}
