// perf_op.c - what one op did: its time, its traffic, its arithmetic, and how near they come
// to the peaks. Spec: perf-report 8.
#include <math.h>

#include "analyse/fidelity.h"
#include "analyse/perf.h"
#include "base/num.h"

__extension__ typedef unsigned __int128 u128;

enum { DRAM_SHARDED_CORES = 12 };

str datatype_short(str name)
{
    static const char *const names[][2] = {{"FLOAT32", "FP32"},
                                           {"BFLOAT16", "BF16"},
                                           {"BFLOAT8_B", "BFP8"},
                                           {"BFLOAT4_B", "BFP4"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_is(name, names[i][0]))
            return str_of(names[i][1]);
    return name;
}

// Bytes of one element: the first number in the name of the type counts its bits.
static double datatype_bytes(str name)
{
    size_t i = 0;
    while (i < name.n && (name.p[i] < '0' || name.p[i] > '9'))
        i++;
    double bits = 0;
    for (; i < name.n && name.p[i] >= '0' && name.p[i] <= '9'; i++)
        bits = bits * 10 + (name.p[i] - '0');
    return bits > 0 ? bits / 8 : 4;
}

bool perf_datatype(const struct perf *p, uint32_t row, enum ops_column c, struct arena *a,
                   str *out)
{
    if (p->table.type[c] == OPS_ABSENT)
        return false;
    if (!ops_text_in(&p->table, c, row, a, out))
        *out = S("nan");
    return true;
}

static void odd(struct perf *p, const struct op *o, enum diag_kind kind, enum ops_column c)
{
    if (diag_count(&p->diag, kind))
        diag_note(&p->diag, kind, "%.*s", STR(ops_place(&p->table, c, o->row)));
}

// The product of the factors; false when it fits no 128-bit integer or a factor is negative.
static bool product(const int64_t *factors, size_t n, u128 *out)
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

// W, Z, Y and X of the tensor whose W column is given.
static bool dimensions(struct perf *p, uint32_t row, enum ops_column w, int64_t out[4])
{
    for (int i = 0; i < 4; i++)
        if (!ops_dimension(&p->table, (enum ops_column)(w + (unsigned)i), row, &out[i]))
            return false;
    return true;
}

// Bytes that a tensor moves to or from DRAM, 0 when it is not there; false when unknown.
static bool dram_bytes(struct perf *p, uint32_t row, enum ops_column w, enum ops_column memory,
                       enum ops_column type, double *bytes)
{
    str where, name;
    if (!ops_text(&p->table, memory, row, &where))
        return false;
    if (!str_has(where, S("DRAM")))
        return true;
    int64_t d[4];
    u128 elements;
    if (!dimensions(p, row, w, d) || !product(d, 4, &elements) ||
        !ops_text(&p->table, type, row, &name))
        return false;
    *bytes += (double)elements * datatype_bytes(name);
    return true;
}

// FLOPs and their share of the peak of so many cores.
static void put_flops(struct perf *p, struct op *o, u128 operations, double seconds,
                      double cores)
{
    if (seconds == 0)
        return;
    double per_second = (double)operations / seconds;
    o->flops = per_second / 1e12;
    o->has |= HAS_FLOPS;
    str name;
    enum fidelity f;
    (void)ops_text(&p->table, OPS_FIDELITY, o->row, &name);
    if (!fidelity_parse(name, &f)) {
        odd(p, o, DIAG_FIDELITY_UNKNOWN, OPS_FIDELITY);
        return;
    }
    if (!p->arch)
        return;
    double peak = p->arch->tflops[f] * 1e12 * cores;
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

static void judge(struct perf *p, struct op *o)
{
    str in0 = {0}, in1 = {0}, out = {0}, fidelity;
    (void)perf_datatype(p, o->row, OPS_IN0_DATATYPE, &p->arena, &in0);
    (void)perf_datatype(p, o->row, OPS_IN1_DATATYPE, &p->arena, &in1);
    (void)perf_datatype(p, o->row, OPS_OUT0_DATATYPE, &p->arena, &out);
    (void)ops_text(&p->table, OPS_FIDELITY, o->row, &fidelity);
    o->verdict = fidelity_judge(in0, in1, out, fidelity);
}

static double seconds_of(struct perf *p, const struct op *o, const struct pick *k)
{
    if (!k->has_duration || k->duration == 0)
        odd(p, o, DIAG_NO_DURATION, OPS_DURATION);
    return k->has_duration ? k->duration * 1e-9 : NAN;
}

static void analyse_matmul(struct perf *p, const struct pick *k, str attributes, struct op *o)
{
    str code = o->code;
    o->is_dram_sharded =
        str_has(attributes, S("MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig"));
    o->is_cores_real = !o->is_dram_sharded && p->table.type[OPS_CORE_COUNT] != OPS_INTEGER;
    if (o->is_dram_sharded)
        o->cores = DRAM_SHARDED_CORES;
    else if (!ops_real(&p->table, OPS_CORE_COUNT, o->row, &p->diag, &o->cores))
        o->cores = NAN;
    o->has |= HAS_CORES;
    judge(p, o);

    int64_t a[4], b[4];
    double bytes = 0;
    u128 operations;
    bool is_known =
        dimensions(p, o->row, OPS_IN0_W, a) && dimensions(p, o->row, OPS_IN1_W, b) &&
        dram_bytes(p, o->row, OPS_IN0_W, OPS_IN0_MEMORY, OPS_IN0_DATATYPE, &bytes) &&
        dram_bytes(p, o->row, OPS_IN1_W, OPS_IN1_MEMORY, OPS_IN1_DATATYPE, &bytes) &&
        dram_bytes(p, o->row, OPS_OUT0_W, OPS_OUT0_MEMORY, OPS_OUT0_DATATYPE, &bytes);
    if (!is_known) {
        odd(p, o, DIAG_NO_SIZE, OPS_IN0_W);
        return;
    }
    enum { W, Z, Y, X };
    int64_t w = a[W] > b[W] ? a[W] : b[W], z = a[Z] > b[Z] ? a[Z] : b[Z];
    int64_t factors[] = {a[Y], a[X], b[X], w, z, 2};
    int64_t batches[] = {w, z};
    u128 batch;
    if (!product(factors, 6, &operations) || !product(batches, 2, &batch) ||
        batch > INT64_MAX) {
        odd(p, o, DIAG_ABSURD_NUMBER, OPS_IN0_W);
        return;
    }
    double seconds = seconds_of(p, o, k);
    put_dram(p, o, bytes, seconds);
    put_flops(p, o, operations, seconds, o->cores);
    struct buf b_code = {0};
    buf_str(&b_code, code);
    if (batch > 1)
        buf_printf(&b_code, " b={%lld} x", (long long)batch);
    buf_printf(&b_code, " %lld x %lld x %lld", (long long)a[Y], (long long)a[X],
               (long long)b[X]);
    o->code = arena_str(&p->arena, buf_view(&b_code));
    buf_free(&b_code);
}

// The integer behind `key` and one character, up to the next semicolon; "x" when there is
// none.
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

// An option that is on, or not written down at all.
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
    judge(p, o);
    int64_t w0, w1, m, in_x, n;
    if (!conv_window(attributes, &w0, &w1)) {
        odd(p, o, DIAG_NO_WINDOW, OPS_ATTRIBUTES);
        return;
    }
    if (!ops_dimension(&p->table, OPS_OUT0_Y, o->row, &m) ||
        !ops_dimension(&p->table, OPS_IN0_X, o->row, &in_x) ||
        !ops_dimension(&p->table, OPS_IN1_X, o->row, &n)) {
        odd(p, o, DIAG_NO_SIZE, OPS_IN0_X);
        return;
    }
    int64_t inner[] = {in_x, w0, w1}, all[] = {m, in_x, w0, w1, n, 2};
    u128 depth, operations;
    if (!product(inner, 3, &depth) || depth > INT64_MAX || !product(all, 6, &operations)) {
        odd(p, o, DIAG_ABSURD_NUMBER, OPS_IN0_X);
        return;
    }
    put_flops(p, o, operations, seconds_of(p, o, k), (double)p->cores);
    str height = conv_number(attributes, S("per_core_out_matrix_height_ntile"));
    str block = conv_number(attributes, S("act_block_h_ntiles"));
    o->code = arena_printf(
        &p->arena, "%.*s %lld x %lld x %lld [ABH=%.*s|%.*s%s%s]", STR(o->code), (long long)m,
        (long long)depth, (long long)n, STR(height), STR(block),
        conv_flag(attributes, S("enable_act_double_buffer': '")) ? " ADB" : "",
        conv_flag(attributes, S("enable_split_reader': '")) ? " SR" : "");
}

// The first pieces of a list behind `key`, joined with commas.
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
    o->code = arena_printf(a, "%.*s w=%.*s s=%.*s p=%.*s d=%.*s | %.*s", STR(o->code), STR(w),
                           STR(s), STR(pad), STR(d), STR(l));
}

