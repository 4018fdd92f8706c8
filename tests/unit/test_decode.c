// test_decode.c - marker words to rows. Spec: device-profiler 2, 3, 8, 10, 19.
#include "collect/diags.h"
#include "sample_words.h"

// --- the worked example ----------------------------------------------------------------

static const uint32_t example[] = {
    0x00000000, 0x00000000, 0x00000060, 0x00000007, 0x85b3f002, 0x00001000, 0x95b3f002,
    0x00001384, 0x88105002, 0x000010c8, 0x98105002, 0x00001320, 0x84180002, 0x000010fa,
    0xb4599002, 0x00001104, 0x00000001, 0x00000005, 0xc0001002, 0x0000110e, 0x94180002,
    0x0000112c, 0xd2382002, 0x00001352, 0x000003e8, 0x00000280, 0x00000000, 0x00000003,
    0xaddc8000, 0x000001a4, 0x80000000, 0x00000000, 0x00000000, 0x00000000, 0x00002060,
    0x00000008, 0x85b3f002, 0x00002388, 0x95b3f002, 0x0000270c, 0x88105002, 0x00002450,
    0x98105002, 0x000026a8,
};
static const char example_names[] =
    "x.cc:1:2: note: '#pragma message: "
    "BRISC-FW,tt_metal/hw/firmware/src/tt-1xx/brisc.cc,433,KERNEL_PROFILER'\n"
    "'#pragma message: "
    "BRISC-KERNEL,tt_metal/hw/firmware/src/tt-1xx/brisck.cc,78,KERNEL_PROFILER'\n"
    "'#pragma message: LOAD,kernels/reader.cpp,14,KERNEL_PROFILER'\n"
    "'#pragma message: IterationData,kernels/reader.cpp,16,KERNEL_PROFILER'\n"
    "'#pragma message: SUM-ZONE,kernels/reader.cpp,22,KERNEL_PROFILER'\n";
#define FW_FILE     "433,tt_metal/hw/firmware/src/tt-1xx/brisc.cc,\n"
#define KERNEL_FILE "78,tt_metal/hw/firmware/src/tt-1xx/brisck.cc,\n"
static const char example_rows[] =
    "0,1,2,BRISC,23359,8589938688,0,7168,,,BRISC-FW,ZONE_START," FW_FILE
    "0,1,2,BRISC,56776,8589938688,420,7168,,,SUM-ZONE,ZONE_TOTAL,22,kernels/reader.cpp,\n"
    "0,1,2,BRISC,33029,8589938888,0,7168,,,BRISC-KERNEL,ZONE_START," KERNEL_FILE
    "0,1,2,BRISC,16768,8589938938,0,7168,,,LOAD,ZONE_START,14,kernels/reader.cpp,\n"
    "0,1,2,BRISC,17817,8589938948,4294967301,7168,,,IterationData,TS_DATA,16,kernels/"
    "reader.cpp,\n"
    "0,1,2,BRISC,1,8589938958,0,7168,,,,TS_EVENT,0,,\n"
    "0,1,2,BRISC,16768,8589938988,0,7168,,,LOAD,ZONE_END,14,kernels/reader.cpp,\n"
    "0,1,2,BRISC,33029,8589939488,0,7168,,,BRISC-KERNEL,ZONE_END," KERNEL_FILE
    "0,1,2,BRISC,9090,8589939538,4294967296640,7168,,,,TS_DATA,0,,{\"counter "
    "type\":\"MATH_COUNTER\";\"ref cnt\":1000;\"value\":640}\n"
    "0,1,2,BRISC,23359,8589939588,0,7168,,,BRISC-FW,ZONE_END," FW_FILE
    "0,1,2,BRISC,23359,8589943688,0,8192,5,1,BRISC-FW,ZONE_START," FW_FILE
    "0,1,2,BRISC,33029,8589943888,0,8192,5,1,BRISC-KERNEL,ZONE_START," KERNEL_FILE
    "0,1,2,BRISC,33029,8589944488,0,8192,5,1,BRISC-KERNEL,ZONE_END," KERNEL_FILE
    "0,1,2,BRISC,23359,8589944588,0,8192,5,1,BRISC-FW,ZONE_END," FW_FILE;

