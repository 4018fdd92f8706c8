// test_decode_odd.c - words that the reference gets wrong, aborts on, or never sees. Spec:
// device-profiler 2.2, 3.1, 5.3, 9.2, 10, and the extra cases of 18.
#include "analyse/diags.h"
#include "collect/diags.h"
#include "sample_words.h"

enum { FW = 100, KERNEL, ZONE_A, ZONE_B, DATA, SUM, PUSH };

static struct sample_words *odd_sample(void)
{
    static const char *const names[] = {"BRISC-FW", "BRISC-KERNEL",      "A", "B", "DATA",
                                        "SUM",      "PROFILER-DRAM-PUSH"};
    struct sample_words *s = sample_words_new();
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
        words_name(&s->c, FW + i, names[i]);
    return s;
}

// A chunk whose only marker is a firmware start: enough to see that it was read.
static void put_run(struct sample_words *s, uint32_t program, uint64_t start)
{
    words_begin(&s->w, 0, 3, 0, program);
    words_slot(&s->w, 0, FW, start);
}

static const struct risc_health *health(const struct sample_words *s)
{
    return &s->c.chips.v[0].riscs[0][0];
}

static void decode_all(struct sample_words *s)
{
    (void)sample_words_block(s, 0, 0);
    sample_words_decode(s, true);
}

// --- markers ---------------------------------------------------------------------------

TEST(decode_takes_only_what_is_empty_as_empty)
{
    struct sample_words *s = odd_sample();
    words_name(&s->c, 0, "ID-0");
    words_begin(&s->w, 0, 3, 0, 1);
    words_start(&s->w, 0, 5); // a hash of 0, before the clock's low word is full
    words_put(&s->w, TT_MARKER_VALID);
    words_put(&s->w, 0);
    words_put(&s->w, TT_MARKER_VALID);
    words_put(&s->w, TT_MARKER_VALID);
    words_end(&s->w, 0, 6);
    decode_all(s);
    ROWS_ARE(s, "BRISC 5 ZONE_START ID-0 #1024\nBRISC 6 ZONE_END ID-0 #1024\n");
    sample_words_free(s);
}

TEST(decode_keeps_what_happens_in_one_cycle)
{
    struct sample_words *s = odd_sample();
    words_begin(&s->w, 0, 3, 0, 1);
    words_main(&s->w, FW, 10, 90);
    words_zone(&s->w, ZONE_B, 20, 30);
    words_zone(&s->w, ZONE_A, 30, 30); // begins when B ends, and takes no time
    words_data(&s->w, DATA, 40, 1);
    words_data(&s->w, DATA, 40, 2);
    words_data(&s->w, DATA, 40, 2); // this one cannot be told from the one before
    words_data(&s->w, DATA, 40, 0);
    words_event(&s->w, 7, 90); // before the end of the firmware zone
    decode_all(s);
    ROWS_ARE(s,
             "BRISC 10 ZONE_START BRISC-FW #1024\n"
             "BRISC 20 ZONE_START B #1024\nBRISC 30 ZONE_END B #1024\n"
             "BRISC 30 ZONE_START A #1024\nBRISC 30 ZONE_END A #1024\n"
             "BRISC 40 TS_DATA DATA =1 #1024\nBRISC 40 TS_DATA DATA =2 #1024\n"
             "BRISC 40 TS_DATA DATA #1024\n"
             "BRISC 90 TS_EVENT 7 #1024\nBRISC 90 ZONE_END BRISC-FW #1024\n");
    assert_int_equal(health(s)->duplicates, 1);
    assert_int_equal(health(s)->orphan_starts + health(s)->orphan_ends, 0);
    sample_words_free(s);
}

