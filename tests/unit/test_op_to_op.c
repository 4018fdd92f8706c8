// test_op_to_op.c - times between ops, core by core. Spec: ops-report 7.
#include "present/device/op_to_op_csv.h"
#include "sample_log.h"

static bool write_ns(const struct sample_log *s, const char *path, struct err *e)
{
    return op_to_op_write(&s->analysis, false, path, e);
}

static bool write_compat(const struct sample_log *s, const char *path, struct err *e)
{
    return op_to_op_write(&s->analysis, true, path, e);
}

static void times_are(const char *chip, const char *rows, bool compat, const char *want)
{
    struct sample_log s;
    sample_log_read(&s, chip, rows);
    str got = sample_log_file(&s, compat ? write_compat : write_ns);
    test_str_is(got, str_of(want), __FILE__, __LINE__);
    sample_log_end(&s);
}

// A run of the firmware with a kernel in it.
#define OP(core, run, fw, from, to)                                                        \
    core ",BRISC " fw " " run " BRISC-FW START\n" core ",BRISC " from " " run              \
         " BRISC-KERNEL START\n" core ",BRISC " to " " run " BRISC-KERNEL END\n"

TEST(op_to_op_puts_cores_that_go_from_op_to_op_together_side_by_side)
{
    times_are(SAMPLE_CHIP,
              OP("0,2,1", "1024", "100", "110", "200")        //
              OP("0,2,1", "2048", "9000", "9010", "9020")     //
              OP("0,1,2", "1024", "100", "110", "201")        //
              OP("0,1,2", "2048", "9000", "9010", "9020")     //
              OP("0,1,2", "3072", "20000", "20010", "20020")  //
              OP("0,2,1", "3072", "20000", "20020", "20030"), //
              false,
              "device ID,op2op ID,1; 2 [ns],2; 1 [ns]\r\n"
              "0,1024 -> 2048,7309,7310\r\n"
              "0,2048 -> 3072,9490,9500\r\n");
}

TEST(op_to_op_takes_pairs_by_the_time_of_their_start)
{
    // (1, 1) skips the second op: its pair starts first and has a row of its own.
    times_are(SAMPLE_CHIP,
              OP("0,2,1", "1024", "100", "110", "300")     //
              OP("0,2,1", "2048", "1000", "1010", "1020")  //
              OP("0,2,1", "3072", "2000", "2010", "2020")  //
              OP("0,1,1", "1024", "100", "110", "200")     //
              OP("0,1,1", "3072", "2000", "2010", "2020"), //
              false,
              "device ID,op2op ID,1; 1 [ns],2; 1 [ns]\r\n"
              "0,1024 -> 3072,310,\r\n"
              "0,1024 -> 2048,,-790\r\n"
              "0,2048 -> 3072,,-510\r\n");
}

TEST(op_to_op_takes_pairs_that_start_together_in_the_order_of_cores)
{
    times_are(SAMPLE_CHIP,
              OP("0,2,1", "1024", "100", "110", "200")     //
              OP("0,2,1", "2048", "3000", "3010", "3020")  //
              OP("0,1,1", "1024", "100", "110", "200")     //
              OP("0,1,1", "3072", "3000", "3010", "3020"), //
              false,
              "device ID,op2op ID,1; 1 [ns],2; 1 [ns]\r\n"
              "0,1024 -> 2048,,1310\r\n"
              "0,1024 -> 3072,1310,\r\n");
}

TEST(op_to_op_gives_each_replay_a_row)
{
    times_are(SAMPLE_CHIP,
              OP("0,1,1", "1024/1/1", "100", "110", "200")     //
              OP("0,1,1", "2048/1/1", "3000", "3010", "3020")  //
              OP("0,1,1", "1024/1/2", "4000", "4110", "4200")  //
              OP("0,1,1", "2048/1/2", "7000", "7010", "7020"), //
              false,
              "device ID,op2op ID,1; 1 [ns]\r\n"
              "0,1024 -> 2048,1310\r\n"
              "0,2048 -> 1024,-410\r\n"
              "0,1024 -> 2048,1310\r\n");
}

TEST(op_to_op_shares_columns_between_devices_and_goes_device_by_device)
{
    times_are(SAMPLE_CHIP,
              OP("1,1,1", "1025", "100", "110", "200")     //
              OP("1,1,1", "2049", "3000", "3010", "3020")  //
              OP("0,10,1", "1024", "100", "110", "200")    //
              OP("0,10,1", "2048", "3000", "3010", "3020") //
              OP("0,1,1", "1024", "100", "110", "200")     //
              OP("0,1,1", "2048", "3000", "3020", "3030")  //
              "0,2,1,ERISC 100 1024 ERISC-FW START\n",
              false,
              "device ID,op2op ID,1; 1 [ns],2; 1 [ns],10; 1 [ns]\r\n"
              "1,1025 -> 2049,1310,,\r\n"
              "0,1024 -> 2048,1320,,1310\r\n");
}

TEST(op_to_op_leaves_out_pairs_within_one_run_of_the_firmware)
{
    times_are(SAMPLE_CHIP,
              "0,1,1,NCRISC 90 1024 NCRISC-KERNEL END\n" // before any firmware
              OP("0,1,1", "1024", "100", "110", "200")   //
              "0,1,1,BRISC 300 1024 BRISC-KERNEL START\n"
              "0,1,1,BRISC 400 1024 BRISC-KERNEL END\n",
              false, "device ID,op2op ID,1; 1 [ns]\r\n");
}

TEST(op_to_op_counts_ns_and_for_the_reference_cycles)
{
    static const char chip[] =
        "ARCH: blackhole, CHIP_FREQ[MHz]: 2000, Max Compute Cores: 110\n";
    static const char rows[] = OP("0,1,1", "1024", "100", "110", "200")
        OP("0,1,1", "2048", "9000", "9201", "9202");
    times_are(chip, rows, false, "device ID,op2op ID,1; 1 [ns]\r\n0,1024 -> 2048,3001\r\n");
    times_are(chip, rows, true, "device ID,op2op ID,1; 1 [ns]\r\n0,1024 -> 2048,7501\r\n");
    times_are("ARCH: blackhole\n", rows, false,
              "device ID,op2op ID,1; 1 [ns]\r\n0,1024 -> 2048,\r\n");
    times_are("ARCH: blackhole\n", rows, true,
              "device ID,op2op ID,1; 1 [ns]\r\n0,1024 -> 2048,7501\r\n");
}

TEST(op_to_op_is_a_head_alone_when_there_is_nothing_to_tell)
{
    times_are(SAMPLE_CHIP, "", false, "device ID,op2op ID\r\n");
    struct sample_log s;
    sample_log_read_text(
        &s,
        "Chip clock is at 1.2 GHz\n"
        "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since "
        "reset]\n"
        "0, 1, 1, BRISC, 1, 100\n"
        "0, 1, 1, BRISC, 2, 110\n");
    STR_IS(sample_log_file(&s, write_ns), "device ID,op2op ID,1; 1 [ns]\r\n");
    sample_log_end(&s);
}
