// Epochs of the sync on chips that are nothing but clocks: models, losses, links, files.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file/file.h"

#include "collect/sync/sync.h"
#include "sample_clock.h"
#include "test.h"

static const struct profiler_options usual = {.sync = true, .sync_spacing_us = 1000};

// Truth and statement over a stretch of host time.
static void check_model(const struct sample_clocks *s, const struct sync *sync, int chip,
                        double from, double to)
{
    const struct clock_model *m = sync_model(sync, chip);
    for (int i = 0; i <= 20; i++) {
        double at = from + (to - from) * i / 20;
        uint64_t cycle = (uint64_t)sample_clock_cycle(&s->chips[chip], at);
        double off = clock_model_host_ns(m, cycle) - at;
        assert_true(fabs(off) <= clock_model_error_ns(m, cycle) + 1);
    }
}

TEST(sync_finds_frequency_and_offset_of_every_chip_in_the_time_of_one)
{
    struct sample_clocks s;
    struct err e = {0};
    sample_clocks_open(&s, 4, 1);
    struct sync *sync = sync_new(&s.access, &usual);
    assert_false(sync_model(sync, 0)->is_synced);
    assert_true(isinf(sync_pair_error_ns(sync, 0, 1)));
    double before = s.now;
    assert_true(sync_run(sync, &e));
    assert_true(s.now - before < 0.3e9);
    for (int i = 0; i < 4; i++) {
        const struct clock_model *m = sync_model(sync, i);
        assert_true(m->is_synced);
        assert_int_equal(m->epochs.n, 1);
        assert_int_equal(m->epochs.v[0].n_samples, 249);
        assert_int_equal(m->epochs.v[0].n_kept, 62);
        assert_int_equal(m->epochs.v[0].n_missing, 0);
        assert_true(m->epochs.v[0].error_ns < 500);
        assert_true(fabs(clock_model_ghz(m) / s.chips[i].cycles_per_ns - 1) < 0.5e-6);
        check_model(&s, sync, i, before, s.now);
    }
    assert_true(sync_pair_error_ns(sync, 0, 3) < 1000);
    REAL_IS(sync_pair_error_ns(sync, 2, 2), 0.0);
    assert_true(isinf(sync_pair_error_ns(sync, 0, 4)));
    sync_free(sync);
}

TEST(sync_epochs_make_a_piecewise_model_and_are_due_after_a_second)
{
    struct sample_clocks s;
    struct err e = {0};
    sample_clocks_open(&s, 1, 2);
    struct sync *sync = sync_new(&s.access, &usual);
    assert_true(sync_is_due(sync));
    double before = s.now;
    assert_true(sync_run(sync, &e));
    assert_false(sync_is_due(sync));
    s.now += 0.999e9;
    assert_false(sync_is_due(sync));
    s.now += 0.002e9;
    assert_true(sync_is_due(sync));
    // The clock has been faster since the last sync: the line between is bent.
    s.chips[0].boot -= (uint64_t)(s.now * 2e-6);
    s.chips[0].cycles_per_ns += 2e-6;
    double bend = s.now;
    assert_true(sync_run(sync, &e));
    assert_int_equal(sync_model(sync, 0)->epochs.n, 2);
    check_model(&s, sync, 0, bend, s.now);
    assert_true(clock_model_worst_ns(sync_model(sync, 0)) > 500);
    (void)before;
    sync_free(sync);
}

TEST(sync_drops_and_counts_samples_that_the_chip_never_saw)
{
    struct sample_clocks s;
    struct err e = {0};
    sample_clocks_open(&s, 2, 3);
    s.chips[1].lose_every = 10;
    struct sync *sync = sync_new(&s.access, &usual);
    double before = s.now;
    assert_true(sync_run(sync, &e));
    const struct clock_epoch *epoch = &sync_model(sync, 1)->epochs.v[0];
    assert_int_equal(sync_model(sync, 0)->epochs.v[0].n_missing, 0);
    assert_int_equal(epoch->n_samples, 249);
    assert_int_equal(epoch->n_missing, 24);
    assert_int_equal(epoch->n_kept, 56);
    check_model(&s, sync, 1, before, s.now);
    sync_free(sync);
}

