// The device as a profiler sees it: the table of ttprof/device.h over the software device.
#include <errno.h>

#include "sample_device.h"
#include "sim/program/program.h"
#include "test.h"

struct sample {
    ttdev *t;
    struct tt_access a;
};

static struct sample sample_open(const char *config)
{
    struct sample s = {.t = device_open(config)};
    ttdev_access(s.t, &s.a);
    assert_ptr_equal(s.a.device, s.t);
    return s;
}

static struct tt_chip chip_of(const struct sample *s, int number)
{
    struct tt_chip chip;
    assert_int_equal(s->a.get_chip(s->a.device, number, &chip), 0);
    return chip;
}

// --- what there is ---------------------------------------------------------------------
TEST(the_table_of_access_is_complete)
{
    struct sample s = sample_open("board=n150");
    void *entries[sizeof s.a / sizeof(void *)];
    memcpy(entries, &s.a, sizeof entries);
    for (size_t i = 2; i < sizeof entries / sizeof *entries; i++) // device, n_chips
        assert_non_null(entries[i]);
    ttdev_close(s.t);
}

TEST(a_chip_tells_its_cores_in_order_and_its_part_of_dram)
{
    struct sample s = sample_open("board=n300");
    assert_int_equal(s.a.n_chips, 2);
    struct tt_chip chip = chip_of(&s, 1);
    assert_int_equal(chip.id, 1);
    assert_int_equal(chip.arch, TT_WORMHOLE);
    assert_string_equal(chip.arch_name, "wormhole_b0");
    assert_true(chip.hz == 1e9);
    assert_int_equal(chip.grid_x, 8);
    assert_int_equal(chip.grid_y, 8);
    assert_int_equal(chip.noc_x, 10);
    assert_int_equal(chip.noc_y, 12);
    assert_int_equal(chip.n_cores, 66); // 64 workers, 2 linked Ethernet cores
    assert_int_equal(chip.n_banks, 12);
    assert_int_equal(chip.cores_per_bank, 7);
    assert_int_equal(chip.processors, 5);
    assert_int_equal(chip.dram_base, 32);
    assert_int_equal(chip.dram_bytes, 1920000);
    assert_true(chip.is_remote);
    assert_false(chip_of(&s, 0).is_remote);
    for (size_t i = 0; i < 64; i++) {
        const struct tt_core *core = &chip.cores[i];
        assert_int_equal(core->kind, TT_CORE_WORKER);
        assert_int_equal(core->n_riscs, 5);
        assert_int_equal(core->lx, i % 8);
        assert_int_equal(core->ly, i / 8);
        assert_int_equal(core->vx, 18 + core->lx);
        assert_int_equal(core->vy, 18 + core->ly);
        assert_int_equal(core->flat, ttdev_flat_id(s.t, 1, (ttdev_xy){core->x, core->y}));
        assert_int_equal(core->control, 0xB00);
        assert_int_equal(core->buffers, 0xC00);
    }
    const struct tt_core *eth = &chip.cores[65];
    assert_int_equal(eth->kind, TT_CORE_ETH);
    assert_int_equal(eth->n_riscs, 1);
    assert_int_equal(eth->lx, 1);
    assert_int_equal(eth->ly, 0);
    assert_int_equal(eth->x, 1);
    assert_int_equal(eth->y, 0);
    assert_int_equal(eth->control, 0x3E510);
    assert_int_equal(eth->buffers, 0x3E610);
    struct tt_chip none;
    assert_int_equal(s.a.get_chip(s.a.device, 2, &none), -ENODEV);
    assert_string_equal(s.a.error(s.a.device), "no device 2");
    ttdev_close(s.t);
}

TEST(each_link_is_there_in_both_directions)
{
    struct sample s = sample_open("board=n300");
    struct tt_link link;
    assert_int_equal(s.a.n_links(s.a.device), 4);
    assert_int_equal(s.a.get_link(s.a.device, 2, &link), 0);
    assert_int_equal(link.chip, 0);
    assert_int_equal(link.channel, 9);
    assert_int_equal(link.peer_chip, 1);
    assert_int_equal(link.peer_channel, 1);
    assert_int_equal(s.a.get_link(s.a.device, 3, &link), 0);
    assert_int_equal(link.chip, 1);
    assert_int_equal(link.peer_channel, 9);
    assert_int_equal(s.a.get_link(s.a.device, 4, &link), -EINVAL);
    ttdev_close(s.t);
}

