// profile_random.all.c - markers as a script says, on a worker's RISC (profile_random.h).
#include "profile_random_steps.h"
