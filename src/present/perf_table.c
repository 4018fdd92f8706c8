// perf_table.c - the columns of the performance report.
#include "present/perf_table.h"

#include <math.h>

#include "base/num.h"

#include "analyse/advice.h"
#include "analyse/fidelity.h"

// --- ops ---

static const struct perf *perf_of(const struct table *t)
{
    return t->rows;
}
static const struct op *op_of(const struct table *t, size_t row)
{
    return &perf_of(t)->ops[row];
}

static struct cell real_if(const struct op *o, unsigned has, double v)
{
    return o->has & has ? cell_real(v) : cell_none();
}

GETTER(get_id)
{
    return cell_int(op_id(op_of(t, row)));
}

GETTER(get_share)
{
    return real_if(op_of(t, row), HAS_SHARE, op_of(t, row)->share);
}

GETTER(get_bound)
{
    return cell_text(bound_name((enum bound)op_of(t, row)->bound));
}

GETTER(get_code)
{
    struct cell c = cell_text(op_of(t, row)->code);
    c.is_split = op_of(t, row)->is_split;
    return c;
}

GETTER(get_device)
{
    int32_t d = op_of(t, row)->device;
    return d == OPS_NO_DEVICE ? cell_none() : cell_int(d);
}

GETTER(get_time)
{
    const struct op *o = op_of(t, row);
    if (o->has & HAS_TIME && o->is_time_zero)
        return cell_int(0);
    return real_if(o, HAS_TIME, o->time);
}

GETTER(get_gap)
{
    return real_if(op_of(t, row), HAS_GAP, op_of(t, row)->gap);
}

GETTER(get_cores)
{
    const struct op *o = op_of(t, row);
    if (!(o->has & HAS_CORES))
        return cell_none();
    return o->is_cores_real ? cell_real(o->cores) : cell_int((int64_t)o->cores);
}

GETTER(get_dram)
{
    return real_if(op_of(t, row), HAS_DRAM, op_of(t, row)->dram);
}

GETTER(get_dram_percent)
{
    return real_if(op_of(t, row), HAS_DRAM_PERCENT, op_of(t, row)->dram_percent);
}

GETTER(get_flops)
{
    return real_if(op_of(t, row), HAS_FLOPS, op_of(t, row)->flops);
}

GETTER(get_flops_percent)
{
    return real_if(op_of(t, row), HAS_FLOPS_PERCENT, op_of(t, row)->flops_percent);
}

GETTER(get_math)
{
    return cell_text(perf_math_text(perf_of(t), op_of(t, row), scratch));
}

static struct cell datatype(const struct table *t, size_t row, enum ops_column c)
{
    const struct ops_table *table = &perf_of(t)->table;
    str s;
    if (ops_is_absent(table, c))
        return cell_none();
    return ops_text(table, c, op_of(t, row)->row, &s) ? cell_text(s) : cell_real(NAN);
}

GETTER(get_out_datatype)
{
    return datatype(t, row, OPS_OUT0_DATATYPE);
}
GETTER(get_in0_datatype)
{
    return datatype(t, row, OPS_IN0_DATATYPE);
}
GETTER(get_in1_datatype)
{
    return datatype(t, row, OPS_IN1_DATATYPE);
}

GETTER(get_sharded)
{
    return cell_bool(op_of(t, row)->is_dram_sharded);
}

GETTER(get_memory)
{
    str s;
    bool has = ops_text(&perf_of(t)->table, OPS_IN0_MEMORY, op_of(t, row)->row, &s);
    return has ? cell_text(s) : cell_none();
}

static struct cell block(int32_t v)
{
    return v == OP_NO_BLOCK ? cell_none() : cell_int(v);
}

GETTER(get_block_w)
{
    return block(op_of(t, row)->block_w);
}

GETTER(get_subblock_h)
{
    return block(op_of(t, row)->subblock_h);
}

GETTER(get_subblock_w)
{
    return block(op_of(t, row)->subblock_w);
}

