// test_device_log.c - device logs of every form, whole and damaged.
#include <stdio.h>

#include "../support/device_run.h"
#include "../support/memory_file.h"
#include "analyse/diags.h"
#include "formats/diags.h"
#include "test.h"
#include "trace/diags.h"

#define ROW(x, risc, id, time, data, run, name, type, meta)                                \
    "0," x ",1," risc "," id "," time "," data "," run ",,," name "," type ",1,a.cc," meta \
    "\n"
#define EVENT(time, meta) ROW("1", "BRISC", "5", time, "0", "1", "E", "TS_EVENT", meta)

static struct device_run read_text(str text)
{
    struct device_run r;
    if (!device_run_read(&r, text))
        fail_msg("%s", r.e.text);
    assert_null(law_of_rows(&r.trace));
    assert_null(law_of_markers(&r.trace));
    return r;
}
#define READ(text) read_text(S(text))

static void refuses(str text, const char *words)
{
    struct device_run r;
    assert_false(device_run_read(&r, text));
    assert_int_equal(ERR_FORMAT, r.e.code);
    if (!strstr(r.e.text, words))
        fail_msg("%s", r.e.text);
    device_run_free(&r);
}

static uint64_t time_at(const struct device_run *r, uint32_t marker)
{
    return r->trace.markers.time[r->trace.tracks.v[0].marker + marker];
}

static const struct trace_datum *datum_at(const struct device_run *r, uint32_t marker)
{
    const struct trace_track *k = &r->trace.tracks.v[0];
    return trace_datum_of(&r->trace, k, k->marker + marker);
}

static void odd_is(const struct device_run *r, int kind, uint64_t count)
{
    uint64_t got = trace_count(&r->trace, kind);
    if (got != count)
        fail_msg("%s: %llu", diag_name(kind), (unsigned long long)got);
}

// --- the current form ---

TEST(device_log_reads_every_field_of_a_row)
{
    struct device_run r =
        READ(LOG_HEAD
             "3,4,-5,NCRISC,61457,412092782005,77,1027,8,9,MY ZONE,TS_DATA,412,"
             "src/a.cc,{\"a\":1;\"b\":2}\n");
    const struct trace *t = &r.trace;
    STR_IS(t->arch, "wormhole_b0");
    assert_int_equal(1000, t->mhz);
    assert_int_equal(64, t->max_compute_cores);
    assert_int_equal(1, t->tracks.n);
    STR_IS(trace_text(t, t->tracks.v[0].risc), "NCRISC");
    assert_int_equal(3, t->devices.v[0].id);
    assert_int_equal(4, t->cores.v[0].x);
    assert_int_equal(-5, t->cores.v[0].y);
    const struct trace_site *s = trace_site_of(t, t->tracks.v[0].marker);
    STR_IS(trace_text(t, s->name), "MY ZONE");
    STR_IS(trace_text(t, s->file), "src/a.cc");
    assert_int_equal(412, s->line);
    assert_int_equal(61457, s->timer_id);
    assert_int_equal(MARKER_TS_DATA, s->type);
    const struct trace_run *run = &t->runs.v[t->markers.run[t->tracks.v[0].marker]];
    assert_int_equal(1027, run->id);
    assert_int_equal(8, run->trace_id);
    assert_int_equal(9, run->trace_counter);
    assert_int_equal(412092782005, time_at(&r, 0));
    assert_int_equal(3, t->markers.line[t->tracks.v[0].marker]);
    assert_int_equal(77, datum_at(&r, 0)->data);
    STR_IS(((str){datum_at(&r, 0)->meta, datum_at(&r, 0)->meta_n}), "{\"a\":1;\"b\":2}");
    assert_int_equal(0, diag_total(&t->diag));
    device_run_free(&r);
}

