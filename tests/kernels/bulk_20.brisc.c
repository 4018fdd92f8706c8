// bulk_20.brisc.c - 20 KiB of text.
#define BULK_KIB 20
#include "bulk.h"
