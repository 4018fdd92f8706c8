// Modes of the profiler's device side: replays, trace-only, accumulate, dispatch kernels,
// Ethernet tiles.
#include <string.h>

#include "sample_profile.h"

enum { BRISC = 1 << TT_BRISC, ALL_RISCS = (1 << TT_RISCS) - 1 };

static const char *const chips[] = {"board=n150 variant=prof",
                                    "arch=blackhole board=p150 variant=prof"};
enum { CHIPS = sizeof chips / sizeof *chips };

static uint32_t trace_of(const struct profile *p)
{
    return p->chunk[TT_CHUNK_ID_LH] >> TT_IDENTITY_TRACE_SHIFT & 0xFFFF;
}

// --- replays ----------------------------------------------------------------------------
TEST(replays_are_counted_in_every_vector)
{
    struct profile p;
    profile_open(&p, chips[0], TT_LEVEL_ALL);
    assert_int_equal(ttdev_trace_begin(p.t, 0), 0);
    profile_run(&p, ALL_RISCS, 1, PROFILE_ZONES, 1);
    int trace = ttdev_trace_end(p.t, 0);
    for (uint32_t replay = 0; replay < 3; replay++) {
        for (uint32_t risc = 0; risc < TT_RISCS; risc++) {
            profile_read_dram(&p, risc, 16 * replay, 16);
            assert_int_equal(trace_of(&p), replay);
            assert_int_equal(p.chunk[TT_CHUNK_ID_LH] & 0x1FFF, p.flat << 5 | risc);
        }
        assert_int_equal(ttdev_trace_replay(p.t, 0, trace, 1000000000), 0);
    }
    // A reset by the host keeps the count.
    profile_set(&p, TT_CONTROL_RUN_COUNTER, 0);
    profile_run(&p, BRISC, 9, PROFILE_ZONES, 1);
    profile_read_l1(&p, TT_TRISC2);
    assert_int_equal(trace_of(&p), 3);
    profile_close(&p);
}

// One firmware zone and one kernel zone span all programs of a replay.
TEST(trace_only_keeps_the_outline_of_a_replay)
{
    for (int chip = 0; chip < CHIPS; chip++) {
        struct profile p;
        profile_open(&p, chips[chip], TT_LEVEL_ALL | TT_FLAG_TRACE_ONLY);
        assert_int_equal(ttdev_trace_begin(p.t, 0), 0);
        profile_run(&p, ALL_RISCS, 1, PROFILE_ZONES, 130, PROFILE_DELAY, 500);
        profile_run(&p, BRISC | 1 << TT_TRISC1, 2, PROFILE_DATA, 5, PROFILE_PUSH, 1);
        int trace = ttdev_trace_end(p.t, 0);
        profile_read_l1(&p, TT_BRISC); // outside of a replay nothing is recorded
        assert_int_equal(profile_get(&p, TT_CONTROL_TRACE_STATUS), 0);
        assert_int_equal(profile_get(&p, TT_CONTROL_DEVICE_END), 0);
        for (int i = 4; i < TT_CHUNK_WORDS; i++)
            assert_int_equal(p.chunk[i], 0);
        uint32_t at = 0;
        for (uint32_t replay = 1; replay <= 3; replay++) {
            assert_int_equal(ttdev_trace_replay(p.t, 0, trace, 1000000000), 0);
            uint32_t end = profile_get(&p, TT_CONTROL_DEVICE_END);
            assert_int_equal(end, replay == 1 ? 12 : 16); // with the push of the last one
            profile_read_l1(&p, TT_BRISC);
            assert_int_equal(p.chunk[TT_CHUNK_ID_HH], 0);
            assert_int_equal(p.chunk[TT_CHUNK_ID_LL], replay);
            assert_int_equal(profile_parse(&p, 4, 12), 4);
            uint64_t times[] = {p.marker[0].time, p.marker[2].time, p.marker[3].time,
                                p.marker[1].time};
            assert_true(times[0] < times[1] && times[1] + 500 < times[2] &&
                        times[2] < times[3]);
            assert_int_equal(profile_get(&p, TT_CONTROL_HOST_END), at);
            if (replay > 1) {
                uint32_t words = replay == 2 ? 12 : 16;
                profile_read_dram(&p, TT_BRISC, at - words, words);
                assert_int_equal(p.chunk[TT_CHUNK_ID_LL], replay - 1);
                assert_int_equal(p.chunk[TT_CHUNK_ID_HH], 0);
                assert_int_equal(profile_parse(&p, 4, 12), 4);
            }
            at += end;
        }
        for (uint32_t risc = 0; risc < TT_RISCS; risc++)
            assert_int_equal(profile_get(&p, TT_CONTROL_L1_DROPPED + risc), 0);
        for (uint32_t risc = 1; risc < TT_RISCS; risc++)
            assert_int_equal(profile_get(&p, TT_CONTROL_DEVICE_END + risc), 0);
        profile_close(&p);
    }
}

