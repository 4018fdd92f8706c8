// test_block.c - events into blocks and back: what they cost, where blocks end, and what a
// reader makes of streams that are not as they were written.
#include "../support/host_words.h"
#include "test.h"

struct sample {
    struct host_words w;
    struct buf stream;
    uint32_t n_blocks, shift;
    struct block_coder *coder;
    struct block_reader *reader;
};

static void sample_pack(struct sample *s)
{
    s->coder = host_coder();
    s->reader = block_reader_new();
    struct block_source source = {
        .words = s->w.v.v,
        .mask = UINT64_MAX,
        .to = s->w.v.n,
        .thread = 4,
        .clock = 1,
        .shift = s->shift,
    };
    s->n_blocks = host_pack(s->coder, source, &s->stream);
}

static void sample_free(struct sample *s)
{
    vec_free(&s->w.v);
    buf_free(&s->stream);
    mem_free(s->coder);
    block_reader_free(s->reader);
}

// All words come back as they are.
static void comes_back(struct sample *s)
{
    struct block_cursor c = {.stream = buf_view(&s->stream)};
    uint64_t at = 0;
    while (block_next(&c) == BLOCK_WHOLE) {
        const uint64_t *words = block_read(s->reader, &c.block, c.payload);
        assert_non_null(words);
        assert_int_equal(c.block.from, at);
        assert_memory_equal(words, s->w.v.v + at, 8 * (c.block.to - at));
        at = c.block.to;
    }
    assert_int_equal(at, s->w.v.n);
    assert_int_equal(c.skipped, 0);
}

TEST(block_of_one_event_comes_back)
{
    struct sample s = {0};
    host_end(&s.w, 123456789);
    sample_pack(&s);
    comes_back(&s);
    assert_int_equal(s.n_blocks, 1);
    sample_free(&s);
}

TEST(block_of_every_kind_of_event_comes_back)
{
    struct sample s = {0};
    uint64_t time = 1000;
    for (uint32_t kind = 0; kind < TT_EVENT_KINDS; kind++) {
        if (block_kinds[kind].is_text) {
            host_text(&s.w, (enum tt_host_event)kind, time += 10, 0x01FF00FF,
                      S("seven\nbytes"));
            host_text(&s.w, (enum tt_host_event)kind, time += 10, 0, S(""));
            continue;
        }
        host_event(&s.w, (enum tt_host_event)kind, time += 10);
        for (uint32_t i = 0; i < block_kinds[kind].n_words; i++)
            host_word(&s.w, i ? UINT64_MAX - i : kind);
    }
    sample_pack(&s);
    comes_back(&s);
    sample_free(&s);
}

TEST(block_keeps_the_order_of_times_that_go_back_or_far_ahead)
{
    static const uint64_t times[] = {
        0, 5, 4, UINT64_C(1) << 55, 7, UINT32_MAX, UINT32_MAX + UINT64_C(4294967296), 0};
    struct sample s = {0};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        host_end(&s.w, times[i]);
    sample_pack(&s);
    comes_back(&s);
    sample_free(&s);
}

TEST(block_gives_back_words_that_are_no_events)
{
    struct sample s = {0};
    host_word(&s.w, UINT64_MAX);
    host_event(&s.w, TT_MESSAGE, 5);
    host_word(&s.w, TT_TEXT_MOST + 1); // longer than any text
    host_begin(&s.w, 9, 3);
    host_event(&s.w, TT_ALLOC, 12); // its words are missing
    sample_pack(&s);
    comes_back(&s);
    sample_free(&s);
}

TEST(block_has_steps_of_the_clock_that_it_is_told)
{
    struct sample s = {.shift = 3};
    host_begin(&s.w, 1007, 5);
    host_end(&s.w, 2001);
    sample_pack(&s);
    struct block_cursor c = {.stream = buf_view(&s.stream)};
    assert_int_equal(block_next(&c), BLOCK_WHOLE);
    const uint64_t *words = block_read(s.reader, &c.block, c.payload);
    assert_int_equal(words[0] & BLOCK_TIME_MASK, 1000);
    assert_int_equal(words[1], 5);
    assert_int_equal(words[2] & BLOCK_TIME_MASK, 2000);
    sample_free(&s);
}

// Times of another clock are kept to the tick: only the first one has too fine ones.
TEST(block_ends_where_the_clock_changes)
{
    struct sample s = {.shift = 1};
    host_end(&s.w, 1001);
    host_event(&s.w, TT_CLOCK, 51);
    host_word(&s.w, 2);
    host_end(&s.w, 53);
    host_event(&s.w, TT_CLOCK, 55); // the same again
    host_word(&s.w, 2);
    host_end(&s.w, 57);
    sample_pack(&s);
    struct block_cursor c = {.stream = buf_view(&s.stream)};
    assert_int_equal(s.n_blocks, 2);
    assert_int_equal(block_next(&c), BLOCK_WHOLE);
    assert_int_equal(c.block.clock, 1);
    assert_int_equal(c.block.to, 1);
    assert_int_equal(block_next(&c), BLOCK_WHOLE);
    assert_int_equal(c.block.clock, 1); // of its first word, which changes it
    const uint64_t *words = block_read(s.reader, &c.block, c.payload);
    assert_int_equal(words[0] & BLOCK_TIME_MASK, 51);
    assert_int_equal(words[2] & BLOCK_TIME_MASK, 53);
    assert_int_equal(words[5] & BLOCK_TIME_MASK, 57);
    sample_free(&s);
}

