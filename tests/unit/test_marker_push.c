// Vectors on their way to DRAM: at the end of a program, from within it, and what happens
// when the region is full: markers are counted, or the RISC waits for the host.
#include <errno.h>
#include <string.h>

#include "sample_profile.h"

enum { BRISC = 1 << TT_BRISC, NCRISC = 1 << TT_NCRISC, ALL_RISCS = (1 << TT_RISCS) - 1 };

static const char *const chips[] = {"board=n150 variant=prof",
                                    "arch=blackhole board=p150 variant=prof"};
enum { CHIPS = sizeof chips / sizeof *chips };

// --- the end of a program ---------------------------------------------------------------
TEST(push_puts_every_vector_into_its_region)
{
    for (int chip = 0; chip < CHIPS; chip++) {
        struct profile p;
        uint32_t at[TT_RISCS] = {0};
        profile_open(&p, chips[chip], TT_LEVEL_ALL);
        for (uint32_t run = 1; run <= 3; run++) {
            profile_run(&p, ALL_RISCS, run, PROFILE_EVENTS, run);
            for (uint32_t risc = 0; risc < TT_RISCS; risc++) {
                uint32_t end = profile_get(&p, TT_CONTROL_DEVICE_END + risc);
                assert_int_equal(end, (12 + 2 * run + 3) / 4 * 4); // whole 16 bytes
                profile_read_dram(&p, risc, at[risc], end);
                assert_int_equal(p.chunk[TT_CHUNK_ID_LH],
                                 p.flat << TT_IDENTITY_FLAT_SHIFT | risc);
                assert_int_equal(p.chunk[TT_CHUNK_ID_LL], run);
                assert_int_equal(profile_parse(&p, 4, end), 4 + run);
                at[risc] += end;
                assert_int_equal(profile_get(&p, TT_CONTROL_HOST_END + risc), at[risc]);
            }
            assert_int_equal(profile_get(&p, TT_CONTROL_RUN_COUNTER), run);
            assert_int_equal(profile_get(&p, TT_CONTROL_PROFILER_DONE), 1);
        }
        ttdev_xy virt;
        assert_int_equal(
            ttdev_xlat(p.t, 0, (ttdev_xy){0, 0}, TTDEV_LOGICAL, TTDEV_VIRTUAL, &virt), 0);
        assert_int_equal(profile_get(&p, TT_CONTROL_NOC_X), virt.x);
        assert_int_equal(profile_get(&p, TT_CONTROL_NOC_Y), virt.y);
        profile_close(&p);
    }
}

// Blackhole's small caches of L1 do not see what other RISCs and the host write.
TEST(push_sees_what_others_wrote_behind_its_cache)
{
    struct profile p;
    profile_open(&p, "arch=blackhole board=p100 variant=prof l0=on", TT_LEVEL_COARSE);
    profile_run(&p, ALL_RISCS, 1, PROFILE_EVENTS, 3);
    profile_set(&p, TT_CONTROL_FLAGS, TT_LEVEL_ALL);
    profile_run(&p, ALL_RISCS, 2, PROFILE_EVENTS, 3);
    for (uint32_t risc = 0; risc < TT_RISCS; risc++) {
        assert_int_equal(profile_get(&p, TT_CONTROL_HOST_END + risc), 12 + 20);
        profile_read_dram(&p, risc, 12, 20);
        assert_int_equal(profile_parse(&p, 4, 20), 4 + 3);
    }
    profile_close(&p);
}

// A RISC that a program does not run has nothing to push, whatever it did before.
TEST(push_leaves_out_riscs_that_did_not_run)
{
    struct profile p;
    profile_open(&p, chips[0], TT_LEVEL_ALL);
    profile_run(&p, BRISC | NCRISC, 1, PROFILE_ZONES, 125);
    assert_int_equal(profile_get(&p, TT_CONTROL_HOST_END + TT_NCRISC), 512);
    for (uint32_t run = 2; run < 6; run++)
        profile_run(&p, BRISC, run, PROFILE_ZONES, 1);
    assert_int_equal(profile_get(&p, TT_CONTROL_HOST_END + TT_NCRISC), 512);
    assert_int_equal(profile_get(&p, TT_CONTROL_DEVICE_END + TT_NCRISC), 0);
    assert_int_equal(profile_get(&p, TT_CONTROL_HOST_END + TT_BRISC), 512 + 4 * 16);
    profile_close(&p);
}

