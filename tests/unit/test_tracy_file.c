// test_tracy_file.c - .tracy files byte for byte, versions that are not read, damage.
#include <lz4.h>

#include "../support/memory_file.h"
#include "formats/diags.h"
#include "formats/tracy/tracy_file.h"
#include "test.h"

// --- files from payloads and back

static void put_u64(struct buf *b, uint64_t v)
{
    buf_str(b, (str){(const char *)&v, sizeof v});
}

// One block of LZ4, as it is.
static void pack(struct buf *file, str payload)
{
    buf_str(file, S("tlZ\x04"));
    char packed[4096];
    int n = LZ4_compress_default(payload.p, packed, (int)payload.n, sizeof packed);
    buf_str(file, (str){(const char *)&n, sizeof n});
    buf_str(file, (str){packed, (size_t)n});
}

static str written(const struct tracy *t, struct buf *payload)
{
    static char text[1 << 16];
    struct memory_file m = memory_file_make((str){0});
    struct out o = memory_out(&m);
    tracy_write_to(t, &o, (struct tracy_write_how){0});
    struct file f = memory_out_end(&o, &m);
    assert_true(str_starts(f.text, S("tlZ\x04")));
    int n = LZ4_decompress_safe(f.text.p + 8, text, (int)f.text.n - 8, sizeof text);
    assert_true(n > 0);
    buf_str(payload, (str){text, (size_t)n});
    file_close(&f);
    memory_file_free(&m);
    return buf_view(payload);
}

// --- the smallest payload that the reference accepts, section by section -------------

static void put_frames_and_texts(struct buf *b, str more_text)
{
    put_u64(b, 1); // frame sets: of name 0, continuous, from 0 to the last time
    put_u64(b, 0);
    buf_char(b, 1);
    put_u64(b, 2);
    put_u64(b, 0);
    buf_str(b, S("\xff\xff\xff\xff"));
    put_u64(b, 70);
    buf_str(b, S("\xff\xff\xff\xff"));
    put_u64(b, more_text.n ? 2 : 1); // texts, the added one last
    if (more_text.n) {
        put_u64(b, 1);
        put_u64(b, more_text.n);
        buf_str(b, more_text);
    }
    put_u64(b, more_text.n ? 2 : 1);
    put_u64(b, 5);
    buf_z(b, "Frame");
    put_u64(b, 1); // keys
    put_u64(b, 0);
    put_u64(b, more_text.n ? 2 : 1);
    put_u64(b, 0); // thread names, external names
    put_u64(b, 0);
    put_u64(b, 1); // threads
    put_u64(b, 0);
    put_u64(b, 0); // external threads
}

static void put_head(struct buf *b)
{
    buf_str(b, S("tracy\x00\x0a\x00"));
    for (int i = 0; i < 3; i++) // delay, resolution, ns per tick
        put_u64(b, 0);
    put_u64(b, 70);             // the last time
    for (int i = 0; i < 3; i++) // frame offset, process, sampling period
        put_u64(b, 0);
    buf_fill(b, 0, 18);         // CPU, on demand
    for (int i = 0; i < 6; i++) // names, times, CPUs
        put_u64(b, 0);
    buf_fill(b, 0, 28); // crash
}

static void put_rest(struct buf *b)
{
    for (int i = 0; i < 3; i++) // devices
        put_u64(b, 0);
    put_u64(b, 0); // plots
    put_u64(b, 0); // memory
    put_u64(b, 0);
    for (int i = 0; i < 3; i++) // callstacks, addresses, app info
        put_u64(b, 0);
    buf_fill(b, 0, 12); // images
    put_u64(b, 0);      // context switches
    buf_fill(b, 0, 8 + 8 * 256);
    put_u64(b, 0);
    put_u64(b, 0);
    buf_fill(b, 0, 24 + 8 * 4); // symbols
}

static void put_empty_places(struct buf *b)
{
    put_u64(b, 0); // places
    put_u64(b, 1);
    put_u64(b, 0);
    put_u64(b, 0); // made places
    put_u64(b, 0); // zones by place
    put_u64(b, 0);
    put_u64(b, 0); // locks
    put_u64(b, 0); // messages
    put_u64(b, 1); // extras
    buf_fill(b, 0, 12);
}

TEST(a_tracy_file_of_nothing_has_what_the_reference_needs)
{
    struct tracy t;
    struct buf want = {0}, got = {0};
    tracy_start(&t, NULL, 0);
    t.last_time = 70;
    put_head(&want);
    put_frames_and_texts(&want, (str){0});
    put_empty_places(&want);
    for (int i = 0; i < 3; i++) // zones, parents, threads
        put_u64(&want, 0);
    put_rest(&want);
    str bytes = written(&t, &got);
    assert_int_equal(want.n, bytes.n);
    assert_memory_equal(want.p, bytes.p, bytes.n);
    tracy_free(&t);
    buf_free(&want);
    buf_free(&got);
}

