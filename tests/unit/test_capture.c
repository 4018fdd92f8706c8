// test_capture.c - what a Tracy client sends becomes the contents of a trace.
#include "../support/tracy_stream.h"
#include "formats/diags.h"
#include "formats/tracy/capture/capture.h"
#include "test.h"

enum { WINDOW = 100 };

struct scene {
    struct tracy_stream s;
    struct tracy t;
    struct capture *c;
    struct tracy_ask asks[WINDOW];
    size_t n_asks;
};

static void scene_start(struct scene *x, enum tracy_generation g, uint8_t flags)
{
    stream_start(&x->s, g, flags);
    tracy_start(&x->t, ".", 0);
    x->c = capture_start(&x->t, g, WINDOW);
    x->n_asks = 0;
}

// Sends what was made since the last time; keeps the queries that it caused.
static bool scene_send(struct scene *x)
{
    if (x->s.items.n)
        stream_block(&x->s);
    bool is_fine = capture_feed(x->c, x->s.bytes.p, x->s.bytes.n);
    x->s.bytes.n = 0;
    x->n_asks = capture_asks(x->c, x->asks, WINDOW);
    return is_fine;
}

static void scene_end(struct scene *x)
{
    if (x->c)
        capture_finish(x->c);
    tracy_free(&x->t);
    stream_free(&x->s);
}

static void scene_finish(struct scene *x)
{
    capture_finish(x->c);
    x->c = NULL;
}

static bool has_asked(const struct scene *x, enum tracy_query query, uint64_t key)
{
    for (size_t i = 0; i < x->n_asks; i++)
        if (x->asks[i].query == query && x->asks[i].key == key)
            return true;
    return false;
}

static void thread(struct scene *x, uint64_t id)
{
    stream_item(&x->s, TRACY_THREAD_CONTEXT, TRACY_THREAD_FIELD, id, STREAM_END);
}

static const struct tracy_zone *zone_of(const struct scene *x, size_t thread, size_t i)
{
    return pile_at(&x->t.threads.v[thread].zones, i);
}

static void answer_place(struct scene *x, uint64_t name, uint64_t function, uint64_t file)
{
    stream_item(&x->s, TRACY_PLACE, TRACY_NAME_FIELD, name, TRACY_FUNCTION_FIELD, function,
                TRACY_PLACE_FIELD, file, TRACY_LINE_FIELD, UINT64_C(42), TRACY_COLOUR_FIELD,
                UINT64_C(0x112233), STREAM_END);
}

// --- a whole session -------------------------------------------------------------------

// Section 14 of the protocol, byte by byte: what the real tools accepted.
TEST(a_minimal_session_gives_its_zone_and_its_message)
{
    static const unsigned char f10[] = {
        0x34, 0,    0,    0,    0xf1, 0x01, 0x3b, 0x07, 0x00, 0x00, 0x00, 0x0f, 0x80, 0x84,
        0x1e, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x20, 0x07, 0x00, 0x42, 0x00, 0x11, 0xd2,
        0x04, 0x09, 0x00, 0xf0, 0x08, 0x60, 0x0b, 0x00, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x20,
        0x74, 0x72, 0x61, 0x63, 0x79, 0x02, 0x74, 0x86, 0x1e, 0x00, 0x00, 0x00, 0x00, 0x00};
    static const unsigned char u14[] = {
        0x2c, 0,    0,    0,    0xd1, 0x4b, 0x07, 0x00, 0x00, 0x00, 0x14, 0x80,
        0x84, 0x1d, 0x00, 0x01, 0x20, 0x00, 0x01, 0x00, 0xf0, 0x0b, 0x1b, 0xd2,
        0x04, 0x72, 0x0b, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x20, 0x74, 0x72, 0x61,
        0x63, 0x79, 0x02, 0x74, 0x86, 0x1e, 0x00, 0x00, 0x00, 0x00, 0x00, 0x20};
    for (int g = 0; g < TRACY_GENERATIONS; g++) {
        struct scene x;
        if (g == TRACY_T14)
            continue; // no bytes of a real client
        scene_start(&x, (enum tracy_generation)g, 0);
        buf_str(&x.s.bytes, g == TRACY_F10 ? (str){(const char *)f10, sizeof f10}
                                           : (str){(const char *)u14, sizeof u14});
        assert_true(scene_send(&x));
        assert_true(has_asked(&x, TRACY_ASK_PLACE, 0x2001));
        assert_true(has_asked(&x, TRACY_ASK_THREAD, 7));
        assert_int_equal(2, x.n_asks);
        answer_place(&x, 0x1001, 0x1002, 0x1003);
        stream_text(&x.s, TRACY_THREAD_NAME, 7, S("mini thread"));
        assert_true(scene_send(&x));
        assert_int_equal(3, x.n_asks);
        stream_text(&x.s, TRACY_TEXT, 0x1001, S("my_zone"));
        stream_text(&x.s, TRACY_TEXT, 0x1002, S("my_function"));
        stream_item(&x.s, TRACY_TERMINATE, STREAM_END);
        assert_true(scene_send(&x));
        assert_false(capture_is_done(x.c)); // one text is missing
        stream_text(&x.s, TRACY_TEXT, 0x1003, S("my_file.c"));
        assert_true(scene_send(&x));
        assert_true(capture_is_done(x.c));
        scene_finish(&x);

        assert_int_equal(1, x.t.threads.n);
        assert_int_equal(2000000 - 1000, zone_of(&x, 0, 0)->start);
        assert_int_equal(2000000 - 1000 + 1234, zone_of(&x, 0, 0)->end);
        STR_IS(tracy_place_name(&x.t, zone_of(&x, 0, 0)->place), "my_zone");
        STR_IS(tracy_ref_text(&x.t, x.t.places.v[1].file), "my_file.c");
        assert_int_equal(0x112233, x.t.places.v[1].colour);
        STR_IS(tracy_thread_name(&x.t, 7), "mini thread");
        const struct tracy_message *m = pile_at(&x.t.messages, 0);
        STR_IS(tracy_ref_text(&x.t, m->text), "hello tracy");
        assert_int_equal(2000500 - 1000, m->time);
        assert_int_equal(2, m->severity);
        assert_int_equal(0, diag_total(&x.t.diag));
        scene_end(&x);
    }
}

