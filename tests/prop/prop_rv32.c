// prop_rv32.c - random RV32IM programs run on the device's processor and on an independent
// one (Unicorn): all registers, the memory they touch and the number of instructions must
// be equal, in the fast core and, step by step, in the careful one, with caches and
// without.
#include <inttypes.h>
#include <string.h>
#include <unicorn/unicorn.h>

#include "../support/rv_words.h"
#include "../support/sim_tile.h"
#include "prop.h"
#include "sim/rv32/caches.h"

enum {
    CODE_AT = 0x12000,    // kernel slot of BRISC
    GUARDED_AT = 0x10000, // below the guard: stores take the slow way
    PLAIN_AT = 0x30000,
    WINDOW = 0x1000, // bytes of each memory window, and of local RAM
    STACK = 0x200,   // its upper end is the stack
    WORDS_MOST = 5000,
    RUN_MOST = 200000,
    EXECUTED = 3400, // about so many per program
    LEAVES = 3,
    FUNCTIONS = 3,
};

// Registers that the programs need for themselves; all others are fair game.
enum {
    PLAIN = S0,   // middle of the plain window
    LOCAL = S1,   // middle of local RAM
    GUARDED = S2, // middle of the guarded window
    COUNTER = S3, // and S4: loop counters by depth
    ADDRESS = S6,
};

static const uint8_t results[] = {
    X0, GP, TP, T0, T1, T2, A0, A1, A2, A3, A4, A5,  A6,
    A7, S5, S7, S8, S9, T3, T4, T5, T6, A0, A1, S10, S11,
};
static const uint32_t edges[] = {
    0,          1,          2,          0xFFFFFFFF, 0xFFFFFFFE, 0x80000000,
    0x80000001, 0x7FFFFFFF, 0x7FFFFFFE, 31,         32,         33,
    0xFF,       0x80,       0x7F,       0xFFFF,     0x8000,     0x7FFF,
    0xFFFF8000, 0xFFFFFF80, 0x55555555, 0xAAAAAAAA, 0x10000,    0xFFFF0000,
};

// --- programs ---

struct program {
    struct random random;
    uint32_t words[WORDS_MOST];
    size_t n;
    uint64_t expected, times; // instructions so far; how often the present place runs
    unsigned depth;           // of loops
    size_t leaf[LEAVES];      // where they begin, in words
    struct {
        size_t at;
        unsigned function;
    } calls[WORDS_MOST]; // of functions that are not there yet
    size_t n_calls;
    bool has_functions; // calls of functions are allowed here
};

static void block(struct program *p, unsigned items);

static void put(struct program *p, uint32_t word)
{
    if (p->n < WORDS_MOST)
        p->words[p->n++] = word;
    p->expected += p->times;
}

static uint32_t below(struct program *p, uint32_t n)
{
    return random_below(&p->random, n);
}

static unsigned any_result(struct program *p)
{
    return results[below(p, sizeof results)];
}

static uint32_t any_value(struct program *p)
{
    return below(p, 3) ? edges[below(p, sizeof edges / sizeof *edges)]
                       : (uint32_t)random_bits(&p->random) >> below(p, 32);
}

static int32_t any_immediate(struct program *p)
{
    static const int16_t usual[] = {0, 1, -1, 2047, -2048, 31, 32, 255};
    return below(p, 2) ? usual[below(p, 8)] : (int32_t)below(p, 4096) - 2048;
}

#define TABLE_ROW(name, ...) asm_##name,
static uint32_t (*const register_forms[])(unsigned, unsigned,
                                          unsigned) = {RV_REGISTER_FORMS(TABLE_ROW)};
static uint32_t (*const shift_forms[])(unsigned, unsigned,
                                       unsigned) = {RV_SHIFT_FORMS(TABLE_ROW)};
static uint32_t (*const branch_forms[])(unsigned, unsigned,
                                        int32_t) = {RV_BRANCH_FORMS(TABLE_ROW)};
static uint32_t (*const immediate_forms[])(unsigned, unsigned, int32_t) = {
    asm_addi, asm_slti, asm_sltiu, asm_xori, asm_ori, asm_andi};