TEST(sync_says_which_chip_does_not_answer_and_keeps_what_is_known)
{
    struct sample_clocks s;
    struct err e = {0};
    sample_clocks_open(&s, 3, 4);
    struct sync *sync = sync_new(&s.access, &usual);
    assert_true(sync_run(sync, &e));
    s.chips[1].is_deaf = true;
    assert_false(sync_run(sync, &e));
    assert_int_equal(e.code, ERR_IO);
    assert_non_null(strstr(e.text, "device 1 cannot start the sync kernel"));
    assert_int_equal(sync_model(sync, 0)->epochs.n, 2);
    assert_int_equal(sync_model(sync, 1)->epochs.n, 1);
    s.chips[1].is_deaf = false;
    s.chips[2].never_starts = true;
    assert_false(sync_run(sync, &e));
    assert_non_null(strstr(e.text, "device 2 does not start the sync kernel"));
    assert_int_equal(sync_model(sync, 1)->epochs.n, 2);
    s.chips[2].never_starts = false;
    s.chips[2].lose_every = 1;
    assert_false(sync_run(sync, &e));
    assert_non_null(strstr(e.text, "device 2"));
    s.chips[2].lose_every = 0;
    assert_true(sync_run(sync, &e));
    sync_free(sync);
}

TEST(sync_stops_early_when_asked_to_and_the_slope_is_known)
{
    struct profiler_options o = usual;
    struct sample_clocks s;
    struct err e = {0};
    o.sync_adaptive = true;
    sample_clocks_open(&s, 1, 5);
    struct sync *sync = sync_new(&s.access, &o);
    double before = s.now;
    assert_true(sync_run(sync, &e));
    const struct clock_epoch *epoch = &sync_model(sync, 0)->epochs.v[0];
    assert_in_range(epoch->n_samples, 151, 225);
    assert_true(epoch->rate_error / 5 < 0.2e-6);
    assert_int_equal(epoch->n_missing, 0);
    check_model(&s, sync, 0, before, s.now);
    sync_free(sync);
}

// --- links -----------------------------------------------------------------------------
static void check_links(bool is_child_sender)
{
    struct sample_clocks s;
    struct err e = {0};
    sample_clocks_open(&s, 3, 6);
    s.chips[1].slowness = s.chips[2].slowness = 3; // behind Ethernet
    s.flight_ns = 400;
    for (int i = 0; i < 2; i++)
        sample_clocks_join(&s, is_child_sender ? i + 1 : i, is_child_sender ? i : i + 1);
    struct sync *sync = sync_new(&s.access, &usual);
    double before = s.now;
    assert_true(sync_run(sync, &e));
    s.now += 2e9;
    assert_true(sync_run(sync, &e));
    double pair = sync_pair_error_ns(sync, 0, 1), two = sync_pair_error_ns(sync, 0, 2);
    assert_true(pair > 400 && pair < 450);
    assert_true(two > 800 && two < 900);
    assert_true(fabs(sync_pair_error_ns(sync, 1, 2) - pair) < 50);
    for (int i = 0; i < 3; i++)
        check_model(&s, sync, i, before, s.now);
    // In truth the link is as fast both ways, and the models of two chips are very near.
    double at = before + 1e9, host[2];
    for (int i = 0; i < 2; i++)
        host[i] = clock_model_host_ns(sync_model(sync, i),
                                      (uint64_t)sample_clock_cycle(&s.chips[i], at));
    assert_true(fabs(host[0] - host[1]) < 20);
    sync_free(sync);
}

TEST(sync_over_links_keeps_chips_together_that_the_host_reaches_slowly)
{
    check_links(false);
}

TEST(sync_over_links_does_not_mind_which_end_sends)
{
    check_links(true);
}