TEST(device_log_takes_a_byte_order_mark_and_windows_line_ends)
{
    struct device_run r = READ(
        "\xEF\xBB\xBF"
        "ARCH: blackhole, CHIP_FREQ[MHz]: 1350, Max Compute Cores: 110\r\n"
        "PCIe slot, core_x, core_y, RISC processor type, timer_id, "
        "time[cycles since reset], data, run host ID, trace id, trace id counter, "
        "zone name, type, source line, source file, meta data\r\n"
        "0,1,1,BRISC,5,100,0,1,,,E,TS_EVENT,1,a.cc,\r\n"
        "0,1,1,BRISC,5,200,0,1,,,E,TS_EVENT,1,a.cc,{}\r\n");
    STR_IS(r.trace.arch, "blackhole");
    assert_int_equal(110, r.trace.max_compute_cores);
    assert_int_equal(2, r.trace.tracks.v[0].n_markers);
    assert_null(datum_at(&r, 0));
    assert_int_equal(2, datum_at(&r, 1)->meta_n);
    assert_int_equal(0, diag_total(&r.trace.diag));
    device_run_free(&r);
}

TEST(device_log_counts_blank_lines_as_lines_but_not_as_rows)
{
    struct device_run r = READ(LOG_HEAD "\n" EVENT("100", "") " \t\n\n" EVENT("200", ""));
    assert_int_equal(2, r.trace.n_rows);
    assert_int_equal(4, r.trace.markers.line[r.trace.tracks.v[0].marker]);
    assert_int_equal(7, r.trace.markers.line[r.trace.tracks.v[0].marker + 1]);
    assert_int_equal(0, diag_total(&r.trace.diag));
    device_run_free(&r);
}

TEST(device_log_passes_over_heads_in_the_middle)
{
    struct device_run r = READ(LOG_HEAD EVENT("100", "") LOG_HEAD EVENT(
        "200", "") "Chip clock is at 1.2 GHz\n" EVENT("300", ""));
    assert_int_equal(3, r.trace.n_rows);
    assert_int_equal(3, r.trace.tracks.v[0].n_markers);
    assert_int_equal(0, diag_total(&r.trace.diag));
    device_run_free(&r);
}

TEST(device_log_of_two_head_lines_only_is_empty_and_nothing_is_odd)
{
    struct device_run r = READ(LOG_HEAD);
    assert_int_equal(0, r.trace.n_rows);
    assert_int_equal(0, r.trace.devices.n);
    assert_int_equal(0, diag_total(&r.trace.diag));
    device_run_free(&r);
}

TEST(device_log_takes_data_of_twenty_digits_but_no_time_beyond_63_bits)
{
#define BIG(time, data) ROW("1", "BRISC", "5", time, data, "1", "E", "TS_DATA", "")
    struct device_run r =
        READ(LOG_HEAD BIG("100", "18446744073709551615") BIG("9223372036854775807", "1")
                 BIG("9223372036854775808", "1") BIG("200", "18446744073709551616")
                     BIG("00000000000000000000000300", "2"));
    assert_int_equal(4, r.trace.tracks.v[0].n_markers);
    assert_true(datum_at(&r, 0)->data == UINT64_MAX);
    assert_null(datum_at(&r, 1)); // more than 64 bits: counted, and no number
    assert_int_equal(300, time_at(&r, 2));
    assert_true(time_at(&r, 3) == INT64_MAX);
    odd_is(&r, DIAG_ROW_DAMAGED, 1);
    odd_is(&r, DIAG_NOT_A_NUMBER, 1);
    device_run_free(&r);
}

TEST(device_log_takes_commas_in_meta_data_that_is_an_object)
{
    struct device_run r = READ(LOG_HEAD EVENT("100", "{\"a\":1,\"b\":[2,3]}"));
    STR_IS(((str){datum_at(&r, 0)->meta, datum_at(&r, 0)->meta_n}),
           "{\"a\":1,\"b\":[2,3]}");
    assert_int_equal(0, diag_total(&r.trace.diag));
    device_run_free(&r);
}

