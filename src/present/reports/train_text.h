// train_text.h - the analyses of a training run on the terminal.
#ifndef TTP_PRESENT_REPORTS_TRAIN_TEXT_H
#define TTP_PRESENT_REPORTS_TRAIN_TEXT_H

#include "present/reports/train_tables.h"

void train_text(const struct train_view *v, struct text_look look, struct buf *b);

#endif
