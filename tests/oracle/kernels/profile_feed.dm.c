// profile_feed.dm.c - feeds that kernel and takes its tiles. Arguments: pages, cycles
// before each.
#include "../../kernels/events_feed.dm.c"
