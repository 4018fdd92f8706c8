// stores_eth.erisc.c - the same on an Ethernet tile.
#include "stores.brisc.c"
