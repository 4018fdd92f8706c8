// test_capture_golden.c - recorded connections to real clients: the capture makes of their
// bytes what the reference saved.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file/file.h"

#include "../support/tracy_dump.h"
#include "formats/tracy/capture/capture.h"
#include "test.h"
#include "tracy_golden.h"

// Feeds the bytes in pieces of so many, and takes queries as if they were sent.
static void capture_bytes(struct tracy *t, enum tracy_generation g, str bytes, size_t piece)
{
    struct tracy_ask asks[64];
    struct capture *c = capture_start(t, g, 8188);
    for (size_t at = 0; at < bytes.n; at += piece) {
        size_t n = bytes.n - at < piece ? bytes.n - at : piece;
        assert_true(capture_feed(c, bytes.p + at, n));
        while (capture_asks(c, asks, sizeof asks / sizeof *asks))
            ;
    }
    assert_null(capture_trouble(c));
    // The reference asked for no less: every query is answered in the stream.
    assert_true(!capture_is_ending(c) || capture_is_done(c));
    capture_finish(c);
}

// The reference reads source files itself, asks for the code of symbols, and stops at a
// mistake before all names are known.
static bool is_free(str line, bool is_failure)
{
    static const char *const own[] = {"section 33", "section 36"};
    static const char *const names[] = {"srcloc ", "thread ", " z "};
    for (size_t i = 0; i < 2; i++)
        if (str_starts(line, str_of(own[i])))
            return true;
    for (size_t i = 0; i < 3; i++)
        if (is_failure && str_starts(line, str_of(names[i])))
            return true;
    return false;
}

static bool is_same(const char *path, str got, str want, str file)
{
    bool is_failure = str_has(file, S("Instrumentation failure"));
    while (got.n || want.n) {
        str a = str_cut(&got, '\n'), b = str_cut(&want, '\n');
        if (str_eq(a, b) || (is_free(a, is_failure) && is_free(b, is_failure)))
            continue;
        (void)fprintf(stderr, "%s:\n  found    '%.*s'\n  expected '%.*s'\n", path, STR(a),
                      STR(b));
        return false;
    }
    return true;
}

static bool is_captured(const char *path, size_t piece, bool *is_there)
{
    char stream[512];
    struct file f;
    struct err e = {0};
    str base = str_of(path);
    base.n -= strlen(".tracy");
    (void)snprintf(stream, sizeof stream, "%.*s.c2s.bin", STR(base));
    *is_there = access(stream, R_OK) == 0;
    if (!*is_there)
        return true;
    assert_true(file_open(stream, &f, &e));
    bool is_fork = str_has(base, S("/fork/")) || str_has(base, S("/fork-"));
    struct tracy t;
    tracy_start(&t, ".", 0);
    capture_bytes(&t, is_fork ? TRACY_F10 : TRACY_U14, str_from(f.text, 1), piece);
    bool same = tracy_golden_is_dumped(&t, path, is_same);
    tracy_free(&t);
    file_close(&f);
    return same;
}

TEST(streams_of_real_clients_become_what_the_reference_saved)
{
    if (!tracy_golden_is_there())
        skip();
    (void)setenv("TZ", "UTC", 1);
    struct tracy_golden files;
    tracy_golden_list(&files);
    unsigned n = 0, n_wrong = 0;
    for (size_t i = 0; i < files.paths.n; i++) {
        bool is_there;
        n_wrong += !is_captured(files.paths.v[i], i % 3 == 0 ? 1 : 4093, &is_there);
        n += is_there;
    }
    tracy_golden_free(&files);
    assert_true(n > 90);
    assert_int_equal(0, n_wrong);
}
