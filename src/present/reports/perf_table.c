// perf_table.c - the columns of the performance report.
#include "present/reports/perf_table.h"

#include <math.h>

#include "base/text/num.h"

#include "analyse/perf/advice.h"
#include "analyse/perf/fidelity.h"

// --- ops ---

static const struct perf *perf_at(const struct row *r)
{
    return r->table->context;
}
static const struct op *op_at(const struct row *r)
{
    return r->data;
}

GETTER(get_id)
{
    return cell_int(op_id(op_at(r)));
}

// A number that only some ops have: `arg` is its bit in op.has.
GETTER(get_figure)
{
    return op_at(r)->has & c->arg ? at_real(c, r) : cell_none();
}

GETTER(get_bound)
{
    return cell_text(bound_name((enum bound)op_at(r)->bound));
}

GETTER(get_code)
{
    struct cell code = cell_text(op_at(r)->code);
    code.is_split = op_at(r)->is_split;
    return code;
}

GETTER(get_device)
{
    int32_t d = op_at(r)->device;
    return d == OPS_NO_DEVICE ? cell_none() : cell_int(d);
}

GETTER(get_time)
{
    const struct op *o = op_at(r);
    return o->has & HAS_TIME && o->is_time_zero ? cell_int(0) : get_figure(c, r);
}

GETTER(get_cores)
{
    const struct op *o = op_at(r);
    if (!(o->has & HAS_CORES))
        return cell_none();
    return o->is_cores_real ? cell_real(o->cores) : cell_int((int64_t)o->cores);
}

GETTER(get_math)
{
    return cell_text(perf_math_text(perf_at(r), op_at(r), true, r->scratch));
}
GETTER(get_math_document)
{
    return cell_text(perf_math_text(perf_at(r), op_at(r), false, r->scratch));
}

// `arg` is the column of the ops table that names it.
GETTER(get_datatype)
{
    const struct ops_table *table = &perf_at(r)->table;
    enum ops_column column = (enum ops_column)c->arg;
    str s;
    if (ops_is_absent(table, column))
        return cell_none();
    return ops_text(table, column, op_at(r)->row, &s) ? cell_text(s) : cell_real(NAN);
}

GETTER(get_memory)
{
    str s;
    bool has = ops_text(&perf_at(r)->table, OPS_IN0_MEMORY, op_at(r)->row, &s);
    return has ? cell_text(s) : cell_none();
}

GETTER(get_block)
{
    int32_t v = *(const int32_t *)row_at(c, r);
    return v == OP_NO_BLOCK ? cell_none() : cell_int(v);
}

// An integer or a double, depending on the column's type.
GETTER(get_call_count)
{
    const struct ops_table *table = &perf_at(r)->table;
    double v;
    if (!ops_number(table, OPS_CALL_COUNT, op_at(r)->row, &v))
        return cell_real(NAN);
    return table->column[OPS_CALL_COUNT].type == OPS_INTEGER ? cell_int((int64_t)v)
                                                             : cell_real(v);
}

GETTER(get_advice)
{
    str texts[ADVICE_MOST];
    size_t n = advice_for(perf_at(r), op_at(r), r->scratch, texts);
    if (n == 0)
        return cell_text(S(""));
    struct buf b = {0};
    for (size_t i = 0; i < n; i++) {
        buf_z(&b, i ? " \u2022 " : "");
        buf_str(&b, texts[i]);
    }
    str all = arena_str(r->scratch, buf_view(&b));
    buf_free(&b);
    return cell_text(all);
}

GETTER(get_raw_code)
{
    str s;
    (void)ops_text(&perf_at(r)->table, OPS_OP_CODE, op_at(r)->row, &s);
    return cell_text(s);
}

// --- colours of ops ---