// --- bytes -----------------------------------------------------------------------------

// More than the buffer of decoded blocks holds: the history moves with it.
static void many_zones(struct tracy_stream *s, uint64_t n)
{
    enum { BLOCK = 200 * 1024 };
    stream_item(s, TRACY_THREAD_CONTEXT, TRACY_THREAD_FIELD, UINT64_C(9), STREAM_END);
    for (uint64_t i = 0; i < n; i++) {
        stream_begin(s, 100000 + i % 7, 0x100 + i % 31 * 16);
        stream_end(s, i % 91);
        if (s->items.n > BLOCK)
            stream_block(s);
    }
    stream_block(s);
}

TEST(blocks_refer_to_earlier_ones_and_may_be_cut_anywhere)
{
    static const size_t pieces[] = {1, 3, 4096, 1 << 20, 1 << 30};
    enum { ZONES = 200000 };
    for (int g = 0; g < TRACY_GENERATIONS; g++)
        for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++) {
            struct scene x;
            scene_start(&x, (enum tracy_generation)g, TRACY_ON_DEMAND);
            many_zones(&x.s, ZONES);
            for (size_t at = 0; at < x.s.bytes.n; at += pieces[k]) {
                size_t left = x.s.bytes.n - at;
                assert_true(capture_feed(x.c, x.s.bytes.p + at,
                                         left < pieces[k] ? left : pieces[k]));
            }
            scene_finish(&x);
            assert_int_equal(ZONES, x.t.threads.v[0].zones.n);
            uint64_t start = 0;
            int64_t end = -1000;
            for (size_t i = 0; i < ZONES; i++) {
                const struct tracy_zone *z = zone_of(&x, 0, i);
                start = (uint64_t)end + 100000 + i % 7;
                end = (int64_t)(start + i % 91);
                if (z->start != (int64_t)start || z->end != end ||
                    x.t.place_keys.v[z->place] != 0x100 + i % 31 * 16)
                    fail();
            }
            assert_int_equal(3, x.t.frame_offset);
            assert_int_equal(end, x.t.last_time);
            scene_end(&x);
        }
}

