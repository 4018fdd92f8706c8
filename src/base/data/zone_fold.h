// zone_fold.h - the 16-bit id that a marker's location wants.
#ifndef TTP_BASE_DATA_ZONE_FOLD_H
#define TTP_BASE_DATA_ZONE_FOLD_H

#include "base/text/str.h"

// Of "<name>,<file>,<line>,KERNEL_PROFILER". Bytes count as unsigned, as compilers for
// devices have them.
uint32_t zone_fold(str location);

#endif
