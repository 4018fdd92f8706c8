// profile_random_eth.erisc.c - the same on an Ethernet tile.
#include "profile_random_steps.h"