TEST(bytes_that_are_not_of_the_protocol_end_a_capture_and_keep_what_was_before)
{
    static const struct {
        const char *bytes;
        size_t n;
        const char *trouble;
    } ends[] = {
        {"\0\0\0\0", 4, "the length of a block is impossible"},
        {"\x15\x04\x04\0", 4, "the length of a block is impossible"}, // 263189
        {"\2\0\0\0\xff\xff", 6, "a compressed block is damaged"},
        {"\2\0\0\0\x10\xfe", 6, "an item is unknown or cut off"},
        {"\2\0\0\0\x10\x13", 6, "an item is unknown or cut off"}, // no fields
    };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        for (size_t cut = 0; cut < ends[i].n; cut++) {
            struct scene x;
            scene_start(&x, TRACY_U14, 0);
            thread(&x, 5);
            stream_begin(&x.s, 3000, 16);
            assert_true(scene_send(&x));
            bool is_fine = capture_feed(x.c, ends[i].bytes, cut) &&
                           capture_feed(x.c, ends[i].bytes + cut, ends[i].n - cut);
            assert_false(is_fine);
            assert_string_equal(ends[i].trouble, capture_trouble(x.c));
            assert_false(capture_feed(x.c, "x", 1));
            assert_false(capture_is_done(x.c));
            scene_finish(&x);
            assert_int_equal(1, x.t.threads.v[0].zones.n);
            assert_int_equal(-1, zone_of(&x, 0, 0)->end);
            scene_end(&x);
        }
}

// --- queries ---------------------------------------------------------------------------

TEST(each_key_is_asked_for_once_and_never_more_than_the_window)
{
    enum { PLACES = 1000 };
    struct scene x;
    scene_start(&x, TRACY_U14, 0);
    thread(&x, 5);
    for (int round = 0; round < 2; round++)
        for (uint64_t i = 0; i < PLACES; i++) {
            stream_begin(&x.s, 1, 16 + i);
            stream_end(&x.s, 1);
        }
    assert_true(scene_send(&x));
    uint64_t n = 0;
    while (x.n_asks) {
        size_t asked = x.n_asks;
        assert_true(asked <= WINDOW);
        struct tracy_ask more[1];
        assert_true(asked < WINDOW || capture_asks(x.c, more, 1) == 0);
        n += asked;
        for (size_t i = 0; i < asked; i++)
            if (x.asks[i].query == TRACY_ASK_PLACE)
                answer_place(&x, 0, 0, 0);
            else
                stream_text(&x.s, TRACY_THREAD_NAME, 5, S("t"));
        stream_item(&x.s, TRACY_TERMINATE, STREAM_END);
        assert_true(scene_send(&x));
    }
    assert_int_equal(PLACES + 1, n);
    assert_true(capture_is_done(x.c));
    scene_end(&x);
}

TEST(answers_that_nobody_asked_for_are_counted_and_change_nothing)
{
    struct scene x;
    scene_start(&x, TRACY_F10, 0);
    answer_place(&x, 1, 2, 3);
    stream_text(&x.s, TRACY_TEXT, 1, S("a"));
    stream_text(&x.s, TRACY_THREAD_NAME, 1, S("b"));
    stream_text(&x.s, TRACY_FIBER_NAME, 1, S("c"));
    stream_text(&x.s, TRACY_EXTERNAL_NAME, 1, S("d"));
    stream_item(&x.s, TRACY_FRAME_SIZE, TRACY_ID_FIELD, UINT64_C(1), STREAM_END);
    stream_item(&x.s, TRACY_STACK_FRAME, STREAM_END);
    stream_item(&x.s, TRACY_STACK_FRAME, STREAM_END); // one too many
    stream_item(&x.s, TRACY_SYMBOL_INFORMATION, TRACY_ADDRESS_FIELD, UINT64_C(1),
                STREAM_END);
    stream_item(&x.s, TRACY_TERMINATE, STREAM_END);
    assert_true(scene_send(&x));
    assert_int_equal(8, x.t.diag.entry[DIAG_TRACY_ODD].count);
    assert_int_equal(0, x.n_asks);
    assert_true(capture_is_done(x.c));
    scene_end(&x);
}

TEST(an_open_zone_delays_the_end_unless_the_program_crashed)
{
    struct scene x;
    scene_start(&x, TRACY_U14, 0);
    thread(&x, 5);
    stream_begin(&x.s, 1, 0);
    stream_text(&x.s, TRACY_THREAD_NAME, 5, S("t"));
    stream_item(&x.s, TRACY_TERMINATE, STREAM_END);
    assert_true(scene_send(&x));
    assert_true(capture_is_ending(x.c));
    assert_false(capture_is_done(x.c));
    stream_item(&x.s, TRACY_CRASH, STREAM_END);
    assert_true(scene_send(&x));
    assert_true(capture_is_done(x.c));
    scene_end(&x);
}

// --- mistakes --------------------------------------------------------------------------