static struct sample_words *example_sample(void)
{
    struct sample_words *s = sample_words_new();
    struct chip_record *chip = &s->c.chips.v[0];
    names_read_log(&s->c.names, S(example_names));
    vec_push(&chip->replayed, 5);
    vec_push(&chip->traces, (struct trace_record){.id = 5});
    vec_push(&chip->traces.v[0].programs, 8);
    return s;
}

TEST(decode_gives_the_rows_of_the_worked_example)
{
    struct sample_words *s = example_sample();
    for (size_t i = 0; i < sizeof example / sizeof *example; i++)
        words_put(&s->w, example[i]);
    (void)sample_words_block(s, 0, 0);
    sample_words_decode(s, true);
    test_str_is(buf_view(&s->rows), S(example_rows), __FILE__, __LINE__);
    assert_int_equal(diag_total(&s->t.diag), 0);
    const struct risc_health *h = &s->c.chips.v[0].riscs[0][0];
    assert_int_equal(h->markers, 14);
    assert_int_equal(h->orphan_starts + h->orphan_ends + h->unknown_ids, 0);
    assert_int_equal(h->duplicates, 0);
    sample_words_free(s);
}

TEST(decode_reads_the_same_words_in_l1)
{
    struct sample_words *s = example_sample();
    for (size_t i = 0; i < 32; i++)
        words_put(&s->w, example[i]);
    sample_words_block(s, 0, 0)->source = BLOCK_L1;
    sample_words_decode(s, true);
    size_t end = str_find(S(example_rows), S("0,1,2,BRISC,23359,8589943688"));
    test_str_is(buf_view(&s->rows), (str){example_rows, end}, __FILE__, __LINE__);
    sample_words_free(s);
}

TEST(decode_reads_identities_of_layout_v1)
{
    struct sample_words *s = example_sample();
    s->c.layout = s->w.layout = WORDS_V1;
    words_begin(&s->w, 1, 3, 1, 8);
    words_main(&s->w, 23359, 100, 900);
    (void)sample_words_block(s, 0, 1);
    sample_words_decode(s, true);
    ROWS_ARE(s,
             "NCRISC 100 ZONE_START BRISC-FW #8192 t5.1\n"
             "NCRISC 900 ZONE_END BRISC-FW #8192 t5.1\n");
    sample_words_free(s);
}

// --- order -----------------------------------------------------------------------------

enum { FW = 100, KERNEL, ZONE_A, ZONE_B, DATA, SUM, PUSH };

static struct sample_words *named_sample(void)
{
    static const char *const names[] = {"BRISC-FW", "BRISC-KERNEL",      "A", "B", "DATA",
                                        "SUM",      "PROFILER-DRAM-PUSH"};
    struct sample_words *s = sample_words_new();
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
        words_name(&s->c, FW + i, names[i]);
    return s;
}

TEST(decode_orders_cores_by_x_and_y_and_riscs_by_number)
{
    static const struct {
        uint32_t core, flat;
        uint8_t risc;
    } places[] = {{2, 5, 0}, {3, 6, 0}, {0, 3, 4}, {0, 3, 1}, {1, 4, 0}};
    struct sample_words *s = named_sample();
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        words_begin(&s->w, places[i].risc, places[i].flat, 0, 1);
        words_main(&s->w, FW, 10, 20);
        (void)sample_words_block(s, places[i].core, places[i].risc);
    }
    sample_words_decode(s, true);
    STR_IS(buf_view(&s->rows),
           "0,1,1,BRISC,100,10,0,1024,,,BRISC-FW,ZONE_START,100,kernels/test.cpp,\n"
           "0,1,1,BRISC,100,20,0,1024,,,BRISC-FW,ZONE_END,100,kernels/test.cpp,\n"
           "0,1,2,NCRISC,100,10,0,1024,,,BRISC-FW,ZONE_START,100,kernels/test.cpp,\n"
           "0,1,2,NCRISC,100,20,0,1024,,,BRISC-FW,ZONE_END,100,kernels/test.cpp,\n"
           "0,1,2,TRISC_2,100,10,0,1024,,,BRISC-FW,ZONE_START,100,kernels/test.cpp,\n"
           "0,1,2,TRISC_2,100,20,0,1024,,,BRISC-FW,ZONE_END,100,kernels/test.cpp,\n"
           "0,2,2,BRISC,100,10,0,1024,,,BRISC-FW,ZONE_START,100,kernels/test.cpp,\n"
           "0,2,2,BRISC,100,20,0,1024,,,BRISC-FW,ZONE_END,100,kernels/test.cpp,\n"
           "0,9,0,ERISC,100,10,0,1024,,,BRISC-FW,ZONE_START,100,kernels/test.cpp,\n"
           "0,9,0,ERISC,100,20,0,1024,,,BRISC-FW,ZONE_END,100,kernels/test.cpp,\n");
    sample_words_free(s);
}

