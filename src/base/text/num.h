// num.h - exact conversion of numbers: text is read as the nearest double, and written as
// the shortest text that reads back equal or correctly rounded.
#ifndef TTP_BASE_TEXT_NUM_H
#define TTP_BASE_TEXT_NUM_H

#include "base/text/buf.h"
#include "base/text/str.h"

// Parses the whole text, outer blanks allowed. False if it is not a number or does not fit.
bool num_int(str s, int64_t *out);
// Decimal or exponent form, inf, infinity and nan in any case; outer blanks allowed.
bool num_real(str s, double *out);
// Bytes: "4096", "64K", "1.5 GiB"; K, M, G and T are powers of 1024. Below 1e18.
bool num_size(str s, uint64_t *bytes);

void num_put_int(struct buf *b, int64_t v);
// Writes the digits of v, at most NUM_WRITE_MOST, and returns their end.
enum { NUM_WRITE_MOST = 20 };
char *num_write(char *to, uint64_t v);
// Shortest text that reads back as the same double: `0.1`, `64.0`, `1e-05`, `1e+16`, `nan`.
// Always has a point or an exponent; exponent form below 1e-4 and from 1e16 on.
void num_put_real(struct buf *b, double v);
// Correctly rounded to `decimals` places, ties to even, with thousands commas if asked.
void num_put_fixed(struct buf *b, double v, int decimals, bool commas);

#endif
