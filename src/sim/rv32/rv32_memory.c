// rv32_memory.c - RISC accesses beyond plain memory: registers, words that others poll,
// code, and unmapped addresses.
#include <string.h>

#include "sim/rv32/rv32.h"
#include "sim/tile/delays.h"
#include "sim/tile/tile.h"

bool rv_is_shared_pure(uint32_t address)
{
    // The wall clock changes by itself and reading it latches; debug registers likewise.
    return address >= TT_NIU || (address >= TT_TDMA && address < TT_DEBUG);
}

static enum access fault_access(struct risc *r, int kind, uint32_t address, uint64_t cycle,
                                uint32_t pc)
{
    tile_fault(r->tile, (struct fault){.kind = (uint8_t)kind,
                                       .address = address,
                                       .cycle = cycle,
                                       .pc = pc,
                                       .risc = r->index});
    return ACCESS_FAULT;
}

// Memory accesses on the slow path: rounded-down addresses and the optional caches.
static uint8_t *plain_memory(const struct risc *r, uint32_t address, uint32_t bytes)
{
    if (address < r->tile->l1_bytes && bytes <= r->tile->l1_bytes - address)
        return r->tile->l1 + address;
    uint32_t local = address - TT_LOCAL_RAM;
    return local < r->local_bytes && bytes <= r->local_bytes - local ? r->local + local
                                                                     : NULL;
}

static uint32_t load_latency(const struct sim_costs *k, uint32_t address)
{
    if (address >= TT_ENGINE)
        return k->load_engine;
    if (address >= TT_DEBUG)
        return k->load_register;
    return address >= TT_LOCAL_RAM ? k->load_local : k->load_l1;
}

enum access rv_load_slow(struct risc *r, uint32_t address, uint32_t bytes, uint64_t cycle,
                         uint32_t pc, uint32_t *value, uint32_t *latency)
{
    const uint8_t *memory = plain_memory(r, address, bytes);
    *latency = load_latency(&r->tile->chip->costs, address);
    *value = 0;
    if (memory) {
        memcpy(value, memory, bytes);
        return ACCESS_DONE;
    }
    if (address & (bytes - 1))
        return fault_access(r, FAULT_MISALIGNED, address, cycle, pc);
    uint32_t word;
    r->pc = pc;
    r->clock = cycle; // the current moment, for whatever the access triggers
    if (!tile_register_read(r->tile, r->index, address & ~3u, cycle, &word))
        return fault_access(r, FAULT_UNMAPPED, address, cycle, pc);
    *value = word >> (address & 3) * 8;
    if (bytes < 4)
        *value &= (1u << bytes * 8) - 1;
    return ACCESS_DONE;
}

enum access rv_store_slow(struct risc *r, uint32_t address, uint32_t bytes, uint32_t value,
                          uint64_t cycle, uint32_t pc)
{
    struct tile *tile = r->tile;
    r->pc = pc;
    r->clock = cycle;
    if (address < tile->l1_bytes) {
        tile_store(tile, r->index, address, value, bytes, cycle);
        return ACCESS_DONE;
    }
    uint8_t *memory = plain_memory(r, address, bytes);
    if (memory) {
        memcpy(memory, &value, bytes);
        return ACCESS_DONE;
    }
    if (address & 3 || bytes != 4)
        return fault_access(r, FAULT_MISALIGNED, address, cycle, pc);
    if (tile->has_delays && delays_hold(r, address, value))
        return ACCESS_LATER;
    switch (tile_register_write(tile, r->index, address, value, cycle)) {
    case REGISTER_MISSING: return fault_access(r, FAULT_UNMAPPED, address, cycle, pc);
    case REGISTER_STALL: risc_set_state(r, RISC_STALLED); return ACCESS_WAIT;
    case REGISTER_OK: break;
    }
    return r->state == RISC_HALTED ? ACCESS_FAULT : ACCESS_DONE;
}
