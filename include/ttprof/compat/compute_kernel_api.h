// compute_kernel_api.h - the name under which kernels know it.
#include "ttprof/kernel.h"
