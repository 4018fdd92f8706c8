// Markers of kernels and firmware in the vectors of L1: how many fit, what happens to the
// others, and that every stamp is the clock that was read for it.
#include <stdio.h>
#include <string.h>

#include "sample_profile.h"

enum { BRISC = 1 << TT_BRISC, ALL_RISCS = (1 << TT_RISCS) - 1 };

static const char *const chips[] = {"board=n150 variant=prof",
                                    "arch=blackhole board=p150 variant=prof"};
enum { CHIPS = sizeof chips / sizeof *chips };

// --- capacities -------------------------------------------------------------------------
static const struct capacity {
    const char *what;
    uint32_t script[5];
    uint32_t markers; // in the optional area
    uint32_t lost, end;
} capacities[] = {
    {"nothing", {0}, 0, 0, 12},
    {"one zone", {PROFILE_ZONES, 1}, 2, 0, 16},
    {"flat zones", {PROFILE_ZONES, 125}, 250, 0, 512},
    {"one zone too many", {PROFILE_ZONES, 126}, 250, 2, 512},
    {"zones for two vectors", {PROFILE_ZONES, 250}, 250, 250, 512},
    {"three deep", {PROFILE_NEST, 3 | 123 << 8}, 250, 2, 512},
    {"ten deep", {PROFILE_NEST, 10 | 200 << 8}, 250, 2 * (200 - 115), 512},
    {"as deep as possible", {PROFILE_NEST, 124 | 2 << 8}, 250, 2, 512},
    {"events", {PROFILE_EVENTS, 250}, 250, 0, 512},
    {"an event too many", {PROFILE_EVENTS, 253}, 250, 3, 512},
    {"data", {PROFILE_DATA, 126}, 125, 1, 512},
    {"data of 16 bytes", {PROFILE_DATA16, 84}, 83, 1, 512},
    // A zone whose end did not fit would end in the vector of the next RISC.
    {"an event, then zones", {PROFILE_EVENTS, 1, PROFILE_ZONES, 130}, 249, 12, 512},
    {"three events, then data", {PROFILE_EVENTS, 3, PROFILE_DATA, 125}, 126, 2, 512},
    {"zones, then data", {PROFILE_ZONES, 124, PROFILE_DATA, 2}, 249, 1, 512},
    {"zones, then an event", {PROFILE_ZONES, 125, PROFILE_EVENTS, 1}, 250, 1, 512},
};

static void check_capacity(struct profile *p, const struct capacity *c)
{
    uint32_t before = profile_get(p, TT_CONTROL_L1_DROPPED);
    uint32_t pushed = profile_get(p, TT_CONTROL_HOST_END);
    profile_run_script(p, BRISC, 1, c->script, 5);
    uint32_t lost = profile_get(p, TT_CONTROL_L1_DROPPED) - before;
    uint32_t end = profile_get(p, TT_CONTROL_DEVICE_END);
    profile_read_dram(p, TT_BRISC, pushed, end);
    size_t n = profile_parse(p, TT_CHUNK_CUSTOM, end);
    if (lost != c->lost || end != c->end || n != c->markers)
        fail_msg("%s: %zu markers, %u lost, end %u", c->what, n, lost, end);
    assert_int_equal(profile_get(p, TT_CONTROL_HOST_END), pushed + end);
    // The next RISC's vector has its identity and nothing else.
    profile_read_l1(p, TT_NCRISC);
    assert_int_equal(p->chunk[0], 0);
    assert_int_equal(p->chunk[1], 0);
    assert_int_equal(p->chunk[2], p->flat << TT_IDENTITY_FLAT_SHIFT | TT_NCRISC);
    for (int i = 4; i < TT_CHUNK_WORDS; i++)
        assert_int_equal(p->chunk[i], 0);
}

TEST(markers_fill_a_vector_and_the_rest_is_counted)
{
    for (int chip = 0; chip < CHIPS; chip++) {
        struct profile p;
        profile_open(&p, chips[chip], TT_LEVEL_ALL);
        for (size_t i = 0; i < sizeof capacities / sizeof *capacities; i++)
            check_capacity(&p, &capacities[i]);
        assert_int_equal(profile_get(&p, TT_CONTROL_DRAM_DROPPED), 0);
        assert_int_equal(profile_get(&p, TT_CONTROL_DROPPED), 0);
        profile_close(&p);
    }
}

