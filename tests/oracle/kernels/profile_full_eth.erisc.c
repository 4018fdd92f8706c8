// profile_full_eth.erisc.c - a full vector on an Ethernet tile.
#include "profile_full.h"
