// bulk_12.all.c - 12 KiB of text.
#define BULK_KIB 12
#include "bulk.h"
