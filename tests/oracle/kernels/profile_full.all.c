// profile_full.all.c - a full vector on a worker's RISC.
#include "profile_full.h"
