// perf_op.c - analyses one op: time, traffic and arithmetic, and how close they come to
// peak.
#include <math.h>

#include "base/text/num.h"

#include "analyse/diags.h"
#include "analyse/perf/fidelity.h"
#include "analyse/perf/perf.h"
#include "formats/diags.h"

__extension__ typedef unsigned __int128 u128;

enum { DRAM_SHARDED_CORES = 12 };

static void report_cell(struct perf *p, const struct op *o, int kind, enum ops_column c)
{
    if (diag_count(&p->diag, kind))
        diag_note(&p->diag, kind, "%.*s", STR(ops_place(&p->table, c, o->row)));
}

// The product of the factors; false if it overflows 128 bits or a factor is negative.
static bool multiply(const int64_t *factors, size_t n, u128 *out)
{
    u128 v = 1;
    for (size_t i = 0; i < n; i++) {
        if (factors[i] < 0)
            return false;
        u128 f = (u128)factors[i];
        if (f && v > ~(u128)0 / f)
            return false;
        v *= f;
    }
    *out = v;
    return true;
}

// The columns of a tensor.
struct tensor {
    enum ops_column w, memory, datatype; // Z, Y and X follow W
};
static const struct tensor tensor_in0 = {OPS_IN0_W, OPS_IN0_MEMORY, OPS_IN0_DATATYPE};
static const struct tensor tensor_in1 = {OPS_IN1_W, OPS_IN1_MEMORY, OPS_IN1_DATATYPE};
static const struct tensor tensor_out0 = {OPS_OUT0_W, OPS_OUT0_MEMORY, OPS_OUT0_DATATYPE};

// Its W, Z, Y and X. A missing one is reported with its name.
static bool tensor_dimensions(struct perf *p, const struct op *o, const struct tensor *t,
                              int64_t d[4])
{
    for (unsigned i = 0; i < 4; i++) {
        enum ops_column c = (enum ops_column)(t->w + i);
        if (!ops_size(&p->table, c, o->row, &d[i])) {
            report_cell(p, o, DIAG_NO_SIZE, c);
            return false;
        }
    }
    return true;
}

// Bytes that a tensor moves to or from DRAM, 0 if it is not there. If unknown, the cell is
// reported.
static bool dram_bytes(struct perf *p, const struct op *o, const struct tensor *t,
                       double *bytes)
{
    uint32_t where = ops_text_id(&p->table, t->memory, o->row);
    if (where == OPS_NO_TEXT) {
        report_cell(p, o, DIAG_NO_SIZE, t->memory);
        return false;
    }
    if (!fact_memory(&p->facts, where)->is_dram)
        return true;
    int64_t d[4];
    u128 elements;
    if (!tensor_dimensions(p, o, t, d))
        return false;
    uint32_t datatype = ops_text_id(&p->table, t->datatype, o->row);
    if (datatype == OPS_NO_TEXT || !multiply(d, 4, &elements)) {
        report_cell(p, o, DIAG_NO_SIZE, t->datatype);
        return false;
    }
    *bytes += (double)elements * fact_datatype(&p->facts, datatype)->bytes;
    return true;
}

// FLOPs and their share of the peak of the given cores.
static void put_flops(struct perf *p, struct op *o, u128 operations, double seconds,
                      double cores)
{
    if (seconds == 0)
        return;
    double per_second = (double)operations / seconds;
    o->flops = per_second / 1e12;
    // Of an op without a duration, tt-perf-report shows the share as nan, but not the rate.
    o->has |= isnan(seconds) ? 0 : HAS_FLOPS;
    const struct fidelity_fact *f =
        fact_fidelity(&p->facts, ops_text_id(&p->table, OPS_FIDELITY, o->row));
    if (!f->is_valid) {
        report_cell(p, o, DIAG_FIDELITY_UNKNOWN, OPS_FIDELITY);
        return;
    }
    if (!p->arch)
        return;
    double peak = p->arch->tflops[f->fidelity] * 1e12 * cores;
    if (peak == 0)
        return;
    o->flops_percent = (per_second / peak) * 100;
    o->has |= HAS_FLOPS_PERCENT;
}

static void put_dram(struct perf *p, struct op *o, double bytes, double seconds)
{
    if (bytes == 0 || seconds == 0)
        return;
    o->dram = (bytes / seconds) / 1e9;
    o->has |= HAS_DRAM;
    if (p->arch) {
        o->dram_percent = (o->dram / p->arch->dram_gb_s) * 100;
        o->has |= HAS_DRAM_PERCENT;
    }
}