TEST(coordinates_of_every_kind_become_noc0)
{
    struct sample s = sample_open("board=n300");
    struct tt_chip chip = chip_of(&s, 0);
    for (size_t i = 0; i < chip.n_cores; i++) {
        const struct tt_core *core = &chip.cores[i];
        int x[3] = {core->x, 9 - core->x, core->vx},
            y[3] = {core->y, 11 - core->y, core->vy};
        for (int from = 0; from < 3; from++) {
            int to_x = -1, to_y = -1;
            assert_int_equal(
                s.a.to_noc0(s.a.device, 0, from, x[from], y[from], &to_x, &to_y), 0);
            assert_int_equal(to_x, core->x);
            assert_int_equal(to_y, core->y);
        }
    }
    int x, y;
    assert_int_equal(s.a.to_noc0(s.a.device, 0, 0, 10, 0, &x, &y), -ENODEV);
    assert_int_equal(s.a.to_noc0(s.a.device, 0, 2, 63, 63, &x, &y), -ENODEV);
    assert_int_equal(s.a.to_noc0(s.a.device, 0, 3, 1, 1, &x, &y), -EINVAL);
    assert_int_equal(s.a.to_noc0(s.a.device, 2, 0, 1, 1, &x, &y), -ENODEV);
    ttdev_close(s.t);
}

// --- memory, registers -----------------------------------------------------------------
TEST(memory_and_registers_are_reached)
{
    struct sample s = sample_open("board=n300");
    struct tt_chip chip = chip_of(&s, 1);
    for (size_t i = 0; i < chip.n_cores; i += 65) { // a worker and an Ethernet core
        const struct tt_core *core = &chip.cores[i];
        uint32_t magic = 0, word = 0x1234 + (uint32_t)i, back = 0;
        assert_int_equal(s.a.l1_read(s.a.device, 1, core,
                                     core->control + 4 * TT_CONTROL_MAGIC, &magic, 4),
                         0);
        assert_int_equal(magic, TT_PROFILER_MAGIC);
        assert_int_equal(s.a.l1_write(s.a.device, 1, core, core->buffers, &word, 4), 0);
        assert_int_equal(s.a.l1_read(s.a.device, 1, core, core->buffers, &back, 4), 0);
        assert_int_equal(back, word);
        uint32_t low = 0, high = 0;
        assert_int_equal(s.a.register_read(s.a.device, 1, core, TT_WALL_CLOCK_L, &low), 0);
        assert_int_equal(s.a.register_read(s.a.device, 1, core, TT_WALL_CLOCK_AT, &high),
                         0);
        uint64_t clock = (uint64_t)high << 32 | low, now = ttdev_clock(s.t, 1);
        assert_true(clock < now && now - clock < 20000);
        assert_int_equal(s.a.register_write(s.a.device, 1, core, 1, 0), -EINVAL);
    }
    uint32_t data[4] = {1, 2, 3, 4}, back[4] = {0};
    assert_int_equal(ttdev_dram_write(s.t, 1, 11, chip.dram_base, data, sizeof data), 0);
    assert_int_equal(s.a.dram_read(s.a.device, 1, 11, chip.dram_base, back, sizeof back),
                     0);
    assert_memory_equal(back, data, sizeof data);
    assert_int_equal(s.a.dram_read(s.a.device, 1, 12, 0, back, sizeof back), -ENODEV);
    ttdev_close(s.t);
}

TEST(host_time_passes_in_sleeps)
{
    struct sample s = sample_open("board=n150");
    uint64_t start = s.a.host_ns(s.a.device), clock = ttdev_clock(s.t, 0);
    assert_int_equal(s.a.sleep_ns(s.a.device, 5000), 0);
    assert_int_equal(s.a.host_ns(s.a.device) - start, 5000);
    assert_in_range(ttdev_clock(s.t, 0) - clock, 4990, 5010);
    ttdev_close(s.t);
}

// --- kernels and hooks -----------------------------------------------------------------
struct events {
    struct tt_event v[16];
    size_t n;
    uint64_t host_ns[16];
    ttdev *t;
};

