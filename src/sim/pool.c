// pool.c - threads that run the tiles of a window.
//
// A window takes microseconds, so threads spin for the next one and sleep only after a
// while. Every thread owns a part of the tiles, as far as possible always the same ones,
// because their state is in its cache; a thread that has finished its part helps with the
// others. A part's word holds the window number, the end of the part and its next tile:
// advancing the word claims a tile. The caller owns a part too and waits only for claimed
// tiles, so a descheduled thread costs nothing.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "sim/cluster.h"
#include "sim/tile/tile.h"

enum { SPINS = 4000, YIELDS = 50, MOST_THREADS = 64 };

// window << 32 | end << 16 | next
#define PART(window, from, to)                                                             \
    ((uint64_t)(window) << 32 | (uint64_t)(to) << 16 | (uint64_t)(from))
#define END(work)  ((work) >> 16 & 0xFFFF)
#define NEXT(work) ((work)&0xFFFF)

struct part {
    _Atomic uint64_t work;
    char apart[56]; // keeps contended words on separate cache lines
};

struct pool {
    struct part parts[MOST_THREADS + 1]; // 0: the caller's
    atomic_uint n_finished;              // tiles of the window
    char apart[64];
    atomic_uint sleepers;
    atomic_bool is_over;
    // Of the current window; only owners of its tiles may read these.
    struct tile *tiles;
    uint16_t list[1024];
    uint64_t end;
    uint64_t bounds[MOST_THREADS + 1];
    uint32_t window;

    unsigned n; // threads besides the caller
    pthread_t threads[MOST_THREADS];
    bool is_started[MOST_THREADS];
    pthread_mutex_t lock;
    pthread_cond_t wake;
};

static void pause_a_little(unsigned i)
{
    if (i < SPINS) {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
    } else {
        (void)sched_yield();
    }
}

static bool has_work(uint64_t work)
{
    return NEXT(work) < END(work);
}

// Runs the tiles of one part until none is left.
static void run_part(struct pool *p, struct part *part)
{
    for (;;) {
        uint64_t work = atomic_load(&part->work);
        if (!has_work(work))
            return;
        if (!atomic_compare_exchange_weak(&part->work, &work, work + 1))
            continue;
        tile_run(&p->tiles[p->list[NEXT(work)]], p->end);
        atomic_fetch_add(&p->n_finished, 1);
    }
}

static void run_tiles(struct pool *p, unsigned own)
{
    for (unsigned i = 0; i <= p->n; i++)
        run_part(p, &p->parts[(own + i) % (p->n + 1)]);
}

static bool is_wanted(struct pool *p)
{
    for (unsigned i = 0; i <= p->n; i++)
        if (has_work(atomic_load(&p->parts[i].work)))
            return true;
    return atomic_load(&p->is_over);
}

static void await_work(struct pool *p)
{
    for (unsigned i = 0; i < SPINS + YIELDS; i++) {
        if (is_wanted(p))
            return;
        pause_a_little(i);
    }
    (void)pthread_mutex_lock(&p->lock);
    atomic_fetch_add(&p->sleepers, 1);
    while (!is_wanted(p))
        (void)pthread_cond_wait(&p->wake, &p->lock);
    atomic_fetch_sub(&p->sleepers, 1);
    (void)pthread_mutex_unlock(&p->lock);
}

struct server {
    struct pool *pool;
    unsigned part;
};

static void *pool_thread(void *context)
{
    struct server server = *(struct server *)context;
    mem_free(context);
    while (!atomic_load(&server.pool->is_over)) {
        await_work(server.pool);
        run_tiles(server.pool, server.part);
    }
    return NULL;
}

static void wake_sleepers(struct pool *p)
{
    if (!atomic_load(&p->sleepers))
        return;
    (void)pthread_mutex_lock(&p->lock);
    (void)pthread_cond_broadcast(&p->wake);
    (void)pthread_mutex_unlock(&p->lock);
}

struct pool *pool_new(unsigned threads)
{
    struct pool *p = mem_alloc(sizeof *p);
    (void)pthread_mutex_init(&p->lock, NULL);
    (void)pthread_cond_init(&p->wake, NULL);
    // Threads scan all parts, so set their number before starting any. The part of a
    // thread that fails to start is run by the others.
    p->n = threads - 1 < MOST_THREADS ? threads - 1 : MOST_THREADS;
    for (unsigned i = 0; i < p->n; i++) {
        struct server *server = mem_alloc(sizeof *server);
        *server = (struct server){p, i + 1};
        p->is_started[i] = pthread_create(&p->threads[i], NULL, pool_thread, server) == 0;
        if (!p->is_started[i])
            mem_free(server);
    }
    return p;
}

void pool_free(struct pool *p)
{
    if (!p)
        return;
    atomic_store(&p->is_over, true);
    // A thread about to sleep holds the lock, so it is woken after that.
    (void)pthread_mutex_lock(&p->lock);
    (void)pthread_cond_broadcast(&p->wake);
    (void)pthread_mutex_unlock(&p->lock);
    for (unsigned i = 0; i < p->n; i++)
        if (p->is_started[i])
            (void)pthread_join(p->threads[i], NULL);
    (void)pthread_mutex_destroy(&p->lock);
    (void)pthread_cond_destroy(&p->wake);
    mem_free(p);
}

// Interleaved by tile number: busy tiles are often neighbours.
static void divide_tiles(struct pool *p, const uint16_t *due, size_t n)
{
    unsigned parts = p->n + 1;
    size_t at = 0;
    p->window++;
    for (unsigned part = 0; part < parts; part++) {
        size_t from = at;
        for (size_t i = 0; i < n; i++)
            if (due[i] % parts == part)
                p->list[at++] = due[i];
        p->bounds[part] = PART(p->window, from, at);
    }
}

uint64_t pool_run(struct pool *p, struct tile *tiles, const uint16_t *due, size_t n,
                  uint64_t end)
{
    divide_tiles(p, due, n);
    p->tiles = tiles;
    p->end = end;
    atomic_store(&p->n_finished, 0);
    for (unsigned i = 0; i <= p->n; i++)
        atomic_store(&p->parts[i].work, p->bounds[i]);
    wake_sleepers(p);
    run_tiles(p, 0);
    if (atomic_load(&p->n_finished) == n)
        return 0;
    uint64_t started = host_real_ns();
    for (unsigned i = 0; atomic_load(&p->n_finished) < n; i++)
        pause_a_little(i);
    return host_real_ns() - started;
}
