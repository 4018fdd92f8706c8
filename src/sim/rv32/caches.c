// caches.c - instruction cache: 16-byte lines, direct mapped, next-line prefetch. L0: 4
// lines of 16 bytes; the chip flushes it at random, the model at every 128th hit.
#include "sim/rv32/caches.h"

#include <string.h>

enum { LINE = 16, L0_LINES = 4, L0_FLUSH_AT = 128, ICACHE_LINES = 128 };

struct caches {
    uint32_t icache_lines;          // 0: off
    uint32_t fetched[ICACHE_LINES]; // line number + 1
    bool has_l0;
    uint32_t n_hits, oldest;
    uint32_t held[L0_LINES]; // line number + 1
    uint8_t data[L0_LINES][LINE];
};

struct caches *caches_new(const struct risc *r, bool icache, bool l0)
{
    bool is_small = r->index == TT_NCRISC || r->index == TT_TRISC1; // 512 bytes, else 2 KiB
    struct caches *c = mem_alloc(sizeof *c);
    c->icache_lines = !icache ? 0 : is_small ? 512 / LINE : 2048 / LINE;
    c->has_l0 = l0;
    return c;
}

void caches_flush(struct risc *r)
{
    memset(r->caches->held, 0, sizeof r->caches->held);
}

static bool fetch_line(struct caches *c, uint32_t line)
{
    uint32_t *slot = &c->fetched[line % c->icache_lines];
    bool is_hit = *slot == line + 1;
    *slot = line + 1;
    return is_hit;
}

uint32_t caches_fetch(struct risc *r, uint32_t pc)
{
    struct caches *c = r->caches;
    if (c->icache_lines == 0)
        return 0;
    bool is_hit = fetch_line(c, pc / LINE);
    (void)fetch_line(c, pc / LINE + 1);
    return is_hit ? 0 : r->tile->chip->costs.icache_miss;
}

bool caches_load(struct risc *r, uint32_t address, uint32_t bytes, uint32_t *value)
{
    struct caches *c = r->caches;
    if (!c->has_l0)
        return false;
    uint32_t line = address / LINE;
    for (int i = 0; i < L0_LINES; i++)
        if (c->held[i] == line + 1) {
            *value = 0;
            memcpy(value, c->data[i] + address % LINE, bytes);
            if (++c->n_hits % L0_FLUSH_AT == 0)
                caches_flush(r);
            return true;
        }
    uint32_t slot = c->oldest++ % L0_LINES;
    c->held[slot] = line + 1;
    memcpy(c->data[slot], r->tile->l1 + (size_t)line * LINE, LINE);
    return false;
}

void caches_store(struct risc *r, uint32_t address)
{
    struct caches *c = r->caches;
    for (int i = 0; c->has_l0 && i < L0_LINES; i++)
        if (c->held[i] == address / LINE + 1)
            memcpy(c->data[i] + (address % LINE & ~3u), r->tile->l1 + (address & ~3u), 4);
}
