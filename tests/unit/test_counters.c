// test_counters.c - performance counter registers over the engine's busy times and what
// goes over the NoCs.
#include "sample_tile.h"
#include "test.h"
#include "ttprof/perf_counters.h"

enum { A = 0x40000, B = 0x41000, C = 0x42000, BF16 = TT_FORMAT_BFLOAT16 };
enum { UNPACK = ENGINE_UNPACK, MATH = ENGINE_MATH, PACK = ENGINE_PACK };
// Register blocks: period, mode, start; then outputs.
struct registers {
    uint32_t control, out;
};
static const struct registers fpu = {0x018, 0x120}, unpack = {0x00C, 0x108},
                              pack = {0x0F0, 0x110}, l1 = {0x030, 0x118},
                              threads = {0x000, 0x100};

static void control(struct sample_tile *sample, struct registers r, uint32_t value,
                    uint64_t cycle)
{
    tile_run(&sample->tile, cycle);
    assert_true(counters_write(&sample->tile, r.control + 8, 0, cycle));
    assert_true(counters_write(&sample->tile, r.control + 8, value, cycle));
}

static uint32_t count(struct sample_tile *sample, struct registers r, uint32_t select,
                      uint64_t cycle)
{
    uint32_t value;
    tile_run(&sample->tile, cycle);
    assert_true(counters_write(&sample->tile, r.control + 4, select << 8, cycle));
    assert_true(counters_read(&sample->tile, r.control + 4, cycle, &value));
    assert_int_equal(value, select << 8);
    assert_true(counters_read(&sample->tile, r.out + 4, cycle, &value));
    return value;
}

static uint32_t reference(struct sample_tile *sample, struct registers r, uint64_t cycle)
{
    uint32_t value;
    assert_true(counters_read(&sample->tile, r.out, cycle, &value));
    return value;
}

// One product in HiFi4: unpack 0..56, sources valid at 61, FPU 65..129, pack 134..170.
static struct sample_tile *sample_product(int arch)
{
    static const struct registers all[] = {
        {0x018, 0}, {0x00C, 0}, {0x0F0, 0}, {0x030, 0}, {0x000, 0}};
    struct sample_tile *sample = sample_tile_new(arch);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        control(sample, all[i], 1, 0);
    sample_tile_enqueue(sample, UNPACK, 0, TT_UNPACK_AB, A, BF16, B, BF16);
    sample_tile_enqueue(sample, MATH, 0, TT_MATH_ACQUIRE, 0, 0, 0, 0);
    sample_tile_enqueue(sample, MATH, 0, TT_MATH_MATMUL, 0, 4, 0, 0);
    sample_tile_enqueue(sample, MATH, 0, TT_MATH_COMMIT, 0, 0, 0, 0);
    sample_tile_enqueue(sample, PACK, 0, TT_PACK_WAIT, 0, 0, 0, 0);
    sample_tile_enqueue(sample, PACK, 0, TT_PACK_TILE, 0, C, BF16, 0);
    return sample;
}

TEST(busy_counters_are_exact_in_the_middle_of_an_operation)
{
    struct sample_tile *sample = sample_product(TT_WORMHOLE);
    assert_int_equal(count(sample, unpack, 7, 10), 10);
    assert_int_equal(count(sample, unpack, 8, 10), 10);
    assert_int_equal(count(sample, unpack, 6, 10), 6); // without the issue
    assert_int_equal(count(sample, fpu, 0, 65), 0);
    assert_int_equal(count(sample, unpack, 3, 66), 1);
    assert_int_equal(count(sample, fpu, 0, 66), 1);
    assert_int_equal(count(sample, fpu, 0, 100), 35);
    assert_int_equal(count(sample, fpu, 257, 100), 35);
    assert_int_equal(count(sample, fpu, 1, 100), 0);
    assert_int_equal(count(sample, fpu, 0, 500), 64);
    assert_int_equal(reference(sample, fpu, 500), 500);
    assert_int_equal(count(sample, unpack, 7, 500), 56);
    assert_int_equal(count(sample, unpack, 5, 500), 52);
    assert_int_equal(count(sample, pack, 18, 500), 36);
    assert_int_equal(count(sample, pack, 11, 500), 32);
    sample_tile_free(sample);
}

TEST(waiting_counts_while_it_lasts)
{
    static const uint32_t select_a[] = {33, 29}, select_b[] = {36, 30};
    for (int arch = 0; arch < TT_ARCHES; arch++) {
        struct sample_tile *sample = sample_product(arch);
        assert_int_equal(count(sample, threads, select_a[arch], 30), 30);
        assert_int_equal(count(sample, threads, 26, 30), 30);
        assert_int_equal(count(sample, threads, select_a[arch], 500), 61);
        assert_int_equal(count(sample, threads, select_b[arch], 500), 61);
        assert_int_equal(count(sample, threads, 24, 500), 0);
        assert_int_equal(count(sample, threads, 25, 500), 61);
        assert_int_equal(count(sample, threads, 26, 500), 134);
        sample_tile_free(sample);
    }
}

