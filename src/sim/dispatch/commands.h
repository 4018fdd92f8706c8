// commands.h - the commands of a launch, in the form of ttprof/dispatch_words.h.
#ifndef TTP_SIM_DISPATCH_COMMANDS_H
#define TTP_SIM_DISPATCH_COMMANDS_H

#include "base/text/buf.h"

#include "sim/dispatch/piece.h"
#include "sim/dispatch/ring.h"
#include "ttprof/dispatch_words.h"

// Prefetch commands in order. A queue entry may end after each of `ends`.
struct commands {
    struct buf bytes;
    VEC(size_t) ends;
};
void commands_free(struct commands *c);
void commands_append(struct commands *c, const struct commands *more);

// --- single commands -------------------------------------------------------------------
void put_prefetch(struct commands *c, const uint32_t words[4]);
// A command for the dispatcher or the subordinate (TT_RELAY_TO_*).
void put_relay(struct commands *c, uint32_t target, const void *bytes, size_t n);
void put_wait(struct commands *c, uint32_t what, uint32_t stream, uint32_t address,
              uint32_t count);
void put_go(struct commands *c, const uint32_t words[4]);
void put_stall(struct commands *c); // until the dispatcher comes to a WAIT with sync
// A word and 12 bytes of zeros to the same address of several cores.
void put_event(struct commands *c, const struct tile *const *to, size_t n, uint32_t address,
               uint32_t number);
void put_linear(struct commands *c, const struct tile *to, uint32_t address,
                const void *data, size_t n); // to one core; n 0: nothing
// Pages from the data to where they belong, or from there to the host, as a record. They
// are interleaved over the banks (ttprof/dispatch_words.h) or follow each other on a core.
struct paged {
    const struct tile *core; // NULL: in DRAM
    uint32_t bank, address, page_bytes, n;
};
void put_write_paged(struct commands *c, struct paged pages, const void *data);
void put_read_paged(struct commands *c, struct paged pages);

// --- a program -------------------------------------------------------------------------
// Kernels of a group in DRAM.
struct stored_text {
    int bank;
    uint64_t address;
    uint32_t bytes;
    uint32_t block;     // its number in the store
    struct buf inlined; // or the kernels themselves, which then are not stored
};
struct program_commands {
    const struct launch *launch;
    const struct groups *groups;
    const struct piece *piece;
    const struct ring_place *place;
    const struct stored_text *texts; // by group
    uint32_t base;                   // address of the piece
    uint32_t slot;                   // of the launch message
    uint32_t n_eth;                  // Ethernet cores
    bool has_workers;
    uint32_t go_after; // completions of all programs before this one
    uint32_t go_word;
};
void put_program(struct commands *c, const struct program_commands *p);

// --- commands_eth.c: the Ethernet cores of a program -------------------------------------
void put_eth(struct commands *c, const struct program_commands *p);

#endif