TEST(decode_nests_guaranteed_zones_that_take_no_time)
{
    struct sample_words *s = odd_sample();
    words_begin(&s->w, 0, 3, 0, 1);
    words_main(&s->w, FW, 10, 10);
    words_child(&s->w, KERNEL, 10, 10);
    words_zone(&s->w, ZONE_A, 10, 10);
    decode_all(s);
    ROWS_ARE(s,
             "BRISC 10 ZONE_START BRISC-FW #1024\n"
             "BRISC 10 ZONE_START BRISC-KERNEL #1024\n"
             "BRISC 10 ZONE_START A #1024\nBRISC 10 ZONE_END A #1024\n"
             "BRISC 10 ZONE_END BRISC-KERNEL #1024\n"
             "BRISC 10 ZONE_END BRISC-FW #1024\n");
    assert_int_equal(health(s)->orphan_starts + health(s)->orphan_ends, 0);
    sample_words_free(s);
}

TEST(decode_looks_up_names_by_type)
{
    struct sample_words *s = odd_sample();
    words_name(&s->c, 9090, "NINETY");
    words_begin(&s->w, 0, 3, 0, 1);
    words_start(&s->w, 9090, 10); // a zone may have that id
    words_event(&s->w, ZONE_A, 20);
    words_data(&s->w, 9090, 30, 1);
    words_end(&s->w, 9090, 40);
    words_event(&s->w, 777, 50);
    words_zone(&s->w, 778, 60, 70);
    decode_all(s);
    ROWS_ARE(s,
             "BRISC 10 ZONE_START NINETY #1024\nBRISC 20 TS_EVENT 102 #1024\n"
             "BRISC 30 TS_DATA 9090 =1 #1024\nBRISC 40 ZONE_END NINETY #1024\n"
             "BRISC 50 TS_EVENT 777 #1024\nBRISC 60 ZONE_START 778 #1024\n"
             "BRISC 70 ZONE_END 778 #1024\n");
    assert_int_equal(health(s)->unknown_ids, 2);
    assert_int_equal(s->t.diag.entry[DIAG_ZONE_UNKNOWN].count, 2);
    sample_words_free(s);
}

// --- times -----------------------------------------------------------------------------

TEST(decode_carries_times_over_both_wraps)
{
    const uint64_t low = UINT64_C(1) << 32, wrap = UINT64_C(1) << 44;
    struct sample_words *s = odd_sample();
    words_begin(&s->w, 0, 3, 0, 1);
    words_main(&s->w, FW, low - 5, low + 5);
    sample_words_block(s, 0, 0)->clock = low + 1000;
    words_begin(&s->w, 0, 3, 0, 2);
    words_main(&s->w, FW, wrap - 5, 5);
    sample_words_block(s, 0, 0)->clock = wrap + 1000;
    sample_words_decode(s, true);
    ROWS_ARE(s,
             "BRISC 4294967291 ZONE_START BRISC-FW #1024\n"
             "BRISC 4294967301 ZONE_END BRISC-FW #1024\n"
             "BRISC 17592186044411 ZONE_START BRISC-FW #2048\n"
             "BRISC 17592186044421 ZONE_END BRISC-FW #2048\n");
    sample_words_free(s);
}

TEST(decode_counts_times_from_the_epoch_in_which_the_device_was_opened)
{
    const uint64_t wrap = UINT64_C(1) << 44;
    struct sample_words *s = odd_sample();
    s->c.chips.v[0].clock_at_open = 3 * wrap + 100;
    words_begin(&s->w, 0, 3, 0, 1);
    words_main(&s->w, FW, 200, 300);
    sample_words_block(s, 0, 0)->clock = 3 * wrap + 1000;
    words_begin(&s->w, 0, 3, 0, 2);
    words_main(&s->w, FW, 5, 50);
    sample_words_block(s, 0, 0)->clock = 4 * wrap + 1000;
    sample_words_decode(s, true);
    ROWS_ARE(s,
             "BRISC 200 ZONE_START BRISC-FW #1024\nBRISC 300 ZONE_END BRISC-FW #1024\n"
             "BRISC 17592186044421 ZONE_START BRISC-FW #2048\n"
             "BRISC 17592186044466 ZONE_END BRISC-FW #2048\n");
    sample_words_free(s);
}

