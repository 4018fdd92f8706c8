// sample_fast.c - see sample_fast.h.
#include "sample_fast.h"

#include <stdio.h>

#include "base/data/mem.h"

// --- programs --------------------------------------------------------------------------
ttdev_range sample_grid(ttdev *t)
{
    ttdev_info info;
    assert_int_equal(ttdev_get_info(t, 0, &info), 0);
    return (ttdev_range){{0, 0}, {info.grid.x - 1, info.grid.y - 1}};
}

ttdev_program *sample_program(ttdev *t, const char *kernel, ttdev_range cores,
                              unsigned riscs, const uint32_t *args, size_t n)
{
    ttdev_program *p = ttdev_program_new(t, kernel);
    for (int risc = 0; risc < TT_RISCS; risc++) {
        if (!(riscs >> risc & 1))
            continue;
        char name[64];
        (void)snprintf(name, sizeof name, "kernels/%s", kernel);
        int k = ttdev_program_kernel(p, cores, risc, kernel_load(t, name, risc),
                                     risc == TT_NCRISC);
        assert_true(k >= 0);
        if (n)
            assert_int_equal(ttdev_program_args(p, k, cores, args, n), 0);
    }
    return p;
}

ttdev_program *sample_spin(ttdev *t, ttdev_range cores, uint32_t cycles)
{
    ttdev_program *p = sample_program(t, cycles ? "profile_spin" : "profile_empty", cores,
                                      ALL_RISCS, NULL, 0);
    for (int k = 0; cycles && k < TT_RISCS; k++)
        assert_int_equal(ttdev_program_common_args(p, k, &cycles, 1), 0);
    return p;
}

void sample_launch(ttdev *t, ttdev_program *p, uint32_t run_id)
{
    if (ttdev_launch(t, 0, p, run_id))
        fail_msg("%s", ttdev_error(t));
}

void sample_wait(ttdev *t)
{
    if (ttdev_wait(t, 0, WAIT_NS))
        fail_msg("%s", ttdev_fault(t, 0));
}

// --- when they ran -----------------------------------------------------------------------
enum { SIDE = 32 };
struct core_run {
    double start, end;
};
struct sample_times {
    ttdev *t;
    struct core_times {
        VEC(struct core_run) v;
    } cores[SIDE][SIDE]; // NOC0
};

static bool is_worker(ttdev *t, const ttdev_truth_event *event)
{
    ttdev_range grid = sample_grid(t);
    ttdev_xy at;
    return ttdev_xlat(t, event->dev, (ttdev_xy){event->x, event->y}, TTDEV_NOC0,
                      TTDEV_LOGICAL, &at) == 0 &&
           at.x <= grid.to.x && at.y <= grid.to.y;
}

static void note_time(void *context, const ttdev_truth_event *event)
{
    struct sample_times *s = context;
    if (event->kind > TTDEV_TRUTH_KERNEL_EXIT || !is_worker(s->t, event))
        return;
    struct core_times *core = &s->cores[event->x][event->y];
    double now = (double)event->true_fs / FS_PER_NS;
    if (event->kind == TTDEV_TRUTH_LAUNCH)
        vec_push(&core->v, (struct core_run){0});
    struct core_run *run = core->v.n ? &core->v.v[core->v.n - 1] : NULL;
    if (run && event->kind == TTDEV_TRUTH_KERNEL_ENTRY &&
        (run->start == 0 || now < run->start))
        run->start = now;
    if (run && event->kind == TTDEV_TRUTH_KERNEL_EXIT && now > run->end)
        run->end = now;
}

struct sample_times *sample_times_begin(ttdev *t)
{
    struct sample_times *s = mem_alloc(sizeof *s);
    s->t = t;
    assert_int_equal(ttdev_truth(t, note_time, s), 0);
    return s;
}

size_t sample_times_count(const struct sample_times *s)
{
    size_t n = 0;
    for (int i = 0; i < SIDE * SIDE; i++)
        if (s->cores[i / SIDE][i % SIDE].v.n > n)
            n = s->cores[i / SIDE][i % SIDE].v.n;
    return n;
}

struct sample_run sample_times_run(const struct sample_times *s, size_t i)
{
    struct sample_run all = {0};
    for (int k = 0; k < SIDE * SIDE; k++) {
        const struct core_times *core = &s->cores[k / SIDE][k % SIDE];
        if (i >= core->v.n)
            continue;
        const struct core_run *run = &core->v.v[i];
        if (!all.n_cores || run->start < all.first)
            all.first = run->start;
        all.last = run->start > all.last ? run->start : all.last;
        all.end = run->end > all.end ? run->end : all.end;
        all.n_cores++;
    }
    return all;
}

double sample_times_period(const struct sample_times *s, size_t from, size_t to)
{
    return (sample_times_run(s, to).first - sample_times_run(s, from).first) /
           (double)(to - from);
}

double sample_times_gap(const struct sample_times *s, size_t from, size_t to)
{
    double sum = 0;
    for (size_t i = from; i < to; i++)
        sum += sample_times_run(s, i + 1).first - sample_times_run(s, i).end;
    return sum / (double)(to - from);
}

double sample_times_longest_gap(const struct sample_times *s, size_t from, size_t to)
{
    double longest = 0;
    for (size_t i = from; i < to; i++) {
        double gap = sample_times_gap(s, i, i + 1);
        longest = gap > longest ? gap : longest;
    }
    return longest;
}

void sample_times_end(ttdev *t, struct sample_times *s)
{
    assert_int_equal(ttdev_truth(t, NULL, NULL), 0);
    for (int i = 0; i < SIDE * SIDE; i++)
        vec_free(&s->cores[i / SIDE][i % SIDE].v);
    mem_free(s);
}
