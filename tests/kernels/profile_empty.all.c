// profile_empty.all.c - does nothing.
#include "ttprof/kernel.h"

void kernel_main(void) {}