enum colour op_code_colour(str code)
{
    static const struct {
        const char *part;
        enum colour colour;
    } rules[] = {
        {"(torch)", COLOUR_RED},
        {"Matmul", COLOUR_MAGENTA},
        {"OptimizedConvNew", COLOUR_ORANGE},
        {"Conv2d", COLOUR_ORANGE},
        {"LayerNorm", COLOUR_CYAN},
        {"AllGather", COLOUR_CYAN},
        {"AllReduce", COLOUR_CYAN},
        {"ScaledDotProductAttentionDecode", COLOUR_BLUE},
        {"ScaledDotProductAttentionGQADecode", COLOUR_BLUE},
        {"NlpCreateHeadsDeviceOperation", COLOUR_BLUE},
        {"NLPConcatHeadsDecodeDeviceOperation", COLOUR_BLUE},
        {"UpdateCache", COLOUR_BLUE},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (str_has(code, str_of(rules[i].part)))
            return rules[i].colour;
    return COLOUR_WHITE;
}

// Grey for all cells of a minor row; otherwise the column's colour.
static enum colour unless_minor(const struct op *o, enum colour c)
{
    return o->is_minor ? COLOUR_GREY : c;
}

static enum colour colour_plain(const struct row *r)
{
    return unless_minor(op_at(r), COLOUR_NONE);
}

static enum colour colour_code(const struct row *r)
{
    return unless_minor(op_at(r), op_code_colour(op_at(r)->code));
}

static enum colour colour_cores(const struct row *r)
{
    const struct op *o = op_at(r);
    enum colour c = o->cores < 10    ? COLOUR_RED
                    : o->cores == 64 ? COLOUR_GREEN
                                     : COLOUR_NONE;
    return unless_minor(o, c);
}

static enum colour colour_gap(const struct row *r)
{
    const struct op *o = op_at(r);
    return unless_minor(o, op_has_high_gap(o) ? COLOUR_RED : COLOUR_NONE);
}

static enum colour colour_bound(const struct row *r)
{
    static const enum colour by_bound[] = {
        [BOUND_NONE] = COLOUR_NONE,   [BOUND_BOTH] = COLOUR_NONE,
        [BOUND_DRAM] = COLOUR_GREEN,  [BOUND_FLOP] = COLOUR_GREEN,
        [BOUND_SLOW] = COLOUR_YELLOW, [BOUND_HOST] = COLOUR_RED,
    };
    const struct op *o = op_at(r);
    return unless_minor(o, by_bound[o->bound]);
}

static enum colour colour_dram(const struct row *r)
{
    const struct op *o = op_at(r);
    enum colour c = COLOUR_NONE;
    if (o->bound == BOUND_DRAM)
        c = COLOUR_GREEN;
    else if (o->bound == BOUND_SLOW && o->dram_percent > o->flops_percent)
        c = COLOUR_YELLOW;
    return unless_minor(o, c);
}

static enum colour colour_flops(const struct row *r)
{
    const struct op *o = op_at(r);
    enum colour c = COLOUR_NONE;
    if (o->bound == BOUND_FLOP)
        c = COLOUR_GREEN;
    else if (o->bound == BOUND_SLOW && !(o->dram_percent > o->flops_percent))
        c = COLOUR_YELLOW;
    return unless_minor(o, c);
}

static enum colour colour_math(const struct row *r)
{
    static const enum colour by_verdict[] = {
        [VERDICT_UNKNOWN] = COLOUR_WHITE,    [VERDICT_NOT_APPLICABLE] = COLOUR_WHITE,
        [VERDICT_SUFFICIENT] = COLOUR_GREEN, [VERDICT_TOO_HIGH] = COLOUR_RED,
        [VERDICT_TOO_LOW] = COLOUR_CYAN,
    };
    const struct op *o = op_at(r);
    enum colour c = COLOUR_NONE;
    if (o->is_matmul || str_has(o->code, S("OptimizedConvNew")))
        c = by_verdict[fidelity_verdict(o->verdict)];
    return unless_minor(o, c);
}

// --- the total row ---

TOTAL(total_share)
{
    return cell_real(100);
}

TOTAL(total_code)
{
    const struct perf *p = t->context;
    return cell_text(arena_printf(scratch, "%zu device ops, %zu host ops, %zu signposts",
                                  p->n_kind[OP_DEVICE], p->n_kind[OP_HOST],
                                  p->n_kind[OP_SIGNPOST]));
}

TOTAL(total_time)
{
    const struct perf *p = t->context;
    double sum = 0;
    for (size_t i = 0; i < p->n_ops; i++)
        sum += p->ops[i].has & HAS_TIME ? p->ops[i].time : 0;
    return cell_real(sum);
}

TOTAL(total_gap)
{
    const struct perf *p = t->context;
    double sum = 0;
    for (size_t i = 0; i < p->n_ops; i++)
        sum += p->ops[i].has & HAS_GAP ? p->ops[i].gap : 0;
    return cell_real(sum);
}

// A signpost is printed without its suffix, after a sign. With colour, the blank before the
// suffix stays inside the colour codes.
static bool relabel_signpost(const struct row *r, const struct column *c, str *text,
                             const char **before, bool is_coloured)
{
    str suffix = S("(signpost)");
    str code = op_at(r)->code;
    if (c->get != get_code || !str_ends(code, suffix))
        return false;
    *before = "🪧 ";
    *text = (str){code.p, code.n - suffix.n};
    if (!is_coloured)
        *text = str_trim(*text);
    return true;
}

static const struct column ops_columns[PERF_OPS_COLUMNS] = {
    // clang-format off
    {.name = "ID", .type = CELL_INT, .get = get_id, .colour = colour_plain, .has_no_commas = true},
    {.name = "Total %", .type = CELL_REAL, .unit = UNIT_PERCENT, .decimals = 1, .get = get_figure, MEMBER(struct op, share), .arg = HAS_SHARE, .colour = colour_plain, .total = total_share},
    {.name = "Bound", .type = CELL_TEXT, .get = get_bound, .colour = colour_bound},
    {.name = "OP Code", .type = CELL_TEXT, .is_left = true, .get = get_code, .colour = colour_code, .total = total_code},
    {.name = "Device", .type = CELL_INT, .rank = 6, .get = get_device, .colour = colour_plain, .min_width = 7},
    {.name = "Device Time", .type = CELL_REAL, .unit = UNIT_MICROS, .get = get_time, MEMBER(struct op, time), .arg = HAS_TIME, .colour = colour_plain, .total = total_time},
    {.name = "Op-to-Op Gap", .type = CELL_REAL, .unit = UNIT_MICROS, .get = get_figure, MEMBER(struct op, gap), .arg = HAS_GAP, .colour = colour_gap, .total = total_gap},
    {.name = "Cores", .type = CELL_INT, .rank = 3, .get = get_cores, .colour = colour_cores},
    {.name = "DRAM", .type = CELL_REAL, .unit = UNIT_GB_S, .rank = 4, .get = get_figure, MEMBER(struct op, dram), .arg = HAS_DRAM, .colour = colour_dram},
    {.name = "DRAM %", .type = CELL_REAL, .unit = UNIT_PERCENT, .decimals = 1, .rank = 2, .get = get_figure, MEMBER(struct op, dram_percent), .arg = HAS_DRAM_PERCENT, .colour = colour_dram},
    {.name = "FLOPs", .type = CELL_REAL, .unit = UNIT_TFLOPS, .decimals = 1, .rank = 4, .get = get_figure, MEMBER(struct op, flops), .arg = HAS_FLOPS, .colour = colour_flops},
    {.name = "FLOPs %", .type = CELL_REAL, .unit = UNIT_PERCENT, .decimals = 1, .rank = 2, .get = get_figure, MEMBER(struct op, flops_percent), .arg = HAS_FLOPS_PERCENT, .colour = colour_flops},
    {.name = "Math Fidelity", .type = CELL_TEXT, .rank = 5, .get = get_math, .colour = colour_math},
    {.name = "Output Datatype", .type = CELL_TEXT, .is_detail = true, .get = get_datatype, .arg = OPS_OUT0_DATATYPE},
    {.name = "Input 0 Datatype", .type = CELL_TEXT, .is_detail = true, .get = get_datatype, .arg = OPS_IN0_DATATYPE},
    {.name = "Input 1 Datatype", .type = CELL_TEXT, .is_detail = true, .get = get_datatype, .arg = OPS_IN1_DATATYPE},
    {.name = "DRAM Sharded", .type = CELL_BOOL, .is_detail = true, .get = at_bool, MEMBER(struct op, is_dram_sharded)},
    {.name = "Input 0 Memory", .type = CELL_TEXT, .is_detail = true, .get = get_memory},
    {.name = "Inner Dim Block Size", .type = CELL_INT, .is_detail = true, .get = get_block, MEMBER(struct op, block_w)},
    {.name = "Output Subblock H", .type = CELL_INT, .is_detail = true, .get = get_block, MEMBER(struct op, subblock_h)},
    {.name = "Output Subblock W", .type = CELL_INT, .is_detail = true, .get = get_block, MEMBER(struct op, subblock_w)},
    {.name = "Global Call Count", .type = CELL_INT, .is_detail = true, .get = get_call_count},
    {.name = "Advice", .type = CELL_TEXT, .is_detail = true, .get = get_advice},
    {.name = "Raw OP Code", .type = CELL_TEXT, .is_detail = true, .get = get_raw_code},
    // clang-format on
};

// --- making the view ---

static void make_ops(struct perf_view *v, bool with_advice, bool with_raw_codes)
{
    size_t n = 0;
    for (size_t i = 0; i < PERF_OPS_COLUMNS; i++) {
        if ((ops_columns[i].get == get_advice && !with_advice) ||
            (ops_columns[i].get == get_raw_code && !with_raw_codes))
            continue;
        v->ops_columns[n++] = ops_columns[i];
    }
    v->ops = (struct table){.id = "ops",
                            .title = "Performance Report",
                            .columns = v->ops_columns,
                            .n_columns = n,
                            .rows = v->perf->ops,
                            .row_bytes = sizeof(struct op),
                            .context = v->perf,
                            .n_rows = v->perf->n_ops,
                            .total_colour = COLOUR_GREY,
                            .relabel = relabel_signpost};
}

void perf_view_make(struct perf_view *v, struct perf *p, bool with_advice,
                    bool with_raw_codes)
{
    *v = (struct perf_view){.perf = p};
    make_ops(v, with_advice, with_raw_codes);
}

void perf_view_leave_out_nan(struct perf_view *v)
{
    for (size_t i = 0; i < v->ops.n_columns; i++)
        if (v->ops_columns[i].get == get_math)
            v->ops_columns[i].get = get_math_document;
}

void perf_view_free(struct perf_view *v)
{
    arena_free(&v->arena);
}