TEST(an_unpack_only_operand_leaves_the_other_unpacker_idle)
{
    struct sample_tile *sample = sample_tile_new(TT_WORMHOLE);
    control(sample, unpack, 1, 0);
    control(sample, fpu, 1, 0);
    sample_tile_enqueue(sample, UNPACK, 0, TT_UNPACK_A, A, BF16, 0, 0);
    sample_tile_enqueue(sample, MATH, 0, TT_MATH_ACQUIRE, 0, 0, 0, 0);
    sample_tile_enqueue(sample, MATH, 0, TT_MATH_COPY, 0, 0, 0, 0);
    sample_tile_enqueue(sample, MATH, 0, TT_MATH_SFPU, 0, TT_SFPU_EXP, 0, 0);
    assert_int_equal(count(sample, unpack, 7, 900), 36);
    assert_int_equal(count(sample, unpack, 8, 900), 0);
    assert_int_equal(count(sample, unpack, 3, 900), 2);
    assert_int_equal(count(sample, fpu, 0, 900), 16);
    assert_int_equal(count(sample, fpu, 1, 900), 384);
    assert_int_equal(count(sample, fpu, 257, 900), 400);
    sample_tile_free(sample);
}

TEST(counters_stand_between_stop_and_start)
{
    struct sample_tile *sample = sample_product(TT_WORMHOLE);
    control(sample, fpu, 2, 90);
    assert_int_equal(count(sample, fpu, 0, 500), 25);
    assert_int_equal(reference(sample, fpu, 500), 90);
    control(sample, fpu, 1, 600); // and clear
    assert_int_equal(count(sample, fpu, 0, 650), 0);
    assert_int_equal(reference(sample, fpu, 650), 50);
    sample_tile_free(sample);
}

TEST(only_a_rising_bit_starts_or_stops)
{
    struct sample_tile *sample = sample_product(TT_WORMHOLE);
    tile_run(&sample->tile, 100);
    assert_true(counters_write(&sample->tile, fpu.control + 8, 1, 100)); // was 1
    assert_int_equal(count(sample, fpu, 0, 200), 64);
    assert_int_equal(reference(sample, fpu, 200), 200);
    sample_tile_free(sample);
}

// All three queues full at cycle 0; bf16 on Wormhole. Two banks of sources, two halves of
// Dst:
//   unpack  0..56  56..112  (a bank is free at 129) 129..185
//   math    (data at 61) 61..129  129..197  (a half is free at 298) 298..366
//   pack    (committed at 134) 134..298  (written at 303) 303..467
static struct sample_tile *sample_crowd(int arch)
{
    static const struct registers all[] = {
        {0x018, 0}, {0x00C, 0}, {0x0F0, 0}, {0x030, 0}, {0x000, 0}};
    struct sample_tile *sample = sample_tile_new(arch);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        control(sample, all[i], 1, 0);
    for (int i = 0; i < 3; i++) {
        sample_tile_enqueue(sample, UNPACK, 0, TT_UNPACK_AB, A, BF16, B, BF16);
        sample_tile_enqueue(sample, MATH, 0, TT_MATH_ACQUIRE, 0, 0, 0, 0);
        sample_tile_enqueue(sample, MATH, 0, TT_MATH_MATMUL, 0, 4, 0, 0);
        sample_tile_enqueue(sample, MATH, 0, TT_MATH_COMMIT, 0, 0, 0, 0);
    }
    for (int i = 0; i < 2; i++) {
        sample_tile_enqueue(sample, PACK, 0, TT_PACK_WAIT, 0, 0, 0, 0);
        sample_tile_enqueue(sample, PACK, 0, TT_PACK_TILE, 0, C, BF16,
                            2); // 5 times as long
        sample_tile_enqueue(sample, PACK, 0, TT_PACK_RELEASE, 0, 0, 0, 0);
        sample_tile_enqueue(sample, PACK, 0, TT_PACK_PUSH, 0, 1, 0, 0);
    }
    return sample;
}

