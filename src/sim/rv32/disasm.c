// disasm.c - one machine word as text.
//
// A table of (mask, match, name, operands), aliases before the instruction they stand for;
// the first matching row wins. Operands are letters:
//
//   d rd  s rs1  t rs2          i immediate of 12 bits   z shift amount   u upper immediate
//   l offset(rs1) of a load     w of a store             r of jalr
//   b branch target  j jump target                       c CSR  m five bits in place of rs1
//   p, q what comes before and after a fence
//
// Targets are absolute addresses; unknown words are printed as data.
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "sim/rv32/rv32.h"

enum { // opcodes
    LOAD = 0x03,
    MISC = 0x0F,
    IMM = 0x13,
    AUIPC = 0x17,
    STORE = 0x23,
    REG = 0x33,
    LUI = 0x37,
    BRANCH = 0x63,
    JALR = 0x67,
    JAL = 0x6F,
    SYSTEM = 0x73,
};

// Fields of a word, for masks and for matches.
#define OPCODE 0x7Fu
#define RD     0xF80u
#define F3     0x7000u
#define RS1    0xF8000u
#define RS2    0x1F00000u
#define F7     0xFE000000u
#define IMM12  0xFFF00000u
#define ALL    0xFFFFFFFFu

#define RD_IS(n)  ((uint32_t)(n) << 7)
#define F3_IS(n)  ((uint32_t)(n) << 12)
#define RS1_IS(n) ((uint32_t)(n) << 15)
#define F7_IS(n)  ((uint32_t)(n) << 25)
#define IMM_IS(n) ((uint32_t)(n) << 20)

struct row {
    uint32_t mask, match;
    const char *name, *operands;
};

// clang-format off
#define OP3(opcode, f3)      OPCODE | F3, (opcode) | F3_IS(f3)
#define OP10(opcode, f3, f7) OPCODE | F3 | F7, (opcode) | F3_IS(f3) | F7_IS(f7)

