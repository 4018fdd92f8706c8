// flame_names.h - what frames of a flame graph are called, and their stacks as text.
#ifndef TTP_PRESENT_REPORTS_FLAME_NAMES_H
#define TTP_PRESENT_REPORTS_FLAME_NAMES_H

#include "base/text/buf.h"

#include "analyse/host/host_flame.h"

// "all", "python3", "thread 4711", "load"; never empty.
str flame_name(const struct trace *r, const struct flame_frame *f, struct arena *a);

// One line per stack: names from the outermost inwards, joined by ';', a blank, self time
// in ns. Lines are in order of bytes; stacks with the same names are one line, those
// without self time have none. For flamegraph.pl, inferno, speedscope.
void flame_folded(const struct trace *r, const struct host_flame *flame, struct buf *b);

#endif
