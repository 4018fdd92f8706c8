// Parking: poll loops that are skipped must leave the same registers, memory and clocks as
// poll loops that are run. Each case runs twice, and everything is compared.
#include <stdio.h>

#include "../support/rv_words.h"
#include "../support/sim_tile.h"
#include "test.h"

enum {
    PLAIN_AT = 0x30000,   // S0: words above the guard
    GUARDED_AT = 0x10400, // S2: semaphores, below it
    N_WORDS = 6,
    STRIDE = 16,
    WORDS_MOST = 2000,
    END = 30000, // cycles
};
static const uint32_t slots[TT_RISCS] = {0x12000, 0x18000, 0x1C000, 0x20000, 0x24000};

// What happens from outside: a word is written at a cycle.
struct change {
    uint64_t cycle;
    uint32_t address, value;
};

struct scene {
    int arch;
    uint32_t window; // cycles
    uint32_t words[TT_RISCS][WORDS_MOST];
    size_t n[TT_RISCS];
    struct change changes[64];
    size_t n_changes;
};

struct end {
    struct {
        uint32_t x[32], pc;
        uint64_t clock, instructions;
        uint8_t state;
        uint8_t local[2048];
    } risc[TT_RISCS];
    uint8_t plain[4096], guarded[1024];
    uint32_t streams[2][64];
    bool has_parked;
};

static void put(struct scene *s, unsigned risc, uint32_t word)
{
    assert_true(s->n[risc] < WORDS_MOST);
    s->words[risc][s->n[risc]++] = word;
}

static void put_nops(struct scene *s, unsigned risc, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        put(s, risc, ASM_NOP);
}

// Notes the time in local RAM: the end of a wait, to the cycle.
static void put_time(struct scene *s, unsigned risc)
{
    put(s, risc, asm_lw(T0, S4, 0));
    put(s, risc, asm_sw(T0, S3, 0));
    put(s, risc, asm_addi(S3, S3, 4));
}

static void apply_change(struct tile *tile, struct event *event)
{
    if (event->address < tile->l1_bytes) {
        tile_write(tile, (uint32_t)event->address, &event->value, 4);
    } else { // a received counter
        tile_touch(tile, (uint32_t)event->address, 4);
        tile->received[(event->address - TT_STREAMS) / TT_STREAM_STRIDE] = event->value;
    }
}

static void run_scene(const struct scene *s, bool park, uint32_t window, struct end *end)
{
    static struct sim_tile machine;
    ttdev_cfg cfg;
    ttdev_cfg_default(&cfg);
    cfg.park = park;
    sim_tile_open_as(&machine, s->arch, &cfg);
    memset(end, 0, sizeof *end);
    for (unsigned i = 0; i < TT_RISCS; i++) {
        if (s->n[i] == 0)
            continue;
        struct risc *r = sim_tile_load(&machine, i, slots[i], s->words[i], s->n[i]);
        r->x[S0] = PLAIN_AT;
        r->x[S1] = TT_LOCAL_RAM;
        r->x[S2] = GUARDED_AT;
        r->x[S3] = TT_LOCAL_RAM + 256;
        r->x[S4] = TT_WALL_CLOCK_L;
        r->x[S5] = TT_STREAMS + 4 * machine.chip.layout->cb_received_word;
    }
    for (size_t i = 0; i < s->n_changes; i++)
        tile_post(&machine.tile, (struct event){.cycle = s->changes[i].cycle,
                                                .apply = apply_change,
                                                .address = s->changes[i].address,
                                                .value = s->changes[i].value});
    for (uint64_t at = 0; at < END;) {
        at = at + window < END ? at + window : END;
        tile_run(&machine.tile, at);
        machine.chip.now = at;
        for (unsigned i = 0; i < TT_RISCS; i++)
            end->has_parked |= machine.tile.risc[i].state == RISC_PARKED;
    }
    tile_settle(&machine.tile, END);
    assert_int_equal(FAULT_NONE, machine.tile.fault.kind);
    for (unsigned i = 0; i < TT_RISCS; i++) {
        const struct risc *r = &machine.tile.risc[i];
        memcpy(end->risc[i].x, r->x, sizeof end->risc[i].x);
        memcpy(end->risc[i].local, r->local, sizeof end->risc[i].local);
        end->risc[i].pc = r->pc;
        end->risc[i].clock = r->clock;
        end->risc[i].instructions = r->instructions;
        end->risc[i].state = r->state;
    }
    memcpy(end->plain, machine.tile.l1 + PLAIN_AT, sizeof end->plain);
    memcpy(end->guarded, machine.tile.l1 + GUARDED_AT, sizeof end->guarded);
    memcpy(end->streams[0], machine.tile.received, sizeof end->streams[0]);
    memcpy(end->streams[1], machine.tile.acked, sizeof end->streams[1]);
    sim_tile_close(&machine);
}

