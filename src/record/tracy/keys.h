// keys.h - a map from numbers to numbers other than 0, in memory of its own: the sender
// must not call malloc, which the program may have replaced by one that records.
#ifndef TTP_RECORD_TRACY_KEYS_H
#define TTP_RECORD_TRACY_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct recorder_key {
    uint64_t key, value; // value 0: free
};
struct recorder_keys {
    struct recorder_key *slots;
    uint64_t n_slots; // a power of two
    uint64_t used;
};

uint64_t recorder_keys_get(const struct recorder_keys *k, uint64_t key); // 0: none
// False if memory has run out or the map already holds `most` keys.
bool recorder_keys_set(struct recorder_keys *k, uint64_t key, uint64_t value,
                       uint64_t most);
void recorder_keys_remove(struct recorder_keys *k, uint64_t key);
void recorder_keys_clear(struct recorder_keys *k);

#pragma GCC visibility pop
#endif
