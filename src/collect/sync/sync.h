// sync.h - finding out how the chips' clocks run against the host's.
#ifndef TTP_COLLECT_SYNC_SYNC_H
#define TTP_COLLECT_SYNC_SYNC_H

#include "base/text/buf.h"
#include "base/text/err.h"

#include "collect/readout/collection.h"
#include "trace/clock_model.h"

struct sync; // all chips of one device

struct sync *sync_new(const struct tt_access *access, const struct profiler_options *o);
void sync_free(struct sync *s);
// One epoch on all chips at once; no program may run, and what stands in L1 vectors must
// have been read: BRISC's of core (0,0) and those of Ethernet cores are written over.
// False: a chip does not answer (e says which); what was known stays, the other chips have
// their epoch.
bool sync_run(struct sync *s, struct err *e);
// A second or more of host time since the last epoch?
bool sync_is_due(const struct sync *s);
// The model of a chip; without sync it is not aligned and says so. Valid until sync_free.
const struct clock_model *sync_model(const struct sync *s, int chip);
// How far two chips may be apart in their models: error in ns, smaller of both ways (host,
// links).
double sync_pair_error_ns(const struct sync *s, int chip, int other);
// Lines for the log: "Host sync data for device: ...". Emptied by the caller.
struct buf *sync_log(struct sync *s);
// sync_device_info.csv: the reference's columns, then ours (docs/profile-files.md).
bool sync_write(const struct sync *s, const char *path, struct err *e);

#endif
