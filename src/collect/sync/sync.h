// sync.h - relates the chips' clocks to the host's.
#ifndef TTP_COLLECT_SYNC_SYNC_H
#define TTP_COLLECT_SYNC_SYNC_H

#include "base/text/buf.h"
#include "base/text/err.h"

#include "collect/readout/collection.h"
#include "trace/clock_model.h"

struct sync; // all chips of one device

struct sync *sync_new(const struct tt_access *access, const struct profiler_options *o);
void sync_free(struct sync *s);
// Runs one epoch on all chips at once. No program may run, and L1 vectors must have been
// read: BRISC's of core (0,0) and those of Ethernet cores are overwritten. False: a chip
// does not answer (e says which); earlier results stay, the other chips have their epoch.
bool sync_run(struct sync *s, struct err *e);
// Has it been a second or more of host time since the last epoch?
bool sync_is_due(const struct sync *s);
// The model of a chip; without sync it is marked as not aligned. Valid until sync_free.
const struct clock_model *sync_model(const struct sync *s, int chip);
// Bound on the difference between two chips' models in ns: the better of host and links.
double sync_pair_error_ns(const struct sync *s, int chip, int other);
// Log lines: "Host sync data for device: ...". The caller empties it.
struct buf *sync_log(struct sync *s);
// Writes sync_device_info.csv: tt-metal's columns, then ours (docs/profile-files.md).
bool sync_write(const struct sync *s, const char *path, struct err *e);

#endif
