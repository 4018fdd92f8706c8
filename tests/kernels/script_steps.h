// script_steps.h - the kernel of script.all.c and script_eth.erisc.c.
#ifndef TTP_TESTS_SCRIPT_STEPS_H
#define TTP_TESTS_SCRIPT_STEPS_H

#include "script.h"

#define WORD(address) (*TTK_L1(volatile uint32_t, address))
#define BYTE(address) (*TTK_L1(volatile uint8_t, address))

static uint32_t script_log, script_log_end;
static uint32_t script_local[32];

static void note(uint32_t value)
{
    WORD(script_log) = value;
    if (script_log + 8 < script_log_end)
        script_log += 4;
}

static __attribute__((noinline)) uint32_t mixed(uint32_t x, uint32_t depth)
{
    script_local[x & 31] += x;
    return depth ? mixed(x * 0x2C1B3C6D + 1, depth - 1) + 1 : x ^ x >> 15;
}
static __attribute__((noinline)) bool is_still(uint32_t address, uint32_t value)
{
    return WORD(address) == value;
}

static bool common_step(const struct script_step *s)
{
    uint32_t x, start;
    switch (s->op) {
    case STEP_DELAY:
        for (x = s->a; x; x--)
            __asm__ volatile("");
        return true;
    case STEP_CLOCK: note(ttk_cycles_low()); return true;
    case STEP_CLOCK_WAIT: ttk_delay(s->a); return true;
    case STEP_LOAD: note(WORD(s->a)); return true;
    case STEP_LOAD_REG: note(TTK_REGISTER(s->a)); return true;
    case STEP_STORE: WORD(s->a) = s->b; return true;
    case STEP_STORE_BYTE: BYTE(s->a) = (uint8_t)s->b; return true;
    case STEP_STORES:
        for (x = 0; x < s->b; x++)
            WORD(s->a + 4 * x) = s->c + x;
        return true;
    case STEP_ADD: WORD(s->a) += s->b; return true;
    case STEP_LOCAL:
        for (x = 0, start = s->b; x < s->a; x++)
            start = mixed(start, x & 7);
        note(start);
        return true;
    case STEP_DIVIDE:
        note(s->a / s->b + (uint32_t)((int32_t)s->c / (int32_t)s->b) + s->c % s->b);
        return true;
    case STEP_WAIT:
        while (WORD(s->a) == s->b)
            ;
        return true;
    case STEP_WAIT_LEAST:
        while (WORD(s->a) < s->b)
            ;
        return true;
    case STEP_WAIT_BYTE:
        while (BYTE(s->a) == s->b)
            ;
        return true;
    case STEP_WAIT_TWO:
        while (WORD(s->a) == s->b && WORD(s->c) == s->d)
            ;
        return true;
    case STEP_WAIT_CALLS:
        while (is_still(s->a, s->b))
            ;
        return true;
    case STEP_WAIT_REG:
        while (TTK_REGISTER(s->a) == s->b)
            ;
        return true;
    case STEP_COUNT_WAIT:
        for (x = s->c; x && WORD(s->a) == s->b; x--)
            ;
        note(x);
        return true;
    case STEP_STREAM: TTK_REGISTER(s->a) = TTK_REGISTER(s->a) + s->b; return true;
    case STEP_STORE_REG: TTK_REGISTER(s->a) = s->b; return true;
    case STEP_ILLEGAL: __asm__ volatile(".4byte 0"); return true;
    case STEP_UNMAPPED: note(WORD(0xFFB80000u)); return true;
    case STEP_MISALIGNED: __asm__ volatile("lw a0, 2(%0)" ::"r"(s->a) : "a0"); return true;
    case STEP_BREAK: __asm__ volatile("ebreak"); return true;
    }
    return false;
}

#if TTK_IS_DATA_MOVEMENT
static void network_step(const struct script_step *s)
{
    uint64_t far = (uint64_t)s->b << 32 | s->a;
    switch (s->op) {
    case STEP_NOC_READ: noc_async_read(far, s->c, s->d); break;
    case STEP_NOC_WRITE: noc_async_write(s->c, far, s->d); break;
    case STEP_NOC_POSTED: noc_async_write_posted(s->c, far, s->d); break;
    case STEP_MULTICAST: noc_async_write_multicast(s->c, far, s->d, s->e); break;
    case STEP_ATOMIC: noc_semaphore_inc(far, s->c); break;
    case STEP_ATOMIC_POSTED: ttk_noc_increment(far, s->c, 0, 0); break;
    case STEP_INLINE: noc_inline_dw_write(far, s->c); break;
    case STEP_READ_BARRIER: noc_async_read_barrier(); break;
    case STEP_WRITE_BARRIER: noc_async_write_barrier(); break;
    case STEP_FLUSHED: noc_async_writes_flushed(); break;
    case STEP_ATOMIC_BARRIER: noc_async_atomic_barrier(); break;
    case STEP_FULL_BARRIER: noc_async_full_barrier(); break;
#ifndef TTK_ERISC
    case STEP_DRAM_READ: noc_async_read(ttk_bank_address(s->a, s->b), s->c, s->d); break;
    case STEP_DRAM_WRITE: noc_async_write(s->c, ttk_bank_address(s->a, s->b), s->d); break;
    case STEP_PUSH:
        cb_reserve_back(s->a, s->b);
        WORD(get_write_ptr(s->a)) = s->c;
        cb_push_back(s->a, s->b);
        break;
    case STEP_POP:
        cb_wait_front(s->a, s->b);
        note(WORD(get_read_ptr(s->a)));
        cb_pop_front(s->a, s->b);
        break;
#else
    case STEP_SEND: eth_send(s->c, s->a, s->d); break;
    case STEP_SEND_BARRIER: eth_send_barrier(); break;
    case STEP_RECEIVE: eth_wait(s->a); break;
#endif
    }
}
#else
static void compute_tile(uint32_t op)
{
    cb_wait_front(0, 1);
    tile_regs_acquire();
    if (op == STEP_COPY)
        copy_tile(0, 0, 0);
    else if (op == STEP_BINARY)
        add_tiles(0, 0, 0, 0, 0);
    else
        matmul_tiles(0, 0, 0, 0, 0);
    tile_regs_commit();
    cb_pop_front(0, 1);
    cb_reserve_back(1, 1);
    tile_regs_wait();
    pack_tile(0, 1);
    tile_regs_release();
    cb_push_back(1, 1);
}

static void compute_step(const struct script_step *s)
{
    switch (s->op) {
    case STEP_COPY:
    case STEP_BINARY:
    case STEP_MATMUL:
        for (uint32_t i = 0; i < s->a; i++)
            compute_tile(s->op);
        break;
    case STEP_ENGINE_IDLE:
        while (!TTK_REGISTER(TT_ENGINE + TT_ENGINE_IDLE))
            ;
        break;
    case STEP_ENGINE: ttk_engine_3(s->a, s->b, s->c, s->d); break;
    }
}
#endif

void kernel_main(void)
{
    const struct script_step *s = TTK_L1(const struct script_step, get_arg_val(0));
    script_log = get_arg_val(1);
    script_log_end = script_log + SCRIPT_LOG_BYTES;
    for (; s->op != STEP_END; s++)
        if (!common_step(s)) {
#if TTK_IS_DATA_MOVEMENT
            network_step(s);
#else
            compute_step(s);
#endif
        }
    note(ttk_cycles_low());
}

#endif
