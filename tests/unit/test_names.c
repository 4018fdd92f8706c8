// test_names.c - which location an id stands for. Spec: device-profiler 5.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file/file.h"

#include "collect/decode/names.h"
#include "test.h"
#include "ttprof/profiler_words.h"

static struct zone_names *names_new(void)
{
    return mem_alloc(sizeof(struct zone_names));
}

static void names_delete(struct zone_names *n)
{
    names_free(n);
    mem_free(n);
}

#define NAME_IS(n, id, text) STR_IS(names_find((n), (id))->name, text)

TEST(names_read_the_lines_of_a_compiler_in_any_quoting)
{
    struct zone_names *n = names_new();
    names_read_log(
        n, S("brisc.cc:433:5: note: '#pragma message: "
             "BRISC-FW,tt_metal/hw/firmware/src/tt-1xx/brisc.cc,433,"
             "KERNEL_PROFILER'\n"
             "out/a.o.log:note: \"#pragma message: A,a.cpp,1,KERNEL_PROFILER\"\n"
             "note: \xE2\x80\x98#pragma message: B,b.cpp,2,KERNEL_PROFILER\xE2\x80\x99\n"
             "  433 |  DeviceZoneScopedN(\"BRISC-FW\")\r\n"
             "note: '#pragma message: LOAD,kernels/reader.cpp,14,KERNEL_PROFILER'"));
    assert_int_equal(n->v.n, 4);
    assert_int_equal(n->n_malformed, 0);
    NAME_IS(n, 23359, "BRISC-FW");
    STR_IS(names_find(n, 23359)->file, "tt_metal/hw/firmware/src/tt-1xx/brisc.cc");
    assert_int_equal(names_find(n, 23359)->line, 433);
    NAME_IS(n, 16768, "LOAD");
    NAME_IS(n, zone_fold(S("A,a.cpp,1,KERNEL_PROFILER")), "A");
    NAME_IS(n, zone_fold(S("B,b.cpp,2,KERNEL_PROFILER")), "B");
    assert_null(names_find(n, 1));
    names_delete(n);
}

TEST(names_take_commas_and_bytes_above_127)
{
    struct zone_names *n = names_new();
    names_add_hashed(n, S("a, b,dir/x.cpp,7,KERNEL_PROFILER"));
    names_add_hashed(n, S("Z\xC3\xBCrich,x.cpp,8,KERNEL_PROFILER"));
    assert_int_equal(n->n_malformed, 0);
    NAME_IS(n, zone_fold(S("a, b,dir/x.cpp,7,KERNEL_PROFILER")), "a, b");
    // As a device's compiler has it: bytes are unsigned.
    uint32_t h = 2166136261u;
    static const unsigned char text[] = "Z\xC3\xBCrich,x.cpp,8,KERNEL_PROFILER";
    for (size_t i = 0; i + 1 < sizeof text; i++)
        h = (h ^ text[i]) * 16777619u;
    NAME_IS(n, (h & 0xFFFF) ^ h >> 16, "Z\xC3\xBCrich");
    names_delete(n);
}

TEST(names_say_which_lines_made_no_sense)
{
    struct zone_names *n = names_new();
    names_read_log(n, S("'#pragma message: ONLY,KERNEL_PROFILER'\n"
                        "'#pragma message: A,a.cpp,x1,KERNEL_PROFILER'\n"
                        "'#pragma message: A,a.cpp,99999999999999999999,KERNEL_PROFILER'\n"
                        "'#pragma message: A,a.cpp,,KERNEL_PROFILER'\n"
                        "'#pragma message: nothing of ours'\n"));
    assert_int_equal(n->n_malformed, 5);
    assert_int_equal(n->v.n, 0);
    STR_IS(buf_view(&n->warnings),
           "Skipping malformed zone source location entry: ONLY,KERNEL_PROFILER\n"
           "Skipping zone source location entry 'A,a.cpp,x1,KERNEL_PROFILER' with invalid "
           "line number 'x1': not a number\n"
           "Skipping zone source location entry "
           "'A,a.cpp,99999999999999999999,KERNEL_PROFILER' with invalid line number "
           "'99999999999999999999': too large\n"
           "Skipping zone source location entry 'A,a.cpp,,KERNEL_PROFILER' with invalid "
           "line number '': empty\n"
           "Skipping malformed zone source location entry: nothing of ours\n");
    for (int i = 0; i < 1000; i++)
        names_add_hashed(n, S("x"));
    assert_int_equal(n->n_malformed, 1005);
    assert_true(n->warnings.n < 4000); // not a flood
    names_delete(n);
}

