// test_readout_device.c - read-outs of the software device: what kernels recorded comes
// home, what was lost is counted, and whatever is broken, something comes out.
#include <errno.h>

#include "collect/decode/decode.h"
#include "collect/readout/readout.h"
#include "sim/ttdev.h"
#include "test.h"

struct session {
    ttdev *t;
    struct tt_access access;
    struct collection c;
    struct readout *r;
    struct trace trace;
    ttdev_range cores;
    int chip;
};

static void session_open(struct session *s, const char *config, int overflow, int side)
{
    ttdev_cfg cfg;
    struct err e = {0};
    memset(s, 0, sizeof *s);
    profiler_options_default(&s->c.options);
    s->c.options.is_enabled = true;
    s->c.options.overflow = overflow;
    assert_true(profiler_options_settle(&s->c.options, &(struct buf){0}, &e));
    ttdev_cfg_default(&cfg);
    cfg.variant = profiler_variant(&s->c.options);
    cfg.region_bytes = profiler_region_bytes(&s->c.options, NULL);
    cfg.region_buffers = (uint32_t)profiler_region_buffers(&s->c.options);
    if (ttdev_cfg_parse(&cfg, config, &e) || ttdev_open(&cfg, &s->t, &e))
        fail_msg("%s", e.text);
    ttdev_access(s->t, &s->access);
    s->r = readout_open(&s->access, &s->c, &e);
    if (!s->r)
        fail_msg("%s", e.text);
    s->cores = (ttdev_range){{0, 0}, {side - 1, side - 1}};
}

static void session_close(struct session *s)
{
    readout_close(s->r);
    trace_free(&s->trace);
    collection_free(&s->c);
    ttdev_close(s->t);
}

// So many zones on every RISC of the cores.
static void session_launch(struct session *s, uint32_t zones, uint32_t id)
{
    struct err e = {0};
    ttdev_program *p = ttdev_program_new(s->t, "zones");
    for (int risc = 0; risc < TT_RISCS; risc++) {
        ttdev_image *image = NULL;
        if (ttdev_image_find(s->t, "full_buffer/zones", risc, &image, &e))
            fail_msg("%s", e.text);
        int k = ttdev_program_kernel(p, s->cores, risc, image, risc == TT_NCRISC);
        uint32_t args[] = {zones, ttdev_program_l1_end(p) + 16 * (uint32_t)risc};
        assert_true(k >= 0);
        assert_int_equal(ttdev_program_args(p, k, s->cores, args, 2), 0);
    }
    assert_int_equal(ttdev_launch(s->t, s->chip, p, id), 0);
    assert_int_equal(ttdev_wait(s->t, s->chip, 1000000000), 0);
    ttdev_program_free(p);
}

static void session_read(struct session *s)
{
    struct err e = {0};
    if (!readout_chip(s->r, s->chip, READ_NORMAL, &e))
        fail_msg("%s", e.text);
}

static void session_decode(struct session *s)
{
    struct decoder *d = decoder_new(&s->c);
    decoder_run(d, &s->trace, true);
    decoder_free(d);
}

static bool is_used(const struct session *s, const struct tt_core *core)
{
    return core->lx <= s->cores.to.x && core->ly <= s->cores.to.y;
}

// Zones of a name on one track.
static size_t count_zones(const struct session *s, const struct trace_track *track,
                          const char *name)
{
    const struct trace *t = &s->trace;
    size_t n = 0;
    for (size_t i = 0; i < track->n_markers; i++) {
        const struct trace_site *site = trace_site_of(t, track->marker + i);
        n += site->type == MARKER_ZONE_START && str_is(trace_text(t, site->name), name);
    }
    return n;
}

// --- counts ----------------------------------------------------------------------------

