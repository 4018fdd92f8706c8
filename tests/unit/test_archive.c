// test_archive.c - an archive, read back record by record.
#include <stdlib.h>
#include <sys/stat.h>

#include "base/file/archive.h"
#include "base/file/tar.h"

#include "../support/memory_file.h"
#include "test.h"

// The next member must be this one.
static void member_is(str tar, size_t *at, const char *name, char type, str want)
{
    const unsigned char *h = (const unsigned char *)tar.p + *at;
    char size[13];
    unsigned sum = 0;
    assert_true(*at + 512 <= tar.n);
    for (size_t i = 0; i < 512; i++)
        sum += i >= 148 && i < 156 ? ' ' : h[i];
    assert_int_equal(sum, strtoul((const char *)h + 148, NULL, 8));
    assert_string_equal(name, (const char *)h);
    assert_string_equal(type == '5' ? "0000755" : "0000644", (const char *)h + 100);
    assert_string_equal("0000000", (const char *)h + 108);
    assert_string_equal("0000000", (const char *)h + 116);
    (void)snprintf(size, sizeof size, "%011zo", want.n);
    assert_string_equal(size, (const char *)h + 124);
    assert_string_equal("00000000000", (const char *)h + 136);
    assert_int_equal(type, h[156]);
    assert_memory_equal("ustar\00000", h + 257, 8);
    *at += 512;
    assert_true(*at + want.n <= tar.n);
    assert_true(want.n == 0 || memcmp(want.p, tar.p + *at, want.n) == 0);
    for (*at += want.n; *at % 512; ++*at)
        assert_int_equal(0, tar.p[*at]);
}

static void end_is(str tar, size_t at)
{
    assert_int_equal(tar.n, at + 1024);
    for (; at < tar.n; at++)
        assert_int_equal(0, tar.p[at]);
}

// Bytes of no pattern, each many times, so that they compress fast.
static struct buf noise(size_t n)
{
    struct buf b = {0};
    uint32_t state = 1;
    while (b.n < n) {
        state = state * 1664525 + 1013904223;
        buf_fill(&b, (char)(state >> 24), n - b.n < 59 ? n - b.n : 59);
    }
    return b;
}

// Files whose parts lie on both sides of the edges of blocks, and empty ones; more than one
// lane takes at a time.
enum { N_FILES = 7 };
struct files {
    struct buf text[N_FILES];
    struct memory_file file[N_FILES];
    struct archive_entry entries[N_FILES];
};

static struct files *files_make(void)
{
    static const size_t sizes[N_FILES] = {0, 1, 512, 1048576 - 2048, 9900000, 0, 513};
    static const char *const names[N_FILES] = {
        "empty.csv", "one", ".logs/record", "edge", "long.csv", "x", "y"};
    struct files *f = mem_alloc(sizeof *f);
    for (size_t i = 0; i < N_FILES; i++) {
        f->text[i] = noise(sizes[i]);
        f->file[i] = memory_file_make(buf_view(&f->text[i]));
        f->entries[i] = (struct archive_entry){names[i], f->file[i].path};
    }
    return f;
}

static void files_free(struct files *f)
{
    for (size_t i = 0; i < N_FILES; i++) {
        memory_file_free(&f->file[i]);
        buf_free(&f->text[i]);
    }
    mem_free(f);
}

// A place for an archive, which replaces what stands there and so needs a name.
struct place {
    char folder[32], path[64];
};

static struct place place_make(void)
{
    struct place p = {.folder = "unit-XXXXXX"};
    assert_non_null(mkdtemp(p.folder));
    (void)snprintf(p.path, sizeof p.path, "%s/run.tar.gz", p.folder);
    return p;
}

static void place_free(const struct place *p)
{
    (void)unlink(p->path);
    assert_int_equal(0, rmdir(p->folder)); // nothing else was left there
}