// The same row before and behind one that it can be compared with.
TEST(device_log_finds_too_many_cells_wherever_the_row_stands)
{
    struct buf b = {0};
    buf_z(&b, LOG_HEAD EVENT("100", "x,y") EVENT("200", "") EVENT("300", "x,y"));
    for (int i = 0; i < 20; i++)
        buf_printf(&b, "0,1,1,BRISC,5,%d,0,1,,,E,TS_EVENT,1,a.cc,\n", 400 + i);
    struct device_run r = read_text(buf_view(&b));
    odd_is(&r, DIAG_ROW_DAMAGED, 2);
    assert_int_equal(200, time_at(&r, 0));
    assert_int_equal(400, time_at(&r, 1));
    device_run_free(&r);
    buf_free(&b);
}

TEST(a_row_whose_meta_data_speak_of_columns_is_no_head)
{
    struct buf b = {0};
    buf_z(&b, LOG_HEAD EVENT("100", "{\"core_x\":1;\"timer_id\":2}") EVENT("200", "")
                  EVENT("300", "{\"core_x\":1;\"timer_id\":2}"));
    for (int i = 0; i < 20; i++)
        buf_printf(&b, "0,1,1,BRISC,5,%d,0,1,,,E,TS_EVENT,1,a.cc,\n", 400 + i);
    struct device_run r = read_text(buf_view(&b));
    assert_int_equal(23, r.trace.n_rows);
    assert_int_equal(100, time_at(&r, 0));
    assert_int_equal(300, time_at(&r, 2));
    device_run_free(&r);
    buf_free(&b);
}

TEST(device_log_rows_may_end_behind_the_type_but_not_before)
{
    struct device_run r = READ(LOG_HEAD
                               "0,1,1,BRISC,5,100,0,1,,,E,TS_EVENT\n"
                               "0,1,1,BRISC,5,200,0,1,,,E,TS_EVENT,7,a.cc\n"
                               "0,1,1,BRISC,5,300,0,1,,,E\n"
                               "0,1,1,BRISC,5,400\n"
                               "0,1,1\n" EVENT("500", ""));
    assert_int_equal(3, r.trace.tracks.v[0].n_markers);
    assert_true(trace_site_of(&r.trace, r.trace.tracks.v[0].marker)->line == SITE_NO_LINE);
    odd_is(&r, DIAG_ROW_DAMAGED, 3);
    odd_is(&r, DIAG_LOG_CUT, 0);
    device_run_free(&r);
}

TEST(device_log_drops_a_last_row_that_is_cut_and_keeps_one_that_is_whole)
{
    struct device_run r =
        READ(LOG_HEAD EVENT("100", "") "0,1,1,BRISC,5,200,0,1,,,E,TS_EVENT,1,a.cc,");
    assert_int_equal(2, r.trace.tracks.v[0].n_markers);
    odd_is(&r, DIAG_LOG_CUT, 0);
    device_run_free(&r);
    r = READ(LOG_HEAD EVENT("100", "") "0,1,1,BRISC,5,200,0,1,,,E,TS_EVENT,1,a.c");
    assert_int_equal(1, r.trace.tracks.v[0].n_markers);
    odd_is(&r, DIAG_LOG_CUT, 1);
    odd_is(&r, DIAG_ROW_DAMAGED, 0);
    device_run_free(&r);
}

TEST(device_log_refuses_places_and_names_that_no_grid_has)
{
    struct device_run r =
        READ(LOG_HEAD
             "0,2147483648,1,BRISC,5,100,0,1,,,E,TS_EVENT,1,a.cc,\n"
             "0,x,1,BRISC,5,100,0,1,,,E,TS_EVENT,1,a.cc,\n"
             "0,1,1,,5,100,0,1,,,E,TS_EVENT,1,a.cc,\n"
             "0,1,1,BRISC,4294967296,100,0,1,,,E,TS_EVENT,1,a.cc,\n"
             "0,1,1,BRISC,5,-1,0,1,,,E,TS_EVENT,1,a.cc,\n"
             "0,1,1,AAAAAAAAAAAAAAAABBBBBBBBBBBBBBBBCCCCCCCCCCCCCCCCDDDDDDDDDDDDDDDDE,5,1,"
             "0,1,,,E,"
             "TS_EVENT,1,a.cc,\n" EVENT("7", ""));
    odd_is(&r, DIAG_ROW_DAMAGED, 6);
    assert_int_equal(1, r.trace.tracks.n);
    device_run_free(&r);
}

