// bulk_15.all.c - 15 KiB of text.
#define BULK_KIB 15
#include "bulk.h"
