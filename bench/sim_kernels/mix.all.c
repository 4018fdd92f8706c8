// mix.all.c - what kernels do, measured: arithmetic, branches that depend on data, loads
// and stores of local RAM and L1, calls, and waiting for each other.
//
// The five RISCs form a chain: in every round each waits until the one before it has done
// that round, works, and says so. The first one reads pages from DRAM instead. Without the
// chain nobody waits for anybody: all work.
#include "ttprof/kernel.h"

enum { TABLE = 64 };
static uint32_t table[TABLE]; // local RAM

static __attribute__((noinline)) uint32_t mixed(uint32_t x)
{
    return (x ^ x >> 15) * 0x2C1B3C6D;
}

// About 16 instructions a step.
static uint32_t work(uint32_t steps, volatile uint32_t *l1, uint32_t x)
{
    for (uint32_t i = 0; i < steps; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        uint32_t at = x % TABLE;
        if (x & 0x100)
            table[at] += x;
        else
            x += table[at];
        if ((i & 3) == 0)
            x += l1[at];
        else if ((i & 7) == 5)
            l1[at] = mixed(x);
    }
    return x;
}

// Long operations of the engine, as in an op that is bound by compute: all wait for it.
static void compute(uint32_t n)
{
#if TTK_RISC >= 2
    if (n == 0)
        return;
    tile_regs_acquire();
    for (uint32_t i = 0; i < n; i++) {
        MATH(ttk_engine_arg(1, 0); ttk_engine_arg(2, TT_SFPU_GELU_EXACT);
             ttk_engine(TT_MATH_SFPU);)
    }
    tile_regs_commit();
    tile_regs_wait();
    tile_regs_release();
    while (!TTK_REGISTER(TT_ENGINE + TT_ENGINE_IDLE))
        ;
#else
    (void)n;
#endif
}

void kernel_main(void)
{
    uint32_t rounds = get_arg_val(0), steps = get_arg_val(1), pages = get_arg_val(2);
    uint32_t counts = get_arg_val(3), own = get_arg_val(4) + TTK_RISC * 4 * TABLE;
    volatile uint32_t *before = TTK_L1(volatile uint32_t, counts + 16 * TTK_RISC - 16);
    volatile uint32_t *done = TTK_L1(volatile uint32_t, counts + 16 * TTK_RISC);
    bool is_chain = get_arg_val(7);
    uint32_t start = *done, x = 1 + TTK_RISC;
    if (TTK_RISC == 0)
        *TTK_L1(uint32_t, counts + 16 * 5) = ttk_cycles_low();
    for (uint32_t i = 1; i <= rounds; i++) {
#ifdef TTK_BRISC
        (void)before, (void)is_chain;
        for (uint32_t page = 0; page < pages; page++) {
            noc_async_read_tile(i * pages + page, get_arg_val(5), get_arg_val(6));
            noc_async_read_barrier();
        }
#else
        (void)pages;
        while (is_chain && (int32_t)(*before - start - i) < 0)
            __asm__ volatile("fence" ::: "memory");
#endif
        x = work(steps, TTK_L1(volatile uint32_t, own), x);
        compute(get_arg_val(8));
        *done = start + i;
    }
    if (TTK_RISC == 4) // the last of the chain: how long the op took
        *TTK_L1(uint32_t, counts + 16 * 6) =
            ttk_cycles_low() - *TTK_L1(uint32_t, counts + 16 * 5);
}
