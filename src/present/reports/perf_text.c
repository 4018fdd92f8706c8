// perf_text.c - titles, tables and advice, in the reference's order.
#include "present/reports/perf_text.h"

#include <stdlib.h>

#include "base/text/num.h"

#include "analyse/perf/advice.h"

size_t notes_text(const struct notes *n, size_t from, bool is_coloured, struct out *o)
{
    static const enum colour colours[] = {[NOTE_INFO] = COLOUR_CYAN,
                                          [NOTE_WARNING] = COLOUR_YELLOW,
                                          [NOTE_ERROR] = COLOUR_RED};
    for (; from < n->list.n; from++) {
        const struct note *note = &n->list.v[from];
        text_paint(&o->b, note->text, is_coloured ? colours[note->level] : COLOUR_NONE);
        buf_char(&o->b, '\n');
        out_flush_some(o);
    }
    return from;
}

struct page {
    const struct perf_view *v;
    struct text_table x;
    struct out *o;
};

static const struct op *op_at(const struct page *g, size_t i)
{
    return &g->v->perf->ops[table_row(&g->v->ops, i)];
}

static void put_text_row(const struct page *g, size_t i)
{
    text_row(&g->x, table_row(&g->v->ops, i), &g->o->b);
    out_flush_some(g->o);
}

static void advise_fallbacks(const struct page *g)
{
    struct buf *b = &g->o->b;
    size_t n = 0;
    for (size_t i = 0; i < g->v->ops.n_rows; i++) {
        if (op_at(g, i)->kind != OP_HOST)
            continue;
        if (n++ == 0)
            buf_z(b, "Fallback\n--------\n");
        put_text_row(g, i);
    }
    if (n)
        buf_z(b, "\nThese ops should be moved to run on device.\n\n");
}

static void advise_gaps(const struct page *g)
{
    enum { GAP_FLOOR = 6 }; // gap that remains with tracing, us
    struct buf *b = &g->o->b;
    size_t n = 0;
    double times = 0, gaps = 0, saved = 0;
    for (size_t i = 0; i < g->v->ops.n_rows; i++) {
        const struct op *o = op_at(g, i);
        times += o->has & HAS_TIME ? o->time : 0;
        gaps += o->has & HAS_GAP ? o->gap : 0;
        if (!op_has_high_gap(o))
            continue;
        if (n++ == 0)
            buf_z(b, "High Op-to-Op Gap\n----------------\n");
        put_text_row(g, i);
        saved += o->gap - GAP_FLOOR;
    }
    if (n == 0)
        return;
    buf_printf(
        b,
        "\nThese ops have a >6 μs gap since the previous operation. Running with tracing could save %.0f μs (%.1f%% of overall time)\n",
        saved, saved / (times + gaps) * 100);
    buf_z(
        b,
        "Alternatively ensure device is not waiting for the host and use "
        "device.enable_async(True). Experts can try moving runtime args in the kernels to "
        "compile-time args.\n\n");
}

static void advise_matmul(const struct page *g, size_t i, struct arena *scratch)
{
    const struct op *o = op_at(g, i);
    struct buf *b = &g->o->b;
    enum colour colour = !g->x.is_coloured ? COLOUR_NONE
                         : o->is_minor     ? COLOUR_GREY
                                           : COLOUR_WHITE;
    put_text_row(g, i);
    str texts[ADVICE_MOST];
    size_t n = advice_for(g->v->perf, o, scratch, texts);
    for (size_t k = 0; k < n; k++) {
        text_paint(b, arena_printf(scratch, "- %.*s", STR(texts[k])), colour);
        buf_char(b, '\n');
    }
    if (n == 0) {
        text_paint(b, S("✅ Optimized"), colour);
        buf_char(b, '\n');
    }
    buf_char(b, '\n');
    arena_rewind(scratch, (struct arena_mark){0});
}

static void advise_matmuls(const struct page *g)
{
    struct arena scratch = {0};
    size_t n = 0;
    for (size_t i = 0; i < g->v->ops.n_rows; i++) {
        if (!op_at(g, i)->is_matmul)
            continue;
        if (n++ == 0)
            buf_z(&g->o->b, "Matmul Optimization\n-------------------\n");
        advise_matmul(g, i, &scratch);
    }
    arena_free(&scratch);
}

void perf_text(const struct perf_view *v, bool with_advice, struct text_look look,
               struct out *o)
{
    struct page g = {.v = v, .x = text_layout(&v->ops, look), .o = o};
    struct buf *b = &o->b;
    buf_z(b, "\n🚀 Performance Report 🚀\n========================\n\n");
    text_head(&g.x, b);
    text_rule(&g.x, b);
    for (size_t i = 0; i < v->ops.n_rows; i++)
        put_text_row(&g, i);
    text_rule(&g.x, b);
    text_total(&g.x, b);
    text_left_out(&g.x, b);
    if (with_advice) {
        buf_z(b, "\n💡 Advice 💡\n============\n\n");
        advise_fallbacks(&g);
        advise_gaps(&g);
        advise_matmuls(&g);
    }
    text_free(&g.x);
}

// Sorted by device, then by the share as text, like the reference: "9.50 %" comes before
// "80.00 %".
struct printed_group {
    int32_t device;
    uint32_t row;
    char share[32];
};

static int by_device_and_text(const void *a, const void *b)
{
    const struct printed_group *x = a, *y = b;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    int c = strcmp(y->share, x->share);
    return c ? c : (x->row > y->row) - (x->row < y->row);
}

static uint32_t *printed_order(const struct summary *s)
{
    struct printed_group *g = mem_alloc(mem_bytes(sizeof *g, s->n_groups));
    struct buf b = {0};
    for (size_t i = 0; i < s->n_groups; i++) {
        b.n = 0;
        num_put_fixed(&b, s->groups[i].share, 2, true);
        g[i].device = s->groups[i].device;
        g[i].row = (uint32_t)i;
        memcpy(g[i].share, b.p, b.n < sizeof g[i].share ? b.n : sizeof g[i].share - 1);
    }
    buf_free(&b);
    qsort(g, s->n_groups, sizeof *g, by_device_and_text);
    uint32_t *order = mem_alloc(mem_bytes(sizeof *order, s->n_groups));
    for (size_t i = 0; i < s->n_groups; i++)
        order[i] = g[i].row;
    mem_free(g);
    return order;
}

void summary_text(const struct perf_view *v, struct text_look look, struct out *o)
{
    struct table t = v->summary_table;
    uint32_t *order = v->summary->is_by_device ? printed_order(v->summary) : NULL;
    t.order = order;
    struct text_table x = text_layout(&t, look);
    buf_z(&o->b, "\n📊 Stacked report 📊\n====================\n\n");
    text_head(&x, &o->b);
    text_rule(&x, &o->b);
    for (size_t i = 0; i < t.n_rows; i++)
        text_row(&x, table_row(&t, i), &o->b);
    text_rule(&x, &o->b);
    text_left_out(&x, &o->b);
    text_free(&x);
    mem_free(order);
}
