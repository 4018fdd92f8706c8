// What recording costs, as golden values: instructions and cycles of each macro and bytes
// of code, without the function around it; the flush at the end of a program. They are part
// of the interface: a change here is a change for every kernel.
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "sample_profile.h"

enum { BRISC = 1 << TT_BRISC, MOST_ZONE_CYCLES = 40 };

static const char *const chips[] = {"board=n150", "arch=blackhole board=p150"};
enum { CHIPS = sizeof chips / sizeof *chips };

enum { NOTHING, ZONE, SUM, EVENT, DATA, DATA16, MACROS };
static const char *const names[MACROS] = {"cost_nothing", "cost_zone", "cost_sum",
                                          "cost_event",   "cost_data", "cost_data16"};

struct cost {
    uint32_t instructions, cycles, bytes;
};

// --- measuring --------------------------------------------------------------------------
struct meter {
    int macro; // that is being executed, -1: none
    uint64_t start;
    uint32_t instructions;
    struct cost last[MACROS]; // of the last call
};

static void take_step(void *context, const ttdev_step *step)
{
    struct meter *m = context;
    int macro = strncmp(step->symbol, "ttk_room", 8) == 0 ? m->macro : -1; // out of line
    for (int i = 0; i < MACROS; i++)
        if (strcmp(step->symbol, names[i]) == 0)
            macro = i;
    if (macro != m->macro && m->macro >= 0) {
        m->last[m->macro].instructions = m->instructions;
        m->last[m->macro].cycles = (uint32_t)(step->cycle - m->start);
    }
    if (macro != m->macro) {
        m->start = step->cycle;
        m->instructions = 0;
    }
    m->macro = macro;
    m->instructions++;
}

static uint32_t symbol_bytes(const uint8_t *elf, const char *name)
{
    Elf32_Ehdr head;
    memcpy(&head, elf, sizeof head);
    for (int i = 0; i < head.e_shnum; i++) {
        Elf32_Shdr table, text;
        memcpy(&table, elf + head.e_shoff + (size_t)i * sizeof table, sizeof table);
        if (table.sh_type != SHT_SYMTAB)
            continue;
        memcpy(&text, elf + head.e_shoff + table.sh_link * sizeof text, sizeof text);
        for (uint32_t at = 0; at < table.sh_size; at += sizeof(Elf32_Sym)) {
            Elf32_Sym symbol;
            memcpy(&symbol, elf + table.sh_offset + at, sizeof symbol);
            const char *its = (const char *)elf + text.sh_offset + symbol.st_name;
            if (strcmp(its, name) == 0)
                return symbol.st_size;
        }
    }
    fail_msg("no %s", name);
    return 0;
}

// The costs of each macro over those of a function without one, in the last of some rounds.
static void measure_after(const char *chip, const char *variant, uint32_t flags,
                          uint32_t rounds, struct cost costs[MACROS])
{
    char config[96], full[256];
    struct profile p;
    struct meter m = {.macro = -1};
    const void *elf;
    size_t bytes;
    (void)snprintf(config, sizeof config, "%s variant=%s", chip, variant);
    profile_open(&p, config, flags);
    assert_int_equal(
        ttdev_trace_risc(p.t, 0, p.core, TT_BRISC, 0, UINT64_MAX, take_step, &m), 0);
    assert_int_equal(profile_try(&p, "kernels/profile_cost", BRISC, 1, &rounds, 1), 0);
    image_full_name(p.t, TT_BRISC, "kernels/profile_cost", full, sizeof full);
    assert_true(images_find_in(kernels_pack, full, &elf, &bytes));
    for (int i = MACROS - 1; i >= 0; i--) {
        costs[i] = m.last[i];
        costs[i].bytes = symbol_bytes(elf, names[i]);
        assert_true(costs[i].instructions > 0);
        costs[i].instructions -= m.last[NOTHING].instructions;
        costs[i].cycles -= m.last[NOTHING].cycles;
        costs[i].bytes -= symbol_bytes(elf, names[NOTHING]);
    }
    profile_close(&p);
}

static void measure(const char *chip, const char *variant, uint32_t flags,
                    struct cost costs[MACROS])
{
    measure_after(chip, variant, flags, 3, costs);
}

static void check(const char *what, const struct cost got[MACROS],
                  const struct cost want[MACROS])
{
    bool is_same = true;
    for (int i = ZONE; i < MACROS; i++)
        is_same &= memcmp(&got[i], &want[i], sizeof got[i]) == 0;
    for (int i = ZONE; i < MACROS && !is_same; i++)
        print_error("%s %s: %u instructions, %u cycles, %u bytes\n", what, names[i],
                    got[i].instructions, got[i].cycles, got[i].bytes);
    assert_true(is_same);
}

