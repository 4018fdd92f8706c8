// dram.c - the DRAM banks and their channels. A bank is a lazy mapping of its whole size,
// so only written parts use memory; unwritten bytes read 0.
#include <string.h>
#include <sys/mman.h>

#include "sim/cluster.h"
#include "sim/noc/noc_parts.h"

enum { CHUNK = 64 << 10 };

static size_t chunks_of(const struct chip *chip)
{
    return (size_t)((chip->bank_bytes + CHUNK - 1) / CHUNK);
}

void dram_open(struct chip *chip)
{
    struct noc *noc = chip->noc;
    uint64_t cap = chip->cluster ? chip->cluster->cfg.dram_cap : 0;
    noc->most_chunks = cap ? cap / CHUNK : UINT64_MAX;
    size_t n = chunks_of(chip);
    for (int i = 0; i < chip->n_banks; i++) {
        struct dram_bank *bank = &noc->banks[i];
        bank->touched = mem_alloc(mem_bytes(sizeof *bank->touched, n / 64 + 1));
        void *map = mmap(NULL, n * CHUNK, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (map != MAP_FAILED)
            bank->map = map;
        else
            bank->chunks = mem_alloc(mem_bytes(sizeof *bank->chunks, n));
    }
}

void dram_close(struct chip *chip)
{
    size_t n = chunks_of(chip);
    for (int i = 0; i < chip->n_banks; i++) {
        struct dram_bank *bank = &chip->noc->banks[i];
        if (bank->map)
            (void)munmap(bank->map, n * CHUNK);
        for (size_t k = 0; bank->chunks && k < n; k++)
            mem_free(bank->chunks[k]);
        mem_free(bank->chunks);
        mem_free(bank->touched);
    }
}

// --- memory ----------------------------------------------------------------------------
static bool is_touched(const struct dram_bank *bank, uint64_t chunk)
{
    return bank->touched[chunk / 64] >> chunk % 64 & 1;
}

static uint8_t *chunk_memory(const struct dram_bank *bank, uint64_t chunk)
{
    return bank->map ? bank->map + chunk * CHUNK : bank->chunks[chunk];
}

// False if dram_cap is reached.
static bool touch_chunk(struct noc *noc, struct dram_bank *bank, uint64_t chunk)
{
    if (is_touched(bank, chunk))
        return true;
    if (noc->n_chunks >= noc->most_chunks)
        return false;
    noc->n_chunks++;
    bank->touched[chunk / 64] |= (uint64_t)1 << chunk % 64;
    if (!bank->map)
        bank->chunks[chunk] = mem_alloc(CHUNK);
    return true;
}

static size_t part_of(uint64_t address, size_t bytes)
{
    size_t room = CHUNK - address % CHUNK;
    return bytes < room ? bytes : room;
}

static bool is_inside(const struct chip *chip, int bank, uint64_t address, size_t bytes)
{
    return bank >= 0 && bank < chip->n_banks && address <= chip->bank_bytes &&
           bytes <= chip->bank_bytes - address;
}

bool dram_write(struct chip *chip, int bank, uint64_t address, const void *data,
                size_t bytes)
{
    if (!is_inside(chip, bank, address, bytes))
        return false;
    struct dram_bank *b = &chip->noc->banks[bank];
    const uint8_t *from = data;
    while (bytes) {
        size_t part = part_of(address, bytes);
        if (!touch_chunk(chip->noc, b, address / CHUNK))
            return false;
        memcpy(chunk_memory(b, address / CHUNK) + address % CHUNK, from, part);
        address += part;
        from += part;
        bytes -= part;
    }
    return true;
}

bool dram_read(struct chip *chip, int bank, uint64_t address, void *data, size_t bytes)
{
    if (!is_inside(chip, bank, address, bytes))
        return false;
    const struct dram_bank *b = &chip->noc->banks[bank];
    uint8_t *to = data;
    while (bytes) {
        size_t part = part_of(address, bytes);
        if (is_touched(b, address / CHUNK))
            memcpy(to, chunk_memory(b, address / CHUNK) + address % CHUNK, part);
        else
            memset(to, 0, part);
        address += part;
        to += part;
        bytes -= part;
    }
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
static uint64_t later_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint32_t channel_cycles(uint32_t bytes, uint32_t bytes_10)
{
    return (bytes * 10 + bytes_10 - 1) / bytes_10;
}

// Turns the request into its answer.
static void send_answer(struct chip *chip, struct packet *packet, enum packet_kind kind,
                        uint64_t cycle)
{
    uint16_t asker = packet->node;
    packet->node = packet->target;
    packet->target = asker;
    packet->kind = (uint8_t)kind;
    packet->buffer = (uint8_t)(TT_NOC_BUFFERS + kind);
    packet->issue = cycle;
    packet->is_at_dram = false;
    noc_put(chip, packet, cycle);
}

static void serve_read(struct chip *chip, struct packet *packet, int bank, uint64_t inside,
                       uint64_t cycle)
{
    struct dram_bank *b = &chip->noc->banks[bank];
    uint64_t start = later_of(cycle, b->free_at);
    b->free_at = start + channel_cycles(packet->bytes, chip->costs.dram_channel_bytes_10);
    packet->payload = mem_resize(NULL, packet->bytes);
    (void)dram_read(chip, bank, inside, packet->payload, packet->bytes);
    send_answer(chip, packet, PACKET_READ_DATA, start + chip->costs.dram_latency);
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
    uint32_t takes = channel_cycles(packet->bytes, chip->costs.dram_channel_bytes_10);
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
    b->free_at = later_of(began, b->free_at) + takes;
    if (!(packet->control & TT_NOC_RESPONSE))
        return;
    send_answer(chip, packet, PACKET_ACK,
                later_of(cycle, b->free_at) + chip->costs.dram_latency);
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

// An all-zero chunk counts like one never written.
uint64_t dram_hash(const struct chip *chip, uint64_t hash)
{
    for (int i = 0; i < chip->n_banks; i++) {
        const struct dram_bank *bank = &chip->noc->banks[i];
        for (uint64_t chunk = 0; chunk < chunks_of(chip); chunk++) {
            if (bank->touched[chunk / 64] == 0) {
                chunk |= 63;
                continue;
            }
            if (!is_touched(bank, chunk))
                continue;
            const uint8_t *data = chunk_memory(bank, chunk);
            for (size_t at = 0; at < CHUNK; at += 8) {
                uint64_t word;
                memcpy(&word, data + at, 8);
                if (word)
                    hash = noc_mix(noc_mix(hash, (chunk * CHUNK + at) << 4 | (uint64_t)i),
                                   word);
            }
        }
    }
    return hash;
}
