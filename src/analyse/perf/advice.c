// advice.c - rules that turn bound, verdict and program config into sentences.
#include "analyse/perf/advice.h"

#include "base/text/num.h"

#include "analyse/perf/fidelity.h"

enum { GRID_CORES = 64, LOW_FLOPS_PERCENT = 40 };

struct list {
    str *out;
    size_t n;
};

static void add_advice(struct list *l, str s)
{
    if (s.n)
        l->out[l->n++] = s;
}

// The first data type that the fidelity rules do not cover, as its cell reads.
static str odd_datatype(const struct perf *p, const struct op *o)
{
    static const enum ops_column columns[] = {OPS_IN0_DATATYPE, OPS_IN1_DATATYPE,
                                              OPS_OUT0_DATATYPE};
    for (int i = 0; i < 3; i++) {
        str name;
        bool has_name = ops_text(&p->table, columns[i], o->row, &name);
        if (p->facts.datatypes[ops_text_id(&p->table, columns[i], o->row)].mantissa)
            continue;
        if (ops_is_absent(&p->table, columns[i]))
            break;
        return has_name ? name : S("nan");
    }
    return S("None");
}

static str verdict_text(const struct perf *p, const struct op *o, struct arena *a)
{
    const char *text = fidelity_text(o->verdict);
    if (text || !fidelity_is_odd_datatype(o->verdict))
        return str_of(text);
    return arena_printf(a, "Datatype %.*s is not supported for fidelity evaluation.",
                        STR(odd_datatype(p, o)));
}

static void for_dram(struct list *l, const struct perf *p, const struct op *o,
                     struct arena *a)
{
    if (!o->is_dram_sharded)
        add_advice(
            l,
            S("Try a DRAM-sharded program config (MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig) to improve throughput further"));
    enum verdict v = fidelity_verdict(o->verdict);
    if ((v == VERDICT_TOO_LOW && o->flops_percent < LOW_FLOPS_PERCENT) ||
        v == VERDICT_TOO_HIGH)
        add_advice(l, verdict_text(p, o, a));
}

static void for_flop(struct list *l, const struct perf *p, const struct op *o,
                     struct arena *a)
{
    if (o->cores < GRID_CORES) {
        struct buf b = {0};
        if (o->is_cores_real)
            num_put_real(&b, o->cores);
        else
            num_put_int(&b, (int64_t)o->cores);
        add_advice(l, arena_printf(a, "Increase grid size (currently using %.*s)", STR(b)));
        buf_free(&b);
    }
    if (fidelity_verdict(o->verdict) == VERDICT_TOO_HIGH)
        add_advice(l, verdict_text(p, o, a));
}

static void for_blocks(struct list *l, const struct op *o, struct arena *a)
{
    int k = o->block_w, h = o->subblock_h, w = o->subblock_w;
    size_t before = l->n;
    if (k == OP_NO_BLOCK)
        add_advice(l, S("No inner dim block size found"));
    else if (k < 2)
        add_advice(
            l, arena_printf(a, "in0_block_w=%d is small, try in0_block_w=2 or above", k));
    if (h == OP_NO_BLOCK || w == OP_NO_BLOCK)
        add_advice(l, S("No output subblock size found"));
    else if ((int64_t)h * w < 2)
        add_advice(
            l,
            arena_printf(
                a,
                "Output subblock %dx%d is small, try out_subblock_h * out_subblock_w >= 2 if possible",
                h, w));
    if (l->n == before)
        add_advice(
            l, arena_printf(a, "in0_block_w=%d and output subblock %dx%d look good 🤷", k,
                            h, w));
}

static void for_slow(struct list *l, const struct perf *p, const struct op *o,
                     struct arena *a)
{
    str memory;
    if (ops_text(&p->table, OPS_IN0_MEMORY, o->row, &memory) && !str_has(memory, S("L1")))
        add_advice(l, arena_printf(a, "If possible place input 0 in L1 (currently in %.*s)",
                                   STR(memory)));
    if (o->block_w == OP_NO_BLOCK && o->subblock_h == OP_NO_BLOCK &&
        o->subblock_w == OP_NO_BLOCK) {
        add_advice(
            l,
            S("No program_config specified, try using one to override in0_block_w and out_subblock_h/w"));
        return;
    }
    for_blocks(l, o, a);
    add_advice(l, verdict_text(p, o, a));
}

size_t advice_for(const struct perf *p, const struct op *o, struct arena *a,
                  str out[ADVICE_MOST])
{
    struct list l = {.out = out};
    if (!o->is_matmul)
        return 0;
    switch ((enum bound)o->bound) {
    case BOUND_DRAM:
    case BOUND_BOTH: for_dram(&l, p, o, a); break;
    case BOUND_FLOP: for_flop(&l, p, o, a); break;
    case BOUND_SLOW: for_slow(&l, p, o, a); break;
    case BOUND_HOST:
    case BOUND_NONE: break;
    }
    return l.n;
}

bool op_has_high_gap(const struct op *o)
{
    return o->has & HAS_GAP && o->gap > ADVICE_HIGH_GAP;
}
