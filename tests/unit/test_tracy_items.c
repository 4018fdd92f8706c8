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
    static const size_t sizes[TRACY_GENERATIONS] = {1178, 1170, 1170};
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
    assert_true(tracy_generation_of(83, &which));
    assert_int_equal(TRACY_T14, which);
    assert_false(tracy_generation_of(67, &which));
}

// Protocol 83 is 82 with three items more, and wide context ids.
TEST(tracy_items_of_the_newer_fork_are_those_of_upstream_and_three_more)
{
    static const struct {
        enum tracy_item item;
        uint8_t number, bytes;
    } known[] = {{TRACY_GPU_NAME, 61, 3},
                 {TRACY_GPU_NOTE_NAME, 62, 10},
                 {TRACY_GPU_MARKER_NOTE, 63, 3},
                 {TRACY_GPU_MARKER, 64, 24},
                 {TRACY_FRAME_SIZE, 65, 10},
                 {TRACY_SYMBOL_INFORMATION, 66, 13},
                 {TRACY_FIBER_ENTER, 70, 25},
                 {TRACY_SECTION_SETUP, 74, 3},
                 {TRACY_TERMINATE, 75, 1},
                 {TRACY_THREAD_CONTEXT, 77, 5},
                 {TRACY_GPU_TIME_SYNC, 79, 19},
                 {TRACY_GPU_ZONE, 80, 31},
                 {TRACY_CRASH, 81, 1},
                 {TRACY_PLACE, 90, 32},
                 {TRACY_GPU_CONTEXT, 98, 29},
                 {TRACY_STRING, 115, 1},
                 {TRACY_SECOND_STRING_8, 118, 1},
                 {TRACY_GPU_NOTE, 121, 24},
                 {TRACY_TEXT, 122, 9},
                 {TRACY_FIBER_NAME, 134, 9}};
    static struct tracy_layouts u, f;
    unsigned n = 0;
    tracy_layouts_make(&u, TRACY_U14);
    tracy_layouts_make(&f, TRACY_T14);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_int_equal(known[i].number, f.numbers[known[i].item]);
        assert_int_equal(known[i].bytes, tracy_layout_of(&f, known[i].item)->bytes);
    }
    for (int item = 0; item < TRACY_ITEM_KINDS; item++) {
        if (!f.exists[item])
            continue;
        n++;
        // No two have one number.
        assert_int_equal(item, f.by_number[f.numbers[item]].item);
        if (!u.exists[item])
            continue;
        const struct tracy_layout *a = tracy_layout_of(&u, (enum tracy_item)item);
        const struct tracy_layout *b = tracy_layout_of(&f, (enum tracy_item)item);
        bool has_note = item == TRACY_GPU_NOTE || item == TRACY_GPU_NOTE_NAME;
        bool is_wider = a->fields[TRACY_CONTEXT_FIELD].bytes && !has_note;
        assert_int_equal(a->bytes + is_wider, b->bytes);
        assert_int_equal(a->clock, b->clock);
    }
    assert_int_equal(132, n); // 135 numbers, three of which are never sent
}
