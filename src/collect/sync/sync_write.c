// sync_write.c - writes sync_device_info.csv: tt-metal's columns, then ours.
#include "base/file/file.h"

#include "collect/sync/sync_parts.h"

static const char head[] =
    "device id,core_x, core_y,device,host_tracy,host_real,write_overhead,host_start,delay,"
    "frequency,tracy_ratio,tracy_base_time,device_frequency_ratio,device_shift,"
    "kept,residual_ns,error_ns,epoch\n";

// The host's tick is 1 ns, and its time 0 is the base.
static const double ns_per_tick = 1;

double sync_delay(const struct sync_chip *c, const struct clock_epoch *e)
{
    return -clock_epoch_since(e, 0, c->start) * e->cycles_per_ns;
}

static void put_sample(struct buf *b, const struct sync_chip *c,
                       const struct sync_result *r, const struct sync_sample *p)
{
    const struct tt_core *core = &c->chip.cores[c->core];
    uint64_t overhead = p->after - p->before;
    double host = (double)(int64_t)(p->before - c->start) + (double)overhead / 2;
    const struct clock_epoch *e = &r->host;
    buf_printf(
        b,
        "%5d,%5d,%5d,%20llu,%20lld,%20.2f,%20llu,%20llu,%20.2f,%20.15f,%20.15f,%20d,1.0,0,",
        c->chip.id, core->x, core->y, (unsigned long long)p->stamp, (long long)host,
        host * ns_per_tick, (unsigned long long)overhead, (unsigned long long)c->start,
        sync_delay(c, e), e->cycles_per_ns, ns_per_tick, 0);
    double line = clock_epoch_since(e, p->stamp, c->start);
    buf_printf(b, "%d,%.2f,%.2f,%u\n", p->is_kept, line - host, e->error_ns, r->epoch);
}

static void put_relation(struct buf *b, const struct sync_chip *c,
                         const struct sync_result *r)
{
    const struct relation *to_root = &r->to_root;
    buf_printf(b, "%5d,,,,,,,,,,,,%20.15f,%20lld,", c->chip.id, to_root->scale,
               (long long)relation_shift(to_root));
    buf_printf(b, "%u,%.2f,%.2f,%u\n", to_root->n_kept, to_root->residual_ns,
               to_root->error_ns, r->epoch);
}

bool sync_write(const struct sync *s, const char *path, struct err *e)
{
    struct out out;
    if (!out_open(&out, path, e))
        return false;
    buf_z(&out.b, head);
    struct arena a = {0};
    size_t *next = push_many(&a, size_t, (size_t)s->access->n_chips);
    size_t *sample = push_many(&a, size_t, (size_t)s->access->n_chips);
    for (uint32_t epoch = 0; epoch < s->n_epochs; epoch++)
        for (int i = 0; i < s->access->n_chips; i++) {
            const struct sync_chip *c = &s->chips[i];
            if (next[i] == c->results.n || c->results.v[next[i]].epoch != epoch)
                continue;
            const struct sync_result *r = &c->results.v[next[i]++];
            for (; sample[i] < c->samples.n && c->samples.v[sample[i]].epoch == epoch;
                 sample[i]++)
                if (r->is_host_known && c->samples.v[sample[i]].has_stamp)
                    put_sample(&out.b, c, r, &c->samples.v[sample[i]]);
            if (r->to_root.is_known && s->places[i].parent >= 0)
                put_relation(&out.b, c, r);
            out_flush_some(&out);
        }
    arena_free(&a);
    return out_close(&out, e);
}
