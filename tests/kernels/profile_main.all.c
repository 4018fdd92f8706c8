// profile_main.all.c - the same with zones that are always recorded (profile_script.h).
#define PROFILE_MAINS
#include "profile_steps.h"
