// ring.c - see ring.h.
#include "sim/dispatch/ring.h"

// Counts wrap at 32 bits.
static bool is_after(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) > 0;
}

void ring_know(struct ring *r, uint32_t count)
{
    if (!is_after(count, r->known))
        return;
    r->known = count;
    unsigned kept = 0;
    for (unsigned i = 0; i < r->n; i++)
        if (is_after(r->pieces[i].free_at, count))
            r->pieces[kept++] = r->pieces[i];
    r->n = kept;
}

// The count at which the newest of the pieces in the way is free; `known` if none is.
static uint32_t free_memory_at(const struct ring *r, uint32_t from, uint32_t to)
{
    uint32_t count = r->known;
    for (unsigned i = 0; i < r->n; i++)
        if (r->pieces[i].from < to && from < r->pieces[i].to)
            count = r->pieces[i].free_at;
    return count;
}

bool ring_place(struct ring *r, uint32_t bytes, uint32_t done_at, struct ring_place *place)
{
    bytes = (bytes + RING_ALIGN - 1) / RING_ALIGN * RING_ALIGN;
    if (bytes > r->bytes)
        return false;
    *place = (struct ring_place){.offset = r->bytes - r->next < bytes ? 0 : r->next,
                                 .wait = RING_NO_WAIT};
    uint32_t memory = free_memory_at(r, place->offset, place->offset + bytes);
    uint32_t slot = r->n < RING_AHEAD ? r->known : r->pieces[r->n - RING_AHEAD].free_at;
    if (is_after(memory, r->known))
        place->wait = RING_WAIT_MEMORY;
    else if (is_after(slot, r->known))
        place->wait = RING_WAIT_SLOT;
    place->count = is_after(slot, memory) ? slot : memory;
    ring_know(r, place->count);
    r->pieces[r->n++] = (struct ring_piece){place->offset, place->offset + bytes, done_at};
    r->next = place->offset + bytes;
    return true;
}

void ring_fill(struct ring *r, uint32_t done_at)
{
    r->pieces[0] = (struct ring_piece){0, r->bytes, done_at};
    r->n = 1;
    r->next = 0;
}

void ring_restart(struct ring *r)
{
    *r = (struct ring){.bytes = r->bytes};
}
