// test_tracy_golden.c - .tracy files that the reference wrote: their contents are what an
// independent reader found in them.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file/file.h"

#include "../support/tracy_dump.h"
#include "formats/tracy/tracy_colour.h"
#include "formats/tracy/tracy_file.h"
#include "test.h"
#include "tracy_golden.h"

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
static bool is_same(const char *path, str got, str want, str file)
{
    (void)file;
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
        } else if (diag_total(&t.diag) ||
                   !tracy_golden_is_dumped(&t, files.paths.v[i], is_same))
            n_wrong++;
        tracy_free(&t);
    }
    tracy_golden_free(&files);
    assert_int_equal(0, n_wrong);
}

// --- written, and read back

struct form {
    enum tracy_generation generation;
    enum tracy_packing packing;
    unsigned n_streams;
};
static const struct form forms[] = {
    {TRACY_F10, TRACY_LZ4, 1},  {TRACY_F10, TRACY_ZSTD, 1}, {TRACY_U14, TRACY_LZ4, 1},
    {TRACY_U14, TRACY_ZSTD, 4}, {TRACY_U14, TRACY_LZ4, 3},  {TRACY_U14, TRACY_ZSTD, 255},
};

static void write_as(const struct tracy *t, const char *path, struct form form)
{
    struct err e = {0};
    struct tracy_write_how how = {.generation = form.generation,
                                  .packing = form.packing,
                                  .n_streams = form.n_streams};
    if (!tracy_write(t, path, how, &e))
        fail_msg("%s", e.text);
}

static void read_back(struct tracy *t, const char *path)
{
    struct err e = {0};
    if (!tracy_read(t, path, (struct tracy_read_how){.is_strict = true}, &e))
        fail_msg("%s", e.text);
    assert_int_equal(0, diag_total(&t->diag));
}

static void make_file(char *path)
{
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    (void)close(fd);
}

static void dump_of(struct buf *b, const struct tracy *t)
{
    struct buf text = {0};
    tracy_dump(&text, t);
    tracy_dump_canonical(b, buf_view(&text));
    buf_free(&text);
}

TEST(tracy_files_written_in_any_form_of_their_generation_have_the_same_contents)
{
    if (!tracy_golden_is_there())
        skip();
    struct tracy_golden files;
    tracy_golden_list(&files);
    char path[] = "tracy-golden-XXXXXX";
    make_file(path);
    unsigned n_wrong = 0;
    for (size_t i = 0; i < files.paths.n; i++) {
        struct tracy t, again;
        struct buf want = {0};
        read_back(&t, files.paths.v[i]);
        dump_of(&want, &t);
        for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
            if (forms[k].generation != t.generation)
                continue;
            struct buf got = {0};
            write_as(&t, path, forms[k]);
            read_back(&again, path);
            dump_of(&got, &again);
            n_wrong += !is_same(files.paths.v[i], buf_view(&got), buf_view(&want), S(""));
            tracy_free(&again);
            buf_free(&got);
        }
        tracy_free(&t);
        buf_free(&want);
    }
    (void)unlink(path);
    tracy_golden_free(&files);
    assert_int_equal(0, n_wrong);
}

// What only one of the generations has.
static void forget_differences(struct tracy *t)
{
    t->delay = 0;
    for (size_t i = 0; i < t->messages.n; i++) {
        struct tracy_message *m = pile_at(&t->messages, i);
        m->source = 0;
        m->severity = 2;
    }
    for (size_t i = 0; i < t->gpus.n; i++) {
        struct tracy_gpu *g = &t->gpus.v[i];
        g->note_names.n = g->notes.n = 0;
        for (size_t k = 0; k < g->lanes.n; k++)
            for (size_t z = 0; z < g->lanes.v[k].zones.n; z++)
                ((struct tracy_gpu_zone *)pile_at(&g->lanes.v[k].zones, z))->query = 0;
    }
}

TEST(tracy_files_survive_the_way_to_the_other_generation_and_back)
{
    if (!tracy_golden_is_there())
        skip();
    struct tracy_golden files;
    tracy_golden_list(&files);
    char path[] = "tracy-golden-XXXXXX";
    make_file(path);
    unsigned n_wrong = 0;
    for (size_t i = 0; i < files.paths.n; i++) {
        struct tracy t, other, again;
        struct buf want = {0}, got = {0};
        read_back(&t, files.paths.v[i]);
        forget_differences(&t);
        dump_of(&want, &t);
        bool is_f10 = t.generation == TRACY_F10;
        write_as(&t, path, forms[is_f10 ? 3 : 0]);
        read_back(&other, path);
        assert_int_equal(is_f10 ? TRACY_U14 : TRACY_F10, other.generation);
        write_as(&other, path, forms[is_f10 ? 1 : 2]);
        read_back(&again, path);
        dump_of(&got, &again);
        n_wrong += !is_same(files.paths.v[i], buf_view(&got), buf_view(&want), S(""));
        tracy_free(&t);
        tracy_free(&other);
        tracy_free(&again);
        buf_free(&want);
        buf_free(&got);
    }
    (void)unlink(path);
    tracy_golden_free(&files);
    assert_int_equal(0, n_wrong);
}

// One trace that was written for both generations by others.
TEST(tracy_files_of_one_generation_become_those_of_the_other)
{
    if (!tracy_golden_is_there())
        skip();
    static const char *const names[TRACY_FILE_GENERATIONS] = {
        "minimal/handmade-0.10-lz4.tracy", "minimal/handmade-0.14-lz4-1.tracy"};
    char path[] = "tracy-golden-XXXXXX";
    make_file(path);
    for (unsigned to = 0; to < TRACY_FILE_GENERATIONS; to++) {
        struct tracy from, got, want;
        struct buf got_dump = {0}, want_dump = {0};
        char golden[512];
        tracy_golden_path(golden, sizeof golden, names[!to]);
        read_back(&from, golden);
        write_as(&from, path, forms[to ? 3 : 0]);
        read_back(&got, path);
        tracy_golden_path(golden, sizeof golden, names[to]);
        read_back(&want, golden);
        // Their writer stored the same number for both, which is not the same colour.
        for (size_t i = 0; i < want.plots.n; i++)
            want.plots.v[i].colour = tracy_swap_colour(want.plots.v[i].colour);
        dump_of(&got_dump, &got);
        dump_of(&want_dump, &want);
        assert_true(is_same(golden, buf_view(&got_dump), buf_view(&want_dump), S("")));
        tracy_free(&from);
        tracy_free(&got);
        tracy_free(&want);
        buf_free(&got_dump);
        buf_free(&want_dump);
    }
    (void)unlink(path);
}
