// Trees over links, and clocks that are related along them.
#include <math.h>

#include "collect/sync/sync_tree.h"
#include "test.h"

// A ring of four and a chip apart; ids are not in order.
TEST(tree_grow_goes_breadth_first_from_the_lowest_id_of_every_island)
{
    const int ids[] = {3, 0, 2, 1, 9};
    const struct tt_link links[] = {
        {.chip = 1, .peer_chip = 3}, {.chip = 3, .peer_chip = 2}, // 0-1, 1-2
        {.chip = 0, .peer_chip = 2}, {.chip = 0, .peer_chip = 1}, // 3-2, 3-0
        {.chip = 7, .peer_chip = 1}, {.chip = 1, .peer_chip = 1}, // nonsense
    };
    struct tree_place places[5];
    int order[5];
    tree_grow(ids, 5, links, 6, places, order);
    static const int wanted[] = {1, 3, 0, 2, 4};
    assert_memory_equal(order, wanted, sizeof wanted);
    assert_int_equal(places[1].parent, -1);
    assert_int_equal(places[3].parent, 1);
    assert_false(places[3].is_sender);
    assert_int_equal(places[0].parent, 1);
    assert_int_equal(places[0].link, 3);
    assert_true(places[0].is_sender);
    assert_int_equal(places[2].parent, 3);
    assert_int_equal(places[2].root, 1);
    assert_int_equal(places[4].parent, -1);
    assert_int_equal(places[4].root, 4);
}

static struct relation line(uint64_t from, uint64_t to, double scale, double error)
{
    return (struct relation){
        .is_known = true, .from = from, .to = to, .scale = scale, .error_ns = error};
}

// s = 1.5 v + 100, so v = s / 1.5 - 100 / 1.5: not -100, as the reference has it.
TEST(relation_inverse_divides_the_shift_by_the_scale)
{
    struct relation r = line(1000, 1600, 1.5, 10), i = relation_inverse(&r);
    REAL_IS(relation_shift(&r), 100.0);
    assert_true(fabs(relation_shift(&i) + 100 / 1.5) < 1e-9);
    struct relation same = relation_chain(&r, &i);
    assert_true(fabs(relation_shift(&same)) < 1e-9);
    REAL_IS(same.scale, 1.0);
}

TEST(relation_chain_multiplies_scales_and_adds_errors)
{
    struct relation ab = line(1000, 1600, 1.5, 10), bc = line(2000, 500, 0.5, 7);
    struct relation ac = relation_chain(&ab, &bc); // b = 1.5 a + 100, c = 0.5 b - 500
    REAL_IS(ac.scale, 0.75);
    REAL_IS(relation_shift(&ac), -450.0);
    REAL_IS(ac.error_ns, 17.0);
    uint64_t a;
    double fraction;
    relation_back(&ac, 300, 0, &a, &fraction); // 0.75 * 1000 - 450
    REAL_IS((double)a + fraction, 1000.0);
    bc.is_known = false;
    assert_false(relation_chain(&ab, &bc).is_known);
}

TEST(relation_shift_is_exact_where_clocks_are_large)
{
    // 2^60 cycles and 7 more on the other side.
    struct relation r = line(UINT64_C(1) << 60, (UINT64_C(1) << 60) + 7, 1.0, 0);
    REAL_IS(relation_shift(&r), 7.0);
}
