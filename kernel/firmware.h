// firmware.h - shared by the firmwares of all RISCs: mailboxes, the launch message, CB
// descriptors, the call of the kernel.
#ifndef TTK_FIRMWARE_H
#define TTK_FIRMWARE_H

#include "profiler_hooks.h"
#include "ttprof/dispatch_words.h"
#include "ttprof/kernel/base.h"
#include "ttprof/kernel/cb.h"

#ifdef TTK_ERISC
enum {
    FW_READ_POINTER = TTL_eth_mailbox + 0xC,
    FW_LAUNCH_RING = TTL_eth_launch_ring,
    FW_GO_MESSAGES = TTL_eth_go_messages,
    FW_CORE_INFO = TTL_eth_core_info,
    FW_CORE_TYPE = 1, // index into the launch message's values per core kind
    FW_RISC_INDEX = 0,
};
#else
enum {
    FW_READ_POINTER = TTL_launch_rd_ptr,
    FW_LAUNCH_RING = TTL_launch_ring,
    FW_GO_MESSAGES = TTL_go_messages,
    FW_CORE_INFO = TTL_core_info,
    FW_CORE_TYPE = 0,
    FW_RISC_INDEX = TTK_RISC,
};
#endif

#if TTK_IS_COMPUTE
#define FW_STACK (TT_LOCAL_RAM + TTL_local_trisc_bytes)
#else
#define FW_STACK (TT_LOCAL_RAM + TTL_local_dm_bytes)
#endif

TTK_C_LINKAGE void firmware_main(void) __attribute__((noreturn, used));

// Entry point: sets up a stack, then calls C.
__attribute__((naked, used, section(".text.start"))) void _start(void)
{
    __asm__ volatile(
        "li sp, %0\n"
        "j firmware_main" ::"i"(FW_STACK));
}

// --- mailboxes -------------------------------------------------------------------------
// Mailboxes are read again after every fence; other RISCs and the host write them.
#define FW_BYTE(address) (*TTK_L1(volatile uint8_t, address))
#define FW_WORD(address) (*TTK_L1(volatile uint32_t, address))

enum { FW_GO_SIGNAL = FW_GO_MESSAGES + 3 };

// Waits until the byte differs from `old`: a pure poll.
TTK_INLINE uint32_t fw_wait_change(uint32_t address, uint32_t old)
{
    uint32_t value;
    do {
        ttk_fence();
        value = FW_BYTE(address);
    } while (value == old);
    return value;
}

// --- the launch message ----------------------------------------------------------------
TTK_INLINE uint32_t fw_launch(void)
{
    return FW_LAUNCH_RING + TT_LAUNCH_BYTES * FW_WORD(FW_READ_POINTER);
}
TTK_INLINE uint32_t fw_half(uint32_t address)
{
    return *TTK_L1(volatile uint16_t, address);
}

TTK_INLINE void fw_clear_local(void)
{
    for (uint32_t at = TT_LOCAL_RAM; at < TT_LOCAL_RAM + TTL_local_kernel_data; at += 4)
        TTK_STATE((at - TT_LOCAL_RAM) / 4) = 0;
}

// Sets what a kernel looks up about itself. `noc` is the network its calls use.
static inline void fw_set_state(uint32_t launch, uint32_t noc)
{
    uint32_t config = FW_WORD(launch + TT_LAUNCH_CONFIG_BASE + 4 * FW_CORE_TYPE);
    uint32_t args = launch + TT_LAUNCH_RTA + 4 * FW_RISC_INDEX;
    uint32_t x = FW_BYTE(FW_CORE_INFO + TT_CORE_LOGICAL_X);
    uint32_t y = FW_BYTE(FW_CORE_INFO + TT_CORE_LOGICAL_Y);
    TTK_STATE(TT_STATE_NOC) = noc;
    TTK_STATE(TT_STATE_LOGICAL) = x | y << 16;
    TTK_STATE(TT_STATE_RELATIVE) = (x - FW_BYTE(launch + TT_LAUNCH_ORIGIN_X)) |
                                   (y - FW_BYTE(launch + TT_LAUNCH_ORIGIN_Y)) << 16;
    TTK_STATE(TT_STATE_VIRTUAL) = FW_BYTE(FW_CORE_INFO + TT_CORE_VIRTUAL_X) |
                                  (uint32_t)FW_BYTE(FW_CORE_INFO + TT_CORE_VIRTUAL_Y) << 16;
    TTK_STATE(TT_STATE_ARGS) = config + fw_half(args);
    TTK_STATE(TT_STATE_COMMON) = config + fw_half(args + 2);
    TTK_STATE(TT_STATE_CONFIG) = config;
    TTK_STATE(TT_STATE_SEMAPHORES) =
        config + fw_half(launch + TT_LAUNCH_SEM_OFFSET + 2 * FW_CORE_TYPE);
}

