// tracy_dump.h - the contents of a Tracy trace as plain text, one line per thing.
#ifndef TTP_TESTS_SUPPORT_TRACY_DUMP_H
#define TTP_TESTS_SUPPORT_TRACY_DUMP_H

#include "base/text/buf.h"

#include "formats/tracy/tracy.h"

// `keyed` and `thread_names` are sorted.
void tracy_dump(struct buf *b, const struct tracy *t);
void tracy_dump_rest(struct buf *b, const struct tracy *t); // what it does not show

// The dump with its tables in a fixed order, where the order has no meaning, and without
// what a writer is free to leave out: places without zones, and the counts of device zones.
void tracy_dump_canonical(struct buf *b, str dump);

#endif
