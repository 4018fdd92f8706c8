// test_unpack.c - gzip and zstd: whole, cut off, damaged, and through file_open.
#include <fcntl.h>
#include <zstd.h>

#include "base/file/deflate.h"
#include "base/file/unpack.h"

#include "../support/memory_file.h"
#include "test.h"

static struct buf lines(size_t n)
{
    struct buf b = {0};
    for (size_t i = 0; b.n < n; i++)
        buf_printf(&b, "%zu,core_%zu,BRISC,%zu\n", i, i * i % 97, i * 7919 % 10007);
    b.n = n;
    return b;
}

static void gzip(struct buf *b, str text)
{
    gzip_put(b, text.p, text.n, 6);
}

// One frame with its size and a check sum.
static void zstd(struct buf *b, str text)
{
    size_t most = ZSTD_compressBound(text.n);
    ZSTD_CCtx *z = ZSTD_createCCtx();
    (void)ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
    size_t n = ZSTD_compress2(z, buf_room(b, most), most, text.p, text.n);
    assert_false(ZSTD_isError(n));
    b->n += n;
    (void)ZSTD_freeCCtx(z);
}

// One frame that does not say how long it is, of small blocks.
static void zstd_stream(struct buf *b, str text)
{
    enum { BLOCK = 500 };
    ZSTD_CCtx *z = ZSTD_createCCtx();
    ZSTD_inBuffer in = {text.p, 0, 0};
    for (bool is_last = false; !is_last;) {
        in.size = in.pos + BLOCK < text.n ? in.pos + BLOCK : text.n;
        is_last = in.size == text.n;
        size_t most = ZSTD_compressBound(BLOCK) + 100;
        ZSTD_outBuffer out = {buf_room(b, most), most, 0};
        size_t left =
            ZSTD_compressStream2(z, &out, &in, is_last ? ZSTD_e_end : ZSTD_e_flush);
        assert_int_equal(0, left);
        b->n += out.pos;
    }
    (void)ZSTD_freeCCtx(z);
}

static void skippable(struct buf *b, str what)
{
    assert_true(what.n < 256);
    buf_str(b, S("\x5a\x2a\x4d\x18"));
    buf_char(b, (char)what.n);
    buf_str(b, S("\0\0\0"));
    buf_str(b, what);
}

static const struct form {
    void (*pack)(struct buf *b, str text);
    size_t magic; // bytes by which it is known
    const char *cut_off, *damaged, *followed;
} forms[] = {
    {gzip, 2, "the gzip stream is truncated", "the gzip stream is damaged",
     "other bytes follow the gzip stream"},
    {zstd, 4, "the zstd stream is truncated", "the zstd stream is damaged",
     "other bytes follow the zstd stream"},
    {zstd_stream, 4, "the zstd stream is truncated", "the zstd stream is damaged",
     "other bytes follow the zstd stream"},
};

enum { N_FORMS = sizeof forms / sizeof *forms };

static void unpacks_to(str packed, str want, const char *damage)
{
    struct buf got = {0};
    assert_non_null(unpack_ending(packed));
    const char *said = unpack(packed, UINT64_MAX, &got);
    if (damage)
        assert_string_equal(damage, said ? said : "nothing");
    else
        assert_null(said);
    assert_true(str_eq(want, buf_view(&got)));
    buf_free(&got);
}

static bool is_prefix(const struct buf *part, const struct buf *whole)
{
    return part->n <= whole->n && (!part->n || memcmp(part->p, whole->p, part->n) == 0);
}

// --- whole ---

TEST(unpack_gives_back_the_text)
{
    static const size_t sizes[] = {0, 1, 1000, 700000};
    for (const struct form *f = forms; f < forms + N_FORMS; f++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            struct buf text = lines(sizes[i]), packed = {0};
            f->pack(&packed, buf_view(&text));
            unpacks_to(buf_view(&packed), buf_view(&text), NULL);
            buf_free(&text);
            buf_free(&packed);
        }
    }
}

