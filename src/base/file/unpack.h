// unpack.h - the text of gzip and zstd files, recognised by their first bytes.
//
// A file may consist of several members (gzip) or frames (zstd); their texts are
// concatenated. All text before any damage is kept.
#ifndef TTP_BASE_FILE_UNPACK_H
#define TTP_BASE_FILE_UNPACK_H

#include "base/text/buf.h"
#include "base/text/str.h"

// The usual extension of such data: ".gz" or ".zst"; NULL: not packed. Neither signature is
// valid UTF-8 text, so no table starts with it.
const char *unpack_ending(str data);

// Unpacks data into `text`, which is empty. Returns NULL, or a static string with what is
// wrong: "the gzip stream is cut off"; unpack_over, if the text has more than `most` bytes.
const char *unpack(str packed, uint64_t most, struct buf *text);
extern const char unpack_over[];

#endif
