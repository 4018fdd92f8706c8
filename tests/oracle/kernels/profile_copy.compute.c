// profile_copy.compute.c - copies tiles from buffer 0 to buffer 1: waits for tiles and for
// room are summed. Argument: tiles.
#include "../../kernels/events_copy.compute.c"
