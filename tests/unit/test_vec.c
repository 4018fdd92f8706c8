// test_vec.c - growing arrays.
#include "base/data/vec.h"

#include "test.h"

TEST(vec_keeps_all_elements_while_it_grows)
{
    VEC(int) v = {0};
    for (int i = 0; i < 1000; i++)
        vec_push(&v, i * i);
    assert_int_equal(1000, v.n);
    assert_true(v.cap >= v.n);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(i * i, v.v[i]);
    vec_free(&v);
    assert_null(v.v);
    assert_int_equal(0, v.n + v.cap);
}

struct point {
    int x, y;
};

TEST(vec_takes_structs_written_in_place)
{
    VEC(struct point) v = {0};
    vec_push(&v, (struct point){1, 2});
    vec_push(&v, (struct point){.y = 3});
    assert_int_equal(2, v.n);
    assert_int_equal(2, v.v[0].y);
    assert_int_equal(3, v.v[1].y);
    vec_free(&v);
}

TEST(vec_reserve_makes_room_without_adding)
{
    VEC(char) v = {0};
    vec_push(&v, 'x');
    vec_reserve(&v, 500);
    assert_int_equal(1, v.n);
    assert_true(v.cap >= 501);
    const char *place = v.v;
    for (int i = 0; i < 500; i++)
        vec_push(&v, 'y');
    assert_ptr_equal(place, v.v);
    vec_free(&v);
}
