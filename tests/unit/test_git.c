// test_git.c - the commit of a work tree, from git's files.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file/folder.h"
#include "base/file/git.h"

#include "test.h"

static char root[64];

#define COMMIT_A "0123456789abcdef0123456789abcdef01234567"
#define COMMIT_B "89abcdef0123456789abcdef0123456789abcdef"

static void begin(void)
{
    (void)snprintf(root, sizeof root, "/tmp/ttprof-git-XXXXXX");
    assert_non_null(mkdtemp(root));
}
static void end(void)
{
    struct err e = {0};
    assert_true(folder_delete(root, &e));
}

static void put(const char *name, const char *text)
{
    char path[256];
    struct err e = {0};
    (void)snprintf(path, sizeof path, "%s/%s", root, name);
    char *slash = strrchr(path, '/');
    *slash = '\0';
    assert_true(folder_make(path, &e));
    *slash = '/';
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(0, fclose(f));
}

static bool head(const char *name, struct git_head *out)
{
    char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", root, name);
    return git_head_of(path, out);
}

TEST(git_head_is_found_from_a_folder_below_and_follows_its_branch)
{
    struct git_head h;
    begin();
    put("work/.git/HEAD", "ref: refs/heads/some/branch\n");
    put("work/.git/refs/heads/some/branch", COMMIT_A "\n");
    put("work/src/deep/file", "");
    assert_true(head("work/src/deep", &h));
    assert_string_equal(h.commit, COMMIT_A);
    assert_string_equal(h.branch, "some/branch");
    end();
}

TEST(git_head_may_be_packed_or_without_a_branch)
{
    struct git_head h;
    begin();
    put("work/.git/HEAD", "ref: refs/heads/main\n");
    put("work/.git/packed-refs",
        "# pack-refs with: peeled fully-peeled sorted\n" COMMIT_B
        " refs/heads/mainly\n" COMMIT_A " refs/heads/main\n^" COMMIT_B "\n");
    assert_true(head("work", &h));
    assert_string_equal(h.commit, COMMIT_A);
    // A loose one is newer than a packed one.
    put("work/.git/refs/heads/main", COMMIT_B "\n");
    assert_true(head("work", &h));
    assert_string_equal(h.commit, COMMIT_B);
    put("work/.git/HEAD", COMMIT_A "\n");
    assert_true(head("work", &h));
    assert_string_equal(h.commit, COMMIT_A);
    assert_string_equal(h.branch, "");
    end();
}

TEST(git_head_of_a_second_work_tree_is_its_own)
{
    struct git_head h;
    begin();
    put("main/.git/HEAD", "ref: refs/heads/main\n");
    put("main/.git/refs/heads/main", COMMIT_A "\n");
    put("main/.git/refs/heads/other", COMMIT_B "\n");
    put("main/.git/worktrees/second/HEAD", "ref: refs/heads/other\n");
    put("main/.git/worktrees/second/commondir", "../..\n");
    put("second/.git", "gitdir: ../main/.git/worktrees/second\n");
    assert_true(head("second", &h));
    assert_string_equal(h.commit, COMMIT_B);
    assert_string_equal(h.branch, "other");
    end();
}

TEST(git_head_is_not_there_without_a_commit_or_with_files_that_lead_astray)
{
    struct git_head h;
    begin();
    put("none/file", "");
    assert_false(head("none", &h)); // unless /tmp is a work tree
    put("new/.git/HEAD", "ref: refs/heads/main\n");
    assert_false(head("new", &h));
    put("away/.git/HEAD", "ref: refs/../../../secret\n");
    put("secret", COMMIT_A "\n");
    assert_false(head("away", &h));
    put("round/.git/HEAD", "ref: refs/heads/a\n");
    put("round/.git/refs/heads/a", "ref: refs/heads/b\n");
    put("round/.git/refs/heads/b", "ref: refs/heads/a\n");
    assert_false(head("round", &h));
    put("short/.git/HEAD", "0123456789abcdef\n");
    assert_false(head("short", &h));
    put("lost/.git", "gitdir: /nowhere/at/all\n");
    assert_false(head("lost", &h));
    assert_false(head("not/there", &h));
    end();
}
