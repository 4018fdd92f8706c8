// test_perf_data.c - durations of programs in mid-run. Spec: device-profiler 9.4.
#include "analyse/perf/perf_data.h"
#include "profiler/cpp_report_csv.h"
#include "sample_log.h"

static int64_t cores(const void *context, const struct trace_run *run)
{
    (void)run;
    return *(const int *)context;
}

// Reads rows as one dump and adds them.
static void add(struct perf_data *p, const char *rows, struct cpp_last *last, size_t n)
{
    struct sample_log s;
    struct cpp_report r;
    int available = 64;
    sample_log_read(&s, SAMPLE_CHIP, rows);
    cpp_report_make_next(&r, &s.trace, &s.ops, last, n);
    perf_data_add(p, &r, cores, &available);
    cpp_report_free(&r);
    sample_log_end(&s);
}

#define OP(chip, run, fw, kernel, kernel_end, fw_end)                                      \
    chip ",1,1,BRISC " #fw " " run " BRISC-FW START\n" chip ",1,1,BRISC " #kernel " " run  \
         " BRISC-KERNEL START\n" chip ",1,1,BRISC " #kernel_end " " run                    \
         " BRISC-KERNEL END\n" chip ",1,1,BRISC " #fw_end " " run " BRISC-FW END\n"

static const struct ttprof_analysis *analysis(const struct ttprof_program_perf *p,
                                              const char *name)
{
    for (size_t i = 0; i < p->n_analyses; i++)
        if (strcmp(p->analyses[i].name, name) == 0)
            return &p->analyses[i];
    fail_msg("no %s", name);
    return NULL;
}

TEST(perf_data_are_those_of_the_last_dump_and_of_all)
{
    struct perf_data p = {0};
    assert_null(perf_data_of(&p, 0));
    add(&p, OP("0", "2048", 300, 310, 350, 360) OP("0", "1024", 100, 110, 150, 170), NULL,
        0);
    const struct perf_set *set = perf_data_of(&p, 0);
    assert_int_equal(2, set->latest.n);
    assert_int_equal(2, set->all.n);
    // By the time of the firmware, not by id.
    assert_int_equal(1024, set->latest.v[0].runtime_id);
    assert_int_equal(2048, set->latest.v[1].runtime_id);
    add(&p, OP("0", "3072/7/2", 500, 510, 550, 570) OP("1", "1025", 5, 6, 7, 8), NULL, 0);
    set = perf_data_of(&p, 0);
    assert_int_equal(1, set->latest.n);
    assert_int_equal(3, set->all.n);
    assert_int_equal(3072, set->latest.v[0].runtime_id);
    assert_int_equal(7, set->latest.v[0].trace_id);
    assert_int_equal(2, set->latest.v[0].trace_counter);
    assert_true(set->all.v[0].trace_id == TTPROF_NONE);
    assert_int_equal(1, perf_data_of(&p, 1)->latest.n);
    // A dump that has nothing of the chip.
    add(&p, OP("1", "2049", 15, 16, 17, 18), NULL, 0);
    assert_int_equal(0, perf_data_of(&p, 0)->latest.n);
    assert_int_equal(3, perf_data_of(&p, 0)->all.n);
    assert_int_equal(2, perf_data_of(&p, 1)->all.n);
    perf_data_free(&p);
}

TEST(perf_data_tell_start_end_and_duration_of_every_analysis)
{
    struct perf_data p = {0};
    add(&p, OP("0", "1024", 100, 110, 150, 170), NULL, 0);
    const struct ttprof_program_perf *program = &perf_data_of(&p, 0)->latest.v[0];
    const struct ttprof_analysis *a = analysis(program, "DEVICE KERNEL DURATION [ns]");
    assert_int_equal(110, a->start);
    assert_int_equal(150, a->end);
    assert_int_equal(40, a->duration_ns);
    a = analysis(program, "DEVICE FW DURATION [ns]");
    assert_int_equal(70, a->duration_ns);
    a = analysis(program, "DEVICE ERISC KERNEL DURATION [ns]");
    assert_true(a->start == UINT64_MAX && a->end == 0 && a->duration_ns == 0);
    assert_int_equal(1, program->n_cores);
    assert_int_equal(64, program->n_available_cores);
    perf_data_free(&p);
}