static const struct row rows[] = {
    {ALL, 0x00000013, "nop", ""},
    {OPCODE | F3 | RS1, IMM, "li", "di"},
    {OPCODE | F3 | IMM12, IMM, "mv", "ds"},
    {OP3(IMM, 0), "addi", "dsi"},
    {OPCODE | F3 | IMM12, IMM | F3_IS(3) | IMM_IS(1), "seqz", "ds"},
    {OP3(IMM, 2), "slti", "dsi"},
    {OP3(IMM, 3), "sltiu", "dsi"},
    {OPCODE | F3 | IMM12, IMM | F3_IS(4) | IMM_IS(0xFFF), "not", "ds"},
    {OP3(IMM, 4), "xori", "dsi"},
    {OP3(IMM, 6), "ori", "dsi"},
    {OPCODE | F3 | IMM12, IMM | F3_IS(7) | IMM_IS(255), "zext.b", "ds"},
    {OP3(IMM, 7), "andi", "dsi"},
    {OP10(IMM, 1, 0), "slli", "dsz"},
    {OP10(IMM, 5, 0), "srli", "dsz"},
    {OP10(IMM, 5, 0x20), "srai", "dsz"},
    {OPCODE, LUI, "lui", "du"},
    {OPCODE, AUIPC, "auipc", "du"},

    {OP10(REG, 0, 0), "add", "dst"},
    {OPCODE | F3 | F7 | RS1, REG | F7_IS(0x20), "neg", "dt"},
    {OP10(REG, 0, 0x20), "sub", "dst"},
    {OP10(REG, 1, 0), "sll", "dst"},
    {OPCODE | F3 | F7 | RS2, REG | F3_IS(2), "sltz", "ds"},
    {OPCODE | F3 | F7 | RS1, REG | F3_IS(2), "sgtz", "dt"},
    {OP10(REG, 2, 0), "slt", "dst"},
    {OPCODE | F3 | F7 | RS1, REG | F3_IS(3), "snez", "dt"},
    {OP10(REG, 3, 0), "sltu", "dst"},
    {OP10(REG, 4, 0), "xor", "dst"},
    {OP10(REG, 5, 0), "srl", "dst"},
    {OP10(REG, 5, 0x20), "sra", "dst"},
    {OP10(REG, 6, 0), "or", "dst"},
    {OP10(REG, 7, 0), "and", "dst"},
    {OP10(REG, 0, 1), "mul", "dst"},
    {OP10(REG, 1, 1), "mulh", "dst"},
    {OP10(REG, 2, 1), "mulhsu", "dst"},
    {OP10(REG, 3, 1), "mulhu", "dst"},
    {OP10(REG, 4, 1), "div", "dst"},
    {OP10(REG, 5, 1), "divu", "dst"},
    {OP10(REG, 6, 1), "rem", "dst"},
    {OP10(REG, 7, 1), "remu", "dst"},

    {OP3(LOAD, 0), "lb", "dl"},
    {OP3(LOAD, 1), "lh", "dl"},
    {OP3(LOAD, 2), "lw", "dl"},
    {OP3(LOAD, 4), "lbu", "dl"},
    {OP3(LOAD, 5), "lhu", "dl"},
    {OP3(STORE, 0), "sb", "tw"},
    {OP3(STORE, 1), "sh", "tw"},
    {OP3(STORE, 2), "sw", "tw"},

    {OPCODE | F3 | RS2, BRANCH, "beqz", "sb"},
    {OP3(BRANCH, 0), "beq", "stb"},
    {OPCODE | F3 | RS2, BRANCH | F3_IS(1), "bnez", "sb"},
    {OP3(BRANCH, 1), "bne", "stb"},
    {OPCODE | F3 | RS2, BRANCH | F3_IS(4), "bltz", "sb"},
    {OPCODE | F3 | RS1, BRANCH | F3_IS(4), "bgtz", "tb"},
    {OP3(BRANCH, 4), "blt", "stb"},
    {OPCODE | F3 | RS1, BRANCH | F3_IS(5), "blez", "tb"},
    {OPCODE | F3 | RS2, BRANCH | F3_IS(5), "bgez", "sb"},
    {OP3(BRANCH, 5), "bge", "stb"},
    {OP3(BRANCH, 6), "bltu", "stb"},
    {OP3(BRANCH, 7), "bgeu", "stb"},
    {OPCODE | RD, JAL, "j", "j"},
    {OPCODE | RD, JAL | RD_IS(1), "jal", "j"},
    {OPCODE, JAL, "jal", "dj"},
    {ALL, JALR | RS1_IS(1), "ret", ""},
    {OPCODE | F3 | RD | IMM12, JALR, "jr", "s"},
    {OPCODE | F3 | RD, JALR, "jr", "r"},
    {OPCODE | F3 | RD | IMM12, JALR | RD_IS(1), "jalr", "s"},
    {OPCODE | F3 | RD, JALR | RD_IS(1), "jalr", "r"},
    {OPCODE | F3 | IMM12, JALR, "jalr", "ds"},
    {OP3(JALR, 0), "jalr", "dr"},

    {ALL, 0x0FF0000F, "fence", ""},
    {ALL, 0x8330000F, "fence.tso", ""},
    {OPCODE | F3 | RD | RS1 | 0xF0000000u, MISC, "fence", "pq"},
    {ALL, 0x0000100F, "fence.i", ""},
    {ALL, SYSTEM, "ecall", ""},
    {ALL, SYSTEM | IMM_IS(1), "ebreak", ""},
    {ALL, 0xC0001073, "unimp", ""},
    {OPCODE | F3 | RS1 | IMM12, SYSTEM | F3_IS(2) | IMM_IS(0xC00), "rdcycle", "d"},
    {OPCODE | F3 | RS1 | IMM12, SYSTEM | F3_IS(2) | IMM_IS(0xC01), "rdtime", "d"},
    {OPCODE | F3 | RS1 | IMM12, SYSTEM | F3_IS(2) | IMM_IS(0xC02), "rdinstret", "d"},
    {OPCODE | F3 | RS1 | IMM12, SYSTEM | F3_IS(2) | IMM_IS(0xC80), "rdcycleh", "d"},
    {OPCODE | F3 | RS1 | IMM12, SYSTEM | F3_IS(2) | IMM_IS(0xC81), "rdtimeh", "d"},
    {OPCODE | F3 | RS1 | IMM12, SYSTEM | F3_IS(2) | IMM_IS(0xC82), "rdinstreth", "d"},
    {OPCODE | F3 | RD, SYSTEM | F3_IS(1), "csrw", "cs"},
    {OP3(SYSTEM, 1), "csrrw", "dcs"},
    {OPCODE | F3 | RS1, SYSTEM | F3_IS(2), "csrr", "dc"},
    {OPCODE | F3 | RD, SYSTEM | F3_IS(2), "csrs", "cs"},
    {OP3(SYSTEM, 2), "csrrs", "dcs"},
    {OPCODE | F3 | RD, SYSTEM | F3_IS(3), "csrc", "cs"},
    {OP3(SYSTEM, 3), "csrrc", "dcs"},
    {OPCODE | F3 | RD, SYSTEM | F3_IS(5), "csrwi", "cm"},
    {OP3(SYSTEM, 5), "csrrwi", "dcm"},
    {OPCODE | F3 | RD, SYSTEM | F3_IS(6), "csrsi", "cm"},
    {OP3(SYSTEM, 6), "csrrsi", "dcm"},
    {OPCODE | F3 | RD, SYSTEM | F3_IS(7), "csrci", "cm"},
    {OP3(SYSTEM, 7), "csrrci", "dcm"},
};
// clang-format on