TEST(a_small_op_on_64_cores_of_a_device_reads_few_bytes)
{
    struct session s;
    session_open(&s, "board=n150", OVERFLOW_DROP, 8);
    session_launch(&s, 0, 1);
    session_read(&s);
    assert_int_equal(s.c.chips.v[0].n_cores, 72);
    assert_int_equal(readout_bytes(s.r), 72 * 256 + 64 * 5 * 48);
    session_decode(&s);
    for (size_t i = 0; i < 72; i++)
        for (int risc = 0; risc < TT_RISCS; risc++)
            assert_int_equal(s.c.chips.v[0].riscs[i][risc].markers,
                             is_used(&s, &s.c.chips.v[0].cores[i]) ? 4 : 0);
    session_close(&s);
}

TEST(what_is_lost_is_counted_to_the_marker)
{
    static const char *const boards[] = {"board=n150", "board=p150"};
    for (int i = 0; i < 2; i++) {
        struct session s;
        session_open(&s, boards[i], OVERFLOW_DROP, 2);
        // 125 of 200 zones fit into L1; 23 such launches into DRAM, of one more the
        // guaranteed four markers alone.
        for (uint32_t id = 1; id <= 24; id++)
            session_launch(&s, 200, id);
        session_read(&s);
        session_decode(&s);
        const struct chip_record *chip = &s.c.chips.v[0];
        for (size_t k = 0; k < chip->n_cores; k++)
            for (int risc = 0; risc < chip->cores[k].n_riscs; risc++) {
                const struct risc_health *h = &chip->riscs[k][risc];
                bool is_worker = is_used(&s, &chip->cores[k]) && chip->cores[k].n_riscs > 1;
                assert_int_equal(h->markers, is_worker ? 23 * 254 + 4 : 0);
                assert_int_equal(h->l1_dropped, is_worker ? 24 * 150 : 0);
                assert_int_equal(h->dram_dropped, is_worker ? 250 : 0);
                assert_int_equal(h->first_drop != 0, is_worker);
                assert_int_equal(h->orphan_starts + h->orphan_ends, 0);
            }
        assert_true(str_has(buf_view(readout_warnings(s.r)),
                            S("Risc BRISC,  bufferEndIndex = 11788 and 19 more RISCs. ")));
        session_close(&s);
    }
}

TEST(several_read_outs_give_what_one_gives)
{
    struct session s;
    session_open(&s, "board=n150", OVERFLOW_DROP, 2);
    for (uint32_t id = 1; id <= 30; id++) {
        session_launch(&s, 100, id);
        if (id % 7 == 0)
            session_read(&s);
    }
    session_read(&s);
    session_decode(&s);
    const struct chip_record *chip = &s.c.chips.v[0];
    for (size_t k = 0; k < chip->n_cores; k++)
        assert_int_equal(chip->riscs[k][3].markers,
                         is_used(&s, &chip->cores[k]) ? 30 * 204 : 0);
    assert_int_equal(chip->programs.n, 30);
    session_close(&s);
}

TEST(the_watermark_loses_nothing_on_a_device)
{
    struct session s;
    session_open(&s, "board=n150", OVERFLOW_DROP, 2);
    s.c.options.watermark = true;
    for (uint32_t id = 1; id <= 60; id++)
        session_launch(&s, 125, id);
    session_read(&s);
    session_decode(&s);
    const struct chip_record *chip = &s.c.chips.v[0];
    assert_int_equal(chip->riscs[0][0].markers, 60 * 254);
    assert_int_equal(chip->riscs[0][0].dram_dropped, 0);
    assert_in_range(s.c.n_readouts, 3, 4);
    session_close(&s);
}

// --- nothing is lost -------------------------------------------------------------------