TEST(unpack_reads_all_members_and_frames)
{
    for (const struct form *f = forms; f < forms + N_FORMS; f++) {
        struct buf packed = {0};
        f->pack(&packed, S("one,"));
        f->pack(&packed, S(""));
        f->pack(&packed, S("two,"));
        f->pack(&packed, S("three"));
        unpacks_to(buf_view(&packed), S("one,two,three"), NULL);
        buf_free(&packed);
    }
}

TEST(unpack_skips_what_zstd_says_is_to_be_skipped)
{
    struct buf packed = {0};
    skippable(&packed, S("a note"));
    zstd(&packed, S("one,"));
    skippable(&packed, S(""));
    zstd_stream(&packed, S("two"));
    skippable(&packed, S("the end"));
    unpacks_to(buf_view(&packed), S("one,two"), NULL);
    packed.n--;
    unpacks_to(buf_view(&packed), S("one,two"), "the zstd stream is truncated");
    packed.n = 0;
    skippable(&packed, S("nothing else"));
    unpacks_to(buf_view(&packed), S(""), NULL);
    buf_free(&packed);
}

TEST(unpack_grows_with_a_text_far_longer_than_its_packed_form)
{
    struct buf text = {0};
    buf_fill(&text, 'x', 3000000);
    for (const struct form *f = forms; f < forms + N_FORMS; f++) {
        struct buf packed = {0};
        f->pack(&packed, buf_view(&text));
        unpacks_to(buf_view(&packed), buf_view(&text), NULL);
        buf_free(&packed);
    }
    buf_free(&text);
}

TEST(unpack_takes_zeros_behind_gzip_as_padding)
{
    struct buf packed = {0};
    gzip(&packed, S("text"));
    buf_fill(&packed, '\0', 1000);
    unpacks_to(buf_view(&packed), S("text"), NULL);
    buf_char(&packed, 'x');
    unpacks_to(buf_view(&packed), S("text"), "other bytes follow the gzip stream");
    buf_free(&packed);
}

TEST(only_the_first_bytes_make_a_file_packed)
{
    static const str plain[] = {
        {"", 0},
        {"\x1f", 1},
        {"\x28\xb5\x2f", 3},
        {"\x60\x2a\x4d\x18", 4}, // one above the last kind of skippable frame
        {"OP CODE,DEVICE ID\n", 18},
        {"P*M\n", 4},
    };
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        assert_null(unpack_ending(plain[i]));
    assert_string_equal(".gz", unpack_ending(S("\x1f\x8b")));
    assert_string_equal(".zst", unpack_ending(S("\x28\xb5\x2f\xfd")));
    assert_non_null(unpack_ending(S("\x50\x2a\x4d\x18")));
    assert_non_null(unpack_ending(S("\x5f\x2a\x4d\x18")));
}

// --- cut off and damaged ---

TEST(unpack_gives_a_prefix_of_a_stream_cut_anywhere)
{
    for (const struct form *f = forms; f < forms + N_FORMS; f++) {
        struct buf text = lines(3000), packed = {0};
        f->pack(&packed, (str){text.p, 2000});
        size_t second = packed.n, longest = 0;
        f->pack(&packed, str_from(buf_view(&text), 2000));
        for (size_t n = f->magic; n < packed.n; n++) {
            // A block of its own size, so that reading past the end does not go unseen.
            char *cut = mem_alloc(n);
            memcpy(cut, packed.p, n);
            struct buf got = {0};
            const char *damage = unpack((str){cut, n}, UINT64_MAX, &got);
            if (n == second)
                assert_null(damage);
            else
                assert_string_equal(f->cut_off, damage ? damage : "nothing");
            assert_true(is_prefix(&got, &text));
            assert_true(got.n >= longest); // more data never give less text
            assert_true(n < second || got.n >= 2000);
            longest = got.n;
            buf_free(&got);
            mem_free(cut);
        }
        buf_free(&text);
        buf_free(&packed);
    }
}

