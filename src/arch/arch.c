// arch.c - reads the chip tables.
#include "arch/arch.h"

#include <assert.h>
#include <pthread.h>

#include "arch_files.h" // generated: the texts of arch/*.ini
#include "base/text/buf.h"
#include "base/text/fields.h"
#include "base/text/num.h"

#include "ttprof/layout.h"

static const char *const fidelity_names[FIDELITIES] = {
    [FIDELITY_HIFI4] = "HiFi4",
    [FIDELITY_HIFI3] = "HiFi3",
    [FIDELITY_HIFI2] = "HiFi2",
    [FIDELITY_LOFI] = "LoFi",
};

// The chips that devices exist for.
static const char *const device_chips[TT_ARCHES] = {"wormhole", "blackhole"};

static const char *const dispatch_names[DISPATCHES] = {"slow", "fast"};

// --- values ----------------------------------------------------------------------------
// A number, or numbers joined by * and /, from left to right: peaks are written as the
// products they come from and must round as those products do.
static bool parse_product(const struct field *f, str s, void *to)
{
    double v = 1;
    char op = '*';
    (void)f;
    while (s.n) {
        size_t n = 0;
        while (n < s.n && s.p[n] != '*' && s.p[n] != '/')
            n++;
        double factor;
        if (!num_real((str){s.p, n}, &factor))
            return false;
        v = op == '*' ? v * factor : v / factor;
        if (n == s.n) {
            *(double *)to = v;
            return true;
        }
        op = s.p[n];
        s = str_from(s, n + 1);
    }
    return false;
}

static bool parse_side(str text, int64_t *side)
{
    return num_int(text, side) && *side >= 0 && *side <= DIE_SIDE_MOST;
}

static bool parse_place(str text, char between, struct die_place *to)
{
    int64_t x, y;
    if (!parse_side(str_cut(&text, between), &x) || !parse_side(text, &y))
        return false;
    *to = (struct die_place){(int16_t)x, (int16_t)y};
    return true;
}

static bool parse_size(const struct field *f, str text, void *to)
{
    (void)f;
    return parse_place(text, 'x', to);
}

static bool parse_one_place(const struct field *f, str text, void *to)
{
    (void)f;
    return parse_place(text, '-', to);
}

// The next word of a list; commas are optional.
static str next_word(str *list)
{
    str word = str_cut(list, ' ');
    *list = str_trim(*list);
    if (word.n && word.p[word.n - 1] == ',')
        word.n--;
    return word;
}

static bool parse_lines(const struct field *f, str text, void *to)
{
    struct die_lines *lines = to;
    (void)f;
    while (text.n) {
        int64_t line;
        if (lines->n == DIE_SIDE_MOST || !parse_side(next_word(&text), &line))
            return false;
        lines->v[lines->n++] = (int8_t)line;
    }
    return true;
}

static bool parse_places(const struct field *f, str text, void *to)
{
    struct die_places *places = to;
    (void)f;
    while (text.n)
        if (places->n == DIE_PLACES_MOST ||
            !parse_place(next_word(&text), '-', &places->v[places->n++]))
            return false;
    return true;
}

static const struct field_type product = {sizeof(double), parse_product, NULL, NULL};
static const struct field_type size = {sizeof(struct die_place), parse_size, NULL, NULL};
static const struct field_type place = {sizeof(struct die_place), parse_one_place, NULL,
                                        NULL};
static const struct field_type lines = {sizeof(struct die_lines), parse_lines, NULL, NULL};
static const struct field_type places = {sizeof(struct die_places), parse_places, NULL,
                                         NULL};

