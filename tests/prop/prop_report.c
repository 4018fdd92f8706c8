// prop_report.c - the whole report over random tables of ops: parts add up to the whole,
// and neither the number of threads nor the order of the rows changes what was measured.
#include <math.h>
#include <string.h>

#include "../support/report_outputs.h"
#include "analyse/diags.h"
#include "analyse/perf/summary.h"
#include "present/page/perf_doc.h"
#include "present/reports/perf_text.h"
#include "prop.h"

enum {
    LAW_RUNS,
    LAW_SHARES,
    LAW_COUNTS,
    LAW_TIMES,
    LAW_GROUP_SHARES,
    LAW_ORDER,
    LAW_THREADS,
    LAW_PERMUTED,
    LAW_RECTANGLE,
    LAWS
};
static struct law laws[LAWS] = {
    [LAW_RUNS] = {.name = "every table gives a report"},
    [LAW_SHARES] = {.name = "the shares of the rows add up to 100"},
    [LAW_COUNTS] = {.name = "the groups hold each op once"},
    [LAW_TIMES] = {.name = "the times of the groups add up to those of the ops"},
    [LAW_GROUP_SHARES] = {.name = "the shares of the groups add up to 100, per device too"},
    [LAW_ORDER] = {.name = "groups stand by time, then key, then device"},
    [LAW_THREADS] = {.name = "one thread and four write the same CSV"},
    [LAW_PERMUTED] = {.name =
                          "the order of the rows in the file does not change the times"},
    [LAW_RECTANGLE] = {.name = "the CSV reads back with a cell for each row and column"},
};

// --- random tables ---

static const char *const codes[] = {"Matmul",           "MatmulDeviceOperation",
                                    "AllGatherMatmul",  "Conv2d",
                                    "OptimizedConvNew", "HaloDeviceOperation",
                                    "Softmax",          "Unary",
                                    "AllGather",        "AllReduceAsync",
                                    "ReduceScatter",    "(torch) add",
                                    "Odd one",          "a \"quoted\", op",
                                    "123456",           "nan",
                                    "\xCE\xBCOp",       "a signpost"};
static const char *const attributes[] = {
    "",
    "{'program_config': 'X(in0_block_w=4;out_subblock_h=1;out_subblock_w=2)'}",
    "MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig program_config in0_block_w=1",
    "window_hw=(3;3); act_block_h_ntiles=7; enable_split_reader': 'false'",
    "window_hw=(99999999999;99999999999); x",
    "window_hw",
    "stride_hw=(1;1);padding=;;",
    "memory_layout=A::B::C;window_hw=(3",
    "program_config in0_block_w=99999999999999"};
static const char *const datatypes[] = {"BFLOAT16", "BFLOAT8_B", "BFLOAT4_B", "FLOAT32",
                                        "UINT32",   "FP8_E4M3",  "odd",       ""};
static const char *const memories[] = {
    "DEV_0_DRAM_INTERLEAVED", "DEV_1_L1_HEIGHT_SHARDED", "DRAM", "_", "A_", "",
    "\xC3\x84_\xC3\x96"};
static const char *const fidelities[] = {"HiFi4", "HiFi3", "HiFi2", "LoFi", "HiFi9", ""};
static const char *const sizes[] = {"1",  "32",          "64[60]",     "4096", "2147483647",
                                    "0",  "2147483648",  "-1",         "x",    "3.5",
                                    "32", "9999999[12]", "2147483647", "",     "1e9"};
static const char *const odd_numbers[] = {"",     "nan",  "0",   "0.5",  "1e3",
                                          "many", "1e17", "inf", "-1.5", "1e-300"};

#define PICK(r, list) ((list)[random_below((r), sizeof(list) / sizeof *(list))])

static const char *const required[] = {"OP CODE",
                                       "OP TYPE",
                                       "GLOBAL CALL COUNT",
                                       "DEVICE ID",
                                       "ATTRIBUTES",
                                       "CORE COUNT",
                                       "OP TO OP LATENCY [ns]",
                                       "INPUT_0_MEMORY",
                                       "DEVICE KERNEL DURATION [ns]",
                                       "HOST START TS"};
enum {
    CODE,
    TYPE,
    CALLS,
    DEVICE,
    ATTRIBUTES,
    CORES,
    GAP,
    MEMORY_0,
    DURATION,
    START,
    REQUIRED
};

// How odd a table is allowed to be.
struct kind {
    bool is_plain;     // no signposts, one device, every number there
    bool has_optional; // tensors and fidelity
    bool has_arch;
    uint32_t devices;
    uint32_t rows;
};

