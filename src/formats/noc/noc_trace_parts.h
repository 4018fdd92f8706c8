// noc_trace_parts.h - events and entries, shared by noc_trace.c and noc_fabric.c.
#ifndef TTP_FORMATS_NOC_NOC_TRACE_PARTS_H
#define TTP_FORMATS_NOC_NOC_TRACE_PARTS_H

#include "formats/noc/noc_trace.h"
#include "ttprof/noc_event_kinds.h"

// A marker of one program: a zone's start or end, or an event.
struct noc_marker {
    uint64_t time;  // corrected
    uint64_t data;  // of an event
    uint32_t place; // index of its track, sorted by core and RISC
    uint32_t marker;
    bool is_zone;
};
typedef VEC(struct noc_marker) noc_markers;

// One element of the file.
struct noc_entry {
    uint32_t main;      // marker of the zone, the event, or a packet's local write
    uint32_t packet;    // first fabric marker
    uint32_t n_packets; // 0: not a fabric packet
    uint32_t routing;
    uint32_t mux;         // the mux's write, NOC_NO_MUX
    int16_t mux_x, mux_y; // NOC 0
    int16_t eth_channel;
};
#define NOC_NO_MUX UINT32_MAX
typedef VEC(struct noc_entry) noc_entries;

struct noc_program {
    const struct trace *t;
    const struct noc_facts *facts;
    int64_t chip;
    str op_name;
    const uint32_t *tracks; // by place
    noc_markers markers;    // by place and time
    noc_entries entries;
    uint64_t unknown;
    struct buf warnings; // lines of this program
};

// Fields of an event's data.
static inline int noc_kind(uint64_t data)
{
    return (int)(data & 0xFF);
}
static inline int noc_signed_byte(uint64_t data, int byte)
{
    return (int8_t)(data >> 8 * byte & 0xFF);
}
static inline int noc_byte(uint64_t data, int byte)
{
    return (int)(data >> 8 * byte & 0xFF);
}
static inline uint32_t noc_bytes(uint64_t data) // of a local event
{
    return (uint32_t)noc_byte(data, 6) * TT_NOC_CHUNK_BYTES;
}
static inline bool noc_is_local(int kind)
{
    return kind >= 1 && kind <= TT_NOC_EVENT_LOCAL_LAST;
}
// The NoC of an event: 0, 1, or -1 for none. Stored plus 1 in the lower half of the byte.
static inline int noc_number(uint64_t data, int byte)
{
    return (noc_byte(data, byte) & 15) - 1;
}
// The destination on NOC 0 of any event that has one.
bool noc_place(const struct noc_program *p, int noc, int x, int y, int *out_x, int *out_y);

// Adds a warning to the program, once.
void noc_warn(struct noc_program *p, const char *text);

// Makes entries for all events of the program; a fabric packet becomes one entry.
void noc_fabric_group(struct noc_program *p);
// "fabric_send" and "dst" of a packet's entry.
struct json;
void noc_fabric_put_send(const struct noc_program *p, const struct noc_entry *x,
                         struct json *j);
void noc_fabric_put_destinations(const struct noc_program *p, const struct noc_entry *x,
                                 struct json *j);
const char *noc_name(int noc);

// noc_trace_entries.c
void noc_put_entry(const struct noc_program *p, const struct noc_entry *x,
                   const struct trace_run *run, struct json *j);
// Events of a program are sorted by core, RISC and time, and so are its entries; at equal
// times the lower id comes first.
void noc_order_entries(struct noc_program *p);

#endif