// --- keys ------------------------------------------------------------------------------
#define AT(field) offsetof(struct arch, field)
static const struct field keys[] = {
    // clang-format off
    {.name = "aliases",         .type = &field_text, .at = AT(aliases)},
    {.name = "product",         .type = &field_text, .at = AT(product)},
    {.name = "date",            .type = &field_text, .at = AT(date)},
    {.name = "source",          .type = &field_text, .at = AT(source)},
    {.name = "usual_board",     .type = &field_text, .at = AT(usual_board)},
    {.name = "grid",            .type = &field_text, .at = AT(grid)},
    {.name = "cores",           .type = &field_int,  .at = AT(cores)},
    {.name = "clock_mhz",       .type = &product,    .at = AT(clock_mhz)},
    {.name = "dram_gb_s",       .type = &product,    .at = AT(dram_gb_s)},
    {.name = "hifi4",           .type = &product,    .at = AT(tflops[FIDELITY_HIFI4])},
    {.name = "hifi3",           .type = &product,    .at = AT(tflops[FIDELITY_HIFI3])},
    {.name = "hifi2",           .type = &product,    .at = AT(tflops[FIDELITY_HIFI2])},
    {.name = "lofi",            .type = &product,    .at = AT(tflops[FIDELITY_LOFI])},
    {.name = "noc_source",      .type = &field_text, .at = AT(noc_source)},
    {.name = "noc_grid",        .type = &size,       .at = AT(die.size)},
    {.name = "noc_link_bytes",  .type = &product,    .at = AT(noc_link_bytes)},
    {.name = "worker_columns",  .type = &lines,      .at = AT(die.columns)},
    {.name = "worker_rows",     .type = &lines,      .at = AT(die.rows)},
    {.name = "dram_tiles",      .type = &places,     .at = AT(die.dram)},
    {.name = "eth_tiles",       .type = &places,     .at = AT(die.eth)},
    {.name = "eth_gb_s",        .type = &product,    .at = AT(eth_gb_s)},
    {.name = "die_source",      .type = &field_text, .at = AT(die_source)},
    {.name = "pcie_tiles",      .type = &places,     .at = AT(die.pcie)},
    {.name = "arc_tile",        .type = &places,     .at = AT(die.arc)},
    {.name = "harvest",         .type = &field_word, .at = AT(die.harvest), .words = "rows columns"},
    {.name = "banks_per_controller", .type = &field_u32, .at = AT(die.banks_per_controller)},
    {.name = "bank_bytes",      .type = &field_u64,  .at = AT(die.bank_bytes)},
    {.name = "bank_ports_noc0", .type = &lines,      .at = AT(die.bank_port[0])},
    {.name = "bank_ports_noc1", .type = &lines,      .at = AT(die.bank_port[1])},
    {.name = "virtual_workers", .type = &place,      .at = AT(die.virtual_workers)},
    {.name = "virtual_eth",     .type = &place,      .at = AT(die.virtual_eth)},
    {.name = "virtual_dram",    .type = &place,      .at = AT(die.virtual_dram)},
    {.name = "virtual_pcie",    .type = &place,      .at = AT(die.virtual_pcie)},
    // clang-format on
};

// "n150 1 12 16 0 0x200 0x200": chips, banks, channels, PCIe tile, lines off on even and
// odd chips.
static bool add_board(struct arch *arch, str value)
{
    enum { CHIPS, BANKS, CHANNELS, PCIE, NUMBERS };
    int64_t number[NUMBERS];
    struct board board = {.chip = arch->device};
    str name = next_word(&value);
    bool is_good = name.n && name.n < sizeof board.name && arch->n_boards < DIE_BOARDS_MOST;
    for (int i = 0; is_good && i < NUMBERS; i++)
        is_good = parse_side(next_word(&value), &number[i]);
    for (int i = 0; is_good && i < 2; i++)
        is_good = field_u32.parse(NULL, next_word(&value), &board.harvest[i]);
    if (!is_good || value.n)
        return false;
    memcpy(board.name, name.p, name.n);
    board.n_devices = (int)number[CHIPS];
    board.n_banks = (int)number[BANKS];
    board.n_channels = (int)number[CHANNELS];
    board.pcie = (int)number[PCIE];
    arch->boards[arch->n_boards++] = board;
    return true;
}

static bool parse_value(struct arch *arch, str name, str value, struct err *e)
{
    if (str_is(name, "board"))
        return add_board(arch, value) ||
               err_set(e, ERR_FORMAT, "'board' is not a name and six numbers: '%.*s'",
                       STR(value));
    const struct field *f = fields_find(FIELDS(keys), name);
    if (!f)
        return err_set(e, ERR_FORMAT, "unknown key '%.*s'", STR(name));
    if (field_read(f, value, field_of(f, arch)) == FIELD_OK)
        return true;
    bool is_number = f->type == &product || f->type == &field_int;
    return err_set(e, ERR_FORMAT, "'%s' is not %s: '%.*s'", f->name,
                   is_number ? "a number" : "what it should be", STR(value));
}

// --- files -----------------------------------------------------------------------------
static bool are_inside(const struct die *die, const struct die_places *list)
{
    for (int i = 0; i < list->n; i++)
        if (list->v[i].x >= die->size.x || list->v[i].y >= die->size.y)
            return false;
    return true;
}

static bool are_below(const struct die_lines *list, int limit)
{
    for (int i = 0; i < list->n; i++)
        if (list->v[i] >= limit)
            return false;
    return true;
}

// Callers rely on tiles being on the grid and every bank having a port.
static bool die_is_whole(const struct die *die)
{
    int banks = die->dram.n / DIE_PORTS * (int)die->banks_per_controller;
    return are_below(&die->columns, die->size.x) && are_below(&die->rows, die->size.y) &&
           are_inside(die, &die->dram) && are_inside(die, &die->eth) &&
           are_inside(die, &die->pcie) && are_inside(die, &die->arc) &&
           die->dram.n % DIE_PORTS == 0 && die->bank_port[0].n == banks &&
           die->bank_port[1].n == banks && are_below(&die->bank_port[0], DIE_PORTS) &&
           are_below(&die->bank_port[1], DIE_PORTS);
}

static void count_workers(struct arch *arch, struct arena *a)
{
    struct buf all = {0};
    for (int i = 0; i < arch->n_boards; i++) {
        struct board *board = &arch->boards[i];
        buf_printf(&all, "%s%s", i ? "; " : "", board->name);
        for (int k = 0; k < DISPATCHES; k++) {
            struct die_place grid =
                die_grid(&arch->die, board->harvest[0], (enum dispatch)k);
            board->grid[k] = grid;
            buf_printf(&all, " %dx%d %s", grid.x, grid.y, dispatch_names[k]);
        }
        if (!str_is(arch->usual_board, board->name))
            continue;
        struct die_place usual = board->grid[DISPATCH_FAST];
        arch->grid = arena_printf(a, "%dx%d", usual.x, usual.y);
        arch->cores = (int64_t)usual.x * usual.y;
    }
    arch->board_grids = arena_str(a, buf_view(&all));
    buf_free(&all);
}

