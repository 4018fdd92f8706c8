// events_calls_cpp.dm.cc - see events_calls.h.
#include "events_calls.h"