TEST(markers_lost_in_l1_say_when_it_began)
{
    struct profile p;
    profile_open(&p, "board=n150 variant=prof boot_cycles=8000000000", TT_LEVEL_ALL);
    profile_run(&p, BRISC, 1, PROFILE_EVENTS, 249);
    assert_int_equal(profile_get(&p, TT_CONTROL_FIRST_DROP_L), 0);
    assert_int_equal(profile_get(&p, TT_CONTROL_FIRST_DROP_H), 0);
    profile_run(&p, BRISC, 1, PROFILE_EVENTS, 260, PROFILE_DELAY, 5000, PROFILE_EVENTS, 1);
    profile_read_l1(&p, TT_BRISC);
    profile_parse(&p, TT_CHUNK_CUSTOM, TT_CHUNK_WORDS);
    uint64_t last = p.marker[p.n_markers - 1].time;
    uint64_t first = profile_get(&p, TT_CONTROL_FIRST_DROP_L) |
                     (uint64_t)profile_get(&p, TT_CONTROL_FIRST_DROP_H) << 32;
    assert_true(first > last && first < last + 300);
    assert_int_equal(profile_get(&p, TT_CONTROL_L1_DROPPED), 11);
    profile_close(&p);
}

TEST(markers_of_one_risc_do_not_count_for_another)
{
    struct profile p;
    profile_open(&p, chips[0], TT_LEVEL_ALL);
    profile_run(&p, ALL_RISCS, 1, PROFILE_ZONES, 130);
    for (uint32_t risc = 0; risc < TT_RISCS; risc++) {
        assert_int_equal(profile_get(&p, TT_CONTROL_L1_DROPPED + risc), 10);
        assert_int_equal(profile_get(&p, TT_CONTROL_DEVICE_END + risc), 512);
        assert_int_equal(profile_get(&p, TT_CONTROL_HOST_END + risc), 512);
    }
    profile_close(&p);
}

// --- words ------------------------------------------------------------------------------
TEST(markers_have_the_words_of_their_kind)
{
    struct profile p;
    profile_open(&p, chips[0], TT_LEVEL_ALL);
    profile_run(&p, BRISC, 4711, PROFILE_ZONES, 1, PROFILE_EVENTS, 2, PROFILE_DATA, 1,
                PROFILE_DATA16, 1);
    profile_read_dram(&p, TT_BRISC, 0, 512);
    assert_int_equal(p.chunk[TT_CHUNK_ID_HH], 0);
    assert_int_equal(p.chunk[TT_CHUNK_ID_HL], 0);
    assert_int_equal(p.chunk[TT_CHUNK_ID_LH], p.flat << TT_IDENTITY_FLAT_SHIFT);
    assert_int_equal(p.chunk[TT_CHUNK_ID_LL], 4711);
    assert_int_equal(profile_parse(&p, 4, profile_get(&p, TT_CONTROL_DEVICE_END)), 10);
    static const uint32_t types[] = {TT_PACKET_ZONE_START, TT_PACKET_ZONE_END,
                                     TT_PACKET_ZONE_START, TT_PACKET_ZONE_END,
                                     TT_PACKET_ZONE_START, TT_PACKET_ZONE_END,
                                     TT_PACKET_TS_EVENT,   TT_PACKET_TS_EVENT,
                                     TT_PACKET_TS_DATA,    TT_PACKET_TS_DATA_16B};
    for (int i = 0; i < 10; i++)
        assert_int_equal(p.marker[i].type, types[i]);
    for (int i = 0; i < 6; i += 2)
        assert_int_equal(p.marker[i].id, p.marker[i + 1].id);
    assert_int_not_equal(p.marker[0].id, p.marker[2].id);
    assert_int_not_equal(p.marker[2].id, p.marker[4].id);
    assert_int_equal(p.marker[6].id, 1);
    assert_int_equal(p.marker[7].id, 2);
    assert_int_equal(p.marker[8].more[0], 1);
    assert_int_equal(p.marker[8].more[1], ~1u);
    assert_int_equal(p.marker[9].more[0], 1);
    assert_int_equal(p.marker[9].more[1], ~1u);
    assert_int_equal(p.marker[9].more[2], ~1u);
    assert_int_equal(p.marker[9].more[3], 1);
    // The firmware's zone is around the kernel's, which is around all others.
    uint64_t order[] = {p.marker[0].time, p.marker[2].time, p.marker[4].time,
                        p.marker[5].time, p.marker[6].time, p.marker[7].time,
                        p.marker[8].time, p.marker[9].time, p.marker[3].time,
                        p.marker[1].time};
    for (int i = 1; i < 10; i++)
        assert_true(order[i - 1] < order[i]);
    profile_close(&p);
}

