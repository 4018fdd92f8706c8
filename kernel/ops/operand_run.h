// operand_run.h - pages of a tensor in sequence, for kernels that read so many that the
// time to find each one's address counts.
#ifndef OPERAND_RUN_H
#define OPERAND_RUN_H

#include "operand.h"

// The banks of DRAM, as NoC addresses, once they were used: local RAM is faster than the
// table in L1.
struct operand_banks {
    uint32_t high[TTL_n_dram_views], low[TTL_n_dram_views]; // high 0: not used yet
};

static inline void operand_banks_start(struct operand_banks *banks)
{
    for (uint32_t i = 0; i < TTL_n_dram_views; i++)
        banks->high[i] = 0;
}

static inline uint64_t operand_bank(struct operand_banks *banks, uint32_t bank,
                                    uint32_t address)
{
    if (!banks->high[bank]) {
        uint64_t start = ttk_bank_address(bank, 0);
        banks->high[bank] = (uint32_t)(start >> 32);
        banks->low[bank] = (uint32_t)start;
    }
    return (uint64_t)banks->high[bank] << 32 | (banks->low[bank] + address);
}

// Page p + 1 is in the bank after that of page p.
static inline void operand_read_run(const struct operand *o, struct operand_banks *known,
                                    uint32_t page, uint32_t n, uint32_t to)
{
    uint32_t bytes = o->page_bytes;
    if ((o->place & 0xFF) != OPERAND_DRAM) {
        for (; n; n--, to += bytes)
            operand_read(o, page++, to);
        return;
    }
    uint32_t banks = ttk_noc.banks;
    uint32_t row = banks == TTL_n_dram_views ? ttk_row_of_page(page) : page / banks;
    uint32_t address = o->address + row * bytes;
    uint32_t bank = page - row * banks;
    for (; n; n--, to += bytes) {
        noc_async_read_one_packet(operand_bank(known, bank, address), to, bytes);
        if (++bank == banks) {
            bank = 0;
            address += bytes;
        }
    }
}

#endif
