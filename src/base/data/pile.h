// pile.h - a long list of equal records, in chunks; beyond a limit, further chunks of all
// piles of a store are in a temporary file that the system may write out, so that memory
// does not grow with the list.
//
//     struct pile_store store;
//     pile_store_start(&store, folder, UINT64_C(256) << 20);
//     struct pile zones = pile_of(sizeof(struct zone));
//     struct zone *z = pile_add(&zones, &store); // zeroed
//     z = pile_at(&zones, 12);
//     pile_free(&zones);
//     pile_store_end(&store);
//
// Like those of a vec, records may move when a short pile grows: keep indexes.
#ifndef TTP_BASE_DATA_PILE_H
#define TTP_BASE_DATA_PILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/data/vec.h"

// Where the chunks of piles come from.
struct pile_store {
    const char *folder; // of the file, which has no name there
    uint64_t most;      // bytes held in memory; 0: no limit
    uint64_t held;      // bytes in memory
    uint64_t spilled;   // bytes in the file
    uint64_t allocated; // bytes of the file
    char *rest;         // of the mapping that chunks in memory are cut from
    size_t rest_bytes;
    int fd_plus_1; // 0: no file
    int error;     // errno: there is no room in the folder, all stays in memory
};
void pile_store_start(struct pile_store *s, const char *folder, uint64_t most);
void pile_store_end(struct pile_store *s); // its piles may be freed later

struct pile {
    VEC(char *) chunks;
    size_t n;             // records
    size_t room;          // records that fit into the chunks
    size_t bytes;         // of a record
    bool is_last_in_file; // its last chunk is
};
enum { PILE_SHIFT = 12, PILE_CHUNK = 1 << PILE_SHIFT }; // records of a chunk

static inline struct pile pile_of(size_t record_bytes)
{
    return (struct pile){.bytes = record_bytes};
}
void pile_grow(struct pile *p, struct pile_store *s); // see pile_add
static inline void *pile_at(const struct pile *p, size_t i)
{
    return p->chunks.v[i >> PILE_SHIFT] + (i & (PILE_CHUNK - 1)) * p->bytes;
}
// The new record is zeroed.
static inline void *pile_add(struct pile *p, struct pile_store *s)
{
    if (p->n == p->room)
        pile_grow(p, s);
    return pile_at(p, p->n++);
}
void pile_free(struct pile *p);

#endif
