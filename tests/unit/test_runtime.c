// test_runtime.c - the runtime over the software device: ops and their ids, the program
// cache, the queue, errors.
#include <errno.h>
#include <math.h>

#include "sample_runtime.h"
#include "sim/program/program.h"

enum { SIDE = 64, VALUES = SIDE * SIDE };

static float sum_at(size_t i, float a, float b)
{
    return a + b + 2 * (float)(i % 64);
}

static void sums_are(struct sample_runtime *s, int device, const ttrt_tensor *c, float a,
                     float b)
{
    static float values[VALUES];
    ttrt_to_host(s->m, device, c, values);
    assert_string_equal(ttrt_error(s->m), "");
    for (size_t i = 0; i < VALUES; i++)
        if (values[i] != sum_at(i, a, b))
            fail_msg("value %zu is %g, not %g", i, (double)values[i],
                     (double)sum_at(i, a, b));
}

TEST(runtime_runs_an_op_and_counts_its_id_up)
{
    struct sample_runtime s;
    sample_runtime_open(&s, "arch=wormhole");
    ttrt_tensor *a = sample_tensor(s.m, ttrt_spec2(SIDE, SIDE), 1, "a");
    ttrt_tensor *b = sample_tensor(s.m, ttrt_spec2(SIDE, SIDE), 5, "b");
    ttrt_tensor *c = sample_add(s.m, "x", a, b);
    uint32_t first = s.seen.id;
    assert_int_equal(first & 1023, 0); // device 0
    assert_true(first >> 10 >= 1 && !(first >> 31));
    sums_are(&s, 0, c, 1, 5);
    (void)sample_add(s.m, "x", b, b);
    assert_int_equal(s.seen.id, first + 1024);
    sample_runtime_close(&s);
}

TEST(runtime_finds_programs_again_and_gives_them_new_addresses)
{
    struct sample_runtime s;
    sample_runtime_open(&s, "arch=blackhole");
    ttrt_tensor *a = sample_tensor(s.m, ttrt_spec2(SIDE, SIDE), 1, "a");
    ttrt_tensor *b = sample_tensor(s.m, ttrt_spec2(SIDE, SIDE), 7, "b");
    ttrt_tensor *first = sample_add(s.m, "x", a, a);
    assert_false(s.seen.is_hit);
    ttrt_tensor *second = sample_add(s.m, "x", b, a);
    assert_true(s.seen.is_hit);
    assert_int_equal(ttrt_program_cache_entries(s.m), 1);
    sums_are(&s, 0, first, 1, 1);
    sums_are(&s, 0, second, 7, 1);

    (void)sample_add(s.m, "y", a, b); // another attribute
    assert_false(s.seen.is_hit);
    ttrt_use_grid(s.m, 2, 2); // another grid
    sums_are(&s, 0, sample_add(s.m, "x", a, b), 1, 7);
    assert_false(s.seen.is_hit);
    assert_int_equal(ttrt_program_cache_entries(s.m), 3);

    ttrt_tensor *wide = sample_tensor(s.m, ttrt_spec2(32, SIDE), 1, "wide");
    (void)sample_add(s.m, "x", wide, wide); // another shape
    assert_false(s.seen.is_hit);
    ttrt_clear_program_cache(s.m);
    assert_int_equal(ttrt_program_cache_entries(s.m), 0);
    (void)sample_add(s.m, "x", wide, wide);
    assert_false(s.seen.is_hit);

    ttrt_enable_program_cache(s.m, false);
    for (int i = 0; i < 2; i++) {
        sums_are(&s, 0, sample_add(s.m, "x", a, b), 1, 7);
        assert_false(s.seen.is_hit);
    }
    assert_int_equal(ttrt_program_cache_entries(s.m), 1);
    sample_runtime_close(&s);
}

// A program carries its sub-device to the markers, so that of another one will not do.
TEST(runtime_has_programs_of_their_own_for_sub_devices_and_managers)
{
    static const int uses[][2] = {{-1, -1}, {0, 3}, {1, 3}, {1, 4}};
    enum { USES = sizeof uses / sizeof *uses };
    struct sample_runtime s;
    sample_runtime_open(&s, "arch=wormhole");
    ttrt_tensor *a = sample_tensor(s.m, ttrt_spec2(SIDE, SIDE), 1, "a");
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < USES; i++) {
            ttrt_use_sub_device(s.m, uses[i][0], uses[i][1]);
            (void)sample_add(s.m, "x", a, a);
            assert_int_equal(s.seen.is_hit, round == 1);
        }
    assert_int_equal(ttrt_program_cache_entries(s.m), USES);
    for (size_t i = 0; i < USES; i++) {
        const struct ttdev_program *p = s.m->entries.v[i]->programs[0].p;
        assert_int_equal(p->sub_device, uses[i][0]);
        assert_int_equal(p->manager, uses[i][1]);
    }
    sample_runtime_close(&s);
}