// --- ids with several locations --------------------------------------------------------

// The first two lines of b.cpp whose location has this id.
static uint32_t two_lines(struct zone_names *n)
{
    struct buf b = {0};
    uint32_t id = zone_fold(S("LEFT,a.cpp,1,KERNEL_PROFILER"));
    names_add_hashed(n, S("LEFT,a.cpp,1,KERNEL_PROFILER"));
    for (int line = 1;; line++) {
        b.n = 0;
        buf_printf(&b, "RIGHT,b.cpp,%d,KERNEL_PROFILER", line);
        if (zone_fold(buf_view(&b)) == id)
            break;
    }
    names_add_hashed(n, buf_view(&b));
    names_add_hashed(n, buf_view(&b));
    buf_free(&b);
    return id;
}

TEST(names_keep_all_locations_of_an_id)
{
    struct zone_names *n = names_new();
    uint32_t id = two_lines(n);
    assert_int_equal(n->v.n, 2);
    assert_int_equal(n->n_collisions, 1);
    assert_true(names_is_ambiguous(n, id));
    struct arena a = {0};
    const struct zone_name *which;
    struct zone_hint hint = {
        .packet = TT_PACKET_ZONE_START, .place = PLACE_CUSTOM, .risc = S("BRISC")};
    STR_IS(names_pick(n, id, &hint, &a, &which), "LEFT|RIGHT");
    STR_IS(which->file, "a.cpp");
    arena_free(&a);
    names_delete(n);
}

TEST(names_of_the_loader_count_more_than_hashes)
{
    struct zone_names *n = names_new();
    uint32_t id = two_lines(n);
    names_add_assigned(n, id, S("GIVEN"), S("c.cpp"), 3);
    assert_false(names_is_ambiguous(n, id));
    assert_int_equal(n->n_collisions, 0);
    NAME_IS(n, id, "GIVEN");
    // What was read as a hash before may be given that very id.
    names_add_assigned(n, id, S("GIVEN"), S("c.cpp"), 3);
    assert_int_equal(n->v.n, 3);
    names_add_assigned(n, 16768, S("LOAD"), S("kernels/reader.cpp"), 14);
    names_add_hashed(n, S("LOAD,kernels/reader.cpp,14,KERNEL_PROFILER"));
    assert_int_equal(n->v.n, 4);
    names_add_hashed(n, S("BRISC-FW,tt_metal/hw/firmware/src/tt-1xx/brisc.cc,433,"
                          "KERNEL_PROFILER"));
    names_add_assigned(n, 23359, S("BRISC-FW"),
                       S("tt_metal/hw/firmware/src/tt-1xx/brisc.cc"), 433);
    assert_int_equal(n->v.n, 5);
    assert_true(names_find(n, 23359)->is_assigned);
    names_delete(n);
}

TEST(names_of_locations_without_an_id_are_a_question_mark)
{
    struct zone_names *n = names_new();
    names_add_assigned(n, TT_ID_OVERFLOW, S("A"), S("a.cpp"), 1);
    names_add_assigned(n, TT_ID_OVERFLOW, S("B"), S("b.cpp"), 2);
    assert_int_equal(n->v.n, 1);
    NAME_IS(n, TT_ID_OVERFLOW, "?");
    names_delete(n);
}

// --- files -----------------------------------------------------------------------------

struct place {
    char folder[32], path[64];
};

