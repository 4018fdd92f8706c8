// test_folder.c - folders are made, files are copied whole.
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/file/folder.h"

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

static void begin(void)
{
    (void)snprintf(root, sizeof root, "/tmp/ttprof-folder-XXXXXX");
    assert_non_null(mkdtemp(root));
}

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static void put_file(const char *path, str text)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(text.n, fwrite(text.p, 1, text.n, f));
    assert_int_equal(0, fclose(f));
}

static void file_has(const char *path, str text)
{
    struct file f;
    struct err e;
    assert_true(file_open(path, &f, &e));
    assert_true(str_eq(f.text, text));
    file_close(&f);
}

TEST(folder_make_makes_those_above_and_minds_none_that_is_there)
{
    struct err e = {0};
    begin();
    assert_true(folder_make(at("a/b/c"), &e));
    assert_true(is_folder(at("a/b/c")));
    assert_true(folder_make(at("a/b/c"), &e));
    assert_true(folder_make(at("a//d/"), &e));
    assert_true(is_folder(at("a/d")));
    assert_int_equal(0, rmdir(at("a/d")) | rmdir(at("a/b/c")) | rmdir(at("a/b")) |
                            rmdir(at("a")) | rmdir(root));
}

TEST(folder_make_says_which_part_is_in_the_way)
{
    struct err e = {0};
    begin();
    put_file(at("file"), S("x"));
    assert_false(folder_make(at("file/b"), &e));
    assert_int_equal(ERR_IO, e.code);
    assert_non_null(strstr(e.text, "/file"));
    assert_false(folder_make(at("file"), &e));
    file_has(at("file"), S("x"));
    assert_int_equal(0, unlink(at("file")) | rmdir(root));
}

TEST(folder_copy_copies_every_byte_and_replaces_what_is_there)
{
    struct err e = {0};
    struct buf b = {0};
    begin();
    for (int i = 0; i < 700000; i++)
        buf_char(&b, (char)(i % 251));
    put_file(at("from"), buf_view(&b));
    put_file(at("to"), S("what was there"));
    assert_true(folder_copy(at("from"), at("to"), &e));
    file_has(at("to"), buf_view(&b));
    file_has(at("from"), buf_view(&b));
    put_file(at("from"), S(""));
    assert_true(folder_copy(at("from"), at("empty"), &e));
    file_has(at("empty"), S(""));
    buf_free(&b);
    assert_int_equal(0, unlink(at("from")) | unlink(at("to")) | unlink(at("empty")) |
                            rmdir(root));
}

// What a pipe or a special file holds has no size to copy by.
TEST(folder_copy_reads_what_has_no_size)
{
    struct err e = {0};
    int fd[2];
    char path[32];
    begin();
    assert_int_equal(0, pipe(fd));
    assert_int_equal(5, write(fd[1], "bytes", 5));
    assert_int_equal(0, close(fd[1]));
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd[0]);
    assert_true(folder_copy(path, at("to"), &e));
    file_has(at("to"), S("bytes"));
    assert_int_equal(0, close(fd[0]) | unlink(at("to")) | rmdir(root));
}

TEST(folder_copy_that_fails_leaves_the_target_as_it_was)
{
    struct err e = {0};
    begin();
    put_file(at("to"), S("kept"));
    assert_false(folder_copy(at("missing"), at("to"), &e));
    assert_int_equal(ERR_IO, e.code);
    assert_non_null(strstr(e.text, "missing"));
    assert_false(folder_copy(root, at("to"), &e)); // a folder has no bytes
    assert_int_equal(ERR_IO, e.code);
    file_has(at("to"), S("kept"));
    assert_false(folder_copy(at("to"), at("no/such/place"), &e));
    assert_int_equal(0, unlink(at("to")));
    assert_int_equal(0, rmdir(root)); // nothing else was left in it
}
