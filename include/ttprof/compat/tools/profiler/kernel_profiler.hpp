// kernel_profiler.hpp - the name under which kernels know it.
#include "ttprof/kernel.h"
