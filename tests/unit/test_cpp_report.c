// test_cpp_report.c - durations per op as the runtime writes them. Spec: device-profiler
// 12.3.
#include <stdlib.h>

#include "profiler/cpp_report_csv.h"
#include "sample_log.h"

static const char head[] =
    "GLOBAL CALL COUNT,METAL TRACE ID,METAL TRACE REPLAY SESSION ID,DEVICE ID,DEVICE ARCH,"
    "OP NAME,CORE COUNT,AVAILABLE WORKER CORE COUNT,DEVICE TRACE FIRMWARE DURATION [ns],"
    "DEVICE TRACE KERNEL DURATION [ns],DEVICE KERNEL FIRST TO LAST START [ns],"
    "DEVICE FW DURATION [ns],DEVICE FW START CYCLE,DEVICE FW END CYCLE,"
    "DEVICE KERNEL DURATION [ns],DEVICE KERNEL START CYCLE,DEVICE KERNEL END CYCLE,"
    "DEVICE KERNEL DURATION DM START [ns],DEVICE KERNEL DM START CYCLE,"
    "DEVICE KERNEL DM END CYCLE,DEVICE BRISC KERNEL DURATION [ns],"
    "DEVICE NCRISC KERNEL DURATION [ns],DEVICE TRISC0 KERNEL DURATION [ns],"
    "DEVICE TRISC1 KERNEL DURATION [ns],DEVICE TRISC2 KERNEL DURATION [ns],"
    "DEVICE ERISC KERNEL DURATION [ns],DEVICE QUASAR_DM KERNEL DURATION [ns],"
    "DEVICE QUASAR_DM KERNEL START CYCLE,DEVICE QUASAR_DM KERNEL END CYCLE,"
    "DEVICE QUASAR_NEO_TRISC KERNEL DURATION [ns],"
    "DEVICE QUASAR_NEO_TRISC KERNEL START CYCLE,DEVICE QUASAR_NEO_TRISC KERNEL END CYCLE,"
    "DEVICE DM FW DURATION [ns],DEVICE TRISC FW DURATION [ns],OP TO OP LATENCY [ns],"
    "OP TO OP LATENCY BR/NRISC START [ns]\n";

static bool write_report(const struct sample_log *s, const char *path, struct err *e)
{
    return cpp_report_write(&s->trace, &s->ops, path, e);
}

static void report_is(const char *chip, const char *rows, const char *want)
{
    struct sample_log s;
    sample_log_read(&s, chip, rows);
    str got = sample_log_file(&s, write_report);
    test_str_is((str){got.p, sizeof head - 1}, S(head), __FILE__, __LINE__);
    test_str_is(str_from(got, sizeof head - 1), str_of(want), __FILE__, __LINE__);
    sample_log_end(&s);
}

TEST(cpp_report_goes_from_the_first_start_to_the_last_end_over_cores_and_processors)
{
    report_is(SAMPLE_CHIP,
              "0,1,1,BRISC 100 1024 BRISC-FW START\n"
              "0,1,1,BRISC 120 1024 BRISC-KERNEL START\n"
              "0,1,1,BRISC 180 1024 BRISC-KERNEL END\n"
              "0,1,1,BRISC 200 1024 BRISC-FW END\n"
              "0,1,1,TRISC_0 101 1024 TRISC-FW START\n"
              "0,1,1,TRISC_0 110 1024 TRISC-KERNEL START\n"
              "0,1,1,TRISC_0 150 1024 TRISC-KERNEL END\n"
              "0,1,1,TRISC_0 151 1024 TRISC-FW END\n"
              "0,1,2,NCRISC 90 1024 NCRISC-FW START\n"
              "0,1,2,NCRISC 130 1024 NCRISC-KERNEL START\n"
              "0,1,2,NCRISC 190 1024 NCRISC-KERNEL END\n"
              "0,1,2,NCRISC 195 1024 NCRISC-FW END\n"
              "0,1,3,NCRISC 5 0 NCRISC-FW START\n",
              "1024,,,0,wormhole_b0,,2,64,,,20,110,90,200,80,110,190,70,120,190,60,60,40,,,"
              ",,,,40,110,150,,50,0,0\n");
}

TEST(cpp_report_is_a_head_alone_when_there_are_no_ops)
{
    report_is(SAMPLE_CHIP, "", "");
    report_is(SAMPLE_CHIP, "0,1,1,BRISC 100 0 BRISC-FW START\n", "");
}

TEST(cpp_report_rounds_halves_up)
{
    // 2000 MHz: three cycles are 1.5 ns.
    report_is("ARCH: blackhole, CHIP_FREQ[MHz]: 2000, Max Compute Cores: 110\n",
              "0,1,1,BRISC 100 1024 BRISC-FW START\n"
              "0,1,1,BRISC 103 1024 BRISC-FW END\n",
              "1024,,,0,blackhole,,1,110,,,,2,100,103,,,,,,,,,,,,,,,,,,,,,,\n");
}