TEST(runtime_programs_do_not_grow_when_they_are_used_again)
{
    struct sample_runtime s;
    sample_runtime_open(&s, "arch=wormhole");
    ttrt_tensor *a = sample_tensor(s.m, ttrt_spec2(SIDE, SIDE), 1, "a");
    (void)sample_add(s.m, "x", a, a);
    size_t used = s.m->entries.v[0]->programs[0].p->words.used;
    assert_true(used > 0);
    for (int i = 0; i < 3; i++)
        (void)sample_add(s.m, "x", a, a);
    assert_int_equal(s.m->entries.v[0]->programs[0].p->words.used, used);
    sample_runtime_close(&s);
}

TEST(runtime_runs_an_op_on_every_chip_with_an_id_of_its_own)
{
    struct sample_runtime s;
    float one[VALUES], two[VALUES];
    const float *const each[] = {one, two};
    for (size_t i = 0; i < VALUES; i++) {
        one[i] = 1 + (float)(i % 64);
        two[i] = 20 + (float)(i % 64);
    }
    sample_runtime_open(&s, "board=n300");
    assert_int_equal(ttrt_n_devices(s.m), 2);
    ttrt_tensor *a = ttrt_from_host_each(s.m, each, ttrt_spec2(SIDE, SIDE), "a");
    ttrt_tensor *c = sample_add(s.m, "x", a, a);
    assert_int_equal(s.seen.n, 2);
    assert_int_equal(s.seen.device, 1);
    assert_int_equal(s.seen.id & 1023, 1);
    sums_are(&s, 0, c, 1, 1);
    sums_are(&s, 1, c, 20, 20);
    sample_runtime_close(&s);
}

TEST(runtime_does_nothing_after_the_first_failure)
{
    struct sample_runtime s;
    float values[VALUES] = {0};
    sample_runtime_open(&s, "arch=wormhole");
    ttrt_tensor *a = sample_tensor(s.m, ttrt_spec2(SIDE, SIDE), 1, "a");
    ttrt_free(s.m, a);
    ttrt_tensor *c = ttrt_empty(s.m, ttrt_spec2(SIDE, SIDE), "c");
    struct rt_op op = sample_add_op(s.m, "x", a, a, c);
    rt_run(s.m, &op);
    assert_string_equal(ttrt_error(s.m), "SampleAdd: tensor 'a' was freed");
    assert_null(ttrt_empty(s.m, ttrt_spec2(SIDE, SIDE), "d"));
    ttrt_to_host(s.m, 0, c, values);
    ttrt_free(s.m, a);
    assert_string_equal(ttrt_error(s.m), "SampleAdd: tensor 'a' was freed");
    assert_int_equal(s.seen.n, 0);
    assert_int_equal(ttrt_close(s.m), -EINVAL);
    ttdev_close(s.t);
}

TEST(runtime_sees_circular_buffers_that_meet_tensors_in_l1)
{
    struct sample_runtime s;
    struct ttrt_spec large = ttrt_spec4(1, 1, 8 * 32, 8 * 32 * 11);
    large.memory = (struct ttrt_memory){.buffer = TTRT_L1};
    sample_runtime_open(&s, "arch=wormhole");
    ttrt_tensor *a = sample_tensor(s.m, ttrt_spec2(SIDE, SIDE), 1, "a");
    uint64_t room = rt_memory_largest(&s.m->l1);
    uint32_t cores = (uint32_t)(s.m->info.grid.x * s.m->info.grid.y);
    large.shape[2] = 32;
    large.shape[3] = (uint32_t)(room / 2048 * cores * 32);
    assert_non_null(ttrt_empty(s.m, large, "large"));
    (void)sample_add(s.m, "x", a, a);
    assert_non_null(strstr(ttrt_error(s.m), "SampleAdd: its circular buffers end at "));
    assert_null(ttrt_empty(s.m, large, "more"));
    assert_int_equal(ttrt_close(s.m), -EINVAL);
    ttdev_close(s.t);
}

TEST(runtime_opens_a_device_by_its_configuration)
{
    char why[256];
    int x, y;
    assert_null(ttrt_open("boord=n150", why));
    assert_non_null(strstr(why, "boord"));
    assert_null(ttrt_open_chips("board=n300", "0,7", why));
    assert_non_null(strstr(why, "7"));
    ttrt *second = ttrt_open_chips("board=n300", "1", why);
    assert_int_equal(ttrt_n_devices(second), 1);
    assert_int_equal(ttrt_close(second), 0);
    ttrt *m = ttrt_open("arch=wormhole", why);
    assert_non_null(m);
    ttrt_grid(m, &x, &y);
    assert_true(x == 8 && y >= 7);
    ttrt_use_grid(m, 9, 9);
    assert_non_null(strstr(ttrt_error(m), "a grid of 9x9 cores does not fit"));
    assert_int_equal(ttrt_close(m), -EINVAL);
    assert_int_equal(ttrt_close(NULL), 0);
}
