// test_device_rows.c - the runtime's device report, whole and damaged. Spec: ops-report 4.
#include "base/text/buf.h"

#include "formats/device_rows/device_rows.h"
#include "formats/diags.h"
#include "test.h"

#define IDS                                                                                \
    "GLOBAL CALL COUNT,DEVICE ID,METAL TRACE ID,METAL TRACE REPLAY SESSION ID,CORE COUNT"
#define HEAD                                                                               \
    "GLOBAL CALL COUNT,METAL TRACE ID,METAL TRACE REPLAY SESSION ID,DEVICE ID,DEVICE "     \
    "ARCH,OP NAME,CORE COUNT,DEVICE FW DURATION [ns],DEVICE FW START CYCLE,DEVICE FW END " \
    "CYCLE,DEVICE BRISC KERNEL DURATION [ns],OP TO OP LATENCY [ns]"

struct look {
    struct device_rows r;
    struct diag d;
    struct err e;
    struct buf text;
};

static void put_number(struct buf *b, int64_t v)
{
    if (v == DEVICE_NONE)
        buf_z(b, "-");
    else
        buf_printf(b, "%lld", (long long)v);
}

// "op/device/trace/session: cores fw start end brisc latency, and their states\n" by row.
static str rows_text(struct look *l)
{
    static const enum device_number shown[] = {DEVICE_CORES,  DEVICE_FW,    DEVICE_FW_START,
                                               DEVICE_FW_END, DEVICE_BRISC, DEVICE_LATENCY};
    for (size_t i = 0; i < l->r.v.n; i++) {
        const struct device_row *row = &l->r.v.v[i];
        buf_printf(&l->text, "%llu/%lld/", (unsigned long long)row->op,
                   (long long)row->device);
        put_number(&l->text, row->trace);
        buf_z(&l->text, "/");
        put_number(&l->text, row->session);
        buf_z(&l->text, ":");
        for (size_t n = 0; n < sizeof shown / sizeof *shown; n++) {
            buf_z(&l->text, " ");
            put_number(&l->text, row->v[shown[n]]);
        }
        buf_z(&l->text, " ");
        for (size_t n = 0; n < sizeof shown / sizeof *shown; n++)
            buf_char(&l->text, "OEMRB"[row->state[shown[n]]]);
        buf_z(&l->text, row->is_incomplete ? " incomplete\n" : "\n");
    }
    return buf_view(&l->text);
}

static void look_at(struct look *l, const char *text)
{
    *l = (struct look){0};
    assert_true(device_rows_read_text(&l->r, str_of(text), "report.csv", &l->d, &l->e));
}

static const char *buf_z_of(struct buf *b)
{
    buf_char(b, '\0');
    return b->p;
}

static void look_end(struct look *l)
{
    device_rows_free(&l->r);
    buf_free(&l->text);
}

static void rows_are(const char *text, const char *want)
{
    struct look l;
    look_at(&l, text);
    test_str_is(rows_text(&l), str_of(want), __FILE__, __LINE__);
    look_end(&l);
}

static void counts(const char *text, int kind, uint64_t n, const char *first)
{
    struct look l;
    look_at(&l, text);
    assert_int_equal(n, l.d.entry[kind].count);
    assert_int_equal(n, diag_total(&l.d));
    assert_string_equal(first, l.d.entry[kind].first);
    look_end(&l);
}

TEST(device_rows_are_read_by_the_names_of_columns)
{
    rows_are(HEAD
             "\n"
             "1024,,,3,blackhole,,80,5634,100,200,4961,0\n"
             "2048,7,2,3,blackhole,,80,5634,300,400,,-12\n",
             "1024/3/-/-: 80 5634 100 200 4961 0 OOOOOO\n"
             "2048/3/7/2: 80 5634 300 400 - -12 OOOOEO\n");
    rows_are("DEVICE ID,DEVICE FW END CYCLE,GLOBAL CALL COUNT\n5,90,1\n",
             "1/5/-/-: - - - 90 - - EEEOEE\n");
}

