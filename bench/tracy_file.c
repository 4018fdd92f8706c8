// tracy_file.c - speed of reading and writing .tracy files.
//
//     tracy_file make FILE ZONES 0.10|0.14
//     tracy_file read FILE
//
// Makes a file of ZONES zones on four threads, three levels deep, with a text on every
// tenth, as the usual writer of that version packs it; or reads one. Both print one line of
// JSON. `read` excludes freeing the contents; its peak memory is that of the process.
#include "formats/tracy/tracy_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bench.h"

enum { THREADS = 4, PLACES = 200, TEXTS = 1000, LEAVES = 8 };

static void make_names(struct tracy *t)
{
    vec_push(&t->place_keys, 0);
    vec_push(&t->places, (struct tracy_place){0});
    for (uint32_t i = 1; i <= PLACES; i++) {
        uint32_t text = tracy_text(t, arena_printf(&t->arena, "function %u", i));
        struct tracy_ref name = {text, true, true};
        vec_push(&t->place_keys, UINT64_C(0x5500000000) + 32 * i);
        vec_push(&t->places, (struct tracy_place){name, name, name, i, 0});
    }
    (void)pile_add(&t->extras, &t->store);
    for (uint32_t i = 0; i < TEXTS; i++) {
        struct tracy_extra *x = pile_add(&t->extras, &t->store);
        x->text = tracy_text(t, arena_printf(&t->arena, "text %u", i)) + 1;
    }
}

struct maker {
    struct tracy *t;
    struct pile zones;
    int64_t clock;
    uint64_t state;
};

static uint32_t below(struct maker *m, uint32_t n)
{
    m->state = m->state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)((m->state >> 32) * n >> 32);
}

static size_t begin(struct maker *m, uint32_t children)
{
    struct tracy_zone *z = pile_add(&m->zones, &m->t->store);
    z->start = m->clock += 20 + below(m, 60);
    z->place = (int32_t)(1 + below(m, PLACES));
    z->children = children;
    if (below(m, 10) == 0)
        z->extra = 1 + below(m, TEXTS);
    return m->zones.n - 1;
}

static void end(struct maker *m, size_t zone)
{
    m->clock += 50 + below(m, 500);
    ((struct tracy_zone *)pile_at(&m->zones, zone))->end = m->clock;
}

// Ten zones: one, another in it, and eight in that.
static void make_group(struct maker *m)
{
    size_t outer = begin(m, 1), inner = begin(m, LEAVES);
    for (uint32_t i = 0; i < LEAVES; i++)
        end(m, begin(m, 0));
    end(m, inner);
    end(m, outer);
}

static void make_contents(struct tracy *t, uint64_t zones)
{
    tracy_start(t, NULL, 0);
    make_names(t);
    for (uint64_t i = 0; i < THREADS; i++) {
        struct maker m = {
            .t = t, .zones = pile_of(sizeof(struct tracy_zone)), .clock = 1000, .state = i};
        while (m.zones.n < zones / THREADS)
            make_group(&m);
        struct tracy_thread th = {.id = 100 + i,
                                  .zones = m.zones,
                                  .samples = pile_of(sizeof(struct tracy_sample)),
                                  .switch_samples = pile_of(sizeof(struct tracy_sample))};
        vec_push(&t->threads, th);
        if (t->last_time < m.clock)
            t->last_time = m.clock;
    }
}

static void print(const struct tracy *t, double cpu, double wall)
{
    struct rusage use;
    (void)getrusage(RUSAGE_SELF, &use);
    uint64_t sum = 0;
    for (size_t i = 0; i < t->threads.n; i++)
        for (size_t k = 0; k < t->threads.v[i].zones.n; k++) {
            const struct tracy_zone *z = pile_at(&t->threads.v[i].zones, k);
            sum += (uint64_t)(z->end - z->start);
        }
    (void)printf(
        "{\"zones\": %llu, \"sum\": %llu, \"cpu\": %.6f, \"wall\": %.6f, "
        "\"peak_mb\": %.1f}\n",
        (unsigned long long)tracy_zone_count(t), (unsigned long long)sum, cpu, wall,
        (double)use.ru_maxrss / 1024);
}

int main(int argc, char **argv)
{
    bool is_make = argc == 5 && strcmp(argv[1], "make") == 0;
    if (!is_make && !(argc == 3 && strcmp(argv[1], "read") == 0)) {
        (void)fprintf(stderr, "usage: tracy_file make FILE ZONES 0.10|0.14 | read FILE\n");
        return 2;
    }
    struct tracy t;
    struct err e = {0};
    if (is_make)
        make_contents(&t, strtoull(argv[3], NULL, 10));
    double cpu = bench_cpu(), wall = bench_wall();
    bool ok = is_make
                  ? tracy_write(&t, argv[2],
                                tracy_write_usual(strcmp(argv[4], "0.14") == 0 ? TRACY_U14
                                                                               : TRACY_F10),
                                &e)
                  : tracy_read(&t, argv[2], (struct tracy_read_how){.is_strict = true}, &e);
    cpu = bench_cpu() - cpu;
    wall = bench_wall() - wall;
    if (ok)
        print(&t, cpu, wall);
    else
        (void)fprintf(stderr, "%s\n", e.text);
    tracy_free(&t);
    return ok ? 0 : 1;
}