static void judge_fidelity(struct perf *p, struct op *o)
{
    struct facts *f = &p->facts;
    const struct ops_table *t = &p->table;
    o->verdict = fidelity_judge(fact_datatype(f, ops_text_id(t, OPS_IN0_DATATYPE, o->row)),
                                fact_datatype(f, ops_text_id(t, OPS_IN1_DATATYPE, o->row)),
                                fact_datatype(f, ops_text_id(t, OPS_OUT0_DATATYPE, o->row)),
                                fact_fidelity(f, ops_text_id(t, OPS_FIDELITY, o->row)));
}

static double seconds_of(const struct pick *k)
{
    return k->has_duration ? k->duration * 1e-9 : NAN;
}

static void analyse_matmul(struct perf *p, const struct pick *k,
                           const struct attribute_fact *facts, struct op *o)
{
    str code = o->code;
    o->is_dram_sharded = facts->is_dram_sharded;
    o->is_cores_real =
        !o->is_dram_sharded && p->table.column[OPS_CORE_COUNT].type != OPS_INTEGER;
    if (o->is_dram_sharded)
        o->cores = DRAM_SHARDED_CORES;
    else if (!ops_number(&p->table, OPS_CORE_COUNT, o->row, &o->cores) || o->cores <= 0)
        report_cell(p, o, DIAG_NO_CORES, OPS_CORE_COUNT);
    o->has |= HAS_CORES;
    judge_fidelity(p, o);

    int64_t a[4], b[4];
    double bytes = 0;
    u128 operations;
    if (!tensor_dimensions(p, o, &tensor_in0, a) ||
        !tensor_dimensions(p, o, &tensor_in1, b) ||
        !dram_bytes(p, o, &tensor_in0, &bytes) || !dram_bytes(p, o, &tensor_in1, &bytes) ||
        !dram_bytes(p, o, &tensor_out0, &bytes))
        return;
    enum { W, Z, Y, X };
    int64_t w = a[W] > b[W] ? a[W] : b[W], z = a[Z] > b[Z] ? a[Z] : b[Z];
    int64_t factors[] = {a[Y], a[X], b[X], w, z, 2};
    int64_t batches[] = {w, z};
    u128 batch;
    if (!multiply(factors, 6, &operations) || !multiply(batches, 2, &batch) ||
        batch > INT64_MAX) {
        report_cell(p, o, DIAG_ABSURD_NUMBER, OPS_IN0_W);
        return;
    }
    double seconds = seconds_of(k);
    put_dram(p, o, bytes, seconds);
    put_flops(p, o, operations, seconds, o->cores);
    struct buf text = {0};
    buf_str(&text, code);
    if (batch > 1) {
        buf_z(&text, " b={");
        num_put_int(&text, (int64_t)batch);
        buf_z(&text, "} x");
    }
    int64_t sizes[] = {a[Y], a[X], b[X]};
    for (int i = 0; i < 3; i++) {
        buf_z(&text, i ? " x " : " ");
        num_put_int(&text, sizes[i]);
    }
    o->code = arena_str(&p->arena, buf_view(&text));
    buf_free(&text);
}

// The integer that follows `key` and one character, up to the next semicolon; "x" if there
// is none.
static str conv_number(str attributes, str key)
{
    str rest;
    int64_t v;
    if (!str_after(attributes, key, &rest))
        return S("x");
    rest = str_from(rest, 1);
    str number = str_cut(&rest, ';');
    return num_int(number, &v) ? str_trim(number) : S("x");
}

// An option that is on, or absent.
static bool conv_flag(str attributes, str key)
{
    str rest;
    return !str_after(attributes, key, &rest) || str_eq(str_cut(&rest, '\''), S("true"));
}

static bool conv_window(str attributes, int64_t *w0, int64_t *w1)
{
    str rest;
    if (!str_after(attributes, S("window_hw"), &rest))
        return false;
    size_t end = str_find(rest, S("; "));
    if (end != STR_NOT_FOUND)
        rest.n = end;
    if (rest.n < 3)
        return false;
    rest = (str){rest.p + 2, rest.n - 3}; // "=(3;3)"
    str first = str_cut(&rest, ';');
    return num_int(first, w0) && num_int(str_cut(&rest, ';'), w1);
}

