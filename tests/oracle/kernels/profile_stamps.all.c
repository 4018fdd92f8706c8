// profile_stamps.all.c - stamps on a worker's RISC.
#include "profile_stamps.h"
