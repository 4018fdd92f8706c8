// noop.all.c - does nothing: a marker among the ops.
#include "ttprof/kernel.h"

void kernel_main(void) {}