TEST(decode_puts_counters_behind_the_kernel_and_inside_the_firmware)
{
    struct sample_words *s = named_sample();
    words_program(&s->w, 0, 3, 1, FW, KERNEL, 1000);
    words_zone(&s->w, ZONE_A, 1200, 1300);
    for (uint32_t i = 1; i <= 3; i++)
        words_counter(&s->w, 1800 + i * 10, i, 500, i);
    words_pad(&s->w);
    (void)sample_words_block(s, 0, 0);
    sample_words_decode(s, true);
    ROWS_ARE(s,
             "BRISC 1000 ZONE_START BRISC-FW #1024\n"
             "BRISC 1100 ZONE_START BRISC-KERNEL #1024\n"
             "BRISC 1200 ZONE_START A #1024\n"
             "BRISC 1300 ZONE_END A #1024\n"
             "BRISC 1800 ZONE_END BRISC-KERNEL #1024\n"
             "BRISC 1810 TS_DATA 9090 =2147483648001 #1024 {\"counter "
             "type\":\"FPU_COUNTER\";\"ref cnt\":500;\"value\":1}\n"
             "BRISC 1820 TS_DATA 9090 =2147483648002 #1024 {\"counter "
             "type\":\"SFPU_COUNTER\";\"ref cnt\":500;\"value\":2}\n"
             "BRISC 1830 TS_DATA 9090 =2147483648003 #1024 {\"counter "
             "type\":\"MATH_COUNTER\";\"ref cnt\":500;\"value\":3}\n"
             "BRISC 1900 ZONE_END BRISC-FW #1024\n");
    sample_words_free(s);
}

TEST(decode_puts_the_zone_of_the_flush_before_the_run_that_carries_it)
{
    struct sample_words *s = named_sample();
    words_program(&s->w, 0, 3, 1, FW, KERNEL, 1000);
    words_program(&s->w, 0, 3, 2, FW, KERNEL, 3000);
    words_zone(&s->w, PUSH, 2000, 2500);
    (void)sample_words_block(s, 0, 0);
    sample_words_decode(s, true);
    ROWS_ARE(s,
             "BRISC 1000 ZONE_START BRISC-FW #1024\n"
             "BRISC 1100 ZONE_START BRISC-KERNEL #1024\n"
             "BRISC 1800 ZONE_END BRISC-KERNEL #1024\n"
             "BRISC 1900 ZONE_END BRISC-FW #1024\n"
             "BRISC 2000 ZONE_START PROFILER-DRAM-PUSH #2048\n"
             "BRISC 2500 ZONE_END PROFILER-DRAM-PUSH #2048\n"
             "BRISC 3000 ZONE_START BRISC-FW #2048\n"
             "BRISC 3100 ZONE_START BRISC-KERNEL #2048\n"
             "BRISC 3800 ZONE_END BRISC-KERNEL #2048\n"
             "BRISC 3900 ZONE_END BRISC-FW #2048\n");
    sample_words_free(s);
}

TEST(decode_takes_a_run_in_several_chunks_as_one)
{
    struct sample_words *s = named_sample();
    for (int chunk = 0; chunk < 3; chunk++) {
        uint64_t time = 2000 + 100 * (uint64_t)chunk;
        words_begin(&s->w, 0, 3, 0, 1);
        words_slot(&s->w, 0, FW, 1000);
        words_slot(&s->w, 2, KERNEL, 1100);
        words_zone(&s->w, ZONE_A, time, time + 50);
    }
    words_slot(&s->w, 1, FW, 9000);
    words_slot(&s->w, 3, KERNEL, 8000);
    words_total(&s->w, SUM, 77);
    (void)sample_words_block(s, 0, 0);
    sample_words_decode(s, true);
    ROWS_ARE(s,
             "BRISC 1000 ZONE_START BRISC-FW #1024\n"
             "BRISC 1000 ZONE_TOTAL SUM =77 #1024\n"
             "BRISC 1100 ZONE_START BRISC-KERNEL #1024\n"
             "BRISC 2000 ZONE_START A #1024\nBRISC 2050 ZONE_END A #1024\n"
             "BRISC 2100 ZONE_START A #1024\nBRISC 2150 ZONE_END A #1024\n"
             "BRISC 2200 ZONE_START A #1024\nBRISC 2250 ZONE_END A #1024\n"
             "BRISC 8000 ZONE_END BRISC-KERNEL #1024\n"
             "BRISC 9000 ZONE_END BRISC-FW #1024\n");
    assert_int_equal(s->c.chips.v[0].riscs[0][0].duplicates, 0);
    sample_words_free(s);
}

