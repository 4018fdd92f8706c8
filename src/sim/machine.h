// machine.h - the structures of the software device.
//
//   cluster -> chips -> tiles -> RISCs
//
// Exact timing rests on four rules.
// 1. A tile is an island: while it runs a window (at most 32 cycles) it touches nothing
//    outside. What leaves it goes to its outbox; what arrives waits in its event heap for
//    its cycle. The shortest path between two tiles takes 32 cycles, so no event can be
//    caused in the window it happens in, and tiles may run in any order or in parallel.
// 2. Between windows, on one thread, the NoC takes all outboxes in (issue cycle, tile, NIU,
//    command buffer) order, computes arrivals and puts events into the heaps.
// 3. Within a tile, time is cut into slices at every multiple of 8 cycles and at every
//    event. In a slice the RISCs run one after the other by number; a RISC stops before the
//    first access to shared state at or after the end of the slice. Instructions that touch
//    no shared state may run ahead.
// 4. A RISC in a pure poll loop is parked (park.c): whoever is about to change a word it
//    polls calls tile_touch() first, which brings the RISC to that cycle.
#ifndef TTP_SIM_MACHINE_H
#define TTP_SIM_MACHINE_H

#include "base/data/vec.h"

#include "arch/arch.h"
#include "sim/tile/costs.h"
#include "sim/ttdev.h"

#define SIM_NEVER UINT64_MAX
enum { SIM_SLICE = 8, SIM_LOOKAHEAD = 32 };
// Every window ends at or before a multiple of the longest one. What is detected at the end
// of a window (done, faults) takes effect there, so the window length does not matter.
enum { SIM_LONGEST_WINDOW = 32 };

struct buf;
struct chip;
struct tile;
struct event;
struct packet;
struct engine;
struct fast;
struct rv_op;

// --- images ----------------------------------------------------------------------------
struct symbol {
    uint32_t address, bytes;
    const char *name;
};
// A marker location, identified by the number the linker gave it in this image.
struct image_zone {
    const char *name, *file; // NULL: not recorded
    uint32_t line, id;       // id: as now in the code
};
// An instruction that loads a marker's header word.
struct zone_site {
    uint32_t offset; // from the start of the code
    uint32_t zone;
};
// A word that holds an address inside the image, in one of the forms of image_moves.c.
struct moved_word {
    uint32_t offset; // from the start of the memory
    uint32_t value;  // the address, as linked
    uint8_t form;
};
struct ttdev_image {
    char *name;
    int arch, risc, variant; // risc: TT_BRISC.., TTDEV_ERISC
    bool is_firmware;
    uint64_t hash;        // of the file
    uint32_t base, bytes; // copied to L1: code, constants, initial data
    uint8_t *memory;
    uint32_t code_bytes; // executable part, from base
    uint32_t entry;
    uint32_t local_end; // address after its variables in local RAM; 0 if it has none
    struct rv_op *ops;  // one per code word, plus a last one that faults
    VEC(struct symbol) symbols; // by address
    char *names;                // storage of the symbol names
    VEC(struct image_zone) zones;
    VEC(struct zone_site) sites;        // by offset
    char *zone_names;                   // storage of the zone names
    const char *zone_trouble;           // why zones lack names; NULL if they do not
    bool has_linker_ids;                // some code may still hold the linker's numbers
    VEC(struct moved_word) moved_words; // what changes if it runs at another address
    const char *move_trouble; // why it runs only at its base; NULL if it does elsewhere
};

// --- a RISC ----------------------------------------------------------------------------
enum risc_state {
    RISC_RESET, // held in soft reset
    RISC_RUNS,
    RISC_PARKED,  // in a pure poll loop
    RISC_STALLED, // at a store that must wait (engine queue, Ethernet credit)
    RISC_HALTED,  // ecall, ebreak or a fault
};

