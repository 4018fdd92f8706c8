// train_heat.c - how busy each core was with kernels, from a device log.
#include <stdlib.h>

#include "base/data/sort.h"

#include "analyse/fold/pair.h"
#include "analyse/train/train.h"
#include "formats/device_log/device_log.h"

// Cycles in kernel zones on one processor, and the number of zones.
static uint64_t busy_of(const struct trace *t, const struct trace_track *k,
                        uint64_t *n_kernels)
{
    uint64_t busy = 0;
    for (size_t z = k->zone; z < (size_t)k->zone + k->n_zones; z++) {
        str name = trace_text(t, t->sites.v[t->zones.site[z]].name);
        if (!str_ends(name, S("-KERNEL")) || t->zones.end[z] < t->zones.start[z])
            continue;
        busy += t->zones.end[z] - t->zones.start[z];
        ++*n_kernels;
    }
    return busy;
}

static struct train_core busy_core(const struct trace *t, const struct trace_core *c)
{
    uint64_t busy = 0, n_kernels = 0;
    int64_t mhz = trace_mhz(t, c->device);
    for (size_t i = 0; i < c->tracks.n; i++) {
        uint64_t n = 0, mine = busy_of(t, &t->tracks.v[c->tracks.v[i]], &n);
        busy = mine > busy ? mine : busy;
        n_kernels = n > n_kernels ? n : n_kernels;
    }
    return (struct train_core){.device = t->devices.v[c->device].id,
                               .x = c->x,
                               .y = c->y,
                               .busy_ns =
                                   (double)busy * (mhz > 0 ? 1000.0 / (double)mhz : 1),
                               .n_kernels = n_kernels};
}

static int by_core_position(const void *a, const void *b)
{
    const struct train_core *x = a, *y = b;
    SORT_BY(x, y, device);
    SORT_BY(x, y, y);
    SORT_BY(x, y, x);
    return 0;
}

static void find_shares(struct train_heat *h)
{
    for (size_t from = 0, to; from < h->v.n; from = to) {
        double most = 0;
        for (to = from; to < h->v.n && h->v.v[to].device == h->v.v[from].device; to++)
            most = h->v.v[to].busy_ns > most ? h->v.v[to].busy_ns : most;
        for (size_t i = from; i < to; i++)
            h->v.v[i].share = most > 0 ? h->v.v[i].busy_ns / most : 0;
    }
}

bool train_heat_read(struct train_heat *h, const char *path, struct notes *n,
                     struct diag *d, struct err *e)
{
    struct trace t = {0};
    *h = (struct train_heat){0};
    bool ok = device_log_read(&t, path, e);
    if (ok) {
        pair_zones(&t);
        h->is_cycles = t.mhz <= 0;
        for (size_t i = 0; i < t.cores.n; i++) {
            struct train_core c = busy_core(&t, &t.cores.v[i]);
            if (c.n_kernels)
                vec_push(&h->v, c);
        }
        if (h->v.n)
            qsort(h->v.v, h->v.n, sizeof *h->v.v, by_core_position);
        else
            note(n, NOTE_WARNING, "%s: no kernel zones: no core map", path);
        find_shares(h);
        diag_add(d, &t.diag);
    }
    trace_free(&t);
    return ok;
}

void train_heat_free(struct train_heat *h)
{
    vec_free(&h->v);
}