// Returns whether a RISC was parked at the end of a window.
static bool check_scene(const struct scene *s, const char *what, unsigned number)
{
    static struct end run, parked;
    run_scene(s, false, s->window, &run);
    run_scene(s, true, s->window, &parked);
    assert_false(run.has_parked);
    char text[100];
    for (unsigned i = 0; i < TT_RISCS; i++) {
        bool is_same = memcmp(&run.risc[i], &parked.risc[i], sizeof run.risc[i]) == 0;
        if (!is_same)
            print_message(
                "%s %u: RISC %u: clock %llu, parked %llu; pc 0x%x, parked 0x%x; "
                "state %d, parked %d\n",
                what, number, i, (unsigned long long)run.risc[i].clock,
                (unsigned long long)parked.risc[i].clock, run.risc[i].pc, parked.risc[i].pc,
                run.risc[i].state, parked.risc[i].state);
        (void)snprintf(text, sizeof text, "%s %u: RISC %u differs", what, number, i);
        assert_string_equal(is_same ? "" : text, "");
    }
    assert_memory_equal(run.plain, parked.plain, sizeof run.plain);
    assert_memory_equal(run.guarded, parked.guarded, sizeof run.guarded);
    assert_memory_equal(run.streams, parked.streams, sizeof run.streams);
    return parked.has_parked;
}

static struct scene *scene_new(int arch)
{
    struct scene *s = mem_alloc(sizeof *s);
    s->arch = arch;
    s->window = 16;
    return s;
}

// --- loops ---

// Waits until the word at `base + offset` is not zero; `nops` of them in the loop.
static void put_wait(struct scene *s, unsigned risc, unsigned base, int32_t offset,
                     uint32_t nops)
{
    put(s, risc, asm_lw(A0, base, offset));
    put_nops(s, risc, nops);
    put(s, risc, asm_beq(A0, X0, -4 * (int32_t)(nops + 1)));
}

static void put_delay(struct scene *s, unsigned risc, uint32_t turns)
{
    put(s, risc, asm_addi(T1, X0, (int32_t)turns));
    put(s, risc, asm_addi(T1, T1, -1));
    put(s, risc, asm_bne(T1, X0, -4));
}

static void put_store(struct scene *s, unsigned risc, unsigned base, int32_t offset,
                      int32_t value)
{
    put(s, risc, asm_addi(T2, X0, value));
    put(s, risc, asm_sw(T2, base, offset));
}

// --- one waits for another ---

static void check_one_word(int arch, unsigned waiter, unsigned writer, unsigned base)
{
    unsigned n_parked = 0;
    for (uint32_t offset = 0; offset < 64; offset++) {
        struct scene *s = scene_new(arch);
        put_wait(s, waiter, base, 0, offset % 5);
        put_time(s, waiter);
        put(s, waiter, ASM_EBREAK);
        put_delay(s, writer, 40);
        put_nops(s, writer, offset);
        put_store(s, writer, base, 0, 1);
        put(s, writer, ASM_EBREAK);
        n_parked += check_scene(s, "one word", offset);
        mem_free(s);
    }
    assert_int_equal(64, n_parked);
}