// The number right behind the first `key` that has digits there.
static int32_t block_size(str attributes, str key)
{
    str rest = attributes;
    while (str_after(rest, key, &rest)) {
        size_t n = 0;
        while (n < rest.n && rest.p[n] >= '0' && rest.p[n] <= '9')
            n++;
        int64_t v;
        if (n && num_int((str){rest.p, n}, &v) && v <= INT32_MAX)
            return (int32_t)v;
    }
    return OP_NO_BLOCK;
}

static enum op_class class_of(str code)
{
    if (str_has(code, S("Matmul")))
        return OP_MATMUL;
    if (str_has(code, S("OptimizedConvNew")) || str_has(code, S("Conv2d")))
        return OP_CONV;
    return str_has(code, S("HaloDeviceOperation")) ? OP_HALO : OP_PLAIN;
}

static void put_times(struct perf *p, const struct pick *k, bool follows_op, struct op *o)
{
    o->is_time_zero = !k->has_duration;
    o->time = k->has_duration ? k->duration / 1000 : 0;
    o->has |= HAS_TIME;
    double gap;
    if (ops_real(&p->table, OPS_GAP, o->row, &p->diag, &gap) && follows_op) {
        o->gap = gap / 1000;
        o->has |= HAS_GAP;
    }
    if (ops_real(&p->table, OPS_CORE_COUNT, o->row, &p->diag, &o->cores)) {
        o->cores = trunc(o->cores);
        o->has |= HAS_CORES;
    }
}