// The bytes of the archive as they are; file_open would unpack them.
static struct buf bytes_of(const char *path)
{
    struct buf b = {0};
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    for (size_t n = 1; n > 0; b.n += n)
        n = fread(buf_room(&b, 65536), 1, 65536, f);
    (void)fclose(f);
    return b;
}

static struct buf archive_on(const char *threads, const struct files *f)
{
    struct place p = place_make();
    struct err e;
    assert_int_equal(0, setenv("TTPROF_THREADS", threads, 1));
    bool ok = archive_write(p.path, f->entries, N_FILES, NULL, &e);
    assert_int_equal(0, unsetenv("TTPROF_THREADS"));
    assert_true(ok);
    struct buf b = bytes_of(p.path);
    place_free(&p);
    return b;
}

TEST(an_archive_holds_the_folder_and_the_files_in_their_order)
{
    struct files *f = files_make();
    struct place p = place_make();
    struct file tar;
    struct err e;
    assert_true(archive_write(p.path, f->entries, N_FILES, NULL, &e));
    assert_true(file_open(p.path, &tar, &e));
    assert_null(tar.damage);
    size_t at = 0;
    member_is(tar.text, &at, "./", '5', S(""));
    for (size_t i = 0; i < N_FILES; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "./%s", f->entries[i].name);
        member_is(tar.text, &at, name, '0', buf_view(&f->text[i]));
    }
    end_is(tar.text, at);
    file_close(&tar);
    place_free(&p);
    files_free(f);
}

TEST(an_archive_of_nothing_holds_the_folder)
{
    struct place p = place_make();
    struct file tar;
    struct err e;
    assert_true(archive_write(p.path, NULL, 0, NULL, &e));
    assert_true(file_open(p.path, &tar, &e));
    size_t at = 0;
    member_is(tar.text, &at, "./", '5', S(""));
    end_is(tar.text, at);
    file_close(&tar);
    place_free(&p);
}

TEST(an_archive_is_the_same_for_any_number_of_lanes)
{
    struct files *f = files_make();
    struct buf one = archive_on("1", f);
    static const char *const others[] = {"2", "3", "50"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct buf other = archive_on(others[i], f);
        assert_true(str_eq(buf_view(&one), buf_view(&other)));
        buf_free(&other);
    }
    buf_free(&one);
    files_free(f);
}

TEST(any_part_of_a_tar_stream_can_be_made_by_itself)
{
    enum { N = 8192 };
    struct buf text = noise(700);
    struct memory_file file = memory_file_make(buf_view(&text));
    struct archive_entry entries[] = {{"a", file.path}, {"b", file.path}};
    struct tar t = {0};
    struct err e;
    char whole[N], part[N];
    assert_true(tar_lay_out(&t, entries, 2, &e));
    assert_int_equal(512 + 2 * (512 + 1024) + 1024, t.total);
    size_t n = (size_t)t.total;
    assert_true(n <= N && tar_read(&t, 0, whole, n, &e));
    for (size_t from = 0; from < n; from += 41) {
        for (size_t to = from + 1; to <= n; to += 97) {
            memset(part, 'x', sizeof part);
            assert_true(tar_read(&t, from, part, to - from, &e));
            assert_memory_equal(whole + from, part, to - from);
            assert_int_equal('x', part[to - from]);
        }
    }
    tar_free(&t);
    memory_file_free(&file);
    buf_free(&text);
}

TEST(a_file_above_8_gb_has_its_size_in_bytes)
{
    struct memory_file file = memory_file_make(S(""));
    struct archive_entry entry = {"huge", file.path};
    struct tar t = {0};
    struct err e;
    char header[512];
    assert_int_equal(0, ftruncate(file.fd, (off_t)0x212345678));
    assert_true(tar_lay_out(&t, &entry, 1, &e));
    assert_true(tar_read(&t, 512, header, sizeof header, &e));
    assert_memory_equal("\x80\0\0\0\0\0\0\x02\x12\x34\x56\x78", header + 124, 12);
    tar_free(&t);
    assert_int_equal(0, ftruncate(file.fd, (off_t)0x1ffffffff));
    assert_true(tar_lay_out(&t, &entry, 1, &e));
    assert_true(tar_read(&t, 512, header, sizeof header, &e));
    assert_memory_equal("77777777777", header + 124, 12);
    tar_free(&t);
    memory_file_free(&file);
}

