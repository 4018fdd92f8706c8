// rv32_decode.c - decodes instruction words into ops.
#include "sim/rv32/rv32.h"

enum { SINK = 32, RA = 1, SP = 2 };

static int32_t imm_i(uint32_t w)
{
    return (int32_t)w >> 20;
}
static int32_t imm_s(uint32_t w)
{
    return ((int32_t)w >> 25) * 32 + (int32_t)(w >> 7 & 31);
}
static int32_t imm_b(uint32_t w)
{
    uint32_t low = (w >> 7 & 0x1E) | (w >> 20 & 0x7E0) | (w << 4 & 0x800);
    return (int32_t)w < 0 ? (int32_t)low - 4096 : (int32_t)low;
}
static int32_t imm_j(uint32_t w)
{
    uint32_t low = (w >> 20 & 0x7FE) | (w >> 9 & 0x800) | (w & 0xFF000);
    return (int32_t)w < 0 ? (int32_t)low - (1 << 20) : (int32_t)low;
}

static int32_t imm_u(uint32_t w)
{
    return (int32_t)(w & 0xFFFFF000);
}

// --- kinds; 0 is RV_illegal ------------------------------------------------------------
static const uint8_t branches[8] = {RV_beq, RV_bne, 0, 0, RV_blt, RV_bge, RV_bltu, RV_bgeu};
static const uint8_t loads[8] = {RV_lb, RV_lh, RV_lw, 0, RV_lbu, RV_lhu, 0, 0};
static const uint8_t stores[8] = {RV_sb, RV_sh, RV_sw};
static const uint8_t with_imm[8] = {RV_addi, 0, RV_slti, RV_sltiu,
                                    RV_xori, 0, RV_ori,  RV_andi};
static const uint8_t plain[8] = {RV_add, RV_sll, RV_slt, RV_sltu,
                                 RV_xor, RV_srl, RV_or,  RV_and};
static const uint8_t products[8] = {RV_mul, RV_mulh, RV_mulhsu, RV_mulhu,
                                    RV_div, RV_divu, RV_rem,    RV_remu};

static uint32_t f3(uint32_t w)
{
    return w >> 12 & 7;
}
static uint32_t f7(uint32_t w)
{
    return w >> 25;
}
static uint32_t rd_of(uint32_t w)
{
    return w >> 7 & 31;
}

static uint8_t kind_li(uint32_t w)
{
    (void)w;
    return RV_li;
}
static uint8_t kind_jal(uint32_t w)
{
    return imm_j(w) <= 0 ? RV_jal_back : RV_jal;
}
static uint8_t kind_jalr(uint32_t w)
{
    bool is_return = rd_of(w) == 0 && (w >> 15 & 31) == RA && imm_i(w) == 0;
    return f3(w) != 0 ? RV_illegal : is_return ? RV_ret : RV_jalr;
}
static uint8_t kind_branch(uint32_t w)
{
    uint8_t kind = branches[f3(w)];
    return kind && imm_b(w) <= 0 ? (uint8_t)(kind + (RV_beq_back - RV_beq)) : kind;
}
static uint8_t kind_load(uint32_t w)
{
    return loads[f3(w)];
}
static uint8_t kind_store(uint32_t w)
{
    return stores[f3(w)];
}
static uint8_t kind_imm(uint32_t w)
{
    if (f3(w) == 1)
        return f7(w) == 0 ? RV_slli : RV_illegal;
    if (f3(w) == 5)
        return f7(w) == 0 ? RV_srli : f7(w) == 0x20 ? RV_srai : RV_illegal;
    return f3(w) == 0 && rd_of(w) == SP ? RV_addi_sp : with_imm[f3(w)];
}
static uint8_t kind_plain(uint32_t w)
{
    if (f7(w) == 0)
        return plain[f3(w)];
    if (f7(w) == 1)
        return products[f3(w)];
    if (f7(w) == 0x20 && f3(w) == 0)
        return RV_sub;
    return f7(w) == 0x20 && f3(w) == 5 ? RV_sra : RV_illegal;
}
static uint8_t kind_fence(uint32_t w)
{
    return f3(w) <= 1 ? RV_fence : RV_illegal;
}
static uint8_t kind_system(uint32_t w)
{
    if (w == 0x73 || w == 0x100073) // ecall, ebreak
        return RV_halt;
    return f3(w) == 0 || f3(w) == 4 ? RV_illegal : RV_csr;
}

