// test_map.c - interning.
#include <stdio.h>

#include "base/data/map.h"

#include "test.h"

TEST(map_numbers_distinct_texts_from_zero)
{
    struct map m = {0};
    assert_int_equal(0, map_put(&m, S("a")));
    assert_int_equal(1, map_put(&m, S("b")));
    assert_int_equal(0, map_put(&m, S("a")));
    assert_int_equal(2, map_put(&m, S("")));
    assert_int_equal(1, map_get(&m, S("b")));
    assert_int_equal(2, map_get(&m, S("")));
    assert_true(map_get(&m, S("c")) == MAP_NONE);
    STR_IS(m.keys.v[1], "b");
    map_free(&m);
}

TEST(map_without_entries_knows_nothing)
{
    struct map m = {0};
    assert_true(map_get(&m, S("a")) == MAP_NONE);
    map_free(&m);
}

TEST(map_tells_texts_with_zero_bytes_apart)
{
    struct map m = {0};
    assert_int_equal(0, map_put(&m, S("a\0b")));
    assert_int_equal(1, map_put(&m, S("a\0c")));
    assert_int_equal(2, map_put(&m, S("a")));
    map_free(&m);
}

TEST(map_keeps_its_numbers_while_it_grows)
{
    enum { N = 5000 };
    static char text[N][8];
    struct map m = {0};
    for (uint32_t i = 0; i < N; i++) {
        (void)snprintf(text[i], sizeof text[i], "k%u", i);
        assert_int_equal(i, map_put(&m, str_of(text[i])));
    }
    for (uint32_t i = 0; i < N; i++) {
        assert_int_equal(i, map_get(&m, str_of(text[i])));
        assert_true(str_is(m.keys.v[i], text[i]));
    }
    assert_int_equal(N, m.keys.n);
    map_free(&m);
}