static void check_nothing_is_lost(const char *config, int chip_number, int side)
{
    enum { ZONES = 1000, LAUNCHES = 3 };
    struct session s;
    session_open(&s, config, OVERFLOW_STALL, side);
    s.chip = chip_number;
    for (uint32_t id = 1; id <= LAUNCHES; id++)
        session_launch(&s, ZONES, id);
    session_read(&s);
    session_decode(&s);
    const struct trace *t = &s.trace;
    assert_int_equal(t->tracks.n, side * side * TT_RISCS);
    for (size_t i = 0; i < t->tracks.n; i++)
        assert_int_equal(count_zones(&s, &t->tracks.v[i], "TEST-FULL"), ZONES * LAUNCHES);
    const struct chip_record *chip = &s.c.chips.v[s.chip];
    uint64_t stalls = 0;
    for (size_t k = 0; k < chip->n_cores; k++)
        for (int risc = 0; risc < TT_RISCS; risc++) {
            const struct risc_health *h = &chip->riscs[k][risc];
            assert_int_equal(h->l1_dropped + h->dram_dropped + h->orphan_starts +
                                 h->orphan_ends + h->foreign + h->bad_types + h->truncated +
                                 h->unknown_ids,
                             0);
            stalls += h->stalls;
        }
    assert_true(stalls > (uint64_t)(side * side)); // there was something to wait for
    STR_IS(buf_view(readout_warnings(s.r)), "");
    session_close(&s);
}

TEST(a_thousand_zones_on_every_risc_of_64_cores_and_none_is_lost)
{
    check_nothing_is_lost("board=n150", 0, 8);
}

TEST(nothing_is_lost_on_another_kind_of_chip_nor_on_one_behind_another)
{
    check_nothing_is_lost("board=p150", 0, 4);
    check_nothing_is_lost("board=n300", 1, 4);
}

// --- broken ----------------------------------------------------------------------------

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 20;
}

// Bits of what the device left flip, in control vectors and in DRAM.
static void damage(struct session *s, uint64_t *random)
{
    const struct chip_record *chip = &s->c.chips.v[0];
    for (int i = 0; i < 40; i++) {
        const struct tt_core *core = &chip->cores[next_random(random) % 4];
        uint32_t word, bit = 1u << next_random(random) % 32;
        if (i % 4 == 0) {
            uint32_t at = core->control + 4 * (uint32_t)(next_random(random) % 64);
            assert_int_equal(s->access.l1_read(s->access.device, 0, core, at, &word, 4), 0);
            word ^= bit;
            assert_int_equal(s->access.l1_write(s->access.device, 0, core, at, &word, 4),
                             0);
            continue;
        }
        struct tt_chip info;
        assert_int_equal(s->access.get_chip(s->access.device, 0, &info), 0);
        uint64_t region =
            (uint64_t)(core->flat % info.cores_per_bank * 5) + next_random(random) % 5;
        uint64_t at = info.dram_base + region * 48000 + 4 * (next_random(random) % 500);
        int bank = core->flat / info.cores_per_bank;
        assert_int_equal(ttdev_dram_read(s->t, 0, bank, at, &word, 4), 0);
        word ^= bit;
        assert_int_equal(ttdev_dram_write(s->t, 0, bank, at, &word, 4), 0);
    }
}

TEST(flipped_bits_on_a_device_cost_little_and_are_told)
{
    uint64_t random = 7, markers = 0, odd = 0;
    enum { ROUNDS = 20 };
    for (int round = 0; round < ROUNDS; round++) {
        struct session s;
        session_open(&s, "board=n150", OVERFLOW_DROP, 2);
        session_launch(&s, 100, 1);
        damage(&s, &random);
        session_read(&s);
        session_decode(&s);
        const struct chip_record *chip = &s.c.chips.v[0];
        for (size_t k = 0; k < chip->n_cores; k++) {
            odd += chip->core_health[k].is_damaged;
            for (int risc = 0; risc < TT_RISCS; risc++) {
                const struct risc_health *h = &chip->riscs[k][risc];
                markers += h->markers;
                odd += h->foreign + h->bad_types + h->truncated + h->unknown_ids +
                       h->orphan_starts + h->orphan_ends;
            }
        }
        session_close(&s);
    }
    uint64_t whole = (uint64_t)ROUNDS * 4 * 5 * 204;
    assert_in_range(markers, whole / 3, whole + 40ull * ROUNDS);
    assert_true(odd > 4ull * ROUNDS);
}