// Code a RISC can execute: its firmware and its kernel (tile/code.h). `own` is a private
// copy of the decoded code, made when it differs from that of the image.
struct code {
    uint32_t base, bytes;
    const struct rv_op *ops;
    struct rv_op *own;
    const struct ttdev_image *image; // whose code it is or was; NULL: not known
};

enum { CODE_FIRMWARE, CODE_KERNEL, CODES, POLLED_WORDS = 4 };

// A parked loop: the RISC is at the loop head at `clock` and every `period` cycles after.
struct park {
    uint32_t period;
    uint32_t n_instructions; // per period
    uint32_t n_words;
    uint32_t word[POLLED_WORDS]; // addresses of the words it reads
};

enum { LOOPS = 16, LOOP_FIRST = 3, LOOP_MOST = 1 << 14 };
// Counts how often a backward jump is taken, to decide when to check for a poll loop.
struct loop {
    uint64_t sum;  // of the registers one iteration ago
    uint32_t head; // pc
    uint16_t left, backoff;
    bool has_sum;
};

// Fields used on every turn come first: hundreds of RISCs take turns, and the host's
// caches are the limit.
struct risc {
    uint64_t clock;  // cycle at which the next instruction can issue
    uint8_t state;   // enum risc_state
    uint8_t index;   // TT_BRISC ..; 0 on an Ethernet tile
    bool can_park;   // park=on and no caches
    bool is_careful; // runs in the careful core because of a probe, a trace or caches
    bool is_traced;  // an instruction trace is wanted
    uint32_t pc;
    uint32_t pending; // bit per register whose load may be pending
    uint32_t next_load;
    struct tile *tile;
    uint8_t *local; // local RAM
    uint32_t local_bytes;
    uint32_t last_store; // address, for coalescing
    uint64_t store_drain;
    uint64_t instructions;
    uint32_t x[33]; // 32: target of writes to x0
    uint32_t stack_limit;
    struct code code[CODES];
    uint32_t returns[4]; // predicted return addresses
    uint32_t n_returns;  // never reset; the newest is returns[(n_returns - 1) & 3]
    uint64_t loads[8];   // cycles at which the last loads leave the queue
    uint64_t ready[32];
    struct loop loops[LOOPS];

    uint64_t skipped; // instructions spent in parked loops
    uint64_t stepped; // the careful core has seen instructions up to here
    struct park park;
    bool has_waited;       // delays.c: its store to CMD_CTRL was delayed
    struct probe *probe;   // park.c: a loop that may be a poll, or NULL
    struct caches *caches; // with icache=on or l0=on, else NULL
};

// --- events: what happens to a tile at a cycle -----------------------------------------
struct event {
    uint64_t cycle, order; // order breaks ties; set by tile_post
    void (*apply)(struct tile *tile, struct event *event);
    uint8_t *payload; // owned by the event; apply frees it with mem_free
    uint64_t address, reply;
    uint64_t packet; // number, for ground truth
    uint32_t bytes, value;
    uint16_t from; // node or tile that caused it
    uint8_t niu, tag, flags, counter;
};

enum fault_kind {
    FAULT_NONE,
    FAULT_ILLEGAL,     // unknown opcode; address: the word
    FAULT_PC,          // pc outside decoded text
    FAULT_UNMAPPED,    // address
    FAULT_MISALIGNED,  // address
    FAULT_NOC_TARGET,  // no tile or bank there; address: local part; value: x | y << 8
    FAULT_NOC_RANGE,   // crosses the end of the memory
    FAULT_NOC_COMMAND, // an invalid command, e.g. too long
    FAULT_CB_WRAP,     // push or pop across the end of a circular buffer
    FAULT_ENGINE,      // compute engine misuse; see `what`
    FAULT_STACK,       // stack pointer below the RISC's limit
    FAULT_ETH,         // send without a link, or out of range
    FAULT_DRAM_CAP,    // dram_cap reached
    FAULT_DISPATCH,    // a command a dispatch kernel cannot execute; address: its id
    FAULT_KINDS,
};
struct fault {
    uint64_t cycle;
    uint32_t pc, address, value;
    uint8_t kind; // enum fault_kind
    uint8_t risc;
    const char *what; // FAULT_ENGINE, _NOC_*, _DISPATCH: static text, or NULL
};

