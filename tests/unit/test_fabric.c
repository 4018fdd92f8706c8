// Writes to cores of other chips: the kernel far sends, the product's image fabric forwards
// on the Ethernet tiles between.
#include "base/data/vec.h"

#include "sample_device.h"
#include "sim/program/program.h"
#include "test.h"

enum { AT = 0x30000, WORDS = 2500, MESSAGES = 3 }; // what 10000 bytes are cut into

static const ttdev_range sender = {{0, 0}, {0, 0}};
static const ttdev_core receiver = {TTDEV_LOGICAL, {1, 1}};

static ttdev_xy virtual_of(ttdev *t, int dev, ttdev_xy at, int space)
{
    ttdev_xy out;
    assert_int_equal(ttdev_xlat(t, dev, at, space, TTDEV_VIRTUAL, &out), 0);
    return out;
}

static ttdev_xy eth_of(ttdev *t, int dev, int channel)
{
    ttdev_xy noc0;
    assert_int_equal(ttdev_eth_tile(t, dev, channel, &noc0), 0);
    return virtual_of(t, dev, noc0, TTDEV_NOC0);
}

static void add_kernel(ttdev_program *p, ttdev_range cores, int risc, ttdev_image *image,
                       const uint32_t *args, size_t n)
{
    int kernel = ttdev_program_kernel(p, cores, risc, image, 0);
    assert_true(kernel >= 0);
    assert_int_equal(ttdev_program_args(p, kernel, cores, args, n), 0);
}

// Forwards messages that come from cores, or from the link and on to the tile `next`.
static void add_fabric(ttdev *t, ttdev_program *p, int channel, uint32_t from_cores,
                       uint32_t from_link, ttdev_xy next)
{
    struct err e = {0};
    ttdev_image *image = NULL;
    ttdev_range where = {{channel, 0}, {channel, 0}};
    assert_int_equal(ttdev_image_find(t, "fabric", TTDEV_ERISC, &image, &e), 0);
    const uint32_t args[] = {from_cores, from_link, (uint32_t)next.x, (uint32_t)next.y};
    add_kernel(p, where, TTDEV_ERISC, image, args, 4);
}

// A line of chips: channel 8 of each is linked to channel 0 of the next.
static void check_line(const char *config, int chips)
{
    ttdev *t = device_open(config);
    ttdev_program *programs[4] = {0};
    int last = chips - 1;
    for (int dev = 0; dev < chips; dev++) {
        programs[dev] = ttdev_program_new(t, "far");
        if (dev > 0)
            add_fabric(t, programs[dev], 0, 0, MESSAGES,
                       dev < last ? eth_of(t, dev, 8) : (ttdev_xy){0, 0});
        if (dev < last)
            add_fabric(t, programs[dev], 8, MESSAGES, 0, (ttdev_xy){0, 0});
    }
    ttdev_xy eth = eth_of(t, 0, 8), to = virtual_of(t, last, receiver.at, TTDEV_LOGICAL);
    const uint32_t args[] = {AT,
                             (uint32_t)eth.x,
                             (uint32_t)eth.y,
                             (uint32_t)last,
                             (uint32_t)to.x,
                             (uint32_t)to.y};
    add_kernel(programs[0], sender, TT_BRISC, kernel_load(t, "kernels/far", TT_BRISC), args,
               6);
    for (int dev = 0; dev < chips; dev++)
        assert_int_equal(ttdev_launch(t, dev, programs[dev], 1), 0);
    for (int dev = 0; dev < chips; dev++)
        assert_int_equal(ttdev_wait(t, dev, 10000000), 0);
    uint32_t got[WORDS + 1];
    assert_int_equal(ttdev_l1_read(t, last, receiver, AT + 0x8000, got, sizeof got), 0);
    for (uint32_t i = 0; i < WORDS; i++)
        assert_int_equal(got[i], 0x5000 + i);
    assert_int_equal(got[WORDS], 0);
    for (int dev = 0; dev < chips; dev++)
        ttdev_program_free(programs[dev]);
    ttdev_close(t);
}

TEST(a_write_to_another_chip_arrives_whole)
{
    check_line("variant=off board=n300", 2);
}

TEST(a_write_passes_through_the_chips_between)
{
    check_line("variant=off board=n150 devices=3 links=line", 3);
    check_line("variant=off board=n150 devices=4 links=line", 4);
}