// --- forms, by opcode ------------------------------------------------------------------
enum { USES_1 = 1, USES_2 = 2, WRITES = 4, JUMPS = 8, FROM_PC = 16 };

static const struct form {
    uint8_t (*kind)(uint32_t w);
    int32_t (*imm)(uint32_t w);
    uint8_t parts;
} forms[32] = {
    // clang-format off
    [0x37 >> 2] = {kind_li,     imm_u, WRITES},
    [0x17 >> 2] = {kind_li,     imm_u, WRITES | FROM_PC},
    [0x6F >> 2] = {kind_jal,    imm_j, WRITES | JUMPS},
    [0x67 >> 2] = {kind_jalr,   imm_i, USES_1 | WRITES},
    [0x63 >> 2] = {kind_branch, imm_b, USES_1 | USES_2 | JUMPS},
    [0x03 >> 2] = {kind_load,   imm_i, USES_1 | WRITES},
    [0x23 >> 2] = {kind_store,  imm_s, USES_1 | USES_2},
    [0x13 >> 2] = {kind_imm,    imm_i, USES_1 | WRITES},
    [0x33 >> 2] = {kind_plain,  imm_i, USES_1 | USES_2 | WRITES},
    [0x0F >> 2] = {kind_fence,  imm_i, 0},
    [0x73 >> 2] = {kind_system, imm_i, USES_1 | WRITES},
    // clang-format on
};

// Sets the target of a jump, in ops. A jump out of the text faults in place; a branch out
// of it faults after the end of the text.
static void set_jump(struct rv_op *op, uint32_t pc, size_t at, size_t n)
{
    int64_t to = (int64_t)at + op->imm / 4;
    bool is_inside = op->imm % 4 == 0 && to >= 0 && to < (int64_t)n;
    op->jump = (int32_t)((is_inside ? to : (int64_t)n) - (int64_t)at);
    bool is_jal = op->kind == RV_jal || op->kind == RV_jal_back;
    if (is_jal && !is_inside)
        *op = (struct rv_op){
            .kind = RV_out, .rd = SINK, .imm = (int32_t)(pc + (uint32_t)op->imm)};
    else if (is_jal)
        op->imm = (int32_t)(pc + 4);
}

static void decode_one(uint32_t w, uint32_t pc, size_t at, size_t n, struct rv_op *op)
{
    const struct form *form = &forms[w >> 2 & 31];
    *op = (struct rv_op){.kind = RV_illegal, .rd = SINK, .jump = (int32_t)w};
    uint8_t kind = (w & 3) == 3 && form->kind ? form->kind(w) : RV_illegal;
    if (kind == RV_illegal)
        return;
    uint32_t rd = form->parts & WRITES ? rd_of(w) : 0;
    op->kind = kind;
    op->rd = rd ? (uint8_t)rd : SINK;
    op->rs1 = form->parts & USES_1 ? (uint8_t)(w >> 15 & 31) : 0;
    op->rs2 = form->parts & USES_2 ? (uint8_t)(w >> 20 & 31) : 0;
    // Writing a register also waits for a pending load into it. x0 is always ready.
    op->use = (1u << rd | 1u << op->rs1 | 1u << op->rs2) & ~1u;
    op->imm = form->imm(w);
    op->jump = 0;
    if (form->parts & FROM_PC)
        op->imm = (int32_t)(pc + (uint32_t)op->imm);
    if (kind == RV_slli || kind == RV_srli || kind == RV_srai)
        op->imm &= 31;
    if (form->parts & JUMPS)
        set_jump(op, pc, at, n);
}

void rv_decode(const uint32_t *words, size_t n, uint32_t base, struct rv_op *out)
{
    for (size_t i = 0; i < n; i++)
        decode_one(words[i], base + (uint32_t)i * 4, i, n, &out[i]);
    out[n] = (struct rv_op){.kind = RV_end, .rd = SINK};
}