TEST(cpp_report_leaves_out_what_needs_a_clock_or_a_core_count_that_is_not_known)
{
    report_is("ARCH: wormhole_b0\n",
              "0,1,1,BRISC 100 1024 BRISC-FW START\n"
              "0,1,1,BRISC 120 1024 BRISC-KERNEL START\n"
              "0,1,1,BRISC 180 1024 BRISC-KERNEL END\n"
              "0,1,1,BRISC 200 1024 BRISC-FW END\n",
              "1024,,,0,wormhole_b0,,1,,,,,,100,200,,120,180,,120,180,,,,,,,,,,,,,,,,\n");
}

TEST(cpp_report_shows_a_start_that_has_no_end)
{
    // The end of the kernel stands before its start; that of the firmware is not there.
    report_is(SAMPLE_CHIP,
              "0,1,1,BRISC 100 1024 BRISC-FW START\n"
              "0,1,1,BRISC 110 1024 BRISC-KERNEL END\n"
              "0,1,1,BRISC 120 1024 BRISC-KERNEL START\n",
              "1024,,,0,wormhole_b0,,1,64,,,0,,100,,,120,,,120,,,,,,,,,,,,,,,,,\n");
}

TEST(cpp_report_takes_an_end_in_the_cycle_of_the_start)
{
    report_is(SAMPLE_CHIP,
              "0,1,1,BRISC 100 1024 BRISC-KERNEL START\n"
              "0,1,1,BRISC 100 1024 BRISC-KERNEL END\n",
              "1024,,,0,wormhole_b0,,0,64,,,0,,,,0,100,100,0,100,100,0,,,,,,,,,,,,,,0,0\n");
}

TEST(cpp_report_finds_keywords_inside_of_names)
{
    report_is(
        SAMPLE_CHIP,
        "0,1,0,ERISC 100 1024 ERISC-IDLE-FW START\n"
        "0,1,0,ERISC 110 1024 IDLE-ERISC-KERNEL START\n"
        "0,1,0,ERISC 120 1024 IDLE-ERISC-KERNEL END\n"
        "0,1,0,ERISC 130 1024 ERISC-IDLE-FW END\n"
        "0,1,0,TENSIX_RISC_AGG 90 1024 TRACE-FW START\n"
        "0,1,0,TENSIX_RISC_AGG 95 1024 TRACE-KERNEL START\n"
        "0,1,0,TENSIX_RISC_AGG 97 1024 TRACE-KERNEL END\n"
        "0,1,0,TENSIX_RISC_AGG 99 1024 TRACE-FW END\n",
        "1024,,,0,wormhole_b0,,1,64,9,2,15,40,90,130,25,95,120,10,110,120,,,,,,10,,,,,"
        ",,,,0,0\n");
}

TEST(cpp_report_times_quasar_by_its_own_clock)
{
    report_is(
        "ARCH: quasar, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 32\n",
        "0,1,1,QUASAR_DM2 1000 1024 DM-FW START\n"
        "0,1,1,QUASAR_DM2 2000 1024 DM-KERNEL START\n"
        "0,1,1,QUASAR_DM2 3400 1024 DM-KERNEL END\n"
        "0,1,1,QUASAR_DM2 3800 1024 DM-FW END\n"
        "0,1,1,QUASAR_NEO1_TRISC2 1000 1024 TRISC-FW START\n"
        "0,1,1,QUASAR_NEO1_TRISC2 1700 1024 TRISC-KERNEL START\n"
        "0,1,1,QUASAR_NEO1_TRISC2 2400 1024 TRISC-KERNEL END\n"
        "0,1,1,QUASAR_NEO1_TRISC2 2400 1024 TRISC-FW END\n",
        "1024,,,0,quasar,,1,32,,,214,2000,1000,3800,1214,1700,3400,1000,2000,3400,,,,,,"
        ",1000,2000,3400,500,1700,2400,2000,1000,0,0\n");
}

// A kernel of BRISC without firmware.
#define KERNEL(chip, run, from, to)                                                        \
    chip ",1,1,BRISC " from " " run " BRISC-KERNEL START\n" chip ",1,1,BRISC " to " " run  \
         " BRISC-KERNEL END\n"
// Its row.
#define KERNEL_ROW(ids, chip, ns, from, to, latencies)                                     \
    ids "," chip ",wormhole_b0,,0,64,,,0,,,," ns "," from "," to "," ns "," from "," to    \
        "," ns ",,,,,,,,,,,,,," latencies "\n"

