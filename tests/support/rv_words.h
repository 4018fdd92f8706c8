// rv_words.h - machine words for tests: one function per instruction, named asm_<name>.
#ifndef TTP_TESTS_RV_WORDS_H
#define TTP_TESTS_RV_WORDS_H

#include <stdint.h>

// clang-format off
enum rv_register {
    X0, RA, SP, GP, TP, T0, T1, T2, S0, S1, A0, A1, A2, A3, A4, A5,
    A6, A7, S2, S3, S4, S5, S6, S7, S8, S9, S10, S11, T3, T4, T5, T6,
};

#define RV_REGISTER_FORMS(X) /* name, funct3, funct7 */                                    \
    X(add, 0, 0) X(sub, 0, 0x20) X(sll, 1, 0) X(slt, 2, 0) X(sltu, 3, 0) X(xor, 4, 0)      \
    X(srl, 5, 0) X(sra, 5, 0x20) X(or, 6, 0) X(and, 7, 0)                                  \
    X(mul, 0, 1) X(mulh, 1, 1) X(mulhsu, 2, 1) X(mulhu, 3, 1)                              \
    X(div, 4, 1) X(divu, 5, 1) X(rem, 6, 1) X(remu, 7, 1)
#define RV_IMMEDIATE_FORMS(X) /* name, opcode, funct3 */                                   \
    X(addi, 0x13, 0) X(slti, 0x13, 2) X(sltiu, 0x13, 3) X(xori, 0x13, 4) X(ori, 0x13, 6)   \
    X(andi, 0x13, 7) X(lb, 0x03, 0) X(lh, 0x03, 1) X(lw, 0x03, 2) X(lbu, 0x03, 4)          \
    X(lhu, 0x03, 5) X(jalr, 0x67, 0)
#define RV_SHIFT_FORMS(X)  X(slli, 1, 0) X(srli, 5, 0) X(srai, 5, 0x20)
#define RV_STORE_FORMS(X)  X(sb, 0) X(sh, 1) X(sw, 2)
#define RV_BRANCH_FORMS(X) X(beq, 0) X(bne, 1) X(blt, 4) X(bge, 5) X(bltu, 6) X(bgeu, 7)
// clang-format on

#define RV_ASM_REGISTER(name, f3, f7)                                                      \
    static inline uint32_t asm_##name(unsigned rd, unsigned rs1, unsigned rs2)             \
    {                                                                                      \
        return 0x33u | rd << 7 | (f3) << 12 | rs1 << 15 | rs2 << 20 |                      \
               (uint32_t)(f7) << 25;                                                       \
    }
RV_REGISTER_FORMS(RV_ASM_REGISTER)

// Loads and jalr take (rd, base, offset), like addi.
#define RV_ASM_IMMEDIATE(name, opcode, f3)                                                 \
    static inline uint32_t asm_##name(unsigned rd, unsigned rs1, int32_t imm)              \
    {                                                                                      \
        return (opcode) | rd << 7 | (f3) << 12 | rs1 << 15 | (uint32_t)imm << 20;          \
    }
RV_IMMEDIATE_FORMS(RV_ASM_IMMEDIATE)

#define RV_ASM_SHIFT(name, f3, f7)                                                         \
    static inline uint32_t asm_##name(unsigned rd, unsigned rs1, unsigned amount)          \
    {                                                                                      \
        return 0x13u | rd << 7 | (f3) << 12 | rs1 << 15 | amount << 20 |                   \
               (uint32_t)(f7) << 25;                                                       \
    }
RV_SHIFT_FORMS(RV_ASM_SHIFT)

#define RV_ASM_STORE(name, f3)                                                             \
    static inline uint32_t asm_##name(unsigned value, unsigned base, int32_t offset)       \
    {                                                                                      \
        uint32_t o = (uint32_t)offset;                                                     \
        return 0x23u | (o & 31) << 7 | (f3) << 12 | base << 15 | value << 20 |             \
               (o >> 5 & 0x7F) << 25;                                                      \
    }
RV_STORE_FORMS(RV_ASM_STORE)

// The offset is in bytes from the branch itself.
#define RV_ASM_BRANCH(name, f3)                                                            \
    static inline uint32_t asm_##name(unsigned rs1, unsigned rs2, int32_t offset)          \
    {                                                                                      \
        uint32_t o = (uint32_t)offset;                                                     \
        return 0x63u | (o >> 11 & 1) << 7 | (o >> 1 & 15) << 8 | (f3) << 12 | rs1 << 15 |  \
               rs2 << 20 | (o >> 5 & 0x3F) << 25 | (o >> 12 & 1) << 31;                    \
    }
RV_BRANCH_FORMS(RV_ASM_BRANCH)

static inline uint32_t asm_jal(unsigned rd, int32_t offset)
{
    uint32_t o = (uint32_t)offset;
    return 0x6Fu | rd << 7 | (o & 0xFF000) | (o >> 11 & 1) << 20 | (o >> 1 & 0x3FF) << 21 |
           (o >> 20 & 1) << 31;
}

static inline uint32_t asm_lui(unsigned rd, uint32_t upper)
{
    return 0x37u | rd << 7 | upper << 12;
}

static inline uint32_t asm_auipc(unsigned rd, uint32_t upper)
{
    return 0x17u | rd << 7 | upper << 12;
}

enum { ASM_NOP = 0x13, ASM_RET = 0x8067, ASM_FENCE = 0x0FF0000F, ASM_EBREAK = 0x100073 };

// A constant takes two words: lui, then addi of the signed low part.
static inline uint32_t asm_high(unsigned rd, uint32_t value)
{
    return asm_lui(rd, (value + 0x800) >> 12 & 0xFFFFF);
}

static inline uint32_t asm_low(unsigned rd, uint32_t value)
{
    return asm_addi(rd, rd, (int32_t)(value << 20) >> 20);
}

#endif
