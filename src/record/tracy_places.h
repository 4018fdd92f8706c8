// tracy_places.h - places in the source as Tracy's symbols get them: constant, so that
// nothing can be noted in them.
#ifndef TTP_RECORD_TRACY_PLACES_H
#define TTP_RECORD_TRACY_PLACES_H

#include "ttprof/host.h"

struct ___tracy_source_location_data;

// The same for equal places at the same address; stays. NULL: there is no memory.
struct ttprof_location *tracy_place(const struct ___tracy_source_location_data *srcloc);

#endif
