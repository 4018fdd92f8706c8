// csv_row.h - one row, byte by byte: the definition of the dialect, which the fast path of
// csv_scan.c must agree with.
#ifndef TTP_BASE_TEXT_CSV_ROW_H
#define TTP_BASE_TEXT_CSV_ROW_H

#include "base/text/str.h"

enum csv_row { CSV_ROW_OK, CSV_ROW_RAGGED, CSV_ROW_OPEN_QUOTE, CSV_ROW_BAD_QUOTE };

// Walks the row that starts at `row`: ends[] gets the offsets of its commas, *end that of
// its line feed or of the end of the text. Ragged when there are `most` commas or more;
// ends[] holds that many. A bad quote is one that closes a cell before the cell ends.
enum csv_row csv_row_cells(str text, size_t row, size_t most, size_t *ends, size_t *n_ends,
                           size_t *end);
// Whether the byte is the CR of a line's end.
bool csv_is_line_end(str text, size_t at);

#endif
