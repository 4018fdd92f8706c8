// The cycles of the processor, worked out by hand from the cost table.
#include "rv_trial.h"

static const int arches[] = {TT_WORMHOLE, TT_BLACKHOLE};

TEST(rv32_takes_one_cycle_for_plain_instructions)
{
    for (int i = 0; i < 2; i++) {
        assert_int_equal(0, cycles_of(arches[i], NULL, 0));
        assert_int_equal(6, CYCLES(arches[i], ASM_NOP, asm_add(A0, A1, A2), asm_lui(A0, 1),
                                   asm_auipc(A0, 1), asm_slt(A0, A0, A0), asm_jal(X0, 4)));
    }
}

// Fifty nops, a decrement and a branch: 52 cycles a turn; the last branch is not foreseen.
static struct trial *nop_loop(int arch, uint32_t turns)
{
    struct trial *t = trial_new(arch);
    t->x[A0] = turns;
    put_times(t, 50, ASM_NOP);
    put(t, asm_addi(A0, A0, -1));
    put(t, asm_bne(A0, X0, -4 * 51));
    return t;
}

TEST(rv32_loops_over_50_nops_in_52_cycles)
{
    assert_int_equal(52 * 10 + 2, finish_and_free(nop_loop(TT_WORMHOLE, 10)));
    assert_int_equal(52 * 2000 + 2, finish_and_free(nop_loop(TT_WORMHOLE, 2000)));
    assert_int_equal(52 * 2000 + 4, finish_and_free(nop_loop(TT_BLACKHOLE, 2000)));
}

TEST(rv32_counts_104005_cycles_between_the_clock_reads_of_the_reference_loop)
{
    struct trial *t = trial_new(TT_WORMHOLE);
    t->x[S0] = TT_WALL_CLOCK_L;
    put(t, asm_lw(A1, S0, 4));
    put(t, asm_lw(A2, S0, 0));
    put(t, asm_addi(A0, X0, 2000));
    put_times(t, 50, ASM_NOP);
    put(t, asm_addi(A0, A0, -1));
    put(t, asm_bne(A0, X0, -4 * 51));
    put(t, asm_lw(A3, S0, 4));
    put(t, asm_lw(A4, S0, 0));
    put(t, asm_sub(A5, A4, A2));
    (void)finish(t);
    assert_int_equal(104005, t->risc->x[A5]);
    trial_free(t);
}

TEST(rv32_reads_the_wall_clock_three_cycles_after_issue)
{
    struct trial *t = trial_new(TT_WORMHOLE);
    t->machine.chip.boot_cycles = 0xFFFFFFFFull - 9; // wraps between the two reads
    t->x[S0] = TT_WALL_CLOCK_L;
    put_times(t, 5, ASM_NOP);
    put(t, asm_lw(A0, S0, 0)); // cycle 5: latches the high half
    put(t, asm_lw(A1, S0, 4)); // the high half now: cycle 6 + 3
    put(t, asm_lw(A2, S0, 4)); // cycle 7 + 3: wrapped
    put(t, asm_lw(A3, S0, 8)); // the latched one
    (void)finish(t);
    assert_int_equal(FAULT_NONE, t->machine.tile.fault.kind);
    assert_int_equal(0xFFFFFFFE, t->risc->x[A0]);
    assert_int_equal(0, t->risc->x[A1]);
    assert_int_equal(1, t->risc->x[A2]);
    assert_int_equal(0, t->risc->x[A3]);
    trial_free(t);
}

// Cycles of a load and an instruction that uses its result, `between` nops apart.
static uint64_t load_and_use(int arch, uint32_t address, size_t between)
{
    struct trial *t = trial_new(arch);
    t->x[S0] = address;
    put(t, asm_lw(A0, S0, 0));
    put_times(t, between, ASM_NOP);
    put(t, asm_add(A1, A0, A0));
    return finish_and_free(t);
}

