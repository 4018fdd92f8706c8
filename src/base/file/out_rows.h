// out_rows.h - rows of a long text: formatted on all lanes, written in order. The text is
// the same for any number of lanes.
#ifndef TTP_BASE_FILE_OUT_ROWS_H
#define TTP_BASE_FILE_OUT_ROWS_H

#include "base/data/threads.h"
#include "base/file/file.h"

// Appends rows to the buffer. The ranges that a lane gets are in order; between them are
// those of other lanes. A single lane gets all rows.
typedef void (*out_rows_put)(struct lane lane, void *context, struct range rows,
                             struct buf *b);
void out_rows(struct out *o, size_t n_rows, unsigned lanes, out_rows_put put,
              void *context);

#endif
