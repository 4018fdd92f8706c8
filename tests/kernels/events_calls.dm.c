// events_calls.dm.c - see events_calls.h.
#include "events_calls.h"