TEST(push_without_dram_still_counts_words)
{
    struct profile p;
    profile_open(&p, chips[0], TT_LEVEL_ALL);
    profile_set(&p, TT_CONTROL_DRAM_ADDRESS, 0);
    profile_run(&p, BRISC, 1, PROFILE_ZONES, 130, PROFILE_PUSH, 1);
    assert_int_equal(profile_get(&p, TT_CONTROL_HOST_END), 512);
    assert_int_equal(profile_get(&p, TT_CONTROL_DRAM_DROPPED), 0);
    profile_close(&p);
}

// The region has 600 words: a full vector, then the guaranteed markers of seven programs,
// then nothing.
TEST(push_counts_what_a_full_region_cannot_take)
{
    struct profile p;
    profile_open(&p, chips[0], TT_LEVEL_ALL);
    profile_set(&p, TT_CONTROL_REGION_BYTES, 2400);
    profile_run(&p, BRISC, 1, PROFILE_ZONES, 125);
    assert_int_equal(profile_get(&p, TT_CONTROL_DROPPED), 0);
    uint32_t lost = 0;
    for (uint32_t run = 2; run <= 10; run++) {
        profile_run(&p, BRISC, run, PROFILE_ZONES, 40, PROFILE_EVENTS, 3, PROFILE_DATA, 2,
                    PROFILE_DATA16, 1);
        lost += 80 + 3 + 2 + 1 + (run > 8 ? 4u : 0);
        assert_int_equal(profile_get(&p, TT_CONTROL_DRAM_DROPPED), lost);
        assert_int_equal(profile_get(&p, TT_CONTROL_DROPPED), 1);
        assert_int_equal(profile_get(&p, TT_CONTROL_HOST_END),
                         run > 8 ? 596 : 512 + 12 * (run - 1));
    }
    for (uint32_t run = 2; run <= 8; run++) {
        profile_read_dram(&p, TT_BRISC, 512 + 12 * (run - 2), 12);
        assert_int_equal(p.chunk[TT_CHUNK_ID_LL], run);
        assert_int_equal(profile_parse(&p, 4, 12), 4);
    }
    profile_read_dram(&p, TT_BRISC, 596, 12); // the rest, and the next RISC's region
    for (int i = 0; i < 12; i++)
        assert_int_equal(p.chunk[i], 0);
    assert_int_equal(profile_get(&p, TT_CONTROL_L1_DROPPED), 0);
    assert_true(profile_get(&p, TT_CONTROL_FIRST_DROP_L) != 0);
    profile_close(&p);
}

TEST(push_accounts_for_itself)
{
    struct profile p;
    profile_open(&p, "board=n150 variant=prof boot_cycles=9000000000", TT_LEVEL_ALL);
    uint64_t sum = 0, most = 0;
    static const uint32_t zones[] = {30,  60, 90,
                                     120, 60, 30}; // the last pushes are shorter
    for (uint32_t run = 1; run <= sizeof zones / sizeof *zones; run++) {
        profile_run(&p, ALL_RISCS, run, PROFILE_ZONES, zones[run - 1]);
        uint64_t start = profile_get(&p, TT_CONTROL_LAST_FLUSH) |
                         (uint64_t)profile_get(&p, TT_CONTROL_LAST_FLUSH + 1) << 32;
        uint64_t end = profile_get(&p, TT_CONTROL_LAST_FLUSH + 2) |
                       (uint64_t)profile_get(&p, TT_CONTROL_LAST_FLUSH + 3) << 32;
        profile_read_l1(&p, TT_BRISC);
        profile_parse(&p, 4, 12);
        assert_true(p.marker[1].time < start && start < end); // after the main zone
        assert_in_range(end - start, 5u * zones[run - 1] * 16 / 32, 5000);
        assert_true(run <= 4 || end - start < most);
        sum += end - start;
        most = end - start > most ? end - start : most;
        assert_int_equal(profile_get(&p, TT_CONTROL_FLUSH_COUNT), run);
        assert_int_equal(profile_get(&p, TT_CONTROL_FLUSH_CYCLES_L), sum);
        assert_int_equal(profile_get(&p, TT_CONTROL_FLUSH_CYCLES_H), 0);
        assert_int_equal(profile_get(&p, TT_CONTROL_FLUSH_MAX), most);
    }
    profile_close(&p);
}

