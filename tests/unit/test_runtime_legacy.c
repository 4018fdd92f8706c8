// test_runtime_legacy.c - the op profiler of 2023: its stack, and the files that it leaves.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/file/folder.h"

#include "sample_runtime.h"

struct place {
    char folder[64];
};

static struct place place_open(bool has_device)
{
    struct place p;
    (void)snprintf(p.folder, sizeof p.folder, "/tmp/ttprof-legacy-XXXXXX");
    assert_non_null(mkdtemp(p.folder));
    assert_int_equal(setenv("TT_METAL_PROFILER_DIR", p.folder, 1), 0);
    if (has_device)
        assert_int_equal(setenv("TT_METAL_DEVICE_PROFILER", "1", 1), 0);
    return p;
}

static void place_close(struct place *p)
{
    struct err e = {0};
    ttrt_set_profiler_location(NULL);
    (void)unsetenv("TT_METAL_DEVICE_PROFILER");
    (void)unsetenv("TT_METAL_PROFILER_DIR");
    assert_true(folder_delete(p->folder, &e));
}

// Line i of a file of the folder; empty: there is none.
static void read_line(const struct place *p, const char *name, int i, char *out, size_t n)
{
    char path[256];
    struct err e = {0};
    struct file f;
    str line = {0};
    (void)snprintf(path, sizeof path, "%s/.logs/%s", p->folder, name);
    if (!file_open(path, &f, &e))
        fail_msg("%s", e.text);
    str rest = f.text;
    for (int k = 0; k <= i; k++)
        line = str_cut(&rest, '\n');
    (void)snprintf(out, n, "%.*s", STR(line));
    file_close(&f);
}

// What stands in a column, without the blank in front.
static str cell(str row, int column)
{
    str found = {0};
    for (int i = 0; i <= column; i++)
        found = str_cut(&row, ',');
    return str_trim(found);
}

TEST(runtime_legacy_ops_leave_a_row_for_each_call)
{
    struct place p = place_open(false);
    char line[1024];
    ttrt_set_profiler_location("run/ "); // blanks and slashes at the end go
    ttrt_start_profiling("outer,1", "custom_zone");
    char type[] = "python_fallback";
    ttrt_start_profiling("inner", type);
    memset(type, 'x', sizeof type - 1); // the caller's own
    assert_int_equal(ttrt_append_meta_data("a, b-c"), 0);
    assert_int_equal(ttrt_append_meta_data("second"), 0);
    ttrt_set_preferred_name("best");
    assert_int_equal(ttrt_stop_profiling("outer,1"), -EINVAL);
    assert_int_equal(ttrt_stop_profiling("inner"), 0);
    assert_int_equal(ttrt_stop_profiling("outer,1"), 0);
    assert_int_equal(ttrt_stop_profiling("outer,1"), -EINVAL);
    assert_int_equal(ttrt_append_meta_data("nobody"), -EINVAL);

    read_line(&p, "run/inner_best/profile_log_host.csv", 0, line, sizeof line);
    assert_string_equal(
        line,
        "Name, Start timer count [ns], Stop timer count [ns], Delta timer count [ns], "
        "Global Call Count, Call Count, Stack Size, Inputs, Outputs, Math Fidelity, "
        "Compute Kernel Paths, Compute Kernel Hashes, Data Movement Kernel Paths, "
        "Data Movement Kernel Hashes, Parallelization Strategy, Preferred Name, "
        "Meta Data, Type, PM Ideal ns, PM Compute ns, PM Bandwidth ns, PM Req I BW, "
        "PM Req O BW");
    read_line(&p, "run/inner_best/profile_log_host.csv", 1, line, sizeof line);
    STR_IS(cell(str_of(line), 0), "inner_best");
    STR_IS(cell(str_of(line), 5), "1"); // call count
    STR_IS(cell(str_of(line), 6), "2"); // stack size
    STR_IS(cell(str_of(line), 15), "best");
    STR_IS(cell(str_of(line), 16), "a; b_c-second");
    STR_IS(cell(str_of(line), 17), "python_fallback");
    read_line(&p, "run/outer;1/profile_log_host.csv", 1, line, sizeof line);
    STR_IS(cell(str_of(line), 6), "1");
    read_line(&p, ".locations.log", 0, line, sizeof line);
    assert_non_null(strstr(line, "/.logs/run"));

    ttrt_set_profiler_location("run/../.."); // it would be deleted: told, and passed over
    ttrt_set_profiler_location("run");       // the same: it goes on
    ttrt_start_profiling("outer,1", NULL);
    assert_int_equal(ttrt_stop_profiling("outer,1"), 0);
    read_line(&p, "run/outer;1/profile_log_host.csv", 2, line, sizeof line);
    STR_IS(cell(str_of(line), 5), "2");
    STR_IS(cell(str_of(line), 17), "custom_zone");
    place_close(&p);
}

