// tracy_golden.c - finds the recorded traces beside the project, and what they contain.
#include "tracy_golden.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file/file.h"

#include "../support/tracy_dump.h"
#include "test.h"

void tracy_golden_path(char *path, size_t size, const char *file)
{
    str here = str_of(__FILE__); // seen from the build folder, where tests run
    here.n -= strlen("tracy_golden.c");
    (void)snprintf(path, size, "%.*s../../../shared/golden/tracy/%s", STR(here), file);
}

bool tracy_golden_is_there(void)
{
    char path[512];
    tracy_golden_path(path, sizeof path, "README.md");
    if (access(path, R_OK) == 0)
        return true;
    (void)fprintf(stderr, "SKIP: golden/tracy is not beside the project (../shared)\n");
    return false;
}

void tracy_golden_list(struct tracy_golden *g)
{
    static const char *const folders[] = {"fork", "upstream", "minimal", "own", "probes"};
    *g = (struct tracy_golden){0};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char path[512];
        tracy_golden_path(path, sizeof path, folders[i]);
        DIR *d = opendir(path);
        for (struct dirent *f; d && (f = readdir(d));)
            if (str_ends(str_of(f->d_name), S(".tracy")))
                vec_push(&g->paths, arena_printf(&g->a, "%s/%s", path, f->d_name).p);
        if (d)
            (void)closedir(d);
    }
}

void tracy_golden_free(struct tracy_golden *g)
{
    vec_free(&g->paths);
    arena_free(&g->a);
}

// Some traces were saved again in other ways; what is in them is the same.
bool tracy_golden_dump(const char *path, char *dump, size_t size)
{
    static const char *const ways[] = {"", "-zstd", "-lz4hc", "-lz4", "-lz4-1", "-zstd-4"};
    static const char *const ends[] = {".dump.txt", ".txt"};
    str name = str_of(path);
    name.n -= strlen(".tracy");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
            if (!str_ends(name, str_of(ways[i])))
                continue;
            str base = {name.p, name.n - strlen(ways[i])};
            (void)snprintf(dump, size, "%.*s%s", STR(base), ends[k]);
            if (access(dump, R_OK) == 0)
                return true;
        }
    return false;
}

static str expected_of(const struct file *f)
{
    str rest;
    if (!str_after(f->text, S("[dump"), &rest))
        return f->text;
    (void)str_cut(&rest, '\n');
    size_t end = str_find(rest, S("\n\n["));
    return (str){rest.p, end == STR_NOT_FOUND ? rest.n : end + 1};
}

bool tracy_golden_is_dumped(const struct tracy *t, const char *path,
                            tracy_golden_same *is_same)
{
    struct file f;
    struct err e = {0};
    char dump[512];
    if (!tracy_golden_dump(path, dump, sizeof dump))
        return true;
    assert_true(file_open(dump, &f, &e));
    struct buf got = {0}, want = {0}, text = {0};
    tracy_dump(&text, t);
    tracy_dump_canonical(&got, buf_view(&text));
    tracy_dump_canonical(&want, expected_of(&f));
    bool same = is_same(path, buf_view(&got), buf_view(&want), f.text);
    buf_free(&got);
    buf_free(&want);
    buf_free(&text);
    file_close(&f);
    return same;
}