static void put_number(struct random *r, struct buf *b, const struct kind *k, uint32_t most)
{
    if (!k->is_plain && random_one_in(r, 12))
        buf_z(b, PICK(r, odd_numbers));
    else if (!k->is_plain && random_one_in(r, 3))
        buf_printf(b, "%u.%u", random_below(r, most), random_below(r, 100));
    else
        buf_printf(b, "%u", random_below(r, most));
}

static void put_required(struct random *r, struct buf *b, const struct kind *k,
                         uint32_t row)
{
    static const char *const types[] = {"tt_dnn_device",
                                        "tt_dnn_device",
                                        "tt_dnn_device",
                                        "python_fallback",
                                        "tt_dnn_cpu",
                                        "signpost",
                                        ""};
    const char *code = PICK(r, codes), *type = k->is_plain ? types[0] : PICK(r, types);
    for (int c = 0; c < REQUIRED; c++) {
        struct buf cell = {0};
        switch (c) {
        case CODE: buf_z(&cell, code); break;
        case TYPE: buf_z(&cell, type); break;
        case DEVICE:
            if (k->is_plain || !random_one_in(r, 15))
                buf_printf(&cell, "%u", random_below(r, k->devices));
            else
                buf_z(&cell, random_one_in(r, 2) ? "" : "chip");
            break;
        case ATTRIBUTES: buf_z(&cell, PICK(r, attributes)); break;
        case MEMORY_0: buf_z(&cell, PICK(r, memories)); break;
        case START: buf_printf(&cell, "%u", 1000000 + row * 7); break;
        case CORES: put_number(r, &cell, k, 200); break;
        default: put_number(r, &cell, k, 100000); break;
        }
        csv_put(b, buf_view(&cell));
        buf_char(b, ',');
        buf_free(&cell);
    }
}

static void put_row(struct random *r, struct buf *b, const struct kind *k, uint32_t row)
{
    put_required(r, b, k, row);
    if (k->has_optional) {
        csv_put(b, str_of(PICK(r, fidelities)));
        for (int i = 0; i < 12; i++)
            buf_printf(b, ",%s", random_one_in(r, 2) ? "32" : PICK(r, sizes));
        for (int i = 0; i < 3; i++)
            buf_printf(b, ",%s", PICK(r, datatypes));
        for (int i = 0; i < 2; i++)
            buf_printf(b, ",%s", PICK(r, memories));
        buf_char(b, ',');
    }
    if (k->has_arch) {
        buf_z(b, random_one_in(r, 10)  ? "quasar"
                 : random_one_in(r, 3) ? ""
                                       : "wormhole_b0");
        buf_printf(b, ",%u,", random_below(r, 3) * 64);
    }
    buf_z(b, "\n");
}

static void put_head(struct buf *b, const struct kind *k)
{
    for (int c = 0; c < REQUIRED; c++)
        buf_printf(b, "%s,", required[c]);
    if (k->has_optional) {
        buf_z(b, "MATH FIDELITY");
        for (int i = 0; i < 12; i++)
            buf_printf(b, ",%s_%c_PAD[LOGICAL]",
                       i < 4   ? "INPUT_0"
                       : i < 8 ? "INPUT_1"
                               : "OUTPUT_0",
                       "WZYX"[i % 4]);
        buf_z(b,
              ",INPUT_0_DATATYPE,INPUT_1_DATATYPE,OUTPUT_0_DATATYPE,INPUT_1_MEMORY,"
              "OUTPUT_0_MEMORY,");
    }
    if (k->has_arch)
        buf_z(b, "DEVICE ARCH,AVAILABLE WORKER CORE COUNT,");
    buf_z(b, "MORE\n");
}

static struct kind random_kind(struct random *r)
{
    return (struct kind){.has_optional = !random_one_in(r, 4),
                         .has_arch = random_one_in(r, 3),
                         .devices = 1 + random_below(r, 4),
                         .rows = random_below(r, 40)};
}

static struct perf_options random_options(struct random *r)
{
    struct perf_options o = {.min_percentage = 0.5};
    o.ignore_signposts = random_one_in(r, 3);
    o.print_signposts = random_one_in(r, 3);
    o.start_signpost = random_one_in(r, 6) ? PICK(r, codes) : NULL;
    o.end_signpost = random_one_in(r, 6) ? PICK(r, codes) : NULL;
    o.tracing_mode = random_one_in(r, 4);
    o.no_host_ops = random_one_in(r, 4);
    o.no_merge_devices = random_one_in(r, 3);
    o.arch = random_one_in(r, 6) ? "blackhole" : NULL;
    if (random_one_in(r, 6)) {
        o.has_id_range = true;
        o.id_from = random_below(r, 10);
        o.id_to = random_below(r, 40);
    }
    return o;
}

