// store.h - the part of DRAM that fast dispatch keeps for itself, at the top of every bank:
// kernels, which the prefetcher reads for every launch, and captured traces.
#ifndef TTP_SIM_DISPATCH_STORE_H
#define TTP_SIM_DISPATCH_STORE_H

#include "sim/program/plan.h"

enum { STORE_BYTES = 16 << 20, STORE_ALIGN = 64 }; // in every bank

// Kernels of a group, moved to where they will lie in L1.
struct store_key {
    const struct ttdev_image *image[TT_RISCS];
    uint32_t at[TT_RISCS]; // addresses in L1
};
enum { STORE_ALL_BANKS = -1 };
struct store_block {
    int bank; // STORE_ALL_BANKS: the same addresses in all
    uint32_t bytes, number;
    uint64_t address;
    unsigned n_users;     // traces that contain its address
    struct store_key key; // of kernels
};

struct store {
    uint64_t from, to; // addresses in a bank
    int n_banks, next_bank;
    uint32_t last_number;
    VEC(struct store_block) blocks; // by address
};

void store_open(struct store *s, uint64_t bank_bytes, int n_banks);
void store_close(struct store *s);
// The kernels' block; NULL if they are not there.
const struct store_block *store_find(const struct store *s, const struct store_key *key);
// A new block; NULL: no room. Valid until the next change.
const struct store_block *store_add(struct store *s, int bank, uint32_t bytes,
                                    const struct store_key *key);
int store_next_bank(struct store *s); // in turn
// Drops all kernels that no trace uses. Nothing may run that still needs them.
void store_drop_kernels(struct store *s);
void store_use(struct store *s, uint32_t number, int change); // of n_users
void store_drop(struct store *s, uint32_t number);

#endif
