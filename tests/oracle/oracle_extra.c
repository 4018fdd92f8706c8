// oracle_extra.c - cases that the product adds to the oracle, from kernel to log. Most of
// them stand beside the part that they are about: capacities and clock reads in
// test_markers, pushes in test_marker_push, odd words in test_decode_odd, names in
// test_names, regions in test_options, stalls in test_readout_device, events at the end of
// a vector in test_noc_events.
#include <stdio.h>

#include "oracle.h"

static size_t count_zones(const struct trace *t, const char *name, const char *file,
                          uint32_t *id)
{
    size_t n = 0;
    for (size_t k = 0; k < t->tracks.n; k++)
        for (uint32_t i = 0; i < t->tracks.v[k].n_markers; i++) {
            const struct trace_site *s = trace_site_of(t, t->tracks.v[k].marker + i);
            if (str_is(trace_text(t, s->name), name) &&
                str_is(trace_text(t, s->file), file)) {
                *id = s->timer_id;
                n++;
            }
        }
    return n;
}

// Two images on one RISC, one after the other.
ROW(extra_two_locations_of_one_hash)
{
    struct oracle o;
    uint32_t one = 0, two = 0, third = 0;
    oracle_open(&o, chip->board, "TTPROF_LEVEL=all");
    static const char *const images[] = {"kernels/profile_hash_one",
                                         "kernels/profile_hash_two"};
    for (uint32_t i = 0; i < 2; i++) {
        ttdev_program *p = oracle_program(&o, "hash");
        oracle_kernel(&o, p, oracle_one(0, 0), TT_BRISC, images[i], NULL, 0);
        oracle_launch(&o, p, i + 1);
        oracle_launch(&o, p, i + 3);
    }
    oracle_detach(&o);
    oracle_analyse(&o, "default_setup");
    oracle_check_clean(&o);
    assert_int_equal(count_zones(&o.log.trace, "first 791", "one.h", &one), 4);
    assert_int_equal(count_zones(&o.log.trace, "second 10", "two.h", &two), 4);
    assert_int_equal(
        count_zones(&o.log.trace, "Gr\303\266\303\237e in mm", "one.h", &third), 4);
    assert_int_equal(one, 4667); // what both fold to; the second one took the next
    assert_int_equal(two, 4668);
    oracle_close(&o);
}

// The clock wraps, 32 bits of it or all 44 of a stamp, while kernels of 104000 cycles run:
// none of them becomes shorter or longer, and time goes on.
static void wrap(const char *board, uint64_t at)
{
    enum { LAUNCHES = 16, ROUNDS = 2000, CYCLES = 52 * ROUNDS };
    struct oracle o;
    char config[100];
    (void)snprintf(config, sizeof config, "%s boot_cycles=%llu", board,
                   (unsigned long long)at - LAUNCHES * CYCLES / 2);
    oracle_open(&o, config, "TTPROF_LEVEL=all");
    ttdev_program *p = oracle_program(&o, "nops");
    for (unsigned risc = 0; risc < TT_RISCS; risc++)
        oracle_kernels(&o, p, oracle_one(0, 0), 1u << risc, "cycle_count/nops",
                       ORACLE_ARGS(ROUNDS, o.info.l1_buffers + 16 * risc));
    for (uint32_t id = 1; id <= LAUNCHES; id++)
        oracle_launch(&o, p, id);
    oracle_detach(&o);
    oracle_analyse(&o, "test_custom_cycle_count");
    oracle_check_clean(&o);
    const struct stats *s = oracle_stats(&o, "TRISC_1 KERNEL_START->KERNEL_END");
    assert_int_equal(s->count, LAUNCHES);
    assert_true(s->min >= CYCLES && s->max < CYCLES + CYCLES / 100);
    const struct trace_device *d = &o.log.trace.devices.v[0];
    assert_true(d->first_time < at && d->last_time > at);
    assert_true(d->last_time - d->first_time < (uint64_t)LAUNCHES * CYCLES * 3 / 2);
    oracle_close(&o);
}

ROW(extra_clock_wraps)
{
    wrap(chip->board, UINT64_C(1) << 32);
    wrap(chip->board, UINT64_C(1) << 44);
}

// MainN and MainChildN of a user's kernel, and a RISC that is idle in the second program:
// see markers_main_zones_of_a_kernel_are_recorded_however_full_its_vector_is and
// push_leaves_out_riscs_that_did_not_run. Here: nothing stale is in the log.
ROW(extra_a_risc_idle_in_the_second_program)
{
    struct oracle o;
    oracle_open(&o, chip->board, "TTPROF_LEVEL=all");
    for (uint32_t id = 1; id <= 3; id++) {
        ttdev_program *p = oracle_program(&o, "part");
        oracle_kernels(&o, p, oracle_one(0, 0), id == 2 ? ORACLE_MOVERS : ORACLE_ALL_RISCS,
                       "kernels/profile_stamps", ORACLE_ARGS(5));
        oracle_launch(&o, p, id);
    }
    oracle_detach(&o);
    oracle_analyse(&o, "default_setup");
    oracle_check_clean(&o);
    const struct trace *t = &o.log.trace;
    assert_int_equal(t->tracks.n, TT_RISCS);
    for (size_t k = 0; k < t->tracks.n; k++) {
        size_t of_program[4] = {0};
        for (uint32_t i = 0; i < t->tracks.v[k].n_markers; i++)
            of_program[t->runs.v[t->markers.run[t->tracks.v[k].marker + i]].id >> 10 & 3]++;
        bool is_mover = risc_rank(trace_text(t, t->tracks.v[k].risc)) < TT_TRISC0;
        assert_int_equal(of_program[1], 4 + 5 * 4);
        assert_int_equal(of_program[2], is_mover ? 4 + 5 * 4 : 0);
        assert_int_equal(of_program[3], 4 + 5 * 4);
    }
    assert_int_equal(oracle_said(&o, "duplicate"), 0);
    oracle_close(&o);
}