TEST(device_log_keeps_the_text_of_a_type_it_does_not_know)
{
    struct device_run r =
        READ(LOG_HEAD ROW("1", "BRISC", "5", "100", "0", "1", "E", "TS_NEW", ""));
    const struct trace_site *s = trace_site_of(&r.trace, r.trace.tracks.v[0].marker);
    assert_int_equal(MARKER_OTHER, s->type);
    STR_IS(trace_text(&r.trace, s->type_text), "TS_NEW");
    odd_is(&r, DIAG_MARKER_TYPE, 1);
    device_run_free(&r);
}

TEST(device_log_takes_whole_numbers_with_a_point_and_counts_words)
{
    struct device_run r =
        READ(LOG_HEAD "0,1,1,BRISC,5,100,0,1027.0,3.0,x,E,TS_EVENT,1,a.cc,\n");
    const struct trace_run *run = &r.trace.runs.v[0];
    assert_int_equal(1027, run->id);
    assert_int_equal(3, run->trace_id);
    assert_int_equal(-1, run->trace_counter);
    odd_is(&r, DIAG_NOT_A_NUMBER, 1);
    device_run_free(&r);
}

TEST(device_log_sorts_a_track_by_time_and_keeps_the_order_of_equal_times)
{
#define AT(time, name) ROW("1", "BRISC", "5", time, "0", "1", name, "TS_EVENT", "")
    struct device_run r =
        READ(LOG_HEAD AT("300", "a") AT("100", "b") AT("300", "c") AT("100", "d"));
    static const char *const want[] = {"b", "d", "a", "c"};
    for (uint32_t i = 0; i < 4; i++)
        assert_true(
            str_is(trace_name_of(&r.trace, r.trace.tracks.v[0].marker + i), want[i]));
    odd_is(&r, DIAG_TIME_WENT_BACK, 2);
    odd_is(&r, DIAG_DUPLICATE_ROW, 0);
    assert_int_equal(100, r.trace.devices.v[0].first_time);
    assert_int_equal(300, r.trace.devices.v[0].last_time);
    device_run_free(&r);
}

TEST(device_log_takes_a_row_once_unless_its_data_differ)
{
#define DATUM(data) ROW("1", "BRISC", "5", "100", data, "1", "E", "TS_DATA", "")
    struct device_run r = READ(LOG_HEAD DATUM("7") DATUM("8") DATUM("7") DATUM("7")
                                   AT("200", "b") AT("200", "c") AT("200", "b"));
    assert_int_equal(4, r.trace.tracks.v[0].n_markers);
    assert_int_equal(2, r.trace.tracks.v[0].n_data);
    assert_int_equal(7, datum_at(&r, 0)->data);
    assert_int_equal(8, datum_at(&r, 1)->data);
    odd_is(&r, DIAG_DUPLICATE_ROW, 3);
    device_run_free(&r);
}

TEST(device_log_says_when_two_places_share_an_id)
{
    struct device_run r = READ(LOG_HEAD
                               "0,1,1,BRISC,5,1,0,1,,,A,ZONE_START,1,a.cc,\n"
                               "0,1,1,BRISC,5,2,0,1,,,A,ZONE_END,1,a.cc,\n"
                               "0,1,1,BRISC,5,3,0,1,,,B,ZONE_START,9,a.cc,\n");
    odd_is(&r, DIAG_ID_COLLIDES, 1);
    device_run_free(&r);
}