TEST(a_long_name_is_cut_at_a_slash_or_refused)
{
    struct memory_file file = memory_file_make(S("x"));
    char folder[121], name[300], header[512];
    memset(folder, 'f', 120);
    folder[120] = '\0';
    (void)snprintf(name, sizeof name, "%s/%.90s", folder, folder);
    struct archive_entry entry = {name, file.path};
    struct tar t = {0};
    struct err e = {0};
    assert_true(tar_lay_out(&t, &entry, 1, &e));
    assert_true(tar_read(&t, 512, header, sizeof header, &e));
    assert_int_equal(90, strlen(header));
    assert_memory_equal("./f", header + 345, 3);
    assert_int_equal(122, strlen(header + 345));
    tar_free(&t);
    (void)snprintf(name, sizeof name, "%s", folder); // no slash to cut it at
    assert_false(tar_lay_out(&t, &entry, 1, &e));
    assert_int_equal(ERR_LIMIT, e.code);
    assert_non_null(strstr(e.text, "the name is too long for an archive; shorten it"));
    tar_free(&t);
    memory_file_free(&file);
}

static void fails_with(const char *file, const char *why)
{
    struct place p = place_make();
    struct archive_entry entry = {"name", file};
    struct err e = {0};
    char want[200];
    assert_false(archive_write(p.path, &entry, 1, NULL, &e));
    (void)snprintf(want, sizeof want, "%s: %s", file, why);
    assert_string_equal(want, e.text);
    assert_int_equal(ERR_IO, e.code);
    place_free(&p);
}

TEST(an_archive_of_what_cannot_be_read_is_not_written)
{
    fails_with("not-there", "cannot read: No such file or directory");
    fails_with("/", "not a regular file; leave it out");
    fails_with("/dev/null", "not a regular file; leave it out");
}

TEST(a_file_that_changes_under_the_reader_is_an_error)
{
    struct buf text = noise(5000);
    struct memory_file file = memory_file_make(buf_view(&text));
    struct archive_entry entry = {"log", file.path};
    struct tar t = {0};
    struct err e = {0};
    char part[5000];
    assert_true(tar_lay_out(&t, &entry, 1, &e));
    assert_int_equal(0, ftruncate(file.fd, 6000)); // what is added is left out
    assert_true(tar_read(&t, 1024, part, sizeof part, &e));
    assert_memory_equal(text.p, part, sizeof part);
    assert_int_equal(0, ftruncate(file.fd, 4000));
    assert_false(tar_read(&t, 1024, part, sizeof part, &e));
    assert_non_null(strstr(e.text, ": truncated while being read; try again"));
    struct memory_file other = memory_file_make(buf_view(&text));
    assert_int_equal(file.fd, dup2(other.fd, file.fd)); // the path leads elsewhere now
    assert_false(tar_read(&t, 1024, part, sizeof part, &e));
    assert_non_null(strstr(e.text, ": replaced while being read; try again"));
    memory_file_free(&other);
    memory_file_free(&file);
    tar_free(&t);
    buf_free(&text);
}

TEST(an_archive_that_cannot_be_written_says_so)
{
    struct memory_file file = memory_file_make(S("x"));
    struct archive_entry entry = {"name", file.path};
    struct err e = {0};
    assert_false(archive_write("/dev/full", &entry, 1, NULL, &e));
    assert_non_null(strstr(e.text, "No space left on device"));
    assert_false(archive_write("not-there/a.tar.gz", &entry, 1, NULL, &e));
    assert_non_null(strstr(e.text, "cannot write: No such file or directory"));
    memory_file_free(&file);
}
