// device_dump.h - internals shared by device_dump.c and dump_facts.c; the interface is in
// device_profiler.h.
#ifndef TTP_PROFILER_DEVICE_DUMP_H
#define TTP_PROFILER_DEVICE_DUMP_H

#include "collect/readout/collection.h"
#include "formats/noc/noc_trace.h"
#include "trace/trace.h"

// What the collection knows about the runs and chips of its trace; the context of the
// functions.
struct dump_facts {
    const struct collection *c;
    const struct trace *t;
};

str dump_op_name(const void *facts, const struct trace_run *run);
int64_t dump_available_cores(const void *facts, const struct trace_run *run);
struct noc_facts dump_noc_facts(const struct dump_facts *facts);

#endif
