// Programs as the host describes them: placing, limits, and the sentences of refusals.
#include <errno.h>

#include "base/data/mem.h"

#include "sim/program/program.h"
#include "test.h"

static const ttdev_range one = {{0, 0}, {0, 0}}, row = {{0, 0}, {7, 0}};
static char image_name[] = "test/copy";

static struct ttdev *cluster_make(int arch)
{
    struct ttdev *t = mem_alloc(sizeof *t);
    t->cfg.arch = arch;
    t->cfg.variant = TTDEV_PROF;
    return t;
}

static struct ttdev_image image_make(int arch, int risc)
{
    return (struct ttdev_image){
        .name = image_name, .arch = arch, .risc = risc, .variant = TTDEV_PROF};
}

static void refused(int got, int want, struct ttdev *t, const char *sentence)
{
    assert_int_equal(got, want);
    assert_string_equal(ttdev_error(t), sentence);
}

TEST(circular_buffers_lie_behind_each_other)
{
    struct ttdev *t = cluster_make(TT_WORMHOLE);
    ttdev_program *p = ttdev_program_new(t, "p");
    uint32_t address;
    assert_int_equal(ttdev_program_l1_end(p), 0x28000);
    assert_int_equal(ttdev_program_cb(p, row, 0, 2, 2048, &address), 0);
    assert_int_equal(address, 0x28000);
    assert_int_equal(ttdev_program_cb(p, row, 1, 1, 16, &address), 0);
    assert_int_equal(address, 0x29000);
    // Data of DRAM's alignment: the next multiple of 32.
    assert_int_equal(ttdev_program_cb(p, row, 16, 1, 1088, &address), 0);
    assert_int_equal(address, 0x29020);
    assert_int_equal(ttdev_program_cb(p, one, 31, 1, 64, NULL), 0);
    assert_int_equal(ttdev_program_l1_end(p), 0x29020 + 1088 + 64);
    ttdev_program_free(p);
    mem_free(t);
}

TEST(circular_buffers_that_cannot_be_are_refused)
{
    struct ttdev *t = cluster_make(TT_WORMHOLE);
    ttdev_program *p = ttdev_program_new(t, "p");
    refused(ttdev_program_cb(p, one, 32, 1, 64, NULL), -EINVAL, t,
            "program 'p': no CB 32 (0 to 31)");
    refused(ttdev_program_cb(p, one, 0, 1, 24, NULL), -EINVAL, t,
            "program 'p': CB 0: 1 pages of 24 bytes; use 1 to 65535 pages of a multiple of "
            "16 bytes");
    refused(ttdev_program_cb(p, one, 0, 656, 2048, NULL), -ENOMEM, t,
            "program 'p': CB 0 needs 1343488 bytes of L1, but only 1335296 are left");
    // What does not fit at all does not wrap around either.
    refused(
        ttdev_program_cb(p, one, 0, 65535, 0xFFFFFFF0, NULL), -ENOMEM, t,
        "program 'p': CB 0 needs 281470680694800 bytes of L1, but only 1335296 are left");
    assert_int_equal(ttdev_program_cb(p, one, 0, 652, 2048, NULL), 0);
    assert_int_equal(ttdev_program_l1_end(p), tt_layouts[TT_WORMHOLE].l1_bytes);
    refused(ttdev_program_cb(p, row, 0, 1, 16, NULL), -EEXIST, t,
            "program 'p': core 0,0 already has CB 0");
    refused(ttdev_program_cb(p, (ttdev_range){{2, 0}, {1, 0}}, 1, 1, 16, NULL), -EINVAL, t,
            "program 'p': circular buffer: 2,0 to 1,0 is not a range of cores");
    ttdev_program_free(p);
    t->cfg.arch = TT_BLACKHOLE;
    p = ttdev_program_new(t, "p");
    assert_int_equal(ttdev_program_cb(p, one, 63, 1, 64, NULL), 0);
    ttdev_program_free(p);
    mem_free(t);
}

TEST(semaphores_are_numbered_and_run_out)
{
    struct ttdev *t = cluster_make(TT_WORMHOLE);
    ttdev_program *p = ttdev_program_new(t, "p");
    for (int i = 0; i < TT_SEMAPHORES; i++)
        assert_int_equal(ttdev_program_sem(p, row, 0), i);
    refused(ttdev_program_sem(p, row, 0), -ENOSPC, t,
            "program 'p': all 32 semaphores are in use");
    ttdev_program_free(p);
    mem_free(t);
}

