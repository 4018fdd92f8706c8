// device_profiler.h - a profiled device from attach to detach: read-out, decoding, sync,
// and all files of a run. include/ttprof/profiler.h is its public face.
#ifndef TTP_PROFILER_DEVICE_PROFILER_H
#define TTP_PROFILER_DEVICE_PROFILER_H

#include "base/text/buf.h"
#include "base/text/err.h"

#include "collect/readout/options.h"
#include "collect/readout/readout.h"
#include "collect/sync/sync.h"
#include "ttprof/profiler.h"

struct perf_data; // analyse/perf/perf_data.h

// Attach with options that are settled already; messages for the person go to *messages
// when it is not NULL, else to standard error.
ttprof_profiler *device_profiler_open(const struct tt_access *access,
                                      const struct profiler_options *o,
                                      struct buf *messages, struct err *e);
// Is there anything to be told of a device that is not profiled?
bool device_profiler_hears(const struct profiler_options *o);
bool device_profiler_close(ttprof_profiler *p, struct err *e);
// One chip, or all with a chip of -1; state as in readout.h. Dumps what it read when the
// options say so.
bool device_profiler_read(ttprof_profiler *p, int chip, enum read_state state,
                          struct err *e);
// Writes what was read and not written yet.
bool device_profiler_dump(ttprof_profiler *p, struct err *e);
// From here on files go to this artifacts folder.
bool device_profiler_set_folder(ttprof_profiler *p, const char *folder, struct err *e);
bool device_profiler_fresh_log(ttprof_profiler *p, struct err *e);
// A buffer was made or given back: see ttprof_memory_record.
bool device_profiler_memory(ttprof_profiler *p, const struct memory_record *record,
                            str pool, str name, struct err *e);
// How long a read waits for programs, in ns of the host's clock.
void device_profiler_set_timeout(ttprof_profiler *p, uint64_t ns);

// Parts, for reports and tests. Without profiling there are none: NULL.
const struct tt_access *device_profiler_access(const ttprof_profiler *p);
struct perf_data *device_profiler_perf(ttprof_profiler *p);
struct collection *device_profiler_collection(ttprof_profiler *p);
uint64_t device_profiler_bytes_read(const ttprof_profiler *p);
// The C API's last error, and an empty place for the next one.
const char *device_profiler_error(const ttprof_profiler *p);
struct err *device_profiler_begin(ttprof_profiler *p);

// Writes all files of a run for a collection that has been read: decode once, log, C++
// report, names, NoC traces, health. Used by `ttprof decode` as well.
struct decoder;
struct dump_totals {
    // In: both may be NULL.
    struct buf *messages;   // lines for the person; NULL: standard error
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
// Deletes the CSV files of the logs folder: what a new process finds of the last one.
void collection_delete_files(const struct profiler_options *o);

#endif
