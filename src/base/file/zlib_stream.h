// zlib_stream.h - a z_stream whose memory comes from mem.h: setting one up never fails.
//
// For modules that call zlib themselves; for whole inputs use deflate.h.
#ifndef TTP_BASE_FILE_ZLIB_STREAM_H
#define TTP_BASE_FILE_ZLIB_STREAM_H

#define ZLIB_CONST // next_in points to const bytes
#include <zlib.h>

#include "base/data/mem.h"
#include "base/text/buf.h"

// avail_in and avail_out are 32-bit: longer inputs and outputs go in pieces of this size.
#define ZLIB_PIECE ((size_t)1 << 30)

static inline void *zlib_alloc(void *opaque, unsigned items, unsigned size)
{
    (void)opaque;
    return mem_alloc(mem_bytes(size, items));
}

static inline void zlib_free(void *opaque, void *p)
{
    (void)opaque;
    mem_free(p);
}

// Ready for deflateInit or inflateInit.
static inline z_stream zlib_stream(void)
{
    return (z_stream){.zalloc = zlib_alloc, .zfree = zlib_free};
}

// Deflates z->next_in and appends to b; Z_FINISH ends the stream.
void zlib_deflate(z_stream *z, int flush, struct buf *b);

#endif