TEST(a_core_is_for_dispatch_by_its_zones_unless_they_are_on_an_ethernet_processor)
{
#define NAMED(x, risc, name) ROW(x, risc, "5", "1", "0", "0", name, "ZONE_START", "")
    struct device_run r =
        READ(LOG_HEAD NAMED("1", "BRISC", "my CQ-DISPATCH zone")
                 NAMED("2", "ERISC", "CQ-DISPATCH") NAMED("3", "NCRISC", "CQ-PREFETCH")
                     NAMED("4", "BRISC", "CQ") NAMED("1", "NCRISC", "x"));
    assert_int_equal(4, r.trace.cores.n);
    assert_true(r.trace.cores.v[0].is_dispatch);
    assert_false(r.trace.cores.v[1].is_dispatch);
    assert_true(r.trace.cores.v[2].is_dispatch);
    assert_false(r.trace.cores.v[3].is_dispatch);
    device_run_free(&r);
}

// --- forms of the past ---

TEST(the_aggregate_of_a_core_has_one_name_in_all_logs)
{
    struct device_run r = READ(LOG_HEAD NAMED("1", "CORE_AGG", "TRACE-FW")
                                   NAMED("2", "TENSIX_RISC_AGG", "TRACE-FW"));
    STR_IS(trace_text(&r.trace, r.trace.tracks.v[0].risc), "TENSIX_RISC_AGG");
    assert_int_equal(r.trace.tracks.v[0].risc, r.trace.tracks.v[1].risc);
    device_run_free(&r);
}

TEST(phases_of_2024_are_types_and_ids_lose_their_upper_bits)
{
    struct device_run r = READ(
        "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000\n"
        "PCIe slot, core_x, core_y, RISC processor type, timer_id, "
        "time[cycles since reset], stat value, run ID, run host ID,  zone name, "
        "zone phase, source line, source file\n"
        "0,1,1,BRISC,65000,10,0,7,1024,A,begin,1,a.cc\n"
        "0,1,1,BRISC,130536,20,0,7,1024,A,end,1,a.cc\n"
        "0,1,1,BRISC,131077,30,99,7,1024,S,sum,2,a.cc\n");
    static const enum marker_type want[] = {MARKER_ZONE_START, MARKER_ZONE_END,
                                            MARKER_ZONE_TOTAL};
    static const uint32_t ids[] = {65000, 65000, 5};
    for (uint32_t i = 0; i < 3; i++) {
        const struct trace_site *s =
            trace_site_of(&r.trace, r.trace.tracks.v[0].marker + i);
        assert_int_equal(want[i], s->type);
        assert_int_equal(ids[i], s->timer_id);
    }
    assert_int_equal(99, datum_at(&r, 2)->data);
    assert_int_equal(1024, r.trace.runs.v[0].id); // the host's, not the other one
    assert_int_equal(0, r.trace.max_compute_cores);
    assert_int_equal(0, diag_total(&r.trace.diag));
    device_run_free(&r);
}

TEST(the_first_form_has_no_line_about_the_chip_and_is_grayskull)
{
    struct device_run r = READ(
        "chip_id, core_x, core_y, RISC processor type, timer_id, "
        "time[cycles since reset]\n"
        "0, 0, 0, BRISC, 1, 100\n0, 0, 0, BRISC, 4, 200\n");
    STR_IS(r.trace.arch, "grayskull");
    assert_int_equal(1200, r.trace.mhz);
    assert_true(r.trace.is_legacy);
    assert_int_equal(2, r.trace.n_rows);
    assert_int_equal(2, r.trace.markers.line[r.trace.tracks.v[0].marker]);
    assert_int_equal(0, diag_total(&r.trace.diag));
    device_run_free(&r);
}