// Where there is a check sum, another text is never given without a word. A few bits change
// nothing, such as gzip's time and what fills a last byte. No stream gives endlessly much.
TEST(unpack_tells_of_any_flipped_bit_that_changes_the_text)
{
    enum { HEAD = 10 }; // bytes
    for (const struct form *f = forms; f < forms + N_FORMS; f++) {
        struct buf text = lines(600), packed = {0};
        size_t n_quiet = 0;
        f->pack(&packed, buf_view(&text));
        for (size_t bit = 8 * f->magic; bit < 8 * packed.n; bit++) {
            struct buf got = {0};
            packed.p[bit / 8] = (char)(packed.p[bit / 8] ^ 1 << bit % 8);
            const char *damage = unpack(buf_view(&packed), UINT64_MAX, &got);
            packed.p[bit / 8] = (char)(packed.p[bit / 8] ^ 1 << bit % 8);
            bool is_same = str_eq(buf_view(&got), buf_view(&text));
            if (f->pack != zstd_stream && !damage && !is_same)
                fail_msg("bit %zu changes the text, and nothing is said", bit);
            n_quiet += !damage && bit >= 8 * HEAD;
            assert_true(got.n <= 1 << 20);
            buf_free(&got);
        }
        assert_true(f->pack == zstd_stream || n_quiet < packed.n); // of eight times as many
        unpacks_to(buf_view(&packed), buf_view(&text), NULL);
        buf_free(&text);
        buf_free(&packed);
    }
}

TEST(unpack_keeps_the_whole_text_when_only_the_check_sum_is_wrong)
{
    for (const struct form *f = forms; f < forms + N_FORMS; f++) {
        struct buf packed = {0};
        if (f->pack == zstd_stream)
            continue; // has none
        f->pack(&packed, S("the text"));
        size_t at = packed.n - (f->pack == gzip ? 8 : 4);
        packed.p[at] = (char)(packed.p[at] ^ 1);
        unpacks_to(buf_view(&packed), S("the text"), f->damaged);
        buf_free(&packed);
    }
}

// Each piece of 500 bytes is a block: those before the bad one must not be lost with it.
TEST(unpack_keeps_the_blocks_before_a_damaged_one)
{
    struct buf text = lines(2000), packed = {0}, first = {0}, got = {0};
    zstd_stream(&packed, buf_view(&text));
    zstd_stream(&first, (str){text.p, 1000});
    packed.p[first.n] |= 6; // the third block becomes one of a kind that does not exist
    assert_string_equal("the zstd stream is damaged",
                        unpack(buf_view(&packed), UINT64_MAX, &got));
    assert_int_equal(1000, got.n);
    assert_true(is_prefix(&got, &text));
    buf_free(&text);
    buf_free(&packed);
    buf_free(&first);
    buf_free(&got);
}

TEST(unpack_stops_at_its_limit)
{
    for (const struct form *f = forms; f < forms + N_FORMS; f++) {
        struct buf text = lines(700000), packed = {0};
        f->pack(&packed, buf_view(&text));
        for (int i = 0; i < 2; i++) { // the text just fits, or has a byte too many
            struct buf got = {0};
            const char *said = unpack(buf_view(&packed), text.n - (size_t)i, &got);
            assert_ptr_equal(i ? unpack_over : NULL, said);
            buf_free(&got);
        }
        buf_free(&text);
        buf_free(&packed);
    }
}

TEST(unpack_tells_of_bytes_that_do_not_belong_to_the_stream)
{
    for (const struct form *f = forms; f < forms + N_FORMS; f++) {
        struct buf packed = {0};
        f->pack(&packed, S("text"));
        buf_z(&packed, "garbage");
        unpacks_to(buf_view(&packed), S("text"), f->followed);
        buf_free(&packed);
    }
}

TEST(unpack_does_not_believe_a_size_of_many_terabytes)
{
    // Head, window, size in 8 bytes, one block of 2 bytes as they are, and no end.
    unpacks_to(S("\x28\xb5\x2f\xfd\xc0"
                 "\0"
                 "\0\0\0\0\0\0\0\x10"
                 "\x10\0\0hi"),
               S("hi"), "the zstd stream is truncated");
}

