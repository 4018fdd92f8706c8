// test_tracy_items.c - layouts of Tracy's items in both generations, and its welcome.
#include "record/format/tracy_items.h"
#include "test.h"

TEST(tracy_layouts_differ_by_generation)
{
    static struct tracy_layouts f, u;
    tracy_layouts_make(&f, TRACY_F10);
    tracy_layouts_make(&u, TRACY_U14);
    const struct tracy_layout *a = tracy_layout_of(&f, TRACY_GPU_BEGIN_SERIAL);
    const struct tracy_layout *b = tracy_layout_of(&u, TRACY_GPU_BEGIN_SERIAL);
    assert_int_equal(38, a->number);
    assert_int_equal(25, a->bytes);
    assert_int_equal(50, b->number);
    assert_int_equal(24, b->bytes);
    assert_int_equal(TRACY_CLOCK_SERIAL, a->clock);
    assert_false(f.exists[TRACY_ZONE_BEGIN_16]);
    assert_true(u.exists[TRACY_ZONE_BEGIN_16]);
    assert_int_equal(0, f.by_number[112].bytes); // no such number
    assert_int_equal(2, tracy_layout_of(&f, TRACY_STRING)->tail);
    assert_int_equal(0, tracy_layout_of(&f, TRACY_STRING)->tail_more);
    assert_int_equal(256, tracy_layout_of(&u, TRACY_STRING)->tail_more);
}

TEST(tracy_fields_come_back_as_they_were_set)
{
    for (int g = 0; g < TRACY_GENERATIONS; g++) {
        static struct tracy_layouts all;
        tracy_layouts_make(&all, (enum tracy_generation)g);
        for (int n = 0; n < 256; n++) {
            const struct tracy_layout *l = &all.by_number[n];
            unsigned char item[64] = {0};
            for (int k = 0; k < TRACY_FIELD_KINDS; k++)
                tracy_set(l, item, (enum tracy_field)k,
                          UINT64_C(0x0807060504030201) * (uint64_t)(k + 1));
            for (int k = 0; k < TRACY_FIELD_KINDS && l->bytes; k++) {
                uint64_t want = UINT64_C(0x0807060504030201) * (uint64_t)(k + 1);
                unsigned bits = 8 * l->fields[k].bytes;
                want &= bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
                assert_true(want == tracy_get(l, item, (enum tracy_field)k));
            }
            assert_true(l->bytes == 0 || item[0] == 0); // the number has its own byte
        }
    }
}

// The item of a minimal session, byte by byte.
TEST(tracy_items_are_what_real_clients_send)
{
    static const unsigned char begin[] = {0x14, 0x80, 0x84, 0x1d, 0x00, 0x01, 0x20,
                                          0,    0,    0,    0,    0,    0};
    static struct tracy_layouts u;
    tracy_layouts_make(&u, TRACY_U14);
    const struct tracy_layout *l = &u.by_number[begin[0]];
    assert_int_equal(TRACY_ZONE_BEGIN_32, l->item);
    assert_int_equal(sizeof begin, l->bytes);
    assert_int_equal(0x2001, tracy_get(l, begin, TRACY_PLACE_FIELD));
    assert_int_equal(2000000, tracy_wide_time(TRACY_U14, l->fields[TRACY_TIME_FIELD].bytes,
                                              tracy_get(l, begin, TRACY_TIME_FIELD)));
    assert_int_equal(-5, tracy_wide_time(TRACY_U14, 8, (uint64_t)-5));
    assert_true(0x100010000 == tracy_wide_time(TRACY_U14, 8, 0));
    assert_int_equal(0, tracy_wide_time(TRACY_F10, 8, 0));
}

TEST(tracy_welcomes_have_the_size_of_their_generation)
{
    static const size_t sizes[] = {1178, 1170};
    for (int g = 0; g < TRACY_GENERATIONS; g++) {
        struct tracy_welcome w = {.ns_per_tick = 0.5,
                                  .begin = 7,
                                  .delay = 11,
                                  .resolution = 13,
                                  .flags = 5,
                                  .cpu_id = 99,
                                  .program = "p",
                                  .info = "i"};
        struct tracy_welcome back;
        char bytes[TRACY_WELCOME_MOST];
        assert_int_equal(sizes[g], tracy_welcome_bytes((enum tracy_generation)g));
        assert_int_equal(sizes[g], tracy_welcome_put((enum tracy_generation)g, &w, bytes));
        tracy_welcome_get((enum tracy_generation)g, bytes, &back);
        w.delay = g == TRACY_F10 ? 11 : 0;
        assert_memory_equal(&w, &back, sizeof w);
    }
    enum tracy_generation which;
    assert_true(tracy_generation_of(82, &which));
    assert_int_equal(TRACY_U14, which);
    assert_false(tracy_generation_of(67, &which));
}