// As its column is typed: an integer or a double.
GETTER(get_call_count)
{
    const struct ops_table *table = &perf_of(t)->table;
    double v;
    if (!ops_number(table, OPS_CALL_COUNT, op_of(t, row)->row, &v))
        return cell_real(NAN);
    return table->column[OPS_CALL_COUNT].type == OPS_INTEGER ? cell_int((int64_t)v)
                                                             : cell_real(v);
}

GETTER(get_advice)
{
    str texts[ADVICE_MOST];
    size_t n = advice_for(perf_of(t), op_of(t, row), scratch, texts);
    if (n == 0)
        return cell_text(S(""));
    struct buf b = {0};
    for (size_t i = 0; i < n; i++) {
        buf_z(&b, i ? " \u2022 " : "");
        buf_str(&b, texts[i]);
    }
    str all = arena_str(scratch, buf_view(&b));
    buf_free(&b);
    return cell_text(all);
}

GETTER(get_raw_code)
{
    str s;
    (void)ops_text(&perf_of(t)->table, OPS_OP_CODE, op_of(t, row)->row, &s);
    return cell_text(s);
}

// --- colours of ops: spec perf-report 10 ---

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

// Grey for all cells of a row that hardly counts; otherwise what the column says.
static enum colour unless_minor(const struct op *o, enum colour c)
{
    return o->is_minor ? COLOUR_GREY : c;
}

static enum colour colour_plain(const struct table *t, size_t row)
{
    return unless_minor(op_of(t, row), COLOUR_NONE);
}

static enum colour colour_code(const struct table *t, size_t row)
{
    return unless_minor(op_of(t, row), op_code_colour(op_of(t, row)->code));
}

static enum colour colour_cores(const struct table *t, size_t row)
{
    const struct op *o = op_of(t, row);
    enum colour c = o->cores < 10    ? COLOUR_RED
                    : o->cores == 64 ? COLOUR_GREEN
                                     : COLOUR_NONE;
    return unless_minor(o, c);
}

static enum colour colour_gap(const struct table *t, size_t row)
{
    const struct op *o = op_of(t, row);
    return unless_minor(o, op_has_high_gap(o) ? COLOUR_RED : COLOUR_NONE);
}

static enum colour colour_bound(const struct table *t, size_t row)
{
    static const enum colour by_bound[] = {
        [BOUND_NONE] = COLOUR_NONE,   [BOUND_BOTH] = COLOUR_NONE,
        [BOUND_DRAM] = COLOUR_GREEN,  [BOUND_FLOP] = COLOUR_GREEN,
        [BOUND_SLOW] = COLOUR_YELLOW, [BOUND_HOST] = COLOUR_RED,
    };
    const struct op *o = op_of(t, row);
    return unless_minor(o, by_bound[o->bound]);
}

static enum colour colour_dram(const struct table *t, size_t row)
{
    const struct op *o = op_of(t, row);
    enum colour c = COLOUR_NONE;
    if (o->bound == BOUND_DRAM)
        c = COLOUR_GREEN;
    else if (o->bound == BOUND_SLOW && o->dram_percent > o->flops_percent)
        c = COLOUR_YELLOW;
    return unless_minor(o, c);
}

static enum colour colour_flops(const struct table *t, size_t row)
{
    const struct op *o = op_of(t, row);
    enum colour c = COLOUR_NONE;
    if (o->bound == BOUND_FLOP)
        c = COLOUR_GREEN;
    else if (o->bound == BOUND_SLOW && !(o->dram_percent > o->flops_percent))
        c = COLOUR_YELLOW;
    return unless_minor(o, c);
}

static enum colour colour_math(const struct table *t, size_t row)
{
    static const enum colour by_verdict[] = {
        [VERDICT_UNKNOWN] = COLOUR_WHITE,    [VERDICT_NOT_APPLICABLE] = COLOUR_WHITE,
        [VERDICT_SUFFICIENT] = COLOUR_GREEN, [VERDICT_TOO_HIGH] = COLOUR_RED,
        [VERDICT_TOO_LOW] = COLOUR_CYAN,
    };
    const struct op *o = op_of(t, row);
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
    const size_t *n = perf_of(t)->n_kind;
    return cell_text(arena_printf(scratch, "%zu device ops, %zu host ops, %zu signposts",
                                  n[OP_DEVICE], n[OP_HOST], n[OP_SIGNPOST]));
}

