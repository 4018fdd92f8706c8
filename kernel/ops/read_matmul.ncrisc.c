// read_matmul.ncrisc.c - reads the tiles of both inputs and of the bias. Of inputs that
// cores share, only the steps that this core sends.
#include "edge.h"
#include "factor.h"
#include "operand_run.h"

// On the stack: static data would have to be cleared first.
struct reader {
    struct factor a, b;
    struct operand left, right, bias;
    uint32_t at_a, at_b; // where the next step goes
    struct operand_banks banks;
};

// A tile with ones in column 0: times a row, it gives that row 32 times.
static void make_ones(void)
{
    cb_reserve_back(CB_ONES, 1);
    tile_of_columns(get_write_ptr(CB_ONES), 1);
    cb_push_back(CB_ONES, 1);
}

// Only the first row of a bias counts; the others are multiplied by zero, but may be
// anything.
static void read_bias(struct reader *r, const struct subblock *s)
{
    uint32_t pages = get_common_arg_val(MATMUL_SUB_W), to;
    uint32_t columns = s->rows ? s->columns : 0;
    cb_reserve_back(CB_BIAS, pages);
    to = get_write_ptr(CB_BIAS);
    operand_read_run(&r->bias, &r->banks, s->column, columns, to);
    noc_async_read_barrier();
    for (uint32_t i = 0; i < columns; i++)
        edge_fill(to + i * r->bias.page_bytes, r->bias.page_bytes, 1 | 32 << 8);
    cb_push_back(CB_BIAS, pages);
}

static void read_a(struct reader *r, const struct subblock *s, uint32_t first, uint32_t n,
                   uint32_t to)
{
    uint32_t page =
        s->batch * get_common_arg_val(MATMUL_A_BATCH) + s->row * r->a.inner + first;
    for (uint32_t i = 0; i < s->rows; i++) {
        operand_read_run(&r->left, &r->banks, page, n, to);
        page += r->a.inner;
        to += r->a.block * r->left.page_bytes;
    }
}

static void read_b(struct reader *r, const struct subblock *s, uint32_t first, uint32_t n,
                   uint32_t to)
{
    uint32_t across = get_common_arg_val(MATMUL_N),
             width = get_common_arg_val(MATMUL_SUB_W);
    uint32_t page =
        s->batch * get_common_arg_val(MATMUL_B_BATCH) + first * across + s->column;
    for (uint32_t k = 0; k < n; k++) {
        operand_read_run(&r->right, &r->banks, page, s->columns, to);
        page += across;
        to += width * r->right.page_bytes;
    }
}

// The last tiles of the inner dimension, at index k of the tiles read.
static void fill_edges_a(const struct reader *r, const struct subblock *s, uint32_t k)
{
    for (uint32_t i = 0; i < s->rows; i++)
        edge_fill(r->at_a + (i * r->a.block + k) * r->left.page_bytes, r->left.page_bytes,
                  get_common_arg_val(MATMUL_EDGE_A));
}

static void fill_edges_b(const struct reader *r, const struct subblock *s, uint32_t k)
{
    uint32_t width = get_common_arg_val(MATMUL_SUB_W);
    for (uint32_t j = 0; j < s->columns; j++)
        edge_fill(r->at_b + (k * width + j) * r->right.page_bytes, r->right.page_bytes,
                  get_common_arg_val(MATMUL_EDGE_B));
}

// Whether this core reads the step; if so, waits until there is room. Steps that cores
// share are read a few turns ahead: if many cores read at once, they are in each other's
// way.
static bool factor_begin(const struct factor *f)
{
    enum { AHEAD = 3 };
    if (!f->is_shared) {
        cb_reserve_back(f->cb, f->pages);
        return true;
    }
    if (!multicast_sends(&f->shared))
        return false;
    uint32_t start = f->shared.turn * f->pages, most = ttk_cb_pages(f->cb) - f->pages;
    while (((start - ttk_cb_acked(f->cb)) & 0xFFFF) > most)
        ;
    while (((start - ttk_cb_received(f->cb)) & 0xFFFF) > AHEAD * f->pages)
        ;
    return true;
}

static void factor_end(struct factor *f, uint32_t *at)
{
    *at = ttk_cb_next(f->cb, *at, f->pages);
    if (!f->is_shared) {
        cb_push_back(f->cb, f->pages);
        return;
    }
    if (multicast_sends(&f->shared))
        multicast_filled(&f->shared);
    multicast_next(&f->shared);
}

static void read_factors(struct reader *r, const struct subblock *s)
{
    struct factor *a = &r->a, *b = &r->b;
    bool is_a_new = factor_is_new(a, s), is_b_new = factor_is_new(b, s);
    for (uint32_t first = 0; first < a->inner; first += a->block) {
        uint32_t n = at_most(a->block, a->inner - first);
        bool is_end = first + n == a->inner;
        bool reads_a = is_a_new && factor_begin(a), reads_b = is_b_new && factor_begin(b);
        if (reads_a)
            read_a(r, s, first, n, r->at_a);
        if (reads_b)
            read_b(r, s, first, n, r->at_b);
        if (reads_a || reads_b)
            noc_async_read_barrier();
        if (reads_a && is_end)
            fill_edges_a(r, s, n - 1);
        if (reads_b && is_end)
            fill_edges_b(r, s, n - 1);
        if (is_a_new)
            factor_end(a, &r->at_a);
        if (is_b_new)
            factor_end(b, &r->at_b);
    }
}

void kernel_main(void)
{
    enum { SHARED = MATMUL_OPERANDS + 3 * OPERAND_WORDS };
    struct blocks blocks = blocks_start();
    struct subblock s;
    struct reader r;
    bool has_bias = get_common_arg_val(MATMUL_HAS_BIAS);
    r.left = operand_at(MATMUL_OPERANDS);
    r.right = operand_at(MATMUL_OPERANDS + OPERAND_WORDS);
    r.bias = operand_at(MATMUL_OPERANDS + 2 * OPERAND_WORDS);
    factor_start(&r.a, &blocks, false, SHARED);
    factor_start(&r.b, &blocks, true, SHARED);
    r.at_a = get_write_ptr(CB_A);
    r.at_b = get_write_ptr(CB_B);
    operand_banks_start(&r.banks);
    if (has_bias)
        make_ones();
    while (blocks_next(&blocks, &s)) {
        DeviceZoneScopedN("READ");
        if (has_bias)
            read_bias(&r, &s);
        read_factors(&r, &s);
    }
}
