// Statistics of ops against the truth: workloads run with a profile while every clock read
// and every marker's store is heard. What `ttprof device` finds in the log must be what
// follows from the clocks alone.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/device_run.h"
#include "analyse/ops/cpp_report.h"
#include "profiler/cpp_report_csv.h"
#include "profiler/device_profiler.h"
#include "test.h"
#include "workloads/workloads.h"

enum { READS = 4 }; // of a clock, that are remembered: halves are read more than once
enum slot { FW_START, FW_END, KERNEL_START, KERNEL_END, SLOTS };
enum { ALL = (1 << TT_RISCS) - 1, MOVERS = 1 << TT_BRISC | 1 << TT_NCRISC };

// One launch of a program on one core.
struct core_truth {
    uint32_t run_id;
    int16_t x, y;
    uint64_t slot[TT_RISCS][SLOTS]; // the clock that was read for it; 0: none
    uint64_t entry[TT_RISCS], exit[TT_RISCS];
    uint64_t read[TT_RISCS][READS];
    uint32_t n_reads[TT_RISCS];
};

struct truth {
    const struct tt_layout *layout;
    VEC(struct core_truth) cores;
    uint32_t n_ops, first_id;
    uint64_t n_unread; // stores of a time that no clock showed
};

static struct core_truth *core_of(struct truth *t, const ttdev_truth_event *e)
{
    for (size_t i = t->cores.n; i-- > 0;)
        if (t->cores.v[i].x == e->x && t->cores.v[i].y == e->y)
            return &t->cores.v[i];
    return NULL;
}

// The slots of main and child zones are the firmware's; their low words come last.
static void take_store(struct truth *t, struct core_truth *c, const ttdev_truth_event *e)
{
    uint32_t address = (uint32_t)(e->argument >> 32), low = (uint32_t)e->argument;
    uint32_t word = (address - t->layout->profiler_buffers) / 4;
    uint32_t risc = word / TT_CHUNK_WORDS, at = word % TT_CHUNK_WORDS;
    if (risc != e->risc || at < TT_CHUNK_GUARANTEED || at >= TT_CHUNK_CUSTOM || !(at & 1) ||
        low == TT_MARKER_VALID)
        return;
    for (uint32_t i = 0; i < READS; i++) {
        if ((uint32_t)c->read[risc][i] != low)
            continue;
        c->slot[risc][(at - TT_CHUNK_GUARANTEED) / 2] = c->read[risc][i];
        return;
    }
    t->n_unread++;
}

// Ids are those of the process: the first one of a run is not always 1.
static void note_id(struct truth *t, uint32_t id)
{
    if (!t->n_ops)
        t->first_id = id;
    t->n_ops = id - t->first_id + 1 > t->n_ops ? id - t->first_id + 1 : t->n_ops;
}

static void hear(void *context, const ttdev_truth_event *e)
{
    struct truth *t = context;
    if (e->kind == TTDEV_TRUTH_LAUNCH) {
        vec_push(&t->cores, ((struct core_truth){
                                .run_id = (uint32_t)e->argument, .x = e->x, .y = e->y}));
        note_id(t, (uint32_t)e->argument);
        return;
    }
    struct core_truth *c = e->risc < TT_RISCS ? core_of(t, e) : NULL;
    if (!c)
        return;
    switch (e->kind) {
    case TTDEV_TRUTH_KERNEL_ENTRY: c->entry[e->risc] = e->cycle; break;
    case TTDEV_TRUTH_KERNEL_EXIT: c->exit[e->risc] = e->cycle; break;
    case TTDEV_TRUTH_CLOCK_READ:
        c->read[e->risc][c->n_reads[e->risc]++ % READS] = e->argument;
        break;
    case TTDEV_TRUTH_MARKER_STORE: take_store(t, c, e); break;
    default: break;
    }
}

// --- the run ---------------------------------------------------------------------------
struct profiled_run {
    char folder[64];
    struct truth truth;
    struct device_run log;
    struct buf messages;
    double hz;
};

static void use_defaults(struct run *r, const struct workload *w)
{
    for (size_t i = 0; i < w->n_settings; i++)
        r->setting[w->settings[i].id] = w->settings[i].normal;
}

