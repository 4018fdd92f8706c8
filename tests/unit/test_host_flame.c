// test_host_flame.c - zones merged by stack.
#include <stdio.h>

#include "../support/sample_run.h"
#include "analyse/host/host_flame.h"
#include "formats/host_run/host_run.h"
#include "present/reports/flame_names.h"
#include "test.h"

struct scene {
    struct sample_run s;
    struct sample_process *p;
    struct sample_words w;
    uint32_t places[40];
    struct trace r;
};

static void scene_start(struct scene *c)
{
    *c = (struct scene){0};
    sample_run_start(&c->s);
    c->p = sample_process(&c->s, 100, 1000);
    for (int i = 0; i < 40; i++) {
        char name[8];
        (void)snprintf(name, sizeof name, i < 26 ? "%c" : "a%c", i < 26 ? 'a' + i : 71 + i);
        c->places[i] = sample_location(c->p, name, "f", "x.c", (uint32_t)i + 1);
    }
    sample_log(&c->s, "start\t1000\t100\t7100\t1\t/bin/app\tapp");
}

static void scene_open(struct scene *c)
{
    struct err e = {0};
    sample_run_write(&c->s);
    if (!host_run_open(&c->r, c->s.path, &e))
        fail_msg("%s", e.text);
}

static void scene_end(struct scene *c)
{
    trace_free(&c->r);
    sample_words_free(&c->w);
    sample_run_free(&c->s);
}

// "a b ) )": letters begin zones, ) ends one; each step is 10 ns.
static void script(struct scene *c, uint64_t from, const char *steps)
{
    for (; *steps; steps++, from += 10)
        if (*steps == ')')
            sample_end(&c->w, from);
        else if (*steps != ' ')
            sample_begin(&c->w, from, c->places[*steps - 'a']);
}

static void folded_is(struct scene *c, enum zones_by by, const char *expected)
{
    struct zone_choice choice = {.by = by, .pid = -1, .rank = -1, .with_open = true};
    struct host_flame flame;
    struct buf b = {0};
    host_flame_make(&flame, &c->r, &choice);
    flame_folded(&c->r, &flame, &b);
    buf_char(&b, '\0');
    assert_string_equal(b.p, expected);
    buf_free(&b);
    host_flame_free(&flame);
}

TEST(flame_merges_zones_with_the_same_zones_around_them)
{
    struct scene c;
    scene_start(&c);
    script(&c, 2000, "ab)b)c)) cb)) ab))");
    sample_ring(c.p, 1, &c.w);
    scene_open(&c);
    folded_is(&c, ZONES_BY_PLACE,
              "a 60\n"
              "a;b 30\n"
              "a;c 10\n"
              "c 20\n"
              "c;b 10\n");
    scene_end(&c);
}

TEST(flame_keeps_recursion_as_a_stack)
{
    struct scene c;
    scene_start(&c);
    script(&c, 2000, "aaa)))a)");
    sample_ring(c.p, 1, &c.w);
    scene_open(&c);
    folded_is(&c, ZONES_BY_PROCESS, "app;a 30\napp;a;a 20\napp;a;a;a 10\n");
    scene_end(&c);
}

TEST(flame_joins_or_separates_threads)
{
    struct scene c;
    scene_start(&c);
    script(&c, 2000, "ab))");
    sample_ring(c.p, 1, &c.w);
    sample_thread(c.p, 2, 102, "worker");
    c.w.v.n = 0;
    script(&c, 2000, "ac))");
    sample_ring(c.p, 2, &c.w);
    scene_open(&c);
    folded_is(&c, ZONES_BY_PLACE, "a 40\na;b 10\na;c 10\n");
    folded_is(&c, ZONES_BY_THREAD,
              "app;thread 100;a 20\napp;thread 100;a;b 10\n"
              "app;worker;a 20\napp;worker;a;c 10\n");
    scene_end(&c);
}

TEST(flame_has_zones_without_an_end)
{
    struct scene c;
    scene_start(&c);
    script(&c, 2000, "ab)c");
    sample_ring(c.p, 1, &c.w);
    scene_open(&c);
    struct zone_choice choice = {.pid = -1, .rank = -1, .with_open = true};
    struct host_flame flame;
    host_flame_make(&flame, &c.r, &choice);
    assert_int_equal(flame.frames.n, 4);
    assert_int_equal(flame.n_zones, 3);
    // The widest child comes first: b of 10 ns, then c without any known time.
    assert_int_equal(flame.frames.v[1].n_open, 1);
    assert_int_equal(flame.frames.v[2].total, 10);
    assert_int_equal(flame.frames.v[3].n_open, 1);
    host_flame_free(&flame);
    scene_end(&c);
}

TEST(flame_separators_in_names_are_replaced)
{
    struct scene c;
    scene_start(&c);
    c.places[0] = sample_location(c.p, "x;y\nz", "f", "x.c", 99);
    script(&c, 2000, "a)");
    sample_ring(c.p, 1, &c.w);
    scene_open(&c);
    folded_is(&c, ZONES_BY_PLACE, "x:y z 10\n");
    scene_end(&c);
}

// More places inside one zone than are searched one by one, in several orders.
TEST(flame_finds_frames_among_many)
{
    struct scene c;
    struct zone_choice choice = {.pid = -1, .rank = -1};
    struct host_flame flame;
    uint64_t at = 2000;
    scene_start(&c);
    sample_begin(&c.w, at, c.places[0]);
    for (int round = 0; round < 3; round++)
        for (int i = 1; i < 40; i++) {
            int place = round == 1 ? 40 - i : i;
            sample_begin(&c.w, at += 10, c.places[place]);
            sample_end(&c.w, at += (uint64_t)place);
        }
    sample_end(&c.w, at);
    sample_ring(c.p, 1, &c.w);
    scene_open(&c);
    host_flame_make(&flame, &c.r, &choice);
    assert_int_equal(flame.frames.n, 2 + 39);
    uint64_t before = flame.frames.v[1].before;
    for (size_t i = 2; i < flame.frames.n; i++) {
        const struct flame_frame *f = &flame.frames.v[i];
        assert_int_equal(f->count, 3);
        assert_int_equal(f->total, 3 * (41 - i));
        assert_int_equal(f->before, before);
        before += f->total;
    }
    host_flame_free(&flame);
    scene_end(&c);
}
