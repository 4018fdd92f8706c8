// device_profiler.h - a profiled device from attach to detach: read-out, decoding, sync,
// and all files of a run. The public API is include/ttprof/profiler.h.
#ifndef TTP_PROFILER_DEVICE_PROFILER_H
#define TTP_PROFILER_DEVICE_PROFILER_H

#include "base/text/buf.h"
#include "base/text/err.h"

#include "collect/readout/options.h"
#include "collect/readout/readout.h"
#include "collect/sync/sync.h"
#include "ttprof/profiler.h"

struct perf_data; // analyse/perf/perf_data.h

// Attaches with resolved options; messages go to *messages, or to stderr if it is NULL.
ttprof_profiler *device_profiler_open(const struct tt_access *access,
                                      const struct profiler_options *o,
                                      struct buf *messages, struct err *e);
// True if anything of a device that is not profiled is recorded.
bool device_profiler_hears(const struct profiler_options *o);
bool device_profiler_close(ttprof_profiler *p, struct err *e);
// Reads one chip, or all for -1; state as in readout.h. Then dumps if the options say so.
bool device_profiler_read(ttprof_profiler *p, int chip, enum read_state state,
                          struct err *e);
// Writes everything read since the last dump.
bool device_profiler_dump(ttprof_profiler *p, struct err *e);
// Sets the artifacts folder for all files from now on.
bool device_profiler_set_folder(ttprof_profiler *p, const char *folder, struct err *e);
bool device_profiler_fresh_log(ttprof_profiler *p, struct err *e);
// A buffer was allocated or freed: see ttprof_memory_record.
bool device_profiler_memory(ttprof_profiler *p, const struct memory_record *record,
                            str pool, str name, struct err *e);
// How long a read waits for programs, in ns of the host's clock.
void device_profiler_set_timeout(ttprof_profiler *p, uint64_t ns);

// Parts, for reports and tests. Without profiling there are none: NULL.
const struct tt_access *device_profiler_access(const ttprof_profiler *p);
struct perf_data *device_profiler_perf(ttprof_profiler *p);
struct collection *device_profiler_collection(ttprof_profiler *p);
uint64_t device_profiler_bytes_read(const ttprof_profiler *p);
// The C API's last error, and a cleared struct for the next one.
const char *device_profiler_error(const ttprof_profiler *p);
struct err *device_profiler_begin(ttprof_profiler *p);

// Writes all files of a run for a collection that has been read: decode once, log, C++
// report, names, NoC traces, health. Used by `ttprof decode` as well.
struct decoder;
struct dump_totals {
    // In: both may be NULL.
    struct buf *messages;   // NULL: stderr
    struct perf_data *perf; // gathers the programs of this dump
    // Out: of all dumps so far, rows of this one.
    uint64_t markers, rows, dropped_l1, dropped_dram;
};
bool collection_write_files(struct collection *c, struct decoder *d, bool is_last,
                            bool append, struct dump_totals *totals, struct err *e);
// memory_records.csv, when buffers are recorded; a part of collection_write_files.
bool collection_write_memory(const struct collection *c, struct err *e);
// topology.json and cluster_coordinates.json, when NoC events are recorded: at open.
bool collection_write_topology(const struct collection *c, struct err *e);
// Deletes the CSV files that the last process left in the logs folder.
void collection_delete_files(const struct profiler_options *o);

#endif
