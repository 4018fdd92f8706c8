// device_blocks.c - statistics of the analyses' results.
#include <math.h>

#include "base/data/sort.h"

#include "analyse/device/device_analysis.h"

const int quantile_percent[QUANTILES] = {50, 90, 95, 99};

typedef VEC(uint64_t) numbers;

static struct stats stats_of(const struct result *r, size_t n, numbers *scratch)
{
    struct stats s = {.count = n, .max = r->cycles, .min = r->cycles, .first = r->cycles};
    scratch->n = 0;
    vec_reserve(scratch, n);
    for (size_t i = 0; i < n; i++) {
        uint64_t v = r[i].cycles;
        scratch->v[scratch->n++] = v;
        s.sum += v;
        s.max = v > s.max ? v : s.max;
        s.min = v < s.min ? v : s.min;
    }
    s.average = (double)s.sum / (double)n;
    s.median = sort_median(scratch->v, n);
    return s;
}

static void make_blocks(struct analysed *a, numbers *scratch)
{
    for (size_t at = 0; at < a->results.n;) {
        size_t end = at;
        while (end < a->results.n && a->results.v[end].group == a->results.v[at].group)
            end++;
        vec_push(&a->blocks,
                 (struct block){.group = a->results.v[at].group,
                                .result = (uint32_t)at,
                                .n_results = (uint32_t)(end - at),
                                .stats = stats_of(a->results.v + at, end - at, scratch)});
        at = end;
    }
}

static void sort_by_device(const struct device_analysis *d, struct analysed *a)
{
    size_t n = d->trace->devices.n;
    a->by_device = mem_alloc(mem_bytes(sizeof *a->by_device, a->blocks.n + 1));
    a->first = mem_alloc(mem_bytes(sizeof *a->first, n + 2));
    size_t *at =
        a->first + 1; // moves to the end of each device, which is the next one's start
    for (size_t i = 0; i < a->blocks.n; i++) {
        uint32_t device = analysed_device(d, a, a->blocks.v[i].group);
        if (device + 1 < n)
            at[device + 1]++;
    }
    for (size_t i = 1; i < n; i++)
        at[i] += at[i - 1];
    for (size_t i = 0; i < a->blocks.n; i++)
        a->by_device[at[analysed_device(d, a, a->blocks.v[i].group)]++] = (uint32_t)i;
}

// Over the blocks of a device; its median is the median of their medians.
static void sum_up_devices(const struct device_analysis *d, struct analysed *a)
{
    double *medians = mem_alloc(mem_bytes(sizeof *medians, a->blocks.n + 1));
    for (size_t device = 0; device < d->trace->devices.n; device++) {
        struct stats *s = &a->device[device];
        size_t n = 0;
        for (size_t i = a->first[device]; i < a->first[device + 1]; i++) {
            const struct stats *b = &a->blocks.v[a->by_device[i]].stats;
            s->max = n == 0 || b->max > s->max ? b->max : s->max;
            s->min = n == 0 || b->min < s->min ? b->min : s->min;
            s->count += b->count;
            s->sum += b->sum;
            medians[n++] = b->median;
        }
        if (!n)
            continue;
        s->average = (double)s->sum / (double)s->count;
        s->median = sort_median_real(medians, n);
    }
    mem_free(medians);
}

void blocks_make(struct device_analysis *d)
{
    numbers scratch = {0};
    for (size_t i = 0; i < d->setup->analyses.n; i++) {
        make_blocks(&d->v[i], &scratch);
        sort_by_device(d, &d->v[i]);
        sum_up_devices(d, &d->v[i]);
    }
    vec_free(&scratch);
}

bool device_more_stats(const struct analysed *a, uint32_t device, struct more_stats *out)
{
    numbers v = {0};
    *out = (struct more_stats){0};
    for (size_t i = a->first[device]; i < a->first[device + 1]; i++) {
        const struct block *b = &a->blocks.v[a->by_device[i]];
        for (uint32_t r = 0; r < b->n_results; r++)
            vec_push(&v, a->results.v[b->result + r].cycles);
    }
    size_t n = v.n;
    if (n) {
        double mean = a->device[device].average, squares = 0;
        for (size_t i = 0; i < n; i++)
            squares += ((double)v.v[i] - mean) * ((double)v.v[i] - mean);
        out->deviation = sqrt(squares / (double)n);
        for (int q = 0; q < QUANTILES; q++) {
            double at = (double)(n - 1) * quantile_percent[q] / 100;
            size_t low = (size_t)at;
            double a_low = (double)sort_select(v.v, n, low);
            double a_high = low + 1 < n ? (double)sort_select(v.v, n, low + 1) : a_low;
            out->quantile[q] = a_low + (a_high - a_low) * (at - (double)low);
        }
    }
    vec_free(&v);
    return n > 0;
}