// --- a tile ----------------------------------------------------------------------------
enum tile_kind { TILE_TENSIX, TILE_ETH };

struct niu {
    uint32_t command[TT_NOC_BUFFERS][20]; // register file by offset / 4
    uint32_t config[64];
    uint32_t counters[TT_NOC_COUNTERS];
    uint64_t free_at; // when the next command can be accepted
};

// Why a flit went between L1 and a NoC: the tile's own writes and answers to others leave;
// writes of others and answers to the tile arrive.
enum beat { BEAT_OUT_OWN, BEAT_OUT_ASKED, BEAT_IN_WRITTEN, BEAT_IN_ASKED, BEATS };

struct tile {
    struct chip *chip;
    uint16_t index, node; // in chip->tiles, chip->nodes
    uint8_t kind;         // enum tile_kind
    uint8_t n_riscs;
    int8_t channel; // Ethernet channel
    bool is_linked;
    ttdev_xy logical, noc0, virt;

    uint8_t *l1;
    uint32_t l1_bytes;
    uint32_t guard_top; // stores below take the slow path: mailboxes, code, semaphores
    uint32_t code_from; // no code below this address
    uint64_t watched;   // bit per (word number mod 64) that a parked RISC polls
    uint64_t skew;      // wall clock offset

    uint64_t now;      // all accesses before this cycle are done
    uint64_t next;     // first cycle with something to do
    uint64_t slice_to; // end of the current turn
    uint32_t running;  // bit per RISC in RISC_RUNS
    bool is_running;   // inside tile_run
    uint64_t limit;    // how far the current RISC may run
    int actor;         // the running RISC; -1: an event

    VEC(struct event) events; // heap by (cycle, order)
    uint64_t n_local_events;
    VEC(struct packet) outbox; // noc.h
    struct niu niu[2];
    uint32_t received[64], acked[64]; // stream registers: circular buffers
    uint32_t completed[64];           // and completion counters
    uint32_t clock_latch;             // high half
    uint32_t soft_reset;
    uint32_t debug[0x400];        // performance counter and other debug registers
    struct engine *engine;        // Tensix only
    uint64_t noc_beats[2][BEATS]; // per NoC, for counters.c
    struct eth_port *eth;         // Ethernet only
    struct risc risc[TT_RISCS];
    uint32_t delay[TT_RISCS][3]; // cycles before issue, by TT_NOC_READ, _ATOMIC, _WRITE
    bool has_delays;             // any delay is nonzero

    struct fault fault;   // the first one
    bool is_launched;     // by a program not yet seen done
    uint64_t done_at;     // cycle of the last store of DONE to the go signal
    uint64_t last_event;  // cycle of the last event
    uint64_t last_packet; // last cycle a packet or credit arrived or left
    VEC(ttdev_truth_event) truth;
};

static inline void risc_set_state(struct risc *risc, enum risc_state state)
{
    uint32_t bit = 1u << risc->index;
    risc->state = (uint8_t)state;
    risc->tile->running = (risc->tile->running & ~bit) | (state == RISC_RUNS ? bit : 0);
}

// --- a chip ----------------------------------------------------------------------------
enum node_kind {
    NODE_ROUTER,
    NODE_TENSIX,
    NODE_ETH,
    NODE_DRAM,
    NODE_PCIE,
    NODE_ARC,
    NODE_HARVESTED
};
struct node {
    uint8_t kind; // enum node_kind
    int16_t tile; // Tensix, Ethernet: index in chip->tiles; DRAM: controller
};

// A DRAM view, which programs call a bank.
struct bank {
    uint8_t controller;
    uint16_t node[2]; // endpoint per NoC
    uint64_t offset;  // inside the controller's address space
};

