// test_enrich.c - what markers say about each other. Spec: device-profiler 11, 14.
#include "collect/decode/enrich.h"
#include "collect/diags.h"
#include "sample_words.h"

enum {
    FW = 100,
    KERNEL,
    DISPATCH,
    SUBORDINATE,
    COMMAND,
    PROGRAM,
    PACKED,
    LARGE,
    ZONE,
    DATA
};

static const struct words_dispatch ids = {
    .zone = DISPATCH, .command = COMMAND, .program = PROGRAM, .packed = PACKED};

static struct sample_words *dispatch_sample(void)
{
    static const char *const names[] = {"BRISC-FW",
                                        "BRISC-KERNEL",
                                        "CQ-DISPATCH",
                                        "CQ-DISPATCH-SUBORDINATE",
                                        "process_cmd_d_dispatch",
                                        "runtime_host_id_dispatch",
                                        "packed_data_dispatch",
                                        "packed_large_data_dispatch",
                                        "ZONE",
                                        "DATA"};
    struct sample_words *s = sample_words_new();
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
        words_name(&s->c, FW + i, names[i]);
    s->c.options.dispatch = true;
    return s;
}

static void decode_all(struct sample_words *s, uint8_t risc)
{
    (void)sample_words_block(s, 0, risc);
    sample_words_decode(s, true);
}

TEST(enrich_names_dispatch_zones_by_what_they_do)
{
    struct sample_words *s = dispatch_sample();
    words_begin(&s->w, 0, 3, 0, 0);
    words_slot(&s->w, 0, FW, 10);
    words_start(&s->w, DISPATCH, 100);
    words_data(&s->w, COMMAND, 110, 5);
    words_data(&s->w, PROGRAM, 120, 4099);
    words_data(&s->w, PACKED, 130, 2 << 1 | 1);
    words_end(&s->w, DISPATCH, 200);
    words_start(&s->w, DISPATCH, 300);
    words_data(&s->w, COMMAND, 310, 6);
    words_data(&s->w, LARGE, 320, 2);
    words_end(&s->w, DISPATCH, 400);
    words_data(&s->w, COMMAND, 500, 7); // in no dispatch zone
    decode_all(s, 0);
#define LAUNCH "MCAST;CQ_DISPATCH_CMD_PACKED_WRITE_FLAG_TYPE_LAUNCH"
#define FIRST                                                                              \
    "CQ-DISPATCH:0:CQ_DISPATCH_CMD_WRITE_PACKED:4099:CQ_DISPATCH_CMD_WRITE_PACKED:4099:"   \
    "" LAUNCH
#define BINARIES "CQ_DISPATCH_CMD_PACKED_WRITE_LARGE_TYPE_PROGRAM_BINARIES"
#define SECOND   "CQ-DISPATCH:4099:CQ_DISPATCH_CMD_WRITE_PACKED_LARGE:4099:" BINARIES
    ROWS_ARE(s,
             "BRISC 10 ZONE_START BRISC-FW\n"
             "BRISC 100 ZONE_START " FIRST
             " #4099\n"
             "BRISC 110 TS_DATA process_cmd_d_dispatch =5 "
             "{\"dispatch_command_type\":\"CQ_DISPATCH_CMD_WRITE_PACKED\"}\n"
             "BRISC 120 TS_DATA runtime_host_id_dispatch =4099 "
             "{\"workers_runtime_id\":4099}\n"
             "BRISC 130 TS_DATA packed_data_dispatch =5 "
             "{\"dispatch_command_subtype\":\"" LAUNCH
             "\"}\n"
             "BRISC 200 ZONE_END " FIRST
             "\n"
             "BRISC 300 ZONE_START " SECOND
             " #4099\n"
             "BRISC 310 TS_DATA process_cmd_d_dispatch =6 "
             "{\"dispatch_command_type\":\"CQ_DISPATCH_CMD_WRITE_PACKED_LARGE\"}\n"
             "BRISC 320 TS_DATA packed_large_data_dispatch =2 "
             "{\"dispatch_command_subtype\":\"" BINARIES
             "\"}\n"
             "BRISC 400 ZONE_END " SECOND
             "\n"
             "BRISC 500 TS_DATA process_cmd_d_dispatch =7\n");
    sample_words_free(s);
}

