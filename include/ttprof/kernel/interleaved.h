// interleaved.h - buffers whose pages are distributed round-robin over all DRAM banks.
//
// Page p of a buffer is in bank p % banks, at base + p / banks * page size.
#ifndef TTPROF_KERNEL_INTERLEAVED_H
#define TTPROF_KERNEL_INTERLEAVED_H

#include "ttprof/kernel/cb.h"
#include "ttprof/kernel/noc.h"

// The firmware of an Ethernet tile keeps the table in local RAM.
#ifdef TTK_ERISC
#define TTK_BANK_TABLE (TT_LOCAL_RAM + 4u * TT_STATE_WORDS)
#else
#define TTK_BANK_TABLE ((uint32_t)TTL_bank_table)
#endif

TTK_INLINE uint64_t ttk_bank_address(uint32_t bank, uint32_t address)
{
    uint32_t table = TTK_BANK_TABLE + 4 * bank;
    uint32_t place = *TTK_L1(uint32_t, table + TT_BANK_TABLE_NOC1 * ttk_noc_index());
    uint32_t offset = *TTK_L1(uint32_t, table + TT_BANK_TABLE_OFFSETS);
    uint64_t local = (uint64_t)offset + address;
    uint32_t high = (place & 0x3F) << 4 | (place >> 8 & 0x3F) << 10;
    return local + ((uint64_t)high << 32);
}

// By multiplication, which takes 2 cycles; a division takes up to 33.
TTK_INLINE uint32_t ttk_row_of_page(uint32_t page)
{
#ifdef TTK_BLACKHOLE
    return page / TTL_n_dram_views;
#else
    return (uint32_t)((uint64_t)page * 0xAAAAAAABu >> 35); // page / 12
#endif
}
TTK_INLINE uint64_t ttk_page_address(uint32_t page, uint32_t base, uint32_t page_bytes)
{
    uint32_t banks = TTL_n_dram_views, row = ttk_row_of_page(page);
    if (__builtin_expect(ttk_noc.banks != banks, 0)) { // a chip with fewer
        banks = ttk_noc.banks;
        row = page / banks;
    }
    return ttk_bank_address(page - row * banks, base + row * page_bytes);
}

#ifdef __cplusplus
enum class DataFormat : uint32_t {
    Float32 = TT_FORMAT_FLOAT32,
    Float16_b = TT_FORMAT_BFLOAT16,
    Bfp8_b = TT_FORMAT_BFP8,
    Invalid = 255,
};
TTK_INLINE DataFormat get_dataformat(uint32_t cb)
{
    uint32_t bytes = get_tile_size(cb);
    return bytes == 4096   ? DataFormat::Float32
           : bytes == 1088 ? DataFormat::Bfp8_b
                           : DataFormat::Float16_b;
}

template <bool DRAM> struct InterleavedAddrGen {
    static_assert(DRAM, "buffers interleaved over L1 are not supported");
    uint32_t bank_base_address;
    uint32_t page_size;
    uint64_t get_noc_addr(uint32_t page, uint32_t offset = 0) const
    {
        return ttk_page_address(page, bank_base_address + offset, page_size);
    }
};
template <bool DRAM> struct InterleavedPow2AddrGen {
    static_assert(DRAM, "buffers interleaved over L1 are not supported");
    uint32_t bank_base_address;
    uint32_t log_base_2_of_page_size;
    uint64_t get_noc_addr(uint32_t page, uint32_t offset = 0) const
    {
        return ttk_page_address(page, bank_base_address + offset,
                                1u << log_base_2_of_page_size);
    }
};
template <bool DRAM> struct InterleavedAddrGenFast {
    static_assert(DRAM, "buffers interleaved over L1 are not supported");
    uint32_t bank_base_address;
    uint32_t page_size;
    DataFormat data_format;
    uint64_t get_noc_addr(uint32_t page, uint32_t offset = 0) const
    {
        return ttk_page_address(page, bank_base_address + offset, page_size);
    }
};
template <bool DRAM> TTK_INLINE uint32_t ttk_page_bytes(const InterleavedAddrGen<DRAM> &g)
{
    return g.page_size;
}
template <bool DRAM>
TTK_INLINE uint32_t ttk_page_bytes(const InterleavedPow2AddrGen<DRAM> &g)
{
    return 1u << g.log_base_2_of_page_size;
}
template <bool DRAM>
TTK_INLINE uint32_t ttk_page_bytes(const InterleavedAddrGenFast<DRAM> &g)
{
    return g.page_size;
}

template <bool DRAM>
TTK_INLINE uint64_t get_noc_addr_from_bank_id(uint32_t bank, uint32_t address)
{
    static_assert(DRAM, "buffers interleaved over L1 are not supported");
    return ttk_bank_address(bank, address);
}
TTK_INLINE uint64_t get_noc_addr(uint32_t x, uint32_t y, uint32_t address)
{
    return ttk_noc_address(x, y, address);
}
TTK_INLINE uint64_t get_noc_addr(uint32_t address)
{
    return ttk_noc_address_here(address);
}

// Only for generators: a plain number must not become one.
#define TTK_GENERATOR typename G, uint32_t G::* = &G::bank_base_address

