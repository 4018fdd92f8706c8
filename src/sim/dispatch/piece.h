// piece.h - how a program's parts lie in its piece of the ring: semaphores, circular
// buffers, own arguments, common arguments, zeros, kernels.
//
// A kernel that was given no arguments finds the zeros where they would be: what an earlier
// program left there would make its run depend on that program.
#ifndef TTP_SIM_DISPATCH_PIECE_H
#define TTP_SIM_DISPATCH_PIECE_H

#include "sim/dispatch/groups.h"

// Bytes, sent with the kernels: 16 arguments. All 128 would take room in the ring from
// which long traces of short programs suffer.
enum { PIECE_ZEROS = 64 };

// Offsets from the start of the piece; all are multiples of 16.
struct piece {
    struct placing where;          // base 0; entries depend on the group
    uint32_t args, args_bytes;     // own arguments of one core, all RISCs
    uint32_t common, common_bytes; // common arguments, all RISCs
    uint32_t zeros, text;
    uint32_t bytes;
    bool is_fixed; // some kernel cannot be moved: all stay at their link addresses
};

struct piece piece_lay_out(const struct launch *l, const struct groups *groups);
// Where a group's kernel lies, from the start of the piece that starts at `base`.
uint32_t piece_kernel(const struct piece *piece, const struct plan *plan, unsigned risc,
                      uint32_t base);
uint32_t piece_text_bytes(const struct plan *plan); // of all its kernels
// The places that a group's launch message names, for a piece at this address.
struct placing piece_placing(const struct piece *piece, const struct plan *plan,
                             uint32_t base);

// What is written to every core of a group: semaphores and circular buffers from the start
// of the piece (piece->args bytes), and common arguments (piece->common_bytes).
void piece_config(const struct piece *piece, const struct launch *l,
                  const struct plan *plan, uint8_t *out);
void piece_common(const struct piece *piece, const struct plan *plan, uint8_t *out);
// Own arguments of one core (piece->args_bytes); false if it reads none of them.
bool piece_args(const struct piece *piece, const struct plan *plan, uint8_t *out);

#endif
