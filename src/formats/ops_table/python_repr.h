// python_repr.h - formats JSON values as Python prints them: the form of cells in tables
// that Python programs write.
#ifndef TTP_FORMATS_OPS_TABLE_PYTHON_REPR_H
#define TTP_FORMATS_OPS_TABLE_PYTHON_REPR_H

#include "base/text/buf.h"
#include "base/text/json_read.h"

// The next value as repr() prints it. A truncated value is printed up to the cut, with
// everything open closed; false if nothing of it is there.
bool python_repr(struct json_read *r, struct buf *b);
// A quoted text; raw as in the JSON text.
void python_repr_text(str raw, struct buf *b);
// The next value as a cell: its str() with `,` replaced by `;`, in the arena. p is NULL if
// nothing of it is there.
str python_cell(struct json_read *r, struct arena *a);
// The same for a text.
str python_cell_of(str text, struct arena *a);

#endif