// --- one thread: a zone with a child, and one that never ended
static void put_zone(struct buf *b, int16_t place, int64_t dt, uint32_t children)
{
    buf_str(b, (str){(const char *)&place, 2});
    put_u64(b, (uint64_t)dt);
    buf_fill(b, 0, 4);
    buf_str(b, (str){(const char *)&children, 4});
}

static void put_count(struct buf *b, int16_t place, uint64_t n)
{
    buf_str(b, (str){(const char *)&place, 2});
    put_u64(b, n);
}

static void put_zones(struct buf *b)
{
    put_u64(b, 1); // the place
    put_u64(b, 0xabc);
    put_u64(b, 0);
    buf_char(b, 3);
    buf_fill(b, 0, 18);
    buf_str(b, S("\x07\0\0\0\x11\x22\x33\0"));
    put_u64(b, 2);
    put_u64(b, 0);
    put_u64(b, 0xabc);
    put_u64(b, 0);
    put_u64(b, 1); // every place is listed, with the zones that ended
    put_count(b, 1, 2);
    put_u64(b, 0);
    put_u64(b, 0); // locks
    put_u64(b, 0); // messages
    put_u64(b, 1);
    buf_fill(b, 0, 12);
    put_u64(b, 3); // zones, and those with children
    put_u64(b, 1);
    put_u64(b, 1);
    put_u64(b, 5); // the thread
    put_u64(b, 3);
    put_u64(b, 0);
    buf_char(b, 0);
    buf_str(b, S("\2\0\0\0"));
    put_zone(b, 1, 10, 1);
    put_zone(b, 1, 5, 0);
    put_u64(b, 5);
    put_u64(b, 20); // 15 + 5 + 20
    put_zone(b, 1, 10, 0);
    put_u64(b, (uint64_t)-51); // 50 becomes -1
    for (int i = 0; i < 3; i++)
        put_u64(b, 0);
}

// A whole payload but for the lists after the zones.
static void put_up_to_zones(struct buf *b)
{
    put_head(b);
    put_frames_and_texts(b, S("name"));
    put_zones(b);
}

static void make_zones(struct tracy *t)
{
    tracy_start(t, NULL, 0);
    t->last_time = 70;
    (void)tracy_text(t, S("name"));
    vec_push(&t->place_keys, 0);
    vec_push(&t->places, (struct tracy_place){0});
    vec_push(&t->place_keys, 0xabc);
    vec_push(&t->places,
             (struct tracy_place){.name = {0, true, true}, .line = 7, .colour = 0x112233});
    struct tracy_thread th = {.id = 5,
                              .zones = pile_of(sizeof(struct tracy_zone)),
                              .samples = pile_of(sizeof(struct tracy_sample)),
                              .switch_samples = pile_of(sizeof(struct tracy_sample))};
    static const struct tracy_zone zones[] = {
        {10, 40, 0, 1, 1}, {15, 20, 0, 0, 1}, {50, -1, 0, 0, 1}};
    for (size_t i = 0; i < 3; i++)
        *(struct tracy_zone *)pile_add(&th.zones, &t->store) = zones[i];
    vec_push(&t->threads, th);
}

TEST(zones_of_a_tracy_file_are_where_the_format_puts_them)
{
    struct tracy t;
    struct buf want = {0}, got = {0};
    make_zones(&t);
    put_up_to_zones(&want);
    put_rest(&want);
    str bytes = written(&t, &got);
    assert_int_equal(want.n, bytes.n);
    assert_memory_equal(want.p, bytes.p, bytes.n);
    tracy_free(&t);
    buf_free(&want);
    buf_free(&got);
}

// --- what is not read

static void read_payload(str payload, struct tracy *t, bool is_strict, struct err *e)
{
    struct buf file = {0};
    pack(&file, payload);
    struct tracy_read_how how = {.is_strict = is_strict};
    bool ok = tracy_read_text(t, buf_view(&file), "x.tracy", how, e);
    assert_int_equal(ok, e->code == ERR_NONE);
    buf_free(&file);
}

static void check_version(const char *bytes, const char *message)
{
    struct tracy t;
    struct err e = {0};
    struct buf b = {0};
    put_head(&b);
    memcpy(b.p + 5, bytes, 3);
    read_payload(buf_view(&b), &t, false, &e);
    assert_int_equal(ERR_FORMAT, e.code);
    assert_string_equal(message, e.text);
    tracy_free(&t);
    buf_free(&b);
}

