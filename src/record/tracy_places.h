// tracy_places.h - source locations as passed by Tracy's callers: constant, so nothing can
// be stored in them.
#ifndef TTP_RECORD_TRACY_PLACES_H
#define TTP_RECORD_TRACY_PLACES_H

#include "ttprof/host.h"

struct ___tracy_source_location_data;

// Permanent, and the same for equal locations at one address. NULL if out of memory.
struct ttprof_location *tracy_place(const struct ___tracy_source_location_data *srcloc);

#endif