// --- special modes ---------------------------------------------------------------------

TEST(decode_knows_accumulated_zones_and_the_pushes_in_the_guaranteed_slots)
{
    struct sample_words *s = named_sample();
    s->c.options.accumulate = true;
    words_begin(&s->w, 0, 3, 0, 0);
    words_slot(&s->w, 0, PUSH, 5000);
    words_slot(&s->w, 1, PUSH, 5100);
    words_start(&s->w, FW, 1000);
    words_zone(&s->w, KERNEL, 1100, 1200);
    words_end(&s->w, FW, 1300);
    (void)sample_words_block(s, 0, 0);
    sample_words_decode(s, true);
    ROWS_ARE(s,
             "BRISC 1000 ZONE_START BRISC-FW\nBRISC 1100 ZONE_START BRISC-KERNEL\n"
             "BRISC 1200 ZONE_END BRISC-KERNEL\nBRISC 1300 ZONE_END BRISC-FW\n"
             "BRISC 5000 ZONE_START PROFILER-DRAM-PUSH\n"
             "BRISC 5100 ZONE_END PROFILER-DRAM-PUSH\n");
    sample_words_free(s);
}

TEST(decode_gives_a_replay_one_firmware_and_one_kernel_zone)
{
    struct sample_words *s = named_sample();
    s->c.options.trace_only = true;
    words_name(&s->c, 200, "TRISC-FW");
    words_name(&s->c, 201, "TRISC-KERNEL");
    words_begin(&s->w, 0, 3, 0, 1);
    words_main(&s->w, FW, 100, 900);
    words_child(&s->w, KERNEL, 200, 800);
    words_slot(&s->w, 1, 200, 900); // the last one to leave was a TRISC
    words_slot(&s->w, 3, 201, 800);
    // A replay that did not get here, between two that did.
    words_begin(&s->w, 0, 3, 0, 2);
    s->w.v.v[s->w.chunk] = TT_MARKER_VALID;
    words_begin(&s->w, 0, 3, 0, 3);
    words_main(&s->w, FW, 1100, 1900);
    (void)sample_words_block(s, 0, 0);
    // The last replay is in L1; what it is says whether it is valid.
    words_begin(&s->w, 0, 3, 0, 4);
    s->w.v.v[s->w.chunk] = TT_MARKER_VALID;
    words_main(&s->w, FW, 2100, 2900);
    sample_words_block(s, 0, 0)->source = BLOCK_L1;
    sample_words_decode(s, true);
    STR_IS(
        buf_view(&s->rows),
        "0,1,2,TENSIX_RISC_AGG,100,100,0,1024,,,TRACE-FW,ZONE_START,100,kernels/"
        "test.cpp,\n"
        "0,1,2,TENSIX_RISC_AGG,101,200,0,1024,,,TRACE-KERNEL,ZONE_START,101,kernels/"
        "test.cpp,\n"
        "0,1,2,TENSIX_RISC_AGG,101,800,0,1024,,,TRACE-KERNEL,ZONE_END,101,kernels/"
        "test.cpp,\n"
        "0,1,2,TENSIX_RISC_AGG,100,900,0,1024,,,TRACE-FW,ZONE_END,100,kernels/test.cpp,\n"
        "0,1,2,TENSIX_RISC_AGG,100,1100,0,3072,,,TRACE-FW,ZONE_START,100,kernels/"
        "test.cpp,\n"
        "0,1,2,TENSIX_RISC_AGG,100,1900,0,3072,,,TRACE-FW,ZONE_END,100,kernels/"
        "test.cpp,\n");
    const struct risc_health *h = &s->c.chips.v[0].riscs[0][0];
    assert_int_equal(h->bad_types + h->resyncs + h->orphan_starts + h->orphan_ends, 0);
    sample_words_free(s);
}