// --- laws about one report ---

// A sum, and how much its terms could have lost by rounding.
struct sum {
    double v, size;
};

static void sum_add(struct sum *s, double x)
{
    s->v += x;
    s->size += fabs(x);
}

static bool sum_is(struct sum s, double want)
{
    return fabs(s.v - want) <= 1e-9 * (s.size + fabs(want)) + 1e-9;
}

static double time_of(const struct op *o)
{
    return o->has & HAS_TIME ? o->time : 0;
}

static void check_shares(const struct perf *p)
{
    struct sum shares = {0};
    bool any = false;
    for (size_t i = 0; i < p->n_ops; i++) {
        if (p->ops[i].has & HAS_SHARE) {
            any = true;
            sum_add(&shares, p->ops[i].share);
        }
    }
    if (any)
        (void)law_check(&laws[LAW_SHARES], fabs(shares.v - 100) <= 1e-8 * shares.size,
                        "%.17g", shares.v);
}

static bool is_in_order(const struct summary_group *a, const struct summary_group *b)
{
    int by_key = str_cmp(a->key, b->key);
    return a->time > b->time ||
           (a->time == b->time && (by_key < 0 || (by_key == 0 && a->device < b->device)));
}

static void check_group_shares(const struct summary *s)
{
    for (int32_t d = OPS_NO_DEVICE; d < 4; d++) {
        struct sum shares = {0}, times = {0};
        for (size_t i = 0; i < s->n_groups; i++) {
            if (s->groups[i].device == d) {
                sum_add(&shares, s->groups[i].share);
                sum_add(&times, s->groups[i].time);
            }
        }
        if (fabs(times.v) > 1e-6 * times.size)
            (void)law_check(&laws[LAW_GROUP_SHARES], sum_is(shares, 100),
                            "device %d: %.17g", d, shares.v);
    }
}

static void check_summary(struct perf *p, enum group_by by, bool by_device)
{
    uint64_t dropped = p->diag.entry[DIAG_NOT_IN_SUMMARY].count;
    struct summary s;
    summary_make(&s, p, by, by_device);
    dropped = p->diag.entry[DIAG_NOT_IN_SUMMARY].count - dropped;
    size_t n = 0, grouped = 0;
    struct sum times = {0}, group_times = {0};
    for (size_t i = 0; i < p->n_ops; i++) {
        const struct op *o = &p->ops[i];
        if (str_has(o->code, S("signpost")) || (by_device && o->device == OPS_NO_DEVICE))
            continue;
        n++;
        sum_add(&times, time_of(o));
    }
    for (size_t i = 0; i < s.n_groups; i++) {
        grouped += s.groups[i].n_ops;
        sum_add(&group_times, s.groups[i].time);
        if (i)
            (void)law_check(&laws[LAW_ORDER], is_in_order(&s.groups[i - 1], &s.groups[i]),
                            "group %zu: %.17g", i, s.groups[i].time);
    }
    (void)law_check(&laws[LAW_COUNTS], grouped + dropped == n,
                    "%zu and %llu dropped of %zu", grouped, (unsigned long long)dropped, n);
    if (by != GROUP_BY_MEMORY) {
        times.size += group_times.size;
        (void)law_check(&laws[LAW_TIMES], sum_is(times, group_times.v), "%.17g for %.17g",
                        group_times.v, times.v);
    }
    check_group_shares(&s);
    summary_free(&s);
}

static struct file csv_with(struct perf *p, const char *threads)
{
    (void)setenv("TTPROF_THREADS", threads, 1);
    struct file written = report_csv(p);
    (void)unsetenv("TTPROF_THREADS");
    return written;
}

static void count_rows(void *context, const struct csv_rows *rows)
{
    *(size_t *)context += rows->n;
}

static void check_csv(const struct perf *p, str text)
{
    struct arena a = {0};
    struct csv_header h;
    struct err e = {0};
    size_t n = 0;
    struct csv_plan plan = {.take = count_rows, .context = &n};
    bool ok = csv_header(text, &a, &h, &e) && h.n == PERF_OPS_COLUMNS &&
              csv_scan(text, &h, &plan, CSV_SLOW, &e) && n == p->n_ops;
    (void)law_check(&laws[LAW_RECTANGLE], ok, "%zu rows for %zu: %s", n, p->n_ops, e.text);
    arena_free(&a);
}

