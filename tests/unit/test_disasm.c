// The disassembler: text as GNU objdump 2.40 prints it for a linked object, with two
// differences on purpose: one blank before the operands, and immediate forms keep their own
// names (addi, not add).
#include <stdio.h>

#include "sim/rv32/rv32.h"
#include "test.h"

// clang-format off
static const struct {
    uint32_t pc, word;
    const char *text;
} known[] = {
    {0x12000, 0x00000013, "nop"},
    {0x12004, 0xFFF00513, "li a0,-1"},
    {0x12008, 0x00500013, "li zero,5"},
    {0x1200c, 0x000F8293, "mv t0,t6"},
    {0x12010, 0x80010113, "addi sp,sp,-2048"},
    {0x12014, 0x7FF10413, "addi s0,sp,2047"},
    {0x12018, 0x00163593, "seqz a1,a2"},
    {0x1201c, 0xFFF72693, "slti a3,a4,-1"},
    {0x12020, 0x00283793, "sltiu a5,a6,2"},
    {0x12024, 0xFFF4C893, "not a7,s1"},
    {0x12028, 0x0019C913, "xori s2,s3,1"},
    {0x1202c, 0xF00AEA13, "ori s4,s5,-256"},
    {0x12030, 0x0FFBFB13, "zext.b s6,s7"},
    {0x12034, 0x0FECFC13, "andi s8,s9,254"},
    {0x12038, 0x01FD9D13, "slli s10,s11,0x1f"},
    {0x1203c, 0x000EDE13, "srli t3,t4,0x0"},
    {0x12040, 0x407FDF13, "srai t5,t6,0x7"},
    {0x12044, 0xFFFFF1B7, "lui gp,0xfffff"},
    {0x12048, 0x00001237, "lui tp,0x1"},
    {0x1204c, 0x12345097, "auipc ra,0x12345"},
    {0x12050, 0x00C58533, "add a0,a1,a2"},
    {0x12054, 0x00058533, "add a0,a1,zero"},
    {0x12058, 0x40B00533, "neg a0,a1"},
    {0x1205c, 0x40058533, "sub a0,a1,zero"},
    {0x12060, 0x00C59533, "sll a0,a1,a2"},
    {0x12064, 0x0005A533, "sltz a0,a1"},
    {0x12068, 0x00B02533, "sgtz a0,a1"},
    {0x1206c, 0x00C5A533, "slt a0,a1,a2"},
    {0x12070, 0x00B03533, "snez a0,a1"},
    {0x12074, 0x00C5B533, "sltu a0,a1,a2"},
    {0x12078, 0x00C5C533, "xor a0,a1,a2"},
    {0x1207c, 0x00C5D533, "srl a0,a1,a2"},
    {0x12080, 0x40C5D533, "sra a0,a1,a2"},
    {0x12084, 0x00C5E533, "or a0,a1,a2"},
    {0x12088, 0x00C5F533, "and a0,a1,a2"},
    {0x1208c, 0x02C58533, "mul a0,a1,a2"},
    {0x12090, 0x02C59533, "mulh a0,a1,a2"},
    {0x12094, 0x02C5A533, "mulhsu a0,a1,a2"},
    {0x12098, 0x02C5B533, "mulhu a0,a1,a2"},
    {0x1209c, 0x02C5C533, "div a0,a1,a2"},
    {0x120a0, 0x02C5D533, "divu a0,a1,a2"},
    {0x120a4, 0x02C5E533, "rem a0,a1,a2"},
    {0x120a8, 0x02C5F533, "remu a0,a1,a2"},
    {0x120ac, 0xFFF58503, "lb a0,-1(a1)"},
    {0x120b0, 0x00259503, "lh a0,2(a1)"},
    {0x120b4, 0x80002503, "lw a0,-2048(zero)"},
    {0x120b8, 0x7FF5C503, "lbu a0,2047(a1)"},
    {0x120bc, 0x00015503, "lhu a0,0(sp)"},
    {0x120c0, 0xFEA58FA3, "sb a0,-1(a1)"},
    {0x120c4, 0x00059123, "sh zero,2(a1)"},
    {0x120c8, 0x80A42023, "sw a0,-2048(s0)"},
    {0x120cc, 0x7EA42FA3, "sw a0,2047(s0)"},
    {0x120d0, 0xF20508E3, "beqz a0,0x12000"},
    {0x120d4, 0x0CB50063, "beq a0,a1,0x12194"},
    {0x120d8, 0xF20514E3, "bnez a0,0x12000"},
    {0x120dc, 0x0AB51C63, "bne a0,a1,0x12194"},
    {0x120e0, 0xF20540E3, "bltz a0,0x12000"},
    {0x120e4, 0xF0A04EE3, "bgtz a0,0x12000"},
    {0x120e8, 0xF0B54CE3, "blt a0,a1,0x12000"},
    {0x120ec, 0x0A055463, "bgez a0,0x12194"},
    {0x120f0, 0x0AA05263, "blez a0,0x12194"},
    {0x120f4, 0x0AB55063, "bge a0,a1,0x12194"},
    {0x120f8, 0xF0B564E3, "bltu a0,a1,0x12000"},
    {0x120fc, 0x08B57C63, "bgeu a0,a1,0x12194"},
    {0x12100, 0x80050063, "beqz a0,0x11100"},
    {0x12104, 0x7E050FE3, "beqz a0,0x13102"},
    {0x12108, 0xEF9FF06F, "j 0x12000"},
    {0x1210c, 0x7FFFF06F, "j 0x11210a"},
    {0x12110, 0x8000006F, "j 0xfff12110"},
    {0x12114, 0x080000EF, "jal 0x12194"},
    {0x12118, 0x07C002EF, "jal t0,0x12194"},
    {0x1211c, 0x00008067, "ret"},
    {0x12120, 0x00050067, "jr a0"},
    {0x12124, 0xFFC50067, "jr -4(a0)"},
    {0x12128, 0x000500E7, "jalr a0"},
    {0x1212c, 0x008500E7, "jalr 8(a0)"},
    {0x12130, 0x000502E7, "jalr t0,a0"},
    {0x12134, 0x008502E7, "jalr t0,8(a0)"},
    {0x12138, 0x0FF0000F, "fence"},
    {0x1213c, 0x8330000F, "fence.tso"},
    {0x12140, 0x0210000F, "fence r,w"},
    {0x12144, 0x0F40000F, "fence iorw,o"},
    {0x00000, 0x0000100F, "fence.i"},
    {0x12148, 0x00000073, "ecall"},
    {0x1214c, 0x00100073, "ebreak"},
    {0x12150, 0xC0001073, "unimp"},
    {0x12154, 0xC0002573, "rdcycle a0"},
    {0x12158, 0xC8102573, "rdtimeh a0"},
    {0x1215c, 0xC0202573, "rdinstret a0"},
    {0x12160, 0xC0051073, "csrw cycle,a0"},
    {0x12164, 0x7C059573, "csrrw a0,0x7c0,a1"},
    {0x12168, 0x7C002573, "csrr a0,0x7c0"},
    {0x1216c, 0x7C052073, "csrs 0x7c0,a0"},
    {0x12170, 0x7C05A573, "csrrs a0,0x7c0,a1"},
    {0x12174, 0x7C053073, "csrc 0x7c0,a0"},
    {0x12178, 0x7C05B573, "csrrc a0,0x7c0,a1"},
    {0x1217c, 0x7C0FD073, "csrwi 0x7c0,31"},
    {0x12180, 0x7C00D573, "csrrwi a0,0x7c0,1"},
    {0x12184, 0x7C00E073, "csrsi 0x7c0,1"},
    {0x12188, 0x7C00E573, "csrrsi a0,0x7c0,1"},
    {0x1218c, 0x7C00F073, "csrci 0x7c0,1"},
    {0x12190, 0x7C00F573, "csrrci a0,0x7c0,1"},
};

