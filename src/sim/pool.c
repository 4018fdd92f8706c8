// pool.c - threads that run tiles of a window.
//
// A window takes microseconds, so threads wait for the next one by looking at a word, and
// go to sleep only after a while. That word holds the number of the window, how many tiles
// it has and which is next: who moves it on owns a tile. The caller takes tiles, too, and
// waits only for tiles that somebody has taken: a thread that the system holds back costs
// nothing.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "sim/cluster.h"
#include "sim/tile.h"

enum { SPINS = 4000, YIELDS = 50, MOST_THREADS = 64 };

// window << 32 | tiles << 16 | next
#define WINDOW(w, count) ((uint64_t)(w) << 32 | (uint64_t)(count) << 16)
#define COUNT(work)      ((work) >> 16 & 0xFFFF)
#define NEXT(work)       ((work)&0xFFFF)

struct pool {
    _Atomic uint64_t work;
    char apart_1[64];       // words that threads fight over lie on lines of their own
    atomic_uint n_finished; // tiles of the window
    char apart_2[64];
    atomic_uint sleepers;
    atomic_bool is_over;
    // Of the window; to be read by owners of its tiles only.
    struct tile *tiles;
    const uint16_t *list;
    uint64_t end;
    uint32_t window;

    unsigned n; // threads beside the caller's
    pthread_t threads[MOST_THREADS];
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
    return NEXT(work) < COUNT(work);
}

// Runs tiles of the present window until none is left.
static void run_tiles(struct pool *p)
{
    for (;;) {
        uint64_t work = atomic_load(&p->work);
        if (!has_work(work))
            return;
        if (!atomic_compare_exchange_weak(&p->work, &work, work + 1))
            continue;
        tile_run(&p->tiles[p->list[NEXT(work)]], p->end);
        atomic_fetch_add(&p->n_finished, 1);
    }
}

static void await_work(struct pool *p)
{
    for (unsigned i = 0; i < SPINS + YIELDS; i++) {
        if (has_work(atomic_load(&p->work)) || atomic_load(&p->is_over))
            return;
        pause_a_little(i);
    }
    (void)pthread_mutex_lock(&p->lock);
    atomic_fetch_add(&p->sleepers, 1);
    while (!has_work(atomic_load(&p->work)) && !atomic_load(&p->is_over))
        (void)pthread_cond_wait(&p->wake, &p->lock);
    atomic_fetch_sub(&p->sleepers, 1);
    (void)pthread_mutex_unlock(&p->lock);
}

static void *serve(void *context)
{
    struct pool *p = context;
    while (!atomic_load(&p->is_over)) {
        await_work(p);
        run_tiles(p);
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
    // A thread on its way to sleep holds the lock: it is woken after that.
    (void)pthread_mutex_lock(&p->lock);
    (void)pthread_cond_broadcast(&p->wake);
    (void)pthread_mutex_unlock(&p->lock);
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
    p->end = end;
    atomic_store(&p->n_finished, 0);
    atomic_store(&p->work, WINDOW(++p->window, n));
    wake_sleepers(p);
    run_tiles(p);
    if (atomic_load(&p->n_finished) == n)
        return 0;
    uint64_t started = real_ns();
    for (unsigned i = 0; atomic_load(&p->n_finished) < n; i++)
        pause_a_little(i);
    return real_ns() - started;
}
