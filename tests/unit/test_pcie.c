// test_pcie.c - the PCIe tile: where it is, what a read and a write take, the host's side
// of the memory, and kernels that use it.
#include <string.h>

#include "../kernels/script.h"
#include "sample_chip.h"
#include "sample_device.h"
#include "sim/noc/noc_parts.h"
#include "ttprof/dispatch_words.h"

static uint64_t host_address(const struct chip *chip, unsigned noc, uint64_t local)
{
    ttdev_xy at = pcie_xy(chip, noc);
    return (uint64_t)at.x << 36 | (uint64_t)at.y << 42 | local;
}

// --- place -----------------------------------------------------------------------------
static void tile_is(const char *config, int x, int y, ttdev_xy noc0, ttdev_xy noc1)
{
    struct sample_chip s;
    sample_chip_open(&s, config);
    assert_int_equal(s.chip->pcie, x + y * s.chip->size_x);
    ttdev_xy at[2] = {pcie_xy(s.chip, 0), pcie_xy(s.chip, 1)};
    assert_memory_equal(&at[0], &noc0, sizeof noc0);
    assert_memory_equal(&at[1], &noc1, sizeof noc1);
    sample_chip_close(&s);
}

TEST(the_pcie_tile_has_coordinates_on_both_nocs)
{
    tile_is("board=n150", 0, 3, (ttdev_xy){0, 3}, (ttdev_xy){9, 8});
    tile_is("board=galaxy", 0, 3, (ttdev_xy){0, 3}, (ttdev_xy){9, 8});
    tile_is("board=p150", 2, 0, (ttdev_xy){19, 24}, (ttdev_xy){19, 24});
    tile_is("board=p100", 11, 0, (ttdev_xy){19, 24}, (ttdev_xy){19, 24});
}

TEST(the_pcie_tile_that_leads_nowhere_does_not_answer)
{
    struct sample_chip s;
    sample_chip_open(&s, "board=p150");
    pcie_open(s.chip, 1);
    struct tile *tile = sample_tile(&s, 0, 0);
    sample_noc_read(tile, 0, 11ull << 36, 0x40000, 64);
    assert_int_equal(tile->fault.kind, FAULT_NOC_TARGET);
    sample_chip_close(&s);
}

// --- timing ----------------------------------------------------------------------------
// A read or write by the core at logical `at`, of 2048 bytes.
struct figure {
    const char *config;
    int chip, x, y;
    uint32_t read_noc, read, rate_out; // cycles of the NoC, the host and the data
    uint32_t hops, write, rate_in, hops_back;
};
static const struct figure figures[] = {
    // NOC0 1-3: same row. 14.0 and 13.2 bytes per cycle.
    {"board=n150", 0, 0, 2, 170, 900, 147, 9, 400, 156, 1},
    // NOC0 2-2: same column. 15.9 and 10.8 bytes per cycle.
    {"board=p150", 0, 1, 0, 177, 1215, 129, 10, 540, 190, 2},
    // NOC0 1-4, behind the first chip: 12.5 bytes per cycle, three times the latency.
    {"board=n300", 1, 0, 1, 270, 2700, 164, 9 + 11, 1200, 164, 1 + 1},
};

static void open_figure(struct sample_chip *s, const struct figure *f)
{
    sample_chip_open(s, f->config);
    s->chip = &s->cluster.chips[f->chip];
    pcie_open(s->chip, 1);
}

TEST(a_read_of_host_memory_takes_exactly_its_figure)
{
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        const struct figure *f = &figures[i];
        struct sample_chip s;
        open_figure(&s, f);
        struct tile *tile = sample_tile(&s, f->x, f->y);
        uint32_t word = 42;
        assert_true(pcie_host_write(s.chip, 0, 0x1000, &word, 4));
        sample_noc_read(tile, 0, host_address(s.chip, 0, 0x1000), 0x40000, 2048);
        uint64_t lands = 2 + f->read_noc + f->read + f->rate_out;
        sample_chip_run(&s, lands);
        assert_int_equal(sample_counter(tile, 0, TT_NOC_READ_RESPONSES), 0);
        sample_chip_run(&s, lands + 1);
        assert_int_equal(sample_counter(tile, 0, TT_NOC_READ_RESPONSES), 1);
        assert_int_equal(sample_word(tile, 0x40000), 42);
        assert_int_equal(noc_in_flight(s.chip), 0);
        sample_chip_close(&s);
    }
}

