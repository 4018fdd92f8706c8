// The processor: results at the edges of the number range, and faults.
#include "rv_trial.h"
#include "sim/rv32/caches.h"

// --- results ---

#define MIN 0x80000000u
#define MAX 0x7FFFFFFFu

typedef uint32_t (*register_form)(unsigned rd, unsigned rs1, unsigned rs2);

// clang-format off
static const struct {
    register_form form;
    uint32_t a, b, want;
} computed[] = {
    {asm_div,  7, 0, UINT32_MAX},         {asm_div,  MIN, 0, UINT32_MAX},
    {asm_div,  MIN, UINT32_MAX, MIN},     {asm_div,  MIN, 1, MIN},
    {asm_div,  (uint32_t)-7, 2, (uint32_t)-3}, {asm_div, 7, (uint32_t)-2, (uint32_t)-3},
    {asm_div,  MAX, UINT32_MAX, MIN + 1}, {asm_div,  0, MIN, 0},
    {asm_divu, 7, 0, UINT32_MAX},         {asm_divu, MIN, UINT32_MAX, 0},
    {asm_divu, UINT32_MAX, 2, MAX},       {asm_divu, MIN, 1, MIN},
    {asm_rem,  7, 0, 7},                  {asm_rem,  MIN, 0, MIN},
    {asm_rem,  MIN, UINT32_MAX, 0},       {asm_rem,  (uint32_t)-7, 2, UINT32_MAX},
    {asm_rem,  7, (uint32_t)-2, 1},       {asm_rem,  MIN, MAX, UINT32_MAX},
    {asm_remu, 7, 0, 7},                  {asm_remu, MIN, UINT32_MAX, MIN},
    {asm_remu, UINT32_MAX, 16, 15},
    {asm_mul,  MIN, MIN, 0},              {asm_mul,  UINT32_MAX, UINT32_MAX, 1},
    {asm_mul,  0x10001, 0x10001, 0x20001}, {asm_mul, MAX, 2, 0xFFFFFFFE},
    {asm_mulh, MIN, MIN, 0x40000000},     {asm_mulh, UINT32_MAX, UINT32_MAX, 0},
    {asm_mulh, UINT32_MAX, 1, UINT32_MAX}, {asm_mulh, MIN, MAX, 0xC0000000},
    {asm_mulh, MAX, MAX, 0x3FFFFFFF},
    {asm_mulhu, MIN, MIN, 0x40000000},    {asm_mulhu, UINT32_MAX, UINT32_MAX, 0xFFFFFFFE},
    {asm_mulhu, UINT32_MAX, 1, 0},        {asm_mulhu, MIN, 2, 1},
    {asm_mulhsu, UINT32_MAX, UINT32_MAX, UINT32_MAX}, {asm_mulhsu, MIN, MIN, 0xC0000000},
    {asm_mulhsu, 1, UINT32_MAX, 0},       {asm_mulhsu, MAX, UINT32_MAX, 0x7FFFFFFE},
    {asm_mulhsu, MIN, UINT32_MAX, 0x80000000},
    {asm_sll,  1, 0, 1},     {asm_sll, 1, 31, MIN},        {asm_sll, 1, 32, 1},
    {asm_sll,  3, 33, 6},    {asm_sll, 1, UINT32_MAX, MIN},
    {asm_srl,  MIN, 0, MIN}, {asm_srl, MIN, 31, 1},        {asm_srl, MIN, 32, MIN},
    {asm_sra,  MIN, 0, MIN}, {asm_sra, MIN, 31, UINT32_MAX}, {asm_sra, MIN, 32, MIN},
    {asm_sra,  MAX, 31, 0},  {asm_sra, MIN, 63, UINT32_MAX},
    {asm_slt,  MIN, MAX, 1}, {asm_slt, MAX, MIN, 0},       {asm_slt, UINT32_MAX, 0, 1},
    {asm_sltu, MIN, MAX, 0}, {asm_sltu, MAX, MIN, 1},      {asm_sltu, 0, 0, 0},
    {asm_add,  MAX, 1, MIN}, {asm_sub, MIN, 1, MAX},       {asm_sub, 0, MIN, MIN},
    {asm_xor,  MIN, MAX, UINT32_MAX}, {asm_or, MIN, MAX, UINT32_MAX}, {asm_and, MIN, MAX, 0},
};
// clang-format on