TEST(park_waits_for_a_word_that_a_risc_with_a_greater_number_writes)
{
    check_one_word(TT_WORMHOLE, TT_BRISC, TT_TRISC1, S0);
    check_one_word(TT_WORMHOLE, TT_BRISC, TT_TRISC1, S2);
}

TEST(park_waits_for_a_word_that_a_risc_with_a_smaller_number_writes)
{
    check_one_word(TT_WORMHOLE, TT_TRISC1, TT_BRISC, S0);
    check_one_word(TT_BLACKHOLE, TT_TRISC1, TT_BRISC, S2);
}

// Two words are read in a loop; one of them changes, once.
static void check_two_words(unsigned waiter, unsigned writer, unsigned which, uint32_t nops)
{
    for (uint32_t offset = 0; offset < 48; offset++) {
        struct scene *s = scene_new(TT_WORMHOLE);
        put(s, waiter, asm_lw(A0, S0, 0));
        put_nops(s, waiter, nops);
        put(s, waiter, asm_lw(A1, S0, STRIDE));
        put(s, waiter, asm_or(A2, A0, A1));
        put(s, waiter, asm_beq(A2, X0, -4 * (int32_t)(nops + 3)));
        put_time(s, waiter);
        put(s, waiter, ASM_EBREAK);
        // Early and late: while the loop is looked at, and when it is parked.
        put_delay(s, writer, offset % 2 ? 4 : 40);
        put_nops(s, writer, offset / 2);
        put_store(s, writer, S0, which ? STRIDE : 0, 1);
        put(s, writer, ASM_EBREAK);
        (void)check_scene(s, "two words", offset + 1000 * nops + 100 * which);
        mem_free(s);
    }
}

TEST(park_sees_either_of_two_words_change)
{
    for (uint32_t nops = 0; nops < 14; nops++)
        for (unsigned which = 0; which < 2; which++) {
            check_two_words(TT_BRISC, TT_TRISC2, which, nops);
            check_two_words(TT_TRISC2, TT_BRISC, which, nops);
        }
}

TEST(park_is_not_fooled_by_a_neighbour_or_the_same_value)
{
    for (uint32_t offset = 0; offset < 40; offset++) {
        struct scene *s = scene_new(TT_WORMHOLE);
        put(s, TT_NCRISC, asm_lbu(A0, S2, 1)); // one byte of the word
        put(s, TT_NCRISC, asm_beq(A0, X0, -4));
        put_time(s, TT_NCRISC);
        put(s, TT_NCRISC, ASM_EBREAK);
        put_delay(s, TT_TRISC0, 30);
        put_nops(s, TT_TRISC0, offset);
        put_store(s, TT_TRISC0, S2, 256, 1); // the same bit of `watched`
        put(s, TT_TRISC0, asm_sb(T2, S2, 0));
        put(s, TT_TRISC0, asm_sb(X0, S2, 1));
        put_nops(s, TT_TRISC0, 30);
        put(s, TT_TRISC0, asm_sb(T2, S2, 3));
        put_nops(s, TT_TRISC0, 30);
        put(s, TT_TRISC0, asm_sb(T2, S2, 1));
        put(s, TT_TRISC0, ASM_EBREAK);
        assert_true(check_scene(s, "byte", offset));
        mem_free(s);
    }
}

TEST(park_sees_or_misses_a_pulse_as_a_running_loop_does)
{
    for (uint32_t width = 0; width < 14; width++)
        for (uint32_t offset = 0; offset < 12; offset++)
            for (unsigned order = 0; order < 2; order++) {
                unsigned waiter = order ? TT_BRISC : TT_TRISC0;
                unsigned writer = order ? TT_TRISC0 : TT_BRISC;
                struct scene *s = scene_new(TT_WORMHOLE);
                put_wait(s, waiter, S0, 0, 2);
                put_time(s, waiter);
                put(s, waiter, ASM_EBREAK);
                put_delay(s, writer, 50);
                put_nops(s, writer, offset);
                put_store(s, writer, S0, 0, 1);
                put_nops(s, writer, width);
                put(s, writer, asm_sw(X0, S0, 0));
                put(s, writer, ASM_EBREAK);
                (void)check_scene(s, "pulse", width * 100 + offset);
                mem_free(s);
            }
}