TEST(tracy_files_of_other_versions_are_refused_with_advice)
{
#define READS "; ttprof reads files of 0.9.0 to 0.10.0 and of 0.14.0: "
    check_version("\x00\x08\x02",
                  "x.tracy: it was written by Tracy 0.8.2" READS
                  "save it again with the tool 'tracy-update' of Tracy 0.10");
    check_version("\x00\x0b\x00",
                  "x.tracy: it was written by Tracy 0.11.0" READS
                  "save it again with the tool 'tracy-update' of Tracy 0.14");
    check_version("\x00\x0d\x01",
                  "x.tracy: it was written by Tracy 0.13.1" READS
                  "save it again with the tool 'tracy-update' of Tracy 0.14");
    check_version("\x00\x0e\x01", "x.tracy: it was written by Tracy 0.14.1" READS
                                  "a newer ttprof may read it");
}

TEST(a_file_that_is_not_a_trace_is_refused)
{
    static const char *const files[] = {"", "tl", "tlZ\x05 ", "tr\xfdP\x02\x01 ",
                                        "tr\xfdP\x01\x00 "};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct tracy t;
        struct err e = {0};
        str file = {files[i], i < 4 ? strlen(files[i]) : 7};
        assert_false(tracy_read_text(&t, file, "x.tracy", (struct tracy_read_how){0}, &e));
        assert_string_equal("x.tracy: not a .tracy file", e.text);
        assert_false(tracy_is_file(file));
        tracy_free(&t);
    }
}

// --- damage

TEST(a_tracy_file_cut_in_the_zones_gives_those_before_the_cut)
{
    struct tracy t;
    struct err e = {0};
    struct buf b = {0};
    put_up_to_zones(&b);
    // Without the lists after the zones and the last zone but its place: two are left.
    b.n -= 24 + 8 + 16;
    read_payload(buf_view(&b), &t, false, &e);
    assert_int_equal(1, t.threads.n);
    assert_int_equal(2, t.threads.v[0].zones.n);
    assert_int_equal(1, t.diag.entry[DIAG_TRACY_DAMAGED].count);
    assert_non_null(strstr(t.diag.entry[DIAG_TRACY_DAMAGED].first,
                           "of the payload: the payload ends too early"));
    tracy_free(&t);
    // A cut in the first zone's child: the zone has no children, and no end.
    b.n -= 2 + 8 + 8 + 16;
    read_payload(buf_view(&b), &t, false, &e);
    assert_int_equal(1, t.threads.v[0].zones.n);
    const struct tracy_zone *z = pile_at(&t.threads.v[0].zones, 0);
    assert_int_equal(0, z->children);
    assert_int_equal(-1, z->end);
    STR_IS(tracy_place_name(&t, z->place), "name");
    tracy_free(&t);
    read_payload(buf_view(&b), &t, true, &e);
    assert_int_equal(ERR_FORMAT, e.code);
    tracy_free(&t);
    buf_free(&b);
}

TEST(a_count_larger_than_a_tracy_file_takes_no_memory)
{
    struct tracy t;
    struct err e = {0};
    struct buf b = {0};
    put_head(&b);
    put_u64(&b, UINT64_C(1) << 40); // sets of frames
    read_payload(buf_view(&b), &t, false, &e);
    assert_int_equal(0, t.frame_sets.n);
    assert_non_null(
        strstr(t.diag.entry[DIAG_TRACY_DAMAGED].first, "a count is larger than the file"));
    tracy_free(&t);
    buf_free(&b);
}

TEST(bytes_after_the_end_of_a_tracy_file_are_told)
{
    struct tracy t;
    struct err e = {0};
    struct buf b = {0};
    put_up_to_zones(&b);
    put_rest(&b);
    read_payload(buf_view(&b), &t, true, &e);
    tracy_free(&t);
    buf_char(&b, 0);
    read_payload(buf_view(&b), &t, false, &e);
    assert_int_equal(3, t.threads.v[0].zones.n);
    assert_non_null(strstr(t.diag.entry[DIAG_TRACY_DAMAGED].first, "more after the end"));
    tracy_free(&t);
    buf_free(&b);
}

TEST(references_of_a_tracy_file_to_nothing_are_counted_and_left_out)
{
    struct tracy t;
    struct err e = {0};
    struct buf b = {0};
    put_head(&b);
    put_frames_and_texts(&b, S("name"));
    size_t zones = b.n;
    put_zones(&b);
    put_rest(&b);
    // The place of the last zone.
    size_t at = zones;
    while (memcmp(b.p + at, "\x0a\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xcd", 17) != 0)
        at++;
    b.p[at - 2] = 2;
    read_payload(buf_view(&b), &t, true, &e);
    assert_int_equal(0, ((struct tracy_zone *)pile_at(&t.threads.v[0].zones, 2))->place);
    assert_int_equal(1, t.diag.entry[DIAG_TRACY_REFERENCE].count);
    tracy_free(&t);
    buf_free(&b);
}
