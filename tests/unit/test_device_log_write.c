// test_device_log_write.c - traces to device logs. Spec: device-profiler 12.2.
#include <stdlib.h>

#include "../support/device_run.h"
#include "../support/memory_file.h"
#include "formats/device_log/device_log.h"
#include "formats/device_log/device_log_write.h"
#include "test.h"

// What a trace is written as; the file is the caller's.
static struct file written(const struct trace *t)
{
    struct memory_file m = memory_file_make(S(""));
    struct file f = {0};
    struct err e = {0};
    if (!device_log_write(t, m.path, true, &e) || !file_open(m.path, &f, &e))
        fail_msg("%s", e.text);
    memory_file_free(&m);
    return f;
}

// Reads a log and writes it again.
static void becomes(str text, str want)
{
    struct device_run r;
    if (!device_run_read(&r, text))
        fail_msg("%s", r.e.text);
    struct file f = written(&r.trace);
    test_str_is(f.text, want, __FILE__, __LINE__);
    file_close(&f);
    device_run_free(&r);
}
#define BECOMES(text, want) becomes(S(text), S(want))

TEST(device_log_write_gives_every_field_back)
{
    static const char text[] = LOG_HEAD
        "0,1,2,BRISC,23359,8589938688,0,7168,,,BRISC-FW,ZONE_START,433,tt_metal/brisc.cc,\n"
        "0,1,2,BRISC,56776,8589938688,420,7168,,,SUM-ZONE,ZONE_TOTAL,22,kernels/"
        "reader.cpp,\n"
        "0,1,2,BRISC,1,8589938958,0,7168,,,,TS_EVENT,0,,\n"
        "0,1,2,BRISC,9090,8589939538,4294967296640,7168,,,,TS_DATA,0,,{\"counter "
        "type\":\"MATH_COUNTER\";\"ref cnt\":1000;\"value\":640}\n"
        "0,1,2,BRISC,23359,8589943688,18446744073709551615,8192,5,1,BRISC-FW,ZONE_END,433,"
        "tt_metal/brisc.cc,\n"
        "3,-4,17,ERISC,7,0,0,0,0,0,a b,NEW_TYPE,,x.cc,{\"a\":1,\"b\":2}\n";
    becomes(S(text), S(text));
}

TEST(device_log_write_leaves_out_what_the_log_did_not_say)
{
    BECOMES("ARCH: blackhole, CHIP_FREQ[MHz]: 1350\n" LOG_NAMES_LINE,
            "ARCH: blackhole, CHIP_FREQ[MHz]: 1350\n" LOG_NAMES_LINE);
}

TEST(device_log_write_says_which_grid_its_cores_are)
{
    BECOMES(
        "ARCH: blackhole, CHIP_FREQ[MHz]: 1350, Max Compute Cores: 140, Dispatch: "
        "slow\n" LOG_NAMES_LINE,
        "ARCH: blackhole, CHIP_FREQ[MHz]: 1350, Max Compute Cores: 140, Dispatch: "
        "slow\n" LOG_NAMES_LINE);
}

TEST(device_log_write_gives_old_forms_in_the_current_one)
{
    BECOMES(
        "ARCH: grayskull, CHIP_FREQ[MHz]: 1202\n"
        "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since "
        "reset], stat value, Run ID, zone name, zone phase, source line, source file\n"
        "0, 1, 1, BRISC, 7, 100, 0, 2, Z, begin, 3, a.cc\n"
        "0, 1, 1, BRISC, 65543, 120, 0, 2, Z, end, 3, a.cc\n",
        "ARCH: grayskull, CHIP_FREQ[MHz]: 1202\n" LOG_NAMES_LINE
        "0,1,1,BRISC,7,100,0,2,,,Z,ZONE_START,3,a.cc,\n"
        "0,1,1,BRISC,7,120,0,2,,,Z,ZONE_END,3,a.cc,\n");
    BECOMES("Chip clock is at 1.2 GHz\n" LOG_LEGACY_NAMES
            "3, 1, 1, BRISC, 1, 100\n"
            "3, 1, 1, BRISC, 4, 200\n",
            "ARCH: grayskull, CHIP_FREQ[MHz]: 1200\n" LOG_NAMES_LINE
            "3,1,1,BRISC,1,100,0,0,,,BRISC-FW,ZONE_START,,,\n"
            "3,1,1,BRISC,4,200,0,0,,,BRISC-FW,ZONE_END,,,\n");
}

TEST(device_log_write_leaves_out_the_markers_that_legacy_analyses_put_in_front)
{
    struct device_run r;
    assert_true(device_run(&r,
                           S("Chip clock is at 1.2 GHz\n" LOG_LEGACY_NAMES
                             "3, 1, 1, BRISC, 1, 100\n3, 1, 1, BRISC, 4, 200\n"),
                           NULL));
    assert_true(r.trace.has_t0);
    struct file f = written(&r.trace);
    STR_IS(f.text, "ARCH: grayskull, CHIP_FREQ[MHz]: 1200\n" LOG_NAMES_LINE
                   "3,1,1,BRISC,1,100,0,0,,,BRISC-FW,ZONE_START,,,\n"
                   "3,1,1,BRISC,4,200,0,0,,,BRISC-FW,ZONE_END,,,\n");
    file_close(&f);
    device_run_free(&r);
}

