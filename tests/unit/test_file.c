// test_file.c - input that is mapped or read, output that is complete or not there.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/file/mapping.h"
#include "base/file/out_rows.h"
#include "base/text/num.h"

#include "test.h"

// A folder of its own for each test, in the working directory.
struct folder {
    char path[32];
    char file[64];
};

static struct folder folder_make(void)
{
    struct folder f = {.path = "unit-XXXXXX"};
    assert_non_null(mkdtemp(f.path));
    (void)snprintf(f.file, sizeof f.file, "%s/report.csv", f.path);
    return f;
}

static size_t folder_entries(const struct folder *f)
{
    size_t n = 0;
    DIR *d = opendir(f->path);
    assert_non_null(d);
    while (readdir(d))
        n++;
    (void)closedir(d);
    return n - 2; // without . and ..
}

static void folder_free(struct folder *f)
{
    (void)unlink(f->file);
    assert_int_equal(0, rmdir(f->path));
}

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    (void)fputs(text, f);
    assert_int_equal(0, fclose(f));
}

static void file_is(const char *path, str want)
{
    struct file f;
    struct err e;
    assert_true(file_open(path, &f, &e));
    test_str_is(f.text, want, __FILE__, __LINE__);
    file_close(&f);
}

// --- in ---

TEST(file_open_maps_a_file)
{
    struct folder d = folder_make();
    write_text(d.file, "a,b\n1,2\n");
    struct file f;
    struct err e;
    assert_true(file_open(d.file, &f, &e));
    assert_true(f.is_mapped);
    STR_IS(f.text, "a,b\n1,2\n");
    file_close(&f);
    assert_int_equal(0, f.text.n);
    folder_free(&d);
}

TEST(file_open_takes_an_empty_file)
{
    struct folder d = folder_make();
    write_text(d.file, "");
    file_is(d.file, S(""));
    folder_free(&d);
}

TEST(file_open_reads_a_pipe_to_its_end)
{
    int ends[2];
    assert_int_equal(0, pipe(ends));
    assert_int_equal(5, write(ends[1], "hello", 5));
    (void)close(ends[1]);
    char path[32];
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    struct file f;
    struct err e;
    assert_true(file_open(path, &f, &e));
    assert_false(f.is_mapped);
    STR_IS(f.text, "hello");
    file_close(&f);
    (void)close(ends[0]);
}

TEST(file_open_reads_standard_input_as_a_dash)
{
    int ends[2], old = dup(STDIN_FILENO);
    assert_int_equal(0, pipe(ends));
    assert_int_equal(4, write(ends[1], "a\n1\n", 4));
    (void)close(ends[1]);
    (void)dup2(ends[0], STDIN_FILENO);
    struct file f;
    struct err e;
    bool ok = file_open("-", &f, &e);
    bool is_open = fcntl(STDIN_FILENO, F_GETFD) >= 0;
    (void)dup2(old, STDIN_FILENO);
    (void)close(old);
    (void)close(ends[0]);
    assert_true(ok);
    assert_true(is_open);
    STR_IS(f.text, "a\n1\n");
    file_close(&f);
}

TEST(file_open_does_not_read_without_end)
{
    struct file f;
    struct err e = {0};
    file_limit(UINT64_C(3) << 28);
    assert_false(file_open("/dev/zero", &f, &e));
    file_limit(FILE_HELD_MOST);
    assert_int_equal(ERR_LIMIT, e.code);
    assert_string_equal(
        "/dev/zero: the input is larger than 0.75 GiB, the limit for input held in memory; if it is sound, raise the limit with --max-input SIZE",
        e.text);
}

// What a file loses while it is mapped is read as zeros, and no output is completed. In a
// process of its own, which does not forget it.
static int read_and_shorten(const char *path, off_t left)
{
    struct file f;
    struct out o;
    struct err e = {0};
    mapping_guard();
    if (!file_open(path, &f, &e) || !mapping_check(&e) || truncate(path, left) != 0)
        return 1;
    volatile char sum = 0;
    for (size_t i = 0; i < f.text.n; i++)
        sum = (char)(sum | f.text.p[i]);
    if (!out_open(&o, "/dev/null", &e) || out_close(&o, &e) || e.code != ERR_IO)
        return 2;
    file_close(&f);
    return strstr(e.text, path) && !mapping_check(&e) ? 0 : 3;
}

TEST(file_that_is_shortened_while_it_is_read_is_an_error)
{
    static const off_t left[] = {0, 1, 4096, 100000, 199999};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        struct folder d = folder_make();
        struct out o;
        struct err e;
        assert_true(out_open(&o, d.file, &e));
        buf_fill(&o.b, 'x', 200000);
        assert_true(out_close(&o, &e));
        pid_t child = fork();
        if (child == 0)
            _exit(read_and_shorten(d.file, left[i]));
        int status = -1;
        assert_int_equal(child, waitpid(child, &status, 0));
        assert_int_equal(0, status);
        folder_free(&d);
    }
}