// --- main zones of a kernel --------------------------------------------------------------
// What a kernel that has main zones leaves of a script: zones of each kind, in its vector.
struct mains {
    uint32_t main, child, others; // that were recorded
    uint32_t lost, words;
};
static const char *zone_name(struct profile *p, uint32_t id)
{
    struct tt_access access;
    static struct tt_zone zone; // its name is the device's
    ttdev_access(p->t, &access);
    for (size_t i = 0; i < access.n_zones(access.device); i++)
        if (access.get_zone(access.device, i, &zone) == 0 && zone.id == id)
            return zone.name;
    return "";
}
static struct mains run_mains(struct profile *p, unsigned risc, const uint32_t script[9])
{
    struct mains m = {0};
    uint32_t before = profile_get(p, TT_CONTROL_L1_DROPPED + risc);
    if (profile_try(p, "kernels/profile_main", 1u << risc, 1, script, 9))
        fail_msg("%s", ttdev_fault(p->t, 0));
    m.lost = profile_get(p, TT_CONTROL_L1_DROPPED + risc) - before;
    m.words = profile_get(p, TT_CONTROL_DEVICE_END + risc);
    profile_read_l1(p, risc);
    profile_parse(p, TT_CHUNK_CUSTOM, m.words);
    for (size_t i = 0; i < p->n_markers; i++) {
        const char *name = zone_name(p, p->marker[i].id);
        uint32_t *n = strcmp(name, "own main") == 0    ? &m.main
                      : strcmp(name, "own child") == 0 ? &m.child
                                                       : &m.others;
        *n += p->marker[i].type == TT_PACKET_ZONE_START;
        assert_int_equal(p->marker[i].type,
                         i % 2 ? TT_PACKET_ZONE_END : TT_PACKET_ZONE_START);
    }
    return m;
}

TEST(markers_main_zones_of_a_kernel_are_recorded_however_full_its_vector_is)
{
    static const struct {
        uint32_t script[9];
        struct mains want;
    } cases[] = {
        {{PROFILE_ZONES, 124, PROFILE_CHILD, 1}, {0, 1, 123, 2, 508}},
        {{PROFILE_ZONES, 200, PROFILE_MAIN, 1, PROFILE_CHILD, 1}, {1, 1, 123, 154, 512}},
        {{PROFILE_EVENTS, 0, PROFILE_CHILD, 1, PROFILE_ZONES, 200}, {0, 1, 123, 154, 508}},
        {{PROFILE_MAIN, 2, PROFILE_ZONES, 200, PROFILE_CHILD, 3}, {2, 1, 122, 160, 512}},
        {{PROFILE_ZONES, 200, PROFILE_MAIN, 2}, {1, 0, 123, 156, 508}},
    };
    for (int chip = 0; chip < CHIPS; chip++) {
        struct profile p;
        profile_open(&p, chips[chip], TT_LEVEL_ALL);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            for (unsigned risc = 0; risc < TT_RISCS; risc++) {
                struct mains got = run_mains(&p, risc, cases[i].script);
                if (memcmp(&got, &cases[i].want, sizeof got) != 0)
                    fail_msg(
                        "case %zu, RISC %u: %u main, %u child, %u others, %u lost, "
                        "%u words",
                        i, risc, got.main, got.child, got.others, got.lost, got.words);
            }
        profile_close(&p);
    }
}

