// noc_trace_read.h - reads noc_trace_*.json: a program's transfers, each with both ends.
//
// Commands are set up and issued separately: one issued without a destination goes where
// the last set-up of its RISC pointed. A damaged text is read up to the damage.
#ifndef TTP_FORMATS_NOC_NOC_TRACE_READ_H
#define TTP_FORMATS_NOC_NOC_TRACE_READ_H

#include "base/data/vec.h"
#include "base/text/str.h"

// Facts encoded in the file's name.
struct noc_trace_name {
    int64_t device;
    uint64_t op;            // run host id
    int64_t trace, session; // -1: none
};

enum noc_transfer_kind {
    NOC_READ, // from (x, y) to the core
    NOC_WRITE,
    NOC_MULTICAST, // to all workers from (x, y) to (end_x, end_y)
    NOC_FABRIC,    // to the Ethernet tile of a channel, which is `x`
};

struct noc_transfer {
    int16_t core_x, core_y; // initiator; all places are on NoC 0
    int16_t x, y, end_x, end_y;
    uint8_t kind, noc;
    uint32_t bytes;
};

struct noc_trace_file {
    VEC(struct noc_transfer) transfers;
    uint64_t first_time, last_time; // of all entries; 0, 0: there are none
    uint64_t n_entries;
    uint64_t n_placeless; // transfers without destination or size
    uint64_t n_cut;       // of the largest recordable size: they may be larger
    bool is_damaged;
};

// "noc_trace_dev0_matmul_ID1024_traceID4294967297.json"; false: not such a name.
bool noc_trace_name_parse(str name, struct noc_trace_name *out);
void noc_trace_read(struct noc_trace_file *f, str text);
void noc_trace_read_free(struct noc_trace_file *f);

#endif