static bool close_section(struct arch *arch, struct arena *a, struct err *e)
{
    str names = arch->aliases.n ? arch->aliases : arch->name;
    arch->device_name = arena_str(a, str_cut(&names, ' ')).p;
    if (!die_is_whole(&arch->die))
        return err_set(e, ERR_FORMAT,
                       "[%.*s]: tiles outside of noc_grid, or banks without a port",
                       STR(arch->name));
    count_workers(arch, a);
    return !arch->usual_board.n || arch->cores ||
           err_set(e, ERR_FORMAT, "[%.*s]: no board '%.*s'", STR(arch->name),
                   STR(arch->usual_board));
}

static void open_section(struct arch_list *list, str name)
{
    struct arch *arch = &list->v[list->n++];
    *arch = (struct arch){.name = name, .device = -1};
    for (int i = 0; i < TT_ARCHES; i++)
        if (str_is(name, device_chips[i]))
            arch->device = i;
}

static bool parse_line(str line, struct arch_list *list, struct err *e)
{
    if (line.n == 0 || line.p[0] == '#')
        return true;
    if (line.p[0] == '[') {
        if (line.p[line.n - 1] != ']' || line.n < 3)
            return err_set(e, ERR_FORMAT, "a section is written [name]");
        open_section(list, (str){line.p + 1, line.n - 2});
        return true;
    }
    if (!list->n || !memchr(line.p, '=', line.n))
        return err_set(e, ERR_FORMAT, "expected 'key = value' in a section");
    str value = line;
    str name = str_trim(str_cut(&value, '='));
    return parse_value(&list->v[list->n - 1], name, str_trim(value), e);
}

bool arch_parse(str text, const char *file, struct arena *a, struct arch_list *list,
                struct err *e)
{
    size_t sections = 0, first = list->n, line = 1;
    for (size_t i = 0; i < text.n; i++)
        sections += text.p[i] == '[';
    struct arch *grown = push_many(a, struct arch, list->n + sections);
    if (list->n)
        memcpy(grown, list->v, list->n * sizeof *grown);
    list->v = grown;
    bool is_good = true;
    for (; is_good && text.n; line += is_good)
        is_good = parse_line(str_trim(str_cut(&text, '\n')), list, e);
    for (size_t i = first; is_good && i < list->n; i++)
        is_good = close_section(&list->v[i], a, e);
    return is_good || err_in(e, "%s: line %zu", file, line);
}

// --- all chips -------------------------------------------------------------------------
static struct arch_list all;

static void read_all(void)
{
    static struct arena a; // of the process
    struct err e;
    for (size_t i = 0; i < sizeof arch_files / sizeof *arch_files; i++) {
        str text = {arch_files[i].text, arch_files[i].n};
        bool ok = arch_parse(text, arch_files[i].name, &a, &all, &e);
        assert(ok); // part of the binary, and tested
        (void)ok;
    }
}

struct arch_list arch_all(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, read_all);
    return all;
}

const struct arch *arch_find(struct arch_list list, str name)
{
    for (const struct arch *a = list.v; a < list.v + list.n; a++) {
        if (str_eq_nocase(a->name, name))
            return a;
        str aliases = a->aliases;
        while (aliases.n)
            if (str_eq_nocase(str_cut(&aliases, ' '), name))
                return a;
    }
    return NULL;
}

const struct arch *arch_of_device(int device)
{
    return arch_find(arch_all(), str_of(device_chips[device]));
}

const struct board *arch_board(str name)
{
    struct arch_list list = arch_all();
    for (size_t i = 0; i < list.n; i++)
        for (int k = 0; k < list.v[i].n_boards; k++)
            if (str_is(name, list.v[i].boards[k].name))
                return &list.v[i].boards[k];
    return NULL;
}

const char *dispatch_name(enum dispatch dispatch)
{
    return dispatch_names[dispatch];
}

struct die_place die_grid(const struct die *die, uint32_t off, enum dispatch dispatch)
{
    bool is_row = die->harvest == DIE_ROWS_OFF;
    int n = is_row ? die->rows.n : die->columns.n;
    n -= __builtin_popcount(off) + (dispatch == DISPATCH_FAST);
    return is_row ? (struct die_place){(int16_t)die->columns.n, (int16_t)n}
                  : (struct die_place){(int16_t)n, (int16_t)die->rows.n};
}

bool fidelity_parse(str s, enum fidelity *f)
{
    for (int i = 0; i < FIDELITIES; i++) {
        if (str_is(s, fidelity_names[i])) {
            *f = (enum fidelity)i;
            return true;
        }
    }
    return false;
}

const char *fidelity_name(enum fidelity f)
{
    return fidelity_names[f];
}