static void analyse_conv(struct perf *p, const struct pick *k, str attributes, struct op *o)
{
    judge_fidelity(p, o);
    int64_t w0, w1, m, in_x, n;
    if (!conv_window(attributes, &w0, &w1)) {
        report_cell(p, o, DIAG_NO_WINDOW, OPS_ATTRIBUTES);
        return;
    }
    const struct {
        enum ops_column column;
        int64_t *to;
    } sizes[] = {{OPS_OUT0_Y, &m}, {OPS_IN0_X, &in_x}, {OPS_IN1_X, &n}};
    for (int i = 0; i < 3; i++) {
        if (!ops_size(&p->table, sizes[i].column, o->row, sizes[i].to)) {
            report_cell(p, o, DIAG_NO_SIZE, sizes[i].column);
            return;
        }
    }
    int64_t inner[] = {in_x, w0, w1}, all[] = {m, in_x, w0, w1, n, 2};
    u128 depth, operations;
    if (!multiply(inner, 3, &depth) || depth > INT64_MAX ||
        !multiply(all, 6, &operations)) {
        report_cell(p, o, DIAG_ABSURD_NUMBER, OPS_IN0_X);
        return;
    }
    put_flops(p, o, operations, seconds_of(k), (double)p->cores);
    str height = conv_number(attributes, S("per_core_out_matrix_height_ntile"));
    str block = conv_number(attributes, S("act_block_h_ntiles"));
    o->code =
        arena_printf(&p->arena, "%.*s %lld x %lld x %lld [ABH=%.*s|%.*s%s%s]", STR(o->code),
                     (long long)m, (long long)depth, (long long)n, STR(height), STR(block),
                     conv_flag(attributes, S("enable_act_double_buffer': '")) ? " ADB" : "",
                     conv_flag(attributes, S("enable_split_reader': '")) ? " SR" : "");
}

// The first elements of the list after `key`, joined by commas.
static str halo_list(struct arena *a, str attributes, str key, int pieces)
{
    str rest;
    if (!str_after(attributes, key, &rest))
        return S("x");
    struct buf b = {0};
    for (int i = 0; i < pieces && (i == 0 || rest.p); i++) {
        buf_z(&b, i ? "," : "");
        buf_str(&b, str_cut(&rest, ';'));
    }
    str list = arena_str(a, buf_view(&b));
    buf_free(&b);
    return list;
}

static str halo_layout(str attributes)
{
    str rest, layout;
    if (!str_after(attributes, S("memory_layout="), &rest))
        return S("x");
    if (!str_after(str_cut(&rest, ';'), S("::"), &layout))
        return S("x");
    size_t second = str_find(layout, S("::"));
    return second == STR_NOT_FOUND ? layout : (str){layout.p, second};
}

static void analyse_halo(struct perf *p, str attributes, struct op *o)
{
    struct arena *a = &p->arena;
    str w = halo_list(a, attributes, S("window_hw="), 2);
    str s = halo_list(a, attributes, S("stride_hw="), 2);
    str pad = halo_list(a, attributes, S("padding="), 4);
    str d = halo_list(a, attributes, S("dilation_hw="), 2);
    str l = halo_layout(attributes);
    o->code = arena_printf(a, "%.*s w=%.*s s=%.*s p=%.*s d=%.*s | %.*s", STR(o->code),
                           STR(w), STR(s), STR(pad), STR(d), STR(l));
}

static void set_times(struct perf *p, const struct pick *k, bool follows_op, struct op *o)
{
    if ((!k->has_duration || k->duration == 0) &&
        ops_text_id(&p->table, OPS_OP_TYPE, k->row) == p->device_op)
        report_cell(p, o, DIAG_NO_DURATION, OPS_DURATION);
    o->is_time_zero = !k->has_duration;
    o->time = k->has_duration ? k->duration / 1000 : 0;
    o->has |= HAS_TIME;
    double gap;
    if (follows_op && ops_number(&p->table, OPS_GAP, o->row, &gap)) {
        o->gap = gap / 1000;
        o->has |= HAS_GAP;
    }
    if (ops_number(&p->table, OPS_CORE_COUNT, o->row, &o->cores)) {
        o->cores = trunc(o->cores);
        o->has |= HAS_CORES;
    }
}