static void read_log(struct profiled_run *p)
{
    char path[120];
    struct file file;
    struct err e = {0};
    (void)snprintf(path, sizeof path, "%s/.logs/profile_log_device.csv", p->folder);
    assert_true(file_open(path, &file, &e));
    assert_true(device_run(&p->log, file.text, NULL));
    file_close(&file);
}

static void profile_workload(struct profiled_run *p, const struct workload *w,
                             const char *config)
{
    struct run r = {.timeout_ns = 1000000000, .hear = hear, .hear_context = &p->truth};
    struct profiler_options o;
    struct tt_access access;
    ttdev_cfg cfg;
    struct err e = {0};
    *p = (struct profiled_run){.folder = "/tmp/ttprof-truth-XXXXXX"};
    assert_non_null(mkdtemp(p->folder));
    profiler_options_default(&o);
    assert_true(profiler_options_set(&o, S("TT_METAL_DEVICE_PROFILER"), S("1"), &e));
    assert_true(
        profiler_options_set(&o, S("TT_METAL_PROFILER_CPP_POST_PROCESS"), S("1"), &e));
    assert_true(
        profiler_options_set(&o, S("TT_METAL_PROFILER_DIR"), str_of(p->folder), &e));
    assert_true(profiler_options_settle(&o, &p->messages, &e));
    ttdev_cfg_default(&cfg);
    assert_int_equal(ttdev_cfg_parse(&cfg, config, &e), 0);
    cfg.variant = profiler_variant(&o);
    cfg.region_bytes = profiler_region_bytes(&o, &p->messages);
    use_defaults(&r, w);
    p->truth.layout = &tt_layouts[cfg.arch];
    run_open(&r, w, &cfg);
    p->hz = r.info.hz;
    ttdev_access(r.t, &access);
    ttprof_profiler *profiler = device_profiler_open(&access, &o, &p->messages, &e);
    assert_non_null(profiler);
    w->run(&r);
    assert_int_equal(r.n_failures, 0);
    assert_true(device_profiler_close(profiler, &e));
    run_close(&r);
    read_log(p);
}

static void profiled_free(struct profiled_run *p)
{
    char command[100];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", p->folder);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c)
    device_run_free(&p->log);
    buf_free(&p->messages);
    vec_free(&p->truth.cores);
}

// --- what follows from the clocks ------------------------------------------------------
static const struct want {
    const char *name;
    int cpp; // number of the same in the runtime's report
    enum slot start, end;
    unsigned start_riscs, end_riscs;
} wants[] = {
    {"device_kernel_first_to_last_start", 2, KERNEL_START, KERNEL_START, ALL, ALL},
    {"device_fw_duration", CPP_FIRMWARE, FW_START, FW_END, ALL, ALL},
    {"device_kernel_duration", CPP_KERNEL, KERNEL_START, KERNEL_END, ALL, ALL},
    {"device_kernel_duration_dm_start", CPP_DATA_MOVER, KERNEL_START, KERNEL_END, MOVERS,
     ALL},
    {"device_brisc_kernel_duration", 6, KERNEL_START, KERNEL_END, 1 << TT_BRISC,
     1 << TT_BRISC},
    {"device_ncrisc_kernel_duration", 7, KERNEL_START, KERNEL_END, 1 << TT_NCRISC,
     1 << TT_NCRISC},
    {"device_trisc0_kernel_duration", 8, KERNEL_START, KERNEL_END, 1 << TT_TRISC0,
     1 << TT_TRISC0},
    {"device_trisc1_kernel_duration", 9, KERNEL_START, KERNEL_END, 1 << TT_TRISC1,
     1 << TT_TRISC1},
    {"device_trisc2_kernel_duration", 10, KERNEL_START, KERNEL_END, 1 << TT_TRISC2,
     1 << TT_TRISC2},
};
enum { WANTS = sizeof wants / sizeof *wants };

struct extent {
    uint64_t first, last;
    uint32_t n_cores;
};