static void note_event(void *context, const struct tt_event *event)
{
    struct events *e = context;
    assert_in_range(e->n, 0, 15);
    e->host_ns[e->n] = ttdev_host_ns(e->t);
    e->v[e->n++] = *event;
}

enum { LOG = 0x30000 };

TEST(the_profiler_starts_kernels_of_its_own_unnoticed)
{
    struct sample s = sample_open("board=n150");
    struct events events = {.t = s.t};
    struct tt_chip chip = chip_of(&s, 0);
    const uint32_t args[] = {1000, LOG}; // rounds of 52 cycles
    const struct tt_kernel kernels[] = {
        {"cycle_count/nops", TT_BRISC, 9, args, 2},
        {"cycle_count/nops", TT_NCRISC, 10, args, 2},
    };
    assert_int_equal(s.a.on_event(s.a.device, note_event, &events), 0);
    assert_int_equal(ttdev_trace_begin(s.t, 0), 0);
    assert_int_equal(s.a.launch(s.a.device, 0, kernels, 2, 99), 0);
    assert_true(s.a.is_busy(s.a.device, 0, &chip.cores[9]));
    assert_false(s.a.is_busy(s.a.device, 0, &chip.cores[8]));
    assert_int_equal(s.a.wait(s.a.device, 0, 1000), -ETIMEDOUT);
    assert_int_equal(s.a.wait(s.a.device, 0, 1000000), 0);
    assert_false(s.a.is_busy(s.a.device, 0, &chip.cores[9]));
    assert_false(s.a.is_busy(s.a.device, 0, &chip.cores[10]));
    for (size_t i = 9; i <= 10; i++) {
        uint32_t cycles = 0;
        assert_int_equal(s.a.l1_read(s.a.device, 0, &chip.cores[i], LOG, &cycles, 4), 0);
        assert_in_range(cycles, 52000, 52100);
    }
    int trace = ttdev_trace_end(s.t, 0);
    assert_int_equal(ttdev_trace_replay(s.t, 0, trace, 1000000), 0);
    assert_int_equal(events.n, 3); // begin, end, replay: no launch, nor in the trace
    assert_int_equal(events.v[2].kind, TT_EVENT_TRACE_REPLAY);
    ttdev_close(s.t);
}