TEST(file_open_says_what_is_wrong_with_a_path)
{
    struct folder d = folder_make();
    struct file f;
    struct err e;
    char want[200];
    assert_false(file_open(d.file, &f, &e));
    (void)snprintf(want, sizeof want, "%s: No such file or directory; check the path",
                   d.file);
    assert_string_equal(want, e.text);
    assert_int_equal(ERR_IO, e.code);
    assert_false(file_open(d.path, &f, &e));
    (void)snprintf(want, sizeof want, "%s: is a directory; name the CSV file in it",
                   d.path);
    assert_string_equal(want, e.text);
    folder_free(&d);
}

// --- out ---

TEST(out_gives_the_file_its_name_only_when_it_is_complete)
{
    struct folder d = folder_make();
    struct out o;
    struct err e;
    assert_true(out_open(&o, d.file, &e));
    buf_z(&o.b, "one");
    out_flush(&o);
    assert_int_equal(-1, access(d.file, F_OK));
    assert_int_equal(1, folder_entries(&d));
    buf_z(&o.b, " two");
    assert_true(out_close(&o, &e));
    file_is(d.file, S("one two"));
    assert_int_equal(1, folder_entries(&d));
    folder_free(&d);
}

TEST(out_replaces_what_was_there)
{
    struct folder d = folder_make();
    write_text(d.file, "something old and long");
    struct out o;
    struct err e;
    assert_true(out_open(&o, d.file, &e));
    buf_z(&o.b, "new");
    file_is(d.file, S("something old and long"));
    assert_true(out_close(&o, &e));
    file_is(d.file, S("new"));
    folder_free(&d);
}

TEST(out_abandon_keeps_the_target_and_leaves_nothing_behind)
{
    struct folder d = folder_make();
    write_text(d.file, "old");
    struct out o;
    struct err e;
    assert_true(out_open(&o, d.file, &e));
    buf_z(&o.b, "new");
    out_flush(&o);
    out_abandon(&o);
    file_is(d.file, S("old"));
    assert_int_equal(1, folder_entries(&d));
    assert_int_equal(-1, o.fd);
    folder_free(&d);
}

TEST(out_flush_some_waits_until_it_is_worth_it)
{
    struct folder d = folder_make();
    struct out o;
    struct err e;
    assert_true(out_open(&o, d.file, &e));
    buf_z(&o.b, "little");
    out_flush_some(&o);
    assert_int_equal(0, o.total);
    assert_int_equal(6, o.b.n);
    buf_fill(&o.b, 'x', 300000);
    out_flush_some(&o);
    assert_int_equal(300006, o.total);
    assert_int_equal(0, o.b.n);
    assert_true(out_close(&o, &e));
    folder_free(&d);
}

static mode_t mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(0, stat(path, &st));
    return st.st_mode & 0777;
}

// Rows are their numbers. Each lane's ranges must be in order.
static void put_numbers(struct lane lane, void *context, struct range rows, struct buf *b)
{
    size_t *next = context;
    assert_true(rows.from >= next[lane.index]);
    next[lane.index] = rows.to;
    for (size_t i = rows.from; i < rows.to; i++) {
        num_put_int(b, (int64_t)i);
        buf_char(b, '\n');
    }
}

TEST(out_rows_has_all_rows_in_order_for_any_number_of_lanes)
{
    enum { ROWS = 100000, LANES_MOST = 5 };
    struct folder d = folder_make();
    struct buf want = {0};
    put_numbers((struct lane){0, 1}, &(size_t){0}, (struct range){0, ROWS}, &want);
    for (unsigned lanes = 1; lanes <= LANES_MOST; lanes++) {
        size_t next[LANES_MOST] = {0};
        struct out o;
        struct err e;
        assert_true(out_open(&o, d.file, &e));
        out_rows(&o, ROWS, lanes, put_numbers, next);
        assert_true(out_close(&o, &e));
        file_is(d.file, buf_view(&want));
    }
    buf_free(&want);
    folder_free(&d);
}

TEST(out_makes_files_as_readable_as_the_umask_says)
{
    struct folder d = folder_make();
    struct out o;
    struct err e;
    mode_t old = umask(027);
    bool ok = out_open(&o, d.file, &e) && out_close(&o, &e);
    (void)umask(old);
    assert_true(ok);
    assert_int_equal(0640, mode_of(d.file));
    folder_free(&d);
}

TEST(out_keeps_the_permissions_of_the_file_it_replaces)
{
    struct folder d = folder_make();
    write_text(d.file, "old");
    assert_int_equal(0, chmod(d.file, 0604));
    struct out o;
    struct err e;
    assert_true(out_open(&o, d.file, &e) && out_close(&o, &e));
    assert_int_equal(0604, mode_of(d.file));
    folder_free(&d);
}