static const struct {
    uint32_t (*form)(unsigned, unsigned, int32_t);
    uint32_t bytes;
    bool is_store;
} accesses[] = {
    {asm_lb, 1, false},  {asm_lh, 2, false}, {asm_lw, 4, false}, {asm_lbu, 1, false},
    {asm_lhu, 2, false}, {asm_sb, 1, true},  {asm_sh, 2, true},  {asm_sw, 4, true},
};
#define COUNT(table) ((uint32_t)(sizeof(table) / sizeof *(table)))

static void put_constant(struct program *p, unsigned rd, uint32_t value)
{
    put(p, asm_high(rd, value));
    put(p, asm_low(rd, value));
}

static void put_compute(struct program *p)
{
    unsigned rd = any_result(p), rs1 = below(p, 32), rs2 = below(p, 32);
    switch (below(p, 8)) {
    case 0: put(p, immediate_forms[below(p, 6)](rd, rs1, any_immediate(p))); break;
    case 1: put(p, shift_forms[below(p, 3)](rd, rs1, below(p, 32))); break;
    case 2: put(p, asm_lui(rd, below(p, 1 << 20))); break;
    case 3: put(p, asm_auipc(rd, below(p, 1 << 20))); break;
    case 4:
        if (rd != X0)
            put_constant(p, rd, any_value(p));
        break;
    default: put(p, register_forms[below(p, COUNT(register_forms))](rd, rs1, rs2)); break;
    }
}

static void put_access(struct program *p)
{
    static const uint8_t bases[] = {PLAIN, PLAIN, LOCAL, GUARDED};
    unsigned base = bases[below(p, 4)];
    unsigned i = below(p, COUNT(accesses));
    unsigned value = accesses[i].is_store ? below(p, 32) : any_result(p);
    uint32_t room = base == LOCAL ? WINDOW - STACK : WINDOW;
    if (below(p, 3) == 0) // near others: a word that was just stored, or half of it
        room = 32;
    int32_t offset = (int32_t)(below(p, room) & ~(accesses[i].bytes - 1)) - WINDOW / 2;
    if (below(p, 3) == 0) { // at an address that depends on what was computed
        uint32_t mask = (WINDOW / 4 - 1) & ~(accesses[i].bytes - 1);
        put(p, asm_andi(ADDRESS, below(p, 32), (int32_t)mask));
        put(p, asm_add(ADDRESS, ADDRESS, base));
        base = ADDRESS;
        offset = (int32_t)(below(p, 64) * 4) - 128;
    }
    put(p, accesses[i].form(value, base, offset));
}

static void put_skip(struct program *p)
{
    size_t at = p->n;
    put(p, 0);
    block(p, 1 + below(p, 4));
    int32_t over = (int32_t)(p->n - at) * 4;
    p->words[at] = below(p, 6) == 0
                       ? asm_jal(below(p, 2) ? X0 : T0, over)
                       : branch_forms[below(p, 6)](below(p, 32), below(p, 32), over);
}

static void put_loop(struct program *p)
{
    unsigned counter = COUNTER + p->depth, turns = 1 + below(p, p->depth ? 5 : 9);
    bool is_up = below(p, 3) == 0;
    put(p, asm_addi(counter, X0, is_up ? -(int32_t)turns : (int32_t)turns));
    size_t head = p->n;
    p->depth++;
    p->times *= turns;
    block(p, 2 + below(p, 8));
    put(p, asm_addi(counter, counter, is_up ? 1 : -1));
    int32_t back = (int32_t)(head - p->n) * 4;
    if (is_up)
        put(p, asm_blt(counter, X0, back));
    else
        put(p, below(p, 2) ? asm_bne(counter, X0, back) : asm_blt(X0, counter, back));
    p->times /= turns;
    p->depth--;
}

