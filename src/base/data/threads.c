// threads.c - lanes on pthreads.
#include "base/data/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/data/mem.h"
#include "base/text/num.h"

enum { THREADS_MOST = 256 };

struct start {
    struct lane lane;
    void (*work)(struct lane, void *);
    void *context;
    pthread_t thread;
    bool runs;
};

static void *lane_main(void *arg)
{
    struct start *s = arg;
    s->work(s->lane, s->context);
    return NULL;
}

unsigned threads_for(size_t items, size_t worth)
{
    int64_t n;
    const char *set = getenv("TTPROF_THREADS");
    if (set && num_int(str_of(set), &n) && n > 0)
        return n < THREADS_MOST ? (unsigned)n : THREADS_MOST;
    cpu_set_t cpus;
    if (items < worth || sched_getaffinity(0, sizeof cpus, &cpus) != 0)
        return 1;
    int count = CPU_COUNT(&cpus);
    return count < 1 ? 1 : count < THREADS_MOST ? (unsigned)count : THREADS_MOST;
}

void threads_run(unsigned n, void (*work)(struct lane lane, void *context), void *context)
{
    struct start *s = mem_alloc(mem_bytes(sizeof *s, n));
    for (unsigned i = 1; i < n; i++) {
        s[i] = (struct start){.lane = {i, n}, .work = work, .context = context};
        s[i].runs = pthread_create(&s[i].thread, NULL, lane_main, &s[i]) == 0;
    }
    work((struct lane){0, n}, context);
    for (unsigned i = 1; i < n; i++) {
        if (s[i].runs)
            (void)pthread_join(s[i].thread, NULL);
        else
            work((struct lane){i, n}, context);
    }
    mem_free(s);
}

struct range lane_range(struct lane lane, size_t total)
{
    size_t each = total / lane.n, more = total % lane.n;
    size_t from = each * lane.index + (lane.index < more ? lane.index : more);
    return (struct range){from, from + each + (lane.index < more)};
}