TEST(block_has_at_most_its_words)
{
    struct sample s = {0};
    for (uint64_t i = 0; i < BLOCK_WORDS; i++)
        host_begin(&s.w, 10 * i, i % 7);
    sample_pack(&s);
    comes_back(&s);
    assert_int_equal(s.n_blocks, 2);
    sample_free(&s);
}

// The most bits, and symbols of all lengths: nothing overflows.
TEST(block_has_room_for_events_that_are_hard_to_pack)
{
    struct sample s = {0};
    uint64_t time = 1, noise = 1;
    while (s.w.v.n < BLOCK_WORDS) {
        noise = noise * UINT64_C(6364136223846793005) + 1442695040888963407u;
        time += noise >> 32 >> (s.w.v.n % 3 ? 0 : noise % 32);
        if (noise >> 33 & 1)
            host_begin(&s.w, time, 1 + (noise >> 40) % 5000);
        else
            host_end(&s.w, time);
    }
    sample_pack(&s);
    comes_back(&s);
    sample_free(&s);
}

TEST(block_of_long_texts_ends_before_it_gets_too_long)
{
    char text[TT_TEXT_MOST];
    struct sample s = {0};
    uint64_t noise = 1;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)((noise = noise * UINT64_C(6364136223846793005) + 1) >> 56);
    for (uint64_t i = 0; i < 120; i++)
        host_text(&s.w, TT_OP, i, 0, (str){text, sizeof text - i});
    sample_pack(&s);
    comes_back(&s);
    assert_int_equal(s.n_blocks, 2);
    sample_free(&s);
}

TEST(block_of_equal_texts_is_short)
{
    struct sample s = {0};
    for (uint64_t i = 0; i < 1000; i++)
        host_text(&s.w, TT_OP, 100 * i, 0, S("{\"op\": \"matmul\", \"cores\": 64}"));
    sample_pack(&s);
    comes_back(&s);
    assert_true(s.stream.n < 5000);
    sample_free(&s);
}

// A loop over three zones: their locations cost nothing, times of seven bits six, a code
// one.
TEST(block_of_what_repeats_costs_little_but_the_time)
{
    struct sample s = {0};
    uint64_t time = 0;
    for (uint64_t i = 0; i < 30000; i++) {
        host_begin(&s.w, time += 64 + i * 7 % 64, 1 + i % 3);
        host_end(&s.w, time += 64 + i * 11 % 64);
    }
    sample_pack(&s);
    comes_back(&s);
    assert_true(s.stream.n < 30000 * 14 / 8);
    sample_free(&s);
}

// 20 names in no order, lengths and distances of no pattern: what cannot be avoided are 1.1
// bytes for each of the two times and half a byte for the name.
TEST(block_of_what_never_repeats_costs_what_it_says)
{
    struct sample s = {0};
    uint64_t time = 0, noise = 1;
    for (uint64_t i = 0; i < 30000; i++) {
        for (int k = 0; k < 2; k++) {
            noise = noise * UINT64_C(6364136223846793005) + 1442695040888963407u;
            time += noise >> 32 & 511;
            if (k)
                host_end(&s.w, time);
            else
                host_begin(&s.w, time, 1 + (noise >> 45) % 20);
        }
    }
    sample_pack(&s);
    comes_back(&s);
    assert_in_range(s.stream.n, 30000 * 22 / 8, 30000 * 24 / 8);
    sample_free(&s);
}

TEST(block_format_is_the_one_that_files_have)
{
    // clang-format off
    static const uint8_t payload[] = {
        0, 0,                   // steps of one tick
        2, 0,                   // locations
        1, 0, 1, 0, 1, 0, 2, 0, // symbols of the four tables
        0, 0, 0, 0,             // bytes
        0x70, 0x08,             // after a beginning: an end, times of 7 bits; no bits
        0x50, 0x04,             // after an end: a beginning, 5 bits
        0x00, 0x04,             // after all else: a beginning at the same time
        0x01, 0x00, 0x11, 0x00, // locations 0 and 1: one bit each
        40, 41,                 // what they are
        // From the lowest bit: location 0, 000000 of the first length, 0000 of the
        // distance, location 1, 100000 of the second length.
        0x00, 0x18, 0x00,
    };
    // clang-format on
    struct sample s = {0};
    host_begin(&s.w, 1000, 40);
    host_end(&s.w, 1064);
    host_begin(&s.w, 1080, 41);
    host_end(&s.w, 1145);
    sample_pack(&s);
    struct block_cursor c = {.stream = buf_view(&s.stream)};
    assert_int_equal(block_next(&c), BLOCK_WHOLE);
    assert_int_equal(c.payload.n, sizeof payload);
    assert_memory_equal(c.payload.p, payload, sizeof payload);
    assert_int_equal(c.block.time, 1000);
    assert_int_equal(c.block.sum, UINT64_C(0xb47c86ea11260dc3));
    sample_free(&s);
}

