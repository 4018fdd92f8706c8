// tracy_csv_parts.h - what the readers of both tables share.
#ifndef TTP_FORMATS_TRACY_TRACY_CSV_PARTS_H
#define TTP_FORMATS_TRACY_TRACY_CSV_PARTS_H

#include "formats/tracy/tracy_csv.h"

#define TRACY_TIMES "tracy_ops_times.csv"
#define TRACY_DATA  "tracy_ops_data.csv"

// How many digits s starts with, and the number they are; 0 when it does not fit.
size_t tracy_digits(str s, uint64_t *v);
// The line at `at` without its end; *next is where the next one starts.
str tracy_line(str text, size_t at, size_t *next);
size_t tracy_lines(str s);        // line ends in it
str tracy_without_mark(str text); // without a byte order mark
void tracy_note(struct diag *d, int kind, const char *file, size_t line, str text);

#endif