TEST(unpack_says_what_a_zstd_stream_would_need)
{
    unpacks_to(S("\x28\xb5\x2f\xfd\0\xa8\x01\0\0"), S(""),
               "the zstd stream needs a window of more than 1 GB");
    unpacks_to(S("\x28\xb5\x2f\xfd\x01\0\x07\x01\0\0"), S(""),
               "the zstd stream needs a dictionary");
}

// --- files ---

TEST(file_open_reads_packed_files_as_their_text)
{
    for (const struct form *f = forms; f < forms + N_FORMS; f++) {
        struct buf packed = {0};
        f->pack(&packed, S("a,b\n1,2\n"));
        struct memory_file m = memory_file_make(buf_view(&packed));
        struct file file;
        struct err e;
        assert_true(file_open(m.path, &file, &e));
        STR_IS(file.text, "a,b\n1,2\n");
        assert_false(file.is_mapped);
        assert_null(file.damage);
        file_close(&file);
        memory_file_free(&m);
        buf_free(&packed);
    }
}

TEST(file_open_keeps_what_a_damaged_file_holds_and_says_so)
{
    for (const struct form *f = forms; f < forms + N_FORMS; f++) {
        struct buf packed = {0};
        f->pack(&packed, S("a,b\n"));
        f->pack(&packed, S("1,2\n"));
        struct memory_file m = memory_file_make((str){packed.p, packed.n - 1});
        struct file file;
        struct err e;
        assert_true(file_open(m.path, &file, &e));
        assert_string_equal(f->cut_off, file.damage);
        assert_true(file.text.n >= 4);
        file_close(&file);
        memory_file_free(&m);
        buf_free(&packed);
    }
}

TEST(file_open_fails_where_nothing_can_be_unpacked)
{
    static const struct {
        str packed;
        const char *what;
    } cases[] = {
        {{"\x1f\x8b", 2}, "the gzip stream is truncated"},
        {{"\x1f\x8b text", 7}, "the gzip stream is damaged"},
        {{"\x28\xb5\x2f\xfd", 4}, "the zstd stream is truncated"},
        {{"\x50\x2a\x4d\x18", 4}, "the zstd stream is truncated"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct memory_file m = memory_file_make(cases[i].packed);
        struct file file;
        struct err e = {0};
        char want[200];
        assert_false(file_open(m.path, &file, &e));
        (void)snprintf(want, sizeof want,
                       "%s: cannot decompress: %s; copy or compress the file again", m.path,
                       cases[i].what);
        assert_string_equal(want, e.text);
        assert_int_equal(ERR_FORMAT, e.code);
        assert_null(file.owned);
        memory_file_free(&m);
    }
}

TEST(file_open_unpacks_an_empty_text)
{
    for (const struct form *f = forms; f < forms + N_FORMS; f++) {
        struct buf packed = {0};
        f->pack(&packed, S(""));
        struct memory_file m = memory_file_make(buf_view(&packed));
        struct file file;
        struct err e;
        assert_true(file_open(m.path, &file, &e));
        assert_int_equal(0, file.text.n);
        file_close(&file);
        memory_file_free(&m);
        buf_free(&packed);
    }
}

TEST(file_open_unpacks_standard_input)
{
    for (const struct form *f = forms; f < forms + N_FORMS; f++) {
        int ends[2], old = dup(STDIN_FILENO);
        struct buf packed = {0};
        f->pack(&packed, S("a\n1\n"));
        assert_int_equal(0, pipe(ends));
        assert_int_equal(packed.n, write(ends[1], packed.p, packed.n));
        (void)close(ends[1]);
        (void)dup2(ends[0], STDIN_FILENO);
        struct file file;
        struct err e;
        bool ok = file_open("-", &file, &e);
        (void)dup2(old, STDIN_FILENO);
        (void)close(old);
        (void)close(ends[0]);
        assert_true(ok);
        STR_IS(file.text, "a\n1\n");
        file_close(&file);
        buf_free(&packed);
    }
}
