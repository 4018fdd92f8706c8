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

static void shows(str text, unsigned keep, const char *want)
{
    struct buf b = {0};
    buf_visible(&b, text, keep);
    test_str_is(buf_view(&b), str_of(want), __FILE__, __LINE__);
    buf_free(&b);
}

TEST(buf_visible_shows_what_would_steer_a_terminal)
{
    shows(S(""), 0, "");
    shows(S("plain \xCE\xBC \xF0\x9F\x9A\x80"), 0, "plain \xCE\xBC \xF0\x9F\x9A\x80");
    shows(S("\033[2Ja\033]0;title\a"), 0, "\\x1b[2Ja\\x1b]0;title\\x07");
    shows(S("a\rb\x7F\0c"), 0, "a\\rb\\x7f\\x00c");
    shows(S("a\xC2\x9B"
            "2J\xC2\xA0"),
          0, "a\\xc2\\x9b2J\xC2\xA0"); // 8-bit CSI, no-break space
    shows(S("a\x9B\xFF"), 0, "a\\x9b\\xff");
    shows(S("cut \xE2\x82"), 0, "cut \\xe2\\x82");
}

TEST(buf_visible_keeps_lines_and_our_own_colours_where_that_is_asked_for)
{
    shows(S("a\tb\n"), 0, "a\\tb\\n");
    shows(S("a\tb\n\r"), VISIBLE_LINES, "a\tb\n\\r");
    shows(S("\033[38;5;208mx\033[0m"), VISIBLE_COLOURS, "\033[38;5;208mx\033[0m");
    shows(S("\033[38;5;208mx\033[0m"), VISIBLE_LINES, "\\x1b[38;5;208mx\\x1b[0m");
    shows(S("\033[31m\033[38;5;m\033[38;5;1234m\033[38;5;1"), VISIBLE_COLOURS,
          "\\x1b[31m\\x1b[38;5;m\\x1b[38;5;1234m\\x1b[38;5;1");
}
