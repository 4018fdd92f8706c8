// test_profiler_api.c - the profiler for programs in C, on the software device: attach,
// read, dump, detach, figures of programs.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/text/csv.h"
#include "base/text/num.h"

#include "analyse/ops/cpp_report.h"
#include "profiler/device_profiler.h"
#include "sim/ttdev.h"
#include "test.h"

static const char *const used[] = {
    "TT_METAL_DEVICE_PROFILER",
    "TT_METAL_PROFILER_DIR",
    "TT_METAL_PROFILER_MID_RUN_DUMP",
    "TT_METAL_PROFILER_CPP_POST_PROCESS",
    "TT_METAL_TRACE_PROFILER",
    "TT_METAL_DPRINT_CORES",
    "TTML_NAIVE_PROFILER",
};

static void forget_environment(void)
{
    for (size_t i = 0; i < sizeof used / sizeof *used; i++)
        (void)unsetenv(used[i]);
}

// A device with a profiler on it; the files are in a folder of its own.
struct fixture {
    ttdev *t;
    struct tt_access access;
    ttprof_profiler *p;
    ttdev_program *program;
    uint32_t next_id;
    char folder[64];
    char err[256];
    int result; // of the attachment
};

static void make_folder(struct fixture *f)
{
    (void)snprintf(f->folder, sizeof f->folder, "/tmp/ttprof-api-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    assert_int_equal(setenv("TT_METAL_PROFILER_DIR", f->folder, 1), 0);
}

static void open_device(struct fixture *f)
{
    ttdev_cfg cfg;
    struct err e = {0};
    ttdev_image *image;
    ttdev_range cores = {{0, 0}, {1, 0}};
    ttdev_cfg_default(&cfg);
    cfg.variant = TTDEV_PROF;
    assert_int_equal(ttdev_open(&cfg, &f->t, &e), 0);
    ttdev_access(f->t, &f->access);
    f->program = ttdev_program_new(f->t, "nops");
    for (int risc = 0; risc < TT_RISCS; risc++) {
        assert_int_equal(ttdev_image_find(f->t, "cycle_count/nops", risc, &image, &e), 0);
        int k = ttdev_program_kernel(f->program, cores, risc, image, risc == TT_NCRISC);
        uint32_t args[] = {20, 0x100000 + 64 * (uint32_t)risc};
        assert_int_equal(ttdev_program_args(f->program, k, cores, args, 2), 0);
    }
    f->next_id = 1;
}

static void attach(struct fixture *f)
{
    f->err[0] = '\0';
    f->result = ttprof_profiler_attach(&f->access, &f->p, f->err);
}

static struct fixture begin(const char *more, const char *still_more)
{
    struct fixture f = {.t = NULL};
    forget_environment();
    make_folder(&f);
    (void)setenv("TT_METAL_DEVICE_PROFILER", "1", 1);
    if (more)
        (void)setenv(more, "1", 1);
    if (still_more)
        (void)setenv(still_more, "1", 1);
    open_device(&f);
    attach(&f);
    return f;
}

static void remove_folder(const struct fixture *f)
{
    char command[100];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", f->folder);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c)
}

static void end(struct fixture *f)
{
    assert_int_equal(ttprof_profiler_detach(f->p), 0);
    ttdev_program_free(f->program);
    ttdev_close(f->t);
    remove_folder(f);
    forget_environment();
}

// The one before must be done; this one is left running.
static void launch(struct fixture *f)
{
    assert_int_equal(ttdev_wait(f->t, 0, 1000000000), 0);
    assert_int_equal(ttdev_launch(f->t, 0, f->program, f->next_id++), 0);
}

static const char *file_in(const struct fixture *f, const char *name)
{
    static char path[200];
    (void)snprintf(path, sizeof path, "%s/.logs/%s", f->folder, name);
    return path;
}

static size_t rows_in(const struct fixture *f, const char *name, size_t head)
{
    struct file text;
    struct err e = {0};
    size_t n = 0;
    if (!file_open(file_in(f, name), &text, &e))
        return 0;
    for (size_t i = 0; i < text.text.n; i++)
        n += text.text.p[i] == '\n';
    file_close(&text);
    return n - head;
}

enum { ROWS = 2 * 5 * 4 }; // of one launch: cores, RISCs, markers

TEST(without_profiling_every_call_succeeds_and_does_nothing)
{
    struct fixture f = {.t = NULL};
    const struct ttprof_program_perf *programs;
    struct ttprof_duration_summary summary;
    size_t n = 7;
    struct stat st;
    forget_environment();
    make_folder(&f);
    open_device(&f);
    attach(&f);
    assert_int_equal(f.result, 0);
    launch(&f);
    assert_int_equal(ttprof_read_device_profiler(f.p), 0);
    assert_int_equal(ttprof_read_mesh_profiler_results(f.p, TTPROF_READ_LAST), 0);
    assert_int_equal(ttprof_read_device_profiler_results(f.p, 9, TTPROF_READ_NORMAL), 0);
    assert_int_equal(ttprof_dump_results(f.p), 0);
    assert_int_equal(ttprof_fresh_device_log(f.p), 0);
    assert_int_equal(ttprof_read_results(f.p, 0, "x", true, 1, 0, NULL, NULL), 0);
    assert_int_equal(ttprof_latest_programs_perf_data(f.p, 0, &programs, &n), 0);
    assert_int_equal(n, 0);
    assert_int_equal(ttprof_kernel_duration_summary(f.p, 0, true, 0, 0, 10, &summary), 0);
    assert_int_equal(summary.count, 0);
    assert_string_equal(ttprof_profiler_error(f.p), "");
    char logs[100];
    (void)snprintf(logs, sizeof logs, "%s/.logs", f.folder);
    assert_int_equal(ttdev_wait(f.t, 0, 1000000000), 0);
    end(&f);
    assert_int_not_equal(stat(logs, &st), 0);
    assert_int_equal(ttprof_read_device_profiler(NULL), 0);
    assert_int_equal(ttprof_profiler_detach(NULL), 0);
}

TEST(a_read_brings_rows_and_a_dump_writes_them)
{
    struct fixture f = begin(NULL, NULL);
    assert_int_equal(f.result, 0);
    launch(&f);
    assert_int_equal(ttprof_read_device_profiler(f.p), 0);
    assert_int_equal(rows_in(&f, "profile_log_device.csv", 2), 0);
    assert_int_equal(ttprof_dump_results(f.p), 0);
    assert_int_equal(rows_in(&f, "profile_log_device.csv", 2), ROWS);
    launch(&f);
    launch(&f);
    assert_int_equal(ttprof_read_mesh_profiler_results(f.p, TTPROF_READ_NORMAL), 0);
    assert_int_equal(ttprof_dump_results(f.p), 0);
    assert_int_equal(ttprof_dump_results(f.p), 0); // nothing new
    assert_int_equal(rows_in(&f, "profile_log_device.csv", 2), 3 * ROWS);
    end(&f);
}

TEST(detaching_reads_what_is_left_and_a_second_attachment_adds_to_the_log)
{
    struct fixture f = begin(NULL, NULL);
    launch(&f);
    assert_int_equal(ttprof_profiler_detach(f.p), 0);
    assert_int_equal(rows_in(&f, "profile_log_device.csv", 2), ROWS);
    attach(&f);
    assert_int_equal(f.result, 0);
    launch(&f);
    assert_int_equal(ttprof_profiler_detach(f.p), 0);
    assert_int_equal(rows_in(&f, "profile_log_device.csv", 2), 2 * ROWS);
    attach(&f);
    assert_int_equal(ttprof_fresh_device_log(f.p), 0);
    assert_int_equal(access(file_in(&f, "profile_log_device.csv"), F_OK), -1);
    launch(&f);
    assert_int_equal(ttprof_dump_results(f.p), 0); // not read yet
    assert_int_equal(ttprof_read_device_profiler(f.p), 0);
    assert_int_equal(ttprof_dump_results(f.p), 0);
    assert_int_equal(rows_in(&f, "profile_log_device.csv", 2), ROWS);
    end(&f);
}

TEST(the_last_read_comes_once)
{
    struct fixture f = begin(NULL, NULL);
    launch(&f);
    assert_int_equal(ttprof_read_mesh_profiler_results(f.p, TTPROF_READ_LAST), 0);
    uint64_t bytes = device_profiler_bytes_read(f.p);
    assert_true(bytes > 0);
    launch(&f);
    assert_int_equal(ttprof_read_mesh_profiler_results(f.p, TTPROF_READ_LAST), 0);
    assert_int_equal(device_profiler_bytes_read(f.p), bytes);
    assert_int_equal(ttprof_read_device_profiler_results(f.p, 0, TTPROF_READ_LAST), 0);
    assert_int_equal(device_profiler_bytes_read(f.p), bytes);
    // Without dispatch cores this state has nothing to read.
    assert_int_equal(ttprof_read_mesh_profiler_results(f.p, TTPROF_READ_ONLY_DISPATCH), 0);
    assert_int_equal(device_profiler_bytes_read(f.p), bytes);
    assert_int_equal(ttprof_read_device_profiler(f.p), 0);
    assert_true(device_profiler_bytes_read(f.p) > bytes);
    end(&f);
}

TEST(a_trace_that_is_being_recorded_cannot_be_read)
{
    struct fixture f = begin(NULL, NULL);
    assert_int_equal(ttdev_trace_begin(f.t, 0), 0);
    launch(&f);
    assert_int_equal(ttprof_read_device_profiler(f.p), -EBUSY);
    assert_string_equal(ttprof_profiler_error(f.p),
                        "cannot read device profiler data while a trace is being recorded");
    assert_int_equal(ttdev_trace_end(f.t, 0), 0);
    assert_int_equal(ttprof_read_device_profiler(f.p), 0);
    assert_string_equal(ttprof_profiler_error(f.p), "");
    end(&f);
}

TEST(debug_printing_and_the_profiler_exclude_each_other)
{
    struct fixture f = begin(NULL, NULL);
    (void)setenv("TT_METAL_DPRINT_CORES", "all", 1);
    assert_int_equal(ttprof_read_device_profiler(f.p), -EBUSY);
    assert_string_equal(ttprof_profiler_error(f.p),
                        "Debug print server is running, cannot read device profiler data");
    ttprof_profiler *other = (ttprof_profiler *)&f;
    assert_int_equal(ttprof_profiler_attach(&f.access, &other, f.err), -EINVAL);
    assert_null(other);
    assert_string_equal(f.err,
                        "Cannot enable both debug printing and profiling: unset the "
                        "TT_METAL_DPRINT_* variables, or TT_METAL_DEVICE_PROFILER");
    (void)unsetenv("TT_METAL_DPRINT_CORES");
    end(&f);
}

TEST(impossible_requests_are_refused)
{
    struct fixture f = begin(NULL, NULL);
    const struct ttprof_program_perf *programs;
    size_t n;
    assert_int_equal(ttprof_read_device_profiler_results(f.p, 1, TTPROF_READ_NORMAL),
                     -EINVAL);
    assert_string_equal(ttprof_profiler_error(f.p), "no chip 1: the device has 1");
    assert_int_equal(ttprof_read_device_profiler_results(f.p, -1, TTPROF_READ_NORMAL),
                     -EINVAL);
    assert_int_equal(ttprof_read_mesh_profiler_results(f.p, 3), -EINVAL);
    assert_string_equal(ttprof_profiler_error(f.p), "3 is not a read state");
    assert_int_equal(ttprof_latest_programs_perf_data(f.p, 1, &programs, &n), -EINVAL);
    end(&f);
}

TEST(a_folder_that_cannot_be_made_is_an_error_of_the_attachment)
{
    struct fixture f = {.t = NULL};
    forget_environment();
    make_folder(&f);
    (void)setenv("TT_METAL_DEVICE_PROFILER", "1", 1);
    (void)setenv("TT_METAL_PROFILER_DIR", "/dev/null", 1);
    open_device(&f);
    attach(&f);
    assert_int_equal(f.result, -EIO);
    assert_null(f.p);
    assert_non_null(strstr(f.err, "cannot create folder"));
    end(&f);
}

TEST(another_folder_gets_the_files_from_there_on)
{
    struct fixture f = begin(NULL, NULL);
    char other[100];
    launch(&f);
    assert_int_equal(ttprof_read_device_profiler(f.p), 0);
    assert_int_equal(ttprof_dump_results(f.p), 0);
    (void)snprintf(other, sizeof other, "%s/.logs/deeper", f.folder);
    assert_int_equal(ttprof_set_profiler_dir(f.p, other), 0);
    launch(&f);
    launch(&f);
    assert_int_equal(ttprof_read_device_profiler(f.p), 0);
    assert_int_equal(ttprof_dump_results(f.p), 0);
    assert_int_equal(rows_in(&f, "profile_log_device.csv", 2), ROWS);
    assert_int_equal(rows_in(&f, "deeper/.logs/profile_log_device.csv", 2), 2 * ROWS);
    end(&f);
}

// --- the training helper ---------------------------------------------------------------
static int count_marker(void *context, int chip)
{
    int *n = context;
    assert_int_equal(chip, 0);
    return ++*n == 100 ? -ENODEV : 0;
}

TEST(the_training_helper_reads_between_two_marker_ops_when_asked_to)
{
    struct fixture f = begin(NULL, NULL);
    int n = 0;
    launch(&f);
    assert_int_equal(
        ttprof_read_results(f.p, 0, "step", false, 1, TTPROF_READ_NORMAL, count_marker, &n),
        0);
    assert_int_equal(n, 2);
    assert_int_equal(device_profiler_bytes_read(f.p), 0);
    assert_int_equal(
        ttprof_read_results(f.p, 0, "step", true, 3, TTPROF_READ_NORMAL, count_marker, &n),
        0);
    assert_int_equal(n, 8);
    assert_true(device_profiler_bytes_read(f.p) > 0);
    n = 99;
    assert_int_equal(
        ttprof_read_results(f.p, 0, "step", true, 3, TTPROF_READ_NORMAL, count_marker, &n),
        -ENODEV);
    end(&f);
}

// What a function prints to standard output.
static size_t printed(int (*call)(struct fixture *f), struct fixture *f, char *out,
                      size_t n)
{
    int ends[2], before = dup(STDOUT_FILENO);
    assert_int_equal(fflush(stdout), 0);
    assert_int_equal(pipe(ends), 0);
    assert_true(dup2(ends[1], STDOUT_FILENO) >= 0);
    int rc = call(f);
    (void)fflush(stdout);
    assert_true(dup2(before, STDOUT_FILENO) >= 0);
    (void)close(before);
    (void)close(ends[1]);
    ssize_t got = read(ends[0], out, n - 1);
    (void)close(ends[0]);
    assert_int_equal(rc, 0);
    assert_true(got >= 0);
    out[got] = '\0';
    return (size_t)got;
}

static int helper_call(struct fixture *f)
{
    int n = 50;
    int rc = ttprof_read_results(f->p, 0, "step_7", true, 1, TTPROF_READ_NORMAL,
                                 count_marker, &n);
    return rc || n != 50; // no op is launched
}

TEST(the_naive_training_helper_prints_host_times_instead)
{
    struct fixture f = begin(NULL, NULL);
    char text[200], want[200];
    (void)setenv("TTML_NAIVE_PROFILER", "1", 1);
    (void)printed(helper_call, &f, text, sizeof text);
    (void)snprintf(want, sizeof want, "[NAIVE_PROFILER] step_7 timestamp_us=%llu\n",
                   (unsigned long long)(ttdev_host_ns(f.t) / 1000));
    assert_string_equal(text, want);
    assert_int_equal(device_profiler_bytes_read(f.p), 0);
    end(&f);
}

// --- figures of programs ---------------------------------------------------------------
static uint64_t duration(const struct ttprof_program_perf *program, const char *name)
{
    for (size_t i = 0; i < program->n_analyses; i++)
        if (strcmp(program->analyses[i].name, name) == 0)
            return program->analyses[i].duration_ns;
    fail_msg("no analysis '%s'", name);
    return 0;
}

// A cell of cpp_device_perf_report.csv, by row from 0 and column.
static int64_t report_cell(const struct fixture *f, size_t row, const char *column)
{
    struct file text;
    struct err e = {0};
    int64_t value = -1;
    assert_true(file_open(file_in(f, "cpp_device_perf_report.csv"), &text, &e));
    str rest = text.text, head = str_cut(&rest, '\n'), line = {0};
    for (size_t i = 0; i <= row; i++)
        line = str_cut(&rest, '\n');
    while (head.n) {
        str cell = str_cut(&line, ',');
        if (str_is(str_cut(&head, ','), column))
            assert_true(num_int(cell, &value));
    }
    file_close(&text);
    return value;
}

static void check_program(const struct fixture *f,
                          const struct ttprof_program_perf *program, size_t row)
{
    static const char *const columns[] = {"DEVICE FW DURATION [ns]",
                                          "DEVICE KERNEL DURATION [ns]",
                                          "DEVICE BRISC KERNEL DURATION [ns]",
                                          "DEVICE NCRISC KERNEL DURATION [ns]",
                                          "DEVICE TRISC0 KERNEL DURATION [ns]",
                                          "DEVICE TRISC1 KERNEL DURATION [ns]",
                                          "DEVICE TRISC2 KERNEL DURATION [ns]"};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        assert_true(duration(program, columns[i]) > 0);
        assert_int_equal(duration(program, columns[i]), report_cell(f, row, columns[i]));
    }
    assert_int_equal(program->runtime_id, report_cell(f, row, "GLOBAL CALL COUNT"));
    assert_int_equal(program->trace_id, TTPROF_NONE);
    assert_int_equal(program->trace_counter, TTPROF_NONE);
    assert_int_equal(program->n_cores, 2);
    assert_int_equal(program->n_available_cores, 72);
}