static void put_call(struct program *p)
{
    if (p->has_functions && below(p, 3) == 0) {
        p->calls[p->n_calls].at = p->n;
        p->calls[p->n_calls++].function = below(p, FUNCTIONS);
        put(p, 0);
    } else {
        int32_t to = (int32_t)(p->leaf[below(p, LEAVES)] * 4);
        int32_t here = (int32_t)(p->n * 4);
        if (below(p, 2)) {
            put(p, asm_jal(RA, to - here));
        } else { // through a register; bit 0 of the sum is dropped
            put(p, asm_auipc(T0, (uint32_t)(to - here + 0x800) >> 12 & 0xFFFFF));
            put(p, asm_low(T0, (uint32_t)(to - here)));
            put(p, asm_jalr(RA, T0, (int32_t)below(p, 2)));
        }
    }
    p->expected += 12 * p->times;
}

static void block(struct program *p, unsigned items)
{
    bool can_call = p->leaf[LEAVES - 1] != 0;
    for (unsigned i = 0; i < items; i++) {
        uint32_t kind = below(p, 16);
        if (kind < 8)
            put_compute(p);
        else if (kind < 12)
            put_access(p);
        else if (kind < 14)
            put_skip(p);
        else if (kind == 14 && p->depth < 2)
            put_loop(p);
        else if (kind == 15 && can_call)
            put_call(p);
    }
}

// Saves the return address and the loop counters, whose values its caller needs.
static void put_function(struct program *p)
{
    static const uint8_t kept[] = {RA, COUNTER, COUNTER + 1};
    put(p, asm_addi(SP, SP, -16));
    for (int32_t i = 0; i < 3; i++)
        put(p, asm_sw(kept[i], SP, 4 * i));
    block(p, 6 + below(p, 6));
    for (int32_t i = 0; i < 3; i++)
        put(p, asm_lw(kept[i], SP, 4 * i));
    put(p, asm_addi(SP, SP, 16));
    put(p, ASM_RET);
}

static void make_program(struct program *p, uint64_t seed)
{
    p->random.state = seed;
    p->n = p->n_calls = 0;
    p->expected = p->depth = 0;
    p->has_functions = false;
    memset(p->leaf, 0, sizeof p->leaf);
    p->times = 0;
    put(p, 0); // to the main part
    size_t leaf[LEAVES];
    for (unsigned i = 0; i < LEAVES; i++) {
        leaf[i] = p->n;
        p->depth = 2; // leaves have no loops and no calls
        block(p, 1 + below(p, 8));
        put(p, ASM_RET);
    }
    p->depth = 0;
    memcpy(p->leaf, leaf, sizeof leaf);
    p->words[0] = asm_jal(X0, (int32_t)(p->n * 4));
    p->times = 1;
    p->has_functions = true;
    put_constant(p, PLAIN, PLAIN_AT + WINDOW / 2);
    put_constant(p, LOCAL, TT_LOCAL_RAM + WINDOW / 2);
    put_constant(p, GUARDED, GUARDED_AT + WINDOW / 2);
    put_constant(p, SP, TT_LOCAL_RAM + WINDOW);
    while (p->expected < EXECUTED && p->n < WORDS_MOST - 1000)
        block(p, 8);
    put(p, ASM_EBREAK);
    p->times = 0;
    p->has_functions = false;
    size_t function[FUNCTIONS];
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        function[i] = p->n;
        put_function(p);
    }
    for (size_t i = 0; i < p->n_calls; i++) {
        size_t at = p->calls[i].at, to = function[p->calls[i].function];
        p->words[at] = asm_jal(RA, (int32_t)(to - at) * 4);
    }
}

// --- what both processors start from and end in ---

struct state {
    uint32_t x[32], pc;
    uint64_t instructions;
    uint8_t plain[WINDOW], guarded[WINDOW], local[WINDOW];
};

static void make_state(struct state *s, struct program *p)
{
    s->x[0] = 0;
    for (unsigned i = 1; i < 32; i++)
        s->x[i] = any_value(p);
    s->pc = CODE_AT;
    s->instructions = 0;
    uint8_t *windows[] = {s->plain, s->guarded, s->local};
    for (unsigned w = 0; w < 3; w++) {
        for (uint32_t i = 0; i < WINDOW; i += 4) {
            uint32_t value = any_value(p);
            memcpy(windows[w] + i, &value, 4);
        }
    }
}

