// profile_eth.erisc.c - markers of all kinds on an Ethernet tile (profile_script.h).
#include "profile_steps.h"