static const char *const registers[32] = {
    "zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
    "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
    "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
};

static const struct {
    uint32_t number;
    const char *name;
} csrs[] = {
    {0xC00, "cycle"},  {0xC01, "time"},  {0xC02, "instret"},
    {0xC80, "cycleh"}, {0xC81, "timeh"}, {0xC82, "instreth"},
};

struct text {
    char *p;
    size_t room;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(t->p, t->room, fmt, ap);
    va_end(ap);
    size_t used = n < 0 ? 0 : (size_t)n < t->room ? (size_t)n : t->room - 1;
    t->p += used;
    t->room -= used;
}

// Bits from..from+n-1 of the word.
static uint32_t bits(uint32_t word, unsigned from, unsigned n)
{
    return word >> from & ((1u << n) - 1);
}

static int32_t signed_of(uint32_t value, unsigned n)
{
    uint32_t sign = 1u << (n - 1);
    return (int32_t)((value ^ sign) - sign);
}

static int32_t branch_offset(uint32_t w)
{
    return signed_of(bits(w, 31, 1) << 12 | bits(w, 7, 1) << 11 | bits(w, 25, 6) << 5 |
                         bits(w, 8, 4) << 1,
                     13);
}

static int32_t jump_offset(uint32_t w)
{
    return signed_of(bits(w, 31, 1) << 20 | bits(w, 12, 8) << 12 | bits(w, 20, 1) << 11 |
                         bits(w, 21, 10) << 1,
                     21);
}

static void put_csr(struct text *t, uint32_t number)
{
    for (size_t i = 0; i < sizeof csrs / sizeof *csrs; i++) {
        if (csrs[i].number == number) {
            put(t, "%s", csrs[i].name);
            return;
        }
    }
    put(t, "0x%" PRIx32, number);
}

// Four bits of a fence: device input and output, reads and writes of memory.
static void put_order(struct text *t, uint32_t set)
{
    for (unsigned i = 0; i < 4; i++)
        if (set & (8u >> i))
            put(t, "%c", "iorw"[i]);
    if (!set)
        put(t, "unknown");
}

static void put_operand(struct text *t, char letter, uint32_t w, uint32_t pc)
{
    int32_t immediate = signed_of(bits(w, 20, 12), 12);
    int32_t store = signed_of(bits(w, 25, 7) << 5 | bits(w, 7, 5), 12);
    const char *rs1 = registers[bits(w, 15, 5)];
    switch (letter) {
    case 'd': put(t, "%s", registers[bits(w, 7, 5)]); break;
    case 's': put(t, "%s", rs1); break;
    case 't': put(t, "%s", registers[bits(w, 20, 5)]); break;
    case 'i': put(t, "%" PRId32, immediate); break;
    case 'z': put(t, "0x%" PRIx32, bits(w, 20, 5)); break;
    case 'u': put(t, "0x%" PRIx32, w >> 12); break;
    case 'l':
    case 'r': put(t, "%" PRId32 "(%s)", immediate, rs1); break;
    case 'w': put(t, "%" PRId32 "(%s)", store, rs1); break;
    case 'b': put(t, "0x%" PRIx32, pc + (uint32_t)branch_offset(w)); break;
    case 'j': put(t, "0x%" PRIx32, pc + (uint32_t)jump_offset(w)); break;
    case 'c': put_csr(t, bits(w, 20, 12)); break;
    case 'm': put(t, "%" PRIu32, bits(w, 15, 5)); break;
    case 'p': put_order(t, bits(w, 24, 4)); break;
    case 'q': put_order(t, bits(w, 20, 4)); break;
    default: break;
    }
}

void rv_disasm(uint32_t word, uint32_t pc, char *out, size_t bytes)
{
    struct text t = {out, bytes};
    if (!bytes)
        return;
    out[0] = '\0';
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if ((word & rows[i].mask) != rows[i].match)
            continue;
        put(&t, "%s", rows[i].name);
        for (const char *letter = rows[i].operands; *letter; letter++) {
            put(&t, letter == rows[i].operands ? " " : ",");
            put_operand(&t, *letter, word, pc);
        }
        return;
    }
    put(&t, ".word 0x%08" PRIx32, word);
}
