// lazy.h - a large memory of which only the written parts use memory; the rest reads 0.
#ifndef TTP_SIM_MEMORY_LAZY_H
#define TTP_SIM_MEMORY_LAZY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// One lazy mapping, or chunks if the system refuses that.
struct lazy {
    uint64_t bytes;
    uint8_t *map;
    uint8_t **chunks;
    uint64_t *touched; // bit per chunk
};

enum { LAZY_CHUNK = 64 << 10 };

// Chunks written so far in the memories that share it, and how many there may be.
struct lazy_limit {
    uint64_t n, most;
};

void lazy_open(struct lazy *memory, uint64_t bytes);
void lazy_close(struct lazy *memory);
// The range must be inside. False when the limit is reached; NULL: there is none.
bool lazy_write(struct lazy *memory, struct lazy_limit *limit, uint64_t address,
                const void *data, size_t bytes);
void lazy_read(const struct lazy *memory, uint64_t address, void *data, size_t bytes);
static inline bool lazy_holds(const struct lazy *memory, uint64_t address, size_t bytes)
{
    return address <= memory->bytes && bytes <= memory->bytes - address;
}
// Contents only: what holds 0 counts like what was never written. `number` tells memories
// apart (below 16).
uint64_t lazy_hash(const struct lazy *memory, unsigned number, uint64_t hash);

#endif