template <TTK_GENERATOR>
TTK_INLINE uint64_t get_noc_addr(uint32_t page, const G &generator, uint32_t offset = 0)
{
    return generator.get_noc_addr(page, offset);
}
template <TTK_GENERATOR>
TTK_INLINE void noc_async_read_page(uint32_t page, const G &generator, uint32_t to)
{
    noc_async_read(generator.get_noc_addr(page), to, ttk_page_bytes(generator));
}
template <TTK_GENERATOR>
TTK_INLINE void noc_async_write_page(uint32_t page, const G &generator, uint32_t from)
{
    noc_async_write(from, generator.get_noc_addr(page), ttk_page_bytes(generator));
}
template <TTK_GENERATOR>
TTK_INLINE void noc_async_read_tile(uint32_t page, const G &generator, uint32_t to)
{
    noc_async_read_page(page, generator, to);
}
template <TTK_GENERATOR>
TTK_INLINE void noc_async_write_tile(uint32_t page, const G &generator, uint32_t from)
{
    noc_async_write_page(page, generator, from);
}
#endif

// A plain address stands for tiles of 2048 bytes; an L1 address below 64 for the circular
// buffer of that number, at its write pointer for reads and its read pointer for writes.
enum { TTK_PLAIN_TILE = 2048, TTK_CB_NUMBERS = 64 };
TTK_INLINE void ttk_read_plain_tile(uint32_t page, uint32_t base, uint32_t to)
{
    to = to < TTK_CB_NUMBERS ? get_write_ptr(to) : to;
    noc_async_read_one_packet(ttk_page_address(page, base, TTK_PLAIN_TILE), to,
                              TTK_PLAIN_TILE);
}
TTK_INLINE void ttk_write_plain_tile(uint32_t page, uint32_t base, uint32_t from)
{
    from = from < TTK_CB_NUMBERS ? get_read_ptr(from) : from;
    noc_async_write_one_packet(from, ttk_page_address(page, base, TTK_PLAIN_TILE),
                               TTK_PLAIN_TILE);
}

#ifdef __cplusplus
TTK_INLINE void noc_async_read_tile(uint32_t page, uint32_t base, uint32_t to)
{
    ttk_read_plain_tile(page, base, to);
}
TTK_INLINE void noc_async_write_tile(uint32_t page, uint32_t base, uint32_t from)
{
    ttk_write_plain_tile(page, base, from);
}
#else
typedef struct InterleavedAddrGen {
    uint32_t bank_base_address;
    uint32_t page_size;
    uint32_t data_format;
} InterleavedAddrGen;
typedef InterleavedAddrGen InterleavedAddrGenFast;
typedef struct InterleavedPow2AddrGen {
    uint32_t bank_base_address;
    uint32_t log_base_2_of_page_size;
} InterleavedPow2AddrGen;

TTK_INLINE uint64_t get_noc_addr_from_bank_id(uint32_t bank, uint32_t address)
{
    return ttk_bank_address(bank, address);
}
TTK_INLINE uint64_t ttk_address_of_page(uint32_t page, InterleavedAddrGen g)
{
    return ttk_page_address(page, g.bank_base_address, g.page_size);
}
TTK_INLINE uint64_t ttk_address_of_page_pow2(uint32_t page, InterleavedPow2AddrGen g)
{
    return ttk_page_address(page, g.bank_base_address, 1u << g.log_base_2_of_page_size);
}
TTK_INLINE void ttk_read_page(uint32_t page, InterleavedAddrGen g, uint32_t to)
{
    ttk_noc_read(ttk_address_of_page(page, g), to, g.page_size);
}
TTK_INLINE void ttk_read_page_pow2(uint32_t page, InterleavedPow2AddrGen g, uint32_t to)
{
    ttk_noc_read(ttk_address_of_page_pow2(page, g), to, 1u << g.log_base_2_of_page_size);
}
TTK_INLINE void ttk_write_page(uint32_t page, InterleavedAddrGen g, uint32_t from)
{
    noc_async_write(from, ttk_address_of_page(page, g), g.page_size);
}
TTK_INLINE void ttk_write_page_pow2(uint32_t page, InterleavedPow2AddrGen g, uint32_t from)
{
    noc_async_write(from, ttk_address_of_page_pow2(page, g),
                    1u << g.log_base_2_of_page_size);
}

// get_noc_addr(address), get_noc_addr(page, generator), get_noc_addr(x, y, address)
#define TTK_FOURTH(a, b, c, d, ...) d
#define get_noc_addr(...)                                                                  \
    TTK_FOURTH(__VA_ARGS__, ttk_noc_address, ttk_get_page_address, ttk_noc_address_here,   \
               0)                                                                          \
    (__VA_ARGS__)
#define ttk_get_page_address(page, generator)                                              \
    _Generic((generator), InterleavedPow2AddrGen                                           \
             : ttk_address_of_page_pow2, default                                           \
             : ttk_address_of_page)(page, generator)
#define TTK_BY_GENERATOR(generator, pages, pow2, plain)                                    \
    _Generic((generator), InterleavedAddrGen                                               \
             : pages, InterleavedPow2AddrGen                                               \
             : pow2, default                                                               \
             : plain)
#define noc_async_read_tile(page, generator, to)                                           \
    TTK_BY_GENERATOR(generator, ttk_read_page, ttk_read_page_pow2, ttk_read_plain_tile)    \
    (page, generator, to)
#define noc_async_write_tile(page, generator, from)                                        \
    TTK_BY_GENERATOR(generator, ttk_write_page, ttk_write_page_pow2, ttk_write_plain_tile) \
    (page, generator, from)
#define noc_async_read_page(page, generator, to) noc_async_read_tile(page, generator, to)
#define noc_async_write_page(page, generator, from)                                        \
    noc_async_write_tile(page, generator, from)
#endif

#endif