TEST(rv32_computes_at_the_edges_of_the_number_range)
{
    for (size_t i = 0; i < sizeof computed / sizeof *computed; i++) {
        struct trial *t = trial_new(TT_WORMHOLE);
        t->x[A0] = computed[i].a;
        t->x[A1] = computed[i].b;
        put(t, computed[i].form(A2, A0, A1));
        put(t, computed[i].form(A0, A0, A1)); // into an operand
        (void)finish(t);
        char text[64];
        rv_disasm(t->words[0], 0, text, sizeof text);
        if (t->risc->x[A2] != computed[i].want)
            print_message("%s of %08x and %08x\n", text, computed[i].a, computed[i].b);
        assert_int_equal(computed[i].want, t->risc->x[A2]);
        assert_int_equal(computed[i].want, t->risc->x[A0]);
        trial_free(t);
    }
}

TEST(rv32_compares_and_shifts_with_immediates)
{
    struct trial *t = trial_new(TT_WORMHOLE);
    t->x[A0] = UINT32_MAX;
    t->x[A1] = MIN;
    put(t, asm_sltiu(A2, A0, -1)); // the immediate is sign-extended, then unsigned
    put(t, asm_sltiu(A3, A1, -1));
    put(t, asm_slti(A4, A0, 0));
    put(t, asm_srai(A5, A1, 31));
    put(t, asm_srli(A6, A1, 31));
    put(t, asm_slli(A7, A0, 31));
    put(t, asm_xori(S2, A0, -1));
    put(t, asm_andi(S3, A0, -2048));
    put(t, asm_ori(S4, X0, -1));
    (void)finish(t);
    const uint32_t *x = t->risc->x;
    assert_int_equal(0, x[A2]);
    assert_int_equal(1, x[A3]);
    assert_int_equal(1, x[A4]);
    assert_int_equal(UINT32_MAX, x[A5]);
    assert_int_equal(1, x[A6]);
    assert_int_equal(MIN, x[A7]);
    assert_int_equal(0, x[S2]);
    assert_int_equal(0xFFFFF800, x[S3]);
    assert_int_equal(UINT32_MAX, x[S4]);
    trial_free(t);
}

TEST(rv32_keeps_x0_at_zero)
{
    struct trial *t = trial_new(TT_WORMHOLE);
    t->x[A0] = 5;
    put(t, asm_add(X0, A0, A0));
    put(t, asm_addi(A1, X0, 7));
    put(t, asm_lw(X0, S0, 0));
    put(t, asm_add(A2, X0, X0));
    put(t, asm_mul(X0, A0, A0));
    put(t, asm_lui(X0, 0xFFFFF));
    put(t, asm_jal(X0, 4));
    put(t, asm_sub(A3, X0, A0));
    put(t, asm_sw(X0, S0, 0));
    memset(t->machine.tile.l1 + L1_AT, 0xFF, 8);
    (void)finish(t);
    assert_int_equal(7, t->risc->x[A1]);
    assert_int_equal(0, t->risc->x[A2]);
    assert_int_equal((uint32_t)-5, t->risc->x[A3]);
    assert_int_equal(0, t->risc->x[X0]);
    assert_int_equal(0, t->machine.tile.l1[L1_AT + 3]);
    assert_int_equal(0xFF, t->machine.tile.l1[L1_AT + 4]);
    trial_free(t);
}