TEST(decode_keeps_a_stamp_that_has_nothing_before_it)
{
    struct sample_words *s = odd_sample();
    words_begin(&s->w, 0, 3, 0, 1);
    words_main(&s->w, FW, 900, (UINT64_C(1) << 44) - 5);
    sample_words_block(s, 0, 0)->clock = 1000;
    sample_words_decode(s, true);
    ROWS_ARE(s,
             "BRISC 900 ZONE_START BRISC-FW #1024\n"
             "BRISC 17592186044411 ZONE_END BRISC-FW #1024\n");
    sample_words_free(s);
}

// --- words that make no sense ----------------------------------------------------------

TEST(decode_leaves_out_runs_of_others)
{
    struct sample_words *s = odd_sample();
    put_run(s, 1, 10);
    words_begin(&s->w, 1, 3, 0, 2); // another RISC
    words_slot(&s->w, 0, FW, 20);
    put_run(s, 3, 30);
    words_begin(&s->w, 0, 9, 0, 4); // another core
    words_slot(&s->w, 0, FW, 40);
    words_begin(&s->w, 0, 8, 0, 5);
    put_run(s, 6, 60);
    decode_all(s);
    ROWS_ARE(s,
             "BRISC 10 ZONE_START BRISC-FW #1024\nBRISC 30 ZONE_START BRISC-FW #3072\n"
             "BRISC 60 ZONE_START BRISC-FW #6144\n");
    assert_int_equal(health(s)->foreign, 2);
    assert_int_equal(s->t.diag.entry[DIAG_IDENTITY_FOREIGN].count, 2);
    sample_words_free(s);
}

TEST(decode_goes_on_at_the_next_run_when_words_are_no_marker)
{
    static const uint32_t bad[] = {0xE0000000, 0xF0000000, 0x12345678, 0x7FFFFFFF};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct sample_words *s = odd_sample();
        put_run(s, 1, 10);
        words_event(&s->w, 5, 20);
        words_put(&s->w, bad[i]);
        words_put(&s->w, 1);
        words_event(&s->w, 6, 30);
        words_put(&s->w, 0); // looks like an identity, but is nobody's
        words_put(&s->w, 0);
        words_put(&s->w, 0xFFFF);
        words_put(&s->w, 2);
        put_run(s, 3, 40);
        decode_all(s);
        ROWS_ARE(s,
                 "BRISC 10 ZONE_START BRISC-FW #1024\nBRISC 20 TS_EVENT 5 #1024\n"
                 "BRISC 40 ZONE_START BRISC-FW #3072\n");
        assert_int_equal(health(s)->bad_types, 1);
        assert_int_equal(health(s)->resyncs, 1);
        assert_int_equal(s->t.diag.entry[DIAG_PACKET_TYPE].count, 1);
        sample_words_free(s);
    }
}

TEST(decode_does_not_take_a_payload_for_an_identity)
{
    struct sample_words *s = odd_sample();
    put_run(s, 1, 10);
    words_data(&s->w, DATA, 20, 0);
    words_data16(&s->w, DATA, 30, 0, UINT64_C(0x60) << 32 | 9);
    words_event(&s->w, 6, 40);
    decode_all(s);
    ROWS_ARE(s,
             "BRISC 10 ZONE_START BRISC-FW #1024\nBRISC 20 TS_DATA DATA #1024\n"
             "BRISC 30 TS_DATA DATA #1024 {\"data high\":412316860425}\n"
             "BRISC 40 TS_EVENT 6 #1024\n");
    sample_words_free(s);
}