// One line about the first difference, "" when there is none.
static void compare(const struct state *ours, const struct state *theirs, char *out,
                    size_t bytes)
{
    const uint8_t *const windows[][2] = {{ours->plain, theirs->plain},
                                         {ours->guarded, theirs->guarded},
                                         {ours->local, theirs->local}};
    static const uint32_t at[] = {PLAIN_AT, GUARDED_AT, TT_LOCAL_RAM};
    out[0] = '\0';
    for (unsigned i = 0; i < 32; i++)
        if (ours->x[i] != theirs->x[i]) {
            (void)snprintf(out, bytes, "x%u is %08" PRIx32 ", not %08" PRIx32, i,
                           ours->x[i], theirs->x[i]);
            return;
        }
    for (unsigned w = 0; w < 3; w++)
        for (uint32_t i = 0; i < WINDOW; i++)
            if (windows[w][0][i] != windows[w][1][i]) {
                (void)snprintf(out, bytes, "byte 0x%08" PRIx32 " is %02x, not %02x",
                               at[w] + i, windows[w][0][i], windows[w][1][i]);
                return;
            }
    if (ours->pc != theirs->pc)
        (void)snprintf(out, bytes, "pc is 0x%" PRIx32 ", not 0x%" PRIx32, ours->pc,
                       theirs->pc);
    else if (ours->instructions != theirs->instructions)
        (void)snprintf(out, bytes, "%" PRIu64 " instructions, not %" PRIu64,
                       ours->instructions, theirs->instructions);
}

// --- theirs ---

// What an instruction found when it began.
struct step {
    uint32_t pc, x[32];
};

struct recorder {
    uc_engine *engine;
    VEC(struct step) steps;
    uint64_t n;
    bool is_on;
};

static void on_instruction(uc_engine *engine, uint64_t address, uint32_t size,
                           void *context)
{
    struct recorder *r = context;
    (void)size;
    r->n++;
    if (!r->is_on)
        return;
    struct step step = {.pc = (uint32_t)address};
    for (int i = 1; i < 32; i++)
        uc_reg_read(engine, UC_RISCV_REG_X0 + i, &step.x[i]);
    vec_push(&r->steps, step);
}

static bool run_theirs(struct recorder *r, const struct program *p, struct state *s)
{
    uc_engine *engine = r->engine;
    uc_mem_write(engine, CODE_AT, p->words, p->n * 4);
    uc_ctl_remove_cache(engine, CODE_AT, CODE_AT + WORDS_MOST * 4);
    uc_mem_write(engine, PLAIN_AT, s->plain, WINDOW);
    uc_mem_write(engine, GUARDED_AT, s->guarded, WINDOW);
    uc_mem_write(engine, TT_LOCAL_RAM, s->local, WINDOW);
    for (int i = 1; i < 32; i++)
        uc_reg_write(engine, UC_RISCV_REG_X0 + i, &s->x[i]);
    uint64_t end = CODE_AT;
    for (size_t i = 0; i < p->n; i++)
        if (p->words[i] == ASM_EBREAK)
            end = CODE_AT + i * 4;
    r->n = 0;
    r->steps.n = 0;
    uc_err failed = uc_emu_start(engine, CODE_AT, end, 0, RUN_MOST);
    uc_mem_read(engine, PLAIN_AT, s->plain, WINDOW);
    uc_mem_read(engine, GUARDED_AT, s->guarded, WINDOW);
    uc_mem_read(engine, TT_LOCAL_RAM, s->local, WINDOW);
    for (int i = 1; i < 32; i++)
        uc_reg_read(engine, UC_RISCV_REG_X0 + i, &s->x[i]);
    uc_reg_read(engine, UC_RISCV_REG_PC, &s->pc);
    s->instructions = r->n + 1; // the ebreak that ends it
    return failed == UC_ERR_OK;
}