// --- streams ---
static struct sample sample_of_three(void)
{
    struct sample s = {0};
    for (uint64_t i = 0; i < 5 * BLOCK_WORDS / 6; i++) {
        host_begin(&s.w, 200 * i, i % 9);
        host_end(&s.w, 200 * i + i % 190);
    }
    sample_pack(&s);
    assert_int_equal(s.n_blocks, 3);
    return s;
}

TEST(block_stream_that_is_damaged_goes_on_behind_the_damage)
{
    struct sample s = sample_of_three();
    struct block_cursor c = {.stream = buf_view(&s.stream)};
    s.stream.p[70] ^= 1;
    assert_int_equal(block_next(&c), BLOCK_DAMAGED);
    assert_true(c.skipped > 64);
    assert_int_equal(block_next(&c), BLOCK_WHOLE);
    assert_int_not_equal(c.block.from, 0);
    assert_int_equal(block_next(&c), BLOCK_WHOLE);
    assert_int_equal(block_next(&c), BLOCK_LAST);
    assert_int_equal(c.skipped, 0);
    sample_free(&s);
}

// Bytes that only look like the beginning of a block, right before one.
TEST(block_stream_goes_on_right_behind_a_false_beginning)
{
    static const uint32_t magic = TT_BLOCK_MAGIC;
    struct sample s = {0};
    host_end(&s.w, 5);
    buf_str(&s.stream, (str){(const char *)&magic, sizeof magic});
    sample_pack(&s);
    struct block_cursor c = {.stream = buf_view(&s.stream)};
    assert_int_equal(block_next(&c), BLOCK_DAMAGED);
    assert_int_equal(c.skipped, sizeof magic);
    assert_int_equal(block_next(&c), BLOCK_WHOLE);
    sample_free(&s);
}

// Codes that leave bits without a meaning, and codes that are too many.
TEST(block_with_codes_that_do_not_fill_their_table_cannot_be_read)
{
    struct sample s = {0};
    host_begin(&s.w, 1000, 40);
    host_end(&s.w, 1064);
    host_begin(&s.w, 1080, 41);
    sample_pack(&s);
    struct block_cursor c = {.stream = buf_view(&s.stream)};
    assert_int_equal(block_next(&c), BLOCK_WHOLE);
    char *code = s.stream.p + sizeof c.block + sizeof(struct block_head) + 6;
    assert_non_null(block_read(s.reader, &c.block, c.payload));
    assert_int_equal(*code, 1); // bits of the first location
    *code = 2;
    assert_null(block_read(s.reader, &c.block, c.payload));
    *code = 0;
    assert_null(block_read(s.reader, &c.block, c.payload));
    sample_free(&s);
}

TEST(block_stream_whose_end_is_missing_says_how_much_is_left_over)
{
    struct sample s = sample_of_three();
    struct block_cursor c = {.stream = buf_view(&s.stream)};
    c.stream.n--;
    assert_int_equal(block_next(&c), BLOCK_WHOLE);
    assert_int_equal(block_next(&c), BLOCK_WHOLE);
    size_t end = c.at;
    assert_int_equal(block_next(&c), BLOCK_LAST);
    assert_int_equal(c.skipped, c.stream.n - end);
    assert_int_equal(block_next(&c), BLOCK_LAST);
    sample_free(&s);
}

TEST(block_sum_covers_every_byte_of_header_and_payload)
{
    struct sample s = {0};
    for (uint64_t i = 0; i < 40; i++)
        host_begin(&s.w, 37 * i, i);
    sample_pack(&s);
    for (size_t i = 0; i < s.stream.n; i++) {
        struct block_cursor c = {.stream = buf_view(&s.stream)};
        s.stream.p[i] ^= 0x10;
        assert_int_equal(block_next(&c), BLOCK_LAST);
        s.stream.p[i] ^= 0x10;
    }
    sample_free(&s);
}

TEST(block_stream_of_another_version_is_none)
{
    struct tt_stream head = {.magic = TT_STREAM_MAGIC, .version = TT_RECORDING_VERSION};
    str stream = {(const char *)&head, sizeof head};
    assert_true(block_stream_is_one(stream));
    head.version++;
    assert_false(block_stream_is_one(stream));
    head.version--;
    assert_false(block_stream_is_one((str){stream.p, 15}));
}