TEST(decode_drops_markers_that_are_cut_off)
{
    for (size_t cut = 1; cut < 6; cut++) {
        struct sample_words *s = odd_sample();
        put_run(s, 1, 10);
        words_data16(&s->w, DATA, 20, 1, 2);
        s->w.v.n -= cut;
        decode_all(s);
        ROWS_ARE(s, "BRISC 10 ZONE_START BRISC-FW #1024\n");
        assert_int_equal(health(s)->truncated, 1);
        sample_words_free(s);
    }
    struct sample_words *s = odd_sample();
    put_run(s, 1, 10);
    words_data(&s->w, DATA, 20, 1);
    s->w.v.n -= 2;
    sample_words_block(s, 0, 0)->n_missing = 2;
    words_begin(&s->w, 0, 3, 0, 2);
    s->w.v.n = 3; // a cut identity
    (void)sample_words_block(s, 0, 0);
    words_begin(&s->w, 0, 3, 0, 2);
    s->w.v.n = 10; // and a cut guaranteed area
    words_slot(&s->w, 0, FW, 30);
    decode_all(s);
    ROWS_ARE(s, "BRISC 10 ZONE_START BRISC-FW #1024\nBRISC 30 ZONE_START BRISC-FW #2048\n");
    assert_int_equal(health(s)->truncated, 3);
    assert_int_equal(s->t.diag.entry[DIAG_WORDS_CUT].count, 3);
    sample_words_free(s);
}

TEST(decode_takes_zeros_as_words_that_never_arrived)
{
    struct sample_words *s = odd_sample();
    put_run(s, 1, 10);
    for (int i = 0; i < 40; i++)
        words_put(&s->w, 0);
    put_run(s, 2, 20);
    decode_all(s);
    ROWS_ARE(s, "BRISC 10 ZONE_START BRISC-FW #1024\nBRISC 20 ZONE_START BRISC-FW #2048\n");
    assert_int_equal(health(s)->truncated, 1);
    assert_int_equal(health(s)->foreign, 0);
    sample_words_free(s);
}

TEST(decode_gives_counters_before_the_first_identity_to_the_run_behind_them)
{
    struct sample_words *s = odd_sample();
    words_counter(&s->w, 5, 2, 100, 50);
    words_data(&s->w, DATA, 6, 9);
    put_run(s, 1, 10);
    decode_all(s);
    ROWS_ARE(s,
             "BRISC 5 TS_DATA 9090 =429496729650 #1024\n"
             "BRISC 6 TS_DATA DATA =9 #1024\n"
             "BRISC 10 ZONE_START BRISC-FW #1024\n");
    assert_int_equal(health(s)->bad_types, 0);
    // Without a run behind them they are lost.
    words_counter(&s->w, 15, 2, 100, 50);
    decode_all(s);
    assert_int_equal(health(s)->truncated, 1);
    sample_words_free(s);
}

// --- chunks that come again ------------------------------------------------------------

TEST(decode_takes_a_chunk_once_that_was_sent_again)
{
    struct sample_words *s = odd_sample();
    for (int i = 0; i < 2; i++) {
        words_program(&s->w, 0, 3, 1, FW, KERNEL, 1000);
        words_zone(&s->w, ZONE_A, 1200, 1300);
        words_data(&s->w, DATA, 1250, 3);
        words_program(&s->w, 0, 3, 2, FW, KERNEL, 5000);
    }
    decode_all(s);
    assert_int_equal(s->t.n_rows, 11);
    assert_int_equal(health(s)->duplicates, 11);
    assert_int_equal(health(s)->orphan_ends + health(s)->orphan_starts, 0);
    sample_words_free(s);
}

// The reference pushes the optional words of an idle RISC with every later program.
TEST(decode_leaves_out_stale_words_of_an_idle_risc)
{
    struct sample_words *s = odd_sample();
    words_program(&s->w, 0, 3, 1, FW, KERNEL, 1000);
    words_zone(&s->w, ZONE_A, 1200, 1300);
    words_data(&s->w, DATA, 1400, 3);
    for (uint32_t program = 2; program < 4; program++) {
        words_begin(&s->w, 0, 3, 0, program);
        words_zone(&s->w, ZONE_A, 1200, 1300);
        words_data(&s->w, DATA, 1400, 3);
    }
    (void)sample_words_block(s, 0, 0);
    sample_words_decode(s, false);
    assert_int_equal(s->t.n_rows, 7);
    assert_int_equal(health(s)->duplicates, 6);
    // Also when it was read out in between.
    words_begin(&s->w, 0, 3, 0, 4);
    words_zone(&s->w, ZONE_A, 1200, 1300);
    words_data(&s->w, DATA, 1400, 3);
    decode_all(s);
    assert_int_equal(s->t.n_rows, 0);
    assert_int_equal(health(s)->duplicates, 9);
    sample_words_free(s);
}

