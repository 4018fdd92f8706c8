// sample_copy.h - a program that feeds tiles through the compute engine of core 0,0:
// kernels/events_feed and kernels/events_copy.
#ifndef TTP_TESTS_SAMPLE_COPY_H
#define TTP_TESTS_SAMPLE_COPY_H

#include "sample_markers.h"

struct copy {
    uint32_t tiles;
    uint32_t feed_wait, drain_wait; // cycles before every page
    bool has_compute;
};

static inline void copy_kernel(ttdev *t, ttdev_program *p, const char *name, int risc,
                               uint32_t tiles, uint32_t wait)
{
    static const ttdev_range first = {{0, 0}, {0, 0}};
    uint32_t args[] = {tiles, wait};
    int kernel =
        ttdev_program_kernel(p, first, risc, kernel_load(t, name, risc), risc == TT_NCRISC);
    assert_true(kernel >= 0);
    assert_int_equal(ttdev_program_args(p, kernel, first, args, 2), 0);
}

// Runs it and collects what `risc` has in DRAM then, of all programs so far.
static inline void copy_run(ttdev *t, struct copy copy, uint32_t flags, uint32_t risc,
                            found_list *found)
{
    static const ttdev_range first = {{0, 0}, {0, 0}};
    ttdev_program *p = ttdev_program_new(t, "copy");
    for (int cb = 0; cb < 2; cb++)
        assert_int_equal(ttdev_program_cb(p, first, cb, 2, 2048, NULL), 0);
    copy_kernel(t, p, "kernels/events_feed", TT_BRISC, copy.has_compute ? copy.tiles : 0,
                copy.feed_wait);
    copy_kernel(t, p, "kernels/events_feed", TT_NCRISC, copy.has_compute ? copy.tiles : 0,
                copy.drain_wait);
    for (int r = TT_TRISC0; copy.has_compute && r <= TT_TRISC2; r++)
        copy_kernel(t, p, "kernels/events_copy", r, copy.tiles, 0);
    core_flags(t, 0, flags);
    assert_int_equal(ttdev_launch(t, 0, p, 1), 0);
    if (ttdev_wait(t, 0, 1000000000))
        fail_msg("%s", ttdev_fault(t, 0));
    ttdev_program_free(p);
    found->n = 0;
    dram_markers(t, 0, risc, found);
}

#endif
