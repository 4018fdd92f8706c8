// tracy_make.c ZONES 0.10|0.14 FILE - writes a .tracy file with so many zones: four
// threads, loops of a zone around five others, a text on every hundredth.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/tracy/tracy_file.h"

enum { THREADS = 4, PLACES = 40, INNER = 5, TEXT_EVERY = 100 };

static struct tracy_ref text_ref(struct tracy *t, const char *text)
{
    return (struct tracy_ref){tracy_text(t, str_of(text)), true, true};
}

static void add_places(struct tracy *t)
{
    for (int i = 0; i <= PLACES; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "zone %d", i);
        struct tracy_place p = {.name = text_ref(t, name),
                                .function = text_ref(t, "work"),
                                .file = text_ref(t, "src/program/work.cpp"),
                                .line = (uint32_t)(10 * i)};
        vec_push(&t->places, i ? p : (struct tracy_place){0});
        vec_push(&t->place_keys, (uint64_t)i * 64);
    }
}

static void add_zone(struct tracy *t, struct pile *zones, struct tracy_zone z)
{
    if (zones->n % TEXT_EVERY == 0) {
        z.extra = (uint32_t)t->extras.n;
        struct tracy_extra *x = pile_add(&t->extras, &t->store);
        x->text = tracy_text(t, S("some text")) + 1;
    }
    *(struct tracy_zone *)pile_add(zones, &t->store) = z;
}

// Lengths vary so that the file does not compress better than a real one.
static void add_thread(struct tracy *t, uint64_t id, size_t n)
{
    struct tracy_thread thread = {.id = id, .zones = pile_of(sizeof(struct tracy_zone))};
    uint64_t state = id;
    int64_t now = 1000;
    while (thread.zones.n < n) {
        size_t outer = thread.zones.n;
        add_zone(t, &thread.zones,
                 (struct tracy_zone){
                     .start = now, .children = INNER, .place = 1 + (int32_t)(state >> 60)});
        for (int i = 0; i < INNER; i++) {
            state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
            int64_t length = 50 + (int64_t)(state >> 33 & 1023);
            add_zone(t, &thread.zones,
                     (struct tracy_zone){.start = now + 20,
                                         .end = now + 20 + length,
                                         .place = 17 + (int32_t)(state >> 40) % 20});
            now += 40 + length;
        }
        ((struct tracy_zone *)pile_at(&thread.zones, outer))->end = now;
        now += 30;
    }
    t->last_time = now > t->last_time ? now : t->last_time;
    vec_push(&t->threads, thread);
    vec_push(&t->thread_names, (struct keyed){.key = id, .a = tracy_text(t, S("worker"))});
}

int main(int argc, char **argv)
{
    struct tracy t;
    struct err e = {0};
    if (argc != 4) {
        (void)fprintf(stderr, "usage: %s ZONES 0.10|0.14 FILE\n", argv[0]);
        return 2;
    }
    tracy_start(&t, NULL, 0);
    t.program = S("bench");
    t.ns_per_tick = 1;
    (void)tracy_text(&t, S("Frame"));
    (void)pile_add(&t.extras, &t.store);
    add_places(&t);
    size_t n = (size_t)strtoull(argv[1], NULL, 10);
    for (int i = 0; i < THREADS; i++)
        add_thread(&t, 100 + (uint64_t)i, n / THREADS);
    bool is_upstream = strcmp(argv[2], "0.14") == 0;
    bool ok = tracy_write(&t, argv[3],
                          tracy_write_usual(is_upstream ? TRACY_U14 : TRACY_F10), &e);
    if (ok)
        (void)printf("%" PRIu64 "\n", tracy_zone_count(&t));
    else
        (void)fprintf(stderr, "%s\n", e.text);
    tracy_free(&t);
    return ok ? 0 : 1;
}
