// device_stats.c - one paragraph per analysis; 2023 logs also get a map of the grid.
#include "present/device/device_stats.h"

#include <stdio.h>

#include "base/text/num.h"

enum {
    // The Grayskull grid, in the coordinates of those logs.
    MAP_COLUMNS = 12,
    MAP_ROWS = 10,
    MAP_CELL = 17,
    DRAM_EVERY = 3, // columns
};

static void put_right(struct buf *b, str s, size_t width)
{
    size_t points = str_points(s);
    buf_fill(b, ' ', points < width ? width - points : 0);
    buf_str(b, s);
}

static void put_statistic(struct buf *b, const char *name, const char *unit, double v)
{
    struct buf number = {0};
    num_put_fixed(&number, v, 0, true);
    put_right(b, str_of(name), 12);
    buf_printf(b, " %-8s = ", unit);
    put_right(b, buf_view(&number), 10);
    buf_char(b, '\n');
    buf_free(&number);
}

static double stat_value(const struct stats *s, enum stat which)
{
    switch (which) {
    case STAT_COUNT: return (double)s->count;
    case STAT_AVERAGE: return s->average;
    case STAT_MAX: return (double)s->max;
    case STAT_MEDIAN: return s->median;
    case STAT_MIN: return (double)s->min;
    case STAT_SUM: return (double)s->sum;
    case STAT_RANGE: return (double)(s->max - s->min);
    default: return (double)s->first;
    }
}

// --- the map -------------------------------------------------------------------------

static void map_cell(const struct stats *s, struct buf *b)
{
    struct buf text = {0};
    if (!s) {
        buf_char(&text, 'X');
    } else {
        num_put_fixed(&text, s->median, 0, true);
        if (s->count > 1) {
            buf_z(&text, "\u00b1");
            uint64_t half = (s->max - s->min) / 2;
            num_put_fixed(&text, (double)half, 0, true);
        }
    }
    put_right(b, buf_view(&text), MAP_CELL);
    buf_free(&text);
}

static const struct stats *stats_at(const struct device_analysis *d,
                                    const struct analysed *a, uint32_t device, int x, int y)
{
    for (size_t i = 0; i < a->blocks.n; i++) {
        const struct trace_core *c = &d->trace->cores.v[a->blocks.v[i].group];
        if (c->device == device && c->x == x && c->y == y)
            return &a->blocks.v[i].stats;
    }
    return NULL;
}

static void map_dram(int first, const char *margin, struct buf *b)
{
    buf_z(b, margin);
    for (int x = 0; x < MAP_COLUMNS; x++) {
        char name[16] = "---";
        if (x % DRAM_EVERY == 0)
            name[snprintf(name, sizeof name, "DRAM%d", first + x / DRAM_EVERY)] = '\0';
        put_right(b, str_of(name), MAP_CELL);
    }
    buf_char(b, '\n');
}

static void put_map(const struct device_analysis *d, const struct analysed *a,
                    uint32_t device, struct buf *b)
{
    buf_z(b, "        ");
    for (int x = 0; x < MAP_COLUMNS; x++)
        buf_printf(b, "%*d", MAP_CELL, x);
    buf_z(b, "\n        ");
    buf_fill(b, '=', (size_t)MAP_COLUMNS * MAP_CELL);
    buf_char(b, '\n');
    for (int y = 0; y < MAP_ROWS; y++) {
        if (y == 0)
            map_dram(0, "        ", b);
        if (y == MAP_ROWS / 2)
            map_dram(4, "     ---", b);
        buf_printf(b, "%2d|| %s", y, y == 1 ? "ARC" : y == 3 ? "PCI" : "---");
        for (int x = 0; x < MAP_COLUMNS; x++)
            map_cell(stats_at(d, a, device, x, y), b);
        buf_char(b, '\n');
    }
    buf_z(b, "\n\n\n");
}

// --- the text ------------------------------------------------------------------------

static void put_more(const struct analysed *a, uint32_t device, struct buf *b)
{
    struct more_stats m;
    if (!device_more_stats(a, device, &m))
        return;
    put_statistic(b, "StdDev", "[cycles]", m.deviation);
    for (int q = 0; q < QUANTILES; q++) {
        char name[16];
        (void)snprintf(name, sizeof name, "P%d", quantile_percent[q]);
        put_statistic(b, name, "[cycles]", m.quantile[q]);
    }
}

static void put_analysis(const struct device_analysis *d, const struct analysed *a,
                         uint32_t device, bool more, struct buf *b)
{
    const struct stats *s = &a->device[device];
    bool is_legacy = d->trace->is_legacy;
    if (s->count == 0)
        return;
    buf_printf(b, "\n=================== %.*s ===================\n",
               STR(a->analysis->name));
    if (s->count == 1)
        put_statistic(b, "Duration", "[cycles]", (double)s->max);
    for (size_t i = 0; s->count > 1 && i < d->setup->n_display; i++) {
        enum stat which = d->setup->display[i];
        bool has_unit = which != STAT_COUNT || is_legacy;
        put_statistic(b, stat_names[which], has_unit ? "[cycles]" : "",
                      stat_value(s, which));
    }
    if (s->count > 1 && more)
        put_more(a, device, b);
    buf_char(b, '\n');
    if (is_legacy && a->analysis->across == ACROSS_CORE)
        put_map(d, a, device, b);
}

void device_stats_text(const struct device_analysis *d, bool more, struct buf *b)
{
    for (uint32_t device = 0; device < d->trace->devices.n; device++)
        for (size_t i = 0; i < d->setup->analyses.n; i++)
            put_analysis(d, &d->v[i], device, more, b);
}
