// profile_dispatch.brisc.c - the same script as profile_script, as a dispatch kernel: by
// its name it is built with DISPATCH_KERNEL.
#ifndef DISPATCH_KERNEL
#error "a dispatch kernel is built with DISPATCH_KERNEL"
#endif
#include "profile_steps.h"