TEST(mistakes_of_a_program_are_named_and_its_later_zones_are_kept)
{
    struct scene x;
    scene_start(&x, TRACY_U14, 0);
    thread(&x, 5);
    stream_end(&x.s, 1);
    stream_single(&x.s, S("lost"));
    stream_item(&x.s, TRACY_ZONE_TEXT, STREAM_END);
    stream_item(&x.s, TRACY_ZONE_NAME, STREAM_END);
    stream_item(&x.s, TRACY_ZONE_COLOUR, STREAM_END);
    stream_item(&x.s, TRACY_ZONE_VALUE, STREAM_END);
    for (int i = 0; i < 2; i++)
        stream_item(&x.s, TRACY_ALLOC, TRACY_ADDRESS_FIELD, UINT64_C(64), TRACY_SIZE_FIELD,
                    UINT64_C(8), STREAM_END);
    for (int i = 0; i < 2; i++)
        stream_item(&x.s, TRACY_FREE, TRACY_ADDRESS_FIELD, UINT64_C(64), STREAM_END);
    stream_item(&x.s, TRACY_FRAME_END, TRACY_NAME_FIELD, UINT64_C(3), STREAM_END);
    stream_begin(&x.s, 100, 16);
    stream_end(&x.s, 1);
    assert_true(scene_send(&x));
    const uint64_t *f = capture_failures(x.c);
    static const enum capture_failure once[] = {
        CAPTURE_TWICE, CAPTURE_TEXT,  CAPTURE_NAME, CAPTURE_COLOUR,
        CAPTURE_VALUE, CAPTURE_ALLOC, CAPTURE_FREE, CAPTURE_FRAME};
    for (size_t i = 0; i < sizeof once / sizeof *once; i++)
        assert_int_equal(1, f[once[i]]);
    assert_int_equal(8, x.t.diag.entry[DIAG_TRACY_ODD].count);
    scene_finish(&x);
    assert_int_equal(1, x.t.threads.v[0].zones.n);
    assert_int_equal(0, x.t.pools.v[0].usage);
    assert_int_equal(1, x.t.pools.v[0].events.n);
    scene_end(&x);
}

TEST(zones_that_end_in_a_wrong_order_stop_the_recording)
{
    struct scene x;
    scene_start(&x, TRACY_U14, 0);
    thread(&x, 5);
    stream_item(&x.s, TRACY_ZONE_VALIDATION, TRACY_ID_FIELD, UINT64_C(1), STREAM_END);
    stream_begin(&x.s, 2000, 0);
    stream_item(&x.s, TRACY_ZONE_VALIDATION, TRACY_ID_FIELD, UINT64_C(2), STREAM_END);
    stream_end(&x.s, 1);
    stream_begin(&x.s, 1, 0);
    stream_end(&x.s, 1);
    assert_true(scene_send(&x));
    assert_int_equal(1, capture_failures(x.c)[CAPTURE_ORDER]);
    assert_int_equal(1, capture_zone_count(x.c));
    stream_text(&x.s, TRACY_THREAD_NAME, 5, S("t"));
    assert_true(scene_send(&x));
    assert_true(capture_is_done(x.c)); // names are known, nothing else is waited for
    scene_finish(&x);
    STR_IS(tracy_thread_name(&x.t, 5), "t");
    scene_end(&x);
}

TEST(items_about_things_that_were_never_announced_are_skipped)
{
    struct scene x;
    scene_start(&x, TRACY_U14, 0);
    static const enum tracy_item items[] = {
        TRACY_LOCK_WAIT, TRACY_LOCK_RELEASE,  TRACY_LOCK_MARK,       TRACY_LOCK_NAME,
        TRACY_GPU_BEGIN, TRACY_GPU_END,       TRACY_GPU_TIME,        TRACY_GPU_NAME,
        TRACY_GPU_NOTE,  TRACY_GPU_TIME_SYNC, TRACY_GPU_CALIBRATION, TRACY_THREAD_GROUP};
    enum { ITEMS = sizeof items / sizeof *items };
    for (size_t i = 0; i < ITEMS; i++)
        stream_item(&x.s, items[i], STREAM_END);
    assert_true(scene_send(&x));
    assert_int_equal(ITEMS, x.t.diag.entry[DIAG_TRACY_ODD].count);
    scene_end(&x);
}

// --- protocol 83 -----------------------------------------------------------------------

static void whole(struct scene *x, uint64_t start, uint64_t end, uint64_t key)
{
    stream_item(&x->s, TRACY_GPU_ZONE, TRACY_GPU_TIME_FIELD, start, TRACY_DELTA_FIELD, end,
                TRACY_PLACE_FIELD, key, TRACY_THREAD_FIELD, UINT64_C(8),
                TRACY_CONTEXT_FIELD, UINT64_C(300), STREAM_END);
}