void perf_analyse_op(struct perf *p, const struct pick *k, bool follows_op, struct op *o)
{
    *o = (struct op){.row = k->row,
                     .device = p->table.device[k->row],
                     .block_w = OP_NO_BLOCK,
                     .subblock_h = OP_NO_BLOCK,
                     .subblock_w = OP_NO_BLOCK};
    str attributes, type;
    if (!ops_text(&p->table, OPS_OP_CODE, k->row, &o->code))
        odd(p, o, DIAG_OP_WITHOUT_CODE, OPS_OP_CODE);
    put_times(p, k, follows_op, o);
    (void)ops_text(&p->table, OPS_ATTRIBUTES, k->row, &attributes);
    if (str_has(attributes, S("program_config"))) {
        o->block_w = block_size(attributes, S("in0_block_w="));
        o->subblock_h = block_size(attributes, S("out_subblock_h="));
        o->subblock_w = block_size(attributes, S("out_subblock_w="));
    }
    if (ops_text(&p->table, OPS_OP_TYPE, k->row, &type) && str_has(type, S("signpost"))) {
        o->code = arena_printf(&p->arena, "%.*s (signpost)", STR(o->code));
        o->has &= (uint8_t)~HAS_TIME;
    } else {
        o->class = (uint8_t)class_of(o->code);
        if (o->class == OP_MATMUL)
            analyse_matmul(p, k, attributes, o);
        else if (o->class == OP_CONV)
            analyse_conv(p, k, attributes, o);
        else if (o->class == OP_HALO)
            analyse_halo(p, attributes, o);
    }
    o->kind = str_has(o->code, S("(torch)"))    ? OP_HOST
              : str_has(o->code, S("signpost")) ? OP_SIGNPOST
                                                : OP_DEVICE;
}

str perf_math_text(const struct perf *p, const struct op *o, struct arena *a)
{
    str in0 = {0}, in1 = {0}, out = {0}, fidelity;
    bool is_product = o->class == OP_MATMUL || o->class == OP_CONV;
    bool has0 = perf_datatype(p, o->row, OPS_IN0_DATATYPE, a, &in0);
    bool has1 = perf_datatype(p, o->row, OPS_IN1_DATATYPE, a, &in1);
    bool has_out = perf_datatype(p, o->row, OPS_OUT0_DATATYPE, a, &out);
    in0 = datatype_short(in0);
    in1 = datatype_short(in1);
    out = datatype_short(out);
    if (is_product) {
        bool has_fidelity = ops_text_in(&p->table, OPS_FIDELITY, o->row, a, &fidelity);
        return arena_printf(a, "%.*s%s%.*s x %.*s => %.*s", STR(fidelity),
                            has_fidelity ? " " : "", STR(in0), STR(in1), STR(out));
    }
    struct buf b = {0};
    if (has0 && !str_eq(in0, S("nan")))
        buf_str(&b, in0);
    if (has1 && !str_eq(in1, S("nan")))
        buf_printf(&b, ", %.*s", STR(in1));
    if (has_out && !str_eq(out, S("nan")))
        buf_printf(&b, " => %.*s", STR(out));
    str text = arena_str(a, str_trim(buf_view(&b)));
    buf_free(&b);
    return text;
}