TEST(runtime_legacy_ops_of_the_device_tell_tensors_kernels_and_calls)
{
    struct place p = place_open(false);
    struct sample_runtime s;
    char line[2048];
    sample_runtime_open(&s, "arch=wormhole");
    ttrt_tensor *a = sample_tensor(s.m, ttrt_spec2(32, 40), 1, "a");
    ttrt_set_profiler_location("ops");
    (void)sample_add(s.m, "x", a, a);
    sample_runtime_close(&s);
    read_line(&p, "ops/SampleAdd/profile_log_host.csv", 1, line, sizeof line);
    STR_IS(cell(str_of(line), 7),
           "1_1_32_64|TILE|BFLOAT16|DEV_0_DRAM_INTERLEAVED-"
           "1_1_32_64|TILE|BFLOAT16|DEV_0_DRAM_INTERLEAVED");
    STR_IS(cell(str_of(line), 9), "HiFi4");
    STR_IS(cell(str_of(line), 10), "workloads/eltwise_add/add.compute.c");
    STR_IS(cell(str_of(line), 12),
           "workloads/eltwise_add/read.ncrisc.c|"
           "workloads/eltwise_add/write.brisc.c");
    STR_IS(cell(str_of(line), 16), "scheme=x-depth=2");
    STR_IS(cell(str_of(line), 17), "tt_dnn_device");
    STR_IS(cell(str_of(line), 18), "14");
    STR_IS(cell(str_of(line), 21), "292.5714416503906|292.5714416503906");
    read_line(&p, "ops/SampleAdd/1/profile_log_host.csv", 1, line, sizeof line);
    STR_IS(cell(str_of(line), 0), "CompileProgram");
    read_line(&p, "ops/SampleAdd/1/profile_log_host.csv", 3, line, sizeof line);
    STR_IS(cell(str_of(line), 0), "EnqueueProgram");
    place_close(&p);
}

TEST(runtime_legacy_ops_have_the_rows_of_the_device_for_each_call)
{
    struct place p = place_open(true);
    char line[1024], why[256] = "";
    ttrt *m = ttrt_open("arch=wormhole", why);
    assert_string_equal(why, "");
    ttrt_use_grid(m, 1, 1);
    ttrt_tensor *a = sample_tensor(m, ttrt_spec2(32, 32), 1, "a");
    ttrt_set_profiler_location("ops");
    for (int i = 0; i < 2; i++)
        (void)sample_add(m, "x", a, a);
    assert_string_equal(ttrt_error(m), "");
    assert_int_equal(ttrt_close(m), 0);
    char runs[2][32];
    for (int i = 0; i < 2; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "ops_device/SampleAdd/%d/profile_log_device.csv",
                       i + 1);
        read_line(&p, name, 0, line, sizeof line);
        assert_true(str_starts(str_of(line), S("ARCH: wormhole_b0")));
        read_line(&p, name, 2, line, sizeof line);
        (void)snprintf(runs[i], sizeof runs[i], "%.*s", STR(cell(str_of(line), 7)));
    }
    assert_true(strtol(runs[1], NULL, 10) == strtol(runs[0], NULL, 10) + 1024);
    place_close(&p);
}