TEST(cpp_report_goes_device_by_device_then_by_ids)
{
    report_is(SAMPLE_CHIP,
              KERNEL("1", "2049", "10", "20")                         //
              KERNEL("0", "2048", "10", "20")                         //
              KERNEL("0", "1024", "30", "40")                         //
              KERNEL("0", "1024/7/2", "50", "60")                     //
              KERNEL("0", "1024/7/1", "70", "80")                     //
              KERNEL("0", "1024/6/9", "90", "100")                    //
              KERNEL("1", "1025", "30", "40"),                        //
              KERNEL_ROW("1025,,", "1", "10", "30", "40", "10,10")    //
              KERNEL_ROW("2049,,", "1", "10", "10", "20", "0,0")      //
              KERNEL_ROW("1024,6,9", "0", "10", "90", "100", "10,10") //
              KERNEL_ROW("1024,7,1", "0", "10", "70", "80", "10,10")  //
              KERNEL_ROW("1024,7,2", "0", "10", "50", "60", "10,10")  //
              KERNEL_ROW("1024,,", "0", "10", "30", "40", "10,10")    //
              KERNEL_ROW("2048,,", "0", "10", "10", "20", "0,0"));
}

TEST(cpp_report_gives_each_execution_of_the_same_ids_a_row)
{
    report_is(SAMPLE_CHIP,
              "0,1,1,BRISC 300 1024 BRISC-FW START\n0,1,1,BRISC 310 1024 BRISC-FW END\n"
              "0,1,1,BRISC 100 1024 BRISC-FW START\n0,1,1,BRISC 150 1024 BRISC-FW END\n",
              "1024,,,0,wormhole_b0,,1,64,,,,50,100,150,,,,,,,,,,,,,,,,,,,,,,\n"
              "1024,,,0,wormhole_b0,,1,64,,,,10,300,310,,,,,,,,,,,,,,,,,,,,,,\n");
}

TEST(cpp_report_has_no_latency_that_is_negative_or_of_an_op_without_length)
{
    report_is(SAMPLE_CHIP,
              KERNEL("0", "1024", "100", "200")  //
              KERNEL("0", "2048", "150", "180")  // overlaps the one before
              KERNEL("0", "3072", "190", "190")  // no length
              KERNEL("0", "4096", "250", "260"), // counts from the one before
              KERNEL_ROW("1024,,", "0", "100", "100", "200", "0,0") //
              KERNEL_ROW("2048,,", "0", "30", "150", "180", ",")    //
              KERNEL_ROW("3072,,", "0", "0", "190", "190", ",")     //
              KERNEL_ROW("4096,,", "0", "10", "250", "260", "60,60"));
}

TEST(cpp_report_takes_kernels_that_start_together_in_the_order_of_rows)
{
    report_is(SAMPLE_CHIP,
              KERNEL("0", "2048", "100", "100") //
              KERNEL("0", "1024", "100", "110") //
              KERNEL("0", "3072", "110", "120"),
              KERNEL_ROW("1024,,", "0", "10", "100", "110", "0,0") //
              KERNEL_ROW("2048,,", "0", "0", "100", "100", ",")    //
              KERNEL_ROW("3072,,", "0", "10", "110", "120", "10,10"));
}

TEST(cpp_report_reckons_latencies_with_the_clock_of_the_rounded_duration)
{
    // 3 cycles at 1350 MHz are 2.2 ns, printed as 2: 1000 cycles count as 667 ns, not 741.
    report_is("ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1350, Max Compute Cores: 64\n",
              KERNEL("0", "1024", "100", "200") //
              KERNEL("0", "2048", "1200", "1203"),
              KERNEL_ROW("1024,,", "0", "74", "100", "200", "0,0") //
              KERNEL_ROW("2048,,", "0", "2", "1200", "1203", "667,667"));
}

TEST(cpp_report_does_not_depend_on_the_number_of_lanes)
{
    static const char *const riscs[] = {"BRISC", "NCRISC", "TRISC_0", "TRISC_1", "TRISC_2"};
    static const char *const phases[] = {"FW START", "KERNEL START", "KERNEL END",
                                         "FW END"};
    struct buf rows = {0}, one = {0};
    for (unsigned i = 0; i < 7 * 5 * 3 * 4; i++) {
        const char *risc = riscs[i / 12 % 5];
        buf_printf(&rows, "0,%u,1,%s %u %u %.5s%s-%s\n", i / 60, risc,
                   1000 * (i / 4 % 3) + i % 4 * 10 + i * 7 % 5, (i / 4 % 3 + 1) * 1024,
                   risc, risc[0] == 'N' ? "C" : "", phases[i % 4]);
    }
    buf_char(&rows, '\0');
    struct sample_log s;
    sample_log_read(&s, SAMPLE_CHIP, rows.p);
    assert_int_equal(0, setenv("TTPROF_THREADS", "1", 1));
    buf_str(&one, sample_log_file(&s, write_report));
    assert_int_equal(0, setenv("TTPROF_THREADS", "9", 1));
    str nine = sample_log_file(&s, write_report);
    assert_int_equal(0, unsetenv("TTPROF_THREADS"));
    assert_true(str_eq(buf_view(&one), nine));
    sample_log_end(&s);
    buf_free(&one);
    buf_free(&rows);
}
