// deflate.c - whole inputs through zlib.
#include "base/file/deflate.h"

#include <assert.h>

#include "base/file/zlib_stream.h"

enum { WINDOW_ZLIB = 15, WINDOW_GZIP = 15 + 16, MEMORY_LEVEL = 8 }; // see deflateInit2

void zlib_deflate(z_stream *z, int flush, struct buf *b)
{
    enum { STEP = 64 * 1024 };
    int status = Z_OK;
    do {
        z->next_out = (unsigned char *)buf_room(b, STEP);
        z->avail_out = STEP;
        status = deflate(z, flush);
        b->n += STEP - z->avail_out;
    } while (status == Z_OK && z->avail_out == 0);
    // deflate fails only if the stream was not set up.
    assert(status == (flush == Z_FINISH ? Z_STREAM_END : Z_OK) || status == Z_BUF_ERROR);
}

static void put(struct buf *b, const void *data, size_t n, int level, int window)
{
    z_stream z = zlib_stream();
    (void)deflateInit2(&z, level, Z_DEFLATED, window, MEMORY_LEVEL, Z_DEFAULT_STRATEGY);
    const unsigned char *at = data;
    for (size_t piece; n > 0; at += piece, n -= piece) {
        piece = n < ZLIB_PIECE ? n : ZLIB_PIECE;
        z.next_in = at;
        z.avail_in = (unsigned)piece;
        zlib_deflate(&z, Z_NO_FLUSH, b);
    }
    zlib_deflate(&z, Z_FINISH, b);
    (void)deflateEnd(&z);
}

void deflate_put(struct buf *b, const void *data, size_t n, int level)
{
    put(b, data, n, level, WINDOW_ZLIB);
}

void gzip_put(struct buf *b, const void *data, size_t n, int level)
{
    put(b, data, n, level, WINDOW_GZIP);
}