TEST(rv32_waits_for_the_result_of_a_load)
{
    static const struct {
        uint32_t address, latency;
    } places[] = {
        {TT_LOCAL_RAM, 2}, {L1_AT, 8},           {TT_WALL_CLOCK_L, 7},
        {NIU_COUNTERS, 7}, {TT_STREAMS + 16, 7}, {0x100, 8},
    };
    for (int i = 0; i < 2; i++)
        for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
            uint32_t latency = places[p].latency;
            for (uint32_t between = 0; between < 10; between++)
                assert_int_equal((between + 1 > latency ? between + 1 : latency) + 1,
                                 load_and_use(arches[i], places[p].address, between));
        }
}

TEST(rv32_waits_only_where_a_result_is_used)
{
    assert_int_equal(2, CYCLES(TT_WORMHOLE, asm_lw(A0, S0, 0), ASM_NOP));
    // As address, as value of a store, in a branch.
    assert_int_equal(9, CYCLES(TT_WORMHOLE, asm_lw(A0, S0, 0), asm_sw(A0, S1, 0)));
    assert_int_equal(11, CYCLES(TT_WORMHOLE, asm_lw(A0, S0, 0), asm_beq(A0, X0, 4)));
    assert_int_equal(9, CYCLES(TT_WORMHOLE, asm_lw(A0, S0, 0), asm_bne(A0, X0, 4)));
    assert_int_equal(9, CYCLES(TT_WORMHOLE, asm_lw(A0, S0, 0), asm_lw(A1, A0, 0x100)));
    // A chain of three loads.
    assert_int_equal(25, CYCLES(TT_WORMHOLE, asm_lw(A0, S0, 0), asm_lw(A0, A0, 0x100),
                                asm_lw(A0, A0, 0x100), asm_add(A0, A0, A0)));
}

// n loads in a row into different registers.
static uint64_t loads(int arch, unsigned base, uint32_t n)
{
    struct trial *t = trial_new(arch);
    for (uint32_t i = 0; i < n; i++)
        put(t, asm_lw(A0 + i % 8, base, (int32_t)(4 * i)));
    return finish_and_free(t);
}

TEST(rv32_has_four_loads_in_flight_on_wormhole)
{
    assert_int_equal(4, loads(TT_WORMHOLE, S0, 4));
    assert_int_equal(8, loads(TT_WORMHOLE, S0, 5)); // the fifth issues at 7
    assert_int_equal(11, loads(TT_WORMHOLE, S0, 8));
    assert_int_equal(15, loads(TT_WORMHOLE, S0, 9));
    assert_int_equal(7 * 10, loads(TT_WORMHOLE, S0, 44) - loads(TT_WORMHOLE, S0, 4));
    assert_int_equal(20, loads(TT_WORMHOLE, S1, 20)); // local RAM has no such limit
}

TEST(rv32_has_eight_loads_in_flight_on_blackhole)
{
    assert_int_equal(8, loads(TT_BLACKHOLE, S0, 8));
    assert_int_equal(40, loads(TT_BLACKHOLE, S0, 40));
    assert_int_equal(20, loads(TT_BLACKHOLE, S1, 20));
}

static uint64_t stores(int arch, unsigned base, uint32_t n, uint32_t stride)
{
    struct trial *t = trial_new(arch);
    for (uint32_t i = 0; i < n; i++)
        put(t, asm_sw(A0, base, (int32_t)(stride * (i % 16))));
    return finish_and_free(t);
}

TEST(rv32_stores_to_l1_once_in_five_cycles_when_the_buffer_is_full)
{
    for (int i = 0; i < 2; i++) {
        assert_int_equal(4, stores(arches[i], S0, 4, 32));
        assert_int_equal(50, stores(arches[i], S0, 40, 32) - stores(arches[i], S0, 30, 32));
        assert_int_equal(40, stores(arches[i], S1, 40, 4)); // local RAM
    }
}

TEST(rv32_does_not_stall_on_stores_that_are_five_cycles_apart)
{
    struct trial *t = trial_new(TT_WORMHOLE);
    for (int i = 0; i < 40; i++) {
        put(t, asm_sw(A0, S0, 4 * i));
        put_times(t, 4, ASM_NOP);
    }
    assert_int_equal(200, finish_and_free(t));
}

