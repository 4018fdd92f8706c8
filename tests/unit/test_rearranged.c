// test_rearranged.c - all times of a marker in one cell. Spec: device-log-report 6.3.
#include "present/device/rearranged_csv.h"
#include "sample_log.h"

#define HEADS                                                                              \
    "core x,core y,BRISC Firmware Start,BRISC Kernel start,BRISC Kernel End,"              \
    "BRISC Firmware End,NCRISC Firmware Start,NCRISC Kernel start,NCRISC Kernel End,"      \
    "NCRISC Firmware End\r\n"

static bool write_sheet(const struct sample_log *s, const char *path, struct err *e)
{
    return rearranged_write(&s->trace, path, e);
}

TEST(rearranged_has_all_times_of_a_marker_in_a_cell)
{
    struct sample_log s;
    sample_log_read(&s, "ARCH: blackhole, CHIP_FREQ[MHz]: 1350, Max Compute Cores: 110\n",
                    "3,1,2,BRISC 300 2048 BRISC-FW START\n" // of a later dump
                    "3,1,2,BRISC 100 1024 BRISC-FW START\n"
                    "3,1,2,BRISC 110 1024 BRISC-KERNEL START\n"
                    "3,1,2,BRISC 111 1024 LOOP START\n"
                    "3,1,2,BRISC 120 1024 BRISC-KERNEL END\n"
                    "3,1,2,BRISC 130 1024 BRISC-FW END\n"
                    "3,1,2,NCRISC 101 1024 BRISC-FW START\n" // on the wrong processor
                    "3,1,2,NCRISC 102 1024 NCRISC-FW START\n");
    STR_IS(sample_log_file(&s, write_sheet),
           "Clock Frequency [GHz],1.35\r\nPCIe slot,3\r\n" HEADS
           "1,2,100 300,110,120,130,102,,,\r\n");
    sample_log_end(&s);
}

TEST(rearranged_goes_chip_by_chip_and_by_rows_of_cores)
{
    struct sample_log s;
    sample_log_read(&s, SAMPLE_CHIP,
                    "1,1,1,BRISC 5 0 BRISC-FW START\n"
                    "0,1,2,BRISC 6 0 BRISC-FW START\n"
                    "0,9,1,ERISC 7 0 ERISC-FW START\n"
                    "0,2,1,NCRISC 8 0 NCRISC-FW END\n");
    STR_IS(sample_log_file(&s, write_sheet),
           "Clock Frequency [GHz],1.0\r\nPCIe slot,1\r\n" HEADS
           "1,1,5,,,,,,,\r\n"
           "Clock Frequency [GHz],1.0\r\nPCIe slot,0\r\n" HEADS
           "2,1,,,,,,,,8\r\n"
           "9,1,,,,,,,,\r\n"
           "1,2,6,,,,,,,\r\n");
    sample_log_end(&s);
}

TEST(rearranged_leaves_an_unknown_clock_empty_and_an_empty_log_too)
{
    struct sample_log s;
    sample_log_read(&s, "ARCH: wormhole_b0\n", "0,1,1,BRISC 5 0 BRISC-FW START\n");
    STR_IS(sample_log_file(&s, write_sheet),
           "Clock Frequency [GHz],\r\nPCIe slot,0\r\n" HEADS "1,1,5,,,,,,,\r\n");
    sample_log_end(&s);
    sample_log_read(&s, SAMPLE_CHIP, "");
    STR_IS(sample_log_file(&s, write_sheet), "");
    sample_log_end(&s);
}

TEST(rearranged_reads_the_ids_of_2023)
{
    struct sample_log s;
    sample_log_read_text(
        &s,
        "Chip clock is at 1.2 GHz\n"
        "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since "
        "reset]\n"
        "0, 1, 1, BRISC, 1, 100\n"
        "0, 1, 1, BRISC, 2, 110\n"
        "0, 1, 1, BRISC, 3, 120\n"
        "0, 1, 1, BRISC, 7, 125\n"
        "0, 1, 1, BRISC, 4, 130\n"
        "0, 1, 1, NCRISC, 3, 90\n"
        "0, 1, 1, TRISC_0, 1, 95\n");
    STR_IS(sample_log_file(&s, write_sheet),
           "Clock Frequency [GHz],1.2\r\nPCIe slot,0\r\n" HEADS
           "1,1,100,110,120,130,,,90,\r\n");
    sample_log_end(&s);
}
