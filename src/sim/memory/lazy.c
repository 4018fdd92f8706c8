// lazy.c - see lazy.h.
#include "sim/memory/lazy.h"

#include <string.h>
#include <sys/mman.h>

#include "sim/noc/noc_parts.h"

static size_t chunks_of(const struct lazy *memory)
{
    return (size_t)((memory->bytes + LAZY_CHUNK - 1) / LAZY_CHUNK);
}

void lazy_open(struct lazy *memory, uint64_t bytes)
{
    *memory = (struct lazy){.bytes = bytes};
    size_t n = chunks_of(memory);
    memory->touched = mem_alloc(mem_bytes(sizeof *memory->touched, n / 64 + 1));
    void *map = mmap(NULL, n * LAZY_CHUNK, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map != MAP_FAILED)
        memory->map = map;
    else
        memory->chunks = mem_alloc(mem_bytes(sizeof *memory->chunks, n));
}

void lazy_close(struct lazy *memory)
{
    size_t n = chunks_of(memory);
    if (memory->map)
        (void)munmap(memory->map, n * LAZY_CHUNK);
    for (size_t k = 0; memory->chunks && k < n; k++)
        mem_free(memory->chunks[k]);
    mem_free(memory->chunks);
    mem_free(memory->touched);
    *memory = (struct lazy){0};
}

static bool is_touched(const struct lazy *memory, uint64_t chunk)
{
    return memory->touched[chunk / 64] >> chunk % 64 & 1;
}

static uint8_t *chunk_memory(const struct lazy *memory, uint64_t chunk)
{
    return memory->map ? memory->map + chunk * LAZY_CHUNK : memory->chunks[chunk];
}

static bool touch_chunk(struct lazy *memory, struct lazy_limit *limit, uint64_t chunk)
{
    if (is_touched(memory, chunk))
        return true;
    if (limit && limit->n >= limit->most)
        return false;
    if (limit)
        limit->n++;
    memory->touched[chunk / 64] |= (uint64_t)1 << chunk % 64;
    if (!memory->map)
        memory->chunks[chunk] = mem_alloc(LAZY_CHUNK);
    return true;
}

static size_t part_of(uint64_t address, size_t bytes)
{
    size_t room = LAZY_CHUNK - address % LAZY_CHUNK;
    return bytes < room ? bytes : room;
}

bool lazy_write(struct lazy *memory, struct lazy_limit *limit, uint64_t address,
                const void *data, size_t bytes)
{
    const uint8_t *from = data;
    while (bytes) {
        size_t part = part_of(address, bytes);
        if (!touch_chunk(memory, limit, address / LAZY_CHUNK))
            return false;
        memcpy(chunk_memory(memory, address / LAZY_CHUNK) + address % LAZY_CHUNK, from,
               part);
        address += part;
        from += part;
        bytes -= part;
    }
    return true;
}

void lazy_read(const struct lazy *memory, uint64_t address, void *data, size_t bytes)
{
    uint8_t *to = data;
    while (bytes) {
        size_t part = part_of(address, bytes);
        uint64_t chunk = address / LAZY_CHUNK;
        if (is_touched(memory, chunk))
            memcpy(to, chunk_memory(memory, chunk) + address % LAZY_CHUNK, part);
        else
            memset(to, 0, part);
        address += part;
        to += part;
        bytes -= part;
    }
}

uint64_t lazy_hash(const struct lazy *memory, unsigned number, uint64_t hash)
{
    for (uint64_t chunk = 0; chunk < chunks_of(memory); chunk++) {
        if (memory->touched[chunk / 64] == 0) {
            chunk |= 63;
            continue;
        }
        if (!is_touched(memory, chunk))
            continue;
        const uint8_t *data = chunk_memory(memory, chunk);
        for (size_t at = 0; at < LAZY_CHUNK; at += 8) {
            uint64_t word;
            memcpy(&word, data + at, 8);
            if (word)
                hash =
                    noc_mix(noc_mix(hash, (chunk * LAZY_CHUNK + at) << 4 | number), word);
        }
    }
    return hash;
}
