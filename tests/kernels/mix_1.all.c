// mix_1.all.c - more than 1 KiB of text.
#define MIX_KIB 1
#include "mix.h"
