// rv32.h - the RV32IM processor: decoding and cycle-exact execution.
//
// Code is decoded once per image into an array of ops, one per word, and run by jumping
// from the handler of one op to that of the next. The handlers are built twice
// (rv32_core.h): a fast build, and a careful one that also records what a loop reads
// (park.c), traces instructions and models the optional caches.
#ifndef TTP_SIM_RV32_RV32_H
#define TTP_SIM_RV32_RV32_H

#include "sim/machine.h"

// clang-format off
#define RV_KINDS(X)                                                                        \
    X(illegal) X(end) X(out) X(li) X(jal) X(jal_back) X(jalr) X(ret)                              \
    X(beq) X(bne) X(blt) X(bge) X(bltu) X(bgeu)                                            \
    X(beq_back) X(bne_back) X(blt_back) X(bge_back) X(bltu_back) X(bgeu_back)              \
    X(lb) X(lh) X(lw) X(lbu) X(lhu) X(sb) X(sh) X(sw)                                      \
    X(addi) X(addi_sp) X(slti) X(sltiu) X(xori) X(ori) X(andi) X(slli) X(srli) X(srai)     \
    X(add) X(sub) X(sll) X(slt) X(sltu) X(xor) X(srl) X(sra) X(or) X(and)                  \
    X(mul) X(mulh) X(mulhsu) X(mulhu) X(div) X(divu) X(rem) X(remu)                        \
    X(fence) X(halt) X(csr)
// clang-format on
#define RV_KIND_NAME(name) RV_##name,
enum rv_kind { RV_KINDS(RV_KIND_NAME) RV_KIND_COUNT };

struct rv_op {
    uint8_t kind, rd, rs1, rs2; // rd 32: x0, written but never read
    int32_t imm;                // lui, auipc: the value; jal: the link address
    uint32_t use;               // bit per register that must be ready
    int32_t jump;               // in ops; ILLEGAL: the word
};

// Decodes n words at `base`; out has room for n + 1, the last of which faults.
void rv_decode(const uint32_t *words, size_t n, uint32_t base, struct rv_op *out);

void rv_reset(struct risc *risc, uint32_t pc, uint64_t cycle);
// Runs until the first shared access at or after `limit`, continuing through instructions
// that touch nothing shared; stops early when the RISC parks, stalls or halts.
void rv_run(struct risc *risc, uint64_t limit);
uint32_t rv_word(const struct risc *risc, uint32_t pc); // the instruction word at pc

// rv32_memory.c: accesses beyond a load or store of plain memory. ACCESS_LATER: retry the
// store at the new r->clock.
enum access { ACCESS_DONE, ACCESS_WAIT, ACCESS_LATER, ACCESS_FAULT };
// `value` is the zero-extended part of the aligned word; *latency: cycles to use.
enum access rv_load_slow(struct risc *risc, uint32_t address, uint32_t bytes,
                         uint64_t cycle, uint32_t pc, uint32_t *value, uint32_t *latency);
enum access rv_store_slow(struct risc *risc, uint32_t address, uint32_t bytes,
                          uint32_t value, uint64_t cycle, uint32_t pc);
bool rv_is_shared_pure(uint32_t address); // loading the register has no side effect

// disasm.c: one instruction as text, in the usual syntax.
void rv_disasm(uint32_t word, uint32_t pc, char *out, size_t bytes);

#endif