// --- the values -------------------------------------------------------------------------
// The same code on both chips. Bytes are with what lies out of the way: the loops for a
// clock that wrapped, the call for room.
static const struct cost recorded[MACROS] = {
    [ZONE] = {35, 37, 288},  // two markers
    [SUM] = {5, 5, 68},      // without the option
    [EVENT] = {19, 20, 180}, //
    [DATA] = {26, 27, 204},  //
    [DATA16] = {29, 30, 216},
};
static const struct cost summed = {14, 23, 68}; // with the option; Blackhole: 27 cycles

TEST(costs_of_markers_are_as_published)
{
    for (int chip = 0; chip < CHIPS; chip++) {
        struct cost costs[MACROS];
        measure(chips[chip], "prof", TT_LEVEL_ALL, costs);
        assert_true(costs[ZONE].cycles <= MOST_ZONE_CYCLES);
        check(chips[chip], costs, recorded);
    }
}

TEST(costs_of_sums_are_as_published)
{
    for (uint32_t chip = 0; chip < CHIPS; chip++) {
        struct cost costs[MACROS];
        measure(chips[chip], "prof", TT_LEVEL_ALL | TT_FLAG_SUM, costs);
        assert_int_equal(costs[SUM].instructions, summed.instructions);
        assert_int_equal(costs[SUM].cycles, summed.cycles + 4 * chip);
        assert_int_equal(costs[SUM].bytes, summed.bytes);
    }
}

static void check_cycles(const char *what, const struct cost got[MACROS],
                         const uint32_t want[MACROS])
{
    bool is_same = true;
    for (int i = ZONE; i < MACROS; i++)
        is_same &= got[i].cycles == want[i];
    for (int i = ZONE; i < MACROS && !is_same; i++)
        print_error("%s %s: %u cycles\n", what, names[i], got[i].cycles);
    assert_true(is_same);
}

// A kernel that records more than fits must not run slower for it.
TEST(costs_of_markers_that_do_not_fit_are_at_most_30_cycles)
{
    enum { MOST_DROPPED_CYCLES = 30, ROUNDS = 60 };
    static const uint32_t want[CHIPS][MACROS] = {{0, 22, 5, 21, 26, 26},
                                                 {0, 24, 5, 23, 28, 28}};
    for (int chip = 0; chip < CHIPS; chip++) {
        struct cost costs[MACROS];
        measure_after(chips[chip], "prof", TT_LEVEL_ALL, ROUNDS, costs);
        check_cycles(chips[chip], costs, want[chip]);
        for (int i = ZONE; i < MACROS; i++)
            assert_true(costs[i].cycles <= MOST_DROPPED_CYCLES);
        assert_true(costs[ZONE].cycles < recorded[ZONE].cycles);
    }
}

// At the coarse level a macro finds no room and leaves it at that.
TEST(costs_of_markers_that_are_switched_off_are_those_of_a_look)
{
    static const uint32_t want[CHIPS][MACROS] = {{0, 27, 5, 23, 28, 28},
                                                 {0, 33, 5, 27, 32, 32}};
    for (int chip = 0; chip < CHIPS; chip++) {
        struct cost costs[MACROS];
        measure(chips[chip], "prof", TT_LEVEL_COARSE, costs);
        check_cycles(chips[chip], costs, want[chip]);
    }
}

TEST(costs_without_profiling_are_none)
{
    for (int chip = 0; chip < CHIPS; chip++) {
        static const struct cost want[MACROS] = {{0}};
        struct cost costs[MACROS];
        measure(chips[chip], "off", TT_LEVEL_ALL, costs);
        check(chips[chip], costs, want);
    }
}

// Cycles of the push of five vectors with so many zones each.
TEST(costs_of_a_flush_are_as_published)
{
    static const uint32_t zones[] = {0, 10, 125};
    static const uint32_t want[CHIPS][3] = {{1135, 1135, 1183}, {1215, 1215, 1215}};
    for (int chip = 0; chip < CHIPS; chip++) {
        char config[96];
        struct profile p;
        (void)snprintf(config, sizeof config, "%s variant=prof", chips[chip]);
        profile_open(&p, config, TT_LEVEL_ALL);
        for (int i = 0; i < 3; i++) {
            profile_run(&p, (1 << TT_RISCS) - 1, 1, PROFILE_ZONES, zones[i]);
            assert_int_equal(profile_get(&p, TT_CONTROL_FLUSH_COUNT), i + 1);
            assert_int_equal(profile_get(&p, TT_CONTROL_LAST_FLUSH + 2) -
                                 profile_get(&p, TT_CONTROL_LAST_FLUSH),
                             want[chip][i]);
        }
        profile_close(&p);
    }
}
