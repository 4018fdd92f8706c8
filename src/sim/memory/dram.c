// dram.c - the DRAM banks and their channels.
#include <string.h>

#include "sim/cluster.h"
#include "sim/noc/noc_parts.h"

void dram_open(struct chip *chip)
{
    struct noc *noc = chip->noc;
    uint64_t cap = chip->cluster ? chip->cluster->cfg.dram_cap : 0;
    noc->dram_limit.most = cap ? cap / LAZY_CHUNK : UINT64_MAX;
    for (int i = 0; i < chip->n_banks; i++)
        lazy_open(&noc->banks[i].memory, chip->bank_bytes);
}

void dram_close(struct chip *chip)
{
    for (int i = 0; i < chip->n_banks; i++)
        lazy_close(&chip->noc->banks[i].memory);
}

// --- memory ----------------------------------------------------------------------------
static bool is_inside(const struct chip *chip, int bank, uint64_t address, size_t bytes)
{
    return bank >= 0 && bank < chip->n_banks &&
           lazy_holds(&chip->noc->banks[bank].memory, address, bytes);
}

bool dram_write(struct chip *chip, int bank, uint64_t address, const void *data,
                size_t bytes)
{
    struct noc *noc = chip->noc;
    return is_inside(chip, bank, address, bytes) &&
           lazy_write(&noc->banks[bank].memory, &noc->dram_limit, address, data, bytes);
}

bool dram_read(struct chip *chip, int bank, uint64_t address, void *data, size_t bytes)
{
    if (!is_inside(chip, bank, address, bytes))
        return false;
    lazy_read(&chip->noc->banks[bank].memory, address, data, bytes);
    return true;
}

int dram_find(const struct chip *chip, int controller, uint64_t address, uint64_t *inside)
{
    for (int i = 0; i < chip->n_banks; i++) {
        const struct bank *bank = &chip->banks[i];
        if (bank->controller != controller || address < bank->offset ||
            address - bank->offset >= chip->bank_bytes)
            continue;
        *inside = address - bank->offset;
        return i;
    }
    return -1;
}

// --- the channel -----------------------------------------------------------------------
static void serve_read(struct chip *chip, struct packet *packet, int bank, uint64_t inside,
                       uint64_t cycle)
{
    struct dram_bank *b = &chip->noc->banks[bank];
    uint64_t start = noc_later(cycle, b->free_at);
    b->free_at = start + noc_rate_cycles(packet->bytes, chip->costs.dram_channel_bytes_10);
    packet->payload = mem_resize(NULL, packet->bytes);
    (void)dram_read(chip, bank, inside, packet->payload, packet->bytes);
    noc_answer(chip, packet, PACKET_READ_DATA, start + chip->costs.dram_latency);
}

static bool write_enabled(struct chip *chip, const struct packet *packet, int bank,
                          uint64_t inside)
{
    if (packet->payload)
        return dram_write(chip, bank, inside, packet->payload, packet->bytes);
    uint8_t data[4];
    memcpy(data, &packet->value, 4);
    bool is_written = true;
    for (uint32_t i = 0; i < packet->bytes; i++)
        if (packet->enables >> i & 1)
            is_written &= dram_write(chip, bank, inside + i, &data[i], 1);
    return is_written;
}

// Data arrives with the last flit; the acknowledgement leaves when the channel, which works
// in parallel, has taken all of it.
static void serve_write(struct chip *chip, struct packet *packet, int bank, uint64_t inside,
                        uint64_t cycle)
{
    struct dram_bank *b = &chip->noc->banks[bank];
    struct tile *tile = &chip->tiles[noc_number_tile(packet->number)];
    uint32_t takes = noc_rate_cycles(packet->bytes, chip->costs.dram_channel_bytes_10);
    uint64_t began = cycle > takes ? cycle - takes : 0;
    unsigned risc = noc_number_risc(packet->number);
    if (!write_enabled(chip, packet, bank, inside))
        tile_fault(tile, (struct fault){.cycle = cycle,
                                        .address = (uint32_t)packet->address,
                                        .value = (uint32_t)bank,
                                        .kind = FAULT_DRAM_CAP,
                                        .risc = (uint8_t)risc});
    mem_free(packet->payload);
    packet->payload = NULL;
    if (chip->has_truth)
        tile_truth(tile, risc, TTDEV_TRUTH_NOC_COMPLETE, cycle, packet->number, 0);
    b->free_at = noc_later(began, b->free_at) + takes;
    if (!(packet->control & TT_NOC_RESPONSE))
        return;
    noc_answer(chip, packet, PACKET_ACK,
               noc_later(cycle, b->free_at) + chip->costs.dram_latency);
}

void dram_serve(struct chip *chip, struct packet *packet, uint64_t cycle)
{
    uint64_t inside = 0;
    int bank = dram_find(chip, chip->nodes[packet->target].tile, packet->address, &inside);
    bool is_read = packet->kind == PACKET_READ;
    if (chip->has_truth)
        tile_truth(&chip->tiles[noc_number_tile(packet->number)],
                   noc_number_risc(packet->number),
                   is_read ? TTDEV_TRUTH_DRAM_READ : TTDEV_TRUTH_DRAM_WRITE, cycle, inside,
                   packet->bytes);
    if (is_read)
        serve_read(chip, packet, bank, inside, cycle);
    else
        serve_write(chip, packet, bank, inside, cycle);
}

uint64_t dram_hash(const struct chip *chip, uint64_t hash)
{
    for (int i = 0; i < chip->n_banks; i++)
        hash = lazy_hash(&chip->noc->banks[i].memory, (unsigned)i, hash);
    return hash;
}