// --- numbers that are too small in the reference ---------------------------------------

TEST(decode_keeps_all_bits_of_a_program_number)
{
    struct sample_words *s = odd_sample();
    put_run(s, 2097151, 10);
    put_run(s, 2097152, 20);
    put_run(s, UINT32_MAX, 30);
    s->c.chips.v[0].id = 3;
    decode_all(s);
    ROWS_ARE(s,
             "BRISC 10 ZONE_START BRISC-FW #2147482627\n"
             "BRISC 20 ZONE_START BRISC-FW #2147483651\n"
             "BRISC 30 ZONE_START BRISC-FW #4398046510083\n");
    sample_words_free(s);
}

TEST(decode_counts_replays_beyond_16_bits)
{
    struct sample_words *s = odd_sample();
    struct chip_record *chip = &s->c.chips.v[0];
    vec_push(&chip->traces, (struct trace_record){.id = 5});
    vec_push(&chip->traces.v[0].programs, 8);
    enum { REPLAYS = 140000, STEP = 20000 };
    // BRISC runs in all of them and is read out every 20000; NCRISC in the last one only.
    uint64_t last = 0;
    for (uint32_t c = 1; c <= REPLAYS; c++) {
        vec_push(&chip->replayed, 5);
        words_begin(&s->w, 0, 3, c, 8);
        words_slot(&s->w, 0, FW, 10 * (uint64_t)c);
        if (c % STEP)
            continue;
        (void)sample_words_block(s, 0, 0);
        if (c == REPLAYS) {
            words_begin(&s->w, 1, 3, c, 8);
            words_slot(&s->w, 0, FW, 10 * (uint64_t)c);
            (void)sample_words_block(s, 0, 1);
        }
        trace_free(&s->t);
        decoder_run(s->d, &s->t, c == REPLAYS);
        collection_drop_blocks(&s->c);
        assert_int_equal(s->t.tracks.v[0].n_markers, STEP);
        for (size_t i = 0; i < s->t.runs.n; i++) {
            assert_int_equal(s->t.runs.v[i].trace_id, 5);
            assert_int_equal(s->t.runs.v[i].trace_counter, ++last);
        }
    }
    // NCRISC is in BRISC's last run.
    assert_int_equal(s->t.tracks.n, 2);
    const struct trace_track *k = &s->t.tracks.v[1];
    assert_int_equal(s->t.runs.v[s->t.markers.run[k->marker]].trace_counter, REPLAYS);
    assert_int_equal(s->c.replays_unknown, 0);
    sample_words_free(s);
}

// --- zones that lost a marker ----------------------------------------------------------

TEST(decode_counts_zones_that_lost_a_marker_and_goes_on)
{
    struct sample_words *s = odd_sample();
    words_begin(&s->w, 0, 3, 0, 1);
    words_slot(&s->w, 0, FW, 10);
    words_end(&s->w, ZONE_A, 20); // never began
    words_start(&s->w, ZONE_A, 30);
    words_start(&s->w, ZONE_B, 40); // never ends
    words_end(&s->w, ZONE_A, 50);
    words_start(&s->w, ZONE_A, 60); // lost with the end of the firmware zone
    words_begin(&s->w, 0, 3, 0, 2);
    words_main(&s->w, FW, 110, 190);
    words_start(&s->w, ZONE_B, 120);
    words_begin(&s->w, 0, 3, 0, 3);
    words_slot(&s->w, 0, FW, 210);
    decode_all(s);
    assert_int_equal(s->t.n_rows, 10);
    // B of run 1; FW and A of run 1; B of run 2; FW of run 3.
    assert_int_equal(health(s)->orphan_starts, 5);
    assert_int_equal(health(s)->orphan_ends, 1);
    // The analyses find the same.
    pair_zones(&s->t);
    assert_int_equal(s->t.diag.entry[DIAG_START_WITHOUT_END].count, 5);
    assert_int_equal(s->t.diag.entry[DIAG_END_WITHOUT_START].count, 1);
    sample_words_free(s);
}

