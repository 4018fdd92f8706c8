// test_grid.c - tables made of cells.
#include "base/data/array.h"

#include "table/grid.h"
#include "test.h"

#define HEAD "Calls of each op\nOp     Calls\n------------\n"

static void text_is(size_t most, const char *want)
{
    static const struct column columns[] = {GRID_TEXT("Op"), GRID_WHOLE("Calls")};
    struct grid g;
    struct buf b = {0};
    grid_open(&g, "ops", "Calls of each op", columns, COUNT_OF(columns));
    for (int i = 1; i <= 3; i++) {
        grid_put_text(&g, S("Unary"));
        grid_put(&g, cell_int(i));
    }
    grid_text(&g, most, (struct text_look){0}, &b);
    test_str_is(buf_view(&b), str_of(want), __FILE__, __LINE__);
    buf_free(&b);
    grid_free(&g);
}

TEST(grid_text_has_all_rows_unless_it_is_limited)
{
    text_is(0, HEAD "Unary      1\nUnary      2\nUnary      3\n");
    text_is(3, HEAD "Unary      1\nUnary      2\nUnary      3\n");
    text_is(2, HEAD "Unary      1\nUnary      2\n... and 1 more\n");
}