TEST(a_write_is_on_the_host_after_exactly_its_figure_and_then_acknowledged)
{
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        const struct figure *f = &figures[i];
        struct sample_chip s;
        open_figure(&s, f);
        const struct sim_costs *c = &s.chip->costs;
        struct tile *tile = sample_tile(&s, f->x, f->y);
        sample_set_word(tile, 0x40000, 21);
        sample_noc_write(tile, 0, 0x40000, host_address(s.chip, 0, TT_COMPLETION), 2048,
                         TT_NOC_RESPONSE);
        uint64_t lands = 2 + c->noc_write_base + (uint64_t)c->noc_write_hop * f->hops +
                         f->rate_in + f->write;
        uint32_t got = 0;
        sample_chip_run(&s, lands);
        assert_true(pcie_host_read(s.chip, 0, TT_COMPLETION, &got, 4));
        assert_int_equal(got, 0);
        sample_chip_run(&s, lands + 1);
        assert_true(pcie_host_read(s.chip, 0, TT_COMPLETION, &got, 4));
        assert_int_equal(got, 21);
        uint64_t back =
            lands + c->noc_write_base + (uint64_t)c->noc_write_hop * f->hops_back;
        sample_chip_run(&s, back);
        assert_int_equal(sample_counter(tile, 0, TT_NOC_WRITE_ACKS), 0);
        sample_chip_run(&s, back + 1);
        assert_int_equal(sample_counter(tile, 0, TT_NOC_WRITE_ACKS), 1);
        sample_chip_close(&s);
    }
}

// Two reads at once. On NoC 1 the way there is one hop instead of nine, so that request is
// served first; the other has to wait for the channel, not for the latency.
TEST(reads_share_the_channel)
{
    struct sample_chip s;
    sample_chip_open(&s, "board=n150");
    pcie_open(s.chip, 1);
    struct tile *tile = sample_tile(&s, 0, 2);
    sample_noc_read(tile, 0, host_address(s.chip, 0, 0), 0x40000, 8192);
    sample_noc_read(tile, 1, host_address(s.chip, 1, 8192), 0x50000, 8192);
    enum { DATA = 586, THERE = 35 + 10, BACK = 35 + 10 };
    uint64_t first = 2 + 170 + 900 + DATA, second = 2 + THERE + DATA + 900 + BACK + DATA;
    sample_chip_run(&s, first);
    assert_int_equal(sample_counter(tile, 1, TT_NOC_READ_RESPONSES), 0);
    sample_chip_run(&s, first + 1);
    assert_int_equal(sample_counter(tile, 1, TT_NOC_READ_RESPONSES), 1);
    sample_chip_run(&s, second);
    assert_int_equal(sample_counter(tile, 0, TT_NOC_READ_RESPONSES), 0);
    sample_chip_run(&s, second + 1);
    assert_int_equal(sample_counter(tile, 0, TT_NOC_READ_RESPONSES), 1);
    sample_chip_close(&s);
}

// --- memory ----------------------------------------------------------------------------
TEST(the_host_has_memory_for_every_queue_and_no_more)
{
    struct sample_chip s;
    sample_chip_open(&s, "board=n150");
    uint32_t word = 7;
    assert_false(pcie_host_write(s.chip, 0, 0, &word, 4));
    uint64_t before = noc_hash(s.chip, 0);
    pcie_open(s.chip, 2);
    assert_int_equal(noc_hash(s.chip, 0), before);
    assert_true(pcie_host_write(s.chip, 1, TT_QUEUE_BYTES - 4, &word, 4));
    assert_int_not_equal(noc_hash(s.chip, 0), before);
    assert_false(pcie_host_write(s.chip, 1, TT_QUEUE_BYTES - 3, &word, 4));
    assert_false(pcie_host_write(s.chip, 2, 0, &word, 4));
    assert_false(pcie_host_read(s.chip, 2, 0, &word, 4));
    assert_true(pcie_host_read(s.chip, 0, TT_QUEUE_BYTES - 4, &word, 4));
    assert_int_equal(word, 0);
    // Queue 1 is the second part of the tile's addresses.
    struct tile *tile = sample_tile(&s, 3, 3);
    uint64_t end = (uint64_t)1 << TT_QUEUE_SHIFT | (TT_QUEUE_BYTES - 32);
    sample_noc_read(tile, 0, host_address(s.chip, 0, end), 0x40000, 32);
    sample_chip_finish(&s);
    assert_int_equal(sample_word(tile, 0x40000 + 28), 7);
    sample_chip_close(&s);
}

static int fault_of(const char *config, unsigned queues, uint64_t local, uint32_t to,
                    uint32_t bytes, bool is_write)
{
    struct sample_chip s;
    sample_chip_open(&s, config);
    pcie_open(s.chip, queues);
    struct tile *tile = sample_tile(&s, 0, 0);
    if (is_write)
        sample_noc_write(tile, 0, to, host_address(s.chip, 0, local), bytes, 0);
    else
        sample_noc_read(tile, 0, host_address(s.chip, 0, local), to, bytes);
    int kind = tile->fault.kind;
    sample_chip_finish(&s);
    sample_chip_close(&s);
    return kind;
}