TEST(a_kernel_must_fit_the_device_and_its_risc)
{
    struct ttdev *t = cluster_make(TT_WORMHOLE);
    ttdev_program *p = ttdev_program_new(t, "p");
    struct ttdev_image image = image_make(TT_BLACKHOLE, TT_BRISC);
    refused(ttdev_program_kernel(p, one, TT_BRISC, &image, 0), -EINVAL, t,
            "image 'test/copy' is built for blackhole, but the device is wormhole_b0");
    image = image_make(TT_WORMHOLE, TT_NCRISC);
    refused(ttdev_program_kernel(p, one, TT_TRISC0, &image, 0), -EINVAL, t,
            "image 'test/copy' is built for NCRISC, not for TRISC_0");
    image.variant = TTDEV_FULL;
    refused(ttdev_program_kernel(p, one, TT_NCRISC, &image, 0), -EINVAL, t,
            "image 'test/copy' is of variant 'full', but the device runs 'prof'; build it "
            "with --variant prof, or open the device with variant=full");
    image.is_firmware = true;
    refused(ttdev_program_kernel(p, one, TT_NCRISC, &image, 0), -EINVAL, t,
            "image 'test/copy' is firmware, not a kernel");
    refused(ttdev_program_kernel(p, one, TTDEV_ERISC + 1, &image, 0), -EINVAL, t,
            "program 'p': no RISC 6 on NoC 0");
    ttdev_program_free(p);
    mem_free(t);
}

TEST(a_risc_has_one_kernel_and_a_noc_to_itself)
{
    struct ttdev *t = cluster_make(TT_WORMHOLE);
    ttdev_program *p = ttdev_program_new(t, "p");
    struct ttdev_image reader = image_make(TT_WORMHOLE, TT_NCRISC);
    struct ttdev_image writer = image_make(TT_WORMHOLE, TT_BRISC);
    assert_int_equal(ttdev_program_kernel(p, row, TT_NCRISC, &reader, 0), 0);
    refused(ttdev_program_kernel(p, one, TT_NCRISC, &reader, 1), -EEXIST, t,
            "program 'p': core 0,0 already has a kernel for NCRISC");
    refused(ttdev_program_kernel(p, (ttdev_range){{3, 0}, {3, 4}}, TT_BRISC, &writer, 0),
            -EINVAL, t, "program 'p': BRISC and NCRISC of core 3,0 would both use NoC 0");
    assert_int_equal(ttdev_program_kernel(p, row, TT_BRISC, &writer, 1), 1);
    ttdev_program_free(p);
    mem_free(t);
}

TEST(arguments_are_copied_and_limited)
{
    struct ttdev *t = cluster_make(TT_WORMHOLE);
    ttdev_program *p = ttdev_program_new(t, "p");
    struct ttdev_image image = image_make(TT_WORMHOLE, TT_BRISC);
    uint32_t words[129] = {7, 8};
    refused(ttdev_program_args(p, 0, one, words, 1), -EINVAL, t,
            "program 'p': no kernel 0");
    assert_int_equal(ttdev_program_kernel(p, row, TT_BRISC, &image, 0), 0);
    refused(ttdev_program_args(p, 0, one, words, 129), -E2BIG, t,
            "program 'p': 129 arguments for 'test/copy', at most 128 fit");
    refused(ttdev_program_common_args(p, 0, words, 129), -E2BIG, t,
            "program 'p': 129 arguments for 'test/copy', at most 128 fit");
    assert_int_equal(ttdev_program_args(p, 0, one, words, 128), 0);
    assert_int_equal(ttdev_program_common_args(p, 0, words, 2), 0);
    words[0] = 0;
    struct ttdev_program *copy = program_copy(p);
    ttdev_program_free(p);
    assert_int_equal(copy->kernels.v[0].args.v[0].n, 128);
    assert_int_equal(copy->kernels.v[0].args.v[0].words[0], 7);
    assert_int_equal(copy->kernels.v[0].common.words[1], 8);
    ttdev_program_free(copy);
    mem_free(t);
}