TEST(decode_takes_a_replay_once_that_was_read_in_l1_and_pushed_later)
{
    struct sample_words *s = named_sample();
    s->c.options.trace_only = true;
    for (int i = 0; i < 2; i++) {
        words_begin(&s->w, 0, 3, 0, 1);
        words_main(&s->w, FW, 100, 900);
        sample_words_block(s, 0, 0)->source = i ? BLOCK_DRAM : BLOCK_L1;
        sample_words_decode(s, i == 1);
    }
    ROWS_ARE(s,
             "TENSIX_RISC_AGG 100 ZONE_START TRACE-FW #1024\n"
             "TENSIX_RISC_AGG 900 ZONE_END TRACE-FW #1024\n");
    sample_words_free(s);
}

TEST(decode_names_all_riscs_of_quasar)
{
    struct sample_words *s = named_sample();
    s->c.chips.v[0].arch_name = "quasar";
    for (uint8_t risc = 7; risc < 24; risc = (uint8_t)(risc + 8)) {
        words_begin(&s->w, risc, 3, 0, 1);
        words_main(&s->w, FW, 10, 20);
        sample_words_block(s, 0, risc)->source = BLOCK_L1;
    }
    sample_words_decode(s, true);
    ROWS_ARE(s,
             "QUASAR_DM7 10 ZONE_START BRISC-FW #1024\n"
             "QUASAR_DM7 20 ZONE_END BRISC-FW #1024\n"
             "QUASAR_NEO1_TRISC3 10 ZONE_START BRISC-FW #1024\n"
             "QUASAR_NEO1_TRISC3 20 ZONE_END BRISC-FW #1024\n"
             "QUASAR_NEO3_TRISC3 10 ZONE_START BRISC-FW #1024\n"
             "QUASAR_NEO3_TRISC3 20 ZONE_END BRISC-FW #1024\n");
    sample_words_free(s);
}

// --- buffers of 2023 -------------------------------------------------------------------

TEST(decode_reads_buffers_of_2023)
{
    static const uint32_t head[] = {2 + 3 * 5, 4};
    static const uint32_t ids[] = {1, 2, 7, 3, 4};
    struct sample_words *s = sample_words_new();
    s->c.layout = WORDS_V0;
    for (size_t i = 0; i < 2; i++)
        words_put(&s->w, head[i]);
    for (uint32_t i = 0; i < 5; i++) {
        words_put(&s->w, ids[i]);
        words_put(&s->w, 1000 + i);
        words_put(&s->w, 1);
    }
    while (s->w.v.n < 51)
        words_put(&s->w, 0xDEAD);
    sample_words_block(s, 0, 2)->source = BLOCK_L1;
    sample_words_decode(s, true);
    assert_true(s->t.is_legacy);
    assert_int_equal(s->t.n_rows, 5);
    assert_int_equal(s->t.cores.v[0].x, 0); // logical
    assert_int_equal(s->t.cores.v[0].y, 1);
    static const char *const names[] = {"TRISC-FW", "TRISC-KERNEL", "", "TRISC-KERNEL",
                                        "TRISC-FW"};
    static const enum marker_type types[] = {MARKER_ZONE_START, MARKER_ZONE_START,
                                             MARKER_TS_EVENT, MARKER_ZONE_END,
                                             MARKER_ZONE_END};
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(s->t.markers.time[i], (UINT64_C(1) << 32) + 1000 + i);
        assert_true(str_is(trace_name_of(&s->t, i), names[i]));
        assert_int_equal(trace_site_of(&s->t, i)->type, types[i]);
        assert_int_equal(trace_site_of(&s->t, i)->timer_id, ids[i]);
    }
    const struct risc_health *h = &s->c.chips.v[0].riscs[0][2];
    assert_int_equal(h->l1_dropped, 4);
    assert_int_equal(h->orphan_starts + h->orphan_ends, 0);
    sample_words_free(s);
}

// --- traces ----------------------------------------------------------------------------

