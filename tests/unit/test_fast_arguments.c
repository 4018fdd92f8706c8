// Arguments of programs that are launched through a queue: what was not given reads as 0,
// whatever lay in the ring before.
#include <string.h>

#include "base/data/array.h"
#include "base/data/mem.h"

#include "sample_fast.h"

static const ttdev_range few = {{0, 0}, {1, 1}};
static const char *const boards[] = {"board=n150 dispatch=fast variant=off",
                                     "board=p150 dispatch=fast variant=off"};

enum { ARGUMENTS = 16 }; // as in tests/kernels/arguments.all.c
struct found {
    uint32_t own[ARGUMENTS], common[ARGUMENTS];
};

static struct found found_on(ttdev *t, ttdev_xy at, unsigned risc)
{
    ttdev_info info;
    struct found found;
    assert_int_equal(ttdev_get_info(t, 0, &info), 0);
    uint32_t address = info.l1_buffers + 0x1000 + (uint32_t)sizeof found * risc;
    assert_int_equal(
        ttdev_l1_read(t, 0, (ttdev_core){TTDEV_LOGICAL, at}, address, &found, sizeof found),
        0);
    return found;
}

static void assert_words(const uint32_t words[ARGUMENTS], uint32_t first)
{
    assert_int_equal(words[0], first);
    for (int i = 1; i < ARGUMENTS; i++)
        assert_int_equal(words[i], 0);
}

// Nothing in it is 0 any more.
static void fill_ring(ttdev *t)
{
    uint32_t bytes = t->chips[0].fast->course.ring.bytes;
    uint8_t *dirt = mem_alloc(bytes);
    memset(dirt, 0xA5, bytes);
    for (int y = few.from.y; y <= few.to.y; y++)
        for (int x = few.from.x; x <= few.to.x; x++)
            assert_int_equal(ttdev_l1_write(t, 0, (ttdev_core){TTDEV_LOGICAL, {x, y}},
                                            t->chips[0].layout->kernel_config, dirt, bytes),
                             0);
    mem_free(dirt);
}

TEST(arguments_that_were_not_given_are_zero)
{
    for (size_t b = 0; b < COUNT_OF(boards); b++) {
        ttdev *t = device_open(boards[b]);
        ttdev_program *p = sample_program(t, "arguments", few, ALL_RISCS, NULL, 0);
        fill_ring(t);
        sample_launch(t, p, 1);
        sample_wait(t);
        for (unsigned risc = 0; risc < TT_RISCS; risc++) {
            struct found found = found_on(t, few.to, risc);
            assert_words(found.own, 0);
            assert_words(found.common, 0);
        }
        ttdev_program_free(p);
        ttdev_close(t);
    }
}

TEST(arguments_that_only_other_cores_were_given_are_zero)
{
    static const uint32_t own = 77, common = 88;
    for (size_t b = 0; b < COUNT_OF(boards); b++) {
        ttdev *t = device_open(boards[b]);
        ttdev_program *p = sample_program(t, "arguments", few, 1 << TT_TRISC1, NULL, 0);
        ttdev_range one = {few.from, few.from};
        assert_int_equal(ttdev_program_args(p, 0, one, &own, 1), 0);
        assert_int_equal(ttdev_program_common_args(p, 0, &common, 1), 0);
        fill_ring(t);
        sample_launch(t, p, 1);
        sample_wait(t);
        assert_int_equal(found_on(t, few.from, TT_TRISC1).own[0], own);
        assert_int_equal(found_on(t, few.to, TT_TRISC1).own[0], 0);
        assert_words(found_on(t, few.to, TT_TRISC1).common, common);
        ttdev_program_free(p);
        ttdev_close(t);
    }
}