TEST(enrich_names_subordinate_zones_by_the_command_alone)
{
    struct sample_words *s = dispatch_sample();
    words_begin(&s->w, 1, 3, 0, 0);
    words_start(&s->w, SUBORDINATE, 100);
    words_data(&s->w, COMMAND, 110, 15);
    words_end(&s->w, SUBORDINATE, 200);
    words_start(&s->w, SUBORDINATE, 300);
    words_data(&s->w, COMMAND, 310, 0); // also a number that says nothing
    words_end(&s->w, SUBORDINATE, 400);
    words_start(&s->w, SUBORDINATE, 500);
    words_data(&s->w, COMMAND, 510, 99);
    words_end(&s->w, SUBORDINATE, 600);
    decode_all(s, 1);
#define GO  "CQ-DISPATCH-SUBORDINATE:CQ_DISPATCH_NOTIFY_SUBORDINATE_GO_SIGNAL"
#define BAD "CQ-DISPATCH-SUBORDINATE:CQ_DISPATCH_CMD_ILLEGAL"
    ROWS_ARE(s, "NCRISC 100 ZONE_START " GO
                "\n"
                "NCRISC 110 TS_DATA process_cmd_d_dispatch =15 "
                "{\"dispatch_command_type\":\"CQ_DISPATCH_NOTIFY_SUBORDINATE_GO_SIGNAL\"}\n"
                "NCRISC 200 ZONE_END " GO
                "\n"
                "NCRISC 300 ZONE_START " BAD
                "\n"
                "NCRISC 310 TS_DATA process_cmd_d_dispatch "
                "{\"dispatch_command_type\":\"CQ_DISPATCH_CMD_ILLEGAL\"}\n"
                "NCRISC 400 ZONE_END " BAD
                "\n"
                "NCRISC 500 ZONE_START CQ-DISPATCH-SUBORDINATE:99\n"
                "NCRISC 510 TS_DATA process_cmd_d_dispatch =99 "
                "{\"dispatch_command_type\":\"99\"}\n"
                "NCRISC 600 ZONE_END CQ-DISPATCH-SUBORDINATE:99\n");
    sample_words_free(s);
}

TEST(enrich_leaves_other_riscs_and_other_zones_alone)
{
    struct sample_words *s = dispatch_sample();
    words_begin(&s->w, 2, 3, 0, 0);
    words_start(&s->w, DISPATCH, 100);
    words_data(&s->w, COMMAND, 110, 5);
    words_end(&s->w, DISPATCH, 200);
    (void)sample_words_block(s, 0, 2);
    words_begin(&s->w, 0, 3, 0, 0);
    words_start(&s->w, DISPATCH, 100);
    words_start(&s->w, ZONE, 105); // the innermost zone counts
    words_data(&s->w, COMMAND, 110, 5);
    words_end(&s->w, ZONE, 115);
    words_data(&s->w, DATA, 120, 5);
    words_end(&s->w, DISPATCH, 200);
    decode_all(s, 0);
    ROWS_ARE(s,
             "BRISC 100 ZONE_START CQ-DISPATCH\nBRISC 105 ZONE_START ZONE\n"
             "BRISC 110 TS_DATA process_cmd_d_dispatch =5\nBRISC 115 ZONE_END ZONE\n"
             "BRISC 120 TS_DATA DATA =5\nBRISC 200 ZONE_END CQ-DISPATCH\n"
             "TRISC_0 100 ZONE_START CQ-DISPATCH\n"
             "TRISC_0 110 TS_DATA process_cmd_d_dispatch =5\n"
             "TRISC_0 200 ZONE_END CQ-DISPATCH\n");
    sample_words_free(s);
}

