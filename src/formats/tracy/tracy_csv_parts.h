// tracy_csv_parts.h - shared by the readers of both tables.
#ifndef TTP_FORMATS_TRACY_TRACY_CSV_PARTS_H
#define TTP_FORMATS_TRACY_TRACY_CSV_PARTS_H

#include "formats/tracy/tracy_csv.h"

#define TRACY_TIMES "tracy_ops_times.csv"
#define TRACY_DATA  "tracy_ops_data.csv"

// The number of leading digits of s, and their value; 0 if it does not fit.
size_t tracy_digits(str s, uint64_t *v);
// The line at `at` without its end; *next is the start of the next one.
str tracy_line(str text, size_t at, size_t *next);
size_t tracy_lines(str s);        // line ends in it
str tracy_without_mark(str text); // without a byte order mark
void tracy_note(struct diag *d, int kind, const char *file, size_t line, str text);

#endif