#ifndef TTK_ERISC
// Fills in the descriptors of the program's circular buffers.
static inline void fw_set_cb(uint32_t cb, const volatile uint32_t *config)
{
    struct ttk_cb *c = TTK_CB(cb);
    uint32_t address = config[0], size = config[1], pages = config[2], page = config[3];
#if TTK_IS_COMPUTE
    c->tally = 0;
    c->packed = 0;
    c->format = page == 4096   ? TT_FORMAT_FLOAT32
                : page == 1088 ? TT_FORMAT_BFP8
                               : TT_FORMAT_BFLOAT16;
    c->page = (uint16_t)(page >> TTK_CB_SHIFT);
#else
    c->start = address;
    c->page = page;
#endif
    c->size = size >> TTK_CB_SHIFT;
    c->limit = (address + size) >> TTK_CB_SHIFT;
    c->pages = pages;
    c->write = c->read = address >> TTK_CB_SHIFT;
}
static inline void fw_set_cbs(uint32_t launch)
{
    uint32_t configs = TTK_STATE(TT_STATE_CONFIG) + fw_half(launch + TT_LAUNCH_CB_OFFSET);
    uint32_t mask = FW_WORD(launch + TT_LAUNCH_CB_MASK);
    for (uint32_t cb = 0; cb < TTL_n_circular_buffers; cb++, mask >>= 1) {
        if (TTL_n_circular_buffers > 32 && cb == 32)
            mask = FW_WORD(launch + TT_LAUNCH_CB_MASK + 4);
        if (mask & 1)
            fw_set_cb(cb, TTK_L1(const volatile uint32_t, configs + 16 * cb));
    }
}
#endif

TTK_INLINE bool fw_is_enabled(uint32_t launch, uint32_t risc)
{
    return FW_WORD(launch + TT_LAUNCH_ENABLES) >> risc & 1;
}

TTK_INLINE void fw_run_kernel(uint32_t launch)
{
    uint32_t entry = TTK_STATE(TT_STATE_CONFIG) +
                     FW_WORD(launch + TT_LAUNCH_TEXT_OFFSET + 4 * FW_RISC_INDEX);
    ttk_fence();
    ((void (*)(void))(uintptr_t)entry)();
}

#if defined(TTK_BRISC) || defined(TTK_ERISC)
// --- serving launches ------------------------------------------------------------------
enum { FW_GO_EMPTY = 0x100 }; // a program of which no kernel runs here

// Waits for a signal: a pure poll. The go word has the dispatcher that counts completions
// in its lower three bytes; they are 0 when the host launches.
TTK_INLINE uint32_t fw_wait_go(void)
{
    uint32_t go;
    do {
        ttk_fence();
        go = FW_WORD(FW_GO_MESSAGES);
    } while (go >> 24 == TT_GO_DONE);
    return go;
}

// Adds 1 to the dispatcher's counter: posted, from the command buffer that also sends what
// was recorded.
TTK_INLINE void fw_count_completion(uint32_t from)
{
    uint32_t stream = TT_COMPLETION_STREAM + (from >> 8 & 0xFF);
    uint32_t at = TT_NIU + TT_NIU_STRIDE * TTK_STATE(TT_STATE_NOC) +
                  (uint32_t)TTL_noc_buffer_stride * TT_NOC_BUFFER_SMALL;
    while (TTK_REGISTER(at + TTL_noc_cmd_ctrl) & 1)
        ;
    TTK_REGISTER(at + TT_NOC_TARG_LO) =
        TT_STREAMS + TT_STREAM_STRIDE * stream + 4 * TTL_stream_update_word;
    TTK_REGISTER(at + TT_NOC_TARG_MID) = (from >> 16 & 0xFF) << 4 | from >> 24 << 10;
    TTK_REGISTER(at + TT_NOC_PACKET_TAG) = 0;
    TTK_REGISTER(at + TT_NOC_CTRL) = TT_NOC_WRITE | TT_NOC_INLINE;
    TTK_REGISTER(at + TTL_noc_at_data) = 1 << TT_COMPLETION_SHIFT;
    TTK_REGISTER(at + TTL_noc_cmd_ctrl) = 1;
}

// After a dispatcher's program, behind DONE: the next signal cannot come before the
// dispatcher has counted this one.
static __attribute__((noinline)) void fw_end_dispatched(uint32_t signal, uint32_t from)
{
    if (signal == TT_GO_RESET_READ_PTR_FROM_HOST)
        return;
    if (signal == TT_GO_GO || signal == FW_GO_EMPTY) {
        uint32_t launch = fw_launch();
        FW_WORD(launch + TT_LAUNCH_ENABLES) = 0;
        FW_BYTE(launch + TT_LAUNCH_PRELOAD) = 0;
#ifndef TTK_ERISC
        FW_WORD(FW_READ_POINTER) = (FW_WORD(FW_READ_POINTER) + 1) % TT_LAUNCH_SLOTS;
#endif
    }
    fw_count_completion(from);
}

// False: there is no such signal.
TTK_INLINE bool fw_serve_other(uint32_t signal)
{
    switch (signal) {
    case FW_GO_EMPTY: return true;
    case TT_GO_REPLAY_TRACE: hook_replay(); break;
    case TT_GO_RESET_READ_PTR:
    case TT_GO_RESET_READ_PTR_FROM_HOST: break;
    default: return false;
    }
    FW_WORD(FW_READ_POINTER) = 0;
    return true;
}

// Forever: waits for a signal of the host or of a dispatcher, serves it, answers DONE.
TTK_INLINE _Noreturn void fw_serve(void (*run_program)(void))
{
    for (;;) {
        uint32_t go = fw_wait_go(), from = go << 8, signal = go >> 24;
        // A dispatcher signals all cores, whether its program is for them or not.
        if (__builtin_expect(from != 0, 0) && signal == TT_GO_GO &&
            !FW_WORD(fw_launch() + TT_LAUNCH_ENABLES))
            signal = FW_GO_EMPTY;
        if (__builtin_expect(signal == TT_GO_GO, 1))
            run_program();
        else if (!fw_serve_other(signal))
            continue;
        FW_BYTE(FW_GO_SIGNAL) = TT_GO_DONE;
        if (__builtin_expect(from != 0, 0))
            fw_end_dispatched(signal, from);
    }
}
#endif

#endif
