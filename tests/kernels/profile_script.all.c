// profile_script.all.c - markers of all kinds on a worker's RISC (profile_script.h).
#include "profile_steps.h"