TEST(perf_data_summaries_have_buckets_of_whole_hundreds)
{
    struct perf_data p = {0};
    struct ttprof_duration_summary s;
    // 1000, 1450 and 3500 ns, and one of 0, which does not count.
    add(&p,
        OP("0", "1024", 0, 10, 1010, 1020) OP("0", "2048", 2000, 2010, 3460, 3470)
            OP("0", "3072", 5000, 5010, 8510, 8520) OP("0", "4096", 9000, 9010, 9010, 9020),
        NULL, 0);
    perf_data_summary(&p, 0, true, 0, 0, 10, &s);
    assert_int_equal(3, s.count);
    assert_int_equal(1000, s.min_ns);
    assert_int_equal(3500, s.max_ns);
    REAL_IS(s.avg_ns, 5950.0 / 3);
    // A span of 2500 in tenths: 250, to the nearest hundred 300; from 900 on.
    assert_int_equal(300, s.bucket_width);
    assert_int_equal(900, s.bucket_start);
    assert_int_equal(10, s.n_buckets);
    assert_int_equal(1, s.buckets[0]); // 900 .. 1200
    assert_int_equal(1, s.buckets[1]); // 1200 .. 1500
    assert_int_equal(1, s.buckets[8]); // 3300 .. 3600
    assert_int_equal(0, s.underflow + s.overflow);
    // A tenth of 2340 is 234: rounded to 200 it would not reach, so it is 300.
    perf_data_summary(&p, 0, false, 1100, 3440, 10, &s);
    assert_int_equal(300, s.bucket_width);
    assert_int_equal(900, s.bucket_start);
    perf_data_summary(&p, 0, false, 1200, 1300, 2, &s);
    assert_int_equal(100, s.bucket_width);
    assert_int_equal(1200, s.bucket_start);
    assert_int_equal(1, s.underflow);
    assert_int_equal(2, s.overflow); // 1450 and 3500, from 1400 on
    perf_data_summary(&p, 0, true, 3400, 3500, 1, &s);
    assert_int_equal(100, s.bucket_width);
    assert_int_equal(1, s.overflow); // 3500, the first that is not inside
    perf_data_summary(&p, 5, true, 0, 0, 10, &s);
    assert_int_equal(0, s.count);
    assert_int_equal(1000000, s.bucket_width); // 100 .. 10000000
    assert_int_equal(0, s.bucket_start);
    perf_data_summary(&p, 0, true, 0, 0, 0, &s);
    assert_int_equal(0, s.n_buckets);
    assert_int_equal(3, s.count);
    perf_data_free(&p);
}

TEST(perf_data_are_described_as_the_runtime_does)
{
    struct perf_data p = {0};
    struct buf b = {0};
    add(&p,
        OP("0", "1024", 0, 10, 1010, 1020) OP("0", "2048", 2000, 2010, 3010, 3470)
            OP("0", "3072", 5000, 5010, 6910, 8520),
        NULL, 0);
    perf_data_describe(&p, 0, &b);
    str text = buf_view(&b);
    STR_IS(str_cut(&text, '\n'),
           "Device kernel duration perf summary (device=0): count=3, "
           "min=1000ns, avg=1300.0ns, max=1900ns");
    STR_IS(str_cut(&text, '\n'),
           "Device kernel duration perf histogram (device=0): (buckets=10, "
           "bucket_size=100ns, range=[1000..2000), underflow(<1000ns)=0, "
           "overflow(>=2000ns)=0)");
    STR_IS(str_cut(&text, '\n'),
           "  [        1000 ..         1100) |########################################|"
           "        2");
    for (int i = 0; i < 8; i++)
        (void)str_cut(&text, '\n');
    STR_IS(str_cut(&text, '\n'),
           "  [        1900 ..         2000) |####################                    |"
           "        1");
    STR_IS(text, "");
    b.n = 0;
    perf_data_describe(&p, 3, &b);
    STR_IS(buf_view(&b),
           "Device kernel duration perf summary (device=3): no 'DEVICE KERNEL "
           "DURATION [ns]' samples found in this dump\n");
    buf_free(&b);
    perf_data_free(&p);
}

// --- several dumps make one report

static str op_name(const void *context, const struct trace_run *run)
{
    return run->id == 1024 ? str_of(context) : S("");
}
static const struct cpp_facts facts = {op_name, NULL, "add, \"twice\""};
static struct cpp_last last[2] = {{.device = 1}, {.device = 0}};

static bool write_next(const struct sample_log *s, const char *path, struct err *e)
{
    struct cpp_report r;
    cpp_report_make_next(&r, &s->trace, &s->ops, last, 2);
    bool ok = cpp_report_put(&r, &facts, path, true, e);
    cpp_report_free(&r);
    return ok;
}

static void last_row_ends(const char *rows, const char *want)
{
    struct sample_log s;
    sample_log_read(&s, SAMPLE_CHIP, rows);
    str text = sample_log_file(&s, write_next);
    if (!str_ends(text, str_of(want)))
        fail_msg("%.*s", STR(text));
    sample_log_end(&s);
}

TEST(cpp_reports_of_several_dumps_go_on_from_each_other)
{
    memset(last[0].span, 0, sizeof last[0].span);
    memset(last[1].span, 0, sizeof last[1].span);
    last_row_ends(OP("0", "1024", 100, 110, 150, 170), ",0,0\n");
    // 60 cycles behind the kernel of the dump before; the other device starts anew.
    last_row_ends(OP("0", "2048", 200, 210, 250, 270), ",60,60\n");
    last_row_ends(OP("1", "2049", 300, 310, 350, 370), ",0,0\n");
    last_row_ends(OP("0", "3072", 300, 310, 350, 370), ",60,60\n");
}

TEST(cpp_reports_name_their_ops)
{
    struct sample_log s;
    sample_log_read(&s, SAMPLE_CHIP, OP("0", "1024", 100, 110, 150, 170));
    str text = sample_log_file(&s, write_next);
    assert_true(
        str_has(text, S("\n1024,,,0,wormhole_b0,\"add, \"\"twice\"\"\",1,64,,,0,70,")));
    sample_log_end(&s);
}