static void check_widths(unsigned base)
{
    struct trial *t = trial_new(TT_WORMHOLE);
    t->x[A0] = 0x80F17F82;
    put(t, asm_sw(A0, base, 8));
    put(t, asm_lb(A1, base, 8));
    put(t, asm_lbu(A2, base, 8));
    put(t, asm_lb(A3, base, 9));
    put(t, asm_lh(A4, base, 8));
    put(t, asm_lh(A5, base, 10));
    put(t, asm_lhu(A6, base, 10));
    put(t, asm_sb(X0, base, 11));
    put(t, asm_sh(A0, base, 8));
    put(t, asm_lw(A7, base, 8));
    put(t, asm_sb(A0, base, -1));
    put(t, asm_lbu(S2, base, -1));
    if (base == S1)
        t->x[S1] += 16;
    (void)finish(t);
    const uint32_t *x = t->risc->x;
    assert_int_equal(0xFFFFFF82, x[A1]);
    assert_int_equal(0x82, x[A2]);
    assert_int_equal(0x7F, x[A3]);
    assert_int_equal(0x7F82, x[A4]);
    assert_int_equal(0xFFFF80F1, x[A5]);
    assert_int_equal(0x80F1, x[A6]);
    assert_int_equal(0x00F17F82, x[A7]);
    assert_int_equal(0x82, x[S2]);
    trial_free(t);
}

TEST(rv32_extends_the_sign_of_narrow_loads_and_stores_only_their_bytes)
{
    check_widths(S0);
    check_widths(S1);
}

TEST(rv32_jumps_through_registers_without_bit_0)
{
    struct trial *t = trial_new(TT_WORMHOLE);
    put(t, asm_auipc(T0, 0));       // CODE_AT
    put(t, asm_jalr(RA, T0, 13));   // to word 3
    put(t, ASM_EBREAK);             // 2: after the return
    put(t, asm_auipc(A0, 0x12345)); // 3
    put(t, asm_lui(A1, 0xFEDCB));   // 4
    put(t, asm_addi(A2, RA, 0));    // 5
    put(t, asm_addi(RA, RA, 1));    // 6
    put(t, ASM_RET);                // 7: to an odd address
    (void)finish(t);
    assert_int_equal(FAULT_NONE, t->machine.tile.fault.kind);
    assert_int_equal(CODE_AT + 8, t->risc->pc);
    assert_int_equal(CODE_AT + 12 + 0x12345000, t->risc->x[A0]);
    assert_int_equal(0xFEDCB000, t->risc->x[A1]);
    assert_int_equal(CODE_AT + 8, t->risc->x[A2]);
    trial_free(t);
}

TEST(rv32_jalr_may_overwrite_the_register_it_jumps_through)
{
    struct trial *t = trial_new(TT_WORMHOLE);
    put(t, asm_auipc(T0, 0));
    put(t, asm_jalr(T0, T0, 12));
    put(t, asm_addi(A0, X0, 1)); // jumped over
    put(t, ASM_NOP);
    (void)finish(t);
    assert_int_equal(CODE_AT + 8, t->risc->x[T0]);
    assert_int_equal(0, t->risc->x[A0]);
    trial_free(t);
}

TEST(rv32_executes_what_was_stored_into_its_code)
{
    struct trial *t = trial_new(TT_WORMHOLE);
    t->x[A1] = asm_addi(A0, X0, 42);
    put(t, asm_auipc(T0, 0));
    put(t, asm_sw(A1, T0, 12));
    put(t, ASM_NOP);
    put(t, asm_addi(A0, X0, 1)); // replaced
    put(t, asm_addi(A2, X0, 3));
    (void)finish(t);
    assert_int_equal(42, t->risc->x[A0]);
    assert_int_equal(3, t->risc->x[A2]);
    trial_free(t);
}

// --- faults ---

static void check_fault(uint32_t word, int kind, uint32_t address)
{
    struct trial *t = trial_new(TT_WORMHOLE);
    put(t, ASM_NOP);
    put(t, word);
    (void)finish(t);
    const struct fault *fault = &t->machine.tile.fault;
    assert_int_equal(kind, fault->kind);
    assert_int_equal(TT_BRISC, fault->risc);
    assert_int_equal(RISC_HALTED, t->risc->state);
    assert_int_equal(CODE_AT + 4, fault->pc);
    assert_int_equal(address, fault->address);
    trial_free(t);
}