static uc_engine *open_theirs(struct recorder *r)
{
    uc_hook hook;
    if (uc_open(UC_ARCH_RISCV, UC_MODE_RISCV32, &r->engine) != UC_ERR_OK)
        return NULL;
    uc_mem_map(r->engine, GUARDED_AT, WINDOW, UC_PROT_ALL);
    uc_mem_map(r->engine, CODE_AT, 0x8000, UC_PROT_ALL);
    uc_mem_map(r->engine, PLAIN_AT, WINDOW, UC_PROT_ALL);
    uc_mem_map(r->engine, TT_LOCAL_RAM, WINDOW, UC_PROT_ALL);
    // The library takes every kind of callback as an object pointer.
    union {
        void (*call)(uc_engine *, uint64_t, uint32_t, void *);
        void *pointer;
    } callback = {.call = on_instruction};
    uc_hook_add(r->engine, &hook, UC_HOOK_CODE, callback.pointer, r, (uint64_t)1,
                (uint64_t)0);
    return r->engine;
}

// --- ours ---

// Compares each step with what the other processor recorded.
struct follower {
    const struct recorder *theirs;
    uint64_t n;
    uint32_t pc, word; // of the step before: what made the difference
    char difference[200];
};

// "step 12, add a0,a1,a2 at 0x12034"
static void name_step(const struct follower *f, char *out, size_t bytes)
{
    char text[64];
    rv_disasm(f->word, f->pc, text, sizeof text);
    (void)snprintf(out, bytes, "step %" PRIu64 ", %s at 0x%" PRIx32, f->n, text, f->pc);
}

static void on_step(void *context, const ttdev_step *step)
{
    struct follower *f = context;
    const struct step *theirs = &f->theirs->steps.v[f->n];
    char name[100];
    if (f->difference[0] || f->n >= f->theirs->steps.n) // the last step is the ebreak
        return;
    name_step(f, name, sizeof name);
    if (step->pc != theirs->pc)
        (void)snprintf(f->difference, sizeof f->difference,
                       "%s went to 0x%" PRIx32 ", not to 0x%" PRIx32, name, step->pc,
                       theirs->pc);
    for (unsigned i = 1; i < 32 && !f->difference[0]; i++)
        if (step->x[i] != theirs->x[i])
            (void)snprintf(f->difference, sizeof f->difference,
                           "%s left %08" PRIx32 " in x%u, not %08" PRIx32, name, step->x[i],
                           i, theirs->x[i]);
    f->n++;
    f->pc = step->pc;
    f->word = step->word;
}

static bool run_ours(struct sim_tile *machine, const struct program *p, struct state *s,
                     struct follower *follower)
{
    struct risc *risc = &machine->tile.risc[TT_BRISC];
    sim_tile_load(machine, TT_BRISC, CODE_AT, p->words, p->n);
    memcpy(machine->tile.l1 + PLAIN_AT, s->plain, WINDOW);
    memcpy(machine->tile.l1 + GUARDED_AT, s->guarded, WINDOW);
    memcpy(risc->local, s->local, WINDOW);
    memcpy(risc->x, s->x, sizeof s->x);
    if (risc->caches)
        caches_flush(risc); // it does not see what is put into L1 here
    uint64_t before = risc->instructions;
    if (follower)
        sim_tile_trace(machine, TT_BRISC, on_step, follower);
    for (uint64_t limit = SIM_SLICE; risc->state == RISC_RUNS && limit < 1 << 20;
         limit += SIM_SLICE)
        rv_run(risc, limit);
    sim_tile_trace(machine, TT_BRISC, NULL, NULL);
    memcpy(s->plain, machine->tile.l1 + PLAIN_AT, WINDOW);
    memcpy(s->guarded, machine->tile.l1 + GUARDED_AT, WINDOW);
    memcpy(s->local, risc->local, WINDOW);
    memcpy(s->x, risc->x, sizeof s->x);
    s->pc = risc->pc;
    s->instructions = risc->instructions - before;
    return risc->state == RISC_HALTED && machine->tile.fault.kind == FAULT_NONE;
}

