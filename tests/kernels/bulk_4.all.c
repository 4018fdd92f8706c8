// bulk_4.all.c - 4 KiB of text.
#define BULK_KIB 4
#include "bulk.h"
