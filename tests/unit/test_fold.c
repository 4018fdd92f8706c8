// test_fold.c - first and last markers by group and kind, sums, cores, and what a watch is
// shown; conditions on processors.
#include <stdio.h>

#include "../support/device_run.h"
#include "analyse/fold/durations.h"
#include "analyse/fold/fold.h"
#include "test.h"

#define MARK(x, risc, time, data, run, name, type)                                         \
    "0," x ",1," risc ",7," time "," data "," run ",,," name "," type ",1,a.cc,\n"
#define START(x, risc, time, run, name) MARK(x, risc, time, "0", run, name, "ZONE_START")
#define END(x, risc, time, run, name)   MARK(x, risc, time, "0", run, name, "ZONE_END")

static str names[] = {{"A", 1}, {"B*", 2}};
static const struct condition on_a = {
    .names = names, .n_names = 1, .risc = {"ANY", 3}, .timer_id = -1};
static const struct condition on_a_or_b = {
    .names = names, .n_names = 2, .risc = {"ANY", 3}, .timer_id = -1};

struct folded {
    struct device_run run;
    struct fold fold;
};

static struct folded fold_ops(str text, struct fold_line line, struct fold_watch watch)
{
    struct folded f;
    if (!device_run_read(&f.run, text))
        fail_msg("%s", f.run.e.text);
    device_ops_find(&f.run.ops, &f.run.trace);
    f.fold = (struct fold){.trace = &f.run.trace,
                           .n_groups = f.run.ops.n,
                           .group_of_run = f.run.ops.of_run,
                           .has_edges = true,
                           .lines = {line},
                           .n_lines = 1,
                           .watch = watch};
    fold_run(&f.fold);
    return f;
}

static void folded_free(struct folded *f)
{
    fold_free(&f->fold);
    device_run_free(&f->run);
}

static void extent_is(const struct folded *f, uint32_t op, bool is_strict, uint64_t first,
                      uint64_t last)
{
    struct fold_cell x = fold_extent(&f->fold, op, 0, is_strict, NULL);
    assert_int_equal(first, x.first ? x.first_time : 0);
    assert_int_equal(last, x.last ? x.last_time : 0);
}

TEST(a_fold_goes_from_the_first_to_the_last_marker_of_each_op)
{
    struct folded f = fold_ops(
        S(LOG_HEAD START("1", "BRISC", "100", "1", "A") END("1", "BRISC", "150", "1", "A")
              START("2", "NCRISC", "90", "1", "xBx") END("2", "NCRISC", "160", "1", "C")
                  START("2", "BRISC", "200", "2", "A")),
        (struct fold_line){.start = &on_a_or_b, .end = &on_a}, (struct fold_watch){0});
    extent_is(&f, 0, false, 90, 150);
    extent_is(&f, 1, false, 200, 200);
    struct fold_cell one = fold_extent(&f.fold, 1, 0, false, NULL);
    assert_false(fold_is_span(f.fold.trace, &one)); // a marker is not before itself
    folded_free(&f);
}

TEST(a_strict_extent_begins_with_no_end_and_ends_with_no_start)
{
    struct folded f = fold_ops(
        S(LOG_HEAD END("1", "BRISC", "50", "1", "A") START("1", "BRISC", "60", "1", "A")
              END("1", "BRISC", "70", "1", "A") START("1", "BRISC", "80", "1", "A")),
        (struct fold_line){.start = &on_a, .end = &on_a}, (struct fold_watch){0});
    extent_is(&f, 0, false, 50, 80);
    extent_is(&f, 0, true, 60, 70);
    folded_free(&f);
}

TEST(markers_of_one_time_stand_in_the_order_of_cores)
{
    struct folded f = fold_ops(
        S(LOG_HEAD START("1", "BRISC", "50", "1", "A") END("1", "BRISC", "50", "1", "A")
              START("2", "NCRISC", "50", "1", "B") END("2", "NCRISC", "50", "1", "B")),
        (struct fold_line){.start = &on_a_or_b, .end = &on_a_or_b}, (struct fold_watch){0});
    struct fold_cell x = fold_extent(&f.fold, 0, 0, false, NULL);
    assert_true(fold_is_span(f.fold.trace, &x));
    const struct trace *t = f.fold.trace;
    assert_int_equal(1, t->cores.v[t->tracks.v[track_of_marker(t, x.first - 1)].core].x);
    assert_int_equal(2, t->cores.v[t->tracks.v[track_of_marker(t, x.last - 1)].core].x);
    folded_free(&f);
}