static void widen(struct extent *x, const struct core_truth *c, const struct want *w)
{
    for (int risc = 0; risc < TT_RISCS; risc++) {
        uint64_t start = c->slot[risc][w->start], end = c->slot[risc][w->end];
        if (w->start_riscs >> risc & 1 && start && start < x->first)
            x->first = start;
        if (w->end_riscs >> risc & 1 && end > x->last)
            x->last = end;
    }
    x->n_cores++;
}

static struct extent extent_of(const struct truth *t, uint32_t run_id, const struct want *w)
{
    struct extent x = {.first = UINT64_MAX};
    for (size_t i = 0; i < t->cores.n; i++)
        if (t->cores.v[i].run_id == run_id)
            widen(&x, &t->cores.v[i], w);
    return x;
}

// The kernel's zone lies in the kernel, which lies in the firmware's zone; start-up code is
// outside of it, and not much.
static void check_truth(const struct truth *t)
{
    assert_int_equal(t->n_unread, 0);
    for (size_t i = 0; i < t->cores.n; i++) {
        for (int risc = 0; risc < TT_RISCS; risc++) {
            const struct core_truth *c = &t->cores.v[i];
            const uint64_t *slot = c->slot[risc];
            if (!c->entry[risc]) { // an op that only moves data leaves TRISCs out
                assert_int_equal(slot[KERNEL_START] | slot[KERNEL_END], 0);
                assert_in_range(risc, TT_TRISC0, TT_TRISC2);
                continue;
            }
            uint64_t order[] = {slot[FW_START],   c->entry[risc], slot[KERNEL_START],
                                slot[KERNEL_END], c->exit[risc],  slot[FW_END]};
            for (int k = 0; k < 5; k++)
                assert_in_range(order[k], 1, order[k + 1] - 1);
            uint64_t around = order[4] - order[1] - (order[3] - order[2]);
            assert_in_range(around, 1, 300);
        }
    }
}

// --- comparison ------------------------------------------------------------------------
static uint32_t run_id_of(const struct device_run *log, uint32_t op)
{
    return (uint32_t)(log->trace.runs.v[log->ops.v[op].run].id >> 10);
}

static void check_device_stats(const struct analysed *a, const struct truth *t,
                               const struct want *w)
{
    uint64_t sum = 0, most = 0, least = UINT64_MAX;
    uint32_t n = 0;
    for (uint32_t id = t->first_id; id < t->first_id + t->n_ops; id++) {
        struct extent x = extent_of(t, id, w);
        if (!x.last)
            continue;
        n++;
        sum += x.last - x.first;
        most = most > x.last - x.first ? most : x.last - x.first;
        least = least < x.last - x.first ? least : x.last - x.first;
    }
    assert_int_equal(a->device[0].count, n);
    assert_int_equal(a->device[0].sum, sum);
    assert_int_equal(a->device[0].max, most);
    assert_int_equal(a->device[0].min, least);
    REAL_IS(a->device[0].average, (double)sum / n);
}

static void check_analyses(const struct profiled_run *p)
{
    for (size_t i = 0; i < WANTS; i++) {
        const struct want *w = &wants[i];
        const struct analysed *a = device_analysis_find(&p->log.analysis, str_of(w->name));
        assert_non_null(a);
        assert_in_range(a->results.n, 1, p->truth.n_ops);
        for (size_t k = 0; k < a->results.n; k++) {
            const struct result *r = &a->results.v[k];
            uint32_t id = run_id_of(&p->log, r->group);
            struct extent x = extent_of(&p->truth, id, w);
            if (r->cycles != x.last - x.first)
                fail_msg("%s of op %u: %llu cycles, in truth %llu", w->name, id,
                         (unsigned long long)r->cycles,
                         (unsigned long long)(x.last - x.first));
            assert_int_equal(p->log.ops.v[r->group].n_cores, x.n_cores);
            assert_true(p->log.ops.v[r->group].is_complete);
        }
        check_device_stats(a, &p->truth, w);
    }
}

