// test_device_lines.c - the lines of the runtime's device report.
#include "base/text/buf.h"
#include "base/text/csv_row.h"

#include "formats/device_rows/device_lines.h"
#include "formats/diags.h"
#include "test.h"

// "H a|b\n" for a header, "2 1|x\n" for a row, with the number of its line. '!' where the
// text ends within the line, '"' where a quote is not closed.
static void lines_are(const char *text, const char *want, uint64_t n_unread)
{
    struct device_lines l;
    struct diag d = {0};
    struct err e = {0};
    struct buf b = {0};
    device_lines_open(&l, str_of(text), "x.csv", &d);
    for (enum device_line kind; (kind = device_lines_next(&l));) {
        if (kind == DEVICE_LINE_HEADER)
            buf_z(&b, "H");
        else
            buf_printf(&b, "%llu", (unsigned long long)l.number);
        for (size_t i = 0; i < l.n_cells; i++) {
            buf_char(&b, i ? '|' : ' ');
            buf_str(&b, device_lines_cell(&l, i));
        }
        buf_z(&b, l.is_open ? "\"" : "");
        buf_z(&b, l.is_cut ? "!\n" : "\n");
    }
    assert_int_equal(n_unread, l.n_unread);
    test_str_is(buf_view(&b), str_of(want), __FILE__, __LINE__);
    assert_true(device_lines_close(&l, &e));
    buf_free(&b);
}

TEST(device_lines_are_headers_and_rows_in_the_order_of_the_file)
{
    lines_are(
        "\xEF\xBB\xBF\n GLOBAL CALL COUNT ,OP NAME\r\n"
        " 1 ,\"a,\"\"b\"\r\n"
        "  \n"
        "1,x\n"
        "OP NAME,\"GLOBAL CALL COUNT\",CORE COUNT\n"
        "y,2,7",
        "H GLOBAL CALL COUNT|OP NAME\n"
        "3 1|a,\"b\n"
        "5 1|x\n"
        "H OP NAME|GLOBAL CALL COUNT|CORE COUNT\n"
        "7 y|2|7!\n",
        0);
}

TEST(device_lines_leave_out_rows_whose_columns_are_ambiguous)
{
    lines_are(
        "GLOBAL CALL COUNT,OP NAME\n"
        "1,x,5\n"
        "2,x,,,,,,,,\n"  // eight empty cells too many
        "3,x,,,,,,,,,\n" // nine
        "4,\"x\"y\n"
        "5\n"
        "6,\"x\n"
        "7",
        "H GLOBAL CALL COUNT|OP NAME\n3 2|x\n6 5\n7 6|x\"\n8 7!\n", 3);
}

TEST(device_lines_need_a_header_first)
{
    static const char *const texts[] = {"", "\n \n", "1,2\nGLOBAL CALL COUNT,A\n1,2\n",
                                        "global call count,A\n1,2\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct device_lines l;
        struct diag d = {0};
        struct err e = {0};
        device_lines_open(&l, str_of(texts[i]), "x.csv", &d);
        assert_int_equal(DEVICE_LINES_END, device_lines_next(&l));
        assert_false(device_lines_close(&l, &e));
        assert_int_equal(ERR_FORMAT, e.code);
    }
}

// Blocks of 64 bytes are searched for commas; the text may end anywhere in one.
TEST(device_lines_find_every_comma_whatever_the_length_of_a_line)
{
    enum { COLUMNS = 70 };
    for (size_t length = 1; length < 200; length++) {
        struct buf b = {0};
        buf_z(&b, "GLOBAL CALL COUNT");
        for (size_t i = 1; i < COLUMNS; i++)
            buf_z(&b, ",A");
        buf_char(&b, '\n');
        size_t row = b.n;
        for (size_t i = 0; i < length; i++)
            buf_char(&b, i * 7 % 3 == 1 ? ',' : '5');
        struct device_lines l;
        struct diag d = {0};
        struct err e = {0};
        device_lines_open(&l, buf_view(&b), "x.csv", &d);
        assert_int_equal(DEVICE_LINE_HEADER, device_lines_next(&l));
        assert_int_equal(DEVICE_LINE_ROW, device_lines_next(&l));
        size_t ends[COLUMNS + 8], n_ends, end;
        str line = str_from(buf_view(&b), row);
        assert_int_equal(CSV_ROW_OK,
                         csv_row_cells(line, 0, COLUMNS + 8, ends, &n_ends, &end));
        assert_int_equal(n_ends, l.n_ends);
        assert_memory_equal(ends, l.ends, n_ends * sizeof *ends);
        assert_true(device_lines_close(&l, &e));
        buf_free(&b);
    }
}