TEST(device_rows_know_chips_and_devices)
{
    struct look l;
    look_at(&l,
            "GLOBAL CALL COUNT,DEVICE ID,DEVICE ARCH,AVAILABLE WORKER CORE COUNT\n"
            "1,4,blackhole,110\n2,0,blackhole,130\n3,4,,\n");
    STR_IS(l.r.arch, "blackhole");
    STR_IS(l.r.arch_of.v[1], "blackhole");
    assert_int_equal(0, l.r.arch_of.v[2].n);
    assert_int_equal(130, l.r.workers);
    assert_int_equal(2, l.r.devices.n);
    assert_int_equal(4, l.r.devices.v[0]);
    assert_true(l.r.is_cpp && !l.r.has_traces && !l.r.is_quasar);
    look_end(&l);
    look_at(&l, HEAD "\n");
    assert_true(l.r.has_traces);
    assert_int_equal(0, l.r.v.n);
    look_end(&l);
}

TEST(device_rows_take_carriage_returns_a_byte_order_mark_blank_lines_and_floats)
{
    rows_are("\xEF\xBB\xBF\r\n" HEAD
             "\r\n\r\n"
             "1024.0,,,3.0,bh,, 80 ,5634.0,1e2,2.5e2,nan,\r\n",
             "1024/3/-/-: 80 5634 100 250 - - OOOOEE\n");
}

TEST(device_rows_take_the_later_of_two_with_the_same_ids)
{
    const char *text = HEAD
        "\n"
        "1024,,,3,bh,,80,1,100,200,1,0\n"
        "1024,1,1,3,bh,,80,2,100,200,,0\n"
        "1024,,,3,bh,,80,3,100,200,,0\n";
    rows_are(text,
             "1024/3/-/-: 80 3 100 200 - 0 OOOOEO\n"
             "1024/3/1/1: 80 2 100 200 - 0 OOOOEO\n");
    counts(text, DIAG_DEVICE_ROW_AGAIN, 1,
           "report.csv: lines 2 and 4: op 1024 on device 3");
}

TEST(device_rows_follow_each_header_of_appended_dumps)
{
    rows_are(HEAD
             "\n"
             "1024,,,3,bh,,80,1,100,200,1,0\n" HEAD
             "\n"
             "2048,,,3,bh,,80,1,100,200,1,0\n"
             "DEVICE ID,GLOBAL CALL COUNT,CORE COUNT\n"
             "3,4096,7\n",
             "1024/3/-/-: 80 1 100 200 1 0 OOOOOO\n"
             "2048/3/-/-: 80 1 100 200 1 0 OOOOOO\n"
             "4096/3/-/-: 7 - - - - - OEEEEE incomplete\n");
}

TEST(device_rows_without_ids_are_left_out_and_counted)
{
    const char *text = HEAD
        "\n"
        ",,,3,bh,,80,1,100,200,1,0\n"
        "1024,,,,bh,,80,1,100,200,1,0\n"
        "-5,,,1,bh,,80,1,100,200,1,0\n";
    rows_are(text, "");
    counts(text, DIAG_DEVICE_ROW_WITHOUT_ID, 3,
           "report.csv: line 2: no op id or no device id");
}

TEST(device_rows_leave_damaged_cells_empty)
{
    const char *text = HEAD "\n1024,,,3,bh,,many,1,100,200,1,0\n";
    rows_are(text, "1024/3/-/-: - 1 100 200 1 0 BOOOOO\n");
    counts(text, DIAG_NOT_A_NUMBER, 1, "report.csv: line 2: column 'CORE COUNT': 'many'");
    text = HEAD "\n1024,,,3,bh,,99999999999999999999,1,100,200,1,0\n";
    rows_are(text, "1024/3/-/-: - 1 100 200 1 0 BOOOOO\n");
    counts(text, DIAG_ABSURD_NUMBER, 1,
           "report.csv: line 2: column 'CORE COUNT': '99999999999999999999'");
}

TEST(device_rows_trust_nothing_at_a_cut)
{
    // The duration may have lost digits; what follows is not there.
    const char *text = HEAD "\n1024,,,3,bh,,80,12";
    rows_are(text, "1024/3/-/-: 80 - - - - - OMMMMM incomplete\n");
    counts(text, DIAG_DEVICE_REPORT_CUT, 1,
           "report.csv: line 2: it ends before its last column");
    // A device id that is cut is another device.
    rows_are(HEAD "\n1024,,,1", "");
    rows_are("DEVICE ID,GLOBAL CALL COUNT,CORE COUNT\n3,1024", "");
    rows_are(IDS "\n1024,3,7", "");
    rows_are(IDS "\n1024,3,7,1", "");
    rows_are(IDS "\n1024,3,7,1,", "1024/3/7/1: - - - - - - EEEEEE incomplete\n");
    // All columns are there, only the end of the line is not.
    rows_are(HEAD "\n1024,,,3,bh,,80,1,100,200,1,5",
             "1024/3/-/-: 80 1 100 200 1 5 OOOOOR\n");
    // A dump that was killed, and another one behind it.
    text = HEAD "\n1024,,,3,bh,,80,12\n2048,,,3,bh,,80,1,100,200,1,0\n";
    rows_are(text,
             "1024/3/-/-: 80 - - - - - OMMMMM incomplete\n"
             "2048/3/-/-: 80 1 100 200 1 0 OOOOOO\n");
    counts(text, DIAG_DEVICE_ROW_DAMAGED, 1,
           "report.csv: line 2: it ends before its last column");
}

