// transfer.c - pages between host and device memory by way of a queue, cut into commands.
#include <errno.h>

#include "sim/cluster.h"
#include "sim/dispatch/cores.h"
#include "sim/dispatch/dispatch.h"
#include "sim/noc/noc.h"

enum { PAGE_ALIGN = 64 }; // of reads from DRAM on any chip

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

// Bytes that one command moves: they fit an entry, the dispatch buffer and a record.
static uint32_t part_most(const struct queue *q)
{
    uint32_t most = least(queue_entry_most(q), queue_region_bytes(q));
    most = least(most, q->fast->sizes.pages * TT_DISPATCH_PAGE);
    return least(most - PAGE_ALIGN, TT_PAGED_BYTES_MOST) / PAGE_ALIGN * PAGE_ALIGN;
}

static uint64_t bytes_of(const ttdev_pages *p)
{
    return (uint64_t)p->n_pages * p->page_bytes;
}

static const struct tile *core_of(struct chip *chip, const ttdev_place *place)
{
    return chip_core(chip, place->core, TT_BRISC);
}

// Pages that follow each other on a core.
static uint32_t run_length(const ttdev_place *places, uint32_t most)
{
    uint32_t n = 1;
    while (n < most && places[n].core.x == places->core.x &&
           places[n].core.y == places->core.y && places[n].index == places->index + n)
        n++;
    return n;
}

// All pages from this one on that one command can name.
static struct paged pages_from(const struct queue *q, const ttdev_pages *p, uint32_t page)
{
    uint32_t banks = (uint32_t)q->fast->chip->n_banks, row = page / banks;
    struct paged part = {.bank = page % banks,
                         .page_bytes = p->page_bytes,
                         .n = least(p->n_pages - page, TT_PAGED_MOST)};
    if (p->places) {
        part.core = core_of(q->fast->chip, &p->places[page]);
        part.n = run_length(&p->places[page], part.n);
        row = p->places[page].index;
    }
    part.address = (uint32_t)(p->address + (uint64_t)row * p->page_bytes);
    return part;
}

// What comes from byte `at` of the buffer on: whole pages, or a part of a large one.
static struct paged next_part(const struct queue *q, const ttdev_pages *p, uint64_t at)
{
    uint32_t inside = (uint32_t)(at % p->page_bytes), most = part_most(q);
    struct paged part = pages_from(q, p, (uint32_t)(at / p->page_bytes));
    part.address += inside;
    if (p->page_bytes <= most) {
        part.n = least(part.n, most / p->page_bytes);
    } else {
        part.n = 1;
        part.page_bytes = least(p->page_bytes - inside, most);
    }
    return part;
}

static bool is_in_range(const ttdev_pages *p, uint64_t rows, uint64_t end)
{
    return p->address <= end && rows * p->page_bytes <= end - p->address;
}

static bool are_in_dram(const struct chip *chip, const ttdev_pages *p)
{
    uint64_t banks = (uint64_t)chip->n_banks;
    return is_in_range(p, (p->n_pages + banks - 1) / banks, fast_bank_end(chip));
}

// L1 below the buffers belongs to firmware and to programs in the queue.
static bool are_on_cores(struct chip *chip, const ttdev_pages *p)
{
    bool is_ok = p->address >= chip->layout->buffers;
    for (uint32_t i = 0; i < p->n_pages && is_ok; i++) {
        const struct tile *core = core_of(chip, &p->places[i]);
        is_ok = core && !dispatch_is_core(core) &&
                is_in_range(p, (uint64_t)p->places[i].index + 1, core->l1_bytes);
    }
    return is_ok;
}

static int check_pages(struct chip *chip, const ttdev_pages *p)
{
    struct ttdev *t = chip->cluster;
    if (p->address % PAGE_ALIGN || p->page_bytes % PAGE_ALIGN || !p->page_bytes)
        return cluster_error(
            t, -EINVAL, "pages of %u bytes at 0x%llx: both must be multiples of %d",
            (unsigned)p->page_bytes, (unsigned long long)p->address, PAGE_ALIGN);
    if (p->places ? !are_on_cores(chip, p) : !are_in_dram(chip, p))
        return cluster_error(t, -EINVAL, "%u pages of %u bytes at 0x%llx are out of range",
                             (unsigned)p->n_pages, (unsigned)p->page_bytes,
                             (unsigned long long)p->address);
    return 0;
}

// Programs before it may still use the pages.
static int enqueue_write(struct queue *q, const ttdev_pages *to, const uint8_t *data)
{
    uint64_t cost_ns = q->fast->chip->cluster->cfg.host_enqueue_ns;
    int code = 0;
    for (uint64_t at = 0; at < bytes_of(to) && !code;) {
        struct paged part = next_part(q, to, at);
        struct commands c = {0};
        if (!at)
            put_queue_wait(&c, q, 0);
        put_write_paged(&c, part, data + at);
        code = queue_put(q, &c, false, at ? 0 : cost_ns);
        commands_free(&c);
        at += (uint64_t)part.n * part.page_bytes;
    }
    return code;
}

// The prefetcher reads: it must not be ahead of the dispatcher, which waits for programs
// and events.
static int enqueue_read(struct queue *q, const ttdev_pages *from, uint8_t *data)
{
    uint64_t cost_ns = q->fast->chip->cluster->cfg.host_enqueue_ns;
    int code = 0;
    for (uint64_t at = 0; at < bytes_of(from) && !code;) {
        struct paged part = next_part(q, from, at);
        uint32_t bytes = part.n * part.page_bytes;
        struct commands c = {0};
        if (!at) {
            put_queue_wait(&c, q, TT_WAIT_BARRIER | TT_WAIT_SYNC);
            put_stall(&c);
        }
        put_read_paged(&c, part);
        code = queue_expect(q, (struct completion){.bytes = bytes, .to = data + at});
        if (!code)
            code = queue_put(q, &c, false, at ? 0 : cost_ns);
        commands_free(&c);
        at += bytes;
    }
    return code;
}

// --- calls from outside ------------------------------------------------------------------
int ttdev_write_pages(ttdev *t, int dev, int queue, const ttdev_pages *to, const void *data)
{
    int code;
    host_enter(t);
    struct queue *q = fast_queue(t, dev, queue, &code);
    if (q)
        code = check_pages(q->fast->chip, to);
    if (q && !code) {
        q->n_transfers++;
        code = enqueue_write(q, to, data);
    }
    host_leave(t);
    return code;
}

int ttdev_read_pages(ttdev *t, int dev, int queue, const ttdev_pages *from, void *data)
{
    int code;
    host_enter(t);
    struct queue *q = fast_queue(t, dev, queue, &code);
    if (q)
        code = check_pages(q->fast->chip, from);
    if (q && !code) {
        q->n_transfers++;
        code = enqueue_read(q, from, data);
    }
    host_leave(t);
    return code;
}