TEST(reads_and_writes_of_the_host_must_be_aligned_and_inside)
{
    enum { L1 = 0x40000, END = TT_QUEUE_BYTES };
    assert_int_equal(fault_of("board=n150", 1, END - 32, L1, 32, false), FAULT_NONE);
    assert_int_equal(fault_of("board=n150", 1, END - 32, L1, 64, false), FAULT_NOC_RANGE);
    assert_int_equal(fault_of("board=n150", 1, END, L1, 32, false), FAULT_NOC_RANGE);
    assert_int_equal(fault_of("board=n150", 2, END, L1, 32, false), FAULT_NONE);
    assert_int_equal(fault_of("board=n150", 2, 2ull * END, L1, 32, false), FAULT_NOC_RANGE);
    assert_int_equal(fault_of("board=n150", 1, 16, L1, 32, false), FAULT_NOC_COMMAND);
    assert_int_equal(fault_of("board=n150", 1, 16, L1, 32, true), FAULT_NONE);
    assert_int_equal(fault_of("board=n150", 1, 8, L1, 32, true), FAULT_NOC_COMMAND);
    assert_int_equal(fault_of("board=p150", 1, 32, L1, 64, false), FAULT_NOC_COMMAND);
    assert_int_equal(fault_of("board=p150", 1, 64, L1, 64, false), FAULT_NONE);
    assert_int_equal(fault_of("board=p150", 1, 16, L1, 64, true), FAULT_NONE);
}

// --- kernels ---------------------------------------------------------------------------
static const ttdev_range core = {{2, 1}, {2, 1}};

// Both data-movement RISCs copy a part of the issue region to the completion region, each
// through its own NoC; returns the state's hash.
static uint64_t copy_by_kernels(const char *config, uint32_t *got)
{
    ttdev *t = device_open(config);
    struct chip *chip = cluster_chip(t, 0);
    const uint32_t base = chip->layout->buffers;
    pcie_open(chip, 1);
    uint32_t data[512];
    for (uint32_t i = 0; i < 512; i++)
        data[i] = 0x1234567 * (i + 1);
    assert_true(pcie_host_write(chip, 0, 0, data, sizeof data));
    ttdev_program *p = ttdev_program_new(t, "copy");
    for (int risc = TT_BRISC; risc <= TT_NCRISC; risc++) {
        uint32_t r = (uint32_t)risc, part = 1024 * r, to = base + SCRIPT_DATA + part;
        uint64_t from = host_address(chip, r, part);
        uint64_t back = host_address(chip, r, TT_COMPLETION + part);
        const struct script_step steps[] = {
            {STEP_NOC_READ, (uint32_t)from, (uint32_t)(from >> 32), to, 1024, 0, 0, 0},
            {STEP_READ_BARRIER, 0, 0, 0, 0, 0, 0, 0},
            {STEP_NOC_WRITE, (uint32_t)back, (uint32_t)(back >> 32), to, 1024, 0, 0, 0},
            {STEP_WRITE_BARRIER, 0, 0, 0, 0, 0, 0, 0},
            {STEP_END, 0, 0, 0, 0, 0, 0, 0},
        };
        uint32_t args[] = {base + SCRIPT_STEPS + SCRIPT_STEPS_BYTES * r,
                           base + SCRIPT_LOG + SCRIPT_LOG_BYTES * r};
        int kernel = ttdev_program_kernel(p, core, risc,
                                          kernel_load(t, "kernels/script", risc), risc);
        assert_true(kernel >= 0);
        assert_int_equal(ttdev_program_args(p, kernel, core, args, 2), 0);
        assert_int_equal(ttdev_l1_write(t, 0, (ttdev_core){TTDEV_LOGICAL, core.from},
                                        args[0], steps, sizeof steps),
                         0);
    }
    assert_int_equal(ttdev_launch(t, 0, p, 1), 0);
    assert_int_equal(ttdev_wait(t, 0, 1000000), 0);
    assert_true(pcie_host_read(chip, 0, TT_COMPLETION, got, sizeof data));
    assert_memory_equal(got, data, sizeof data);
    uint64_t hash = ttdev_state_hash(t, 0);
    ttdev_program_free(p);
    ttdev_close(t);
    return hash;
}

TEST(kernels_read_and_write_host_memory_on_both_nocs)
{
    uint32_t got[512];
    uint64_t hash = copy_by_kernels("board=n150 variant=off", got);
    assert_int_equal(copy_by_kernels("board=n150 variant=off quantum=8", got), hash);
    assert_int_equal(copy_by_kernels("board=n150 variant=off park=off", got), hash);
    (void)copy_by_kernels("board=p150 variant=off", got);
    (void)copy_by_kernels("board=p100 variant=off", got);
}