TEST(a_kernel_that_cannot_start_is_refused_with_a_reason)
{
    struct sample s = sample_open("board=n150");
    struct {
        struct tt_kernel kernel;
        int code;
        const char *error;
    } cases[] = {
        {{"no/such", TT_BRISC, 0, NULL, 0},
         -ENOENT,
         "no image 'wormhole/off/brisc/no/such'"},
        {{"cycle_count/nops", 7, 0, NULL, 0}, -EINVAL, "no RISC 7"},
        {{"cycle_count/nops", TT_BRISC, 72, NULL, 0},
         -ENODEV,
         "device 0 has no core number 72"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(s.a.launch(s.a.device, 0, &cases[i].kernel, 1, 1), cases[i].code);
        assert_string_equal(s.a.error(s.a.device), cases[i].error);
    }
    assert_int_equal(s.a.launch(s.a.device, 3, NULL, 0, 1), -ENODEV);
    ttdev_close(s.t);
}

static ttdev_program *program_make(ttdev *t, const char *name)
{
    const ttdev_range first = {{0, 0}, {0, 0}};
    const uint32_t args[] = {10, LOG};
    struct err e = {0};
    ttdev_image *image;
    assert_int_equal(ttdev_image_find(t, "cycle_count/nops", TT_BRISC, &image, &e), 0);
    ttdev_program *p = ttdev_program_new(t, name);
    assert_int_equal(ttdev_program_kernel(p, first, TT_BRISC, image, 0), 0);
    assert_int_equal(ttdev_program_args(p, 0, first, args, 2), 0);
    return p;
}

static void event_is(const struct tt_event *event, int kind, int trace, bool is_replay,
                     uint32_t program)
{
    assert_int_equal(event->kind, kind);
    assert_int_equal(event->chip, 0);
    assert_int_equal(event->trace, trace);
    assert_int_equal(event->is_replay, is_replay);
    assert_int_equal(event->program, program);
}

TEST(launches_and_traces_are_told_before_they_happen)
{
    struct sample s = sample_open("board=n150");
    struct events events = {.t = s.t};
    ttdev_program *p = program_make(s.t, "work");
    assert_int_equal(s.a.on_event(s.a.device, note_event, &events), 0);
    uint64_t before = ttdev_host_ns(s.t);
    assert_int_equal(ttdev_launch(s.t, 0, p, 7), 0);
    assert_int_equal(events.host_ns[0], before); // no access yet
    assert_int_equal(ttdev_wait(s.t, 0, 1000000), 0);
    ttdev_program_sub_device(p, 1, 3);
    assert_int_equal(ttdev_trace_begin(s.t, 0), 0);
    assert_int_equal(ttdev_launch(s.t, 0, p, 8), 0);
    assert_int_equal(ttdev_wait(s.t, 0, 1000000), 0);
    int trace = ttdev_trace_end(s.t, 0);
    ttdev_program_sub_device(p, -1, -1); // the trace has its own
    assert_int_equal(ttdev_trace_replay(s.t, 0, trace, 1000000), 0);
    assert_int_equal(ttdev_launch(s.t, 5, p, 9), -ENODEV); // not told

    assert_int_equal(events.n, 6);
    event_is(&events.v[0], TT_EVENT_LAUNCH, -1, false, 7);
    event_is(&events.v[1], TT_EVENT_TRACE_BEGIN, trace, false, 0);
    event_is(&events.v[2], TT_EVENT_LAUNCH, trace, false, 8);
    event_is(&events.v[3], TT_EVENT_TRACE_END, trace, false, 0);
    event_is(&events.v[4], TT_EVENT_TRACE_REPLAY, trace, false, 0);
    event_is(&events.v[5], TT_EVENT_LAUNCH, trace, true, 8);
    assert_string_equal(events.v[5].name, "work");
    assert_int_equal(events.v[0].sub_device, -1);
    assert_int_equal(events.v[0].sub_device_manager, -1);
    assert_int_equal(events.v[2].sub_device, 1);
    assert_int_equal(events.v[5].sub_device, 1);
    assert_int_equal(events.v[5].sub_device_manager, 3);
    ttdev_program_free(p);
    ttdev_close(s.t);
}

TEST(a_launch_that_is_refused_is_not_told)
{
    struct sample s = sample_open("board=n150");
    struct events events = {.t = s.t};
    ttdev_program *p = program_make(s.t, "work");
    assert_int_equal(ttdev_launch(s.t, 0, p, 1), 0);
    assert_int_equal(s.a.on_event(s.a.device, note_event, &events), 0);
    assert_int_equal(ttdev_launch(s.t, 0, p, 2), -EBUSY);
    assert_int_equal(events.n, 0);
    ttdev_program_free(p);
    ttdev_close(s.t);
}

// A hook may start a kernel and wait for it, as sync does.
static void run_own_kernel(void *context, const struct tt_event *event)
{
    struct sample *s = context;
    const uint32_t args[] = {10, LOG + 64};
    const struct tt_kernel kernel = {"cycle_count/nops", TT_BRISC, 0, args, 2};
    assert_int_equal(event->kind, TT_EVENT_LAUNCH);
    assert_int_equal(s->a.launch(s->a.device, event->chip, &kernel, 1, 0), 0);
    assert_int_equal(s->a.wait(s->a.device, event->chip, 1000000), 0);
}

TEST(a_hook_may_use_the_device_before_the_launch_goes_on)
{
    struct sample s = sample_open("board=n150");
    ttdev_program *p = program_make(s.t, "work");
    assert_int_equal(s.a.on_event(s.a.device, run_own_kernel, &s), 0);
    assert_int_equal(ttdev_launch(s.t, 0, p, 1), 0);
    assert_int_equal(ttdev_wait(s.t, 0, 1000000), 0);
    struct tt_chip chip = chip_of(&s, 0);
    for (uint32_t at = LOG; at <= LOG + 64; at += 64) {
        uint32_t cycles = 0;
        assert_int_equal(s.a.l1_read(s.a.device, 0, &chip.cores[0], at, &cycles, 4), 0);
        assert_in_range(cycles, 520, 620);
    }
    ttdev_program_free(p);
    ttdev_close(s.t);
}

static int count_quiet(void *context, int chip)
{
    assert_int_equal(chip, 0);
    ++*(int *)context;
    return 0;
}

TEST(the_quiet_hook_is_called_every_millisecond)
{
    struct sample s = sample_open("board=n150");
    const uint32_t args[] = {100000, LOG}; // 5.2 ms
    const struct tt_kernel kernel = {"cycle_count/nops", TT_BRISC, 0, args, 2};
    int n = 0;
    assert_int_equal(s.a.on_quiet(s.a.device, count_quiet, &n), 0);
    assert_int_equal(s.a.launch(s.a.device, 0, &kernel, 1, 1), 0);
    assert_int_equal(s.a.wait(s.a.device, 0, 10000000), 0);
    assert_int_equal(n, 5);
    ttdev_close(s.t);
}

// --- zones -----------------------------------------------------------------------------
static const struct tt_zone *zone_of(const struct sample *s, uint32_t word,
                                     struct tt_zone *zone)
{
    for (size_t i = 0; i < s->a.n_zones(s->a.device); i++) {
        assert_int_equal(s->a.get_zone(s->a.device, i, zone), 0);
        if (zone->id == TT_MARKER_ID(word))
            return zone;
    }
    fail_msg("no zone has the id %u", TT_MARKER_ID(word));
    return NULL;
}

static void zone_is(const struct sample *s, uint32_t word, uint32_t type, const char *name,
                    const char *file, uint32_t line)
{
    struct tt_zone zone;
    assert_int_equal(word & 0x80000FFF, TT_MARKER_VALID);
    assert_int_equal(TT_MARKER_TYPE(word), type);
    (void)zone_of(s, word, &zone);
    assert_string_equal(zone.name, name);
    assert_string_equal(zone.file, file);
    assert_int_equal(zone.line, line);
}

// Both first locations have the same hash; the kernels run on one core.
TEST(markers_of_two_images_with_one_hash_are_named_right)
{
    struct sample s = sample_open("board=n150");
    size_t before = s.a.n_zones(s.a.device);
    const ttdev_range first = {{0, 0}, {0, 0}};
    const uint32_t to_one = LOG, to_two = LOG + 64;
    ttdev_program *p = ttdev_program_new(s.t, "zones");
    ttdev_image *one = kernel_load(s.t, "kernels/zones_one", TT_BRISC);
    ttdev_image *two = kernel_load(s.t, "kernels/zones_two", TT_NCRISC);
    assert_int_equal(s.a.n_zones(s.a.device), before + 3);
    assert_int_equal(ttdev_program_kernel(p, first, TT_BRISC, one, 0), 0);
    assert_int_equal(ttdev_program_kernel(p, first, TT_NCRISC, two, 1), 1);
    assert_int_equal(ttdev_program_args(p, 0, first, &to_one, 1), 0);
    assert_int_equal(ttdev_program_args(p, 1, first, &to_two, 1), 0);
    assert_int_equal(ttdev_launch(s.t, 0, p, 1), 0);
    assert_int_equal(ttdev_wait(s.t, 0, 1000000), 0);
    struct tt_chip chip = chip_of(&s, 0);
    uint32_t a[3], b[2];
    assert_int_equal(s.a.l1_read(s.a.device, 0, &chip.cores[0], to_one, a, sizeof a), 0);
    assert_int_equal(s.a.l1_read(s.a.device, 0, &chip.cores[0], to_two, b, sizeof b), 0);
    zone_is(&s, a[0], TT_PACKET_ZONE_START, "first 791", "one.h", 10);
    zone_is(&s, a[1], TT_PACKET_ZONE_END, "first 791", "one.h", 10);
    zone_is(&s, a[2], TT_PACKET_TS_DATA, "Gr\303\266\303\237e, mm", "one.h", 11);
    zone_is(&s, b[0], TT_PACKET_ZONE_START, "second 10", "two.h", 20);
    zone_is(&s, b[1], TT_PACKET_TS_DATA_16B, "first 791", "one.h", 10);
    assert_int_equal(TT_MARKER_ID(a[0]), 4667);
    assert_int_equal(TT_MARKER_ID(b[0]), 4668);
    assert_int_equal(TT_MARKER_ID(b[1]), 4667);
    struct tt_zone none;
    assert_int_equal(s.a.get_zone(s.a.device, before + 3, &none), -EINVAL);
    assert_string_equal(ttdev_warnings(s.t), "");
    ttdev_program_free(p);
    ttdev_close(s.t);
}

TEST(an_image_with_nameless_zones_loads_with_a_warning)
{
    ttdev *t = device_open("board=n150");
    const void *elf;
    size_t bytes;
    assert_true(
        images_find_in(kernels_pack, "wormhole/off/brisc/kernels/zones_one", &elf, &bytes));
    char *broken = mem_alloc(bytes);
    struct err e = {0};
    memcpy(broken, elf, bytes);
    for (size_t i = 0; i + 9 < bytes; i++) // the section is not found
        if (memcmp(broken + i, ".rela.text", 10) != 0 &&
            memcmp(broken + i, ".ttprof.z", 9) == 0)
            broken[i + 8] = 'Z';
    ttdev_image *image;
    assert_int_equal(ttdev_elf_load(t, "mine", broken, bytes, &image, &e), 0);
    assert_string_equal(
        ttdev_warnings(t),
        "image 'mine': zones have no names: section .ttprof.zones is missing\n");
    mem_free(broken);
    ttdev_close(t);
}

// --- from macros to DRAM ---------------------------------------------------------------
static void switch_on(const struct sample *s, const struct tt_core *core)
{
    uint32_t flags = TT_LEVEL_ALL;
    assert_int_equal(s->a.l1_write(s->a.device, 0, core,
                                   core->control + 4 * TT_CONTROL_FLAGS, &flags, 4),
                     0);
}

// What a RISC of a core has sent, without its identity.
static size_t markers_of(const struct sample *s, const struct tt_chip *chip,
                         const struct tt_core *core, uint32_t risc, uint32_t *words,
                         size_t most)
{
    uint32_t n = 0;
    assert_int_equal(s->a.l1_read(s->a.device, 0, core, core->control + 4 * risc, &n, 4),
                     0);
    assert_in_range(n, TT_CHUNK_CUSTOM, most);
    int bank = core->flat / chip->cores_per_bank;
    uint64_t region = (uint64_t)(core->flat % chip->cores_per_bank) * TT_RISCS + risc;
    assert_int_equal(s->a.dram_read(s->a.device, 0, bank, chip->dram_base + region * 48000,
                                    words, 4 * n),
                     0);
    memmove(words, words + TT_CHUNK_GUARANTEED, 4 * (n - TT_CHUNK_GUARANTEED));
    return n - TT_CHUNK_GUARANTEED;
}

TEST(markers_that_reach_dram_carry_ids_that_the_table_names)
{
    static const char *const boards[] = {"board=n150 variant=prof",
                                         "board=p150 variant=prof"};
    for (size_t i = 0; i < sizeof boards / sizeof *boards; i++) {
        struct sample s = sample_open(boards[i]);
        struct tt_chip chip = chip_of(&s, 0);
        const struct tt_core *core = &chip.cores[0];
        uint32_t dram = (uint32_t)s.t->chips[0].dram_buffers, words[256];
        const uint32_t args[] = {dram, dram + 65536, 1, LOG, LOG + 65536};
        const struct tt_kernel kernel = {"loopback/copy", TT_BRISC, 0, args, 5};
        switch_on(&s, core);
        assert_int_equal(s.a.launch(s.a.device, 0, &kernel, 1, 77), 0);
        assert_int_equal(s.a.wait(s.a.device, 0, 1000000), 0);
        size_t n = markers_of(&s, &chip, core, TT_BRISC, words, 256);
        static const char *const want[] = {"BRISC-FW",     "BRISC-FW",     "BRISC-KERNEL",
                                           "BRISC-KERNEL", "READ-BARRIER", "READ-BARRIER"};
        assert_true(n >= 12);
        for (size_t k = 0; k < 6; k++) {
            struct tt_zone zone;
            (void)zone_of(&s, words[2 * k], &zone);
            assert_string_equal(zone.name, want[k]);
            assert_int_equal(TT_MARKER_TYPE(words[2 * k]), k % 2);
        }
        assert_string_equal(ttdev_warnings(s.t), "");
        ttdev_close(s.t);
    }
}