TEST(park_wakes_at_the_cycle_of_an_event)
{
    for (uint64_t cycle = 600; cycle < 680; cycle++) {
        struct scene *s = scene_new(TT_WORMHOLE);
        for (unsigned risc = 0; risc < TT_RISCS; risc++) {
            if (risc < 3)
                put_wait(s, risc, risc == 0 ? S2 : S0, 4 * (int32_t)risc, risc);
            else
                put_wait(s, risc, S5, 0, risc - 3); // the counter of circular buffer 0
            put_time(s, risc);
            put(s, risc, ASM_EBREAK);
        }
        s->n_changes = 4;
        s->changes[0] = (struct change){cycle, GUARDED_AT, 1};
        s->changes[1] = (struct change){cycle + 1, PLAIN_AT + 4, 1};
        s->changes[2] = (struct change){cycle + 9, PLAIN_AT + 8, 1};
        s->changes[3] = (struct change){
            cycle + 3, TT_STREAMS + 4 * tt_layouts[TT_WORMHOLE].cb_received_word, 1};
        assert_true(check_scene(s, "event", (unsigned)cycle));
        mem_free(s);
    }
}

// --- loops in loops, and loops that do something ---

TEST(park_handles_a_delay_inside_a_poll_loop)
{
    for (uint32_t offset = 0; offset < 40; offset++) {
        struct scene *s = scene_new(TT_WORMHOLE);
        put(s, TT_BRISC, asm_lw(A0, S0, 0));
        put_delay(s, TT_BRISC, 3);
        put(s, TT_BRISC, asm_beq(A0, X0, -16));
        put_time(s, TT_BRISC);
        put(s, TT_BRISC, ASM_EBREAK);
        put_delay(s, TT_NCRISC, 200);
        put_nops(s, TT_NCRISC, offset);
        put_store(s, TT_NCRISC, S0, 0, 1);
        put(s, TT_NCRISC, ASM_EBREAK);
        (void)check_scene(s, "delay inside", offset);
        mem_free(s);
    }
}

// Two RISCs hand a number to and fro; a third one watches.
TEST(park_follows_a_conversation)
{
    for (uint32_t nops = 0; nops < 20; nops++) {
        struct scene *s = scene_new(nops % 2 ? TT_BLACKHOLE : TT_WORMHOLE);
        for (unsigned risc = 0; risc < 2; risc++) {
            put(s, risc, asm_addi(A1, X0, 0));
            put(s, risc, asm_addi(A1, A1, 1)); // turn
            if (risc == 0)
                put(s, risc, asm_sw(A1, S0, 0));
            else
                put(s, risc, ASM_NOP);
            put(s, risc, asm_lw(A0, S0, risc ? 0 : STRIDE)); // wait for the other
            put(s, risc, ASM_FENCE);
            put(s, risc, asm_bne(A0, A1, -8));
            put_delay(s, risc, 1 + nops * (risc + 1));
            put_nops(s, risc, nops / 2);
            if (risc == 1)
                put(s, risc, asm_sw(A1, S0, STRIDE));
            else
                put(s, risc, ASM_NOP);
            put_time(s, risc);
            put(s, risc, asm_addi(A2, X0, 20));
            put(s, risc, asm_blt(A1, A2, -4 * (int32_t)(13 + nops / 2)));
            put(s, risc, ASM_EBREAK);
        }
        put(s, TT_TRISC2, asm_addi(A1, X0, 20));
        put(s, TT_TRISC2, asm_lw(A0, S0, STRIDE));
        put(s, TT_TRISC2, asm_bne(A0, A1, -4));
        put_time(s, TT_TRISC2);
        put(s, TT_TRISC2, ASM_EBREAK);
        assert_true(check_scene(s, "conversation", nops));
        mem_free(s);
    }
}