TEST(push_is_a_zone_of_the_next_program_by_option)
{
    struct profile p;
    profile_open(&p, chips[1], TT_LEVEL_ALL | TT_FLAG_FLUSH_ZONES);
    profile_run(&p, BRISC, 1, PROFILE_ZONES, 1);
    assert_int_equal(profile_get(&p, TT_CONTROL_DEVICE_END), 16);
    uint32_t start = profile_get(&p, TT_CONTROL_LAST_FLUSH);
    uint32_t end = profile_get(&p, TT_CONTROL_LAST_FLUSH + 2);
    profile_run(&p, BRISC, 2, PROFILE_ZONES, 1);
    assert_int_equal(profile_get(&p, TT_CONTROL_DEVICE_END), 20);
    profile_read_dram(&p, TT_BRISC, 16, 20);
    assert_int_equal(profile_parse(&p, 12, 20), 4);
    assert_int_equal((uint32_t)p.marker[0].time, start);
    assert_int_equal((uint32_t)p.marker[1].time, end);
    assert_int_equal(p.marker[0].id, p.marker[1].id);
    assert_int_equal(p.marker[1].type, TT_PACKET_ZONE_END);
    assert_int_not_equal(p.marker[0].id, p.marker[2].id);
    profile_close(&p);
}

// --- from within a kernel ---------------------------------------------------------------
TEST(quick_push_sends_what_there_is_and_shows_itself)
{
    for (int chip = 0; chip < CHIPS; chip++) {
        struct profile p;
        profile_open(&p, chips[chip], TT_LEVEL_ALL);
        profile_hear(&p);
        for (unsigned risc = 0; risc < 2; risc++) {
            uint32_t at = profile_get(&p, TT_CONTROL_HOST_END + risc);
            profile_run(&p, 1u << risc, 7, PROFILE_EVENTS, 3, PROFILE_PUSH, 1, PROFILE_DATA,
                        1);
            profile_read_dram(&p, risc, at, 20);
            assert_int_equal(p.chunk[TT_CHUNK_ID_LL], 7);
            assert_int_equal(profile_parse(&p, 4, 12), 2); // ends are to come
            assert_int_equal(profile_parse(&p, 12, 20), 3);
            uint64_t last = p.marker[2].time;
            profile_read_dram(&p, risc, at + 20, 20);
            assert_int_equal(profile_parse(&p, 4, 12), 4);
            assert_int_equal(profile_parse(&p, 12, 20), 3);
            assert_int_equal(p.marker[0].type, TT_PACKET_ZONE_START);
            assert_int_equal(p.marker[1].type, TT_PACKET_ZONE_END);
            assert_true(last < p.marker[0].time && p.marker[0].time < p.marker[1].time);
            profile_check_stamps(&p, risc);
            assert_int_equal(profile_get(&p, TT_CONTROL_HOST_END + risc), at + 40);
        }
        profile_close(&p);
    }
}

// An open zone has its room in the vector that comes after a push.
TEST(quick_push_in_open_zones_keeps_their_ends)
{
    struct profile p;
    profile_open(&p, chips[0], TT_LEVEL_ALL | TT_FLAG_STALL);
    profile_set(&p, TT_CONTROL_DRAM_ADDRESSES, profile_get(&p, TT_CONTROL_DRAM_ADDRESS));
    profile_run(&p, BRISC, 1, PROFILE_NEST, 60 | 500 << 8);
    size_t starts = 0, ends = 0;
    uint32_t n = profile_get(&p, TT_CONTROL_HOST_END);
    for (uint32_t at = 0; at < n;) {
        // Chunks start with an identity and differ in length: a push fills what it can.
        uint32_t words = n - at < 512 ? n - at : 512;
        profile_read_dram(&p, TT_BRISC, at, words);
        uint32_t to = 12;
        while (to < words && (p.chunk[to] & TT_MARKER_VALID))
            to += 2;
        profile_parse(&p, 12, to);
        starts += profile_count(&p, TT_PACKET_ZONE_START);
        ends += profile_count(&p, TT_PACKET_ZONE_END);
        at += to;
    }
    assert_int_equal(starts, ends);
    assert_true(starts > 560); // and the zones of the pushes
    assert_int_equal(profile_get(&p, TT_CONTROL_L1_DROPPED), 0);
    assert_int_equal(profile_get(&p, TT_CONTROL_DRAM_DROPPED), 0);
    profile_close(&p);
}