// --- accumulate -------------------------------------------------------------------------
TEST(accumulate_pushes_when_a_vector_is_nearly_full)
{
    enum { ZONES = 10, MARKERS = 2 * (ZONES + 2) }; // of one program
    struct profile p;
    profile_open(&p, chips[0], TT_LEVEL_ALL | TT_FLAG_ACCUMULATE | TT_FLAG_SUM);
    for (uint32_t run = 1; run <= 10; run++) {
        profile_run(&p, ALL_RISCS, run, PROFILE_ZONES, ZONES, PROFILE_DATA, 3,
                    PROFILE_DATA16, 3, PROFILE_SUM1, 1, PROFILE_VALID, 0);
        for (uint32_t risc = 0; risc < TT_RISCS; risc++)
            assert_int_equal(profile_get(&p, TT_CONTROL_DEVICE_END + risc),
                             12 + 2 * MARKERS * run);
        assert_int_equal(profile_get(&p, TT_CONTROL_RUN_COUNTER), 0);
        assert_int_equal(profile_get(&p, TT_CONTROL_HOST_END), 0);
    }
    profile_run(&p, ALL_RISCS, 11, PROFILE_ZONES, ZONES);
    assert_int_equal(profile_get(&p, TT_CONTROL_RUN_COUNTER), 1);
    for (uint32_t risc = 0; risc < TT_RISCS; risc++) {
        assert_int_equal(profile_get(&p, TT_CONTROL_DEVICE_END + risc), 0);
        assert_int_equal(profile_get(&p, TT_CONTROL_HOST_END + risc), 512);
        assert_int_equal(profile_get(&p, TT_CONTROL_L1_DROPPED + risc), 11 * MARKERS - 250);
        profile_read_dram(&p, risc, 0, 512);
        assert_int_equal(p.chunk[TT_CHUNK_ID_LL], 0);
        assert_int_equal(profile_parse(&p, 4, 12), 0);
        assert_int_equal(profile_parse(&p, 12, 512), 250);
        assert_int_equal(profile_count(&p, TT_PACKET_ZONE_START), 125);
        assert_int_equal(profile_count(&p, TT_PACKET_ZONE_END), 125);
    }
    // The push is in the slots of the next chunk.
    for (uint32_t run = 12; run <= 22; run++)
        profile_run(&p, ALL_RISCS, run, PROFILE_ZONES, ZONES);
    profile_read_dram(&p, TT_BRISC, 512, 512);
    assert_int_equal(profile_parse(&p, 4, 12), 4);
    uint64_t push = p.marker[0].time, pushed = p.marker[1].time;
    assert_int_equal(p.marker[0].id, p.marker[1].id);
    assert_int_equal(p.marker[2].id, p.marker[3].id);
    assert_int_not_equal(p.marker[0].id, p.marker[2].id);
    assert_true(push < p.marker[2].time && p.marker[2].time < p.marker[3].time &&
                p.marker[3].time < pushed);
    profile_read_dram(&p, TT_NCRISC, 512, 512);
    assert_int_equal(profile_parse(&p, 4, 12), 0);
    profile_close(&p);
}

TEST(accumulate_at_the_coarse_level_has_programs_and_kernels)
{
    struct profile p;
    profile_open(&p, chips[0], TT_LEVEL_COARSE | TT_FLAG_ACCUMULATE);
    for (uint32_t run = 1; run <= 70; run++)
        profile_run(&p, BRISC, run, PROFILE_ZONES, 3, PROFILE_EVENTS, 2);
    // 62 programs of four markers and the two of the 63rd's own zone.
    assert_int_equal(profile_get(&p, TT_CONTROL_HOST_END), 508);
    assert_int_equal(profile_get(&p, TT_CONTROL_DEVICE_END), 12 + 8 * 8);
    assert_int_equal(profile_get(&p, TT_CONTROL_L1_DROPPED), 0);
    profile_read_dram(&p, TT_BRISC, 0, 508);
    assert_int_equal(profile_parse(&p, 12, 508), 62 * 4);
    profile_close(&p);
}

TEST(accumulate_drops_whole_chunks)
{
    struct profile p;
    profile_open(&p, chips[0], TT_LEVEL_ALL | TT_FLAG_ACCUMULATE);
    profile_set(&p, TT_CONTROL_REGION_BYTES, 2400);
    for (uint32_t run = 1; run <= 4; run++)
        profile_run(&p, BRISC, run, PROFILE_ZONES, 61); // half a vector and one more zone
    assert_int_equal(profile_get(&p, TT_CONTROL_HOST_END), 512);
    assert_int_equal(profile_get(&p, TT_CONTROL_DRAM_DROPPED), 250 + 4); // and the push
    assert_int_equal(profile_get(&p, TT_CONTROL_DROPPED), 1);
    profile_close(&p);
}

