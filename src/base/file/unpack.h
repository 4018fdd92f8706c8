// unpack.h - the text of gzip and zstd files, recognised by their first bytes.
//
// Such a file may be several members (gzip) or frames (zstd) one behind the other; the text
// is that of all of them. Of one that is damaged, all the text before the damage is kept.
#ifndef TTP_BASE_FILE_UNPACK_H
#define TTP_BASE_FILE_UNPACK_H

#include "base/text/buf.h"
#include "base/text/str.h"

// How the names of such files end: ".gz" or ".zst"; NULL: they are not packed. Neither
// beginning is valid as that of a table or of any UTF-8 text.
const char *unpack_ending(str data);

// Puts the text of packed data into `text`, which is empty. Returns NULL, or what is wrong
// with the data: "the gzip stream is cut off". The sentence lives for ever.
const char *unpack(str packed, struct buf *text);

#endif
