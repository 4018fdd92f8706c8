// Mistakes that a profiler of such chips can make and that nothing else here would show: on
// the software device, with the real read-out (docs/reference-defects.md has the list).
#include <stdio.h>
#include <string.h>

#include "collect/decode/decode.h"
#include "collect/readout/readout.h"
#include "sample_profile.h"

enum { BRISC = 1 << TT_BRISC, NCRISC = 1 << TT_NCRISC, SCRIPT_MOST = 16 };

// --- a device that is read ---------------------------------------------------------------
struct reading {
    ttdev *t;
    struct tt_access access;
    int (*write)(void *, int, const struct tt_core *, uint32_t, const void *, size_t);
    struct collection *c;
    struct readout *readout;
    struct trace trace;
    size_t n_vector_writes; // of the host, into vectors
};

// Writes of the host go through here; the device's own function is kept beside.
static struct reading *watching;
static int write_l1(void *device, int chip, const struct tt_core *core, uint32_t address,
                    const void *data, size_t bytes)
{
    watching->n_vector_writes += address + bytes > core->buffers;
    return watching->write(device, chip, core, address, data, bytes);
}

static void reading_open(struct reading *r, const char *config, bool loses_nothing)
{
    char text[200];
    struct err e = {0};
    struct buf warnings = {0};
    memset(r, 0, sizeof *r);
    r->c = mem_alloc(sizeof *r->c);
    profiler_options_default(&r->c->options);
    r->c->options.is_enabled = true;
    r->c->options.sum = true;
    r->c->options.program_count = 43;
    r->c->options.overflow = loses_nothing ? OVERFLOW_STALL : OVERFLOW_DROP;
    assert_true(profiler_options_settle(&r->c->options, &warnings, &e));
    (void)snprintf(text, sizeof text, "%s variant=prof region_bytes=%u region_buffers=%d",
                   config, profiler_region_bytes(&r->c->options, NULL),
                   profiler_region_buffers(&r->c->options));
    buf_free(&warnings);
    r->t = device_open(text);
    ttdev_access(r->t, &r->access);
    r->write = r->access.l1_write;
    r->access.l1_write = write_l1;
    watching = r;
    r->readout = readout_open(&r->access, r->c, &e);
    if (!r->readout)
        fail_msg("%s", e.text);
}

static void reading_run(struct reading *r, int chip, ttdev_xy at, int risc, uint32_t id,
                        const uint32_t script[SCRIPT_MOST])
{
    ttdev_range one = {at, at};
    ttdev_program *p = ttdev_program_new(r->t, "program");
    int k = ttdev_program_kernel(
        p, one, risc, kernel_load(r->t, "kernels/profile_script", risc), risc == TT_NCRISC);
    assert_int_equal(ttdev_program_args(p, k, one, script, SCRIPT_MOST), 0);
    assert_int_equal(ttdev_launch(r->t, chip, p, id), 0);
    if (ttdev_wait(r->t, chip, 1000000000))
        fail_msg("%s", ttdev_fault(r->t, chip));
    ttdev_program_free(p);
}

static void reading_decode(struct reading *r)
{
    struct err e = {0};
    struct decoder *d = decoder_new(r->c);
    assert_true(readout_all(r->readout, READ_LAST, &e));
    decoder_run(d, &r->trace, true);
    decoder_free(d);
}

static void reading_close(struct reading *r)
{
    trace_free(&r->trace);
    readout_close(r->readout);
    collection_free(r->c);
    mem_free(r->c);
    ttdev_close(r->t);
}

static size_t count_type(const struct reading *r, enum marker_type type)
{
    size_t n = 0;
    for (size_t i = 0; i < r->trace.tracks.n; i++)
        for (uint32_t m = 0; m < r->trace.tracks.v[i].n_markers; m++)
            n += trace_site_of(&r->trace, r->trace.tracks.v[i].marker + m)->type == type;
    return n;
}

// --- the address of the last TRISC -------------------------------------------------------
// The reference has it in the word behind the control vector, which is the first of BRISC's
// vector: host and TRISC2 would write there.
TEST(the_word_behind_the_control_vector_belongs_to_brisc)
{
    static const uint32_t script[SCRIPT_MOST] = {PROFILE_EVENTS, 1200};
    struct reading r;
    reading_open(&r, "board=n150", true);
    for (uint32_t run = 1; run <= 4; run++)
        reading_run(&r, 0, (ttdev_xy){0, 0}, TT_TRISC2, run, script);
    reading_decode(&r);
    assert_int_equal(count_type(&r, MARKER_TS_EVENT), 4800);
    assert_true(r.c->chips.v[0].riscs[0][TT_TRISC2].stalls > 12); // L1 and DRAM
    assert_int_equal(r.n_vector_writes, 0);
    uint32_t words[2];
    ttdev_core core = {TTDEV_LOGICAL, {0, 0}};
    assert_int_equal(
        ttdev_l1_read(r.t, 0, core,
                      tt_layouts[TT_WORMHOLE].profiler_control + 4 * TT_CONTROL_WORDS,
                      words, sizeof words),
        0);
    assert_int_equal(words[0], 0);
    assert_int_equal(words[1], 0);
    reading_close(&r);
}

