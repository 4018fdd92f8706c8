// enrich_meta.c - formats metadata as text.

#include <stdlib.h>

#include "collect/decode/enrich.h"
#include "ttprof/perf_counters.h"

static struct meta_member *add_member(struct meta *m, const char *key)
{
    struct meta_member *to = &m->v[m->n++];
    *to = (struct meta_member){.key = key};
    return to;
}

void meta_number(struct meta *m, const char *key, uint64_t v)
{
    add_member(m, key)->number = v;
}

void meta_text(struct meta *m, const char *key, str v)
{
    add_member(m, key)->text = v.p ? v : S("");
}

void meta_run(struct meta *m, const struct lane_run *run)
{
    if (run->sub_device < 0)
        return;
    meta_number(m, "sub_device_id", (uint64_t)run->sub_device);
    if (run->sub_device_manager >= 0)
        meta_number(m, "sub_device_manager_id", (uint64_t)run->sub_device_manager);
}

// An address is a word index and a byte offset.
void meta_noc_trailer(struct meta *m, uint64_t trailer)
{
    uint64_t dst = (trailer & 0x3FFFFF) << 2 | (trailer >> 22 & 3);
    uint64_t src = (trailer >> 26 & 0x3FFFFF) << 2 | (trailer >> 48 & 3);
    meta_number(m, "dst_addr", dst);
    meta_number(m, "noc_status_counter", trailer >> 52);
    meta_number(m, "src_addr", src);
}

static int by_key(const void *a, const void *b)
{
    return strcmp(((const struct meta_member *)a)->key,
                  ((const struct meta_member *)b)->key);
}

str meta_make(struct meta *m, struct buf *scratch, struct arena *a)
{
    qsort(m->v, m->n, sizeof *m->v, by_key);
    scratch->n = 0;
    for (size_t i = 0; i < m->n; i++) {
        const struct meta_member *v = &m->v[i];
        buf_printf(scratch, "%c\"%s\":", i ? ';' : '{', v->key);
        if (!v->text.p)
            buf_printf(scratch, "%llu", (unsigned long long)v->number);
        else
            buf_printf(scratch, "\"%.*s\"",
                       STR(v->text)); // names from tables: nothing to escape
    }
    buf_char(scratch, '}');
    return arena_str(a, buf_view(scratch));
}

const char *perf_counter_name(uint64_t number)
{
    static const char *const names[TT_PERF_IDS] = {
#define COUNTER_NAME(id, name, group, wormhole, blackhole) [id] = #name,
        TT_PERF_COUNTERS(COUNTER_NAME)
#undef COUNTER_NAME
    };
    return number < TT_PERF_IDS ? names[number] : NULL;
}