// Room that was set aside and not used is there for what comes after the kernel.
TEST(markers_sums_get_the_room_that_no_main_zone_took)
{
    struct profile p;
    profile_open(&p, chips[0], TT_LEVEL_ALL | TT_FLAG_SUM);
    assert_int_equal(profile_try(&p, "kernels/profile_main", BRISC, 1,
                                 (uint32_t[]){PROFILE_SUM1, 1, PROFILE_SUM2, 1,
                                              PROFILE_ZONES, 200, PROFILE_END},
                                 7),
                     0);
    profile_read_l1(&p, TT_BRISC);
    profile_parse(&p, TT_CHUNK_CUSTOM, profile_get(&p, TT_CONTROL_DEVICE_END));
    assert_int_equal(profile_count(&p, TT_PACKET_ZONE_TOTAL), 2);
    assert_int_equal(profile_count(&p, TT_PACKET_ZONE_START), 123);
    profile_close(&p);
}

TEST(markers_main_zones_of_a_kernel_are_none_where_none_are_wanted)
{
    struct profile p;
    profile_open(&p, chips[0], TT_LEVEL_COARSE);
    struct mains got =
        run_mains(&p, TT_BRISC, (uint32_t[9]){PROFILE_MAIN, 1, PROFILE_CHILD, 1});
    assert_int_equal(got.main + got.child + got.others + got.lost, 0);
    profile_close(&p);
}

// --- numbers of events -------------------------------------------------------------------
TEST(markers_events_above_16_bits_are_counted_and_not_recorded)
{
    struct profile p;
    profile_open(&p, chips[0], TT_LEVEL_ALL);
    profile_run(&p, BRISC, 1, PROFILE_EVENT, 65535, PROFILE_EVENT, 65536, PROFILE_EVENT,
                70000, PROFILE_EVENT, UINT32_MAX);
    assert_int_equal(profile_get(&p, TT_CONTROL_BAD_EVENTS), 3);
    assert_int_equal(profile_get(&p, TT_CONTROL_L1_DROPPED), 0);
    profile_read_l1(&p, TT_BRISC);
    assert_int_equal(
        profile_parse(&p, TT_CHUNK_CUSTOM, profile_get(&p, TT_CONTROL_DEVICE_END)), 1);
    assert_int_equal(p.marker[0].id, 65535);
    profile_close(&p);
}

// --- the clock --------------------------------------------------------------------------
TEST(markers_have_the_stamp_that_was_read_for_them)
{
    for (int chip = 0; chip < CHIPS; chip++) {
        struct profile p;
        profile_open(&p, chips[chip], TT_LEVEL_ALL | TT_FLAG_SUM);
        profile_hear(&p);
        profile_run(&p, ALL_RISCS, 1, PROFILE_NEST, 5 | 3 << 8, PROFILE_EVENTS, 20,
                    PROFILE_DATA, 5, PROFILE_DATA16, 5, PROFILE_SUM1, 2, PROFILE_ZONES, 20);
        for (uint32_t risc = 0; risc < TT_RISCS; risc++) {
            profile_read_dram(&p, risc, 0, 512);
            size_t n = profile_parse(&p, 4, profile_get(&p, TT_CONTROL_DEVICE_END + risc));
            assert_int_equal(n, 4 + 16 + 20 + 5 + 5 + 40 + 1);
            profile_check_stamps(&p, risc);
        }
        profile_close(&p);
    }
}

