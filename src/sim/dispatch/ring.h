// ring.h - where programs lie in the L1 of the workers: a ring that the host fills and
// frees by counting completions. The device decides nothing.
//
// A program takes one piece, at the same place on all workers, and one launch message slot.
// Both are free once a number of completions was counted. Where that is not known, the
// dispatcher has to wait for the number first.
#ifndef TTP_SIM_DISPATCH_RING_H
#define TTP_SIM_DISPATCH_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "ttprof/layout.h"

enum {
    RING_ALIGN = 256,
    RING_PIECES = TT_LAUNCH_SLOTS,
    RING_AHEAD = TT_LAUNCH_SLOTS - 1, // programs whose messages may be there at once
};

struct ring {
    uint32_t bytes;
    uint32_t next;  // behind the newest piece
    uint32_t known; // completions that earlier commands have waited for
    struct ring_piece {
        uint32_t from, to;
        uint32_t free_at;  // completions
    } pieces[RING_PIECES]; // oldest first
    unsigned n;
};

enum ring_wait { RING_NO_WAIT, RING_WAIT_MEMORY, RING_WAIT_SLOT };
struct ring_place {
    uint32_t offset;
    enum ring_wait wait;
    uint32_t count; // of completions to wait for
};

// Places a program that will be done at `done_at` completions. False: it is larger than the
// ring, and nothing is placed.
bool ring_place(struct ring *r, uint32_t bytes, uint32_t done_at, struct ring_place *place);
// Everything up to this number was waited for.
void ring_know(struct ring *r, uint32_t count);
// All of it is taken until this number: by a trace, or by a program at fixed addresses.
void ring_fill(struct ring *r, uint32_t done_at);
// Empty; completions count from 0 again.
void ring_restart(struct ring *r);

#endif
