// profile_stamps_eth.erisc.c - stamps on an Ethernet tile.
#include "profile_stamps.h"