static void analyse_by_class(struct perf *p, const struct pick *k,
                             const struct attribute_fact *facts, struct op *o)
{
    str attributes;
    (void)ops_text(&p->table, OPS_ATTRIBUTES, k->row, &attributes);
    switch ((enum op_class)o->class) {
    case OP_MATMUL: analyse_matmul(p, k, facts, o); break;
    case OP_CONV: analyse_conv(p, k, attributes, o); break;
    case OP_HALO: analyse_halo(p, attributes, o); break;
    case OP_PLAIN: break;
    }
}

void perf_analyse_op(struct perf *p, const struct pick *k, bool follows_op, struct op *o)
{
    struct facts *f = &p->facts;
    const struct code_fact *code =
        fact_code(f, ops_text_id(&p->table, OPS_OP_CODE, k->row));
    const struct code_fact *type =
        fact_code(f, ops_text_id(&p->table, OPS_OP_TYPE, k->row));
    const struct attribute_fact *facts =
        fact_attributes(f, ops_text_id(&p->table, OPS_ATTRIBUTES, k->row));
    *o = (struct op){.row = k->row,
                     .device = p->table.device[k->row],
                     .is_matmul = code->is_matmul,
                     .is_split = code->is_split,
                     .block_w = facts->block_w,
                     .subblock_h = facts->subblock_h,
                     .subblock_w = facts->subblock_w};
    if (!ops_text(&p->table, OPS_OP_CODE, k->row, &o->code))
        report_cell(p, o, DIAG_OP_WITHOUT_CODE, OPS_OP_CODE);
    set_times(p, k, follows_op, o);
    if (type->is_signpost) {
        o->code = arena_printf(&p->arena, "%.*s (signpost)", STR(o->code));
        o->has &= (uint8_t)~HAS_TIME;
    } else {
        o->class = code->class;
        analyse_by_class(p, k, facts, o);
    }
    o->kind = code->is_host                            ? OP_HOST
              : type->is_signpost || code->is_signpost ? OP_SIGNPOST
                                                       : OP_DEVICE;
    // Fill the facts now: lanes that print the ops later only read them.
    (void)fact_datatype(f, ops_text_id(&p->table, OPS_IN0_DATATYPE, k->row));
    (void)fact_datatype(f, ops_text_id(&p->table, OPS_IN1_DATATYPE, k->row));
    (void)fact_datatype(f, ops_text_id(&p->table, OPS_OUT0_DATATYPE, k->row));
}

// Concatenates texts.
static str concatenate(struct arena *a, const str *parts, size_t n)
{
    size_t length = 0;
    for (size_t i = 0; i < n; i++)
        length += parts[i].n;
    char *p = push_many(a, char, length + 1);
    char *to = p;
    for (size_t i = 0; i < n; i++) {
        if (parts[i].n)
            memcpy(to, parts[i].p, parts[i].n);
        to += parts[i].n;
    }
    return (str){p, length};
}

// The short name of a data type cell; false if it is missing.
static bool short_datatype(const struct perf *p, const struct op *o, enum ops_column c,
                           str *out)
{
    uint32_t id = ops_text_id(&p->table, c, o->row);
    *out = p->facts.datatypes[id].brief;
    return id != OPS_NO_TEXT;
}

str perf_math_text(const struct perf *p, const struct op *o, bool with_nan, struct arena *a)
{
    str none = {NULL, 0}, in0, in1, out, fidelity;
    bool has0 = short_datatype(p, o, OPS_IN0_DATATYPE, &in0);
    bool has1 = short_datatype(p, o, OPS_IN1_DATATYPE, &in1);
    bool has_out = short_datatype(p, o, OPS_OUT0_DATATYPE, &out);
    if (o->class == OP_MATMUL || o->class == OP_CONV) {
        bool has_fidelity = ops_text(&p->table, OPS_FIDELITY, o->row, &fidelity);
        str missing = with_nan ? S("nan") : none;
        str parts[] = {fidelity,
                       has_fidelity ? S(" ") : none,
                       has0 ? in0 : missing,
                       with_nan || (has0 && has1) ? S(" x ") : none,
                       has1 ? in1 : missing,
                       with_nan || has_out ? S(" => ") : none,
                       has_out ? out : missing};
        return str_trim(concatenate(a, parts, sizeof parts / sizeof *parts));
    }
    str parts[] = {in0, has1 ? S(", ") : none, in1, has_out ? S(" => ") : none, out};
    return str_trim(concatenate(a, parts, sizeof parts / sizeof *parts));
}
