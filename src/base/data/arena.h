// arena.h - memory by lifetime: push as you go, free all at once.
//
// A function that returns memory takes the arena to put it in; its own scratch is a mark
// and a rewind. Pushed memory is zeroed and never moves. A zero struct is an empty arena.
#ifndef TTP_BASE_DATA_ARENA_H
#define TTP_BASE_DATA_ARENA_H

#include <stddef.h>

#include "base/data/mem.h"
#include "base/text/str.h"

struct arena_block;

struct arena {
    struct arena_block *block; // newest first
    size_t used;               // bytes handed out, all blocks together
};

struct arena_mark {
    struct arena_block *block;
    size_t block_used;
    size_t used;
};

void *arena_push(struct arena *a, size_t size, size_t align); // zeroed, never NULL
struct arena_mark arena_mark(struct arena *a);
void arena_rewind(struct arena *a, struct arena_mark m);
void arena_free(struct arena *a);

// A copy of s that lives in the arena; a zero byte follows it.
str arena_str(struct arena *a, str s);
str arena_printf(struct arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#define push_one(a, T)     ((T *)arena_push((a), sizeof(T), _Alignof(T)))
#define push_many(a, T, n) ((T *)arena_push((a), mem_bytes(sizeof(T), (n)), _Alignof(T)))

#endif