TEST(out_open_refuses_folders_and_places_that_are_not_there)
{
    struct folder d = folder_make();
    struct out o;
    struct err e;
    char path[80], want[200];
    assert_false(out_open(&o, d.path, &e));
    (void)snprintf(want, sizeof want,
                   "%s: cannot write: Is a directory; choose another file", d.path);
    assert_string_equal(want, e.text);
    (void)snprintf(path, sizeof path, "%s/none/x.csv", d.path);
    assert_false(out_open(&o, path, &e));
    (void)snprintf(want, sizeof want,
                   "%s: cannot write: No such file or directory; choose another file",
                   path);
    assert_string_equal(want, e.text);
    assert_int_equal(0, folder_entries(&d));
    folder_free(&d);
}

TEST(out_writes_pipes_in_place)
{
    int ends[2];
    assert_int_equal(0, pipe(ends));
    char path[32], got[8] = "";
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", ends[1]);
    struct out o;
    struct err e;
    assert_true(out_open(&o, path, &e));
    assert_null(o.temp);
    buf_z(&o.b, "text");
    assert_true(out_close(&o, &e));
    assert_int_equal(4, read(ends[0], got, sizeof got));
    assert_string_equal("text", got);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

TEST(out_close_reports_a_full_device)
{
    struct out o;
    struct err e = {0};
    assert_true(out_open(&o, "/dev/full", &e));
    buf_z(&o.b, "text");
    assert_false(out_close(&o, &e));
    assert_int_equal(ERR_IO, e.code);
    assert_string_equal(
        "/dev/full: cannot write: No space left on device; free some space or choose "
        "another file",
        e.text);
}

// More than the disk takes: files may grow to 4096 bytes only.
static void fails_to_close(struct out *o, struct err *e)
{
    struct rlimit was, small;
    assert_int_equal(0, getrlimit(RLIMIT_FSIZE, &was));
    small = was;
    small.rlim_cur = 4096;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    buf_fill(&o->b, 'x', 10000);
    assert_int_equal(0, setrlimit(RLIMIT_FSIZE, &small));
    bool ok = out_close(o, e);
    assert_int_equal(0, setrlimit(RLIMIT_FSIZE, &was));
    (void)signal(SIGXFSZ, handler);
    assert_false(ok);
    assert_int_equal(ERR_IO, e->code);
}

TEST(out_that_cannot_be_written_to_its_end_leaves_nothing_behind)
{
    struct folder d = folder_make();
    write_text(d.file, "old");
    struct out o;
    struct err e = {0};
    assert_true(out_open(&o, d.file, &e));
    fails_to_close(&o, &e);
    assert_non_null(strstr(e.text, "File too large"));
    file_is(d.file, S("old"));
    assert_int_equal(1, folder_entries(&d));
    folder_free(&d);
}

TEST(out_replaces_what_a_link_leads_to_and_keeps_the_link)
{
    struct folder f = folder_make();
    char link[80];
    (void)snprintf(link, sizeof link, "%s/link.csv", f.path);
    write_text(f.file, "old");
    assert_int_equal(0, symlink("report.csv", link));
    struct out o;
    struct err e = {0};
    assert_true(out_open(&o, link, &e));
    buf_z(&o.b, "new");
    assert_true(out_close(&o, &e));
    struct stat st;
    assert_int_equal(0, lstat(link, &st));
    assert_true(S_ISLNK(st.st_mode));
    file_is(f.file, S("new"));
    assert_int_equal(2, folder_entries(&f));
    (void)unlink(link);
    folder_free(&f);
}

TEST(file_is_same_sees_through_paths_and_links)
{
    struct folder f = folder_make();
    char other[80];
    write_text(f.file, "x");
    (void)snprintf(other, sizeof other, "./%s", f.file);
    assert_true(file_is_same(f.file, other));
    assert_true(file_is_same("not-there", "not-there"));
    assert_false(file_is_same(f.file, "not-there"));
    assert_false(file_is_same(f.file, "/dev/null"));
    folder_free(&f);
}

TEST(out_append_writes_behind_what_the_file_has)
{
    struct folder f = folder_make();
    struct out o;
    struct err e = {0};
    assert_true(out_append(&o, f.file, &e)); // not there yet
    assert_int_equal(0, o.behind);
    buf_z(&o.b, "one\n");
    assert_true(out_close(&o, &e));
    assert_true(out_append(&o, f.file, &e));
    assert_int_equal(4, o.behind);
    buf_z(&o.b, "two\n");
    assert_true(out_close(&o, &e));
    file_is(f.file, S("one\ntwo\n"));
    assert_int_equal(1, folder_entries(&f));
    assert_true(out_append(&o, f.file, &e));
    buf_z(&o.b, "three\n");
    out_flush(&o);
    out_abandon(&o);
    file_is(f.file, S("one\ntwo\n"));
    assert_false(out_append(&o, f.path, &e));
    assert_int_equal(ERR_IO, e.code);
    folder_free(&f);
}

TEST(out_append_takes_away_what_it_could_not_write_to_its_end)
{
    struct folder f = folder_make();
    write_text(f.file, "old\n");
    struct out o;
    struct err e = {0};
    assert_true(out_append(&o, f.file, &e));
    fails_to_close(&o, &e);
    file_is(f.file, S("old\n"));
    folder_free(&f);
}