TEST(accumulate_leaves_dispatch_cores_alone)
{
    struct profile p;
    profile_open(&p, chips[0], TT_LEVEL_ALL | TT_FLAG_ACCUMULATE);
    profile_set(&p, TT_CONTROL_DISPATCH_CORE, 1);
    profile_run(&p, BRISC, 5, PROFILE_ZONES, 1, PROFILE_DATA, 1);
    profile_read_dram(&p, TT_BRISC, 0, 20);
    assert_int_equal(p.chunk[TT_CHUNK_ID_LL], 5);
    assert_int_equal(profile_parse(&p, 4, 20), 7);
    profile_close(&p);
}

// --- dispatch kernels -------------------------------------------------------------------
static void run_dispatch(struct profile *p, uint32_t step, uint32_t n)
{
    const uint32_t script[] = {step, n, PROFILE_END};
    assert_int_equal(profile_try(p, "kernels/profile_dispatch", BRISC, 1, script, 3), 0);
}

TEST(dispatch_kernels_record_by_option_and_push_in_time)
{
    struct profile p;
    profile_open(&p, chips[0], TT_LEVEL_ALL | TT_FLAG_SUM);
    run_dispatch(&p, PROFILE_ZONES, 3);
    run_dispatch(&p, PROFILE_EVENTS, 3);
    run_dispatch(&p, PROFILE_DATA, 3);
    run_dispatch(&p, PROFILE_SUM1, 3);
    assert_int_equal(profile_get(&p, TT_CONTROL_HOST_END), 4 * 12);
    profile_set(&p, TT_CONTROL_HOST_END, 0);
    profile_set(&p, TT_CONTROL_FLAGS, TT_LEVEL_ALL | TT_FLAG_SUM | TT_FLAG_DISPATCH);
    run_dispatch(&p, PROFILE_ZONES, 120);
    assert_int_equal(profile_get(&p, TT_CONTROL_HOST_END), 492);
    run_dispatch(&p, PROFILE_ZONES, 121); // at 496 words it pushes
    assert_int_equal(profile_get(&p, TT_CONTROL_HOST_END), 492 + 496 + 16);
    run_dispatch(&p, PROFILE_ZONES, 1000);
    assert_int_equal(profile_get(&p, TT_CONTROL_L1_DROPPED), 0);
    run_dispatch(&p, PROFILE_EVENTS, 250); // keep 16 words for the zones around them
    assert_int_equal(profile_get(&p, TT_CONTROL_L1_DROPPED), 250 - 242);
    run_dispatch(&p, PROFILE_DATA, 125); // four words
    assert_int_equal(profile_get(&p, TT_CONTROL_L1_DROPPED), 8 + 125 - 124);
    profile_close(&p);
}

// --- Ethernet ---------------------------------------------------------------------------
TEST(ethernet_tiles_push_their_own_vector)
{
    static const struct {
        const char *config;
        int channel;
    } tiles[] = {{"board=n300 devices=2 variant=prof", 8},
                 {"arch=blackhole board=p150 devices=2 variant=prof", 0}};
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++) {
        struct profile p;
        int channel = tiles[i].channel, peer, peer_channel;
        profile_open_eth(&p, tiles[i].config, TT_LEVEL_ALL, channel);
        while (ttdev_eth_peer(p.t, 0, channel, &peer, &peer_channel) != 0)
            channel++;
        profile_close(&p);
        profile_open_eth(&p, tiles[i].config, TT_LEVEL_ALL | TT_FLAG_ACCUMULATE, channel);
        profile_hear(&p);
        profile_run(&p, 1u << TTDEV_ERISC, 3, PROFILE_ZONES, 2, PROFILE_PUSH, 1,
                    PROFILE_EVENTS, 300);
        assert_int_equal(profile_get(&p, TT_CONTROL_HOST_END), 20 + 512);
        assert_int_equal(profile_get(&p, TT_CONTROL_L1_DROPPED), 300 - 248);
        profile_read_dram(&p, 0, 20, 512);
        assert_int_equal(p.chunk[TT_CHUNK_ID_LH], p.flat << TT_IDENTITY_FLAT_SHIFT);
        assert_int_equal(p.chunk[TT_CHUNK_ID_LL], 3);
        assert_int_equal(profile_parse(&p, 4, 512), 4 + 2 + 248);
        profile_check_stamps(&p, 0);
        profile_close(&p);
    }
}
