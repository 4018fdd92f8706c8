// test_arena.c - memory by lifetime.
#include "base/data/arena.h"

#include "test.h"

TEST(arena_gives_zeroed_memory_even_where_something_stood_before)
{
    struct arena a = {0};
    struct arena_mark empty = arena_mark(&a);
    memset(push_many(&a, char, 1000), 0xAA, 1000);
    arena_rewind(&a, empty);
    const char *p = push_many(&a, char, 1000);
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(0, p[i]);
    arena_free(&a);
}

TEST(arena_aligns_what_is_pushed_behind_odd_sizes)
{
    struct arena a = {0};
    for (size_t align = 1; align <= 16; align *= 2) {
        (void)push_one(&a, char);
        assert_int_equal(0, (uintptr_t)arena_push(&a, 3, align) % align);
    }
    arena_free(&a);
}

TEST(arena_counts_the_bytes_it_handed_out)
{
    struct arena a = {0};
    (void)push_one(&a, int);
    (void)push_many(&a, char, 100000);
    assert_int_equal(sizeof(int) + 100000, a.used);
    arena_free(&a);
    assert_int_equal(0, a.used);
}

TEST(arena_rewind_gives_back_what_was_pushed_after_the_mark)
{
    struct arena a = {0};
    int *kept = push_one(&a, int);
    *kept = 7;
    struct arena_mark m = arena_mark(&a);
    char *first = push_many(&a, char, 10);
    (void)push_many(&a, char, 1 << 20);
    arena_rewind(&a, m);
    assert_int_equal(sizeof(int), a.used);
    assert_ptr_equal(first, push_many(&a, char, 10));
    assert_int_equal(7, *kept);
    arena_free(&a);
}

TEST(arena_marks_nest)
{
    struct arena a = {0};
    struct arena_mark outer = arena_mark(&a);
    (void)push_many(&a, char, 20000);
    struct arena_mark inner = arena_mark(&a);
    (void)push_many(&a, char, 20000);
    (void)push_many(&a, char, 200000);
    arena_rewind(&a, inner);
    assert_int_equal(20000, a.used);
    arena_rewind(&a, outer);
    assert_int_equal(0, a.used);
    arena_free(&a);
}

TEST(arena_that_is_rewound_to_empty_starts_at_the_same_place_again)
{
    struct arena a = {0};
    const void *first = push_many(&a, char, 64);
    (void)push_many(&a, char, 1 << 20);
    arena_rewind(&a, (struct arena_mark){0});
    assert_int_equal(0, a.used);
    assert_ptr_equal(first, push_many(&a, char, 64));
    arena_free(&a);
}

TEST(arena_memory_never_moves)
{
    struct arena a = {0};
    uint32_t *p[300];
    for (uint32_t i = 0; i < 300; i++) {
        p[i] = push_many(&a, uint32_t, 1 + i * 7);
        p[i][i * 7] = i;
    }
    for (uint32_t i = 0; i < 300; i++)
        assert_int_equal(i, p[i][i * 7]);
    arena_free(&a);
}

TEST(arena_takes_pieces_larger_than_its_largest_block)
{
    struct arena a = {0};
    size_t n = (size_t)9 << 20;
    char *p = push_many(&a, char, n);
    p[n - 1] = 'x';
    assert_int_equal(0, p[n - 2]);
    arena_free(&a);
}

TEST(arena_can_be_used_again_after_it_was_freed)
{
    struct arena a = {0};
    (void)push_many(&a, char, 100);
    arena_free(&a);
    *push_one(&a, int) = 3;
    assert_int_equal(sizeof(int), a.used);
    arena_free(&a);
}

TEST(arena_str_copies_and_ends_with_a_zero_byte)
{
    struct arena a = {0};
    char text[] = "abc";
    str copy = arena_str(&a, (str){text, 2});
    text[0] = 'x';
    STR_IS(copy, "ab");
    assert_int_equal(0, copy.p[2]);
    str none = arena_str(&a, (str){NULL, 0});
    assert_int_equal(0, none.n);
    assert_int_equal(0, none.p[0]);
    arena_free(&a);
}

TEST(arena_printf_formats_short_and_long_texts)
{
    struct arena a = {0};
    STR_IS(arena_printf(&a, "%d-%s", 42, "x"), "42-x");
    str wide = arena_printf(&a, "%40000d", 5);
    assert_int_equal(40000, wide.n);
    assert_int_equal('5', wide.p[39999]);
    assert_int_equal(0, wide.p[40000]);
    arena_free(&a);
}
