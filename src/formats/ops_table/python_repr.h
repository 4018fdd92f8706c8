// python_repr.h - JSON values as Python prints what it reads from them: the form of cells
// in tables that Python programs write.
#ifndef TTP_FORMATS_OPS_TABLE_PYTHON_REPR_H
#define TTP_FORMATS_OPS_TABLE_PYTHON_REPR_H

#include "base/text/buf.h"
#include "base/text/json_read.h"

// The next value as repr() prints it. Of a value that is cut off the members and elements
// before the cut are printed, and all that is open is closed; false when nothing of it is
// there.
bool python_repr(struct json_read *r, struct buf *b);
// A text in its quotes; raw as in the JSON text.
void python_repr_text(str raw, struct buf *b);
// The next value as a cell: str() of it, each `,` a `;`, in the arena. p is NULL when
// nothing of it is there.
str python_cell(struct json_read *r, struct arena *a);
// The same with a text.
str python_cell_of(str text, struct arena *a);

#endif
