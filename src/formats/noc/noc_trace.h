// noc_trace.h - noc_trace_*.json: what each program did on the NoC, for viewers of NoC
// traffic; one file for each execution of a program on a chip.
//
// An entry is a zone's start or end, or an event. Events come only from TS_DATA markers
// with the id TT_ID_NOC_EVENT. Fabric packets leave several events (packet, routing, local
// write, and the write of a mux), which become one entry.
#ifndef TTP_FORMATS_NOC_NOC_TRACE_H
#define TTP_FORMATS_NOC_NOC_TRACE_H

#include "base/text/buf.h"
#include "base/text/err.h"

#include "trace/trace.h"

// Facts about the chips that the trace does not have. `chip` is the device's id.
struct noc_facts {
    // Maps coordinates of a NoC address to NOC 0; false: there is no such tile.
    bool (*to_noc0)(const void *context, int64_t chip, int noc, int x, int y, int *out_x,
                    int *out_y);
    // By NOC 0 coordinates.
    bool (*is_worker)(const void *context, int64_t chip, int x, int y);
    int (*eth_channel)(const void *context, int64_t chip, int x, int y); // -1: none
    str (*op_name)(const void *context, const struct trace_run *run);    // "": none
    // The time on the reference chip's clock. NULL: no correction.
    uint64_t (*corrected)(const void *context, int64_t chip, uint64_t time);
    const void *context;
};

struct noc_totals {
    size_t files, entries;
    size_t replaced;  // existing files that were replaced
    uint64_t unknown; // events of an unknown kind
};

// Writes into an existing folder. Each warning is one line, once per program.
bool noc_trace_write(const struct trace *t, const struct noc_facts *facts,
                     const char *folder, struct buf *warnings, struct noc_totals *totals,
                     struct err *e);

// --- topology.json, cluster_coordinates.json -------------------------------------------
struct noc_chip {
    int64_t id;
    int mesh_row, mesh_column;
    int rack, shelf, eth_x, eth_y;
};
struct noc_channel {
    int channel, x, y;
};
struct noc_topology {
    const char *cluster_type;
    int rows, columns; // of the mesh
    const struct noc_chip *chips;
    size_t n_chips;
    const struct noc_channel *channels;
    size_t n_channels;
};
// There is no configurable fabric, so its routing planes are left out.
bool noc_topology_write(const struct noc_topology *n, const char *folder, struct err *e);

#endif
