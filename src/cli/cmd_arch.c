// cmd_arch.c - `ttprof arch`: figures of the supported chips.

#include <unistd.h>

#include "base/data/vec.h"

#include "arch/arch.h"
#include "cli/command.h"
#include "table/table.h"

struct arch_values {
    bool json;
    const char *csv;
};

static const struct column columns[] = {
    // clang-format off
    {.name = "Name", .type = CELL_TEXT, .is_left = true, .get = at_text, MEMBER(struct arch, name)},
    {.name = "Product", .type = CELL_TEXT, .is_left = true, .rank = 2, .get = at_text, MEMBER(struct arch, product)},
    {.name = "Grid", .type = CELL_TEXT, .get = at_text, MEMBER(struct arch, grid)},
    {.name = "Cores", .type = CELL_INT, .get = at_i64, MEMBER(struct arch, cores)},
    {.name = "Clock", .type = CELL_REAL, .unit = UNIT_MHZ, .get = at_real, MEMBER(struct arch, clock_mhz)},
    {.name = "DRAM", .type = CELL_REAL, .unit = UNIT_GB_S, .decimals = 1, .get = at_real, MEMBER(struct arch, dram_gb_s)},
    {.name = "HiFi4 per core", .type = CELL_REAL, .unit = UNIT_TFLOPS, .decimals = 3, .get = at_real, MEMBER(struct arch, tflops[FIDELITY_HIFI4])},
    {.name = "HiFi3 per core", .type = CELL_REAL, .unit = UNIT_TFLOPS, .decimals = 3, .rank = 4, .get = at_real, MEMBER(struct arch, tflops[FIDELITY_HIFI3])},
    {.name = "HiFi2 per core", .type = CELL_REAL, .unit = UNIT_TFLOPS, .decimals = 3, .rank = 3, .get = at_real, MEMBER(struct arch, tflops[FIDELITY_HIFI2])},
    {.name = "LoFi per core", .type = CELL_REAL, .unit = UNIT_TFLOPS, .decimals = 3, .rank = 3, .get = at_real, MEMBER(struct arch, tflops[FIDELITY_LOFI])},
    {.name = "Date", .type = CELL_TEXT, .rank = 5, .get = at_text, MEMBER(struct arch, date)},
    {.name = "Aliases", .type = CELL_TEXT, .is_detail = true, .get = at_text, MEMBER(struct arch, aliases)},
    {.name = "Source", .type = CELL_TEXT, .is_detail = true, .get = at_text, MEMBER(struct arch, source)},
    {.name = "Boards", .type = CELL_TEXT, .is_detail = true, .get = at_text, MEMBER(struct arch, board_grids)},
    // clang-format on
};

// The workers that a chip of a board offers.
struct board_row {
    str name, chip;
    str grid[DISPATCHES];
    int64_t cores[DISPATCHES];
};

static const struct column board_columns[] = {
    // clang-format off
    {.name = "Board", .type = CELL_TEXT, .is_left = true, .get = at_text, MEMBER(struct board_row, name)},
    {.name = "Chip", .type = CELL_TEXT, .is_left = true, .get = at_text, MEMBER(struct board_row, chip)},
    {.name = "Grid, fast dispatch", .type = CELL_TEXT, .get = at_text, MEMBER(struct board_row, grid[DISPATCH_FAST])},
    {.name = "Cores", .type = CELL_INT, .get = at_i64, MEMBER(struct board_row, cores[DISPATCH_FAST])},
    {.name = "Grid, slow dispatch", .type = CELL_TEXT, .get = at_text, MEMBER(struct board_row, grid[DISPATCH_SLOW])},
    {.name = "Cores", .type = CELL_INT, .get = at_i64, MEMBER(struct board_row, cores[DISPATCH_SLOW])},
    // clang-format on
};

static void put_table(const struct table *t, struct out *o)
{
    struct text_table x = text_layout(t, terminal_look(STDOUT_FILENO));
    text_head(&x, &o->b);
    text_rule(&x, &o->b);
    for (size_t i = 0; i < t->n_rows; i++)
        text_row(&x, i, &o->b);
    text_rule(&x, &o->b);
    text_left_out(&x, &o->b);
    text_free(&x);
}