static const uint32_t unknown[] = {
    0x00000000, 0xFFFFFFFF,
    0x02E01593, // slli by 46
    0x40009013, // slli with the bit of srai
    0x04C58533, // add with funct7 = 2
    0x0005B503, // ld
    0x00A5B023, // sd
    0x00B52063, // branch of kind 2
    0x00051067, // jalr of kind 1
    0x00B5202F, // amoadd.w
    0x00052507, // flw
    0x30200073, // mret
    0x00004573, // CSR of kind 4
    0x00018082, // two compressed instructions
};
// clang-format on

TEST(disasm_prints_every_instruction_as_objdump_does)
{
    char text[64];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        rv_disasm(known[i].word, known[i].pc, text, sizeof text);
        assert_string_equal(text, known[i].text);
    }
}

TEST(disasm_prints_what_the_processor_does_not_know_as_data)
{
    char text[64], want[64];
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        rv_disasm(unknown[i], 0x1000, text, sizeof text);
        (void)snprintf(want, sizeof want, ".word 0x%08x", unknown[i]);
        assert_string_equal(text, want);
    }
}

TEST(disasm_cuts_the_text_to_the_room_there_is)
{
    char text[16] = "untouched";
    rv_disasm(0x00C58533, 0, text, 0);
    assert_string_equal(text, "untouched");
    rv_disasm(0x00C58533, 0, text, 1);
    assert_string_equal(text, "");
    rv_disasm(0x00C58533, 0, text, 8);
    assert_string_equal(text, "add a0,");
    rv_disasm(0xFFFFFFFF, 0, text, 6);
    assert_string_equal(text, ".word");
}