TEST(stalls_are_counted_by_their_cause)
{
    static const struct {
        uint32_t select[TT_ARCHES], cycle, want;
        const char *what;
    } cases[] = {
        {{61, 53}, 100, 100, "a committed half of Dst, while it waits"},
        {{27, 27}, 112, 0, "a free bank of SrcA"},
        {{27, 27}, 120, 8, "the same, while it waits"},
        {{30, 28}, 120, 8, "a free bank of SrcB"},
        {{18, 18}, 150, 150, "unpack has something to do"},
        {{53, 45}, 197, 0, "a free half of Dst"},
        {{53, 45}, 250, 53, "the same, while it waits"},
        {{59, 51}, 300, 2, "the tiles packed before"},
        {{27, 27}, 900, 17, "a free bank of SrcA"},
        {{30, 28}, 900, 17, "a free bank of SrcB"},
        {{33, 29}, 900, 61, "data in SrcA"},
        {{36, 30}, 900, 61, "data in SrcB"},
        {{53, 45}, 900, 298 - 197, "a free half of Dst"},
        {{61, 53}, 900, 134, "a committed half of Dst"},
        {{59, 51}, 900, 5 + 5, "the tiles packed before"},
        {{24, 24}, 900, 17, "thread 0"},
        {{25, 25}, 900, 61 + 101, "thread 1"},
        {{26, 26}, 900, 134 + 10, "thread 2"},
        {{18, 18}, 900, 185, "unpack has something to do all the time"},
        {{16, 16}, 900, 129 + 68 + 68, "math, but for the half of Dst"},
        {{23, 23}, 900, 164 + 164, "pack"},
    };
    for (int arch = 0; arch < TT_ARCHES; arch++) {
        struct sample_tile *sample = sample_crowd(arch);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            uint32_t got = count(sample, threads, cases[i].select[arch], cases[i].cycle);
            if (got != cases[i].want)
                fail_msg("%s, cycle %u: %u, expected %u", cases[i].what, cases[i].cycle,
                         got, cases[i].want);
        }
        sample_tile_free(sample);
    }
}

TEST(l1_ports_count_while_data_move)
{
    for (int arch = 0; arch < TT_ARCHES; arch++) {
        struct sample_tile *sample = sample_crowd(arch);
        assert_int_equal(count(sample, l1, 0, 60), 52); // the unpacker's
        assert_int_equal(count(sample, l1, 0, 900), 3 * 52);
        bool has_packer = arch == TT_BLACKHOLE; // Wormhole's port is shared
        assert_int_equal(count(sample, l1, 1, 900), has_packer ? 2 * 160 : 0);
        assert_int_equal(reference(sample, l1, 900), has_packer ? 900 : 0);
        sample_tile_free(sample);
    }
}

TEST(noc_beats_are_those_of_a_ring)
{
    struct sample_tile *sample = sample_tile_new(TT_BLACKHOLE);
    sample->tile.noc_beats[0][0] = 1000;
    control(sample, l1, 1, 0);
    for (uint32_t i = 0; i < BEATS; i++) {
        sample->tile.noc_beats[0][i] += 10 + i;
        sample->tile.noc_beats[1][i] += 20 + i;
    }
    for (uint32_t noc = 0; noc < 2; noc++) {
        assert_true(counters_write(&sample->tile, 0x218, noc << 4, 10));
        for (uint32_t i = 0; i < BEATS; i++)
            assert_int_equal(count(sample, l1, 4 + i, 10), 10 + 10 * noc + i);
        uint32_t mux;
        assert_true(counters_read(&sample->tile, 0x218, 10, &mux));
        assert_int_equal(mux, noc << 4);
    }
    sample_tile_free(sample);
}

// The table of all counters, and which of them the device has by its own account.
TEST(a_counter_that_is_not_modelled_has_no_reference_cycles)
{
    static const struct {
        int id, group, select[TT_ARCHES];
    } rows[] = {
#define ROW(number, name, group, wormhole, blackhole)                                      \
    {number, TT_PERF_##group, {wormhole, blackhole}},
        TT_PERF_COUNTERS(ROW)};
    static const struct {
        struct registers at;
        uint32_t mux;
    } groups[] = {
#define GROUP(name, control, out, mux) {{control, out}, mux},
        TT_PERF_GROUPS(GROUP)};
    for (int arch = 0; arch < TT_ARCHES; arch++) {
        struct sample_tile *sample = sample_crowd(arch);
        size_t n = 0;
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            if (rows[i].select[arch] == TT_NO_COUNTER) {
                assert_false(ttdev_has_counter(arch, rows[i].id));
                continue;
            }
            bool is_there = ttdev_has_counter(arch, rows[i].id);
            struct registers at = groups[rows[i].group].at;
            uint32_t mux = groups[rows[i].group].mux << 4;
            assert_true(counters_write(&sample->tile, 0x218, mux, 900));
            uint32_t got = count(sample, at, (uint32_t)rows[i].select[arch], 900);
            assert_int_equal(reference(sample, at, 900), is_there ? 900 : 0);
            assert_true(is_there || got == 0);
            n += is_there;
        }
        assert_int_equal(n, arch == TT_WORMHOLE ? 32 : 33);
        sample_tile_free(sample);
    }
}

TEST(other_debug_registers_are_not_counters)
{
    struct sample_tile *sample = sample_tile_new(TT_WORMHOLE);
    uint32_t value;
    assert_false(counters_read(&sample->tile, 0x1B0, 0, &value));
    assert_false(counters_write(&sample->tile, 0x24, 0, 0));
    assert_true(counters_write(&sample->tile, 0x104, 77, 0)); // an output: ignored
    assert_true(counters_read(&sample->tile, 0x104, 0, &value));
    assert_int_equal(value, 0);
    sample_tile_free(sample);
}
