// noc.h - the two networks of a chip, the memory at their edges, and a tile's network
// interface (NIU).
//
// A command written to an NIU becomes a packet in the tile's outbox (niu.c, inside the
// tile's window). Between windows noc_after_window() takes all packets in (issue cycle,
// tile, NIU, command buffer) order, routes them over links and ports that each have a
// `free_at` (noc_route.c), and posts events: data, acknowledgements, counter steps (noc.c,
// noc_events.c). Requests to DRAM (dram.c) and to the host (dispatch/pcie.c) are served in
// the same order.
//
// Invariant: everything a packet causes happens at least SIM_LOOKAHEAD cycles after its
// issue, so windows may be up to that long. The order of packets does not depend on how
// time is cut into windows.
#ifndef TTP_SIM_NOC_NOC_H
#define TTP_SIM_NOC_NOC_H

#include "sim/machine.h"

enum packet_kind {
    PACKET_READ,
    PACKET_READ_DATA,
    PACKET_WRITE,
    PACKET_ATOMIC,
    PACKET_RESULT, // of an atomic
    PACKET_ACK,    // of a write
    PACKET_KINDS,
};

// Where a packet is: on its way, at the DRAM or PCIe tile that serves it, or behind that on
// its way into the host's memory.
enum packet_stage { STAGE_NOC, STAGE_EDGE, STAGE_HOST };

struct packet {
    uint64_t issue;  // cycle at which the NIU accepted the command
    uint64_t number; // of the command; its answer has the same
    uint16_t node;   // source
    uint16_t target; // node; not used by a multicast
    uint8_t niu, buffer, kind;
    uint8_t tag;      // transaction id
    uint8_t enables;  // inline write: a bit per byte
    uint8_t stage;    // enum packet_stage
    uint32_t control; // CTRL bits
    uint64_t address; // at the target; multicast: as written, with the rectangle
    uint64_t reply;   // address at the source where data or results go
    uint32_t bytes, value, length; // value: data of up to 4 bytes; length: AT_LEN
    uint8_t *payload;              // owned, captured at issue; NULL: it is in `value`
};

// --- niu.c: registers of a tile's network interface ------------------------------------
bool niu_read(struct tile *tile, unsigned noc, uint32_t offset, uint64_t cycle,
              uint32_t *value);
bool niu_write(struct tile *tile, unsigned noc, unsigned risc, uint32_t offset,
               uint32_t value, uint64_t cycle);
void niu_reset(struct tile *tile); // node ids, translation on

// --- noc.c, dram.c ---------------------------------------------------------------------
void noc_open(struct chip *chip); // after nodes and banks are known
void noc_close(struct chip *chip);
// First cycle at which the NoC has something to do, or SIM_NEVER. A window that contains it
// must be closed with noc_after_window() even if no tile ran in it.
uint64_t noc_next(const struct chip *chip);
void noc_before_window(struct chip *chip, uint64_t end); // sets the end of the window
void noc_after_window(struct chip *chip);      // handles everything before that end
size_t noc_in_flight(const struct chip *chip); // unfinished packets and events
uint64_t noc_packets(const struct chip *chip); // since open
uint64_t noc_hash(const struct chip *chip, uint64_t hash); // counters, DRAM and host memory
// Host access; false if out of range or dram_cap is reached.
bool dram_write(struct chip *chip, int bank, uint64_t address, const void *data,
                size_t bytes);
bool dram_read(struct chip *chip, int bank, uint64_t address, void *data, size_t bytes);

// --- dispatch/pcie.c: the host's memory, as the chip sees it ----------------------------
// Gives the chip the memory of so many queues (dispatch_words.h), all 0.
void pcie_open(struct chip *chip, unsigned queues);
void pcie_close(struct chip *chip);
// Cycle at which the device's last write to host memory was there; 0 if there was none.
uint64_t pcie_last_write(const struct chip *chip);
// Copies without any timing; false if there is no such memory.
bool pcie_host_write(struct chip *chip, unsigned queue, uint64_t offset, const void *data,
                     size_t bytes);
bool pcie_host_read(const struct chip *chip, unsigned queue, uint64_t offset, void *data,
                    size_t bytes);
// The PCIe tile as kernels on a NoC name it.
ttdev_xy pcie_xy(const struct chip *chip, unsigned noc);

// --- links.c: Ethernet -----------------------------------------------------------------
void links_open(struct chip *chip); // ports of all linked tiles (ttdev.c has the pairs)
void links_close(struct chip *chip);
bool eth_read(struct tile *tile, uint32_t offset, uint64_t cycle, uint32_t *value);
enum register_result eth_write(struct tile *tile, uint32_t offset, uint32_t value,
                               uint64_t cycle);
// Moves messages between chips, in true time. Called by the cluster when all chips have
// reached a common moment. Returns how many were delivered.
size_t links_exchange(struct ttdev *t);
size_t links_in_flight(const struct chip *chip);

#endif
