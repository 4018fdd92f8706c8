// ops_diff_text.h - the differences of two tables of ops as lines to read.
#ifndef TTP_PRESENT_OPS_DIFF_TEXT_H
#define TTP_PRESENT_OPS_DIFF_TEXT_H

#include "base/buf.h"

#include "analyse/ops_diff.h"

void ops_diff_text(struct ops_diff *d, struct buf *b);

#endif