// The names are made by the lanes and must outlive them.
TEST(the_four_ids_of_2023_get_names_that_stay)
{
    struct device_run r = READ("Chip clock is at 1.2 GHz\n" LOG_LEGACY_NAMES
                               "0, 0, 0, TRISC_1, 1, 100\n0, 0, 0, TRISC_1, 2, 110\n"
                               "0, 0, 0, TRISC_1, 3, 120\n0, 0, 0, TRISC_1, 4, 130\n"
                               "0, 0, 0, TRISC_1, 77, 140\n");
    static const char *const want[] = {"TRISC-FW", "TRISC-KERNEL", "TRISC-KERNEL",
                                       "TRISC-FW", ""};
    static const enum marker_type types[] = {MARKER_ZONE_START, MARKER_ZONE_START,
                                             MARKER_ZONE_END, MARKER_ZONE_END,
                                             MARKER_TS_EVENT};
    assert_int_equal(1200, r.trace.mhz);
    for (uint32_t i = 0; i < 5; i++) {
        uint32_t m = r.trace.tracks.v[0].marker + i;
        assert_true(str_is(trace_name_of(&r.trace, m), want[i]));
        assert_int_equal(types[i], trace_site_of(&r.trace, m)->type);
    }
    device_run_free(&r);
}

TEST(a_last_row_of_2023_without_a_line_end_may_have_lost_digits)
{
    struct device_run r = READ("Chip clock is at 1.2 GHz\n" LOG_LEGACY_NAMES
                               "0, 0, 0, BRISC, 1, 100\n0, 0, 0, BRISC, 4, 2");
    assert_int_equal(1, r.trace.tracks.v[0].n_markers);
    odd_is(&r, DIAG_LOG_CUT, 1);
    device_run_free(&r);
}

// --- damaged heads ---

TEST(a_column_whose_name_is_damaged_stands_where_it_always_has)
{
    struct device_run r =
        READ(LOG_CHIP_LINE
             "PCIe slot, core_x, core_y, RISC processor type, tim_id, "
             "time[cycles since reset], data, run host ID, trace id, trace id counter, "
             "zone name, type, source line, source file, meta data\n" EVENT("100", ""));
    assert_int_equal(5, trace_site_of(&r.trace, r.trace.tracks.v[0].marker)->timer_id);
    odd_is(&r, DIAG_HEADER_ODD, 1);
    device_run_free(&r);
}

TEST(names_that_have_lost_a_comma_are_not_gone_by)
{
    struct device_run r =
        READ(LOG_CHIP_LINE
             "PCIe slot, core_x core_y, RISC processor type, timer_id, "
             "time[cycles since reset], data, run host ID, trace id, trace id counter, "
             "zone name, type, source line, source file, meta data\n" EVENT("100", "")
                 EVENT("200", ""));
    assert_int_equal(2, r.trace.tracks.v[0].n_markers);
    STR_IS(trace_name_of(&r.trace, r.trace.tracks.v[0].marker), "E");
    odd_is(&r, DIAG_HEADER_ODD, 1);
    device_run_free(&r);
}

TEST(a_damaged_line_about_the_chip_leaves_the_clock_unknown)
{
    struct device_run r = READ("AR?H: wormhole_b0\n" LOG_NAMES_LINE EVENT("100", ""));
    assert_int_equal(0, r.trace.mhz);
    odd_is(&r, DIAG_HEADER_ODD, 1);
    odd_is(&r, DIAG_CLOCK_UNKNOWN, 1);
    device_run_free(&r);
    r = READ("ARCH: wormhole_b0, CHIP_FREQ[MHz]: fast\n" LOG_NAMES_LINE EVENT("100", ""));
    STR_IS(r.trace.arch, "wormhole_b0");
    assert_int_equal(0, r.trace.mhz);
    odd_is(&r, DIAG_CLOCK_UNKNOWN, 1);
    device_run_free(&r);
}

TEST(device_log_refuses_what_is_no_log)
{
    refuses(S(""), "is empty");
    refuses(S(" \n\r\n"), "is empty");
    refuses(S("a,b\n1,2\n3,4\n"), "line 2");
    refuses(S("hello"), "line 2");
    refuses(S("a\nb\n,,,,,\n,,,,,\n"), "line 2"); // six cells, but no row is one
}

