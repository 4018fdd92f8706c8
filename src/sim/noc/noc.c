// noc.c - NoC ordering: takes packets from the tiles, sends them one after the other, and
// posts the events they cause.
#include <string.h>

#include "sim/noc/noc_parts.h"

void noc_open(struct chip *chip)
{
    struct noc *noc = mem_alloc(sizeof *noc);
    size_t n_ports = 2u * (size_t)(chip->size_x * chip->size_y) * PORTS;
    size_t n_tiles = (size_t)chip->n_tiles;
    chip->noc = noc;
    noc->free_at = mem_alloc(mem_bytes(sizeof *noc->free_at, n_ports));
    noc->tree = mem_alloc(mem_bytes(sizeof *noc->tree, n_ports));
    noc->has_packets = mem_alloc(n_tiles + 1);
    noc->n_applied = mem_alloc(mem_bytes(sizeof *noc->n_applied, n_tiles + 1));
    noc->n_issued = mem_alloc(mem_bytes(sizeof *noc->n_issued, 2 * n_tiles + 1));
    dram_open(chip);
}

void noc_close(struct chip *chip)
{
    struct noc *noc = chip->noc;
    if (!noc)
        return;
    dram_close(chip);
    pcie_close(chip);
    for (size_t i = 0; i < noc->items.n; i++)
        mem_free(noc->packets.v[noc->items.v[i].slot].payload);
    for (int i = 0; i < chip->n_tiles; i++) {
        for (size_t k = 0; k < chip->tiles[i].outbox.n; k++)
            mem_free(chip->tiles[i].outbox.v[k].payload);
        vec_free(&chip->tiles[i].outbox);
    }
    vec_free(&noc->items);
    vec_free(&noc->packets);
    vec_free(&noc->free_slots);
    mem_free(noc->free_at);
    mem_free(noc->tree);
    mem_free(noc->has_packets);
    mem_free(noc->n_applied);
    mem_free(noc->n_issued);
    mem_free(noc);
    chip->noc = NULL;
}

struct tile *noc_tile(const struct chip *chip, unsigned node)
{
    const struct node *n = &chip->nodes[node];
    bool is_tile = n->kind == NODE_TENSIX || n->kind == NODE_ETH;
    return is_tile && n->tile >= 0 ? &chip->tiles[n->tile] : NULL;
}

// --- queue: a heap by (cycle, order, number) -------------------------------------------
static bool is_before(const struct noc_item *a, const struct noc_item *b)
{
    if (a->cycle != b->cycle)
        return a->cycle < b->cycle;
    return a->order != b->order ? a->order < b->order : a->number < b->number;
}

static void heap_push(struct noc *noc, struct noc_item item)
{
    vec_push(&noc->items, item);
    struct noc_item *v = noc->items.v;
    size_t at = noc->items.n - 1;
    for (; at > 0 && is_before(&item, &v[(at - 1) / 2]); at = (at - 1) / 2)
        v[at] = v[(at - 1) / 2];
    v[at] = item;
}

static struct noc_item heap_pop(struct noc *noc)
{
    struct noc_item *v = noc->items.v;
    struct noc_item top = v[0], last = v[--noc->items.n];
    size_t n = noc->items.n, at = 0;
    for (size_t child = 1; child < n; child = 2 * at + 1) {
        if (child + 1 < n && is_before(&v[child + 1], &v[child]))
            child++;
        if (!is_before(&v[child], &last))
            break;
        v[at] = v[child];
        at = child;
    }
    v[at] = last;
    return top;
}

// Tiles by index, then everything else by place; then NIU and command buffer. Packets that
// have arrived come before packets that leave.
static uint64_t order_of(const struct chip *chip, const struct packet *packet)
{
    const struct tile *tile = noc_tile(chip, packet->node);
    uint64_t place = tile ? tile->index : 0x1000u + packet->node;
    return place << 8 | (uint64_t)packet->niu << 7 |
           (uint64_t)(packet->stage == STAGE_NOC) << 6 | packet->buffer;
}

