// base.h - shared by firmware and kernels: build target, memory and register access, the
// state in local RAM, the wall clock.
#ifndef TTPROF_KERNEL_BASE_H
#define TTPROF_KERNEL_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if !defined(TTK_WORMHOLE) && !defined(TTK_BLACKHOLE)
#error                                                                                     \
    "kernels are built by 'ttprof kernel build': neither TTK_WORMHOLE nor TTK_BLACKHOLE is set"
#endif

#include "ttprof/engine_ops.h"
#include "ttprof/layout.h"

#ifndef TTK_PROFILE
#define TTK_PROFILE 0
#endif

#if defined(TTK_BRISC)
#define TTK_RISC 0
#elif defined(TTK_NCRISC)
#define TTK_RISC 1
#elif defined(TTK_TRISC0)
#define TTK_RISC 2
#elif defined(TTK_TRISC1)
#define TTK_RISC 3
#elif defined(TTK_TRISC2)
#define TTK_RISC 4
#elif defined(TTK_ERISC)
#define TTK_RISC 5
#else
#error "kernels are built by 'ttprof kernel build': no RISC is set, as in TTK_BRISC"
#endif
#define TTK_IS_COMPUTE       (TTK_RISC >= 2 && TTK_RISC <= 4)
#define TTK_IS_DATA_MOVEMENT (!TTK_IS_COMPUTE)

#ifdef __cplusplus
#define TTK_C_LINKAGE extern "C"
#else
#define TTK_C_LINKAGE extern
#endif
#define TTK_INLINE static inline __attribute__((always_inline, unused))
// Macros that kernel sources expect.
#define FORCE_INLINE inline __attribute__((always_inline))
#define tt_l1_ptr
#define tt_reg_ptr

// A pointer to an L1 address.
#define TTK_L1(type, address) ((type *)(uintptr_t)(address))

// Registers and local state have their own types, so that the compiler need not assume that
// a store to one changes the other.
struct ttk_register {
    uint32_t value;
};
struct ttk_state_word {
    uint32_t value;
};
#define TTK_REGISTER(address)                                                              \
    (((volatile struct ttk_register *)(uintptr_t)(address))->value)
#define TTK_STATE(word)                                                                    \
    (((struct ttk_state_word *)(uintptr_t)(TT_LOCAL_RAM + 4u * (word)))->value)

// On Blackhole this empties the RISC's small L1 cache, which sees no other writer.
TTK_INLINE void ttk_fence(void)
{
    __asm__ volatile("fence" ::: "memory");
}
TTK_INLINE void invalidate_l1_cache(void)
{
    ttk_fence();
}

TTK_INLINE uint32_t ttk_cycles_low(void)
{
    return TTK_REGISTER(TT_WALL_CLOCK_L);
}

// The wall clock, whole: the high half is read on both sides of the low one.
TTK_INLINE uint64_t ttk_cycles(void)
{
    uint32_t before, low, after;
    do {
        before = TTK_REGISTER(TT_WALL_CLOCK_HIGH);
        low = TTK_REGISTER(TT_WALL_CLOCK_L);
        after = TTK_REGISTER(TT_WALL_CLOCK_HIGH);
    } while (before != after);
    return (uint64_t)after << 32 | low;
}

// At least this many cycles.
TTK_INLINE void ttk_delay(uint32_t cycles)
{
    uint32_t start = ttk_cycles_low();
    while (ttk_cycles_low() - start < cycles)
        ;
}

// Functions that the compiler may call on its own. In assembly, which costs a build
// nothing; the linker drops what an image does not use.
TTK_C_LINKAGE void *memset(void *to, int value, size_t n);
TTK_C_LINKAGE void *memcpy(void *to, const void *from, size_t n);
TTK_C_LINKAGE void *memmove(void *to, const void *from, size_t n);
TTK_C_LINKAGE int memcmp(const void *a, const void *b, size_t n);
#define TTK_ASM_FUNCTION(name, body)                                                       \
    __asm__(".pushsection .text." #name                                                    \
            ",\"ax\",@progbits\n"                                                          \
            ".weak " #name "\n.type " #name ", @function\n" #name ":\n" body               \
            "\n.size " #name ", . - " #name "\n.popsection")
TTK_ASM_FUNCTION(memset,
                 "add a2, a0, a2; mv a3, a0\n"
                 "1: beq a3, a2, 2f; sb a1, 0(a3); addi a3, a3, 1; j 1b\n"
                 "2: ret");
TTK_ASM_FUNCTION(memcpy,
                 "add a2, a1, a2; mv a3, a0\n"
                 "1: beq a1, a2, 2f; lbu a4, 0(a1); sb a4, 0(a3)\n"
                 "addi a1, a1, 1; addi a3, a3, 1; j 1b\n"
                 "2: ret");
TTK_ASM_FUNCTION(memmove,
                 "bgeu a1, a0, 3f; add a3, a0, a2; add a1, a1, a2\n"
                 "1: beq a3, a0, 2f; addi a1, a1, -1; addi a3, a3, -1\n"
                 "lbu a4, 0(a1); sb a4, 0(a3); j 1b\n"
                 "2: ret\n"
                 "3: add a2, a1, a2; mv a3, a0\n"
                 "4: beq a1, a2, 2b; lbu a4, 0(a1); sb a4, 0(a3)\n"
                 "addi a1, a1, 1; addi a3, a3, 1; j 4b");
TTK_ASM_FUNCTION(memcmp,
                 "add a2, a0, a2; li a5, 0\n"
                 "1: beq a0, a2, 2f; lbu a3, 0(a0); lbu a4, 0(a1); sub a5, a3, a4\n"
                 "addi a0, a0, 1; addi a1, a1, 1; beqz a5, 1b\n"
                 "2: mv a0, a5; ret");

#ifdef __cplusplus
// Kernels end by returning: nothing is destroyed.
TTK_ASM_FUNCTION(__cxa_atexit, "li a0, 0; ret");
TTK_ASM_FUNCTION(__cxa_pure_virtual, "ebreak");
__asm__(".weak __dso_handle; .set __dso_handle, 0");
#endif

// Identifies the image for the loader: "TTIM", chip, RISC and kind, variant.
#ifdef TTK_FIRMWARE
#define TTK_IS_FIRMWARE 1
#else
#define TTK_IS_FIRMWARE 0
#endif
#ifdef TTK_BLACKHOLE
#define TTK_ARCH 1
#else
#define TTK_ARCH 0
#endif
#define TTK_NOTE_OF(arch, risc, is_firmware, variant)                                      \
    __asm__(                                                                               \
        ".pushsection .ttprof.image,\"\",@progbits\n"                                      \
        ".4byte 0x4D495454, " #arch ", " #risc " | " #is_firmware " << 8, " #variant       \
        "\n.popsection")
#define TTK_NOTE(...) TTK_NOTE_OF(__VA_ARGS__)
TTK_NOTE(TTK_ARCH, TTK_RISC, TTK_IS_FIRMWARE, TTK_PROFILE);

#endif