TEST(decode_carries_open_zones_over_a_dump)
{
    struct sample_words *s = odd_sample();
    words_begin(&s->w, 0, 3, 0, 1);
    words_slot(&s->w, 0, FW, 10);
    words_start(&s->w, ZONE_A, 20);
    (void)sample_words_block(s, 0, 0);
    sample_words_decode(s, false);
    assert_int_equal(health(s)->orphan_starts, 0);
    words_begin(&s->w, 0, 3, 0, 1);
    words_main(&s->w, FW, 10, 90);
    words_end(&s->w, ZONE_A, 30);
    (void)sample_words_block(s, 0, 0);
    sample_words_decode(s, false);
    assert_int_equal(health(s)->orphan_starts + health(s)->orphan_ends, 0);
    ROWS_ARE(s,
             "BRISC 10 ZONE_START BRISC-FW #1024\nBRISC 20 ZONE_START A #1024\n"
             "BRISC 30 ZONE_END A #1024\nBRISC 90 ZONE_END BRISC-FW #1024\n");
    words_begin(&s->w, 0, 3, 0, 2);
    words_slot(&s->w, 0, FW, 100);
    (void)sample_words_block(s, 0, 0);
    sample_words_decode(s, false);
    sample_words_decode(s, true); // nothing new, but it was the last
    assert_int_equal(health(s)->orphan_starts, 1);
    sample_words_free(s);
}

// --- cores that never finished ---------------------------------------------------------

static void put_partial(struct sample_words *s, uint8_t risc)
{
    while (s->w.v.n < TT_CHUNK_WORDS)
        words_put(&s->w, 0);
    sample_words_block(s, 0, risc)->source = BLOCK_PARTIAL;
}

TEST(decode_takes_of_an_unfinished_run_what_is_of_this_run)
{
    struct sample_words *s = odd_sample();
    words_begin(&s->w, 0, 0, 0, 2); // who it is gets stamped at the end
    words_slot(&s->w, 0, FW, 1000);
    words_slot(&s->w, 2, KERNEL, 1100);
    words_start(&s->w, ZONE_A, 1200);
    words_data(&s->w, DATA, 1300, 5);
    words_end(&s->w, ZONE_B, 300); // of the run before
    words_start(&s->w, ZONE_B, 1400);
    put_partial(s, 0);
    // A RISC that has no part in the run has nothing but old words.
    words_begin(&s->w, 0, 0, 0, 2);
    words_zone(&s->w, ZONE_A, 300, 400);
    put_partial(s, 1);
    sample_words_decode(s, false);
    ROWS_ARE(s,
             "BRISC 1000 ZONE_START BRISC-FW #2048\n"
             "BRISC 1100 ZONE_START BRISC-KERNEL #2048\n"
             "BRISC 1200 ZONE_START A #2048\nBRISC 1300 TS_DATA DATA =5 #2048\n");
    // The core is not reset: it is read again, and has got a bit further.
    words_begin(&s->w, 0, 0, 0, 2);
    words_slot(&s->w, 0, FW, 1000);
    words_slot(&s->w, 2, KERNEL, 1100);
    words_start(&s->w, ZONE_A, 1200);
    words_data(&s->w, DATA, 1300, 5);
    words_end(&s->w, ZONE_A, 1500);
    put_partial(s, 0);
    s->rows.n = 0;
    sample_words_decode(s, true);
    ROWS_ARE(s, "BRISC 1500 ZONE_END A #2048\n");
    assert_int_equal(health(s)->orphan_starts, 2); // firmware and kernel
    sample_words_free(s);
}

