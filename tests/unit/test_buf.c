// test_buf.c - the growing byte buffer.
#include "base/text/buf.h"

#include "test.h"

TEST(buf_puts_pieces_one_behind_the_other)
{
    struct buf b = {0};
    buf_str(&b, S("ab"));
    buf_z(&b, "cd");
    buf_char(&b, 'e');
    buf_fill(&b, '-', 3);
    buf_str(&b, (str){NULL, 0});
    buf_fill(&b, 'x', 0);
    buf_z(&b, NULL);
    STR_IS(buf_view(&b), "abcde---");
    buf_free(&b);
    assert_null(b.p);
    assert_int_equal(0, b.n + b.cap);
}

TEST(buf_keeps_its_bytes_while_it_grows)
{
    struct buf b = {0};
    for (int i = 0; i < 10000; i++)
        buf_char(&b, (char)('a' + i % 26));
    assert_int_equal(10000, b.n);
    for (int i = 0; i < 10000; i++)
        assert_int_equal('a' + i % 26, b.p[i]);
    buf_free(&b);
}

TEST(buf_printf_takes_texts_longer_than_its_room)
{
    struct buf b = {0};
    buf_printf(&b, "<%s>", "short");
    buf_printf(&b, "%01000d", 5);
    buf_printf(&b, "%s", "");
    buf_char(&b, '!');
    assert_int_equal(7 + 1000 + 1, b.n);
    STR_IS(((str){b.p, 8}), "<short>0");
    STR_IS(((str){b.p + 1005, 3}), "05!");
    buf_free(&b);
}

TEST(buf_printf_fits_exactly_at_the_edge_of_its_room)
{
    for (int width = 180; width < 260; width++) {
        struct buf b = {0};
        buf_printf(&b, "%0*d", width, 7);
        assert_int_equal(width, b.n);
        assert_int_equal('7', b.p[b.n - 1]);
        buf_free(&b);
    }
}
