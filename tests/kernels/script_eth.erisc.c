// script_eth.erisc.c - as script.all.c, on an Ethernet core.
#include "script_steps.h"