static void marker(struct scene *x, uint64_t delta)
{
    static const char place[] = "\1\2\3\0\x2a\0\0\0\0file\0event";
    stream_single(&x->s, S("Data: 1"));
    stream_item(&x->s, TRACY_GPU_MARKER_NOTE, TRACY_CONTEXT_FIELD, UINT64_C(300),
                STREAM_END);
    stream_text(&x->s, TRACY_MADE_PLACE, 0x9000, (str){place, sizeof place - 1});
    stream_item(&x->s, TRACY_GPU_MARKER, TRACY_TIME_FIELD, delta, TRACY_PLACE_FIELD,
                UINT64_C(0x9000), TRACY_THREAD_FIELD, UINT64_C(8), TRACY_CONTEXT_FIELD,
                UINT64_C(300), TRACY_TYPE_FIELD, UINT64_C(4), STREAM_END);
}

// Inner zones come first; a marker is inside the zone that it fell into.
TEST(device_zones_of_one_item_each_are_nested_by_their_times)
{
    struct scene x;
    scene_start(&x, TRACY_T14, 0);
    stream_item(&x.s, TRACY_GPU_CONTEXT, TRACY_TIME_FIELD, UINT64_C(1000),
                TRACY_PERIOD_FIELD, UINT64_C(0x3f800000), TRACY_CONTEXT_FIELD,
                UINT64_C(300), TRACY_TYPE_FIELD, UINT64_C(11), STREAM_END);
    whole(&x, 110, 120, 0x20);
    whole(&x, 130, 140, 0x20);
    marker(&x, 135);
    whole(&x, 100, 200, 0x30);
    marker(&x, 115); // 250
    whole(&x, 300, 400, 0x30);
    assert_true(scene_send(&x));
    assert_true(has_asked(&x, TRACY_ASK_PLACE, 0x20));
    assert_true(has_asked(&x, TRACY_ASK_PLACE, 0x30));
    assert_false(has_asked(&x, TRACY_ASK_PLACE, 0x9000)); // memory that is free again
    capture_finish(x.c);
    x.c = NULL;
    assert_int_equal(TRACY_U14, x.t.generation);
    const struct tracy_gpu *gpu = &x.t.gpus.v[0];
    assert_int_equal(TRACY_GPU_CUSTOM, gpu->type);
    assert_int_equal(1, gpu->lanes.n);
    assert_int_equal(6, gpu->n_zones);
    static const int64_t want[][3] = {{100, 200, 2}, {110, 120, 0}, {130, 140, 1},
                                      {135, 135, 0}, {250, 250, 0}, {300, 400, 0}};
    assert_int_equal(sizeof want / sizeof *want, gpu->lanes.v[0].zones.n);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const struct tracy_gpu_zone *z = pile_at(&gpu->lanes.v[0].zones, i);
        assert_int_equal(want[i][0], z->start);
        assert_int_equal(want[i][1], z->end);
        assert_int_equal(want[i][2], z->children);
        assert_true(z->place < 0 || z->start != z->end); // a marker has a made place
    }
    assert_int_equal(2, x.t.diag.entry[DIAG_TRACY_ODD].count); // their texts
    scene_end(&x);
}

TEST(device_zones_of_one_item_each_are_not_nested_without_end)
{
    enum { DEEPEST = 1 << 20, MANY = DEEPEST + 10 };
    struct scene x;
    scene_start(&x, TRACY_T14, 0);
    stream_item(&x.s, TRACY_GPU_CONTEXT, TRACY_TIME_FIELD, UINT64_C(1000),
                TRACY_PERIOD_FIELD, UINT64_C(0x3f800000), TRACY_CONTEXT_FIELD,
                UINT64_C(300), STREAM_END);
    for (unsigned i = 0; i < MANY; i++) {
        whole(&x, MANY - i, MANY + 1 + i, 0x20);
        if (i % 1000 == 999)
            assert_true(scene_send(&x));
    }
    assert_true(scene_send(&x));
    capture_finish(x.c);
    x.c = NULL;
    const struct pile *zones = &x.t.gpus.v[0].lanes.v[0].zones;
    assert_int_equal(MANY, zones->n);
    const struct tracy_gpu_zone *deepest = pile_at(zones, DEEPEST - 2);
    assert_int_equal(MANY - (DEEPEST - 1), deepest->children);
    assert_true(x.t.diag.entry[DIAG_TRACY_ODD].count > 0);
    scene_end(&x);
}