static void put_boards(const struct arch *chips, size_t n, struct out *o)
{
    struct arena a = {0};
    VEC(struct board_row) rows = {0};
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < chips[i].n_boards; k++) {
            const struct board *board = &chips[i].boards[k];
            struct board_row row = {.name = str_of(board->name), .chip = chips[i].name};
            for (int d = 0; d < DISPATCHES; d++) {
                struct die_place grid = board->grid[d];
                row.grid[d] = arena_printf(&a, "%dx%d", grid.x, grid.y);
                row.cores[d] = (int64_t)grid.x * grid.y;
            }
            vec_push(&rows, row);
        }
    struct table t = {.columns = board_columns,
                      .n_columns = sizeof board_columns / sizeof *board_columns,
                      .rows = rows.v,
                      .row_bytes = sizeof *rows.v,
                      .n_rows = rows.n};
    if (rows.n) {
        buf_char(&o->b, '\n');
        put_table(&t, o);
    }
    vec_free(&rows);
    arena_free(&a);
}

// The table, followed by the source of each figure, and what depends on the board.
static void put_text(const struct table *t, struct out *o)
{
    const struct arch *chips = t->rows;
    put_table(t, o);
    for (size_t i = 0; i < t->n_rows; i++)
        buf_printf(&o->b, "%.*s: %.*s\n", STR(chips[i].name), STR(chips[i].source));
    put_boards(chips, t->n_rows, o);
    for (size_t i = 0; i < t->n_rows; i++)
        if (chips[i].usual_board.n)
            buf_printf(&o->b,
                       "%.*s: Grid and Cores above are those of %.*s with fast dispatch\n",
                       STR(chips[i].name), STR(chips[i].usual_board));
}

static int run_arch(const void *values, struct words words, struct err *e)
{
    const struct arch_values *v = values;
    struct arch_list list = arch_all();
    struct table t = {.id = "arch",
                      .title = "Architectures",
                      .columns = columns,
                      .n_columns = sizeof columns / sizeof *columns,
                      .rows = list.v,
                      .row_bytes = sizeof *list.v,
                      .n_rows = list.n};
    const struct arch *one = words.n ? arch_find(list, str_of(words.v[0])) : NULL;
    if (words.n && !one)
        (void)err_set(e, ERR_USAGE, "unknown architecture '%s'; 'ttprof arch' lists all",
                      words.v[0]);
    if (one) {
        t.rows = one;
        t.n_rows = 1;
    }
    struct out o;
    bool ok = e->code == ERR_NONE;
    if (ok && !v->csv && !v->json)
        out_print(&o, terminal_look(STDOUT_FILENO).is_coloured);
    else
        ok = ok && out_open(&o, v->csv ? v->csv : "-", e);
    if (ok) {
        struct json j = {.b = &o.b, .is_first = true};
        if (v->csv)
            table_csv(&t, &o);
        else if (v->json)
            table_json(&t, JSON_OBJECTS, &j, &o);
        else
            put_text(&t, &o);
        if (v->json && !v->csv)
            buf_char(&o.b, '\n');
        (void)out_close(&o, e);
    }
    return err_exit_code(e->code);
}

static const struct option options[] = {
    {.name = "csv",
     .kind = OPTION_FILE,
     .at = offsetof(struct arch_values, csv),
     .arg = "FILE",
     .help = "write the table as CSV instead of printing it ('-': stdout)",
     .group = "Options"},
    {.name = "json",
     .kind = OPTION_FLAG,
     .at = offsetof(struct arch_values, json),
     .help = "print the table as JSON"},
};

static const struct example examples[] = {
    {"ttprof arch", "all chips with grids, clocks, peaks and sources"},
    {"ttprof arch blackhole --json", "one chip, as JSON"},
};

static const struct arch_values defaults = {0};

const struct command cmd_arch = {
    .name = "arch",
    .args = "[NAME]",
    .what = "show grids, clocks and peaks of the known chips",
    .about =
        "Shows the chip data that the reports use: worker grid, clock, DRAM bandwidth and peak TFLOPs per core and math fidelity, each with date and source.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .most_words = 1,
    .run = run_arch,
    .defaults = &defaults,
    .values_size = sizeof defaults,
};