TEST(park_leaves_loops_alone_that_do_something)
{
    struct scene *s = scene_new(TT_WORMHOLE);
    // Counts its polls.
    put(s, TT_BRISC, asm_addi(A1, A1, 1));
    put(s, TT_BRISC, asm_lw(A0, S0, 0));
    put(s, TT_BRISC, asm_beq(A0, X0, -8));
    put(s, TT_BRISC, ASM_EBREAK);
    // Stores in local RAM.
    put(s, TT_NCRISC, asm_lw(A0, S0, 0));
    put(s, TT_NCRISC, asm_sw(A0, S1, 0));
    put(s, TT_NCRISC, asm_beq(A0, X0, -8));
    put(s, TT_NCRISC, ASM_EBREAK);
    // Stores in L1.
    put(s, TT_TRISC0, asm_lw(A0, S0, 0));
    put(s, TT_TRISC0, asm_sw(S0, S0, 64));
    put(s, TT_TRISC0, asm_beq(A0, X0, -8));
    put(s, TT_TRISC0, ASM_EBREAK);
    // Looks at the clock.
    put(s, TT_TRISC1, asm_lw(A0, S4, 0));
    put(s, TT_TRISC1, asm_srli(A0, A0, 12));
    put(s, TT_TRISC1, asm_beq(A0, X0, -8));
    put(s, TT_TRISC1, ASM_EBREAK);
    // Reads five words.
    for (int32_t i = 0; i < 5; i++)
        put(s, TT_TRISC2, asm_lw(A0 + (unsigned)i, S0, 4 * i));
    put(s, TT_TRISC2, asm_beq(A0, X0, -20));
    put(s, TT_TRISC2, ASM_EBREAK);
    s->n_changes = 1;
    s->changes[0] = (struct change){4321, PLAIN_AT, 1};
    assert_false(check_scene(s, "impure", 0));
    mem_free(s);
}

TEST(park_handles_a_poll_through_a_function)
{
    for (uint32_t offset = 0; offset < 40; offset++) {
        struct scene *s = scene_new(TT_WORMHOLE);
        put(s, TT_BRISC, asm_jal(X0, 12));
        put(s, TT_BRISC, asm_lw(A0, S2, 0)); // 1: the function
        put(s, TT_BRISC, ASM_RET);
        put(s, TT_BRISC, asm_jal(RA, -8)); // 3
        put(s, TT_BRISC, asm_beq(A0, X0, -4));
        put_time(s, TT_BRISC);
        put(s, TT_BRISC, ASM_EBREAK);
        put_delay(s, TT_TRISC0, 60);
        put_nops(s, TT_TRISC0, offset);
        put_store(s, TT_TRISC0, S2, 0, 1);
        put(s, TT_TRISC0, ASM_EBREAK);
        assert_true(check_scene(s, "function", offset));
        mem_free(s);
    }
}

// --- all of it, at random ---

static uint32_t pick(uint64_t *state, uint32_t n)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)((*state >> 32) * n >> 32);
}

