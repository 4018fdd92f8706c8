// test_pile.c - long lists of records, in memory and in a file.
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/data/pile.h"

#include "test.h"

static void records_keep_their_values(struct pile_store *s, size_t n)
{
    struct pile p = pile_of(12), q = pile_of(20);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t *a = pile_add(&p, s), *b = pile_add(&q, s);
        assert_int_equal(0, a[2]);
        assert_int_equal(0, b[4]);
        a[0] = i;
        a[2] = ~i;
        b[4] = i * 3;
    }
    assert_int_equal(n, p.n);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t *a = pile_at(&p, i), *b = pile_at(&q, i);
        assert_int_equal(i, a[0]);
        assert_int_equal(~i, a[2]);
        assert_int_equal(i * 3, b[4]);
    }
    pile_free(&p);
    pile_free(&q);
    assert_int_equal(0, p.n);
}

TEST(piles_of_any_length_keep_their_records)
{
    static const size_t lengths[] = {0,    1,    31,   32,     33,     2048,
                                     2049, 4096, 4097, 100000, 1000000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct pile_store s;
        pile_store_start(&s, NULL, 0);
        records_keep_their_values(&s, lengths[i]);
        assert_int_equal(0, s.spilled);
        pile_store_end(&s);
    }
}

TEST(piles_beyond_the_limit_are_in_a_file_without_a_name)
{
    struct pile_store s;
    pile_store_start(&s, "/tmp", 300000);
    records_keep_their_values(&s, 100000);
    assert_true(s.held <= 300000);
    assert_true(s.spilled > 2500000);
    struct stat file;
    assert_int_equal(0, fstat(s.fd_plus_1 - 1, &file));
    assert_int_equal(0, file.st_nlink);
    pile_store_end(&s);
}

TEST(an_empty_store_of_piles_has_no_file_to_close)
{
    struct pile_store s = {0};
    int kept = fcntl(STDIN_FILENO, F_GETFD);
    pile_store_end(&s);
    assert_int_equal(kept, fcntl(STDIN_FILENO, F_GETFD));
}

TEST(piles_stay_in_memory_if_there_is_no_folder_for_the_file)
{
    struct pile_store s;
    pile_store_start(&s, "/nowhere/at/all", 1);
    records_keep_their_values(&s, 20000);
    assert_int_equal(ENOENT, s.error);
    assert_int_equal(0, s.spilled);
    pile_store_end(&s);
}