TEST(rv32_reports_what_cannot_be_done)
{
    check_fault(0xFFFFFFFF, FAULT_ILLEGAL, 0xFFFFFFFF);
    check_fault(0x02E01593, FAULT_ILLEGAL, 0x02E01593); // slli by 46
    check_fault(0x00B5202F, FAULT_ILLEGAL, 0x00B5202F); // amoadd.w
    check_fault(0x30200073, FAULT_ILLEGAL, 0x30200073); // mret
    check_fault(asm_lw(A0, S0, 2), FAULT_MISALIGNED, L1_AT + 2);
    check_fault(asm_lhu(A0, S1, 1), FAULT_MISALIGNED, TT_LOCAL_RAM + 1);
    check_fault(asm_sh(A0, S0, 1), FAULT_MISALIGNED, L1_AT + 1);
    check_fault(asm_sw(A0, S1, 2), FAULT_MISALIGNED, TT_LOCAL_RAM + 2);
    check_fault(asm_lw(A0, S1, -4), FAULT_UNMAPPED, TT_LOCAL_RAM - 4);
    check_fault(asm_sw(A0, S1, -4), FAULT_UNMAPPED, TT_LOCAL_RAM - 4);
    check_fault(asm_jalr(RA, S1, 0), FAULT_PC, TT_LOCAL_RAM);
}

TEST(rv32_reports_a_program_that_runs_over_its_end)
{
    struct trial *t = trial_new(TT_WORMHOLE);
    put(t, asm_jal(X0, 8)); // over the ebreak
    (void)finish(t);
    assert_int_equal(FAULT_PC, t->machine.tile.fault.kind);
    assert_int_equal(CODE_AT + 8, t->machine.tile.fault.address);
    trial_free(t);
}

TEST(rv32_rounds_addresses_down_when_it_is_not_strict)
{
    struct trial *t = trial_new(TT_WORMHOLE);
    t->machine.chip.is_strict = false;
    t->x[A0] = 0x11223344;
    put(t, asm_sw(A0, S0, 3));
    put(t, asm_lw(A1, S0, 2));
    put(t, asm_sh(A0, S1, 7));
    put(t, asm_lhu(A2, S1, 6));
    put(t, asm_lw(A3, S1, 5));
    (void)finish(t);
    assert_int_equal(FAULT_NONE, t->machine.tile.fault.kind);
    assert_int_equal(0x11223344, t->risc->x[A1]);
    assert_int_equal(0x3344, t->risc->x[A2]);
    assert_int_equal(0x33440000, t->risc->x[A3]);
    trial_free(t);
}

// The L0 is one RISC's own: it has what this RISC stored, and not what others wrote to L1
// since the line came in, until a fence, or the 128th hit, empties it.
TEST(rv32_l0_has_own_stores_and_no_others_until_it_is_emptied)
{
    struct sim_tile machine;
    ttdev_cfg cfg;
    uint32_t value;
    ttdev_cfg_default(&cfg);
    cfg.l0 = true;
    sim_tile_open_as(&machine, TT_BLACKHOLE, &cfg);
    struct risc *r = &machine.tile.risc[TT_BRISC];
    uint32_t *words = (uint32_t *)(void *)(machine.tile.l1 + L1_AT);
    assert_false(caches_load(r, L1_AT, 4, &value)); // brings in the line
    words[0] = 0x11111111;
    words[1] = 0x22222222;
    assert_true(caches_load(r, L1_AT, 4, &value));
    assert_int_equal(value, 0);
    caches_store(r, L1_AT + 5); // a byte, and with it its word
    assert_true(caches_load(r, L1_AT + 4, 4, &value));
    assert_int_equal(value, 0x22222222);
    assert_true(caches_load(r, L1_AT + 6, 2, &value));
    assert_int_equal(value, 0x2222);
    assert_true(caches_load(r, L1_AT, 4, &value));
    assert_int_equal(value, 0); // the other word is still the old one
    caches_flush(r);
    assert_false(caches_load(r, L1_AT, 4, &value));
    for (int i = 4; i < 128; i++)
        assert_true(caches_load(r, L1_AT, 4, &value));
    assert_int_equal(value, 0x11111111);
    assert_false(caches_load(r, L1_AT, 4, &value));
    for (uint32_t line = 1; line <= 4; line++) // a fifth line takes the place of the first
        assert_false(caches_load(r, L1_AT + 16 * line, 4, &value));
    assert_true(caches_load(r, L1_AT + 16, 4, &value));
    assert_false(caches_load(r, L1_AT, 4, &value));
    sim_tile_close(&machine);
}