static struct place place_make(const char *name)
{
    struct place p = {.folder = "/tmp/ttprof-names-XXXXXX"};
    assert_non_null(mkdtemp(p.folder));
    (void)snprintf(p.path, sizeof p.path, "%s/%s", p.folder, name);
    return p;
}

static void place_remove(struct place *p)
{
    (void)unlink(p->path);
    (void)rmdir(p->folder);
}

static void file_is(const char *path, str want)
{
    struct file f;
    struct err e;
    assert_true(file_open(path, &f, &e));
    test_str_is(f.text, want, __FILE__, __LINE__);
    file_close(&f);
}

TEST(names_with_ids_are_written_and_read_back)
{
    struct place p = place_make("zone_ids.csv");
    struct zone_names *n = names_new(), *back = names_new();
    struct err e = {0};
    names_add_assigned(n, 900, S("a,\"b\""), S("dir/x,y.cpp"), 12);
    names_add_assigned(n, 7, S("FIRST"), S("f.cpp"), 1);
    names_add_hashed(n, S("HASHED,h.cpp,3,KERNEL_PROFILER"));
    assert_true(names_write_ids(n, p.path, &e));
    file_is(p.path, S("id,name,line,file\n7,FIRST,1,f.cpp\n"
                      "900,\"a,\"\"b\"\"\",12,\"dir/x,y.cpp\"\n"));
    struct file f;
    assert_true(file_open(p.path, &f, &e));
    assert_true(names_read_ids(back, f.text, &e));
    assert_int_equal(back->v.n, 2);
    NAME_IS(back, 900, "a,\"b\"");
    STR_IS(names_find(back, 900)->file, "dir/x,y.cpp");
    assert_true(names_find(back, 7)->is_assigned);
    file_close(&f);
    names_delete(n);
    names_delete(back);
    place_remove(&p);
}

TEST(names_with_ids_that_make_no_sense_are_left_out_and_counted)
{
    struct zone_names *n = names_new();
    struct err e = {0};
    assert_true(
        names_read_ids(n, S("file,id,name,line\na,x,A,1\na,70000,B,1\na,5,C,2\n"), &e));
    assert_int_equal(n->n_malformed, 2);
    NAME_IS(n, 5, "C");
    STR_IS(buf_view(&n->warnings),
           "zone_ids.csv: line 2: not a 16-bit id and a line number; skipped\n");
    assert_false(names_read_ids(n, S("id,name,file\n"), &e));
    assert_int_equal(e.code, ERR_FORMAT);
    assert_string_equal(e.text, "line 1: missing column 'line'");
    names_delete(n);
}

TEST(names_are_appended_to_a_log_once)
{
    struct place p = place_make("zone_src_locations.log");
    struct zone_names *n = names_new();
    struct err e = {0};
    struct out o;
    assert_true(out_open(&o, p.path, &e));
    buf_z(&o.b, "x.cc: note: '#pragma message: A,a.cpp,1,KERNEL_PROFILER'");
    assert_true(out_close(&o, &e));
    names_add_hashed(n, S("A,a.cpp,1,KERNEL_PROFILER"));
    names_add_assigned(n, 9, S("B"), S("b.cpp"), 2);
    assert_true(names_write_log(n, p.path, &e));
    static const char want[] =
        "x.cc: note: '#pragma message: A,a.cpp,1,KERNEL_PROFILER'\n"
        "'#pragma message: B,b.cpp,2,KERNEL_PROFILER'\n";
    file_is(p.path, S(want));
    assert_true(names_write_log(n, p.path, &e));
    file_is(p.path, S(want));
    (void)unlink(p.path);
    assert_true(names_write_log(n, p.path, &e)); // also where there is none
    file_is(p.path, S("'#pragma message: A,a.cpp,1,KERNEL_PROFILER'\n"
                      "'#pragma message: B,b.cpp,2,KERNEL_PROFILER'\n"));
    names_delete(n);
    place_remove(&p);
}
