// test_tracy_golden.c - .tracy files that the reference wrote: their contents are what an
// independent reader found in them.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file/file.h"

#include "formats/tracy/tracy_file.h"
#include "test.h"
#include "tests/support/tracy_dump.h"
#include "tests/unit/tracy_golden.h"

static str expected_of(const struct file *f)
{
    str rest;
    if (!str_after(f->text, S("[dump"), &rest))
        return f->text;
    (void)str_cut(&rest, '\n');
    size_t end = str_find(rest, S("\n\n["));
    return (str){rest.p, end == STR_NOT_FOUND ? rest.n : end + 1};
}

// The reference gives every thread a number when it saves a file that it has loaded.
static bool has_other_threads(const char *path, str line)
{
    str p = str_of(path);
    bool is_saved_again = str_has(p, S("/fork/")) &&
                          (str_ends(p, S("-zstd.tracy")) || str_ends(p, S("hc.tracy")));
    return is_saved_again && str_starts(line, S("tcomp "));
}

static str next_line(const char *path, str *text)
{
    str line = str_cut(text, '\n');
    while (text->n && has_other_threads(path, line))
        line = str_cut(text, '\n');
    return line;
}

// Shows the first line that differs.
static bool is_same(const char *path, str got, str want)
{
    while (got.n || want.n) {
        str a = next_line(path, &got), b = next_line(path, &want);
        if (str_eq(a, b))
            continue;
        (void)fprintf(stderr, "%s:\n  found    '%.*s'\n  expected '%.*s'\n", path, STR(a),
                      STR(b));
        return false;
    }
    return true;
}

static bool dump_is_expected(const struct tracy *t, const char *path)
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
    bool same = is_same(path, buf_view(&got), buf_view(&want));
    buf_free(&got);
    buf_free(&want);
    buf_free(&text);
    file_close(&f);
    return same;
}

TEST(tracy_files_of_the_reference_give_what_is_in_them)
{
    if (!tracy_golden_is_there())
        skip();
    struct tracy_golden files;
    tracy_golden_list(&files);
    assert_true(files.paths.n > 100);
    unsigned n_wrong = 0;
    for (size_t i = 0; i < files.paths.n; i++) {
        struct tracy t;
        struct err e = {0};
        struct tracy_read_how how = {.is_strict = true};
        if (!tracy_read(&t, files.paths.v[i], how, &e)) {
            (void)fprintf(stderr, "%s\n", e.text);
            n_wrong++;
        } else if (diag_total(&t.diag) || !dump_is_expected(&t, files.paths.v[i]))
            n_wrong++;
        tracy_free(&t);
    }
    tracy_golden_free(&files);
    assert_int_equal(0, n_wrong);
}