TEST(quick_push_does_not_disturb_a_kernels_own_writes)
{
    for (int chip = 0; chip < CHIPS; chip++) {
        struct profile p;
        profile_open(&p, chips[chip], TT_LEVEL_ALL);
        profile_run(&p, BRISC | NCRISC, 1, PROFILE_EVENTS, 1, PROFILE_POSTED, 5,
                    PROFILE_EVENTS, 1, PROFILE_POSTED, 0);
        assert_int_equal(profile_get(&p, TT_CONTROL_HOST_END), 16 + 20 + 16);
        profile_close(&p);
    }
}

TEST(quick_push_waits_for_the_end_of_a_linked_series)
{
    struct profile p;
    profile_open(&p, chips[0], TT_LEVEL_ALL);
    profile_run(&p, BRISC, 1, PROFILE_EVENTS, 1, PROFILE_LINKED, 1, PROFILE_PUSH, 1,
                PROFILE_LINKED, 0);
    assert_int_equal(profile_get(&p, TT_CONTROL_HOST_END), 16);
    assert_int_equal(profile_get(&p, TT_CONTROL_DRAM_DROPPED), 0);
    profile_close(&p);
}

// The end of the program needs 12 words of the region: a push that would take them loses
// its markers instead, and the main zone's end is there.
TEST(quick_push_leaves_room_for_the_programs_end)
{
    for (uint32_t spare = 0; spare <= 16; spare += 4) {
        struct profile p;
        profile_open(&p, chips[0], TT_LEVEL_ALL);
        profile_set(&p, TT_CONTROL_REGION_BYTES, 4 * (532 + spare));
        profile_run(&p, BRISC, 1, PROFILE_EVENTS, 250, PROFILE_PUSH, 1, PROFILE_EVENTS, 2,
                    PROFILE_PUSH, 1, PROFILE_EVENTS, 1);
        // 512 words went; 20 follow if 12 stay free behind them.
        bool is_second_sent = spare >= 12;
        uint32_t end = profile_get(&p, TT_CONTROL_HOST_END);
        uint32_t lost = profile_get(&p, TT_CONTROL_DRAM_DROPPED);
        assert_int_equal(end, is_second_sent ? 532 + 12 : 512 + 16);
        // The second push and the event behind it, or what the second push had.
        assert_int_equal(lost, is_second_sent ? 2 + 1 : 2 + 2);
        profile_read_dram(&p, TT_BRISC, is_second_sent ? 532 : 512, 12);
        assert_int_equal(profile_parse(&p, 4, 12), 4); // both ends
        assert_int_equal(profile_get(&p, TT_CONTROL_DROPPED), 1);
        profile_close(&p);
    }
}

TEST(flush_if_full_pushes_only_without_room)
{
    struct profile p;
    profile_open(&p, chips[0], TT_LEVEL_ALL);
    profile_run(&p, BRISC, 1, PROFILE_EVENTS, 248, PROFILE_FLUSH_IF, 3);
    assert_int_equal(profile_get(&p, TT_CONTROL_HOST_END), 508);
    profile_run(&p, BRISC, 1, PROFILE_EVENTS, 248, PROFILE_FLUSH_IF, 5);
    assert_int_equal(profile_get(&p, TT_CONTROL_HOST_END), 508 + 508 + 16);
    profile_close(&p);
}

// --- the mode that loses nothing --------------------------------------------------------
struct host {
    struct profile *p;
    uint32_t base[2]; // of the two buffers
    uint32_t current[TT_RISCS];
    size_t words[TT_RISCS]; // optional ones that were taken
    size_t events[TT_RISCS], dram_stalls, l1_stalls;
};

static void take_words(struct host *h, unsigned risc, uint32_t n)
{
    profile_parse(h->p, 12, n);
    h->events[risc] += profile_count(h->p, TT_PACKET_TS_EVENT);
}