TEST(device_rows_with_more_cells_than_columns_are_left_out_unless_those_are_empty)
{
    const char *text = HEAD
        "\n"
        "1024,,,3,bh,a,b,80,1,100,200,1,0\n"
        "2048,,,3,bh,\"a,b\",80,1,100,200,1,0\n"
        "4096,,,3,bh,,80,1,100,200,1,0,,\n"
        "5120,,,3,bh,,80,1,100,200,1,0,,,,,,,,\n" // eight, as many as are looked at
        "6144,,,3,bh,,80,1,100,200,1,0,,,,,,,,,\n";
    rows_are(text,
             "2048/3/-/-: 80 1 100 200 1 0 OOOOOO\n"
             "4096/3/-/-: 80 1 100 200 1 0 OOOOOO\n"
             "5120/3/-/-: 80 1 100 200 1 0 OOOOOO\n");
    counts(text, DIAG_DEVICE_ROW_DAMAGED, 2,
           "report.csv: line 2: more cells than its header");
}

TEST(device_rows_are_the_same_by_the_short_and_the_long_way)
{
    // An empty cell too many is for the long way.
    static const char *const rows[] = {
        "1024,,,3,bh,,80,1,100,200,1,0",
        "1024,,,3, bh ,a name,80,1,100,200,1,0",
        "0,0,0,0,,,0,0,0,0,0,0",
        "7,,,3,bh,,999999999999999999,1000000000000000000,9223372036854775807,,,007",
        "7,,,3,bh,,9223372036854775808,-1,+1,1.5,x, 5",
        "7,,,3,bh,\"a,b\",80,1,100,200,1,0",
        "7,,,,bh,,80,1,100,200,1,0",
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct buf text = {0};
        struct look plain, odd;
        buf_printf(&text, HEAD "\n%s\n", rows[i]);
        look_at(&plain, buf_z_of(&text));
        text.n = 0;
        buf_printf(&text, HEAD "\n%s,\n", rows[i]);
        look_at(&odd, buf_z_of(&text));
        str want = rows_text(&odd);
        test_str_is(rows_text(&plain), want, __FILE__, __LINE__);
        assert_int_equal(0, memcmp(&plain.d, &odd.d, sizeof odd.d));
        assert_true(plain.r.v.n == 0 ||
                    str_eq(plain.r.arch_of.n ? plain.r.arch_of.v[0] : (str){0},
                           odd.r.arch_of.n ? odd.r.arch_of.v[0] : (str){0}));
        look_end(&plain);
        look_end(&odd);
        buf_free(&text);
    }
}

TEST(device_rows_say_what_is_missing_where_a_start_has_no_end)
{
    rows_are(HEAD "\n1024,,,3,bh,,80,,100,,,0\n",
             "1024/3/-/-: 80 - 100 - - 0 OMOMEO incomplete\n");
}

TEST(device_rows_keep_columns_that_a_report_may_have)
{
    struct look l;
    look_at(&l,
            "GLOBAL CALL COUNT,DEVICE ID,SFPU Util Min (%),T0 Instrn Issue Rate Avg,"
            "NOC UTIL (%),what is this,DRAM BW UTIL (%),DEVICE DM FW DURATION [ns]\n"
            "1,0,1.5,,,x,,7\n2,0,,0.25,\"1,2\",y,,8\n1,0,2.5,,,z,,9\n");
    assert_int_equal(3, l.r.extra.n);
    STR_IS(l.r.extra.v[0].name, "SFPU Util Min (%)");
    STR_IS(l.r.extra.v[0].cell[0], "2.5");
    assert_int_equal(0, l.r.extra.v[0].cell[1].n);
    STR_IS(l.r.extra.v[1].cell[1], "0.25");
    STR_IS(l.r.extra.v[2].cell[1], "1;2");
    assert_int_equal(1, l.d.entry[DIAG_DEVICE_COLUMN].count);
    assert_string_equal("report.csv: line 1: column 'what is this'",
                        l.d.entry[DIAG_DEVICE_COLUMN].first);
    look_end(&l);
}