TEST(a_head_that_is_cut_is_a_log_without_rows)
{
    struct device_run r = READ("ARCH: wor");
    assert_int_equal(0, r.trace.n_rows);
    odd_is(&r, DIAG_LOG_CUT, 1);
    device_run_free(&r);
    r = READ(LOG_CHIP_LINE "PCIe slot, core_x, co");
    odd_is(&r, DIAG_LOG_CUT, 1);
    device_run_free(&r);
}

TEST(device_log_names_the_file_that_it_cannot_read)
{
    struct trace t = {0};
    struct err e = {0};
    assert_false(device_log_read(&t, "no/such/log.csv", &e));
    assert_int_equal(ERR_IO, e.code);
    assert_non_null(strstr(e.text, "no/such/log.csv"));
    trace_free(&t);
}

// --- regressions ---

// A row as long as the short way allows, cut at each of its last bytes: the sanitizer sees
// what is read behind the end.
TEST(device_log_reads_nothing_behind_the_end_of_the_text)
{
    struct buf b = {0};
    char tail[160];
    (void)snprintf(tail, sizeof tail, "%0110d,TS_DATA,1,a,", 0);
    buf_z(&b, LOG_HEAD);
    buf_printf(&b, "0,1,1,LONG_PROCESSOR_NAME_XX,5,100,1,1,,,%s\n", tail);
    size_t from = b.n;
    buf_printf(&b,
               "0,1,1,LONG_PROCESSOR_NAME_XX,000000000000000005,000000000000000200,"
               "000000000000000001,000000000000000002,000000000000000003,"
               "000000000000000004,%s",
               tail);
    for (size_t cut = b.n; cut > from; cut--) {
        struct device_run r = read_text((str){b.p, cut});
        bool is_whole = cut == b.n;
        assert_int_equal(is_whole ? 2 : 1, r.trace.tracks.v[0].n_markers);
        odd_is(&r, DIAG_LOG_CUT, !is_whole);
        device_run_free(&r);
    }
    buf_free(&b);
}

TEST(a_text_that_is_not_utf8_is_counted_once_whatever_the_threads)
{
    struct buf b = {0};
    buf_z(&b, LOG_HEAD);
    for (int i = 1; i <= 8; i++)
        buf_printf(&b, "0,1,1,BRISC,5,%d00,0,0,,,a\xE4,TS_EVENT,1,a.cc,\n", i);
    const char *before = getenv("TTPROF_THREADS");
    char *keep = before ? strdup(before) : NULL;
    for (int n = 1; n <= 4; n++) {
        char text[8];
        (void)snprintf(text, sizeof text, "%d", n);
        (void)setenv("TTPROF_THREADS", text, 1);
        struct device_run r = read_text(buf_view(&b));
        odd_is(&r, DIAG_TEXT_NOT_UTF8, 1);
        assert_int_equal(8, r.trace.tracks.v[0].n_markers);
        STR_IS(trace_name_of(&r.trace, r.trace.tracks.v[0].marker), "a\xEF\xBF\xBD");
        device_run_free(&r);
    }
    if (keep)
        (void)setenv("TTPROF_THREADS", keep, 1);
    else
        (void)unsetenv("TTPROF_THREADS");
    free(keep);
    buf_free(&b);
}

// The rest of a track is moved up to its beginning where there is room, else all is copied.
TEST(a_track_that_lies_in_two_ranges_is_one_track)
{
    static const int rows_of_first[] = {310, 330, 400, 500};
    const char *before = getenv("TTPROF_THREADS");
    char *keep = before ? strdup(before) : NULL;
    for (int k = 0; k < 4; k++) {
        struct buf b = {0};
        buf_z(&b, LOG_HEAD);
        for (int i = 0; i < 600; i++)
            buf_printf(&b, "0,1,1,%s,5,%d,%d,1,,,E,TS_DATA,1,a.cc,\n",
                       i < rows_of_first[k] ? "TRISC_0" : "TRISC_1", 1000 + i, i % 3);
        (void)setenv("TTPROF_THREADS", "1", 1);
        struct device_run one = read_text(buf_view(&b));
        (void)setenv("TTPROF_THREADS", "2", 1);
        struct device_run two = read_text(buf_view(&b));
        assert_int_equal(rows_of_first[k], two.trace.tracks.v[0].n_markers);
        assert_null(trace_differs(&one.trace, &two.trace));
        device_run_free(&one);
        device_run_free(&two);
        buf_free(&b);
    }
    if (keep)
        (void)setenv("TTPROF_THREADS", keep, 1);
    else
        (void)unsetenv("TTPROF_THREADS");
    free(keep);
}