TEST(figures_of_programs_while_the_run_goes_on)
{
    struct fixture f =
        begin("TT_METAL_PROFILER_MID_RUN_DUMP", "TT_METAL_PROFILER_CPP_POST_PROCESS");
    const struct ttprof_program_perf *v;
    size_t n = 7;
    assert_int_equal(ttprof_latest_programs_perf_data(f.p, 0, &v, &n), 0);
    assert_int_equal(n, 0);
    assert_int_equal(ttprof_all_programs_perf_data(f.p, 0, &v, &n), 0);
    assert_int_equal(n, 0);
    launch(&f);
    assert_int_equal(ttprof_latest_programs_perf_data(f.p, 0, &v, &n), 0);
    assert_int_equal(n, 0); // nothing is read yet
    assert_int_equal(ttprof_read_device_profiler(f.p), 0);
    assert_int_equal(ttprof_latest_programs_perf_data(f.p, 0, &v, &n), 0);
    assert_int_equal(n, 1);
    check_program(&f, &v[0], 0);
    launch(&f);
    launch(&f);
    assert_int_equal(ttprof_read_device_profiler(f.p), 0);
    assert_int_equal(ttprof_latest_programs_perf_data(f.p, 0, &v, &n), 0);
    assert_int_equal(n, 2);
    check_program(&f, &v[0], 1);
    check_program(&f, &v[1], 2);
    assert_true(v[0].analyses[CPP_FIRMWARE].start < v[1].analyses[CPP_FIRMWARE].start);
    assert_int_equal(ttprof_all_programs_perf_data(f.p, 0, &v, &n), 0);
    assert_int_equal(n, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(v[i].runtime_id, (i + 1) << 10);
        check_program(&f, &v[i], i);
    }
    struct ttprof_duration_summary s;
    assert_int_equal(ttprof_kernel_duration_summary(f.p, 0, false, 0, 0, 10, &s), 0);
    assert_int_equal(s.count, 3);
    assert_int_equal(s.n_buckets, 10);
    uint64_t in_buckets = 0;
    for (size_t i = 0; i < s.n_buckets; i++)
        in_buckets += s.buckets[i];
    assert_int_equal(in_buckets + s.underflow + s.overflow, 3);
    assert_int_equal(ttprof_kernel_duration_summary(f.p, 0, true, 0, 0, 10, &s), 0);
    assert_int_equal(s.count, 2);
    end(&f);
}