// A program of 250 events on a device that boots at a cycle.
struct wrapped {
    uint64_t first, middle, last; // stamps
    uint64_t reads;               // of the clock
};
static struct wrapped run_from(uint64_t boot_cycles)
{
    char config[96];
    struct profile p;
    (void)snprintf(config, sizeof config,
                   "board=n150 variant=prof host_jitter_ns=0 boot_cycles=%llu",
                   (unsigned long long)boot_cycles);
    profile_open(&p, config, TT_LEVEL_ALL);
    profile_hear(&p);
    profile_run(&p, BRISC, 1, PROFILE_EVENTS, 250);
    profile_read_l1(&p, TT_BRISC);
    assert_int_equal(profile_parse(&p, TT_CHUNK_CUSTOM, 512), 250);
    profile_check_stamps(&p, TT_BRISC);
    uint64_t mask = (1ull << TT_MARKER_TIME_BITS) - 1;
    for (size_t i = 1; i < 250; i++)
        assert_in_range((p.marker[i].time - p.marker[i - 1].time) & mask, 1, 99);
    struct wrapped w = {p.marker[0].time, p.marker[125].time, p.marker[249].time,
                        p.n_clock_reads};
    profile_close(&p);
    return w;
}

// The clock wraps at every possible place in the code of a marker: some markers read it
// again, none is torn.
TEST(markers_do_not_tear_when_the_clock_wraps)
{
    enum { BOOT = 1000000, PLACES = 24 };
    struct wrapped usual = run_from(BOOT);
    for (unsigned bits = 32; bits <= TT_MARKER_TIME_BITS; bits += 12) {
        uint64_t more = 0, wrap = 1ull << bits;
        for (unsigned early = 0; early < PLACES; early++) {
            struct wrapped w = run_from(wrap - (usual.middle - BOOT) - early);
            assert_true(w.first >> 31 != 0); // before the wrap
            assert_int_equal((uint32_t)w.last >> 31, 0);
            assert_int_equal(w.last >> 32, bits == TT_MARKER_TIME_BITS ? 0 : 1);
            more += w.reads - usual.reads;
        }
        assert_in_range(more, 1, PLACES);
    }
}

// --- levels, masks, sums ----------------------------------------------------------------
static void check_level(uint32_t flags, uint32_t slots, uint32_t optional, uint32_t pushed)
{
    struct profile p;
    profile_open(&p, chips[0], flags);
    profile_run(&p, BRISC | 1 << TT_TRISC1, 1, PROFILE_ZONES, 130, PROFILE_EVENTS, 1,
                PROFILE_DATA, 1, PROFILE_DATA16, 1, PROFILE_FLUSH_IF, 9, PROFILE_PUSH, 1);
    profile_read_l1(&p, TT_TRISC1);
    if (pushed) {
        assert_int_equal(profile_parse(&p, 4, 12), slots);
        assert_int_equal(profile_parse(&p, 12, pushed), optional);
    } else {
        for (int i = 4; i < TT_CHUNK_WORDS; i++)
            assert_int_equal(p.chunk[i] & ~TT_MARKER_VALID, 0);
    }
    assert_int_equal(profile_get(&p, TT_CONTROL_HOST_END + TT_TRISC1), pushed);
    assert_int_equal(profile_get(&p, TT_CONTROL_DEVICE_END + TT_TRISC1), pushed);
    uint32_t lost = optional ? 2 * 5 + 3 : 0;
    assert_int_equal(profile_get(&p, TT_CONTROL_L1_DROPPED + TT_TRISC1), lost);
    profile_close(&p);
}

TEST(markers_follow_level_and_mask)
{
    uint32_t trisc1 = 1u << (TT_FLAG_RISC_SHIFT + TT_TRISC1);
    uint32_t brisc = 1u << (TT_FLAG_RISC_SHIFT + TT_BRISC);
    check_level(TT_LEVEL_OFF, 0, 0, 0);
    check_level(TT_LEVEL_COARSE, 4, 0, 12);
    check_level(TT_LEVEL_ALL, 4, 250, 512);
    check_level(TT_LEVEL_ALL | trisc1, 4, 250, 512);
    check_level(TT_LEVEL_ALL | trisc1 | brisc, 4, 250, 512);
    check_level(TT_LEVEL_ALL | brisc, 0, 0, 0);
    check_level(TT_LEVEL_COARSE | trisc1, 4, 0, 12);
}