struct chip {
    struct ttdev *cluster;
    int number;   // of the device
    int on_board; // of the chip, see ttdev_cfg.visible
    int arch;
    const struct tt_layout *layout;
    struct sim_costs costs;
    uint32_t harvest;
    enum dispatch dispatch;
    struct fast *fast;            // dispatch/dispatch.h; NULL: the host launches programs
    ttdev_xy grid;                // logical: the workers that programs may use
    int tiles_x;                  // logical: all, with those that fast dispatch keeps
    int size_x, size_y;           // NoC grid
    struct node *nodes;           // x + y * size_x, NOC0
    int16_t pcie;                 // node of the PCIe tile that leads to the host
    int16_t translate[2][64][64]; // per NoC: coordinates used by kernels -> node or -1
    struct tile *tiles;           // Tensix by (logical y, x), then Ethernet by channel
    int n_tiles, n_workers, n_eth;
    int16_t *flat; // node -> profiler flat id or -1
    int n_flat, cores_per_bank;
    struct bank banks[12];
    int n_banks, n_controllers;
    uint64_t bank_bytes, dram_buffers, profiler_bytes;
    int remote;            // 1: the host reaches it through another chip
    struct tt_core *cores; // for the profiler (access.c)
    size_t n_cores;

    double hz;            // nominal
    uint64_t boot_cycles; // wall clock at cycle 0
    uint64_t period_fs;   // at start
    int64_t drift_fs;     // added to the period every drift_ms of device time
    uint32_t drift_ms;    // >= 1: 1 fs is about 1 ppm, too much for every ms
    uint64_t now;         // all tiles have reached this cycle
    uint64_t *next;       // tile->next of every tile, for a fast scan
    uint16_t *due;        // tiles of the current window
    uint64_t soonest;     // no tile has anything to do before this cycle
    struct noc *noc;      // links, ports, DRAM memory and events (noc.h)
    const struct ttdev_image *firmware[TT_RISCS + 1];
    char fault_text[16384]; // room for 16 cores of a deadlock
    bool has_fault;
    int n_launched;
    int n_started;    // cores launched since the chip was last idle
    uint64_t done_at; // when the last launched core was seen done
    bool has_truth, is_strict;
    bool has_new_faults; // a tile halted in this window
    bool has_answers;    // a go signal became DONE
    uint64_t fault_at;   // cycle of the first known fault
    // Writes lines about each command queue with work left; NULL: there are no queues.
    void (*tell_queues)(const struct chip *chip, struct buf *out);
};

// --- tile.c: what other parts call -----------------------------------------------------
// Puts an event into the tile's heap. During the tile's own run (engine, NIU) any later
// cycle is allowed; the event happens at that cycle or at the end of the current slice.
void tile_post(struct tile *tile, struct event event);
// Brings parked RISCs up to now. Call it before changing a word in L1 or a register that
// RISCs can poll.
void tile_touch(struct tile *tile, uint32_t address, uint32_t bytes);
// Writes L1 from outside the RISCs (NoC, engine, host): touch, code check, copy. The
// range must be inside L1.
void tile_write(struct tile *tile, uint32_t address, const void *data, uint32_t bytes);
// A register as seen by the NoC, the host and the RISCs (not local RAM). False if there
// is none at the address.
bool tile_register_read(struct tile *tile, unsigned risc, uint32_t address, uint64_t cycle,
                        uint32_t *value);
// REGISTER_STALL: the store must wait until tile_unstall.
enum register_result { REGISTER_OK, REGISTER_MISSING, REGISTER_STALL };
enum register_result tile_register_write(struct tile *tile, unsigned risc, uint32_t address,
                                         uint32_t value, uint64_t cycle);
void tile_unstall(struct tile *tile, unsigned risc, uint64_t cycle);
// Records the tile's first fault and halts the RISC. risc is TT_RISCS if no RISC caused it.
void tile_fault(struct tile *tile, struct fault fault);
void tile_truth(struct tile *tile, unsigned risc, int kind, uint64_t cycle,
                uint64_t argument, uint32_t pc);

#endif
