// test_publish.c - a folder takes the place of another one as a whole.
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/file/folder.h"
#include "base/file/publish.h"

#include "test.h"

static char root[64];

static const char *at(const char *name)
{
    static _Thread_local char path[4][256];
    static _Thread_local int next;
    char *p = path[next++ % 4];
    (void)snprintf(p, sizeof path[0], "%s/%s", root, name);
    return p;
}
static void begin(void)
{
    (void)snprintf(root, sizeof root, "/tmp/ttprof-publish-XXXXXX");
    assert_non_null(mkdtemp(root));
}
static void end(void)
{
    struct err e = {0};
    assert_true(folder_delete(root, &e));
    assert_int_equal(access(root, F_OK), -1);
}

static void put(const char *name, const char *text)
{
    FILE *f = fopen(at(name), "wb");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(0, fclose(f));
}
static void make(const char *name)
{
    struct err e = {0};
    assert_true(folder_make(at(name), &e));
}

static size_t entries(const char *name)
{
    size_t n = 0;
    DIR *d = opendir(at(name));
    assert_non_null(d);
    const struct dirent *entry;
    while ((entry = readdir(d)))
        n += entry->d_name[0] != '.' || strlen(entry->d_name) > 2;
    (void)closedir(d);
    return n;
}

static bool is_same(const char *a, const char *b)
{
    struct stat x, y;
    assert_int_equal(0, stat(at(a), &x));
    assert_int_equal(0, stat(at(b), &y));
    return x.st_ino == y.st_ino && x.st_dev == y.st_dev;
}

TEST(publish_links_all_files_and_drops_what_was_there)
{
    struct err e = {0};
    begin();
    make("run/.logs/sub");
    put("run/.logs/a.csv", "a");
    put("run/.logs/sub/b.json", "b");
    struct publish_note note = {"run", "../run"};
    assert_true(folder_publish(at("run/.logs"), at(".logs"), &note, &e));
    assert_true(is_same("run/.logs/a.csv", ".logs/a.csv"));
    assert_true(is_same("run/.logs/sub/b.json", ".logs/sub/b.json"));
    assert_true(is_same("run/.logs", ".logs/run/.logs"));
    put(".logs/old.csv", "old");
    put("run/.logs/c.csv", "c");
    assert_true(folder_publish(at("run/.logs"), at(".logs"), NULL, &e));
    assert_int_equal(entries(".logs"), 3); // a.csv, c.csv, sub
    assert_int_equal(access(at(".logs/old.csv"), F_OK), -1);
    assert_int_equal(entries("run/.logs"), 3);
    assert_int_equal(entries("."), 2); // no scratch is left behind
    end();
}

TEST(publish_tells_what_it_cannot_do_and_leaves_the_old_folder)
{
    struct err e = {0};
    begin();
    make("old");
    put("old/a", "a");
    assert_false(folder_publish(at("missing"), at("old"), NULL, &e));
    assert_non_null(strstr(e.text, "missing: cannot read"));
    assert_int_equal(access(at("old/a"), F_OK), 0);
    assert_int_equal(entries("."), 1);
    end();
}

TEST(publish_takes_the_place_of_a_link_and_never_follows_it)
{
    struct err e = {0};
    begin();
    make("new");
    make("precious");
    put("precious/file", "x");
    assert_int_equal(0, symlink(at("precious"), at("logs")));
    assert_true(folder_publish(at("new"), at("logs"), NULL, &e));
    assert_int_equal(entries("logs"), 0);
    assert_int_equal(entries("precious"), 1);
    end();
}

// --- several at a time -----------------------------------------------------------------
enum { RUNS = 4, ROUNDS = 50, FILES = 5 };

static void *publish_often(void *number)
{
    char from[32];
    (void)snprintf(from, sizeof from, "run%d", *(const int *)number);
    for (int i = 0; i < ROUNDS; i++) {
        struct err e = {0};
        if (!folder_publish(at(from), at("logs"), NULL, &e))
            return "failed";
    }
    return NULL;
}

TEST(publish_from_several_threads_never_mixes_their_files)
{
    pthread_t threads[RUNS];
    int numbers[RUNS];
    begin();
    for (int i = 0; i < RUNS; i++) {
        char name[64];
        numbers[i] = i;
        (void)snprintf(name, sizeof name, "run%d", i);
        make(name);
        for (int k = 0; k < FILES; k++) {
            (void)snprintf(name, sizeof name, "run%d/%d.of.%d", i, k, i);
            put(name, "x");
        }
    }
    for (int i = 0; i < RUNS; i++)
        assert_int_equal(0, pthread_create(&threads[i], NULL, publish_often, &numbers[i]));
    for (int i = 0; i < RUNS; i++) {
        void *failed;
        assert_int_equal(0, pthread_join(threads[i], &failed));
        assert_null(failed);
    }
    assert_int_equal(entries("logs"), FILES); // of one run
    assert_int_equal(entries("."), RUNS + 1);
    end();
}