// The start of a zone can only be written when nothing can rename it any more.
TEST(enrich_gives_the_same_rows_in_one_dump_and_in_many)
{
    struct sample_words *whole = dispatch_sample(), *parts = dispatch_sample();
    enum { COMMANDS = 40 };
    uint64_t time = 1000;
    for (uint32_t i = 0; i < COMMANDS; i++, time += 500) {
        struct words w = {0};
        words_begin(&w, 0, 3, 0, 0);
        words_slot(&w, 0, FW, 10);
        words_dispatch(&w, &ids, time, i / 3, i % 16);
        size_t n = w.v.n;
        for (size_t at = 0; at < n; at++)
            words_put(&whole->w, w.v.v[at]);
        // Two chunks: the zone is cut behind its start or behind its first datum.
        size_t cut = TT_CHUNK_CUSTOM + (i % 2 ? 2 : 6);
        for (size_t at = 0; at < cut; at++)
            words_put(&parts->w, w.v.v[at]);
        (void)sample_words_block(parts, 0, 0);
        sample_words_decode(parts, false);
        for (size_t at = 0; at < TT_CHUNK_CUSTOM; at++)
            words_put(&parts->w, w.v.v[at]);
        for (size_t at = cut; at < n; at++)
            words_put(&parts->w, w.v.v[at]);
        (void)sample_words_block(parts, 0, 0);
        words_free(&w);
    }
    (void)sample_words_block(whole, 0, 0);
    sample_words_decode(whole, true);
    sample_words_decode(parts, true);
    assert_int_equal(whole->t.n_rows, 1 + 4 * COMMANDS);
    test_str_is(buf_view(&parts->rows), buf_view(&whole->rows), __FILE__, __LINE__);
    sample_words_free(whole);
    sample_words_free(parts);
}

// --- meta data -------------------------------------------------------------------------

TEST(enrich_shows_the_second_half_of_16_bytes)
{
    struct sample_words *s = dispatch_sample();
    words_begin(&s->w, 0, 3, 0, 1);
    words_data16(&s->w, DATA, 10, 5, UINT64_MAX);
    words_data16(&s->w, DATA, 20, 0, 0);
    // A NoC event with addresses, and one that is no local event.
    words_data16(&s->w, TT_ID_NOC_EVENT, 30, UINT64_C(0x01fff2050403020b),
                 UINT64_C(0xabc30678984048d1));
    words_data16(&s->w, TT_ID_NOC_EVENT, 40, 33, 6);
    words_data(&s->w, TT_ID_NOC_LOCK, 50, 1);
    decode_all(s, 0);
    ROWS_ARE(s,
             "BRISC 10 TS_DATA DATA =5 #1024 {\"data high\":18446744073709551615}\n"
             "BRISC 20 TS_DATA DATA #1024 {\"data high\":0}\n"
             "BRISC 30 TS_DATA 12345 =144099816455209483 #1024 "
             "{\"dst_addr\":74565;\"noc_status_counter\":2748;\"src_addr\":424091}\n"
             "BRISC 40 TS_DATA 12345 =33 #1024 {\"data high\":6}\n"
             "BRISC 50 TS_DATA 23456 =1 #1024\n");
    sample_words_free(s);
}

TEST(enrich_names_counters_only_inside_a_zone_and_only_known_ones)
{
    struct sample_words *s = dispatch_sample();
    words_begin(&s->w, 0, 3, 0, 1);
    words_counter(&s->w, 10, 180, 2, 3);
    words_start(&s->w, ZONE, 20);
    words_counter(&s->w, 30, 180, 2, 3);
    words_counter(&s->w, 40, 181, 2, 3);
    words_counter(&s->w, 50, 0, 2, 3);
    words_end(&s->w, ZONE, 60);
    decode_all(s, 0);
    ROWS_ARE(s,
             "BRISC 10 TS_DATA 9090 =8589934595 #1024\n"
             "BRISC 20 ZONE_START ZONE #1024\n"
             "BRISC 30 TS_DATA 9090 =8589934595 #1024 {\"counter "
             "type\":\"ANY_THREAD_STALL\";\"ref cnt\":2;\"value\":3}\n"
             "BRISC 40 TS_DATA 9090 =8589934595 #1024\n"
             "BRISC 50 TS_DATA 9090 =8589934595 #1024\n"
             "BRISC 60 ZONE_END ZONE #1024\n");
    STR_IS(buf_view(decoder_warnings(s->d)),
           "PerfCounter marker at device 0 core 1,2 risc BRISC run 1024 has out-of-range "
           "counter_type=181 (raw data 0x200000003); skipping enrichment.\n");
    assert_int_equal(s->t.diag.entry[DIAG_COUNTER_UNKNOWN].count, 2);
    sample_words_free(s);
}

TEST(enrich_knows_every_counter_by_one_name)
{
    struct map seen = {0};
    size_t n = 0;
    for (uint64_t i = 0; i < 300; i++) {
        const char *name = perf_counter_name(i);
        if (!name)
            continue;
        n++;
        (void)map_put(&seen, str_of(name));
    }
    assert_int_equal(n, 180);
    assert_int_equal(seen.keys.n, 180);
    assert_string_equal(perf_counter_name(3), "MATH_COUNTER");
    map_free(&seen);
}
