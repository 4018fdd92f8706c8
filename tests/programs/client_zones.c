// client_zones.c - zones of four threads for a Tracy server, and whether a trace of them is
// whole: client_zones make ZONES, and client_zones check FILE ZONES (of all threads).
//
// A thread does groups of five zones: an outer one with another in it that has two, and a
// third. Texts at intervals, a counter, show the order.
#define TTPROF_ENABLE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/tracy/tracy_file.h"
#include "ttprof/host.h"

enum { THREADS = 4, GROUP = 5, TEXT_EVERY = 1000 };

// --- the program -------------------------------------------------------------------------
struct job {
    uint64_t number, groups;
};

static void leaf(void)
{
    TTPROF_ZONE("leaf");
}

static void inner(void)
{
    TTPROF_ZONE("inner");
    leaf();
    leaf();
}

static void *work(void *argument)
{
    const struct job *j = argument;
    char text[32];
    (void)snprintf(text, sizeof text, "worker %llu", (unsigned long long)j->number);
    ttprof_thread_name(text);
    for (uint64_t i = 0; i < j->groups; i++) {
        TTPROF_BEGIN(outer, "outer");
        if (i % TEXT_EVERY == 0) {
            int n = snprintf(text, sizeof text, "%llu", (unsigned long long)i);
            TTPROF_TEXT(outer, text, (size_t)n);
        }
        inner();
        leaf();
        TTPROF_END(outer);
    }
    return NULL;
}

static int make(uint64_t zones)
{
    (void)puts("begun"); // for who kills it
    (void)fflush(stdout);
    pthread_t threads[THREADS];
    struct job jobs[THREADS];
    for (uint64_t i = 0; i < THREADS; i++) {
        jobs[i] = (struct job){i, zones / THREADS / GROUP};
        if (pthread_create(&threads[i], NULL, work, &jobs[i]))
            return 1;
    }
    for (int i = 0; i < THREADS; i++)
        (void)pthread_join(threads[i], NULL);
    if (ttprof_lost())
        (void)fprintf(stderr, "%llu events are lost\n", (unsigned long long)ttprof_lost());
    return ttprof_lost() != 0;
}

// --- the trace ---------------------------------------------------------------------------
static int wrong(const char *what, uint64_t thread, uint64_t at)
{
    (void)printf("thread %llu, zone %llu: %s\n", (unsigned long long)thread,
                 (unsigned long long)at, what);
    return 1;
}

static bool has_text(const struct tracy *t, const struct tracy_zone *z, uint64_t group)
{
    char want[32] = "";
    const struct tracy_extra *x = pile_at(&t->extras, z->extra);
    str text = x->text ? tracy_string(t, x->text - 1) : S("");
    if (group != UINT64_MAX && group % TEXT_EVERY == 0)
        (void)snprintf(want, sizeof want, "%llu", (unsigned long long)group);
    return str_eq(text, str_of(want));
}

// Zones are in order of start, a parent before its children.
static int check_thread(const struct tracy *t, const struct tracy_thread *thread,
                        uint64_t zones)
{
    static const struct {
        const char *name;
        uint32_t children, parent; // parent: place in the group; of the first one none
    } group[GROUP] = {
        {"outer", 2, 0}, {"inner", 2, 0}, {"leaf", 0, 1}, {"leaf", 0, 1}, {"leaf", 0, 0}};
    struct tracy_zone seen[GROUP];
    int64_t last_start = 0, last_end = 0;
    if (thread->zones.n != zones)
        return wrong("zones are missing, or too many", thread->id, thread->zones.n);
    for (uint64_t i = 0; i < zones; i++) {
        const struct tracy_zone *z = pile_at(&thread->zones, i);
        uint64_t at = i % GROUP;
        seen[at] = *z;
        if (!str_eq(tracy_place_name(t, z->place), str_of(group[at].name)) ||
            z->children != group[at].children)
            return wrong("another zone was expected", thread->id, i);
        if (!has_text(t, z, at ? UINT64_MAX : i / GROUP))
            return wrong("another text was expected", thread->id, i);
        if (z->start < last_start || z->end < z->start)
            return wrong("time goes back", thread->id, i);
        if (at ? z->end > seen[group[at].parent].end : z->start < last_end)
            return wrong("it is not inside the right one", thread->id, i);
        if ((at == 3 || at == 4) && z->start < seen[at == 3 ? 2 : 1].end)
            return wrong("it overlaps the one before it", thread->id, i);
        last_start = z->start;
        last_end = at ? last_end : z->end;
    }
    return 0;
}

static int check(const char *path, uint64_t zones)
{
    struct tracy t;
    struct err e;
    int code = 0;
    size_t n = 0;
    if (!tracy_read(&t, path, (struct tracy_read_how){0}, &e)) {
        (void)printf("%s\n", e.text);
        return 1;
    }
    for (size_t i = 0; i < t.threads.n && !code; i++) {
        if (!t.threads.v[i].zones.n)
            continue;
        code = check_thread(&t, &t.threads.v[i], zones / THREADS);
        n++;
    }
    if (!code && n != THREADS)
        code = wrong("so many threads have zones", 0, n);
    if (!code && diag_total(&t.diag))
        code = wrong("so many findings", 0, diag_total(&t.diag));
    if (!code)
        (void)printf("%llu zones\n", (unsigned long long)tracy_zone_count(&t));
    tracy_free(&t);
    return code;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "make") == 0)
        return make(strtoull(argv[2], NULL, 10));
    if (argc == 4 && strcmp(argv[1], "check") == 0)
        return check(argv[2], strtoull(argv[3], NULL, 10));
    (void)fprintf(stderr, "usage: client_zones make ZONES | check FILE ZONES\n");
    return 2;
}