void noc_put(struct chip *chip, const struct packet *packet, uint64_t cycle)
{
    struct noc *noc = chip->noc;
    uint32_t slot;
    if (noc->free_slots.n) {
        slot = noc->free_slots.v[--noc->free_slots.n];
        noc->packets.v[slot] = *packet;
    } else {
        slot = (uint32_t)noc->packets.n;
        vec_push(&noc->packets, *packet);
    }
    heap_push(noc, (struct noc_item){.cycle = cycle,
                                     .order = order_of(chip, packet),
                                     .number = packet->number,
                                     .slot = slot});
}

void noc_leave(struct tile *tile, struct packet packet)
{
    tile->chip->noc->has_packets[tile->index] = 1;
    vec_push(&tile->outbox, packet);
}

void noc_post(struct chip *chip, struct tile *tile, struct event event)
{
    event.order = ++chip->noc->n_posted; // before the tile's own events of that cycle
    tile_post(tile, event);
}

// --- windows ---------------------------------------------------------------------------
// The next tile, from `tile` on, with packets in its outbox; n_tiles if none.
static size_t next_full(const struct chip *chip, size_t tile)
{
    const uint8_t *has = chip->noc->has_packets;
    size_t n = (size_t)chip->n_tiles;
    const uint8_t *found = tile < n ? memchr(has + tile, 1, n - tile) : NULL;
    return found ? (size_t)(found - has) : n;
}

static void collect_outboxes(struct chip *chip)
{
    size_t n = (size_t)chip->n_tiles;
    for (size_t i = next_full(chip, 0); i < n; i = next_full(chip, i + 1)) {
        struct tile *tile = &chip->tiles[i];
        chip->noc->has_packets[i] = 0;
        for (size_t k = 0; k < tile->outbox.n; k++)
            noc_put(chip, &tile->outbox.v[k], tile->outbox.v[k].issue);
        tile->outbox.n = 0;
    }
}

void noc_before_window(struct chip *chip, uint64_t end)
{
    noc_after_window(chip); // what the host caused since the last window
    chip->noc->window_end = end;
}

void noc_after_window(struct chip *chip)
{
    struct noc *noc = chip->noc;
    collect_outboxes(chip);
    while (noc->items.n && noc->items.v[0].cycle < noc->window_end) {
        struct noc_item item = heap_pop(noc);
        struct packet packet = noc->packets.v[item.slot];
        vec_push(&noc->free_slots, item.slot);
        if (packet.stage != STAGE_NOC) {
            bool is_dram = chip->nodes[packet.target].kind == NODE_DRAM;
            (is_dram ? dram_serve : pcie_serve)(chip, &packet, item.cycle);
        } else {
            noc->n_packets++;
            noc_send(chip, &packet);
        }
    }
}

uint64_t noc_next(const struct chip *chip)
{
    const struct noc *noc = chip->noc;
    uint64_t next = noc->items.n ? noc->items.v[0].cycle : SIM_NEVER;
    size_t n = (size_t)chip->n_tiles;
    for (size_t i = next_full(chip, 0); i < n; i = next_full(chip, i + 1)) {
        const struct tile *tile = &chip->tiles[i];
        for (size_t k = 0; k < tile->outbox.n; k++)
            if (tile->outbox.v[k].issue < next)
                next = tile->outbox.v[k].issue;
    }
    return next;
}

size_t noc_in_flight(const struct chip *chip)
{
    const struct noc *noc = chip->noc;
    uint64_t n = noc->items.n + noc->n_posted;
    for (int i = 0; i < chip->n_tiles; i++)
        n += chip->tiles[i].outbox.n - noc->n_applied[i];
    return (size_t)n;
}

uint64_t noc_packets(const struct chip *chip)
{
    return chip->noc->n_packets;
}

uint64_t noc_hash(const struct chip *chip, uint64_t hash)
{
    for (int i = 0; i < chip->n_tiles; i++)
        for (int niu = 0; niu < 2; niu++)
            for (int k = 0; k < TT_NOC_COUNTERS; k++)
                hash = noc_mix(hash, chip->tiles[i].niu[niu].counters[k]);
    return pcie_hash(chip, dram_hash(chip, hash));
}
