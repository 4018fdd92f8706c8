// pcie.c - the PCIe tile, through which dispatch kernels read commands from host memory and
// write their answers to it.
//
// Served between windows like DRAM, in the order of arrival. Each direction has its own
// channel. The host changes its memory between windows, so a read sees it as it is when the
// request is served.
#include <string.h>

#include "sim/noc/noc_parts.h"
#include "ttprof/dispatch_words.h"

struct pcie {
    struct lazy memory[TT_QUEUES];
    unsigned n_queues;
    uint64_t out_free_at, in_free_at; // of the channels from and to the host
    uint64_t last_write;              // cycle at which the last one was there
};

void pcie_open(struct chip *chip, unsigned queues)
{
    struct pcie *pcie = mem_alloc(sizeof *pcie);
    pcie->n_queues = queues;
    for (unsigned q = 0; q < queues; q++)
        lazy_open(&pcie->memory[q], TT_QUEUE_BYTES);
    chip->noc->pcie = pcie;
}

void pcie_close(struct chip *chip)
{
    struct pcie *pcie = chip->noc->pcie;
    for (unsigned q = 0; pcie && q < pcie->n_queues; q++)
        lazy_close(&pcie->memory[q]);
    mem_free(pcie);
    chip->noc->pcie = NULL;
}

ttdev_xy pcie_xy(const struct chip *chip, unsigned noc)
{
    ttdev_xy at = {63, 63};
    // Translated coordinates are the higher ones.
    while (at.x > 0 && chip->translate[noc][at.x][at.y] != chip->pcie)
        at = at.y > 0 ? (ttdev_xy){at.x, at.y - 1} : (ttdev_xy){at.x - 1, 63};
    while (at.y > 0 && chip->translate[noc][at.x][at.y] != chip->pcie)
        at.y--;
    return at;
}

// --- memory ----------------------------------------------------------------------------
static struct lazy *memory_of(const struct chip *chip, uint64_t queue, uint64_t offset,
                              size_t bytes)
{
    struct pcie *pcie = chip->noc->pcie;
    if (!pcie || queue >= pcie->n_queues ||
        !lazy_holds(&pcie->memory[queue], offset, bytes))
        return NULL;
    return &pcie->memory[queue];
}

bool pcie_host_write(struct chip *chip, unsigned queue, uint64_t offset, const void *data,
                     size_t bytes)
{
    struct lazy *memory = memory_of(chip, queue, offset, bytes);
    return memory && lazy_write(memory, NULL, offset, data, bytes);
}

bool pcie_host_read(const struct chip *chip, unsigned queue, uint64_t offset, void *data,
                    size_t bytes)
{
    const struct lazy *memory = memory_of(chip, queue, offset, bytes);
    if (memory)
        lazy_read(memory, offset, data, bytes);
    return memory != NULL;
}

uint64_t pcie_last_write(const struct chip *chip)
{
    return chip->noc->pcie ? chip->noc->pcie->last_write : 0;
}

// A local address of the tile.
struct place {
    unsigned queue;
    uint64_t offset;
};

static struct place place_of(uint64_t address)
{
    return (struct place){(unsigned)(address >> TT_QUEUE_SHIFT),
                          address & ((1u << TT_QUEUE_SHIFT) - 1)};
}

bool pcie_holds(const struct chip *chip, uint64_t address, uint32_t bytes)
{
    struct place at = place_of(address);
    return memory_of(chip, at.queue, at.offset, bytes);
}

// --- the channels ----------------------------------------------------------------------
static void serve_read(struct chip *chip, struct packet *packet, uint64_t cycle)
{
    struct pcie *pcie = chip->noc->pcie;
    struct place at = place_of(packet->address);
    uint64_t start = noc_later(cycle, pcie->out_free_at);
    pcie->out_free_at =
        start + noc_rate_cycles(packet->bytes, chip->costs.pcie_out_bytes_10);
    packet->payload = mem_resize(NULL, packet->bytes);
    (void)pcie_host_read(chip, at.queue, at.offset, packet->payload, packet->bytes);
    noc_answer(chip, packet, PACKET_READ_DATA, start + chip->costs.pcie_read);
}

// The channel works in parallel to the port. What was written is visible on the host after
// all of it has passed.
static void take_write(struct chip *chip, struct packet *packet, uint64_t cycle)
{
    struct pcie *pcie = chip->noc->pcie;
    uint32_t takes = noc_rate_cycles(packet->bytes, chip->costs.pcie_in_bytes_10);
    uint64_t began = cycle > takes ? cycle - takes : 0;
    pcie->in_free_at = noc_later(began, pcie->in_free_at) + takes;
    packet->stage = STAGE_HOST;
    noc_put(chip, packet, noc_later(cycle, pcie->in_free_at) + chip->costs.pcie_write);
}

static void land_write(struct chip *chip, struct packet *packet, uint64_t cycle)
{
    struct place at = place_of(packet->address);
    if (packet->payload)
        (void)pcie_host_write(chip, at.queue, at.offset, packet->payload, packet->bytes);
    for (uint32_t i = 0; !packet->payload && i < packet->bytes; i++)
        if (packet->enables >> i & 1)
            (void)pcie_host_write(chip, at.queue, at.offset + i,
                                  (const uint8_t *)&packet->value + i, 1);
    mem_free(packet->payload);
    packet->payload = NULL;
    chip->noc->pcie->last_write = cycle;
    if (chip->has_truth)
        tile_truth(&chip->tiles[noc_number_tile(packet->number)],
                   noc_number_risc(packet->number), TTDEV_TRUTH_NOC_COMPLETE, cycle,
                   packet->number, 0);
    if (packet->control & TT_NOC_RESPONSE)
        noc_answer(chip, packet, PACKET_ACK, cycle);
}

void pcie_serve(struct chip *chip, struct packet *packet, uint64_t cycle)
{
    if (packet->kind == PACKET_READ)
        serve_read(chip, packet, cycle);
    else if (packet->stage == STAGE_EDGE)
        take_write(chip, packet, cycle);
    else
        land_write(chip, packet, cycle);
}

uint64_t pcie_hash(const struct chip *chip, uint64_t hash)
{
    const struct pcie *pcie = chip->noc->pcie;
    for (unsigned q = 0; pcie && q < pcie->n_queues; q++)
        hash = lazy_hash(&pcie->memory[q], q, hash);
    return hash;
}