// What looks like the middle of a round is not: nobody can see that, so it is in the error.
TEST(sync_over_links_states_an_error_that_holds_when_answers_are_faster)
{
    struct sample_clocks s;
    struct err e = {0};
    sample_clocks_open(&s, 2, 10);
    s.chips[1].slowness = 3;
    s.flight_ns = 950;
    s.answer_ns = -900;
    sample_clocks_join(&s, 0, 1);
    struct sync *sync = sync_new(&s.access, &usual);
    double before = s.now, at = before + 0.1e9;
    assert_true(sync_run(sync, &e));
    check_model(&s, sync, 1, before, s.now);
    const struct clock_model *m = sync_model(sync, 1);
    double off = clock_model_host_ns(m, (uint64_t)sample_clock_cycle(&s.chips[1], at)) - at;
    assert_true(off < -450);
    assert_true(sync_pair_error_ns(sync, 0, 1) < 600);
    sync_free(sync);
}

TEST(sync_leaves_links_alone_when_the_host_knows_better)
{
    struct sample_clocks s;
    struct err e = {0};
    sample_clocks_open(&s, 2, 7);
    sample_clocks_join(&s, 0, 1);
    s.flight_ns = 5000;
    struct sync *sync = sync_new(&s.access, &usual);
    assert_true(sync_run(sync, &e));
    const struct clock_model *m = sync_model(sync, 1);
    assert_true(m->epochs.v[0].error_ns < 500);
    assert_true(sync_pair_error_ns(sync, 0, 1) < 1000);
    sync_free(sync);
}

TEST(sync_goes_on_without_a_link_that_does_not_work)
{
    struct sample_clocks s;
    struct err e = {0};
    sample_clocks_open(&s, 2, 8);
    sample_clocks_join(&s, 0, 1);
    s.links[0].channel = 5; // no such core
    struct sync *sync = sync_new(&s.access, &usual);
    assert_true(sync_run(sync, &e));
    assert_true(sync_model(sync, 1)->is_synced);
    buf_char(sync_log(sync), '\0');
    assert_non_null(strstr(sync_log(sync)->p, "Devices 0 and 1: no sync over their link"));
    sync_free(sync);
}

// --- the file --------------------------------------------------------------------------
static size_t count_lines(str text, const char *part)
{
    size_t n = 0;
    while (text.n) {
        str line = str_cut(&text, '\n');
        n += str_has(line, str_of(part));
    }
    return n;
}

TEST(sync_writes_a_row_per_sample_and_one_per_relation)
{
    struct sample_clocks s;
    struct err e = {0};
    struct file f;
    char path[] = "/tmp/ttprof-sync-XXXXXX";
    sample_clocks_open(&s, 2, 9);
    sample_clocks_join(&s, 0, 1);
    struct sync *sync = sync_new(&s.access, &usual);
    assert_true(sync_run(sync, &e));
    assert_true(sync_run(sync, &e));
    (void)close(mkstemp(path));
    assert_true(sync_write(sync, path, &e));
    assert_true(file_open(path, &f, &e));
    str text = f.text, head = str_cut(&text, '\n');
    STR_IS(head,
           "device id,core_x, core_y,device,host_tracy,host_real,write_overhead,"
           "host_start,delay,frequency,tracy_ratio,tracy_base_time,"
           "device_frequency_ratio,device_shift,kept,residual_ns,error_ns,epoch");
    assert_int_equal(count_lines(text, "    0,    1,    2,"), 2 * 249);
    assert_int_equal(count_lines(text, "    1,    1,    2,"), 2 * 249);
    assert_int_equal(count_lines(text, "    1,,,,,,,,,,,,"), 2);
    unsigned long long stamp, overhead, start;
    double host, delay, ghz;
    str row = str_cut(&text, '\n');
    assert_int_equal(sscanf(row.p, "%*d,%*d,%*d,%llu,%*d,%lf,%llu,%llu,%lf,%lf", &stamp,
                            &host, &overhead, &start, &delay, &ghz),
                     6);
    assert_true(fabs((double)stamp - (delay + host * ghz)) < 400);
    assert_true(fabs(delay - sample_clock_cycle(&s.chips[0], (double)start)) < 1000);
    file_close(&f);
    (void)unlink(path);
    buf_char(sync_log(sync), '\0');
    assert_non_null(strstr(sync_log(sync)->p, "Host sync data for device: 0, cpu_start:1"));
    assert_non_null(strstr(sync_log(sync)->p, "Device 1 clock: frequency 1.00000"));
    sync_free(sync);
}