TEST(decode_says_which_replay_a_run_is_of)
{
    static const int replayed[] = {4, 7, 4, 4};
    struct sample_words *s = named_sample();
    struct chip_record *chip = &s->c.chips.v[0];
    for (size_t i = 0; i < 4; i++)
        vec_push(&chip->replayed, replayed[i]);
    vec_push(&chip->traces, (struct trace_record){.id = 7});
    vec_push(&chip->traces, (struct trace_record){.id = 4});
    vec_push(&chip->traces.v[0].programs, 30);
    vec_push(&chip->traces.v[1].programs, 20);
    static const struct {
        uint32_t counter, program;
    } runs[] = {{0, 20}, {1, 20}, {2, 30}, {2, 50}, {3, 20}, {4, 20}, {9, 20}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        words_begin(&s->w, 0, 3, runs[i].counter, runs[i].program);
        words_main(&s->w, FW, 1000 * i + 100, 1000 * i + 900);
        s->w.v.v[s->w.chunk + 6] = s->w.v.v[s->w.chunk + 7] = TT_MARKER_VALID;
    }
    (void)sample_words_block(s, 0, 0);
    sample_words_decode(s, true);
    ROWS_ARE(s,
             "BRISC 100 ZONE_START BRISC-FW #20480\n"
             "BRISC 1100 ZONE_START BRISC-FW #20480 t4.1\n"
             "BRISC 2100 ZONE_START BRISC-FW #30720 t7.1\n"
             "BRISC 3100 ZONE_START BRISC-FW #51200\n"
             "BRISC 4100 ZONE_START BRISC-FW #20480 t4.2\n"
             "BRISC 5100 ZONE_START BRISC-FW #20480 t4.3\n"
             "BRISC 6100 ZONE_START BRISC-FW #20480\n");
    assert_int_equal(s->c.replays_unknown, 1);
    assert_int_equal(s->t.diag.entry[DIAG_REPLAY_UNKNOWN].count, 1);
    sample_words_free(s);
}

TEST(decode_reads_no_replay_counters_beside_dispatch_kernels_of_older_devices)
{
    for (int is_older = 0; is_older < 2; is_older++) {
        struct sample_words *s = example_sample();
        s->c.options.dispatch = true;
        if (is_older)
            s->c.layout = s->w.layout = WORDS_V1;
        words_begin(&s->w, 0, 3, 1, 8);
        words_main(&s->w, 23359, 1, 2);
        (void)sample_words_block(s, 0, 0);
        sample_words_decode(s, true);
        if (is_older)
            ROWS_ARE(
                s, "BRISC 1 ZONE_START BRISC-FW #8192\nBRISC 2 ZONE_END BRISC-FW #8192\n");
        else
            ROWS_ARE(s,
                     "BRISC 1 ZONE_START BRISC-FW #8192 t5.1\n"
                     "BRISC 2 ZONE_END BRISC-FW #8192 t5.1\n");
        sample_words_free(s);
    }
}

TEST(decode_tags_every_marker_of_a_program_with_its_sub_device)
{
    struct sample_words *s = named_sample();
    struct chip_record *chip = &s->c.chips.v[0];
    collection_add_program(&s->c, chip, 0x10001, S("op"), 2, 6); // more than 16 bits
    collection_add_program(&s->c, chip, 3, S("other"), -1, -1);
    words_begin(&s->w, 0, 3, 0, 1);
    words_main(&s->w, FW, 1, 2);
    words_begin(&s->w, 0, 3, 0, 0x10001);
    words_main(&s->w, FW, 11, 20);
    words_counter(&s->w, 15, 1, 7, 8);
    (void)sample_words_block(s, 0, 0);
    sample_words_decode(s, true);
#define SUB "\"sub_device_id\":2;\"sub_device_manager_id\":6"
    ROWS_ARE(s,
             "BRISC 1 ZONE_START BRISC-FW #1024\nBRISC 2 ZONE_END BRISC-FW #1024\n"
             "BRISC 11 ZONE_START BRISC-FW #67109888 {" SUB
             "}\n"
             "BRISC 15 TS_DATA 9090 =30064771080 #67109888 {\"counter "
             "type\":\"FPU_COUNTER\";\"ref cnt\":7;" SUB
             ";\"value\":8}\n"
             "BRISC 20 ZONE_END BRISC-FW #67109888 {" SUB "}\n");
    sample_words_free(s);
}