TEST(device_log_write_keeps_commas_and_line_ends_of_names_out_of_the_rows)
{
    struct device_run r;
    assert_true(device_run_read(&r, S(LOG_HEAD "0,1,1,BRISC,5,9,1,0,,,N,TS_DATA,1,F,M\n")));
    struct trace *t = &r.trace;
    t->sites.v[0].name = map_put(&t->strings, S("a,b\nc\td\xC3\xA4"));
    t->sites.v[0].file = map_put(&t->strings, S("x,y.cc\r"));
    t->data.v[0].meta = "{\"k\":\"\n\",\"l\":1}";
    t->data.v[0].meta_n = 15;
    struct file f = written(t);
    STR_IS(f.text, LOG_HEAD
           "0,1,1,BRISC,5,9,1,0,,,a;b?c?d\xC3\xA4,TS_DATA,1,x;y.cc?,"
           "{\"k\":\"?\",\"l\":1}\n");
    file_close(&f);
    device_run_free(&r);
}

// The merged log of a run: dispatch cores name programs, too.
TEST(device_log_write_raises_the_programs_of_several_logs_also_in_metadata)
{
#define LAUNCHED(program) "0,1,1,BRISC,7,100,0," program ",,,BRISC-FW,ZONE_START,1,a.cc,\n"
#define DATUM(data, meta) "0,1,11,BRISC,5,90," data ",0,,,x,TS_DATA,1,d.cc,{" meta "}\n"
#define ID                "\"workers_runtime_id\":"
#define ZONE(program)                                                                      \
    "0,1,11,BRISC,6,95,0," program ",,,CQ-DISPATCH:0:OFFSET:" program                      \
    ":MCAST;1,ZONE_START,1,d.cc,\n"
    static const char first[] =
        LOG_HEAD LAUNCHED("1024") DATUM("1024", ID "1024") ZONE("1024");
    struct memory_file file[3] = {
        memory_file_make(str_of(first)), memory_file_make(str_of(first)),
        memory_file_make(S(LOG_HEAD LAUNCHED("2048")
                               DATUM("3", "\"a\":7;" ID " 2048;\"b\":8") DATUM("0", ID "0")
                                   DATUM("7", ID "no number")))};
    struct log_part parts[3] = {{file[0].path, 11, 1, 0, 0},
                                {file[1].path, 22, 1, 3, 0},
                                {file[2].path, 22, 2, 4, 0}};
    struct trace t = {0};
    struct err e = {0};
    assert_true(device_logs_read(&t, parts, 3, &e));
    struct file f = written(&t);
    STR_IS(f.text, LOG_HEAD LAUNCHED("1024") DATUM("1024", ID "1024") ZONE("1024")
                       LAUNCHED("4096") DATUM("4096", ID "4096") ZONE("4096")
                           LAUNCHED("6144") DATUM("3", "\"a\":7;" ID " 6144;\"b\":8")
                               DATUM("0", ID "0") DATUM("7", ID "no number"));
    file_close(&f);
    trace_free(&t);
    for (int i = 0; i < 3; i++)
        memory_file_free(&file[i]);
}

TEST(device_log_write_appends_rows_and_heads_a_file_once)
{
    static const char row[] = "0,1,1,BRISC,5,9,1,0,,,N,TS_DATA,1,F,\n";
    char folder[] = "unit-XXXXXX", path[32];
    struct device_run r;
    struct err e = {0};
    struct file f;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/log.csv", folder);
    assert_true(device_run_read(&r, S(LOG_HEAD "0,1,1,BRISC,5,9,1,0,,,N,TS_DATA,1,F,\n")));
    assert_true(device_log_write(&r.trace, path, true, &e));
    assert_true(device_log_write(&r.trace, path, true, &e));
    assert_true(file_open(path, &f, &e));
    assert_int_equal(f.text.n, strlen(LOG_HEAD) + 2 * strlen(row));
    assert_true(str_ends(f.text, S(row)));
    file_close(&f);
    // A new file takes the place of the old one.
    assert_true(device_log_write(&r.trace, path, false, &e));
    assert_true(file_open(path, &f, &e));
    assert_int_equal(f.text.n, strlen(LOG_HEAD) + strlen(row));
    file_close(&f);
    assert_int_equal(0, unlink(path));
    assert_false(device_log_write(&r.trace, folder, true, &e));
    assert_int_equal(ERR_IO, e.code);
    assert_int_equal(0, rmdir(folder));
    device_run_free(&r);
}

// Real logs, where they are at hand. Rows of the second one do not stand by time, so that
// they change places.
TEST(device_log_write_gives_golden_logs_byte_for_byte)
{
    static const struct {
        const char *name;
        bool is_in_order;
    } logs[] = {
        {"real_wh_excerpt", true}, {"syn_counters", false}, {"syn_multi_device", true}};
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
        char path[256];
        str folder = str_of(__FILE__); // seen from the build folder, where tests run
        folder.n -= strlen("test_device_log_write.c");
        (void)snprintf(path, sizeof path,
                       "%.*s../../../shared/golden/device-log/%s/profile_log_device.csv",
                       STR(folder), logs[i].name);
        struct trace t = {0};
        struct err e = {0};
        if (access(path, R_OK) != 0)
            skip();
        assert_true(device_log_read(&t, path, &e));
        struct file f = written(&t);
        if (logs[i].is_in_order && !str_eq(f.text, t.files.v[0].text))
            fail_msg("%s: other bytes", path);
        uint64_t sums[2] = {0};
        for (size_t k = 0; k < t.files.v[0].text.n && k < f.text.n; k++) {
            sums[0] += (unsigned char)t.files.v[0].text.p[k];
            sums[1] += (unsigned char)f.text.p[k];
        }
        assert_int_equal(t.files.v[0].text.n, f.text.n);
        assert_int_equal(sums[0], sums[1]);
        file_close(&f);
        trace_free(&t);
    }
}