// --- who says that markers were dropped --------------------------------------------------
// Two RISCs that lose markers in pushes of their own at the same time: one word has a bit
// of each, and none goes missing.
TEST(riscs_that_lose_markers_at_once_are_all_told_of)
{
    for (uint32_t shift = 0; shift < 24; shift++) {
        struct profile p;
        profile_open(&p, "board=n150 variant=prof", TT_LEVEL_ALL);
        profile_set(&p, TT_CONTROL_REGION_BYTES, 2064);
        profile_run(&p, BRISC | NCRISC, 1, PROFILE_DELAY, shift, PROFILE_EVENTS, 250,
                    PROFILE_PUSH, 1, PROFILE_EVENTS, 9, PROFILE_PUSH, 1);
        assert_int_equal(profile_get(&p, TT_CONTROL_DROPPED), BRISC | NCRISC);
        assert_int_equal(profile_get(&p, TT_CONTROL_DRAM_DROPPED),
                         profile_get(&p, TT_CONTROL_DRAM_DROPPED + 1));
        assert_int_equal(profile_get(&p, TT_CONTROL_DRAM_DROPPED), 250);
        profile_close(&p);
    }
}

// --- flat ids ----------------------------------------------------------------------------
// Two chips of one board that lack different rows: the same tile has another id on each, by
// which its words lie elsewhere.
TEST(chips_with_other_rows_missing_have_flat_ids_of_their_own)
{
    static const uint32_t script[SCRIPT_MOST] = {PROFILE_EVENTS, 7};
    struct reading r;
    reading_open(&r, "board=n300 devices=2 harvest=0x003:0x300", false);
    size_t n_shared = 0, n_other = 0;
    const struct chip_record *chips = r.c->chips.v;
    for (size_t i = 0; i < chips[0].n_cores; i++)
        for (size_t k = 0; k < chips[1].n_cores; k++) {
            const struct tt_core *a = &chips[0].cores[i], *b = &chips[1].cores[k];
            if (a->x == b->x && a->y == b->y) {
                n_shared++;
                n_other += a->flat != b->flat;
            }
        }
    assert_true(n_shared > 40);
    assert_true(n_other > 10);
    for (int chip = 0; chip < 2; chip++)
        for (int x = 0; x < 8; x++)
            reading_run(&r, chip, (ttdev_xy){x, 7}, TT_BRISC, 1, script);
    reading_decode(&r);
    assert_int_equal(count_type(&r, MARKER_TS_EVENT), 2 * 8 * 7);
    for (size_t i = 0; i < r.trace.tracks.n; i++) {
        const struct trace_core *core = &r.trace.cores.v[r.trace.tracks.v[i].core];
        ttdev_xy logical, noc0 = {core->x, core->y};
        int chip = (int)r.trace.devices.v[core->device].id;
        assert_int_equal(ttdev_xlat(r.t, chip, noc0, TTDEV_NOC0, TTDEV_LOGICAL, &logical),
                         0);
        assert_int_equal(logical.y, 7);
        assert_int_equal(r.trace.tracks.v[i].n_markers, 4 + 7);
    }
    assert_int_equal(r.trace.tracks.n, 2 * 8);
    reading_close(&r);
}

// --- sums --------------------------------------------------------------------------------
// The vector is full when the kernel ends, and the sums come behind.
TEST(sums_are_not_lost_where_nothing_is)
{
    for (int risc = 0; risc < TT_RISCS; risc++)
        for (uint32_t events = 247; events <= 251; events++) {
            const uint32_t script[SCRIPT_MOST] = {PROFILE_SUM1,   2,     PROFILE_SUM2, 1,
                                                  PROFILE_EVENTS, events};
            struct reading r;
            reading_open(&r, "board=n150 harvest=0x1FF", true);
            reading_run(&r, 0, (ttdev_xy){0, 0}, risc, 1, script);
            reading_decode(&r);
            assert_int_equal(count_type(&r, MARKER_TS_EVENT), events);
            assert_int_equal(count_type(&r, MARKER_ZONE_TOTAL), 2);
            assert_int_equal(r.c->chips.v[0].riscs[0][risc].l1_dropped, 0);
            reading_close(&r);
        }
}

// At the level of programs and kernels a sum is not asked for, so none is lost.
TEST(sums_are_optional_markers)
{
    struct profile p;
    profile_open(&p, "board=n150 variant=prof", TT_LEVEL_COARSE | TT_FLAG_SUM);
    profile_run(&p, (1 << TT_RISCS) - 1, 1, PROFILE_SUM1, 2, PROFILE_SUM2, 1);
    for (uint32_t risc = 0; risc < TT_RISCS; risc++) {
        assert_int_equal(profile_get(&p, TT_CONTROL_DEVICE_END + risc), TT_CHUNK_CUSTOM);
        assert_int_equal(profile_get(&p, TT_CONTROL_L1_DROPPED + risc), 0);
    }
    profile_close(&p);
}