TEST(rv32_joins_neighbouring_stores_on_blackhole)
{
    // Four words of a line: five cycles for the first, one for each that joins it.
    assert_int_equal(16, stores(TT_BLACKHOLE, S0, 16, 4));
    assert_int_equal(80,
                     stores(TT_BLACKHOLE, S0, 160, 4) - stores(TT_BLACKHOLE, S0, 120, 4));
    assert_int_equal(200,
                     stores(TT_WORMHOLE, S0, 160, 4) - stores(TT_WORMHOLE, S0, 120, 4));
    // Eight bytes apart they do not join.
    assert_int_equal(200,
                     stores(TT_BLACKHOLE, S0, 160, 8) - stores(TT_BLACKHOLE, S0, 120, 8));
}

TEST(rv32_multiplies_in_two_cycles)
{
    const uint32_t mul = asm_mul(A0, A1, A2), other = asm_mulhu(A3, A4, A5);
    const uint32_t use = asm_add(A6, A0, A0);
    assert_int_equal(2, CYCLES(TT_WORMHOLE, mul));
    assert_int_equal(4, CYCLES(TT_WORMHOLE, mul, other));
    assert_int_equal(3, CYCLES(TT_WORMHOLE, mul, use));
    // Blackhole goes on after one; the product is there after two.
    assert_int_equal(1, CYCLES(TT_BLACKHOLE, mul));
    assert_int_equal(2, CYCLES(TT_BLACKHOLE, mul, other));
    assert_int_equal(3, CYCLES(TT_BLACKHOLE, mul, use));
    assert_int_equal(3, CYCLES(TT_BLACKHOLE, mul, ASM_NOP, use));
}

TEST(rv32_divides_in_as_many_cycles_as_the_dividend_has_bits)
{
    enum { SIGNED = 1, UNSIGNED = 2, BOTH = 3 };
    static const struct {
        uint32_t a, b, cycles;
        int forms;
    } cases[] = {
        {5, 0, 2, BOTH},
        {5, 1, 2, BOTH},
        {0x80000000, UINT32_MAX, 2, SIGNED},
        {0x80000000, UINT32_MAX, 33, UNSIGNED},
        {0, 5, 6, BOTH},
        {7, 2, 6, BOTH},
        {31, 2, 6, BOTH},
        {32, 2, 7, BOTH},
        {255, 2, 9, BOTH},
        {(uint32_t)-255, 2, 9, SIGNED},
        {(uint32_t)-255, 2, 33, UNSIGNED},
        {1 << 20, 3, 22, BOTH},
        {0x7FFFFFFF, 3, 32, BOTH},
        {0x80000000, 2, 33, BOTH},
        {10, UINT32_MAX, 6, BOTH},
    };
    static uint32_t (*const forms[])(unsigned, unsigned, unsigned) = {asm_div, asm_rem,
                                                                      asm_divu, asm_remu};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int f = 0; f < 4; f++) {
            if (!(cases[i].forms & (f < 2 ? SIGNED : UNSIGNED)))
                continue;
            struct trial *t = trial_new(arches[i % 2]);
            t->x[A0] = cases[i].a;
            t->x[A1] = cases[i].b;
            put(t, forms[f](A2, A0, A1));
            assert_int_equal(cases[i].cycles, finish_and_free(t));
        }
}

TEST(rv32_foresees_backward_branches_taken_and_forward_ones_not)
{
    static const uint64_t missed[] = {3, 5};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(1, CYCLES(arches[i], asm_bne(X0, X0, 4)));
        assert_int_equal(missed[i], CYCLES(arches[i], asm_beq(X0, X0, 8), ASM_NOP));
        assert_int_equal(missed[i], CYCLES(arches[i], asm_bne(X0, X0, -4)));
        // Back once: nop, addi, branch; then the same with the branch not taken.
        struct trial *t = trial_new(arches[i]);
        t->x[A0] = 2;
        put(t, ASM_NOP);
        put(t, asm_addi(A0, A0, -1));
        put(t, asm_blt(X0, A0, -8));
        assert_int_equal(3 + 2 + missed[i], finish_and_free(t));
    }
}