TEST(decode_takes_the_flush_zone_of_an_unfinished_run)
{
    struct sample_words *s = odd_sample();
    s->c.options.flush_zones = true;
    words_begin(&s->w, 0, 3, 0, 2);
    words_slot(&s->w, 0, FW, 1000);
    words_zone(&s->w, PUSH, 500, 600);
    words_event(&s->w, 9, 1100);
    words_event(&s->w, 9, 700);
    put_partial(s, 0);
    sample_words_decode(s, true);
    ROWS_ARE(s,
             "BRISC 500 ZONE_START PROFILER-DRAM-PUSH #2048\n"
             "BRISC 600 ZONE_END PROFILER-DRAM-PUSH #2048\n"
             "BRISC 1000 ZONE_START BRISC-FW #2048\nBRISC 1100 TS_EVENT 9 #2048\n");
    sample_words_free(s);
}

// --- ids of several locations ----------------------------------------------------------

// Two locations with one hash, found by trying lines.
static uint32_t collide(struct zone_names *names, const char *first, const char *second)
{
    struct buf b = {0};
    buf_printf(&b, "%s,a.cpp,1,KERNEL_PROFILER", first);
    uint32_t id = zone_fold(buf_view(&b));
    names_add_hashed(names, buf_view(&b));
    for (int line = 1;; line++) {
        b.n = 0;
        buf_printf(&b, "%s,b.cpp,%d,KERNEL_PROFILER", second, line);
        if (zone_fold(buf_view(&b)) == id)
            break;
    }
    names_add_hashed(names, buf_view(&b));
    buf_free(&b);
    return id;
}

TEST(decode_shows_all_names_of_an_id_that_nothing_tells_apart)
{
    struct sample_words *s = sample_words_new();
    uint32_t id = collide(&s->c.names, "LEFT", "RIGHT");
    words_begin(&s->w, 0, 3, 0, 1);
    words_zone(&s->w, id, 10, 20);
    decode_all(s);
    ROWS_ARE(s,
             "BRISC 10 ZONE_START LEFT|RIGHT #1024\nBRISC 20 ZONE_END LEFT|RIGHT #1024\n");
    assert_true(str_has(buf_view(decoder_warnings(s->d)), S("'LEFT|RIGHT'")));
    size_t warned = decoder_warnings(s->d)->n;
    words_begin(&s->w, 0, 3, 0, 2);
    words_zone(&s->w, id, 30, 40);
    decode_all(s);
    assert_int_equal(decoder_warnings(s->d)->n, warned); // once
    sample_words_free(s);
}

TEST(decode_tells_locations_of_one_id_apart_by_place_and_type)
{
    struct sample_words *s = sample_words_new();
    uint32_t fw = collide(&s->c.names, "BRISC-FW", "MINE");
    uint32_t data = collide(&s->c.names, "process_cmd_d_dispatch", "LOOP");
    words_begin(&s->w, 0, 3, 0, 1);
    words_main(&s->w, fw, 10, 90);
    words_zone(&s->w, fw, 20, 30);
    words_zone(&s->w, data, 40, 50);
    words_data(&s->w, data, 60, 1);
    decode_all(s);
    STR_IS(str_cut(&(str){s->rows.p, s->rows.n}, '\n'),
           "0,1,2,BRISC,12218,10,0,1024,,,BRISC-FW,ZONE_START,1,a.cpp,");
    s->rows.n = 0;
    words_begin(&s->w, 0, 3, 0, 1);
    words_main(&s->w, fw, 110, 190);
    words_zone(&s->w, fw, 120, 130);
    words_zone(&s->w, data, 140, 150);
    words_data(&s->w, data, 160, 1);
    decode_all(s);
    ROWS_ARE(s,
             "BRISC 110 ZONE_START BRISC-FW #1024\nBRISC 120 ZONE_START MINE #1024\n"
             "BRISC 130 ZONE_END MINE #1024\nBRISC 140 ZONE_START LOOP #1024\n"
             "BRISC 150 ZONE_END LOOP #1024\n"
             "BRISC 160 TS_DATA process_cmd_d_dispatch =1 #1024\n"
             "BRISC 190 ZONE_END BRISC-FW #1024\n");
    sample_words_free(s);
}
