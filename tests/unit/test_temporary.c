// test_temporary.c - nothing temporary outlives a program that a signal ends.
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/file/folder.h"
#include "base/file/temporary.h"

#include "test.h"

static char root[64];

static const char *at(const char *name)
{
    static char path[4][256];
    static int next;
    char *p = path[next++ % 4];
    (void)snprintf(p, sizeof path[0], "%s/%s", root, name);
    return p;
}

static int count_entries(void)
{
    int n = 0;
    DIR *d = opendir(root);
    while (d && readdir(d))
        n++;
    if (d)
        (void)closedir(d);
    return n - 2; // itself and its parent
}

// What is being made when the signal comes: two files, and a folder with contents.
static void make_some(void)
{
    struct err e = {0};
    struct out a, b;
    char folder[256];
    (void)snprintf(folder, sizeof folder, "%s/folder-XXXXXX", root);
    bool is_made = out_open(&a, at("a.csv"), &e) && out_open(&b, at("b.csv"), &e) &&
                   temporary_folder(folder);
    buf_z(&a.b, "not complete");
    out_flush(&a);
    struct buf deep = {0};
    buf_printf(&deep, "%s/x/y/z%c", folder, '\0');
    is_made &= folder_make(deep.p, &e);
    struct out c;
    deep.n = 0;
    buf_printf(&deep, "%s/x/file%c", folder, '\0');
    is_made &= out_open(&c, deep.p, &e) && out_close(&c, &e);
    if (!is_made)
        _exit(99);
}

static int number; // of the signal

// Runs `act` in a process of its own; returns the status of wait().
static int run_child(void (*act)(void))
{
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit none = {0, 0};
        (void)setrlimit(RLIMIT_CORE, &none);
        (void)signal(number, SIG_DFL); // nohup and background shells ignore some
        act();
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void be_ended(void)
{
    temporary_remove_on_signals();
    make_some();
    (void)raise(number);
}

static void be_ended_unasked(void)
{
    make_some();
    (void)raise(number);
}

static void finish_one(void)
{
    struct err e = {0};
    struct out o;
    temporary_remove_on_signals();
    make_some();
    if (!out_open(&o, at("done.csv"), &e) || !out_close(&o, &e))
        _exit(99);
    (void)raise(number);
}

static void ignore_it(void)
{
    (void)signal(number, SIG_IGN);
    temporary_remove_on_signals();
    make_some();
    (void)raise(number);
}

// A child has the list, but its parent's files are not its own.
static void fork_and_end_child(void)
{
    temporary_remove_on_signals();
    make_some();
    pid_t child = fork();
    if (child == 0) {
        (void)raise(number);
        _exit(0);
    }
    int status;
    (void)waitpid(child, &status, 0);
    _exit(count_entries() == 3 && WIFSIGNALED(status) ? 7 : 8);
}

static void begin(void)
{
    (void)snprintf(root, sizeof root, "/tmp/ttprof-temporary-XXXXXX");
    assert_non_null(mkdtemp(root));
}

static void end(void)
{
    struct err e = {0};
    assert_true(folder_delete(root, &e));
}

TEST(temporary_files_and_folders_are_removed_by_the_signals_that_end_a_program)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        begin();
        number = numbers[i];
        int status = run_child(be_ended);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), number);
        assert_int_equal(count_entries(), 0);
        end();
    }
}

TEST(temporary_files_of_programs_that_did_not_ask_are_left_alone)
{
    begin();
    number = SIGINT;
    assert_true(WIFSIGNALED(run_child(be_ended_unasked)));
    assert_int_equal(count_entries(), 3);
    end();
}

TEST(a_finished_file_is_not_removed_by_a_signal)
{
    begin();
    number = SIGINT;
    assert_true(WIFSIGNALED(run_child(finish_one)));
    assert_int_equal(count_entries(), 1);
    assert_int_equal(access(at("done.csv"), F_OK), 0);
    end();
}

TEST(an_ignored_signal_removes_no_temporary_file)
{
    begin();
    number = SIGHUP;
    assert_int_equal(run_child(ignore_it), 0);
    assert_int_equal(count_entries(), 3);
    end();
}

TEST(a_signal_to_a_child_removes_nothing_of_its_parent)
{
    begin();
    number = SIGTERM;
    int status = run_child(fork_and_end_child);
    assert_int_equal(WEXITSTATUS(status), 7);
    end();
}