TEST(device_rows_have_the_extra_cells_of_the_last_of_two_with_the_same_ids)
{
    struct look l;
    look_at(&l,
            "GLOBAL CALL COUNT,DEVICE ID,NOC UTIL (%),DRAM BW UTIL (%)\n"
            "1,0,1.5,7\n2,0,2.5,\n1,0,,\n");
    assert_int_equal(1, l.r.extra.n);
    STR_IS(l.r.extra.v[0].name, "NOC UTIL (%)");
    assert_int_equal(0, l.r.extra.v[0].cell[0].n);
    STR_IS(l.r.extra.v[0].cell[1], "2.5");
    look_end(&l);
}

#define QUASAR                                                                             \
    "GLOBAL CALL COUNT,DEVICE ID,DEVICE ARCH,DEVICE QUASAR_DM KERNEL DURATION [ns],"       \
    "DEVICE QUASAR_DM KERNEL START CYCLE,DEVICE QUASAR_DM KERNEL END CYCLE,"               \
    "DEVICE QUASAR_NEO_TRISC KERNEL DURATION [ns],DEVICE QUASAR_NEO_TRISC KERNEL START "   \
    "CYCLE,DEVICE QUASAR_NEO_TRISC KERNEL END CYCLE\n"

// An op without an end is no reason to lose the one before it.
TEST(device_rows_of_quasar_have_gaps_from_the_last_end_that_is_known)
{
    struct look l;
    look_at(&l, QUASAR
            "1,0,quasar,100,1000,1140,,,\n2,0,quasar,,1280,,,,\n"
            "3,1,quasar,100,1300,1440,,,\n4,0,quasar,100,1500,1640,,,\n");
    STR_IS(l.r.extra.v[1].name, "OP TO OP DM LATENCY [ns]");
    static const char *const want[] = {"0", "0", "0", "257"}; // 360 cycles of 100 / 140 ns
    for (size_t i = 0; i < 4; i++)
        test_str_is(l.r.extra.v[1].cell[i], str_of(want[i]), __FILE__, __LINE__);
    look_end(&l);
}

TEST(device_rows_of_quasar_have_gaps_of_both_kinds_of_processors)
{
    struct look l;
    look_at(&l, QUASAR
            "2,0,Quasar,100,1280,1420,,,\n"
            "1,0,quasar,100,1000,1140,50,1010,1080\n");
    assert_true(l.r.is_quasar);
    assert_int_equal(4, l.r.extra.n);
    STR_IS(l.r.extra.v[0].name, "DEVICE QUASAR_DM KERNEL DURATION [ns]");
    STR_IS(l.r.extra.v[1].name, "DEVICE QUASAR_NEO_TRISC KERNEL DURATION [ns]");
    STR_IS(l.r.extra.v[2].name, "OP TO OP DM LATENCY [ns]");
    STR_IS(l.r.extra.v[2].cell[1], "0");
    STR_IS(l.r.extra.v[2].cell[0], "100"); // 140 cycles of which 140 are 100 ns
    STR_IS(l.r.extra.v[3].name, "OP TO OP TRISC LATENCY [ns]");
    STR_IS(l.r.extra.v[3].cell[1], "0");
    assert_int_equal(0, l.r.extra.v[3].cell[0].n);
    look_end(&l);
}

TEST(device_rows_are_not_made_of_something_else)
{
    const char *const texts[] = {"", "\n\n", "a,b\n1,2\n", "1024,,,3,bh\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct device_rows r;
        struct diag d = {0};
        struct err e = {0};
        assert_false(device_rows_read_text(&r, str_of(texts[i]), "x.csv", &d, &e));
        assert_int_equal(ERR_FORMAT, e.code);
        assert_string_equal(
            "x.csv: no line names the column 'GLOBAL CALL COUNT'; not a "
            "cpp_device_perf_report.csv",
            e.text);
        assert_int_equal(0, r.v.n);
    }
    struct device_rows r;
    struct diag d = {0};
    struct err e = {0};
    assert_false(device_rows_read(&r, "/nowhere/report.csv", &d, &e));
    device_rows_free(&r);
}
