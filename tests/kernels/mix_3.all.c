// mix_3.all.c - more than 3 KiB of text.
#define MIX_KIB 3
#include "mix.h"
