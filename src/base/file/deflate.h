// deflate.h - appends compressed bytes to a buffer. Levels are those of zlib.
#ifndef TTP_BASE_FILE_DEFLATE_H
#define TTP_BASE_FILE_DEFLATE_H

#include "base/text/buf.h"

// One zlib stream (RFC 1950).
void deflate_put(struct buf *b, const void *data, size_t n, int level);
// One gzip member (RFC 1952) without name and time. Concatenated members are a gzip file.
void gzip_put(struct buf *b, const void *data, size_t n, int level);

#endif