// Nobody asks for a read: what a region cannot hold is in the files all the same, and the
// next read has the figures of all programs since the last one.
TEST(dumps_in_mid_run_come_before_a_region_is_full)
{
    enum { PROGRAMS = 120 };
    (void)setenv("TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT", "43", 1);
    struct fixture f =
        begin("TT_METAL_PROFILER_MID_RUN_DUMP", "TT_METAL_PROFILER_CPP_POST_PROCESS");
    const struct ttprof_program_perf *v;
    size_t n = 0;
    for (int i = 0; i < PROGRAMS; i++)
        launch(&f);
    assert_true(rows_in(&f, "profile_log_device.csv", 2) > 0);
    assert_int_equal(ttprof_read_device_profiler(f.p), 0);
    assert_int_equal(rows_in(&f, "profile_log_device.csv", 2), PROGRAMS * 2 * TT_RISCS * 4);
    assert_int_equal(ttprof_latest_programs_perf_data(f.p, 0, &v, &n), 0);
    assert_int_equal(n, PROGRAMS);
    launch(&f);
    assert_int_equal(ttprof_read_device_profiler(f.p), 0);
    assert_int_equal(ttprof_latest_programs_perf_data(f.p, 0, &v, &n), 0);
    assert_int_equal(n, 1);
    end(&f);
    (void)unsetenv("TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT");
}

TEST(figures_of_programs_need_both_options)
{
    static const char *const options[] = {"TT_METAL_PROFILER_MID_RUN_DUMP",
                                          "TT_METAL_PROFILER_CPP_POST_PROCESS"};
    for (size_t i = 0; i < 2; i++) {
        struct fixture f = begin(options[i], NULL);
        const struct ttprof_program_perf *v;
        size_t n = 7;
        launch(&f);
        assert_int_equal(ttprof_read_device_profiler(f.p), 0);
        assert_int_equal(ttprof_dump_results(f.p), 0);
        assert_int_equal(ttprof_all_programs_perf_data(f.p, 0, &v, &n), 0);
        assert_int_equal(n, 0);
        end(&f);
    }
}
