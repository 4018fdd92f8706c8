// rows_of_call.c - the row of one call of an op from a six-column log of 2023.
//
// Such a log has no ids: all of it is the call. The timers 1 to 4 are the start of firmware
// and kernel, and their ends.
#include <math.h>

#include "analyse/ops/rows_of_log.h"
#include "formats/device_rows/device_rows_parts.h"

enum { FW_STARTS = 1, KERNEL_STARTS, KERNEL_ENDS, FW_ENDS };

static const struct {
    const char *risc; // NULL: any
    uint32_t start, end;
    enum device_number length, from, to; // from, to: 0 for none
} spans[] = {
    {NULL, FW_STARTS, FW_ENDS, DEVICE_FW, DEVICE_FW_START, DEVICE_FW_END},
    {NULL, KERNEL_STARTS, KERNEL_ENDS, DEVICE_KERNEL, DEVICE_KERNEL_START,
     DEVICE_KERNEL_END},
    {"BRISC", KERNEL_STARTS, KERNEL_ENDS, DEVICE_BRISC, 0, 0},
    {"NCRISC", KERNEL_STARTS, KERNEL_ENDS, DEVICE_NCRISC, 0, 0},
    {"TRISC_0", KERNEL_STARTS, KERNEL_ENDS, DEVICE_TRISC0, 0, 0},
    {"TRISC_1", KERNEL_STARTS, KERNEL_ENDS, DEVICE_TRISC1, 0, 0},
    {"TRISC_2", KERNEL_STARTS, KERNEL_ENDS, DEVICE_TRISC2, 0, 0},
};

struct extent {
    uint64_t first, last;
    bool has_first, has_last;
};

static void widen(struct extent *x, const struct trace *t, const struct trace_track *track,
                  uint32_t start, uint32_t end)
{
    for (uint32_t i = track->marker; i < track->marker + track->n_markers; i++) {
        uint32_t timer = t->sites.v[t->markers.site[i]].timer_id;
        uint64_t time = t->markers.time[i];
        if (timer == start && (!x->has_first || time < x->first)) {
            x->first = time;
            x->has_first = true;
        }
        if (timer == end && (!x->has_last || time > x->last)) {
            x->last = time;
            x->has_last = true;
        }
    }
}

static void put_number(struct device_row *row, enum device_number n, bool is_there,
                       double v)
{
    bool is_fine = is_there && v >= 0 && v < 0x1p63;
    row->v[n] = is_fine ? (int64_t)v : DEVICE_NONE;
    row->state[n] = is_fine ? STATE_OK : STATE_MISSING;
}

static void put_extent(struct device_row *row, const struct trace *t, size_t span,
                       const struct extent *x)
{
    if (!x->has_first && !x->has_last)
        return;
    bool is_whole = x->has_first && x->has_last && x->first <= x->last && t->mhz > 0;
    double ns = is_whole ? (double)(x->last - x->first) * 1000 / (double)t->mhz : 0;
    put_number(row, spans[span].length, is_whole, nearbyint(ns));
    if (!spans[span].from)
        return;
    put_number(row, spans[span].from, x->has_first, (double)x->first);
    put_number(row, spans[span].to, x->has_last, (double)x->last);
}

void device_rows_of_call(struct device_rows *r, const struct trace *t)
{
    struct device_row row = device_row_none();
    *r = (struct device_rows){.mhz = t->mhz, .workers = t->max_compute_cores};
    r->arch = arena_str(&r->a, t->arch);
    if (!t->tracks.n)
        return;
    row.device = t->devices.v[t->cores.v[t->tracks.v[0].core].device].id;
    put_number(&row, DEVICE_CORES, true, (double)t->cores.n);
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
        struct extent x = {0};
        for (size_t k = 0; k < t->tracks.n; k++)
            if (!spans[i].risc || str_is(trace_text(t, t->tracks.v[k].risc), spans[i].risc))
                widen(&x, t, &t->tracks.v[k], spans[i].start, spans[i].end);
        put_extent(&row, t, i, &x);
    }
    device_row_settle(&row);
    vec_push(&r->v, row);
    vec_push(&r->devices, row.device);
}
