// noc_parts.h - state and functions shared by the NoC's files.
#ifndef TTP_SIM_NOC_NOC_PARTS_H
#define TTP_SIM_NOC_NOC_PARTS_H

#include "sim/memory/lazy.h"
#include "sim/noc/noc.h"

enum { NOC_MOST_TILES = 256, DRAM_BANKS = 12 };

// What a packet passes at a node: injection, ejection, and the outgoing link along each
// axis. A torus has one direction per axis and NoC.
enum port { PORT_INJECT, PORT_EJECT, PORT_X, PORT_Y, PORTS };

// Something due at a cycle. Ties are broken by what does not depend on windows: origin,
// then command number.
struct noc_item {
    uint64_t cycle, order, number;
    uint32_t slot;
};

// Where the head and tail of the multicast with this stamp passed.
struct branch {
    uint64_t stamp, head, tail;
};

// A DRAM view.
struct dram_bank {
    struct lazy memory;
    uint64_t free_at; // of the channel
};

struct noc {
    uint64_t window_end;
    VEC(struct noc_item) items; // heap
    VEC(struct packet) packets; // of the items, by slot
    VEC(uint32_t) free_slots;
    uint64_t *free_at;   // [NoC][node][PORTS]
    struct branch *tree; // same, for multicasts
    uint64_t stamp;      // of the current multicast
    uint64_t n_packets, n_posted;
    // Per tile, written by the tile while it runs:
    uint8_t *has_packets;
    uint64_t *n_applied;
    uint64_t *n_issued; // per NIU
    struct dram_bank banks[DRAM_BANKS];
    struct lazy_limit dram_limit;
    struct pcie *pcie; // NULL: the host has no memory for the chip
};

// --- niu_command.c ---------------------------------------------------------------------
// Issues the command in a buffer's registers. An invalid one is a fault.
void niu_issue(struct tile *tile, unsigned noc, unsigned buffer, unsigned risc,
               uint64_t cycle);

// --- noc.c -----------------------------------------------------------------------------
void noc_put(struct chip *chip, const struct packet *packet, uint64_t cycle);
void noc_post(struct chip *chip, struct tile *tile, struct event event);
void noc_leave(struct tile *tile, struct packet packet); // into the tile's outbox
// The tile of a node, or NULL.
struct tile *noc_tile(const struct chip *chip, unsigned node);
// A command number encodes which RISC issued it.
static inline unsigned noc_number_risc(uint64_t number)
{
    return number & 7;
}
static inline unsigned noc_number_tile(uint64_t number)
{
    return (unsigned)(number >> 48);
}
static inline unsigned noc_address_x(uint64_t address)
{
    return address >> 36 & 63;
}
static inline unsigned noc_address_y(uint64_t address)
{
    return address >> 42 & 63;
}
static inline uint64_t noc_address_local(uint64_t address)
{
    return address & 0xFFFFFFFFFu;
}

// --- noc_send.c ------------------------------------------------------------------------
void noc_send(struct chip *chip, struct packet *packet); // takes the payload
// The target tiles of a multicast; those beyond NOC_MOST_TILES are counted, not stored.
size_t noc_rectangle(const struct chip *chip, unsigned noc, uint64_t address,
                     unsigned source, bool has_source, uint16_t nodes[NOC_MOST_TILES]);

// Turns a request that was served at the edge into its answer, which leaves at a cycle.
void noc_answer(struct chip *chip, struct packet *packet, enum packet_kind kind,
                uint64_t cycle);

// --- noc_route.c -----------------------------------------------------------------------
struct passage {
    uint64_t injected;    // the last flit has left the source
    uint64_t first, last; // data at the target
};
uint32_t noc_port_cycles(const struct chip *chip, uint32_t bytes, uint32_t bytes_10);
static inline uint32_t noc_rate_cycles(uint32_t bytes, uint32_t bytes_10)
{
    return (bytes * 10 + bytes_10 - 1) / bytes_10;
}
static inline uint64_t noc_later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}
// Branches of one multicast share common links; a new multicast has a new stamp.
struct passage noc_pass(struct chip *chip, const struct packet *packet, unsigned target);

// --- noc_events.c: what happens at a tile ----------------------------------------------
void noc_apply_accept(struct tile *tile, struct event *event);
void noc_apply_sent(struct tile *tile, struct event *event);
void noc_apply_read(struct tile *tile, struct event *event);
void noc_apply_write(struct tile *tile, struct event *event);
void noc_apply_atomic(struct tile *tile, struct event *event);
void noc_apply_answer(struct tile *tile, struct event *event);
// Touches and changes a status counter.
void niu_count(struct tile *tile, unsigned noc, unsigned counter, int change);

// --- dram.c ----------------------------------------------------------------------------
void dram_open(struct chip *chip);
void dram_close(struct chip *chip);
// The bank that holds a controller's address, or -1; `inside` is the address in the bank.
int dram_find(const struct chip *chip, int controller, uint64_t address, uint64_t *inside);
void dram_serve(struct chip *chip, struct packet *packet, uint64_t cycle);
uint64_t dram_hash(const struct chip *chip, uint64_t hash);

// --- dispatch/pcie.c -------------------------------------------------------------------
void pcie_serve(struct chip *chip, struct packet *packet, uint64_t cycle);
// Whether the host has memory there.
bool pcie_holds(const struct chip *chip, uint64_t address, uint32_t bytes);
uint64_t pcie_hash(const struct chip *chip, uint64_t hash);

// Adds a word to a hash.
static inline uint64_t noc_mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

#endif
