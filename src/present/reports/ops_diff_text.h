// ops_diff_text.h - the differences of two tables of ops as lines to read.
#ifndef TTP_PRESENT_REPORTS_OPS_DIFF_TEXT_H
#define TTP_PRESENT_REPORTS_OPS_DIFF_TEXT_H

#include "base/text/buf.h"

#include "analyse/compare/ops_diff.h"

void ops_diff_text(struct ops_diff *d, struct buf *b);

#endif