static void put_random(struct scene *s, unsigned risc, uint64_t *random)
{
    unsigned base = pick(random, 2) ? S0 : S2;
    int32_t word = (int32_t)pick(random, N_WORDS) * STRIDE;
    int32_t other = (int32_t)pick(random, N_WORDS) * STRIDE;
    switch (pick(random, 13)) {
    case 0: put_nops(s, risc, pick(random, 20)); break;
    case 1: put_delay(s, risc, 1 + pick(random, 60)); break;
    case 2:
    case 3: put_store(s, risc, base, word, (int32_t)pick(random, 3)); break;
    case 4: // a pulse
        put_store(s, risc, base, word, 1);
        put_nops(s, risc, pick(random, 12));
        put(s, risc, asm_sw(X0, base, word));
        break;
    case 5:
    case 6: put_wait(s, risc, base, word, pick(random, 4)); break;
    case 7: // until it is zero
        put(s, risc, asm_lw(A0, base, word));
        put(s, risc, ASM_FENCE);
        put(s, risc, asm_bne(A0, X0, -8));
        break;
    case 8: // one of two words
        put(s, risc, asm_lw(A0, base, word));
        put_nops(s, risc, pick(random, 3));
        put(s, risc, asm_lw(A1, pick(random, 2) ? S0 : S2, other));
        put(s, risc, asm_or(A2, A0, A1));
        put(s, risc, asm_beq(A2, X0, -12));
        break;
    case 9: // not for ever
        put(s, risc, asm_addi(T1, X0, 1 + (int32_t)pick(random, 50)));
        put(s, risc, asm_lw(A0, base, word));
        put(s, risc, asm_bne(A0, X0, 12));
        put(s, risc, asm_addi(T1, T1, -1));
        put(s, risc, asm_bne(T1, X0, -12));
        break;
    case 10: // one more
        put(s, risc, asm_lw(A0, base, word));
        put(s, risc, asm_addi(A0, A0, 1));
        put(s, risc, asm_sw(A0, base, word));
        break;
    case 11: // a counter of a circular buffer
        put(s, risc, asm_lw(A0, S5, 0));
        put(s, risc, asm_addi(A0, A0, 1));
        put(s, risc, asm_sw(A0, S5, 0));
        break;
    default: // equal to what it was
        put(s, risc, asm_lw(A3, base, word));
        put(s, risc, asm_lw(A0, base, word));
        put(s, risc, asm_beq(A0, A3, -4));
        break;
    }
    put_time(s, risc);
}

static struct scene *random_scene(unsigned seed)
{
    uint64_t random = seed * 0x9E3779B97F4A7C15u;
    struct scene *s = scene_new(seed % 4 ? TT_WORMHOLE : TT_BLACKHOLE);
    unsigned n_riscs = 2 + pick(&random, 4);
    for (unsigned risc = 0; risc < n_riscs; risc++) {
        uint32_t items = 4 + pick(&random, 30);
        for (uint32_t i = 0; i < items; i++)
            put_random(s, risc, &random);
        put(s, risc, ASM_EBREAK);
    }
    s->n_changes = pick(&random, 60);
    for (size_t i = 0; i < s->n_changes; i++)
        s->changes[i] = (struct change){pick(&random, 6000),
                                        (pick(&random, 2) ? PLAIN_AT : GUARDED_AT) +
                                            STRIDE * pick(&random, N_WORDS),
                                        pick(&random, 3)};
    return s;
}

// Windows that end anywhere are what accesses of the host make.
TEST(park_changes_nothing_in_random_scenes)
{
    static const uint32_t windows[] = {16, 16, 8, 32, 13, 37};
    unsigned n_parked = 0;
    for (unsigned seed = 1; seed <= 150; seed++) {
        struct scene *s = random_scene(seed);
        s->window = windows[seed % 6];
        n_parked += check_scene(s, "random", seed);
        mem_free(s);
    }
    assert_true(n_parked > 100);
}

TEST(park_works_the_same_with_every_quantum)
{
    static struct end usual, other;
    for (unsigned seed = 1001; seed <= 1020; seed++) {
        struct scene *s = random_scene(seed);
        run_scene(s, true, 16, &usual);
        for (uint32_t quantum = 8; quantum <= 32; quantum += 24) {
            run_scene(s, true, quantum, &other);
            assert_memory_equal(usual.risc, other.risc, sizeof usual.risc);
            assert_memory_equal(usual.plain, other.plain, sizeof usual.plain);
            assert_memory_equal(usual.guarded, other.guarded, sizeof usual.guarded);
        }
        mem_free(s);
    }
}
