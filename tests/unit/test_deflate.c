// test_deflate.c - compressed bytes that zlib itself takes back.
#include "base/file/deflate.h"
#include "base/file/zlib_stream.h"

#include "test.h"

// Inflates all of `packed` as one stream of that window kind (see inflateInit2).
static struct buf inflated(str packed, int window)
{
    struct buf b = {0};
    z_stream z = zlib_stream();
    assert_int_equal(Z_OK, inflateInit2(&z, window));
    z.next_in = (const unsigned char *)packed.p;
    z.avail_in = (unsigned)packed.n;
    int status = Z_OK;
    while (status == Z_OK) {
        z.next_out = (unsigned char *)buf_room(&b, 4096);
        z.avail_out = 4096;
        status = inflate(&z, Z_NO_FLUSH);
        b.n += 4096 - z.avail_out;
    }
    assert_int_equal(Z_STREAM_END, status);
    assert_int_equal(0, z.avail_in);
    (void)inflateEnd(&z);
    return b;
}

static struct buf lines(size_t n)
{
    struct buf b = {0};
    for (size_t i = 0; b.n < n; i++)
        buf_printf(&b, "%zu,core_%zu,BRISC,%zu\n", i, i * i % 97, i * 7919 % 10007);
    b.n = n;
    return b;
}

TEST(deflate_put_and_gzip_put_give_one_stream_that_reads_back)
{
    static const size_t sizes[] = {0, 1, 100, 65536, 300000};
    static const struct {
        void (*put)(struct buf *b, const void *data, size_t n, int level);
        int window;
    } forms[] = {{deflate_put, 15}, {gzip_put, 15 + 16}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct buf text = lines(sizes[i]);
        for (size_t f = 0; f < 2; f++) {
            for (int level = 0; level <= 9; level += 3) {
                struct buf b = {0};
                buf_z(&b, "before");
                forms[f].put(&b, text.p, text.n, level);
                struct buf back = inflated(str_from(buf_view(&b), 6), forms[f].window);
                assert_true(str_eq(buf_view(&text), buf_view(&back)));
                assert_memory_equal("before", b.p, 6);
                buf_free(&b);
                buf_free(&back);
            }
        }
        buf_free(&text);
    }
}

TEST(gzip_put_stores_no_name_and_no_time)
{
    struct buf b = {0};
    gzip_put(&b, "text", 4, 1);
    assert_memory_equal("\x1f\x8b\x08\0\0\0\0\0", b.p, 8);
    buf_free(&b);
}