// --- laws ---

enum { LAW_FAST, LAW_CAREFUL, LAW_CACHES, LAW_LENGTH, LAWS };
static struct law laws[LAWS] = {
    [LAW_FAST] = {.name = "a program leaves the registers and memory that Unicorn leaves"},
    [LAW_CAREFUL] = {.name = "the careful core does so step by step"},
    [LAW_CACHES] = {.name = "a processor with the caches of Blackhole does so, too"},
    [LAW_LENGTH] = {.name = "programs run 3000 instructions on average"},
};

// Only the careful core has caches; no other writer of L1 is there, so they change nothing.
static void check_caches(struct sim_tile *cached, const struct program *p,
                         const struct state *start, const struct state *theirs,
                         uint64_t seed)
{
    static struct state ours;
    char difference[200];
    ours = *start;
    bool is_done = run_ours(cached, p, &ours, NULL);
    compare(&ours, theirs, difference, sizeof difference);
    (void)law_check(&laws[LAW_CACHES], is_done && !difference[0],
                    "seed %" PRIu64 ": %s; %s", seed, is_done ? "ends" : "does not end",
                    difference);
}

static void check_program(struct recorder *r, struct sim_tile *machine,
                          struct sim_tile *cached, uint64_t seed, uint64_t *executed)
{
    static struct program program;
    static struct state start, theirs, ours;
    struct follower follower = {.theirs = r};
    char difference[200];
    make_program(&program, seed);
    make_state(&start, &program);
    theirs = ours = start;
    r->is_on = seed % 8 == 0;
    if (!run_theirs(r, &program, &theirs)) {
        (void)law_check(&laws[LAW_FAST], false,
                        "seed %" PRIu64 ": Unicorn stopped at 0x%" PRIx32, seed, theirs.pc);
        return;
    }
    *executed += theirs.instructions;
    if (seed % 4 == 0)
        check_caches(cached, &program, &start, &theirs, seed);
    bool is_done = run_ours(machine, &program, &ours, NULL);
    compare(&ours, &theirs, difference, sizeof difference);
    bool is_same = is_done && !difference[0];
    if (!is_same && !r->is_on) { // again, to see where they part
        struct state again = start;
        r->is_on = true;
        (void)run_theirs(r, &program, &again);
    }
    if (r->is_on) {
        struct state again = start;
        (void)run_ours(machine, &program, &again, &follower);
        (void)law_check(&laws[LAW_CAREFUL], !follower.difference[0], "seed %" PRIu64 ": %s",
                        seed, follower.difference);
        if (!follower.difference[0])
            compare(&again, &theirs, follower.difference, sizeof follower.difference);
        (void)law_check(&laws[LAW_CAREFUL], !follower.difference[0], "seed %" PRIu64 ": %s",
                        seed, follower.difference);
    }
    (void)law_check(&laws[LAW_FAST], is_same, "seed %" PRIu64 ": %s; %s; %s", seed,
                    is_done ? "ends" : "does not end", difference, follower.difference);
}

int main(void)
{
    struct recorder recorder = {0};
    struct sim_tile machine, cached;
    ttdev_cfg caches;
    uint64_t programs = prop_rounds(1000), executed = 0;
    if (!open_theirs(&recorder)) {
        (void)printf("1..0 # SKIP Unicorn does not run RV32 here\n");
        return 0;
    }
    ttdev_cfg_default(&caches);
    caches.icache = caches.l0 = true;
    sim_tile_open(&machine, TT_WORMHOLE);
    sim_tile_open_as(&cached, TT_BLACKHOLE, &caches);
    for (uint64_t seed = 1; seed <= programs; seed++)
        check_program(&recorder, &machine, &cached, seed, &executed);
    (void)law_check(&laws[LAW_LENGTH], executed >= 3000 * programs,
                    "%" PRIu64 " on average", executed / programs);
    sim_tile_close(&machine);
    sim_tile_close(&cached);
    vec_free(&recorder.steps);
    uc_close(recorder.engine);
    return laws_report(laws, LAWS);
}
