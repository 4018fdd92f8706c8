// zones_csv_plots.c - plots, and the use of each memory pool as a plot, as rows after the
// zones.
#include "base/data/sort.h"
#include "base/text/num.h"

#include "formats/tracy/tracy_trace.h"
#include "present/reports/zones_csv_parts.h"
#include "trace/cursor.h"

struct point {
    uint32_t name; // string
    uint32_t is_memory;
    uint64_t time;
    double value; // for memory: bytes allocated or freed
};
struct plots {
    VEC(struct point) v;
};

// Any thread may free memory, so sizes of frees are known only in time order.
struct memory_event {
    uint64_t time, address, bytes;
    uint32_t process, pool;
    bool is_free;
};
struct memory {
    VEC(struct memory_event) v;
};
struct gathering {
    struct plots plots;
    struct memory memory;
};

static void add_event(struct gathering *g, const struct trace_event *ev, uint32_t process)
{
    double real;
    switch (ev->kind) {
    case TT_PLOT_INT:
        vec_push(&g->plots.v,
                 (struct point){(uint32_t)ev->a, 0, ev->time, (double)(int64_t)ev->b});
        break;
    case TT_PLOT_REAL:
        memcpy(&real, &ev->b, sizeof real);
        vec_push(&g->plots.v, (struct point){(uint32_t)ev->a, 0, ev->time, real});
        break;
    case TT_ALLOC:
        vec_push(&g->memory.v, (struct memory_event){ev->time, ev->a, ev->b, process,
                                                     (uint32_t)ev->c, false});
        break;
    case TT_FREE:
        vec_push(&g->memory.v,
                 (struct memory_event){ev->time, ev->a, 0, process, (uint32_t)ev->b, true});
        break;
    default: break;
    }
}

// The address of a live block in a pool of a process.
struct block_key {
    uint64_t address;
    uint32_t process, pool;
};

// A free of address 0 frees everything the process has in the pool.
static uint64_t free_pool(const struct map *blocks, uint64_t *bytes, struct block_key of)
{
    uint64_t gone = 0;
    for (size_t i = 0; i < blocks->keys.n; i++) {
        struct block_key key;
        memcpy(&key, blocks->keys.v[i].p, sizeof key);
        if (key.process != of.process || key.pool != of.pool)
            continue;
        gone += bytes[i];
        bytes[i] = 0;
    }
    return gone;
}

// The reference starts a pool with 0 bytes where the recording begins, which is in the
// third frame if it waited for a connection.
static void add_first(struct gathering *g, const struct trace *r, uint32_t pool)
{
    const struct tracy *t = tracy_of_trace(r);
    size_t frame = t && t->is_on_demand ? 2 : 0;
    if (!t || !t->frame_sets.n || t->frame_sets.v[0].frames.n <= frame)
        return;
    const struct tracy_frame *f = pile_at(&t->frame_sets.v[0].frames, frame);
    vec_push(&g->plots.v, (struct point){pool, 1, (uint64_t)f->start, 0});
}

// The bytes in use after each event of a pool, over all processes.
static void add_memory(struct gathering *g, const struct trace *r,
                       const struct zones_csv *form)
{
    struct arena arena = {0};
    struct map blocks = {0}, pools = {0};
    size_t n = g->memory.v.n, n_pools = 0;
    uint64_t *bytes = mem_alloc(mem_bytes(sizeof *bytes, n)); // by block
    double *used = mem_alloc(mem_bytes(sizeof *used, n));     // by pool
    struct keyed *order = mem_alloc(mem_bytes(2 * sizeof *order, n));
    for (size_t i = 0; i < n; i++)
        order[i] = (struct keyed){.key = g->memory.v.v[i].time, .a = (uint32_t)i};
    sort_keyed(order, order + n, n);
    for (size_t i = 0; i < n; i++) {
        const struct memory_event *ev = &g->memory.v.v[order[i].a];
        struct block_key key = {ev->address, ev->process, ev->pool};
        uint32_t block = map_put_copy(&blocks, &key, sizeof key, &arena);
        uint32_t pool = map_put_copy(&pools, &ev->pool, sizeof ev->pool, &arena);
        if (pool == n_pools && form->is_compatible)
            add_first(g, r, ev->pool);
        n_pools = pools.keys.n;
        bool is_all = ev->is_free && !ev->address && ev->pool;
        uint64_t gone = is_all ? free_pool(&blocks, bytes, key) : bytes[block];
        used[pool] += (double)ev->bytes - (double)gone;
        bytes[block] = ev->bytes;
        vec_push(&g->plots.v, (struct point){ev->pool, 1, ev->time, used[pool]});
    }
    mem_free(order);
    mem_free(bytes);
    mem_free(used);
    map_free(&blocks);
    map_free(&pools);
    arena_free(&arena);
}

static void put_point(struct buf *b, const struct trace *r, const struct zones_csv *form,
                      const struct point *p)
{
    str name = r->strings.keys.v[p->name];
    if (!name.n) // the reference shows the name of the first set of frames
        name = form->is_compatible ? S("Frame")
               : p->is_memory      ? S("Memory usage")
                                   : S("CPU usage");
    zones_csv_text(b, form, name);
    for (int i = 0; i < 3; i++)
        zones_csv_sep(b, form);
    num_put_int(b, (int64_t)p->time);
    for (int i = 0; i < 3; i++)
        zones_csv_sep(b, form);
    num_put_fixed(b, p->value, 6, false);
    buf_char(b, '\n');
}

void zones_csv_plots(struct out *o, const struct trace *r, const struct zones_csv *form)
{
    struct gathering g = {0};
    struct trace_cursor *c = trace_cursor_new(r);
    for (uint32_t i = 0; i < r->tracks.n; i++) {
        if (!zone_choice_has_track(r, &form->choice, i))
            continue;
        trace_cursor_start(c, i);
        for (const struct trace_batch *b; (b = trace_cursor_next(c));)
            for (size_t k = 0; k < b->n_events; k++)
                add_event(&g, &b->events[k], r->tracks.v[i].process);
    }
    trace_cursor_free(c);
    add_memory(&g, r, form);
    size_t n = g.plots.v.n;
    struct keyed *order = mem_alloc(mem_bytes(2 * sizeof *order, n));
    // By time, then by name: both sorts are stable.
    for (size_t i = 0; i < n; i++)
        order[i] = (struct keyed){.key = g.plots.v.v[i].time, .a = (uint32_t)i};
    sort_keyed(order, order + n, n);
    for (size_t i = 0; i < n; i++) {
        const struct point *p = &g.plots.v.v[order[i].a];
        order[i].key = (uint64_t)p->is_memory << 32 | p->name;
    }
    sort_keyed(order, order + n, n);
    for (size_t i = 0; i < n; i++) {
        put_point(&o->b, r, form, &g.plots.v.v[order[i].a]);
        out_flush_some(o);
    }
    mem_free(order);
    vec_free(&g.plots.v);
    vec_free(&g.memory.v);
}