// --- several logs ---

TEST(device_logs_of_several_attachments_become_one_trace_with_their_own_devices)
{
#define OP(chip, time, run, trace, type)                                                   \
    chip ",1,1,BRISC,7," time ",0," run "," trace ",BRISC-FW," type ",1,a.cc,\n"
    struct memory_file file[3] = {
        memory_file_make(S(LOG_HEAD OP("0", "100", "1024", "0,1", "ZONE_START")
                               OP("0", "200", "1024", "0,1", "ZONE_END"))),
        memory_file_make(S(
            "ARCH: blackhole, CHIP_FREQ[MHz]: 1350, Max Compute Cores: 130\n" LOG_NAMES_LINE
                OP("0", "50", "1024", "0,1", "ZONE_START")
                    OP("0", "150", "1024", "0,1", "ZONE_END") "damaged\n")),
        memory_file_make(S(LOG_HEAD OP("1", "7", "0", ",", "ZONE_START")))};
    struct log_part parts[3] = {{file[0].path, 11, 1, 0, 0},
                                {file[1].path, 22, 1, 3, 5},
                                {file[2].path, 22, 2, 9, 9}};
    struct trace t = {0};
    struct err e = {0};
    assert_true(device_logs_read(&t, parts, 3, &e));
    assert_int_equal(3, t.devices.n);
    assert_int_equal(3, t.tracks.n);
    const struct trace_device *d = t.devices.v;
    assert_int_equal(0, d[1].id);
    assert_int_equal(22, d[1].pid);
    assert_int_equal(2, d[2].attachment);
    assert_int_equal(1, d[1].log);
    assert_int_equal(1000, trace_mhz(&t, 0));
    assert_int_equal(1350, trace_mhz(&t, 1));
    assert_int_equal(130, d[1].max_compute_cores);
    assert_int_equal(50, d[1].first_time);
    assert_int_equal(1024, t.runs.v[0].id);
    assert_int_equal(1024 + 3 * 1024, t.runs.v[1].id);
    assert_int_equal(5, t.runs.v[1].trace_id);
    assert_int_equal(1, t.runs.v[1].trace_counter);
    assert_int_equal(0, t.runs.v[2].id); // no program stays none
    assert_int_equal(-1, t.runs.v[2].trace_id);
    assert_int_equal(4, t.markers.line[t.tracks.v[1].marker + 1]); // of its own log
    const struct diag_entry *odd = &t.diag.entry[DIAG_ROW_DAMAGED];
    assert_int_equal(1, odd->count);
    assert_non_null(strstr(odd->first, file[1].path));
    trace_free(&t);
    for (int i = 0; i < 3; i++)
        memory_file_free(&file[i]);
}

TEST(device_logs_of_2023_and_of_today_do_not_mix)
{
    struct memory_file file[2] = {
        memory_file_make(S(LOG_HEAD)),
        memory_file_make(
            S("Chip clock is at 1200 MHz\nPCIe slot, core_x, core_y, RISC processor "
              "type, timer_id, time[cycles since reset]\n0, 1, 1, BRISC, 1, 5\n"))};
    struct log_part parts[2] = {{.path = file[0].path}, {.path = file[1].path}};
    struct trace t = {0};
    struct err e = {0};
    assert_false(device_logs_read(&t, parts, 2, &e));
    assert_non_null(strstr(e.text, "do not mix"));
    assert_non_null(strstr(e.text, file[1].path));
    trace_free(&t);
    for (int i = 0; i < 2; i++)
        memory_file_free(&file[i]);
}