// One result for each core of each op: the sums say that none is missing or too long.
static void check_cores(const struct profiled_run *p)
{
    const struct analysed *a =
        device_analysis_find(&p->log.analysis, S("device_kernel_duration_per_core"));
    const struct want *w = &wants[2];
    uint64_t sum = 0, squares = 0, got = 0, got_squares = 0;
    for (size_t i = 0; i < p->truth.cores.n; i++) {
        struct extent x = {.first = UINT64_MAX};
        widen(&x, &p->truth.cores.v[i], w);
        sum += x.last - x.first;
        squares += (x.last - x.first) * (x.last - x.first);
    }
    assert_non_null(a);
    for (size_t i = 0; i < a->results.n; i++) {
        got += a->results.v[i].cycles;
        got_squares += a->results.v[i].cycles * a->results.v[i].cycles;
    }
    assert_int_equal(a->results.n, p->truth.cores.n);
    assert_int_equal(got, sum);
    assert_int_equal(got_squares, squares);
}

static void check_row(const struct profiled_run *p, const struct cpp_report *report,
                      uint32_t op)
{
    struct cpp_row row;
    cpp_report_row(report, op, &row);
    for (size_t i = 0; i < WANTS; i++) {
        const struct cpp_span *s = &row.span[wants[i].cpp];
        struct extent x = extent_of(&p->truth, run_id_of(&p->log, op), &wants[i]);
        nanos ns = {0};
        bool has_duration = cpp_report_duration(report, s, &ns);
        assert_int_equal(has_duration, x.last != 0);
        if (!has_duration)
            continue;
        assert_int_equal(s->start.v, x.first);
        assert_int_equal(s->end.v, x.last);
        double want = (double)(x.last - x.first) * 1e9 / p->hz;
        assert_int_equal(ns.v, (int64_t)(want + 0.5));
        assert_int_equal(row.n_cores, x.n_cores);
    }
}

enum { OP_NAME = 5 }; // a column: the log does not have it

static void check_line(str wrote, str made)
{
    for (int cell = 0; wrote.n || made.n; cell++) {
        str a = str_cut(&wrote, ','), b = str_cut(&made, ',');
        if (cell != OP_NAME)
            test_str_is(a, b, __FILE__, __LINE__);
        else
            assert_true(a.n > 0);
    }
}

// The report that the profiler wrote is the one that follows from its log.
static void check_file(const struct profiled_run *p)
{
    char made[120], wrote[120];
    struct file a, b;
    struct err e = {0};
    (void)snprintf(made, sizeof made, "%s/again.csv", p->folder);
    (void)snprintf(wrote, sizeof wrote, "%s/.logs/cpp_device_perf_report.csv", p->folder);
    assert_true(cpp_report_write(&p->log.trace, &p->log.ops, made, &e));
    assert_true(file_open(made, &a, &e));
    assert_true(file_open(wrote, &b, &e));
    str rest = a.text, others = b.text;
    while (rest.n || others.n)
        check_line(str_cut(&others, '\n'), str_cut(&rest, '\n'));
    file_close(&a);
    file_close(&b);
}

static void check_report(const struct profiled_run *p)
{
    struct cpp_report report;
    cpp_report_make(&report, &p->log.trace, &p->log.ops);
    assert_int_equal(p->log.ops.n, p->truth.n_ops);
    for (uint32_t op = 0; op < p->log.ops.n; op++)
        check_row(p, &report, op);
    cpp_report_free(&report);
    check_file(p);
}

static void check_workload(const struct workload *w, const char *config, uint32_t ops)
{
    struct profiled_run p;
    profile_workload(&p, w, config);
    assert_int_equal(p.truth.n_ops, ops);
    assert_int_equal(p.log.ops.n_incomplete, 0);
    check_truth(&p.truth);
    check_analyses(&p);
    check_cores(&p);
    check_report(&p);
    profiled_free(&p);
}

TEST(truth_is_what_the_statistics_of_mlp_say)
{
    check_workload(&workload_mlp, "board=n150", 3);
    check_workload(&workload_mlp, "arch=blackhole board=p150", 3);
}

TEST(truth_is_what_the_statistics_of_a_transformer_block_say)
{
    check_workload(&workload_transformer_block, "board=n150", 20);
}
