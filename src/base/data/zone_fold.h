// zone_fold.h - the preferred 16-bit id of a marker's location.
#ifndef TTP_BASE_DATA_ZONE_FOLD_H
#define TTP_BASE_DATA_ZONE_FOLD_H

#include "base/text/str.h"

// `location` is "<name>,<file>,<line>,KERNEL_PROFILER". Bytes are unsigned, as on devices.
uint32_t zone_fold(str location);

#endif