// Calls `depth` deep; each level keeps the return address in a register of its own.
static uint64_t nested_calls(int arch, unsigned depth)
{
    struct trial *t = trial_new(arch);
    put(t, asm_jal(RA, 8));
    put(t, ASM_EBREAK);
    for (unsigned i = 1; i < depth; i++) {
        put(t, asm_addi(A0 + i, RA, 0));
        put(t, asm_jal(RA, 12));
        put(t, asm_addi(RA, A0 + i, 0));
        put(t, ASM_RET);
    }
    put(t, ASM_RET);
    return finish_and_free(t);
}

TEST(rv32_foresees_returns_up_to_four_calls_deep)
{
    for (int i = 0; i < 2; i++) {
        for (unsigned depth = 1; depth <= 4; depth++)
            assert_int_equal(1 + 3 * (depth - 1) + depth, nested_calls(arches[i], depth));
        assert_int_equal(1 + 3 * 4 + 4 + 3, nested_calls(arches[i], 5));
        assert_int_equal(1 + 3 * 7 + 4 + 4 * 3, nested_calls(arches[i], 8));
    }
}

TEST(rv32_takes_three_cycles_for_jumps_through_registers)
{
    struct trial *t = trial_new(TT_WORMHOLE);
    t->x[RA] = CODE_AT + 4;
    put(t, ASM_RET); // no call was made
    put(t, ASM_NOP);
    assert_int_equal(3 + 1, finish_and_free(t));

    t = trial_new(TT_WORMHOLE);
    t->x[T0] = CODE_AT + 12;
    put(t, asm_jalr(RA, T0, 0)); // a call through a register, and its return
    put(t, ASM_NOP);
    put(t, ASM_EBREAK);
    put(t, ASM_RET);
    assert_int_equal(3 + 1 + 1, finish_and_free(t));

    t = trial_new(TT_BLACKHOLE);
    t->x[T0] = CODE_AT + 8;
    put(t, asm_jalr(X0, T0, 0));
    put(t, ASM_NOP);
    assert_int_equal(3, finish_and_free(t));
}

TEST(rv32_waits_at_a_fence_on_blackhole_only)
{
    assert_int_equal(2, CYCLES(TT_WORMHOLE, asm_lw(A0, S0, 0), ASM_FENCE));
    assert_int_equal(9, CYCLES(TT_BLACKHOLE, asm_lw(A0, S0, 0), ASM_FENCE));
    assert_int_equal(9, CYCLES(TT_BLACKHOLE, asm_lw(X0, S0, 0), ASM_FENCE));
    assert_int_equal(1, CYCLES(TT_BLACKHOLE, ASM_FENCE));
}

TEST(rv32_counts_instructions)
{
    struct trial *t = nop_loop(TT_WORMHOLE, 10);
    (void)finish(t);
    assert_int_equal(52 * 10 + 1, t->risc->instructions); // and the ebreak
    trial_free(t);
}

// A slice that ends, or a window, must not cost anything: the same program in steps of
// every size.
TEST(rv32_takes_the_same_time_however_its_run_is_cut)
{
    for (uint64_t step = 1; step < 40; step++) {
        struct trial *t = trial_new(TT_WORMHOLE);
        for (int i = 0; i < 12; i++) {
            put(t, asm_lw(A0, S0, 4 * i));
            put(t, asm_sw(A1, S0, 4 * i + 128));
            put(t, asm_lw(A2, S1, 4 * i));
            put(t, asm_add(A1, A0, A2));
        }
        (void)finish(t);
        uint64_t want = t->risc->clock;
        struct risc *r = sim_tile_load(&t->machine, TT_BRISC, CODE_AT, t->words, t->n);
        memcpy(r->x, t->x, sizeof t->x);
        for (uint64_t limit = 0; r->state == RISC_RUNS && limit < 10000; limit += step)
            rv_run(r, limit);
        assert_int_equal(want, r->clock);
        trial_free(t);
    }
}