TOTAL(total_time)
{
    double sum = 0;
    for (size_t i = 0; i < perf_of(t)->n_ops; i++)
        sum += op_of(t, i)->has & HAS_TIME ? op_of(t, i)->time : 0;
    return cell_real(sum);
}

TOTAL(total_gap)
{
    double sum = 0;
    for (size_t i = 0; i < perf_of(t)->n_ops; i++)
        sum += op_of(t, i)->has & HAS_GAP ? op_of(t, i)->gap : 0;
    return cell_real(sum);
}

// A signpost is printed without its suffix and with a sign in front. With colour the blank
// before the suffix stays, inside the colour codes.
static bool relabel(const struct table *t, size_t row, const struct column *c, str *text,
                    const char **before, bool is_coloured)
{
    str suffix = S("(signpost)");
    str code = op_of(t, row)->code;
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
    {.name = "Total %", .type = CELL_REAL, .unit = UNIT_PERCENT, .decimals = 1, .get = get_share, .colour = colour_plain, .total = total_share},
    {.name = "Bound", .type = CELL_TEXT, .get = get_bound, .colour = colour_bound},
    {.name = "OP Code", .type = CELL_TEXT, .is_left = true, .get = get_code, .colour = colour_code, .total = total_code},
    {.name = "Device", .type = CELL_INT, .get = get_device, .colour = colour_plain, .min_width = 7},
    {.name = "Device Time", .type = CELL_REAL, .unit = UNIT_MICROS, .get = get_time, .colour = colour_plain, .total = total_time},
    {.name = "Op-to-Op Gap", .type = CELL_REAL, .unit = UNIT_MICROS, .get = get_gap, .colour = colour_gap, .total = total_gap},
    {.name = "Cores", .type = CELL_INT, .get = get_cores, .colour = colour_cores},
    {.name = "DRAM", .type = CELL_REAL, .unit = UNIT_GB_S, .get = get_dram, .colour = colour_dram},
    {.name = "DRAM %", .type = CELL_REAL, .unit = UNIT_PERCENT, .decimals = 1, .get = get_dram_percent, .colour = colour_dram},
    {.name = "FLOPs", .type = CELL_REAL, .unit = UNIT_TFLOPS, .decimals = 1, .get = get_flops, .colour = colour_flops},
    {.name = "FLOPs %", .type = CELL_REAL, .unit = UNIT_PERCENT, .decimals = 1, .get = get_flops_percent, .colour = colour_flops},
    {.name = "Math Fidelity", .type = CELL_TEXT, .get = get_math, .colour = colour_math},
    {.name = "Output Datatype", .type = CELL_TEXT, .is_detail = true, .get = get_out_datatype},
    {.name = "Input 0 Datatype", .type = CELL_TEXT, .is_detail = true, .get = get_in0_datatype},
    {.name = "Input 1 Datatype", .type = CELL_TEXT, .is_detail = true, .get = get_in1_datatype},
    {.name = "DRAM Sharded", .type = CELL_BOOL, .is_detail = true, .get = get_sharded},
    {.name = "Input 0 Memory", .type = CELL_TEXT, .is_detail = true, .get = get_memory},
    {.name = "Inner Dim Block Size", .type = CELL_INT, .is_detail = true, .get = get_block_w},
    {.name = "Output Subblock H", .type = CELL_INT, .is_detail = true, .get = get_subblock_h},
    {.name = "Output Subblock W", .type = CELL_INT, .is_detail = true, .get = get_subblock_w},
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
                            .rows = v->perf,
                            .n_rows = v->perf->n_ops,
                            .total_colour = COLOUR_GREY,
                            .relabel = relabel};
}

void perf_view_make(struct perf_view *v, struct perf *p, bool with_advice,
                    bool with_raw_codes)
{
    *v = (struct perf_view){.perf = p};
    make_ops(v, with_advice, with_raw_codes);
}

void perf_view_free(struct perf_view *v)
{
    arena_free(&v->arena);
}
