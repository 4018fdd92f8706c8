// script.all.c - does what a script in L1 says (script.h).
#include "script_steps.h"