TEST(markers_sum_scopes_by_option)
{
    struct profile p;
    profile_open(&p, chips[0], TT_LEVEL_ALL);
    profile_run(&p, BRISC, 1, PROFILE_SUM1, 3, PROFILE_SUM2, 2);
    assert_int_equal(profile_get(&p, TT_CONTROL_DEVICE_END), 12);
    profile_set(&p, TT_CONTROL_FLAGS, TT_LEVEL_ALL | TT_FLAG_SUM);
    profile_run(&p, BRISC, 1, PROFILE_SUM1, 3, PROFILE_SUM2, 2);
    assert_int_equal(profile_get(&p, TT_CONTROL_DEVICE_END), 16);
    profile_read_dram(&p, TT_BRISC, 12, 16);
    assert_int_equal(profile_parse(&p, 12, 16), 2);
    for (int i = 0; i < 2; i++) {
        uint32_t least = i ? 200 : 150;
        assert_int_equal(p.marker[i].type, TT_PACKET_ZONE_TOTAL);
        assert_int_equal(p.marker[i].time >> 32, 0);
        assert_in_range(p.marker[i].time, least, least + 100);
    }
    assert_int_not_equal(p.marker[0].id, p.marker[1].id);
    profile_run(&p, BRISC, 1, PROFILE_ZONES, 1); // sums do not outlive their program
    assert_int_equal(profile_get(&p, TT_CONTROL_DEVICE_END), 16);
    profile_read_l1(&p, TT_BRISC);
    profile_parse(&p, 12, 16);
    assert_int_equal(profile_count(&p, TT_PACKET_ZONE_TOTAL), 0);
    // One has room behind 249 markers, both have none behind 250.
    profile_run(&p, BRISC, 1, PROFILE_EVENTS, 249, PROFILE_SUM1, 1, PROFILE_SUM2, 1);
    assert_int_equal(profile_get(&p, TT_CONTROL_L1_DROPPED), 1);
    profile_run(&p, BRISC, 1, PROFILE_EVENTS, 250, PROFILE_SUM1, 1, PROFILE_SUM2, 1);
    assert_int_equal(profile_get(&p, TT_CONTROL_L1_DROPPED), 3);
    profile_close(&p);
}

TEST(markers_of_a_program_that_is_not_valid_are_not_kept)
{
    struct profile p;
    profile_open(&p, chips[0], TT_LEVEL_ALL);
    profile_run(&p, ALL_RISCS, 1, PROFILE_ZONES, 3, PROFILE_VALID, 0);
    assert_int_equal(profile_get(&p, TT_CONTROL_PROFILER_DONE), 1);
    assert_int_equal(profile_get(&p, TT_CONTROL_RUN_COUNTER), 0);
    for (uint32_t risc = 0; risc < TT_RISCS; risc++)
        assert_int_equal(profile_get(&p, TT_CONTROL_HOST_END + risc), 0);
    profile_run(&p, ALL_RISCS, 1, PROFILE_ZONES, 3, PROFILE_VALID, 1);
    assert_int_equal(profile_get(&p, TT_CONTROL_PROFILER_DONE), 1);
    assert_int_equal(profile_get(&p, TT_CONTROL_RUN_COUNTER), 1);
    for (uint32_t risc = 0; risc < TT_RISCS; risc++)
        assert_int_equal(profile_get(&p, TT_CONTROL_HOST_END + risc), 24);
    profile_close(&p);
}

TEST(markers_carry_the_number_that_a_kernel_sets)
{
    struct profile p;
    profile_open(&p, chips[0], TT_LEVEL_ALL);
    profile_run(&p, BRISC | 1 << TT_TRISC2, 0x80000001, PROFILE_COUNTER, 99);
    for (unsigned risc = 0; risc < TT_RISCS; risc++) {
        profile_read_l1(&p, risc);
        assert_int_equal(p.chunk[TT_CHUNK_ID_LL], 99);
    }
    profile_run(&p, BRISC, 0x80000001, PROFILE_ZONES, 1);
    profile_read_l1(&p, TT_TRISC0);
    assert_int_equal(p.chunk[TT_CHUNK_ID_LL], 0x80000001);
    profile_close(&p);
}
