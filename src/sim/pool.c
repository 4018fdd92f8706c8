// pool.c - threads that run tiles of a window. A window takes microseconds, so threads wait
// for the next one by looking at a counter, and go to sleep only after a while.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "sim/cluster.h"
#include "sim/tile.h"

enum { SPINS = 2000, YIELDS = 200, CHUNK = 2, MOST_THREADS = 64 };

struct pool {
    unsigned n; // threads beside the caller's
    pthread_t threads[MOST_THREADS];
    pthread_mutex_t lock;
    pthread_cond_t wake;
    atomic_uint sleepers;
    atomic_ulong generation; // steps with every window
    atomic_size_t next;      // tile of the list to run next
    atomic_uint n_done;
    atomic_bool is_over;
    // Of the window:
    struct tile *tiles;
    const uint16_t *list;
    size_t count;
    uint64_t end;
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

static void run_share(struct pool *p)
{
    for (;;) {
        size_t from = atomic_fetch_add(&p->next, CHUNK);
        if (from >= p->count)
            return;
        for (size_t i = from; i < from + CHUNK && i < p->count; i++)
            tile_run(&p->tiles[p->list[i]], p->end);
    }
}

// Returns when the generation is no longer `seen`.
static void await_window(struct pool *p, unsigned long seen)
{
    for (unsigned i = 0; i < SPINS + YIELDS; i++) {
        if (atomic_load(&p->generation) != seen)
            return;
        pause_a_little(i);
    }
    (void)pthread_mutex_lock(&p->lock);
    atomic_fetch_add(&p->sleepers, 1);
    while (atomic_load(&p->generation) == seen)
        (void)pthread_cond_wait(&p->wake, &p->lock);
    atomic_fetch_sub(&p->sleepers, 1);
    (void)pthread_mutex_unlock(&p->lock);
}

static void *serve(void *context)
{
    struct pool *p = context;
    for (unsigned long seen = 0;; seen++) {
        await_window(p, seen);
        if (atomic_load(&p->is_over))
            return NULL;
        run_share(p);
        atomic_fetch_add(&p->n_done, 1);
    }
}

static void start_window(struct pool *p)
{
    atomic_fetch_add(&p->generation, 1);
    if (atomic_load(&p->sleepers)) {
        (void)pthread_mutex_lock(&p->lock);
        (void)pthread_cond_broadcast(&p->wake);
        (void)pthread_mutex_unlock(&p->lock);
    }
}

struct pool *pool_new(unsigned threads)
{
    struct pool *p = mem_alloc(sizeof *p);
    (void)pthread_mutex_init(&p->lock, NULL);
    (void)pthread_cond_init(&p->wake, NULL);
    while (p->n + 1 < threads && p->n < MOST_THREADS &&
           pthread_create(&p->threads[p->n], NULL, serve, p) == 0)
        p->n++;
    return p;
}

void pool_free(struct pool *p)
{
    if (!p)
        return;
    atomic_store(&p->is_over, true);
    start_window(p);
    for (unsigned i = 0; i < p->n; i++)
        (void)pthread_join(p->threads[i], NULL);
    (void)pthread_mutex_destroy(&p->lock);
    (void)pthread_cond_destroy(&p->wake);
    mem_free(p);
}

static uint64_t real_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t pool_run(struct pool *p, struct tile *tiles, const uint16_t *list, size_t n,
                  uint64_t end)
{
    p->tiles = tiles;
    p->list = list;
    p->count = n;
    p->end = end;
    atomic_store(&p->next, 0);
    atomic_store(&p->n_done, 0);
    start_window(p);
    run_share(p);
    uint64_t started = real_ns();
    for (unsigned i = 0; atomic_load(&p->n_done) < p->n; i++)
        pause_a_little(i);
    return real_ns() - started;
}
