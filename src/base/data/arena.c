// arena.c - a list of blocks; memory comes from the newest one.
#include "base/data/arena.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { ARENA_FIRST_BLOCK = 16 * 1024, ARENA_LARGEST_BLOCK = 8 * 1024 * 1024 };

struct arena_block {
    struct arena_block *older;
    size_t size; // of data
    size_t used;
    _Alignas(16) char data[];
};

static struct arena_block *block_new(struct arena *a, size_t need)
{
    size_t size = a->block ? a->block->size * 2 : ARENA_FIRST_BLOCK;
    if (size > ARENA_LARGEST_BLOCK)
        size = ARENA_LARGEST_BLOCK;
    if (size < need)
        size = need;
    struct arena_block *b = mem_resize(NULL, sizeof *b + size);
    *b = (struct arena_block){.older = a->block, .size = size};
    a->block = b;
    return b;
}

void *arena_push(struct arena *a, size_t size, size_t align)
{
    assert(align && align <= 16 && (align & (align - 1)) == 0);
    if (size > SIZE_MAX / 2)
        (void)mem_bytes(SIZE_MAX, 2);
    struct arena_block *b = a->block;
    size_t at = b ? (b->used + align - 1) & ~(align - 1) : 0;
    if (!b || at > b->size || b->size - at < size) {
        b = block_new(a, size);
        at = 0;
    }
    b->used = at + size;
    a->used += size;
    return memset(b->data + at, 0, size);
}

struct arena_mark arena_mark(struct arena *a)
{
    return (struct arena_mark){a->block, a->block ? a->block->used : 0, a->used};
}

void arena_rewind(struct arena *a, struct arena_mark m)
{
    while (a->block != m.block) {
        // Keep the first block: a scratch arena rewound to empty in a loop would otherwise
        // call malloc and free each time.
        if (!m.block && !a->block->older) {
            a->block->used = 0;
            a->used = m.used;
            return;
        }
        struct arena_block *older = a->block->older;
        mem_free(a->block);
        a->block = older;
    }
    if (a->block)
        a->block->used = m.block_used;
    a->used = m.used;
}

void arena_free(struct arena *a)
{
    while (a->block) {
        struct arena_block *older = a->block->older;
        mem_free(a->block);
        a->block = older;
    }
    a->used = 0;
}

str arena_str(struct arena *a, str s)
{
    char *p = arena_push(a, s.n + 1, 1);
    if (s.n)
        memcpy(p, s.p, s.n);
    return (str){p, s.n};
}

str arena_printf(struct arena *a, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    char *p = arena_push(a, (size_t)n + 1, 1);
    (void)vsnprintf(p, (size_t)n + 1, fmt, again);
    va_end(again);
    return (str){p, (size_t)n};
}