TEST(a_sum_takes_names_as_they_are_written)
{
    struct folded f =
        fold_ops(S(LOG_HEAD MARK("1", "BRISC", "50", "7", "1", "A", "ZONE_TOTAL")
                       MARK("1", "BRISC", "60", "8", "1", "A", "ZONE_TOTAL")
                           MARK("1", "BRISC", "70", "16", "1", "BB", "ZONE_TOTAL")),
                 (struct fold_line){.sum = &on_a_or_b}, (struct fold_watch){0});
    assert_int_equal(15, f.fold.sums[0]);
    folded_free(&f);
}

struct cores_seen {
    size_t n;
    uint64_t cycles, seen;
};

static void see_core(void *state, unsigned line, uint32_t op, const struct fold_on_core *c)
{
    struct cores_seen *s = state;
    assert_int_equal(0, line);
    assert_int_equal(0, op);
    s->n++;
    s->cycles += c->x.last_time - c->x.first_time;
    s->seen += c->seen;
}

TEST(a_watch_is_told_of_every_core_of_an_op)
{
    struct folded f = fold_ops(
        S(LOG_HEAD START("1", "BRISC", "100", "1", "A") END("1", "BRISC", "150", "1", "A")
              START("1", "NCRISC", "90", "1", "A") END("1", "NCRISC", "120", "1", "A")
                  START("2", "BRISC", "300", "1", "A") END("2", "BRISC", "307", "1", "A")),
        (struct fold_line){.start = &on_a, .end = &on_a, .is_per_core = true},
        (struct fold_watch){.bytes = sizeof(struct cores_seen), .core_end = see_core});
    struct cores_seen all = {0};
    for (unsigned i = 0; i < f.fold.n_lanes; i++) {
        const struct cores_seen *s = fold_state(&f.fold, i);
        all.n += s->n;
        all.cycles += s->cycles;
        all.seen += s->seen;
    }
    assert_int_equal(2, all.n);
    assert_int_equal(60 + 7, all.cycles);
    assert_int_equal(90 + 300, all.seen); // NCRISC was first, though BRISC stands before it
    folded_free(&f);
}

TEST(a_condition_names_processors_by_comma_and_by_a_part_of_their_names)
{
    static const struct {
        const char *riscs, *risc;
        bool fits;
    } table[] = {
        {"ANY", "BRISC", true},
        {"BRISC", "BRISC", true},
        {"BRISC", "NCRISC", false},
        {"NCRISC, BRISC", "BRISC", true},
        {"NCRISC,BRISC", "ERISC", false},
        {"ERISC, QUASAR_DM*", "QUASAR_DM3", true},
        {"QUASAR_DM*", "QUASAR_NEO0_TRISC1", false},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char text[600];
        (void)snprintf(text, sizeof text, "%s0,1,1,%s,7,1,0,1,,,A,ZONE_START,1,a.cc,\n",
                       LOG_HEAD, table[i].risc);
        struct device_run r;
        assert_true(device_run_read(&r, str_of(text)));
        struct condition c = {.risc = str_of(table[i].riscs), .timer_id = -1};
        assert_int_equal(table[i].fits, condition_fits_track(&c, &r.trace, 0, true));
        device_run_free(&r);
    }
}

TEST(every_duration_has_a_name_or_a_place_in_the_runtime_report)
{
    for (int i = 0; i < DURATIONS; i++) {
        const struct duration_row *d = &durations[i];
        assert_true(d->name || d->words.zones);
        assert_int_equal(d->words.zones != NULL && !duration_head((enum duration)i, 0), 0);
        for (int k = 0; k < i; k++)
            assert_false(d->name && durations[k].name &&
                         strcmp(d->name, durations[k].name) == 0);
    }
}
