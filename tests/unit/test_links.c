// test_links.c - Ethernet between two chips: arrival in true time, credits, faults.
#include <string.h>

#include "sample_chip.h"
#include "sim/tile/tile.h"

// Channels 8 and 9 of the first chip of an n300 lead to 0 and 1 of the second.
struct pair {
    struct sample_chip s;
    struct tile *from, *to;
};

static void pair_open(struct pair *p, const char *config)
{
    sample_chip_open(&p->s, config);
    p->from = &p->s.chip->tiles[p->s.chip->n_workers + 8];
    struct chip *peer = &p->s.cluster.chips[1];
    p->to = &peer->tiles[peer->n_workers];
}

static enum register_result send(struct tile *tile, uint32_t from, uint32_t to,
                                 uint32_t bytes)
{
    uint64_t now = tile->chip->now;
    assert_int_equal(eth_write(tile, TT_ETH_SOURCE, from, now), REGISTER_OK);
    assert_int_equal(eth_write(tile, TT_ETH_DESTINATION, to, now), REGISTER_OK);
    assert_int_equal(eth_write(tile, TT_ETH_BYTES, bytes, now), REGISTER_OK);
    return eth_write(tile, TT_ETH_SEND, 1, now);
}

static uint32_t port_word(struct tile *tile, uint32_t offset)
{
    uint32_t value = 0xBAD;
    assert_true(eth_read(tile, offset, 0, &value));
    return value;
}

TEST(a_message_lands_after_serialisation_and_latency)
{
    struct pair p;
    pair_open(&p, "board=n300 ppm=0:0");
    sample_set_word(p.from, 0x12000, 99);
    assert_int_equal(send(p.from, 0x12000, 0x13000, 1250), REGISTER_OK);
    sample_set_word(p.from, 0x12000, 0); // the bytes were taken
    assert_int_equal(port_word(p.from, TT_ETH_CREDITS), 3);
    assert_int_equal(links_in_flight(p.s.chip), 1);
    sample_chip_run(&p.s, 800); // 1250 bytes at 12.5, 700 ns
    assert_int_equal(port_word(p.to, TT_ETH_RECEIVED), 0);
    sample_chip_run(&p.s, 801);
    assert_int_equal(port_word(p.to, TT_ETH_RECEIVED), 1);
    assert_int_equal(sample_word(p.to, 0x13000), 99);
    assert_int_equal(port_word(p.from, TT_ETH_SENT), 0);
    sample_chip_run(&p.s, 1501); // the credit takes 700 ns too
    assert_int_equal(port_word(p.from, TT_ETH_SENT), 1);
    assert_int_equal(port_word(p.from, TT_ETH_CREDITS), 4);
    assert_int_equal(links_in_flight(p.s.chip), 0);
    sample_chip_close(&p.s);
}

TEST(a_message_lands_at_the_first_cycle_of_the_other_clock_not_before_its_time)
{
    struct pair p;
    pair_open(&p, "board=n300 ppm=40:-30");
    struct chip *peer = p.to->chip;
    sample_chip_run(&p.s, 1000000);
    uint64_t leaves = p.s.chip->now + 100;
    uint64_t fs = chip_true_fs(p.s.chip, leaves) + 700ull * FS_PER_NS;
    uint64_t lands = chip_cycle_at(peer, fs);
    assert_true(chip_true_fs(peer, lands) >= fs && chip_true_fs(peer, lands - 1) < fs);
    assert_int_equal(send(p.from, 0x12000, 0x13000, 1250), REGISTER_OK);
    cluster_advance(&p.s.cluster, chip_true_fs(peer, lands));
    assert_int_equal(port_word(p.to, TT_ETH_RECEIVED), 0);
    cluster_advance(&p.s.cluster, chip_true_fs(peer, lands + 1));
    assert_int_equal(port_word(p.to, TT_ETH_RECEIVED), 1);
    sample_chip_close(&p.s);
}

TEST(without_credit_a_send_waits)
{
    struct pair p;
    pair_open(&p, "board=n300 ppm=0:0");
    for (int i = 0; i < 4; i++)
        assert_int_equal(send(p.from, 0x12000, 0x13000, 125), REGISTER_OK);
    assert_int_equal(send(p.from, 0x12000, 0x13000, 125), REGISTER_STALL);
    p.from->risc[0].state = RISC_STALLED; // as the RISC's store does
    sample_chip_run(&p.s, 700 + 41);
    assert_int_equal(port_word(p.to, TT_ETH_RECEIVED), 4); // one after the other
    assert_int_equal(p.from->risc[0].state, RISC_STALLED);
    sample_chip_run(&p.s, 1410);
    assert_int_equal(port_word(p.from, TT_ETH_SENT), 0);
    assert_int_equal(p.from->risc[0].state, RISC_STALLED);
    sample_chip_run(&p.s, 1411); // the first credit
    assert_int_equal(port_word(p.from, TT_ETH_SENT), 1);
    assert_int_equal(port_word(p.from, TT_ETH_CREDITS), 1);
    assert_int_not_equal(p.from->risc[0].state, RISC_STALLED);
    sample_chip_close(&p.s);
}

TEST(a_port_knows_its_peer)
{
    struct pair p;
    pair_open(&p, "board=n300");
    assert_int_equal(port_word(p.from, TT_ETH_LINKED), 1);
    assert_int_equal(port_word(p.from, TT_ETH_PEER), 1);
    assert_int_equal(port_word(p.to, TT_ETH_PEER), 0);
    struct tile *alone = &p.s.chip->tiles[p.s.chip->n_workers];
    assert_int_equal(port_word(alone, TT_ETH_LINKED), 0);
    assert_int_equal(port_word(alone, TT_ETH_CREDITS), 0);
    uint32_t value;
    assert_false(eth_read(p.from, 0x40, 0, &value));
    assert_int_equal(eth_write(p.from, 0x40, 1, 0), REGISTER_MISSING);
    assert_int_equal(eth_write(p.from, TT_ETH_SENT, 1, 0), REGISTER_OK);
    assert_int_equal(port_word(p.from, TT_ETH_SENT), 0);
    sample_chip_close(&p.s);
}

static const char *send_fault(int channel, uint32_t from, uint32_t to, uint32_t bytes)
{
    struct pair p;
    pair_open(&p, "board=n300");
    struct tile *tile = &p.s.chip->tiles[p.s.chip->n_workers + channel];
    assert_int_equal(send(tile, from, to, bytes), REGISTER_OK);
    const char *what = tile->fault.kind == FAULT_ETH ? tile->fault.what : "";
    sample_chip_close(&p.s);
    return what;
}

TEST(sends_that_make_no_sense_are_faults)
{
    assert_string_equal(send_fault(0, 0, 0, 64), "a send without a link");
    assert_string_equal(send_fault(8, 0, 0, 0), "a send of 0 bytes");
    assert_string_equal(send_fault(8, 262144 - 32, 0, 64), "the source is outside L1");
    assert_string_equal(send_fault(8, 0, 262144 - 32, 64), "the destination is outside L1");
    assert_string_equal(send_fault(8, 262144 - 64, 0, 64), "");
}