// All chunks of a region; their lengths are known by where the next identity stands.
static void take_region(struct host *h, unsigned risc)
{
    struct profile *p = h->p;
    uint32_t n = profile_get(p, TT_CONTROL_HOST_END + risc);
    uint32_t base = profile_get(p, TT_CONTROL_DRAM_ADDRESS);
    profile_set(p, TT_CONTROL_DRAM_ADDRESS, h->base[h->current[risc]]);
    for (uint32_t at = 0, to; at < n; at += to) {
        uint32_t words = n - at < 512 ? n - at : 512;
        profile_read_dram(p, risc, at, words);
        for (to = 12; to < words && (p->chunk[to] & TT_MARKER_VALID);)
            to += 2;
        take_words(h, risc, to);
    }
    profile_set(p, TT_CONTROL_DRAM_ADDRESS, base);
}

static int serve(void *context, __attribute__((unused)) int dev)
{
    struct host *h = context;
    struct profile *p = h->p;
    int served = 0;
    for (unsigned risc = 0; risc < TT_RISCS; risc++) {
        uint32_t word = (uint32_t)TT_CONTROL_DRAM_ADDRESS_OF(risc);
        uint32_t state = profile_get(p, word);
        if (state == TT_STALLED_DRAM) {
            take_region(h, risc);
            h->current[risc] ^= 1;
            h->dram_stalls++;
        } else if (state == TT_STALLED_L1) {
            profile_read_l1(p, risc);
            take_words(h, risc, profile_get(p, TT_CONTROL_DEVICE_END + risc));
            profile_set(p, TT_CONTROL_DEVICE_END + risc, 0);
            h->l1_stalls++;
        } else {
            continue;
        }
        profile_set(p, word, h->base[h->current[risc]]);
        served = 1;
    }
    return served;
}

TEST(stall_mode_loses_nothing)
{
    for (int chip = 0; chip < CHIPS; chip++) {
        enum { EVENTS = 1500, PROGRAMS = 3, REGION = 2400 };
        struct profile p;
        profile_open(&p, chips[chip], TT_LEVEL_ALL | TT_FLAG_STALL);
        struct host h = {.p = &p};
        h.base[0] = profile_get(&p, TT_CONTROL_DRAM_ADDRESS);
        h.base[1] = h.base[0] + REGION * 5 * p.cores_per_bank;
        profile_set(&p, TT_CONTROL_REGION_BYTES, REGION);
        for (unsigned risc = 0; risc < TT_RISCS; risc++)
            profile_set(&p, (uint32_t)TT_CONTROL_DRAM_ADDRESS_OF(risc), h.base[0]);
        assert_int_equal(ttdev_on_quiet(p.t, serve, &h), 0);
        for (uint32_t run = 1; run <= PROGRAMS; run++)
            profile_run(&p, ALL_RISCS, run, PROFILE_EVENTS, EVENTS);
        for (unsigned risc = 0; risc < TT_RISCS; risc++) {
            take_region(&h, risc);
            assert_int_equal(h.events[risc], EVENTS * PROGRAMS);
            assert_int_equal(profile_get(&p, TT_CONTROL_L1_DROPPED + risc), 0);
            assert_int_equal(profile_get(&p, TT_CONTROL_DRAM_DROPPED + risc), 0);
        }
        assert_int_equal(profile_get(&p, TT_CONTROL_DROPPED), 0);
        assert_true(h.dram_stalls > 10);
        assert_int_equal(h.l1_stalls, 3 * PROGRAMS * (EVENTS / 250 - 1));
        profile_close(&p);
    }
}

// Without a host there is nobody to answer, which the device calls by its name.
TEST(stall_without_a_host_is_a_deadlock)
{
    static const uint32_t script[] = {PROFILE_EVENTS, 251, PROFILE_END};
    struct profile p;
    profile_open(&p, chips[0], TT_LEVEL_ALL | TT_FLAG_STALL);
    assert_int_equal(profile_try(&p, "kernels/profile_script", 1u << TT_TRISC0, 1, script,
                                 sizeof script / 4),
                     -EDEADLK);
    assert_int_equal(profile_get(&p, (uint32_t)TT_CONTROL_DRAM_ADDRESS_OF(TT_TRISC0)),
                     TT_STALLED_L1);
    profile_close(&p);
}