static void check_report(struct perf *p)
{
    check_shares(p);
    check_summary(p, GROUP_BY_OP, false);
    check_summary(p, GROUP_BY_MEMORY, false);
    check_summary(p, GROUP_BY_CATEGORY, false);
    check_summary(p, GROUP_BY_OP, true);
    report_outputs(p);
    struct file one = csv_with(p, "1"), four = csv_with(p, "4");
    (void)law_check(&laws[LAW_THREADS], str_eq(one.text, four.text), "%zu bytes and %zu",
                    one.text.n, four.text.n);
    check_csv(p, one.text);
    file_close(&one);
    file_close(&four);
}

// A report and the file it keeps the path of.
struct run {
    struct memory_file file;
    struct perf perf;
};

static bool run(struct run *x, str text, const struct perf_options *o)
{
    x->file = memory_file_make(text);
    const char *path = x->file.path;
    struct err e = {0};
    enum perf_status status = perf_run(&x->perf, &path, 1, o, &e);
    return law_check(&laws[LAW_RUNS], status == PERF_OK, "%s", e.text);
}

static void run_free(struct run *x)
{
    perf_free(&x->perf);
    memory_file_free(&x->file);
}

static void check_random(struct random *r)
{
    struct kind k = random_kind(r);
    struct perf_options o = random_options(r);
    struct buf b = {0};
    put_head(&b, &k);
    for (uint32_t i = 0; i < k.rows; i++)
        put_row(r, &b, &k, i);
    struct run x;
    if (run(&x, buf_view(&b), &o))
        check_report(&x.perf);
    run_free(&x);
    buf_free(&b);
}

// --- many rows ---

static void check_threads(struct random *r)
{
    struct kind k = {.has_optional = true, .devices = 1, .rows = 20000};
    struct perf_options o = {.ignore_signposts = true};
    struct buf b = {0};
    put_head(&b, &k);
    for (uint32_t i = 0; i < k.rows; i++)
        put_row(r, &b, &k, i);
    struct run x;
    if (run(&x, buf_view(&b), &o)) {
        struct file one = csv_with(&x.perf, "1"), four = csv_with(&x.perf, "4");
        (void)law_check(
            &laws[LAW_THREADS], x.perf.n_ops > 16384 && str_eq(one.text, four.text),
            "%zu rows, %zu bytes and %zu", x.perf.n_ops, one.text.n, four.text.n);
        check_csv(&x.perf, one.text);
        file_close(&one);
        file_close(&four);
    }
    run_free(&x);
    buf_free(&b);
}

// --- the order of the rows ---

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void sorted_times(const struct perf *p, double *times)
{
    for (size_t i = 0; i < p->n_ops; i++)
        times[i] = time_of(&p->ops[i]);
    qsort(times, p->n_ops, sizeof *times, by_value);
}

static void check_order(struct random *r)
{
    enum { MOST = 60 };
    struct kind k = {.is_plain = true, .has_optional = true, .devices = 1};
    struct perf_options o = {.ignore_signposts = true};
    struct buf rows[MOST] = {0}, a = {0}, b = {0};
    k.rows = 1 + random_below(r, MOST);
    put_head(&a, &k);
    put_head(&b, &k);
    for (uint32_t i = 0; i < k.rows; i++) {
        put_row(r, &rows[i], &k, i);
        buf_str(&a, buf_view(&rows[i]));
    }
    for (uint32_t i = k.rows; i > 1; i--) { // Fisher and Yates
        uint32_t other = random_below(r, i);
        struct buf swap = rows[i - 1];
        rows[i - 1] = rows[other];
        rows[other] = swap;
    }
    for (uint32_t i = 0; i < k.rows; i++) {
        buf_str(&b, buf_view(&rows[i]));
        buf_free(&rows[i]);
    }
    struct run p, q;
    bool ok = run(&p, buf_view(&a), &o), also = run(&q, buf_view(&b), &o);
    double x[MOST], y[MOST];
    size_t n = p.perf.n_ops;
    if (ok && also && n <= MOST && q.perf.n_ops == n) {
        sorted_times(&p.perf, x);
        sorted_times(&q.perf, y);
    }
    if (ok && also)
        (void)law_check(&laws[LAW_PERMUTED],
                        n == k.rows && q.perf.n_ops == n &&
                            memcmp(x, y, n * sizeof *x) == 0,
                        "%zu ops and %zu", n, q.perf.n_ops);
    run_free(&p);
    run_free(&q);
    buf_free(&a);
    buf_free(&b);
}

int main(void)
{
    struct random r = {4};
    uint64_t rounds = prop_rounds(500);
    for (uint64_t i = 0; i < rounds; i++) {
        check_random(&r);
        if (i % 8 == 0)
            check_order(&r);
    }
    check_threads(&r);
    return laws_report(laws, LAWS);
}
